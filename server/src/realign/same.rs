//! Is a failure the one that was stored, although the program was edited since?

use raddle_engine::realign::alike;
use raddle_protocol::report::Failure;
use raddle_schedule::file::{File, FilePlace};

/// How much a failure is like the stored one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sameness {
    /// Another kind of failure, or at another place.
    Other,
    /// The same kind in the same function or line, told in words that differ as if something was renamed.
    Renamed,
    /// The same kind, the same words but for numbers, and the same function or line, as far as these are known.
    Same,
}

/// Compares; `place`: where the failure is now.
pub fn compare(stored: &File, now: &Failure, place: &FilePlace) -> Sameness {
    let Some((kind, message)) = stored.failure.split_once(": ") else { return Sameness::Other };
    if kind != now.kind {
        return Sameness::Other;
    }
    if blank(message) == blank(&now.message) {
        let elsewhere = stored.failed.as_ref().is_some_and(|was| is_elsewhere(was, place));
        return if elsewhere { Sameness::Other } else { Sameness::Same };
    }
    let Some(was) = &stored.failed else { return Sameness::Other };
    // The function may have been renamed too; then the line is what it was.
    let known = |a: &str, b: &str| !a.is_empty() && a == b;
    let here = known(&was.method, &place.method) || known(&was.line, &place.line);
    // Where the function is not known, what is called otherwise in the message is so in the line.
    let unknown = [&was.method, &place.method].iter().any(|method| method.is_empty());
    let with_line = |message: &str, line: &str| format!("{message}\n{line}");
    let in_line = unknown
        && ![&was.line, &place.line].iter().any(|line| line.is_empty())
        && alike(&with_line(message, &was.line), &with_line(&now.message, &place.line));
    let renamed = here && alike(message, &now.message) || in_line;
    if renamed { Sameness::Renamed } else { Sameness::Other }
}

/// Neither in this function nor in this line: many failures have the same words, such as that of a signal. Where the
/// function is not known, a line in which something was renamed is still this one; in another function it is another.
fn is_elsewhere(was: &FilePlace, now: &FilePlace) -> bool {
    let known = |a: &str, b: &str| !a.is_empty() && !b.is_empty();
    let line = known(&was.line, &now.line);
    match known(&was.method, &now.method) {
        true => was.method != now.method && !(line && was.line == now.line),
        false => line && was.line != now.line && !alike(&was.line, &now.line),
    }
}

/// With each number as one sign, and without the digits of addresses: they differ from build to build.
fn blank(text: &str) -> String {
    let mut out = String::new();
    let (mut word, mut number, mut hexadecimal) = (false, false, false);
    let mut before = ' ';
    for c in text.chars() {
        let letter = c.is_alphanumeric() || c == '_';
        let begins = c.is_ascii_digit() && !word;
        let prefix = number && c == 'x' && before == '0';
        hexadecimal = !begins && number && (hexadecimal || prefix);
        number = begins || prefix || number && (c.is_ascii_digit() || hexadecimal && c.is_ascii_hexdigit());
        match number {
            true if begins => out.push('#'),
            true => {}
            false => out.push(c),
        }
        (word, before) = (letter, c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(was: &str, method: &str, now: &str) -> Sameness {
        check_at(was, (method, ""), now)
    }

    fn check_at(was: &str, (method, line): (&str, &str), now: &str) -> Sameness {
        let (kind, message) = now.split_once(": ").unwrap();
        let mut report = serde_json::json!({
            "kind": kind, "message": message, "location": null, "preemptions": 0, "switches": 0,
            "schedule": "", "events": [], "found_after": 0, "explanation": []
        });
        report["method"] = method.into();
        let failure: Failure = serde_json::from_value(report).unwrap();
        let place =
            FilePlace { method: "audit".into(), line: if line.is_empty() { "" } else { "lock(to);" }.into() };
        let file = serde_json::json!({
            "version": 2, "target": "", "test": "", "schedule": "", "failure": was,
            "failed": {"method": method, "line": line}
        });
        let file: File = serde_json::from_value(file).unwrap();
        compare(&file, &failure, &place)
    }

    #[test]
    fn a_line_with_another_name_in_it_is_this_line() {
        let place = |method: &str, line: &str| FilePlace { method: method.into(), line: line.into() };
        let was = place("", "let value = slots[head % 2];");
        assert!(!is_elsewhere(&was, &place("", "let value = slots[first % 2];")));
        assert!(is_elsewhere(&was, &place("", "total += 1;")));
        assert!(is_elsewhere(&place("pop", &was.line), &place("push", "total += 1;")));
        assert!(is_elsewhere(&place("first", "*nowhere = 1;"), &place("second", "*nowhere = 2;")));
        assert!(!is_elsewhere(&place("pop", &was.line), &place("take", &was.line)));
        assert!(!is_elsewhere(&place("pop", ""), &place("", "total += 1;")));
    }

    #[test]
    fn what_is_renamed_in_the_message_is_renamed_in_the_line() {
        let of = |was: [&str; 2], now: [&str; 2]| {
            let report = serde_json::json!({
                "kind": "data-race", "message": now[0], "location": null, "preemptions": 0, "switches": 0,
                "schedule": "", "events": [], "found_after": 0, "explanation": []
            });
            let file = serde_json::json!({
                "version": 2, "target": "", "test": "", "schedule": "", "failure": format!("data-race: {}", was[0]),
                "failed": {"method": "", "line": was[1]}
            });
            let place = FilePlace { method: String::new(), line: now[1].into() };
            let (file, failure) =
                (serde_json::from_value::<File>(file), serde_json::from_value::<Failure>(report));
            compare(&file.unwrap(), &failure.unwrap(), &place)
        };
        let was = ["data race on a->balance", "a->balance += 10;"];
        assert_eq!(of(was, ["data race on acc->balance", "acc->balance += 10;"]), Sameness::Renamed);
        assert_eq!(of(was, ["data race on acc->balance", "b->balance += 10;"]), Sameness::Other);
        assert_eq!(of(was, ["data race on acc->balance", "total += acc->balance;"]), Sameness::Other);
    }

    #[test]
    fn numbers_may_differ_and_names_where_it_is_the_same_place() {
        use Sameness::*;
        assert_eq!(check("panic: left: 3", "", "panic: left: 12"), Same);
        assert_eq!(check("panic: left: 3", "audit", "panic: left: 12"), Same);
        assert_eq!(check("panic: 1a2b", "", "panic: 12ab"), Other);
        assert_eq!(check("panic: left: 3", "other", "panic: left: 3"), Other);
        assert_eq!(check("panic: left: 3", "audit", "assertion: left: 3"), Other);
        assert_eq!(check("assertion: `a == 2` failed", "audit", "assertion: `b == 2` failed"), Renamed);
        assert_eq!(check("assertion: `a == 2` failed", "other", "assertion: `b == 2` failed"), Other);
        let line = |line: &str| check_at("deadlock: waits for a", ("shift", line), "deadlock: waits for b");
        assert_eq!((line("lock(to);"), line("lock(from);")), (Renamed, Other));
        assert_eq!(check("assertion: `a1 == 2` failed", "", "assertion: `a2 == 2` failed"), Other);
        assert_eq!(check("crash: SIGSEGV at 0x7f12ab", "", "crash: SIGSEGV at 0x10"), Same);
    }
}
