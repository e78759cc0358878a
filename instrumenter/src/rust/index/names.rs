//! Names as libtest and the index print them, and the attributes that matter to both.

/// `#[test]`, or another crate's attribute of that name (`#[tokio::test]`), which expands to it.
pub fn is_test(attribute: &syn::Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|s| s.ident == "test")
}

/// The value of `#[path = "…"]`.
pub fn path_attribute(attributes: &[syn::Attribute]) -> Option<String> {
    attributes.iter().find_map(|a| match &a.meta {
        syn::Meta::NameValue(syn::MetaNameValue { path, value: syn::Expr::Lit(e), .. })
            if path.is_ident("path") =>
        {
            match &e.lit {
                syn::Lit::Str(s) => Some(s.value()),
                _ => None,
            }
        }
        _ => None,
    })
}

/// A name as libtest prints it: `r#` stays only where it is needed.
pub fn bare(ident: &syn::Ident) -> String {
    let name = ident.to_string();
    match name.strip_prefix("r#") {
        Some(plain) if syn::parse_str::<syn::Ident>(plain).is_ok() => plain.to_string(),
        _ => name,
    }
}

/// The name by which an impl's methods are qualified: the type's, without its arguments.
pub fn type_name(ty: &syn::Type) -> String {
    match ty {
        syn::Type::Path(p) => p.path.segments.last().map(|s| bare(&s.ident)).unwrap_or_default(),
        syn::Type::Reference(r) => type_name(&r.elem),
        syn::Type::Paren(p) => type_name(&p.elem),
        syn::Type::Group(g) => type_name(&g.elem),
        _ => "_".to_string(),
    }
}
