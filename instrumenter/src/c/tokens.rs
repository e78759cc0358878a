//! The tokens of a C file outside of all braces, for [`super::heads`], through comments, strings
//! and conditional compilation.

use super::heads::Head;

/// A token outside of braces; what is in parentheses is one token.
#[derive(Clone, Debug)]
pub(super) enum Token {
    /// A word, at these bytes.
    Word(usize, usize),
    /// A group in parentheses: are there only words and commas in it?
    Group { end: usize, plain: bool },
    /// `;`
    End,
    /// Another sign.
    Sign(u8),
    /// A string.
    Text,
}

/// Where the scan is.
#[derive(Clone, Default)]
pub(super) struct Here {
    /// Open braces.
    braces: usize,
    /// Open parentheses, outside of braces.
    parens: usize,
    /// Are there only words and commas in them so far?
    plain: bool,
    /// The tokens behind the last thing that was complete.
    pub(super) tokens: Vec<Token>,
    /// The function whose body this is, by its number; several that share one, in arms.
    functions: Vec<usize>,
}

/// An `#if` whose `#endif` has not come.
struct Arms {
    before: Here,
    /// At the end of the first arm, when a second has begun.
    first: Option<Here>,
}

/// One scan of a text.
pub(super) struct Scan<'a> {
    pub(super) text: &'a str,
    at: usize,
    pub(super) here: Here,
    arms: Vec<Arms>,
    found: Vec<Head>,
}

impl<'a> Scan<'a> {
    /// The functions of a text, those whose end was not found as well.
    pub(super) fn run(text: &'a str) -> Vec<Head> {
        let mut scan = Scan { text, at: 0, here: Here::default(), arms: Vec::new(), found: Vec::new() };
        scan.all();
        scan.found
    }

    fn all(&mut self) {
        let bytes = self.text.as_bytes();
        let mut line_start = true;
        while let Some(b) = bytes.get(self.at).copied() {
            let rest = &bytes[self.at..];
            match b {
                b'\n' => line_start = true,
                b if b.is_ascii_whitespace() => {}
                b'\\' => {}
                b'#' if line_start => {
                    self.directive();
                    continue;
                }
                b'/' if rest.starts_with(b"/*") => {
                    let len = memchr::memmem::find(&rest[2..], b"*/").map_or(rest.len(), |n| n + 4);
                    self.at += len;
                    continue;
                }
                b'/' if rest.starts_with(b"//") => {
                    self.at += logical_line(rest);
                    continue;
                }
                b => {
                    line_start = false;
                    self.token(b, rest);
                    continue;
                }
            }
            self.at += 1;
        }
    }

    fn token(&mut self, b: u8, rest: &[u8]) {
        let start = self.at;
        let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80;
        self.at += match b {
            b'"' | b'\'' => literal(rest),
            b if is_word(b) => rest.iter().take_while(|b| is_word(**b)).count(),
            _ => 1,
        };
        match b {
            b'{' if self.here.parens == 0 => self.open(start),
            b'}' if self.here.parens == 0 => self.close(),
            _ if self.here.braces > 0 => {}
            b'(' => {
                self.here.plain |= self.here.parens == 0;
                self.here.parens += 1;
                self.here.plain &= self.here.parens == 1;
            }
            b')' if self.here.parens > 0 => {
                self.here.parens -= 1;
                if self.here.parens == 0 {
                    let plain = std::mem::take(&mut self.here.plain);
                    self.here.tokens.push(Token::Group { end: self.at, plain });
                }
            }
            b',' if self.here.parens > 0 => {}
            b if self.here.parens > 0 => {
                let before = self.text[..start].trim_end().as_bytes().last().copied();
                self.here.plain &= is_word(b) && matches!(before, Some(b'(' | b','));
            }
            b';' => self.here.tokens.push(Token::End),
            b'"' | b'\'' => self.here.tokens.push(Token::Text),
            b if is_word(b) => self.here.tokens.push(Token::Word(start, self.at)),
            b => self.here.tokens.push(Token::Sign(b)),
        }
    }

    fn open(&mut self, at: usize) {
        if self.here.braces == 0 {
            let words = self.here.tokens.as_slice();
            // `extern "C" {`: what follows is outside as before.
            if let [.., Token::Word(a, b), Token::Text] = words
                && &self.text[*a..*b] == "extern"
            {
                self.here.tokens.clear();
                return;
            }
            if let Some((name, start)) = self.head() {
                self.here.functions = vec![self.found.len()];
                self.found.push(Head { name, start, open: at, end: 0 });
            }
        }
        self.here.braces += 1;
    }

    fn close(&mut self) {
        if self.here.braces <= 1 {
            let functions = std::mem::take(&mut self.here.functions);
            if self.here.braces == 0 || !functions.is_empty() {
                self.here.tokens.clear();
            }
            for n in functions {
                self.found[n].end = self.at;
            }
        }
        self.here.braces = self.here.braces.saturating_sub(1);
    }

    fn directive(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        let len = logical_line(rest);
        let line = String::from_utf8_lossy(&rest[1..len]);
        self.at += len;
        let line = line.trim_start();
        let word: String = line.chars().take_while(char::is_ascii_alphabetic).collect();
        match word.as_str() {
            "if" | "ifdef" | "ifndef" => {
                self.arms.push(Arms { before: self.here.clone(), first: None });
                if word == "if" && line[2..].trim() == "0" {
                    self.skip();
                }
            }
            "else" | "elif" | "elifdef" | "elifndef" => {
                if let Some(arms) = self.arms.last_mut() {
                    let ended = std::mem::replace(&mut self.here, arms.before.clone());
                    arms.first.get_or_insert(ended);
                }
            }
            "endif" => {
                if let Some(Arms { first: Some(first), .. }) = self.arms.pop() {
                    // The words of the last arm go on; the braces are those of the first.
                    self.here.braces = first.braces;
                    self.here.parens = first.parens;
                    let others = first.functions.into_iter().filter(|n| !self.here.functions.contains(n));
                    let others: Vec<usize> = others.collect();
                    self.here.functions.extend(others);
                }
            }
            _ => {}
        }
    }

    /// Past the arm of an `#if 0`, which may hold anything.
    fn skip(&mut self) {
        let mut depth = 0;
        while self.at < self.text.len() {
            let rest = &self.text.as_bytes()[self.at..];
            let line = rest[..logical_line(rest)].trim_ascii_start();
            let word = line.strip_prefix(b"#").map(|l| l.trim_ascii_start());
            match word {
                Some(w) if w.starts_with(b"if") => depth += 1,
                Some(w) if depth == 0 && (w.starts_with(b"el") || w.starts_with(b"endif")) => {
                    // An arm that is never compiled does not count as the first.
                    if w.starts_with(b"el") {
                        self.at += logical_line(rest);
                    }
                    return;
                }
                Some(w) if w.starts_with(b"endif") => depth -= 1,
                _ => {}
            }
            self.at += logical_line(rest);
        }
    }
}

/// The length of a line with those it goes on in.
fn logical_line(rest: &[u8]) -> usize {
    let mut len = 0;
    loop {
        let Some(n) = memchr::memchr(b'\n', &rest[len..]) else { return rest.len() };
        let line = &rest[len..len + n];
        len += n + 1;
        if !line.trim_ascii_end().ends_with(b"\\") {
            return len;
        }
    }
}

/// The length of a string or a character; it ends with the line at the latest.
fn literal(rest: &[u8]) -> usize {
    let mut n = 1;
    while let Some(b) = rest.get(n) {
        match b {
            b'\\' => n += 1,
            b'\n' => return n,
            b if *b == rest[0] => return n + 1,
            _ => {}
        }
        n += 1;
    }
    rest.len()
}
