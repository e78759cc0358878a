//! What declarations of C and C++ say: names, and types as text.

use tree_sitter::Node;

/// The type of a declaration with its qualifiers, without storage class.
pub fn type_of(declaration: Node, text: &str) -> String {
    let mut cursor = declaration.walk();
    let mut words = Vec::new();
    for child in declaration.children(&mut cursor) {
        match child.kind() {
            "type_qualifier" => words.push(&text[child.byte_range()]),
            "struct_specifier" | "union_specifier" | "enum_specifier" | "class_specifier" => {
                words.push(text[child.byte_range()].split('{').next().unwrap_or_default().trim());
            }
            _ if Some(child) == declaration.child_by_field_name("type") => {
                words.push(&text[child.byte_range()])
            }
            _ => {}
        }
    }
    words.join(" ")
}

/// The name that a declarator declares; none for functions.
pub fn declared(declarator: Node) -> Option<Node> {
    match declarator.kind() {
        "identifier" | "field_identifier" => Some(declarator),
        "function_declarator" => {
            // A pointer to a function is a variable: `int (*f)(void)`.
            let inner = declarator.child_by_field_name("declarator")?;
            (inner.kind() == "parenthesized_declarator").then(|| declared(inner)).flatten()
        }
        "init_declarator"
        | "pointer_declarator"
        | "array_declarator"
        | "attributed_declarator"
        | "parenthesized_declarator"
        | "reference_declarator" => declarator
            .child_by_field_name("declarator")
            .and_then(declared)
            .or_else(|| declarator.named_children(&mut declarator.walk()).find_map(declared)),
        _ => None,
    }
}

/// What a declarator adds to its type: ` *`, `[4]`.
pub fn shape(declarator: Node, text: &str) -> String {
    match declarator.kind() {
        "init_declarator" => {
            declarator.child_by_field_name("declarator").map(|d| shape(d, text)).unwrap_or_default()
        }
        "pointer_declarator" => {
            let inner =
                declarator.child_by_field_name("declarator").map(|d| shape(d, text)).unwrap_or_default();
            format!("{} *", inner).replace("* *", "**")
        }
        "array_declarator" => {
            let size = declarator.child_by_field_name("size").map(|s| &text[s.byte_range()]);
            let inner =
                declarator.child_by_field_name("declarator").map(|d| shape(d, text)).unwrap_or_default();
            format!("{inner}[{}]", size.unwrap_or_default())
        }
        _ => String::new(),
    }
}

/// A type without its shape and storage.
pub fn bare_type(ty: &str) -> String {
    ty.trim_end_matches(['*', ' ', '&']).split('[').next().unwrap_or_default().trim().to_string()
}
