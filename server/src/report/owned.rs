//! What an `Arc` is called where it is made: the variable or the field that it becomes, by the text of the line.

/// The name for what is made by the call at this column (from 1, in characters) of a line.
pub fn name(line: &str, column: u32) -> Option<String> {
    let before: String = line.chars().take(column.saturating_sub(1) as usize).collect();
    let made = before.rsplit([';', '{', '}']).next()?.trim();
    by_let(made).or_else(|| by_field(made)).map(str::to_string)
}

/// `let mut data: Arc<u32> = …`, and what stands there before the call is part of what is bound.
fn by_let(text: &str) -> Option<&str> {
    let (pattern, _) = text.strip_prefix("let ")?.split_once('=')?;
    let name = pattern.split(':').next()?.trim();
    identifier(name.strip_prefix("mut ").unwrap_or(name).trim())
}

/// `home: …` in an expression that makes a struct.
fn by_field(text: &str) -> Option<&str> {
    let field = text.rsplit(['(', ',']).next()?.trim().strip_suffix(':')?;
    if field.ends_with(':') { None } else { identifier(field.trim()) }
}

fn identifier(text: &str) -> Option<&str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    (!text.is_empty() && text != "_" && text.chars().all(is_name)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn what_is_made_is_called_as_it_is_bound() {
        let check = |line: &str, want: Option<&str>| {
            let column = line.find("Arc::new").expect("a call") as u32 + 1;
            assert_eq!(name(line, column).as_deref(), want, "{line}");
        };
        check("    let mut data = Arc::new(vec![1]);", Some("data"));
        check("fn f() { let a: Arc<u32> = Arc::new(5); let w = 1; }", Some("a"));
        check("    let x = 1; let c = Some(Arc::new(2));", Some("c"));
        check("    let item = Item { id: 1, home: Arc::new(1) };", Some("home"));
        check("    home: Arc::new(1),", Some("home"));
        check("    let (a, b) = (Arc::new(1), 2);", None);
        check("    run(Arc::new(1));", None);
        check("    std::sync::Arc::new(1)", None);
        assert_eq!(name("", 9), None);
    }
}
