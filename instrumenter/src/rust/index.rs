//! The tests, functions, synchronisation and shared variables of a Cargo package, by syn, without
//! building it.
//!
//! `cargo metadata` says which targets there are; from each target's root file the `mod` items
//! are followed as rustc follows them. Tests are named as libtest prints them: the module path
//! without the crate's name.

use crate::index::{Function, Index, Problem, Test};
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};
use text::Text;

pub mod accesses;
pub mod calls;
mod expressions;
mod made;
mod names;
pub(crate) mod rounds;
mod shared;
mod sites;
mod spans;
mod targets;
mod text;
mod variables;
use names::is_test;
pub(super) use names::{bare, path_attribute, type_name};
pub use targets::{Target, TargetsError, targets};

/// Indexes every test target of the package or workspace at this folder or `Cargo.toml`.
pub fn index(package: &Path) -> Result<Index, TargetsError> {
    let mut index = Index::default();
    for target in targets(package)? {
        index_target(&target, &mut index);
    }
    Ok(index)
}

/// Adds one target. Without libtest's harness the whole program is one test, at its `main`.
pub fn index_target(target: &Target, index: &mut Index) {
    let before = index.tests.len();
    let mut walk = Walk::new(&target.name, index);
    walk.root(&target.root);
    index.tests[before..].iter_mut().for_each(|t| t.package.clone_from(&target.package));
    if target.harness {
        return;
    }
    index.tests.truncate(before);
    let main = index.functions.iter().find(|f| f.file == target.root && f.name == "main");
    let (line, column) = main.map_or((1, 1), |f| (f.line, f.column));
    index.tests.push(Test {
        name: target.name.rsplit('/').next().unwrap_or_default().to_string(),
        file: target.root.clone(),
        line,
        column,
        ignore: false,
        should_panic: false,
        target: target.name.clone(),
        package: target.package.clone(),
    });
}

/// Indexes one file's text as the root of a target; modules in other files are not followed.
pub fn index_source(file: &Path, text: &str) -> Index {
    let mut index = Index::default();
    let mut walk = Walk::new("", &mut index);
    walk.follow = false;
    walk.source(file, text, Folder { own: PathBuf::new(), children: PathBuf::new() });
    index
}

/// Where a file's `mod` items look for theirs.
#[derive(Clone)]
struct Folder {
    /// The folder the file is in: what `#[path]` is relative to.
    own: PathBuf,
    /// The folder its child modules are in.
    children: PathBuf,
}

/// One walk over a target's module tree.
struct Walk<'a> {
    target: &'a str,
    index: &'a mut Index,
    /// The file being read.
    file: PathBuf,
    /// Its text.
    text: Text,
    /// The functions and closures around the current expression.
    frames: Vec<shared::Frame>,
    folder: Folder,
    /// Modules, types and functions around the current item.
    path: Vec<String>,
    /// How many functions' bodies we are in: libtest does not collect tests there.
    depth: u32,
    /// Are `mod name;` items read?
    follow: bool,
    /// Files being read, so that a `#[path]` cycle ends.
    open: Vec<PathBuf>,
}

impl<'a> Walk<'a> {
    fn new(target: &'a str, index: &'a mut Index) -> Self {
        let folder = Folder { own: PathBuf::new(), children: PathBuf::new() };
        Walk {
            target,
            index,
            file: PathBuf::new(),
            text: Text::default(),
            frames: Vec::new(),
            folder,
            path: Vec::new(),
            depth: 0,
            follow: true,
            open: Vec::new(),
        }
    }

    fn root(&mut self, file: &Path) {
        let own = file.parent().unwrap_or(Path::new("")).to_owned();
        self.read(file, Folder { children: own.clone(), own });
    }

    fn read(&mut self, file: &Path, folder: Folder) {
        match std::fs::read_to_string(file) {
            Ok(text) => self.source(file, &text, folder),
            Err(e) => self.problem(file, e.to_string()),
        }
    }

    fn source(&mut self, file: &Path, text: &str, folder: Folder) {
        let ast = match super::parse::file(text) {
            Ok(ast) => ast,
            Err(e) => {
                let at = e.span().start();
                return self.problem(file, format!("line {}: {e}", at.line));
            }
        };
        let file_before = std::mem::replace(&mut self.file, file.to_owned());
        let folder_before = std::mem::replace(&mut self.folder, folder);
        let text_before = std::mem::replace(&mut self.text, Text::new(text));
        self.open.push(file.to_owned());
        self.visit_file(&ast);
        self.open.pop();
        self.text = text_before;
        self.file = file_before;
        self.folder = folder_before;
    }

    fn problem(&mut self, file: &Path, message: String) {
        self.index.problems.push(Problem { file: file.to_owned(), message });
    }

    /// The file of `mod name;`, as rustc looks for it, and where that file's modules are.
    fn module_file(&self, item: &syn::ItemMod) -> Option<(PathBuf, Folder)> {
        if let Some(path) = path_attribute(&item.attrs) {
            let file = self.folder.own.join(path);
            let own = file.parent()?.to_owned();
            return Some((file, Folder { children: own.clone(), own }));
        }
        let name = item.ident.to_string();
        let name = name.trim_start_matches("r#");
        let beside = self.folder.children.join(format!("{name}.rs"));
        if beside.is_file() {
            let children = self.folder.children.join(name);
            return Some((beside, Folder { own: self.folder.children.clone(), children }));
        }
        let inside = self.folder.children.join(name);
        let file = inside.join("mod.rs");
        file.is_file().then(|| (file, Folder { children: inside.clone(), own: inside }))
    }

    fn within(&mut self, name: String, body: impl FnOnce(&mut Self)) {
        self.path.push(name);
        body(self);
        self.path.pop();
    }

    /// Adds a function; its qualified name.
    fn function(&mut self, ident: &syn::Ident, block: &syn::Block) -> String {
        let (line, column, _) = self.text.place(ident.span());
        let mut name = self.path.join("::");
        if !name.is_empty() {
            name.push_str("::");
        }
        name.push_str(&bare(ident));
        let (file, end_line) = (self.file.clone(), block.brace_token.span.close().end().line as u32);
        self.index.functions.push(Function { name: name.clone(), file, line, column, end_line });
        name
    }

    /// The inside of a function of this qualified name.
    fn body(&mut self, name: String, signature: &syn::Signature, body: impl FnOnce(&mut Self)) {
        self.enter(name, &signature.inputs);
        self.depth += 1;
        self.within(bare(&signature.ident), body);
        self.depth -= 1;
        self.leave();
    }

    /// Tests may be made here that are told when they are built.
    fn maker(&mut self, at: proc_macro2::Span) {
        let place = (self.file.clone(), at.start().line as u32);
        if self.depth == 0 && !self.index.makers.contains(&place) {
            self.index.makers.push(place);
        }
    }

    fn test(&mut self, item: &syn::ItemFn) {
        if item.attrs.iter().any(made::makes_cases) {
            return self.maker(item.sig.ident.span());
        }
        if self.depth > 0 || !item.attrs.iter().any(is_test) {
            return;
        }
        let Some(function) = self.index.functions.last() else { return };
        self.index.tests.push(Test {
            name: function.name.clone(),
            file: function.file.clone(),
            line: function.line,
            column: function.column,
            ignore: item.attrs.iter().any(|a| a.path().is_ident("ignore")),
            should_panic: item.attrs.iter().any(|a| a.path().is_ident("should_panic")),
            target: self.target.to_string(),
            package: String::new(),
        });
    }
}

impl<'ast> Visit<'ast> for Walk<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let name = bare(&item.ident);
        if item.content.is_some() {
            let inner = path_attribute(&item.attrs).unwrap_or_else(|| name.clone());
            let children = self.folder.children.join(inner);
            let folder = Folder { own: children.clone(), children };
            let before = std::mem::replace(&mut self.folder, folder);
            self.within(name, |w| visit::visit_item_mod(w, item));
            self.folder = before;
        } else if self.follow {
            match self.module_file(item) {
                Some((file, _)) if self.open.contains(&file) => {}
                Some((file, folder)) => self.within(name, |w| w.read(&file, folder)),
                // Under a `cfg` that does not hold here the file need not exist.
                None if item.attrs.iter().any(|a| a.path().is_ident("cfg")) => {}
                None => self.problem(&self.file.clone(), format!("no file for `mod {name};`")),
            }
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        let name = self.function(&item.sig.ident, &item.block);
        self.test(item);
        self.body(name, &item.sig, |w| visit::visit_item_fn(w, item));
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        self.within(type_name(&item.self_ty), |w| visit::visit_item_impl(w, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        let name = self.function(&item.sig.ident, &item.block);
        self.body(name, &item.sig, |w| visit::visit_impl_item_fn(w, item));
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.within(bare(&item.ident), |w| visit::visit_item_trait(w, item));
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            let name = self.function(&item.sig.ident, block);
            self.body(name, &item.sig, |w| visit::visit_trait_item_fn(w, item));
        }
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        self.static_item(item);
        visit::visit_item_static(self, item);
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.fields(item);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        self.local(local);
        visit::visit_local(self, local);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.method_call(call);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        self.call(call);
    }

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        self.inner_closure(closure);
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        if made::says_test(&item.mac.tokens)
            && let Some(name) = item.mac.path.segments.last()
        {
            self.maker(name.ident.span());
        }
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        for e in expressions::macro_arguments(mac) {
            self.visit_expr(&e);
        }
    }
}

#[cfg(test)]
mod tests;
