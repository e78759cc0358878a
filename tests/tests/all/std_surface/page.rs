//! Reading what rustdoc wrote about one item: its declaration, its methods, its traits. Only text that stands in
//! elements of rustdoc's own making is looked at; what people wrote about the item is not.

use std::collections::{BTreeMap, BTreeSet};

/// What a page is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kind {
    Struct,
    Enum,
    Union,
    Trait,
    Fn,
    Constant,
    Static,
    Type,
    Macro,
}

/// One public item.
#[derive(Debug)]
pub struct Item {
    /// What it is.
    pub kind: Kind,
    /// Its first lines, as [`normal`] writes them.
    pub declaration: String,
    /// Only a nightly compiler accepts it, and only where it is asked for.
    pub unstable: bool,
    /// The compiler's documentation knows its source.
    pub is_std_own: bool,
    /// By the type they are for and their name.
    pub methods: BTreeMap<(String, String), Method>,
    /// Traits, with what they ask for.
    pub traits: BTreeSet<String>,
}

/// A method that is no trait's.
#[derive(Debug)]
pub struct Method {
    /// See [`normal`].
    pub signature: String,
    /// See [`Item`].
    pub unstable: bool,
}

impl Kind {
    /// By the first part of the page's file name.
    pub fn of(name: &str) -> Option<Kind> {
        Some(match name {
            "struct" => Kind::Struct,
            "enum" => Kind::Enum,
            "union" => Kind::Union,
            "trait" => Kind::Trait,
            "fn" => Kind::Fn,
            "constant" => Kind::Constant,
            "static" => Kind::Static,
            "type" => Kind::Type,
            "macro" => Kind::Macro,
            _ => return None,
        })
    }
}

/// The text between these two, and what follows.
fn between<'a>(text: &'a str, from: &str, to: &str) -> Option<(&'a str, &'a str)> {
    let (_, rest) = text.split_once(from)?;
    rest.split_once(to)
}

/// The text of some HTML.
fn text(html: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for c in html.chars() {
        match c {
            '<' => inside = true,
            '>' if inside => inside = false,
            _ if !inside => text.push(c),
            _ => {}
        }
    }
    for (entity, c) in
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&"), ("ⓘ", "")]
    {
        text = text.replace(entity, c);
    }
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.replace(">where ", "> where ").replace(")where ", ") where ")
}

/// A declaration without what may differ between two that mean the same: names of lifetimes and of parameters, the
/// order of bounds, and `?Sized` beside a bound that implies the opposite or where it is implied.
pub fn normal(declaration: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    let mut chars = declaration.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_alphanumeric() || c == '_' || c == '\'' {
            word.push(c);
            continue;
        }
        // A parameter: its name goes, as its place is known.
        let named = c == ':' && chars.peek() == Some(&' ') && (out.ends_with('(') || out.ends_with(", "));
        if named && !word.starts_with(char::is_uppercase) {
            chars.next();
            word.clear();
            continue;
        }
        push(&mut out, &mut word);
        out.push(c);
    }
    push(&mut out, &mut word);
    let out = out
        .replace("'_, ", "")
        .replace("<'_>", "")
        .replace("( ", "(")
        .replace(", )", ")")
        .replace(" + ?Sized", "")
        .replace("?Sized + ", "");
    match out.split_once(" where ") {
        None => out,
        Some((head, bounds)) => {
            let mut bounds: Vec<_> = bounds.split(", ").map(|b| b.trim_end_matches(',')).collect();
            bounds.retain(|bound| !bound.is_empty() && !bound.ends_with(": ?Sized"));
            bounds.sort_unstable();
            format!("{head} where {}", bounds.join(", ")).trim_end_matches(" where ").to_owned()
        }
    }
}

fn push(out: &mut String, word: &mut String) {
    out.push_str(if word.starts_with('\'') && *word != "'static" { "'_" } else { word });
    word.clear();
}

/// Traits that say nothing to a program on a stable compiler, and `Drop`, which may be a field's.
const SILENT: [&str; 4] = ["Freeze", "!Freeze", "UnsafeUnpin", "Drop"];

impl Item {
    /// Reads a page.
    pub fn read(kind: Kind, html: &str) -> Item {
        let head = html.split_once("<details class=\"toggle top-doc\"").map_or(html, |(head, _)| head);
        let head = head.split_once("id=\"implementations\"").map_or(head, |(head, _)| head);
        let declaration = between(head, "<pre class=\"rust item-decl\">", "</pre>").map_or("", |(it, _)| it);
        let above = head.split_once("<pre class=\"rust item-decl\">").map_or("", |(above, _)| above);
        let mut item = Item {
            kind,
            declaration: normal(&text(declaration)),
            unstable: head.contains("class=\"stab unstable\""),
            is_std_own: above.contains("https://doc.rust-lang.org/"),
            methods: BTreeMap::new(),
            traits: BTreeSet::new(),
        };
        item.read_impls(html);
        item
    }

    fn read_impls(&mut self, html: &str) {
        let html = html.split_once("id=\"blanket-implementations\"").map_or(html, |(own, _)| own);
        let mut of = None;
        let mut rest = html;
        while let Some((_, after)) = rest.split_once("<section id=\"") {
            let Some((id, after)) = after.split_once("\" class=\"") else { break };
            let Some((class, after)) = after.split_once("\">") else { break };
            if !class.starts_with("impl") && !class.starts_with("method") {
                rest = after;
                continue;
            }
            let Some((section, after)) = after.split_once("</section>") else { break };
            rest = after;
            let header = between(section, "class=\"code-header\">", "</h").map_or("", |(it, _)| it);
            // What `Deref` gives belongs to another type.
            let borrowed = id.starts_with("method.") && !section.contains(&format!("href=\"#{id}\""));
            let header = text(header);
            let unstable = after.starts_with("<span class=\"item-info\">")
                && after.split_once("</summary>").is_some_and(|(info, _)| info.contains("stab unstable"));
            if class.starts_with("impl") {
                of = self.read_impl(&header);
            } else if let (true, Some(of), false) = (class.starts_with("method"), &of, borrowed) {
                let name = header.split_once("fn ").map_or("", |(_, rest)| rest);
                let name: String = name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                let method = Method { signature: normal(&header), unstable };
                self.methods.insert((of.clone(), name), method);
            }
        }
    }

    /// Notes a trait; or says which type an `impl` without one is for.
    fn read_impl(&mut self, header: &str) -> Option<String> {
        // The parameters of the `impl` are told by what uses them.
        let mut depth = 0;
        let start = header.find("impl").map_or(0, |at| at + "impl".len());
        let end = header[start..].char_indices().find_map(|(at, c)| {
            depth += i32::from(c == '<') - i32::from(c == '>' && !header[..start + at].ends_with('-'));
            (depth == 0).then_some(start + at + c.len_utf8())
        });
        let rest = normal(header[end.unwrap_or(start)..].trim());
        match rest.split_once(" for ") {
            Some((name, _)) if SILENT.contains(&name) => None,
            Some(_) => {
                self.traits.insert(rest);
                None
            }
            None => Some(rest),
        }
    }
}
