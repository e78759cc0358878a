//! Calls in the languages of CMake and Meson: `name(words …)`, with quotes and comments.

/// One call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// In lower case.
    pub name: String,
    /// Its words. Commas separate words, too.
    pub words: Vec<String>,
}

/// The calls of a text. What is nested in one is among its words.
pub fn calls(text: &str) -> Vec<Call> {
    let mut calls = Vec::new();
    let mut open: Option<(Call, u32)> = None;
    let mut word = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, &mut open) {
            ('#', _) => while chars.next_if(|c| *c != '\n').is_some() {},
            ('"' | '\'', Some((call, _))) => {
                let mut quoted = std::mem::take(&mut word);
                for inner in chars.by_ref() {
                    match inner {
                        inner if inner == c => break,
                        inner => quoted.push(inner),
                    }
                }
                call.words.push(quoted);
            }
            ('(', None) => {
                let name = std::mem::take(&mut word).to_lowercase();
                open = Some((Call { name, words: Vec::new() }, 1));
            }
            (')', Some((call, depth))) => {
                call.words.extend(Some(std::mem::take(&mut word)).filter(|w| !w.is_empty()));
                *depth -= 1;
                if *depth == 0 {
                    calls.extend(open.take().map(|(call, _)| call));
                }
            }
            ('(' | '[' | ']' | ',', Some((call, depth))) => {
                call.words.extend(Some(std::mem::take(&mut word)).filter(|w| !w.is_empty()));
                *depth += u32::from(c == '(');
            }
            (c, Some((call, _))) if c.is_whitespace() => {
                call.words.extend(Some(std::mem::take(&mut word)).filter(|w| !w.is_empty()));
            }
            // A name may stand apart from its parenthesis.
            (' ', None) if chars.peek().is_some_and(|next| [' ', '('].contains(next)) => {}
            (c, None) if !(c.is_alphanumeric() || c == '_') => word.clear(),
            (c, _) => word.push(c),
        }
    }
    calls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_calls() {
        let call = |name: &str, words: &[&str]| Call {
            name: name.into(),
            words: words.iter().map(|w| w.to_string()).collect(),
        };
        let text = "project(x C) # a(b)\nAdd_Executable (t\n  t.c \"a b.c\")\ne = executable('q', ['q.c', f('p')], dep : d)\n";
        let expected = [
            call("project", &["x", "C"]),
            call("add_executable", &["t", "t.c", "a b.c"]),
            call("executable", &["q", "q.c", "f", "p", "dep", ":", "d"]),
        ];
        assert_eq!(calls(text), expected);
        // One that does not end is none.
        assert_eq!(calls("a(b 'c"), []);
    }
}
