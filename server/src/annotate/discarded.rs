//! Is the result of a call thrown away where the source makes it? A program that says `let _ = t.join();` does not hear of a panic.

use super::places::Places;

/// Lines that a statement may have before the call and behind it.
const LINES: u32 = 8;

/// Is what is called at this site thrown away there, so that nobody can look at it?
pub fn is_discarded(site: u32, places: &Places) -> bool {
    let Some(spot) = places.spot(site) else { return false };
    let line = |number: u32| without_comment(places.sources.line(&spot.file, number));
    let above = (spot.line.saturating_sub(LINES).max(1)..spot.line).map(line);
    let own = line(spot.line);
    let own: Vec<char> = own.chars().collect();
    let at = (spot.column.saturating_sub(1) as usize).min(own.len());
    let before = above.chain([own[..at].iter().collect()]).collect::<Vec<String>>().join("\n");
    let below = (spot.line + 1..=spot.line + LINES).map(line);
    let behind = [own[at..].iter().collect()].into_iter().chain(below).collect::<Vec<String>>().join("\n");
    throws_away(&before, &behind)
}

/// A line up to its comment, if it has one.
fn without_comment(line: String) -> String {
    let in_text = |at: usize| line[..at].matches('"').count() % 2 == 1;
    match line.match_indices("//").find(|(at, _)| !in_text(*at)) {
        Some((at, _)) => line[..at].to_string(),
        None => line,
    }
}

/// Does a statement throw away what a call in it returns? `before` is what stands before the call's name, `behind` begins with it.
fn throws_away(before: &str, behind: &str) -> bool {
    let begins = before.rfind([';', '{', '}', '|']).map_or(0, |at| at + 1);
    let begin: String = before[begins..].split_whitespace().collect::<Vec<_>>().join(" ");
    let begin = begin.strip_prefix("let ").unwrap_or(&begin);
    let is_unnamed = begin.strip_prefix('_').is_some_and(|rest| rest.trim_start().starts_with(['=', ':']));
    let dropped = || ["drop(", "mem::drop(", "std::mem::drop("].iter().any(|call| begin.starts_with(call));
    // Behind `()` nothing more looks at it.
    let Some(rest) = behind.find("()").map(|at| behind[at + 2..].trim_start()) else { return false };
    let rest: String = rest.chars().filter(|c| !c.is_whitespace()).collect();
    let ends =
        |rest: &str| rest.starts_with([';', ',', '}']) || rest.starts_with(')') && !rest.starts_with(").");
    let made_an_option = rest.strip_prefix(".ok()").is_some_and(|rest| rest.starts_with(';'));
    made_an_option && !begin.contains('=') || ends(&rest) && (is_unnamed || dropped())
}

#[cfg(test)]
mod tests {
    use super::{throws_away, without_comment};

    #[test]
    fn of_lines() {
        let check = |line: &str, expected: &str| assert_eq!(without_comment(line.to_string()), expected);
        check("a(); // b", "a(); ");
        check("open(\"http://c\");", "open(\"http://c\");");
        check("d(\"http://e\"); // f", "d(\"http://e\"); ");
    }

    #[test]
    fn of_statements() {
        let check = |statement: &str, expected: bool| {
            let at = statement.find("join").unwrap();
            assert_eq!(throws_away(&statement[..at], &statement[at..]), expected, "{statement}");
        };
        for statement in [
            "let _ = t.join();",
            "a(); let _ = t\n    .join();",
            "for t in all { _ = t.join(); }",
            "let _: Result<(), _> = t.join();",
            "all.into_iter().for_each(|t| { let _ = t.join(); });",
            "all.into_iter().for_each(|t| drop(t.join()));",
            "std::mem::drop(t.join());",
            "t.join().ok();",
            "match x { 1 => {} _ => { let _ = t.join(); } }",
        ] {
            check(statement, true);
        }
        for statement in [
            "t.join().unwrap();",
            "let _ = t.join().unwrap();",
            "let _seen = t.join();",
            "let result = t.join().ok();",
            "assert!(t.join().is_err());",
            "if let Err(e) = t.join() {",
            "let _ = t.join().map_err(|e| log(e));",
            "match t.join() { Ok(_) => {} Err(_) => {} }",
            "drop(t.join().unwrap());",
            "all.into_iter().map(|t| t.join()).collect()",
            "t.join()?;",
        ] {
            check(statement, false);
        }
    }
}
