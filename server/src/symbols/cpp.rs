//! Names of C++ as people write them: without parameters and template arguments, `Queue::push`, `main::{lambda}`.
//! The markers in the sources say the same (`instrumenter/src/c/names.rs`), so both tell of one function.

use cpp_demangle::{DemangleOptions, Symbol};

/// What stands before the class in the name of a virtual table.
pub const TABLE: &str = "vtable for ";

/// What a symbol of C++ is called; `None` for one of another language.
pub fn demangle(symbol: &str) -> Option<String> {
    let symbol = symbol.strip_prefix("_Z").map(|_| with_lambdas(symbol))?;
    let name = Symbol::new(&symbol).ok()?;
    let options = DemangleOptions::new().no_params().no_return_type();
    let text = name.demangle(&options).ok()?;
    match text.strip_prefix("{vtable(").and_then(|text| text.strip_suffix(")}")) {
        Some(class) => Some(format!("{TABLE}{}", plain(class))),
        None => Some(plain(&text)),
    }
}

/// Is a function of this name the code of a lambda? GCC's debug information has no more of its name than the operator.
pub fn is_lambda(function: &str) -> bool {
    function.ends_with("{lambda}") || function == "operator()"
}

/// Clang's own names of lambdas (`3$_0`) as the ABI has them.
fn with_lambdas(symbol: &str) -> String {
    let mut out = String::new();
    let mut rest = symbol;
    while let Some(at) = rest.find("$_") {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let length = rest[..at].bytes().rev().take_while(u8::is_ascii_digit).count();
        let (before, length) = rest[..at].split_at(at - length);
        let number = digits(&rest[at + 2..]);
        let is_whole = length.parse() == Ok(2 + number);
        out += if is_whole { before } else { &rest[..at + 2 + number] };
        out += if is_whole { "UlvE_" } else { "" };
        rest = &rest[at + 2 + number..];
    }
    out + rest
}

/// Without what stands in brackets, but for what tells operators and lambdas.
fn plain(name: &str) -> String {
    let name = name.replace("(anonymous namespace)::", "");
    let mut out = String::new();
    let mut rest = name.as_str();
    while let Some(c) = rest.chars().next() {
        // An operator's own brackets are part of its name.
        let operator = OPERATORS.iter().find(|o| rest.starts_with(*o));
        let (kept, next) = match (operator, c) {
            (Some(operator), _) => (*operator, operator.len()),
            (None, '<') => ("", bracketed(rest, '<', '>')),
            (None, '(') => ("", bracketed(rest, '(', ')')),
            (None, '{') if rest.starts_with("{lambda") => ("{lambda}", bracketed(rest, '{', '}')),
            (None, c) => (&rest[..c.len_utf8()], c.len_utf8()),
        };
        out += kept;
        rest = &rest[next..];
    }
    // What a lambda does is told by the lambda.
    out.trim().trim_end_matches(" const").replace("{lambda}::operator()", "{lambda}")
}

/// Operators whose names have brackets in them, the longest first.
const OPERATORS: [&str; 10] = [
    "operator<=>",
    "operator<<=",
    "operator>>=",
    "operator->*",
    "operator<<",
    "operator>>",
    "operator->",
    "operator()",
    "operator<",
    "operator>",
];

/// How long what stands between these brackets is, both counted; all of it where the second is missing.
fn bracketed(text: &str, open: char, close: char) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        // The arrow of a decltype closes nothing.
        match c {
            c if c == open => depth += 1,
            c if c == close && !text[..at].ends_with('-') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + c.len_utf8();
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lambdas_by_their_names() {
        let of = |symbol: &str| is_lambda(&demangle(symbol).expect("a name"));
        assert!(of("_ZZ4mainENKUlvE_clEv") && of("_ZZ4mainENK3$_0clEv"));
        assert!(!of("_ZNK5ShelfclEv"));
    }

    #[test]
    fn as_people_write_them() {
        let names = [
            ("_ZL5shelf", "shelf"),
            ("_ZN5Shelf7has_anyEv", "Shelf::has_any"),
            ("_ZN7MailboxIiE3putEi", "Mailbox::put"),
            ("_ZN12_GLOBAL__N_14workEv", "work"),
            ("_ZZ4mainENKUlvE_clEv", "main::{lambda}"),
            ("_ZZL5localvE4made", "local::made"),
            ("_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", "std::operator<<"),
            ("_ZN5TallyD2Ev", "Tally::~Tally"),
        ];
        for (symbol, name) in names {
            assert_eq!(demangle(symbol).as_deref(), Some(name), "{symbol}");
        }
        assert_eq!(demangle("printf"), None);
        assert_eq!(demangle("_Z"), None);
    }
}
