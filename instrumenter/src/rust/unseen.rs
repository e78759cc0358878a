//! What code of the program does to memory without hooks: by functions of libc that it names, and in assembly. Both are
//! found in the text, whoever uses them there: macros and their rules as well.
//!
//! Where several crates have the same name of a function or file, they are told once.

use super::parts::Parts;
use super::watch::output;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Macros that are assembly.
const ASSEMBLY: [&str; 3] = ["asm", "global_asm", "naked_asm"];

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unseen {
    /// Names of foreign functions, and what is named as an item of the crate `libc`.
    pub functions: BTreeSet<String>,
    /// Functions of the crates themselves that others can call by these names.
    pub own: BTreeSet<String>,
    /// Files and lines of assembly that may touch memory.
    pub assembly: BTreeSet<String>,
    /// They take the locks of std's standard streams, or do something else than writing while std has one.
    pub streams: bool,
}

/// What gives std's standard streams.
const STREAMS: [&str; 3] = ["stdin", "stdout", "stderr"];

/// Methods that may be steps. Where `Display` or its like has one, it is called by who prints, under the stream's lock.
const STEPS: [&str; 15] = [
    "fetch_add",
    "fetch_sub",
    "join",
    "load",
    "lock",
    "read",
    "recv",
    "send",
    "store",
    "swap",
    "try_lock",
    "try_read",
    "try_write",
    "wait",
    "write",
];

impl Unseen {
    /// Adds what is in the text of this file.
    pub(super) fn look(&mut self, file: &Path, text: &str) {
        // One that cannot be read is not compiled either.
        let Ok(tokens) = text.parse::<TokenStream>() else { return };
        let mut calls_by_name = false;
        self.among(file, tokens.clone(), &mut calls_by_name);
        if calls_by_name {
            self.called(tokens);
        }
    }

    /// `all`: everything of the crate `libc` is named without it.
    fn among(&mut self, file: &Path, tokens: TokenStream, all: &mut bool) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        for (i, tree) in trees.iter().enumerate() {
            let after = |n: usize| trees.get(i + n);
            match tree {
                TokenTree::Ident(word) if ASSEMBLY.iter().any(|name| word == name) && is(after(1), '!') => {
                    let Some(TokenTree::Group(given)) = after(2) else { continue };
                    if !names(given.stream(), "nomem") {
                        self.assembly.insert(format!("{}:{}", file.display(), word.span().start().line));
                    }
                }
                TokenTree::Ident(word) if word == "extern" => {
                    let abi = matches!(after(1), Some(TokenTree::Literal(_)));
                    match after(1 + usize::from(abi)) {
                        Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Brace => self.foreign(g),
                        _ => {}
                    }
                }
                TokenTree::Ident(word) if STREAMS.iter().any(|name| word == name) => {
                    self.streams |= matches!(after(1), Some(TokenTree::Group(g)) if g.stream().is_empty());
                }
                TokenTree::Ident(word) if word == "fn" && is_word(after(1), "fmt") => {
                    let is_body = |t: &&TokenTree| matches!(t, TokenTree::Group(g) if g.delimiter() == Delimiter::Brace);
                    let body = trees[i..].iter().find(is_body).cloned();
                    self.streams |= STEPS.iter().any(|step| has_method(body.iter().cloned().collect(), step));
                }
                TokenTree::Ident(word) if word == "libc" && is_word(after(1), "as") => *all = true,
                TokenTree::Punct(hash) if hash.as_char() == '#' => {
                    if let Some(TokenTree::Group(attribute)) = after(1) {
                        self.own.extend(given_name(attribute.stream(), &trees[i + 2..]));
                    }
                }
                TokenTree::Ident(word) if word == "libc" && is(after(1), ':') && is(after(2), ':') => {
                    match after(3) {
                        Some(TokenTree::Ident(item)) => drop(self.functions.insert(item.to_string())),
                        Some(TokenTree::Group(items)) => {
                            *all |= items.stream().into_iter().any(|t| is(Some(&t), '*'));
                            self.items(items.stream());
                        }
                        star => *all |= is(star, '*'),
                    }
                }
                _ => {}
            }
            if let TokenTree::Group(group) = tree {
                self.among(file, group.stream(), all);
            }
        }
    }

    /// The functions that a foreign block declares, by the names that they are linked by.
    fn foreign(&mut self, block: &Group) {
        let trees: Vec<TokenTree> = block.stream().into_iter().collect();
        for two in trees.windows(2) {
            match two {
                [TokenTree::Ident(word), TokenTree::Ident(name)] if word == "fn" => {
                    self.functions.insert(name.to_string());
                }
                [TokenTree::Punct(hash), TokenTree::Group(attribute)] if hash.as_char() == '#' => {
                    let mut tokens = attribute.stream().into_iter();
                    if matches!(tokens.next(), Some(TokenTree::Ident(word)) if word == "link_name")
                        && let Some(TokenTree::Literal(name)) = tokens.nth(1)
                    {
                        self.functions.insert(name.to_string().trim_matches('"').to_string());
                    }
                }
                _ => {}
            }
        }
    }

    fn items(&mut self, tokens: TokenStream) {
        for tree in tokens {
            match tree {
                TokenTree::Ident(item) => drop(self.functions.insert(item.to_string())),
                TokenTree::Group(group) => self.items(group.stream()),
                _ => {}
            }
        }
    }

    /// Everything that is called.
    fn called(&mut self, tokens: TokenStream) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        for (i, tree) in trees.iter().enumerate() {
            match (tree, trees.get(i + 1)) {
                (TokenTree::Ident(name), Some(TokenTree::Group(g)))
                    if g.delimiter() == Delimiter::Parenthesis =>
                {
                    self.functions.insert(name.to_string());
                }
                (TokenTree::Group(group), _) => self.called(group.stream()),
                _ => {}
            }
        }
    }
}

/// The name that the linker knows an item by, if this is an attribute that says so and the rest is the item.
fn given_name(attribute: TokenStream, rest: &[TokenTree]) -> Option<String> {
    if names(attribute.clone(), "export_name") {
        return literal(attribute);
    }
    if !names(attribute, "no_mangle") {
        return None;
    }
    let head =
        rest.split(|t| matches!(t, TokenTree::Group(g) if g.delimiter() == Delimiter::Brace)).next()?;
    head.windows(2).find(|two| is_word(Some(&two[0]), "fn")).map(|two| two[1].to_string())
}

/// The text among these tokens.
fn literal(tokens: TokenStream) -> Option<String> {
    tokens.into_iter().find_map(|tree| match tree {
        TokenTree::Literal(text) => Some(text.to_string().trim_matches('"').to_string()),
        TokenTree::Group(group) => literal(group.stream()),
        _ => None,
    })
}

fn is_word(tree: Option<&TokenTree>, word: &str) -> bool {
    matches!(tree, Some(TokenTree::Ident(i)) if i == word)
}

fn is(tree: Option<&TokenTree>, c: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(p)) if p.as_char() == c)
}

/// Is this word among the tokens?
fn names(tokens: TokenStream, what: &str) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Ident(word) => word == what,
        TokenTree::Group(group) => names(group.stream(), what),
        _ => false,
    })
}

/// Is a method of this name called among the tokens?
fn has_method(tokens: TokenStream, name: &str) -> bool {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let is_here = trees.windows(2).any(|two| is(Some(&two[0]), '.') && is_word(Some(&two[1]), name));
    is_here || trees.iter().any(|tree| matches!(tree, TokenTree::Group(g) if has_method(g.stream(), name)))
}

/// Where it is noted what crates have, in a build that keeps its records there.
fn notes(records: &Path) -> PathBuf {
    records.with_extension("unseen")
}

/// Notes what the crate has that is compiled with these arguments.
pub(super) fn note(records: &Path, args: &[OsString], found: &Unseen) -> std::io::Result<()> {
    let note = notes(records).join(output(args).unwrap_or_else(|| "unnamed".into()));
    if *found == Unseen::default() {
        return if note.exists() { fs::remove_file(note) } else { Ok(()) };
    }
    let functions = found.functions.iter().map(|name| format!("f {name}\n"));
    let own = found.own.iter().map(|name| format!("o {name}\n"));
    let assembly = found.assembly.iter().map(|place| format!("a {place}\n"));
    let streams = found.streams.then(|| "s streams\n".to_string());
    fs::create_dir_all(notes(records))?;
    fs::write(note, functions.chain(own).chain(assembly).chain(streams).collect::<String>())
}

/// What the crates of the program have. Where these are not known, all that were ever built count.
pub fn noted(records: &Path, parts: Option<&Parts>) -> Unseen {
    let mut found = Unseen::default();
    let notes = fs::read_dir(notes(records)).into_iter().flatten().flatten();
    for note in notes.filter(|note| parts.is_none_or(|parts| parts.outputs.contains(&note.file_name()))) {
        let text = fs::read_to_string(note.path()).unwrap_or_default();
        for line in text.lines() {
            match line.split_once(' ') {
                Some(("f", name)) => found.functions.insert(name.to_string()),
                Some(("o", name)) => found.own.insert(name.to_string()),
                Some(("a", place)) => found.assembly.insert(place.to_string()),
                Some(("s", _)) => {
                    found.streams = true;
                    true
                }
                _ => false,
            };
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(text: &str) -> Unseen {
        let mut found = Unseen::default();
        found.look(Path::new("src/lib.rs"), text);
        found
    }

    fn functions(text: &str) -> Vec<String> {
        look(text).functions.into_iter().collect()
    }

    #[test]
    fn foreign_functions_are_found_by_the_names_they_are_linked_by() {
        assert_eq!(
            functions("unsafe extern \"C\" { fn memset(p: *mut u8); fn strlen(p: *const u8); }"),
            ["memset", "strlen"]
        );
        assert_eq!(
            functions("mod m { extern { #[link_name = \"bzero\"] fn clear(p: *mut u8); } }"),
            ["bzero", "clear"]
        );
        assert_eq!(functions("macro_rules! m { () => { extern \"C\" { fn puts(); } } }"), ["puts"]);
        assert!(
            functions("extern crate alloc; extern \"C\" fn mine() {} type F = extern \"C\" fn();").is_empty()
        );
    }

    #[test]
    fn what_is_named_of_libc_is_found() {
        assert_eq!(functions("fn f() { unsafe { libc::memset(p, 0, 1) }; }"), ["memset"]);
        assert_eq!(functions("use libc::{c_int, strlen};"), ["c_int", "strlen"]);
        assert_eq!(functions("use libc::*; fn f() { strlen(p); x.len }"), ["f", "strlen"]);
        assert_eq!(functions("use libc as c; fn f() { c::read(p) }"), ["f", "read"]);
    }

    #[test]
    fn functions_of_the_crates_own_are_found_by_the_names_they_give() {
        let own = |text: &str| look(text).own.into_iter().collect::<Vec<_>>();
        assert_eq!(own("#[unsafe(no_mangle)] pub unsafe extern \"C\" fn mine(n: i32) { f() }"), ["mine"]);
        assert_eq!(own("#[no_mangle] #[inline] fn mine() {} fn other() {}"), ["mine"]);
        assert_eq!(own("#[unsafe(export_name = \"named\")] fn mine() {}"), ["named"]);
        assert!(own("#[inline] fn mine() {} extern { fn theirs(); }").is_empty());
    }

    #[test]
    fn locks_of_standard_streams_are_found() {
        assert!(look("fn f() { let held = std::io::stdout().lock(); }").streams);
        assert!(look("use std::io::stderr; mod m { fn f() { writeln!(super::stderr(), \"\") } }").streams);
        assert!(look("impl Display for A { fn fmt(&self, f: &mut Formatter<'_>) -> Result { self.0.lock(); Ok(()) } }").streams);
        assert!(!look("impl Display for A { fn fmt(&self, f: &mut Formatter) -> Result { write!(f, \"{}\", self.0) } }").streams);
        assert!(!look("fn f() { println!(\"\"); child.stdout.take(); m.lock(); }").streams);
    }

    #[test]
    fn assembly_is_found_unless_it_touches_no_memory() {
        let found = look("fn f() {\n    unsafe { std::arch::asm!(\"mov [{}], 1\", in(reg) p) }\n}");
        assert_eq!(found.assembly.into_iter().collect::<Vec<_>>(), ["src/lib.rs:2"]);
        assert!(look("fn f() { asm!(\"pause\", options(nomem, nostack)) }").assembly.is_empty());
        assert_eq!(look("global_asm!(\"nop\");").assembly.len(), 1);
    }
}
