//! The part of the walk that finds sites of synchronisation and variables that look shared.

use super::declarations::{bare_type, declared, shape, type_of};
use super::{names, sites};
use crate::c::Language;
use crate::c::names::{Scope as Around, is_spawned, of_declarator, of_scope};
use crate::index::{Reach, Site, Variable, VariableKind, short};
use std::collections::BTreeSet;
use std::path::Path;
use tree_sitter::Node;

/// What is known of the function that the walk is in.
#[derive(Default)]
struct Scope<'t> {
    name: String,
    parameters: BTreeSet<&'t str>,
    locals: Vec<(&'t str, String, Node<'t>)>,
}

/// One pass over a file's tree.
pub struct Shared<'t> {
    file: &'t Path,
    text: &'t str,
    language: Language,
    /// Namespaces, classes and functions around the current node.
    around: Around,
    scope: Option<Scope<'t>>,
    /// In source order.
    pub sites: Vec<Site>,
    /// In source order.
    pub variables: Vec<Variable>,
}

impl<'t> Shared<'t> {
    /// Finds what is in a file's tree.
    pub fn find(file: &'t Path, text: &'t str, root: Node<'t>) -> Self {
        let (language, around) = (super::language(file), Around::default());
        let mut shared =
            Shared { file, text, language, around, scope: None, sites: Vec::new(), variables: Vec::new() };
        shared.node(root);
        shared
    }

    fn text(&self, node: Node) -> &'t str {
        &self.text[node.byte_range()]
    }

    fn children(&mut self, node: Node<'t>) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.node(child);
        }
    }

    fn node(&mut self, node: Node<'t>) {
        match node.kind() {
            "function_definition" => return self.function(node),
            "preproc_if" if node.child_by_field_name("condition").is_some_and(|c| self.text(c) == "0") => {
                return node.child_by_field_name("alternative").map(|n| self.node(n)).unwrap_or(());
            }
            "declaration" => self.declaration(node),
            "field_declaration" => self.field(node),
            "call_expression" => self.call(node),
            "lambda_expression" if is_spawned(node, self.text) => return self.lambda(node),
            _ => {}
        }
        let inside = if self.is_cpp() { of_scope(node, self.text) } else { None };
        let inside = inside.map(|name| self.around.inner(&name));
        let outer = inside.map(|inside| std::mem::replace(&mut self.around, inside));
        self.children(node);
        if let Some(outer) = outer {
            self.around = outer;
        }
    }

    /// The body of a new thread: a function of its own.
    fn lambda(&mut self, node: Node<'t>) {
        let name = self.around.within("{lambda}");
        let inside = self.around.function(&name);
        let around = std::mem::replace(&mut self.around, inside);
        let before = self.scope.as_mut().map(|s| std::mem::replace(&mut s.name, name));
        self.children(node);
        if let (Some(scope), Some(before)) = (&mut self.scope, before) {
            scope.name = before;
        }
        self.around = around;
    }

    fn function(&mut self, node: Node<'t>) {
        let declarator = node.child_by_field_name("declarator").and_then(super::declarator);
        let name = node
            .child_by_field_name("declarator")
            .and_then(|d| of_declarator(d, self.text, self.language))
            .map(|name| self.around.within(&name))
            .unwrap_or_default();
        let inside = self.around.function(&name);
        let around = std::mem::replace(&mut self.around, inside);
        let outer = self.scope.take();
        let mut scope = Scope { name, ..Scope::default() };
        let list = declarator.and_then(|d| d.child_by_field_name("parameters"));
        let mut found = Vec::new();
        if let Some(list) = list {
            let mut cursor = list.walk();
            for parameter in list.named_children(&mut cursor) {
                let Some(name) = parameter.child_by_field_name("declarator").and_then(declared) else {
                    continue;
                };
                scope.parameters.insert(self.text(name));
                let ty = type_of(parameter, self.text);
                if sites::is_shared_type(&ty) {
                    found.push((name, ty));
                }
            }
        }
        for (name, ty) in found {
            let why = bare_type(&ty);
            self.variable(name, &scope.name, VariableKind::Parameter, &ty, why);
        }
        self.scope = Some(scope);
        if let Some(body) = node.child_by_field_name("body") {
            self.children(body);
        }
        self.scope = outer;
        self.around = around;
    }

    fn declaration(&mut self, node: Node<'t>) {
        let mut cursor = node.walk();
        let storage: Vec<&str> = node
            .children(&mut cursor)
            .filter(|c| c.kind() == "storage_class_specifier")
            .map(|c| self.text(c))
            .collect();
        if storage.contains(&"extern") || storage.contains(&"typedef") {
            return;
        }
        let is_static = storage.contains(&"static");
        let ty = type_of(node, self.text);
        let mut cursor = node.walk();
        let declarators: Vec<Node> = node.children_by_field_name("declarator", &mut cursor).collect();
        for declarator in declarators {
            let Some(name) = declared(declarator) else {
                // `lock_guard guard(m);` may as well declare a function, as far as grammar goes.
                if let (Some(_), Some(name)) = (&self.scope, declarator.child_by_field_name("declarator")) {
                    self.guard(node, name, declarator);
                }
                continue;
            };
            let ty = format!("{ty}{}", shape(declarator, self.text));
            let kind = match (&self.scope, is_static) {
                (_, true) => VariableKind::Static,
                (None, false) => VariableKind::Global,
                (Some(_), false) => VariableKind::Let,
            };
            let is_guard = self.guard(node, name, declarator);
            let is_shared = !is_guard && sites::is_shared_type(&ty);
            if kind == VariableKind::Let && !is_shared {
                let text = self.text(name);
                if let Some(scope) = &mut self.scope {
                    scope.locals.push((text, ty, name));
                }
                continue;
            }
            if !is_shared && ty.split_whitespace().any(|w| w == "const") {
                continue;
            }
            let within = self.scope.as_ref().map(|s| s.name.clone()).unwrap_or_default();
            let why = if is_shared { bare_type(&ty) } else { kind.word().to_string() };
            self.variable(name, &within, kind, &ty, why);
            let text = self.text(name);
            if let Some(scope) = self.scope.as_mut().filter(|_| kind == VariableKind::Let) {
                scope.locals.push((text, ty, name));
            }
        }
    }

    fn field(&mut self, node: Node<'t>) {
        let ty = type_of(node, self.text);
        if !sites::is_shared_type(&ty) {
            return;
        }
        // struct { … field … }: the list, then the type with its name.
        let owner = node.parent().and_then(|list| list.parent());
        let tag = owner.and_then(|o| o.child_by_field_name("name")).map(|n| self.text(n));
        let alias = || {
            let typedef = owner.and_then(|o| o.parent()).filter(|p| p.kind() == "type_definition")?;
            typedef.child_by_field_name("declarator").map(|n| self.text(n))
        };
        let within = tag.or_else(alias).unwrap_or_default().to_string();
        let mut cursor = node.walk();
        let declarators: Vec<Node> = node.children_by_field_name("declarator", &mut cursor).collect();
        for declarator in declarators {
            if let Some(name) = declared(declarator) {
                let ty = format!("{ty}{}", shape(declarator, self.text));
                self.variable(name, &within, VariableKind::Field, &ty, bare_type(&ty));
            }
        }
    }

    fn variable(&mut self, name: Node, within: &str, kind: VariableKind, ty: &str, why: String) {
        let at = name.start_position();
        let variable = Variable {
            name: self.text(name).to_string(),
            within: within.to_string(),
            kind,
            type_name: short(ty),
            file: self.file.to_owned(),
            line: at.row as u32 + 1,
            column: at.column as u32 + 1,
            why,
        };
        if !self.variables.iter().any(|v| (v.line, v.column) == (variable.line, variable.column)) {
            self.variables.push(variable);
        }
    }

    /// How a plain name is reached from here.
    fn reach(&self, name: &str) -> Reach {
        match &self.scope {
            Some(s) if s.locals.iter().any(|(l, ..)| *l == name) => Reach::Local,
            Some(s) if s.parameters.contains(name) => Reach::Parameter,
            // In C++ a plain name may be a field.
            _ if self.is_cpp() && !self.variables.iter().any(|v| v.within.is_empty() && v.name == name) => {
                Reach::Field
            }
            _ => Reach::Global,
        }
    }

    fn site(&mut self, kind: &'static str, at: Node, object: Option<Node>) {
        let start = at.start_position();
        let before = &self.text[at.start_byte() - start.column..at.start_byte()];
        let reach = object.map_or(Reach::Other, |o| names::reach(o, self.text, &|name| self.reach(name)));
        self.sites.push(Site {
            file: self.file.to_owned(),
            line: start.row as u32 + 1,
            column: start.column as u32 + 1,
            chars: before.chars().count() as u32 + 1,
            kind,
            object: object.map(|o| names::name(o, self.text)).unwrap_or_default(),
            reach,
            function: self.scope.as_ref().map(|s| s.name.clone()).unwrap_or_default(),
        });
    }

    fn call(&mut self, node: Node<'t>) {
        let Some(function) = node.child_by_field_name("function") else { return };
        let arguments: Vec<Node> = node
            .child_by_field_name("arguments")
            .map(|list| list.named_children(&mut list.walk()).filter(|n| n.kind() != "comment").collect())
            .unwrap_or_default();
        let method = (function.kind() == "field_expression")
            .then(|| {
                let name = self.text(function.child_by_field_name("field")?);
                let kind = sites::method(name, arguments.len())?;
                Some((kind, function.child_by_field_name("argument")?))
            })
            .flatten();
        if let Some((kind, object)) = method.filter(|_| self.is_cpp()) {
            return self.site(kind, node, Some(object));
        }
        let name = self.text(function).rsplit("::").next().unwrap_or_default();
        let Some(call) = sites::function(name) else { return };
        self.site(call.kind, node, call.object.and_then(|n| arguments.get(n)).copied());
        if call.kind == "spawn"
            && let Some(argument) = arguments.last().filter(|_| arguments.len() > 2)
        {
            self.passed(*argument, name);
        }
    }

    /// A local variable whose address, or whose value, a new thread gets.
    fn passed(&mut self, argument: Node<'t>, to: &str) {
        let Some(root) = names::root(argument, self.text) else { return };
        let Some(scope) = &self.scope else { return };
        let Some((_, ty, name)) = scope.locals.iter().rev().find(|(l, ..)| *l == root) else { return };
        let by_address = argument.kind() == "pointer_expression" || ty.ends_with(['*', ']']);
        if by_address {
            let (ty, name, within) = (ty.clone(), *name, scope.name.clone());
            self.variable(name, &within, VariableKind::Let, &ty, format!("passed to {to}"));
        }
    }

    fn is_cpp(&self) -> bool {
        self.language == Language::Cpp
    }

    /// C++: `std::lock_guard<std::mutex> guard(m);` locks `m`, `std::thread t(f);` starts a thread.
    /// Is it one of these?
    fn guard(&mut self, node: Node<'t>, name: Node<'t>, declarator: Node<'t>) -> bool {
        if !self.is_cpp() {
            return false;
        }
        let ty = type_of(node, self.text);
        let bare = ty.split('<').next().unwrap_or_default().rsplit("::").next().unwrap_or_default().trim();
        let value =
            declarator.child_by_field_name("value").or_else(|| declarator.child_by_field_name("parameters"));
        let first = value.and_then(|v| v.named_child(0));
        match bare {
            "lock_guard" | "unique_lock" | "scoped_lock" => self.site("lock", name, first),
            "shared_lock" => self.site("read-lock", name, first),
            "thread" | "jthread" if value.is_some() => self.site("spawn", name, None),
            _ => return false,
        }
        true
    }
}
