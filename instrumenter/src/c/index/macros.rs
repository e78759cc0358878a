//! What stands behind the macros of a file: the file's own preprocessor expands each place that may be one, as it is written
//! ([`Uses::question`]), and the calls in what comes back are read as those of a file are ([`Uses::read`]).
//!
//! A macro means at a place what it means at the end of the file, unless the file itself says otherwise in between: names that
//! it takes back or defines more than once are left out.

use super::{declarations, names, sites};
use std::collections::BTreeMap;
use std::path::Path;
use tree_sitter::{Node, Tree};

/// Longest text of a place that is asked about.
const LONGEST: usize = 4_096;

/// The places of a file that may be uses of macros.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    uses: Vec<Use>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Use {
    line: u32,
    column: u32,
    /// With its arguments, on one line.
    text: String,
}

/// What stands behind one use of a macro.
pub struct Behind {
    /// Where it is used, from 1.
    pub line: u32,
    /// In bytes, from 1.
    pub column: u32,
    tree: Tree,
    text: String,
}

/// An object as it is written behind a macro, and the variable that this starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The name.
    pub name: String,
    /// The variable, where it starts from one.
    pub root: Option<String>,
    /// It leads through a field.
    pub field: bool,
}

impl Uses {
    /// Of a file of C or C++.
    pub fn find(text: &str) -> Uses {
        let words = words(text);
        let mut defined: BTreeMap<&str, u32> = BTreeMap::new();
        for w in words.iter().filter(|w| w.names) {
            // What is taken back counts as defined twice.
            *defined.entry(w.text).or_default() += if w.taken_back { 2 } else { 1 };
        }
        let once = |name: &str| defined.get(name).is_none_or(|n| *n < 2);
        let all = words.iter().filter(|w| !w.directive && once(w.text));
        let uses = all.filter_map(|w| {
            let called = arguments(&text[w.end..]);
            if called.is_none() && !is_loud(w.text) {
                return None;
            }
            let whole = format!("{}{}", w.text, called.unwrap_or_default());
            let whole = whole.split(['\n', '\r']).collect::<Vec<_>>().join(" ");
            (whole.len() <= LONGEST).then_some(Use { line: w.line, column: w.column, text: whole })
        });
        Uses { uses: uses.collect() }
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.uses.is_empty()
    }

    /// What a preprocessor is given that knows the file's macros.
    pub fn question(&self) -> String {
        let mut out = String::new();
        for (n, used) in self.uses.iter().enumerate() {
            out += &format!("\n{MARK}{n} {}\n", used.text);
        }
        out
    }

    /// What stands behind the uses, from what preprocessors made of the question, one for each way in which the file was
    /// compiled: only where they agree.
    pub fn read(&self, file: &Path, answers: &[String]) -> Vec<Behind> {
        let all: Vec<BTreeMap<usize, String>> = answers.iter().map(|a| parts(a)).collect();
        let Some((first, others)) = all.split_first() else { return Vec::new() };
        let found = self.uses.iter().enumerate().filter_map(|(n, used)| {
            let text = first.get(&n)?;
            let is_macro = !text.split_whitespace().eq(used.text.split_whitespace());
            if !is_macro || !others.iter().all(|other| other.get(&n) == Some(text)) {
                return None;
            }
            // As a statement it is parsed, whatever it is.
            let text = format!("void raddle(void) {{ {text} ; }}");
            let tree = super::parse(file, &text)?;
            Some(Behind { line: used.line, column: used.column, tree, text })
        });
        found.collect()
    }
}

impl Behind {
    /// The one object of all operations of these kinds (`sites`) in it.
    pub fn object(&self, kinds: &[&str]) -> Option<Written> {
        let argument = |call: Node, called: &str| {
            let site = sites::function(called).filter(|site| kinds.contains(&site.kind))?;
            Some(self.argument(call, site.object?))
        };
        self.only(argument)
    }

    /// What all calls of a function in it pass as this argument.
    pub fn passed(&self, function: &str, number: usize) -> Option<Written> {
        self.only(|call, called| (called == function).then(|| self.argument(call, number)))
    }

    fn only(&self, of: impl Fn(Node, &str) -> Option<Option<Written>>) -> Option<Written> {
        let mut found: Vec<Option<Written>> = Vec::new();
        each(self.tree.root_node(), &mut |node| {
            let called = node.child_by_field_name("function").filter(|_| node.kind() == "call_expression");
            found.extend(called.and_then(|called| of(node, &self.text[called.byte_range()])));
        });
        let first = found.first()?.clone()?;
        found.iter().all(|w| w.as_ref() == Some(&first)).then_some(first)
    }

    fn argument(&self, call: Node, number: usize) -> Option<Written> {
        let argument = call.child_by_field_name("arguments")?.named_child(number)?;
        let written = self.written(argument, 0)?;
        (!written.name.is_empty() && !written.name.contains('…')).then_some(written)
    }

    /// A variable of the macro's own is what it was made of.
    fn written(&self, node: Node, depth: u32) -> Option<Written> {
        let name = names::name(node, &self.text);
        let root = names::root(node, &self.text);
        let field = name.contains(['.', '>']);
        let own = root.and_then(|root| Some((root, self.own(root)?)));
        let Some((root, value)) = own else {
            return Some(Written { name, root: root.map(str::to_string), field });
        };
        let begins = value.filter(|_| depth < 4)?;
        let is_address = self.text[begins.byte_range()].trim_start_matches(['(', ' ']).starts_with('&');
        let value = self.written(begins, depth + 1)?;
        let name = match name.strip_prefix(root)? {
            "" => value.name,
            // Through a pointer to `x`, a field of `x`.
            rest if rest.starts_with("->") && is_address => format!("{}.{}", value.name, &rest[2..]),
            rest if rest.starts_with("->") => format!("{}{rest}", value.name),
            _ => return None,
        };
        Some(Written { name, root: value.root, field: field || value.field })
    }

    /// What a variable that is declared in it begins as; `Some(None)` if that is not known.
    fn own(&self, name: &str) -> Option<Option<Node<'_>>> {
        let mut found = None;
        each(self.tree.root_node(), &mut |node| {
            if node.kind() != "declaration" {
                return;
            }
            let mut cursor = node.walk();
            for declarator in node.children_by_field_name("declarator", &mut cursor) {
                let declared = declarations::declared(declarator);
                if declared.is_some_and(|d| &self.text[d.byte_range()] == name) {
                    let again = found.is_some();
                    found = Some(declarator.child_by_field_name("value").filter(|_| !again));
                }
            }
        });
        // One that gets another value is not what it began as.
        each(self.tree.root_node(), &mut |node| {
            let target = match node.kind() {
                "assignment_expression" => node.child_by_field_name("left"),
                "update_expression" => node.child_by_field_name("argument"),
                _ => None,
            };
            if found.is_some() && target.is_some_and(|t| &self.text[t.byte_range()] == name) {
                found = Some(None);
            }
        });
        found
    }
}

const MARK: &str = "__raddle_use_";

/// The texts behind the marks.
fn parts(answer: &str) -> BTreeMap<usize, String> {
    let mut out = BTreeMap::new();
    for part in answer.split(MARK).skip(1) {
        let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        if let Ok(n) = part[..end].parse() {
            let text: Vec<&str> = part[end..].lines().filter(|l| !l.starts_with('#')).collect();
            out.insert(n, text.join(" ").trim().to_string());
        }
    }
    out
}

fn each<'t>(node: Node<'t>, see: &mut dyn FnMut(Node<'t>)) {
    see(node);
    let mut cursor = node.walk();
    let children: Vec<Node> = node.named_children(&mut cursor).collect();
    children.into_iter().for_each(|child| each(child, see));
}

/// May an operation at this word be one behind a macro, which nobody could expand? In C what is called there is one, if it is
/// none of the functions that synchronise: what another function does has its own place.
pub fn may_be_use(word: &str, after: &str, is_c: bool) -> bool {
    const KEYWORDS: [&str; 6] = ["if", "while", "for", "switch", "return", "sizeof"];
    let called = || after.trim_start().starts_with('(') && !KEYWORDS.contains(&word);
    is_loud(word) || (is_c && called() && sites::function(word).is_none())
}

/// Is it written as macros mostly are?
pub fn is_loud(word: &str) -> bool {
    word.chars().any(|c| c.is_ascii_uppercase()) && !word.chars().any(|c| c.is_ascii_lowercase())
}

/// A word of a file.
struct Word<'t> {
    text: &'t str,
    line: u32,
    column: u32,
    /// Byte behind it.
    end: usize,
    /// It stands in a directive.
    directive: bool,
    /// It is what a `#define` or `#undef` names.
    names: bool,
    taken_back: bool,
}

/// The words of a file that are no part of comments and literals.
fn words(text: &str) -> Vec<Word<'_>> {
    let bytes = text.as_bytes();
    let mut out: Vec<Word> = Vec::new();
    let (mut i, mut line, mut start) = (0, 1, 0);
    // In a directive: its words so far.
    let mut directive: Option<usize> = None;
    let mut blank = true;
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || !b.is_ascii();
    while i < bytes.len() {
        let rest = &bytes[i..];
        let skipped = skip(rest);
        if skipped > 0 {
            for (n, _) in rest[..skipped].iter().enumerate().filter(|(_, b)| **b == b'\n') {
                (line, start) = (line + 1, i + n + 1);
            }
            i += skipped;
            continue;
        }
        match rest[0] {
            b'\\' if rest.get(1) == Some(&b'\n') => {
                (line, start) = (line + 1, i + 2);
                i += 2;
                continue;
            }
            b'\n' => {
                (line, start, directive, blank) = (line + 1, i + 1, None, true);
            }
            b'#' if blank => (directive, blank) = (Some(0), false),
            b if b.is_ascii_whitespace() => {}
            b if is_word(b) => {
                let len = rest.iter().position(|b| !is_word(*b)).unwrap_or(rest.len());
                let word = &text[i..i + len];
                if !b.is_ascii_digit() {
                    let before = out.last().map(|w| w.text).filter(|_| directive == Some(1));
                    let names = matches!(before, Some("define" | "undef"));
                    out.push(Word {
                        text: word,
                        line,
                        column: (i - start) as u32 + 1,
                        end: i + len,
                        directive: directive.is_some(),
                        names,
                        taken_back: before == Some("undef"),
                    });
                    directive = directive.map(|n| n + 1);
                }
                blank = false;
                i += len;
                continue;
            }
            _ => blank = false,
        }
        i += 1;
    }
    out
}

/// How long the comment or literal is that begins here; 0 for none.
fn skip(rest: &[u8]) -> usize {
    let find = |what: &[u8]| memchr::memmem::find(rest, what);
    match (rest[0], rest.get(1)) {
        (b'/', Some(b'/')) => find(b"\n").unwrap_or(rest.len()),
        (b'/', Some(b'*')) => memchr::memmem::find(&rest[2..], b"*/").map_or(rest.len(), |n| n + 4),
        (quote @ (b'"' | b'\''), _) => {
            let mut i = 1;
            while i < rest.len() && rest[i] != quote && rest[i] != b'\n' {
                i += 1 + usize::from(rest[i] == b'\\');
            }
            (i + 1).min(rest.len())
        }
        _ => 0,
    }
}

/// The arguments in parentheses that follow, with what is between.
fn arguments(rest: &str) -> Option<&str> {
    let bytes = rest.as_bytes();
    let open = bytes.iter().position(|b| !b.is_ascii_whitespace()).filter(|n| bytes[*n] == b'(')?;
    let (mut i, mut depth) = (open, 0);
    while i < bytes.len() && i < LONGEST {
        let skipped = skip(&bytes[i..]);
        if skipped > 0 {
            i += skipped;
            continue;
        }
        match bytes[i] {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(&rest[..=i]),
            b')' => depth -= 1,
            b'#' => return None,
            _ => {}
        }
        i += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "#define LOCK(m) pthread_mutex_lock(m)
#define ONCE 1
#undef ONCE
void f(struct q *q) {
    LOCK(&q->lock); /* LOCK(no) */ ENTER();
    call(\"LOCK(x)\", LOCK(
        b)); ONCE;
}
";

    fn behind(answers: &[&str], used: &str) -> Vec<Behind> {
        let answers: Vec<String> = answers.iter().map(|a| format!("{MARK}0 {a}\n")).collect();
        Uses::find(used).read(Path::new("a.c"), &answers)
    }

    fn name(answer: &str) -> Option<String> {
        behind(&[answer], "LOCK(q);").first()?.object(&["lock"]).map(|w| w.name)
    }

    #[test]
    fn places_that_may_be_uses() {
        let all: Vec<(u32, u32, String)> =
            Uses::find(TEXT).uses.into_iter().map(|u| (u.line, u.column, u.text)).collect();
        let want = [
            (4, 6, "f(struct q *q)"),
            (5, 5, "LOCK(&q->lock)"),
            (5, 36, "ENTER()"),
            (6, 5, "call(\"LOCK(x)\", LOCK(         b))"),
            (6, 21, "LOCK(         b)"),
        ];
        assert_eq!(all, want.map(|(line, column, text)| (line, column, text.to_string())));
    }

    #[test]
    fn the_object_behind() {
        assert_eq!(name("pthread_mutex_lock((&q->lock))").as_deref(), Some("q->lock"));
        assert_eq!(name("do { pthread_mutex_lock(&g.lock); n++; } while (0)").as_deref(), Some("g.lock"));
        assert_eq!(
            name("do { struct q *_q = (all + 1), *_p = (q); pthread_mutex_lock(&_p->lock); } while (0)")
                .as_deref(),
            Some("q->lock"),
            "a variable of its own"
        );
        assert_eq!(name("{ T *m = p; m = q; pthread_mutex_lock(m); }"), None, "it has had another value");
        assert_eq!(name("pthread_mutex_lock(a), pthread_mutex_lock(b)"), None, "two");
        assert_eq!(name("pthread_mutex_lock(a), pthread_mutex_lock(a)").as_deref(), Some("a"));
        assert_eq!(name("pthread_mutex_unlock(a)"), None, "another kind");
        assert_eq!(name("LOCK(q)"), None, "no macro");
    }

    #[test]
    fn variables_of_its_own() {
        let to_field = "({ struct q *p = &(all[0]); pthread_mutex_lock(&p->lock); })";
        assert_eq!(name(to_field).as_deref(), Some("all[0].lock"));
        let through = "({ struct q *p = (all); struct q *r = p; pthread_mutex_lock(&r->lock); })";
        assert_eq!(name(through).as_deref(), Some("all->lock"));
    }

    #[test]
    fn files_compiled_in_several_ways() {
        let first = "pthread_mutex_lock(&q->lock)";
        assert_eq!(behind(&[first, first], "LOCK(q);").len(), 1);
        assert_eq!(behind(&[first, "pthread_mutex_lock(&other)"], "LOCK(q);").len(), 0);
        assert_eq!(behind(&[], "LOCK(q);").len(), 0, "not known");
    }

    #[test]
    fn what_is_passed_on() {
        let all = behind(&["q_lock(&(q)->lock, 1)"], "LOCK(q);");
        let passed = |f, n| all[0].passed(f, n).map(|w| (w.name, w.root, w.field));
        assert_eq!(passed("q_lock", 0), Some(("q->lock".into(), Some("q".into()), true)));
        assert_eq!(passed("q_lock", 2), None);
        assert_eq!(passed("other", 0), None);
    }
}
