//! The files of a crate: from its root, the `mod` items are followed as rustc follows them. Those
//! under a `cfg` are all followed where the file exists, whether the condition holds or not.

use super::index::{bare, path_attribute};
use proc_macro2::{Delimiter, TokenTree};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use syn::visit::Visit;

/// A file of a crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleFile {
    /// Where it is, as found from the root (not canonical).
    pub file: PathBuf,
    /// Which module it is: the path from the crate's root, empty for that itself.
    pub module: Vec<String>,
    /// Its text.
    pub text: String,
}

/// The files of the crate with this root, the root first; each once. A file that cannot be read is
/// left out, one that is not Rust for syn has no modules.
pub fn module_files(root: &Path) -> Vec<ModuleFile> {
    let mut tree = Tree { files: Vec::new(), seen: BTreeSet::new(), module: Vec::new(), folder: None };
    let own = root.parent().unwrap_or(Path::new("")).to_owned();
    tree.file(root, Folder { children: own.clone(), own });
    tree.files
}

/// Where a file's `mod` items look for theirs.
#[derive(Clone)]
struct Folder {
    /// What `#[path]` is relative to.
    own: PathBuf,
    /// The folder that child modules are in.
    children: PathBuf,
}

struct Tree {
    files: Vec<ModuleFile>,
    seen: BTreeSet<PathBuf>,
    /// The module being read.
    module: Vec<String>,
    /// Of the file being read; `None` before the first.
    folder: Option<Folder>,
}

impl Tree {
    fn file(&mut self, file: &Path, folder: Folder) {
        if !self.seen.insert(file.to_owned()) {
            return;
        }
        let Ok(text) = std::fs::read_to_string(file) else { return };
        let parsed = super::parse::file(&text);
        self.files.push(ModuleFile { file: file.to_owned(), module: self.module.clone(), text });
        if let Ok(parsed) = parsed {
            let before = self.folder.replace(folder);
            self.visit_file(&parsed);
            self.folder = before;
        }
    }

    /// The files that `mod name;` may mean, and where each one's modules are.
    fn candidates(&self, item: &syn::ItemMod, folder: &Folder) -> Vec<(PathBuf, Folder)> {
        let mut found = Vec::new();
        let named = path_attribute(&item.attrs);
        let is_named = named.is_some();
        for path in named.into_iter().chain(conditional_paths(&item.attrs)) {
            let file = folder.own.join(path);
            let own = file.parent().unwrap_or(Path::new("")).to_owned();
            found.push((file, Folder { children: own.clone(), own }));
        }
        if is_named {
            return found;
        }
        let name = item.ident.to_string();
        let name = name.trim_start_matches("r#");
        let inside = folder.children.join(name);
        let beside = folder.children.join(format!("{name}.rs"));
        if beside.is_file() {
            found.push((beside, Folder { own: folder.children.clone(), children: inside }));
        } else {
            found.push((inside.join("mod.rs"), Folder { own: inside.clone(), children: inside }));
        }
        found
    }
}

impl<'ast> Visit<'ast> for Tree {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let Some(folder) = self.folder.clone() else { return };
        self.module.push(bare(&item.ident));
        match &item.content {
            Some((_, items)) => {
                let name = item.ident.to_string();
                let name = name.trim_start_matches("r#").to_string();
                let inner = match path_attribute(&item.attrs) {
                    Some(path) => folder.own.join(path),
                    None => folder.children.join(name),
                };
                self.folder = Some(Folder { own: inner.clone(), children: inner });
                items.iter().for_each(|i| self.visit_item(i));
                self.folder = Some(folder);
            }
            None => {
                for (file, folder) in self.candidates(item, &folder) {
                    self.file(&file, folder);
                }
            }
        }
        self.module.pop();
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        // `cfg_if!` and its like: groups of items in braces.
        if item.mac.path.is_ident("macro_rules") {
            return;
        }
        if let Ok(file) = syn::parse2::<syn::File>(item.mac.tokens.clone()) {
            return self.visit_file(&file);
        }
        for tree in item.mac.tokens.clone() {
            if let TokenTree::Group(group) = tree
                && group.delimiter() == Delimiter::Brace
                && let Ok(file) = syn::parse2::<syn::File>(group.stream())
            {
                self.visit_file(&file);
            }
        }
    }

    // Files of modules inside of functions are looked for elsewhere; they are not followed.
    fn visit_block(&mut self, _: &'ast syn::Block) {}
    fn visit_expr(&mut self, _: &'ast syn::Expr) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
}

/// The values of `#[cfg_attr(condition, path = "…")]`.
fn conditional_paths(attributes: &[syn::Attribute]) -> Vec<String> {
    let mut paths = Vec::new();
    for attribute in attributes.iter().filter(|a| a.path().is_ident("cfg_attr")) {
        let list = syn::punctuated::Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated;
        let Ok(metas) = attribute.parse_args_with(list) else { continue };
        for meta in metas.iter().skip(1) {
            if let syn::Meta::NameValue(syn::MetaNameValue { path, value: syn::Expr::Lit(e), .. }) = meta
                && path.is_ident("path")
                && let syn::Lit::Str(s) = &e.lit
            {
                paths.push(s.value());
            }
        }
    }
    paths
}
