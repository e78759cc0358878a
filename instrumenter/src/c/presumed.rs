//! `#line 7 "gen.y"` and `# 7 "gen.y"`: what follows is presumed to be elsewhere, and that is where
//! debug information says it is. So what was inserted there is recorded for that file and line.

use crate::edits::Columns;
use std::collections::BTreeMap;
use std::path::Path;

/// Files by the names that directives give them; `None` is the file itself.
pub(super) type Files = BTreeMap<Option<String>, Columns>;

/// The shifts of a file's columns by presumed file and line; `None` without any directive. `own` is
/// what the compiler was told to compile.
pub(super) fn by_file(text: &str, columns: &Columns, own: &Path) -> Option<Files> {
    let mut lines = presumed(text)?;
    for (name, _) in lines.iter_mut().flatten() {
        name.take_if(|name| Path::new(name) == own);
    }
    let mut names: Vec<&Option<String>> = lines.iter().flatten().map(|(name, _)| name).collect();
    names.sort();
    names.dedup();
    let of = |name: &Option<String>| {
        columns.moved(|line| {
            let (file, line) = lines.get(line as usize - 1)?.as_ref()?;
            (file == name).then_some(*line)
        })
    };
    Some(names.into_iter().map(|name| (name.clone(), of(name))).collect())
}

/// Where each line is presumed to be; `None` for one behind a directive that only the preprocessor
/// can read.
type Lines = Vec<Option<(Option<String>, u32)>>;

fn presumed(text: &str) -> Option<Lines> {
    let mut lines = Lines::new();
    let mut next = Some((None, 1));
    let (mut found, mut inside, mut continued) = (false, false, false);
    for line in text.lines() {
        lines.push(next.clone());
        next = next.map(|(file, n): (Option<String>, u32)| (file, n.saturating_add(1)));
        if let Some(said) = directive(line).filter(|_| !inside && !continued) {
            found = true;
            let same = next.take().or_else(|| lines.iter().rev().flatten().next().cloned());
            next = said.map(|(n, name)| (name.or(same.and_then(|(file, _)| file)), n));
        }
        inside = ends_in_comment(line, inside);
        continued = line.trim_end().ends_with('\\');
    }
    found.then_some(lines)
}

/// What a directive says of the line behind it: its number, and its file where that changes.
/// `Some(None)` if a macro says it.
fn directive(line: &str) -> Option<Option<(u32, Option<String>)>> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = match rest.strip_prefix("line") {
        Some(rest) if rest.starts_with([' ', '\t']) => rest.trim_start(),
        _ if rest.starts_with(|c: char| c.is_ascii_digit()) => rest,
        _ => return None,
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let Ok(number) = rest[..digits].parse() else { return Some(None) };
    let name = rest[digits..].trim_start();
    match name.strip_prefix('"') {
        None if name.is_empty() || name.starts_with("/*") || name.starts_with("//") => {
            Some(Some((number, None)))
        }
        None => Some(None),
        Some(name) => Some(unquoted(name).map(|name| (number, Some(name)))),
    }
}

/// Up to the quote at its end.
fn unquoted(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = text.chars();
    loop {
        match chars.next()? {
            '"' => return Some(out),
            '\\' => out.push(chars.next()?),
            c => out.push(c),
        }
    }
}

/// Is the end of a line inside of a comment that goes on in the next one?
fn ends_in_comment(line: &str, mut inside: bool) -> bool {
    let mut rest = line;
    loop {
        if inside {
            let Some((_, behind)) = rest.split_once("*/") else { return true };
            (rest, inside) = (behind, false);
            continue;
        }
        let Some(at) = rest.find(['/', '"', '\'']) else { return false };
        let (sign, behind) = (&rest[at..at + 1], &rest[at + 1..]);
        match sign {
            "/" if behind.starts_with('/') => return false,
            "/" if behind.starts_with('*') => (rest, inside) = (&behind[1..], true),
            "/" => rest = behind,
            quote => {
                let mut escaped = false;
                let end = behind.find(|c: char| {
                    let ends = !escaped && quote.starts_with(c);
                    escaped = !escaped && c == '\\';
                    ends
                });
                let Some(end) = end else { return false };
                rest = &behind[end + 1..];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_presumed_where_directives_say() {
        let text = "a\n#line 100 \"gen.y\"\nb\nc\n/* \"\n#line 5\n*/ char q = '\"'; /*\n# 9 */\n\
                    # 7 \"o\\\"ut.c\" 2\nd\n#line 20\ne\n#line N\nf\n#line 1 \"gen.y\" \ng\n#lines 3\n";
        let lines = presumed(text).unwrap();
        let shown: Vec<String> = lines
            .iter()
            .map(|l| match l {
                Some((file, line)) => format!("{}:{line}", file.as_deref().unwrap_or_default()),
                None => "?".to_string(),
            })
            .collect();
        let expected = ":1 :2 gen.y:100 gen.y:101 gen.y:102 gen.y:103 gen.y:104 gen.y:105 gen.y:106 \
                        o\"ut.c:7 o\"ut.c:8 o\"ut.c:20 o\"ut.c:21 ? ? gen.y:1 gen.y:2";
        assert_eq!(shown.join(" "), expected);
        assert_eq!(presumed("a\n#include \"b\"\n#linear 3\n"), None);
    }
}
