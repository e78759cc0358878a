//! What an `Arc` or a `shared_ptr` is called where it is made: the variable or the field that it becomes, by the text of the line.

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

/// The same in C++, where that is an initialiser or an assignment: `auto data = …`, `std::shared_ptr<int> data(…)`,
/// `data.reset(…)`, `: data_(…)`.
pub fn name_in_cpp(line: &str, column: u32) -> Option<String> {
    let at = line.char_indices().nth(column.saturating_sub(1) as usize).map_or(line.len(), |(at, _)| at);
    let begin = begin_of_statement(line, at);
    let statement =
        line[begin..].split(';').next()?.trim_start_matches(|c: char| c == ':' || c.is_whitespace());
    let made = without_arguments_of_templates(statement);
    let (before, is_assigned) = match (made.find('='), made.find(['(', '{'])) {
        (Some(assigned), open) if open.is_none_or(|open| assigned < open) => (&made[..assigned], true),
        (_, Some(open)) => (&made[..open], false),
        _ => (made.as_str(), false),
    };
    let before = before.trim_end();
    let before = if is_assigned { before } else { before.strip_suffix(".reset").unwrap_or(before) };
    let name = before.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next()?;
    // A call (`return f(…)`, `std::make_shared(…)`) makes no variable.
    let is_call =
        before.ends_with(&format!("::{name}")) || before == "return" || before.starts_with("return ");
    if is_call || name.starts_with(|c: char| c.is_ascii_digit()) {
        None
    } else {
        identifier(name).map(str::to_string)
    }
}

/// Where the statement begins that stands at `at`, behind lambdas among its arguments.
fn begin_of_statement(line: &str, at: usize) -> usize {
    let mut depth = 0;
    for (place, c) in line[..at].char_indices().rev() {
        match c {
            '}' if line[place + 1..].trim_start().starts_with([')', ',']) => depth += 1,
            '{' if depth > 0 => depth -= 1,
            '{' | '}' | ';' if depth == 0 => return place + 1,
            _ => {}
        }
    }
    0
}

/// `std::shared_ptr<A<int>> a` without what stands in angle brackets.
fn without_arguments_of_templates(text: &str) -> String {
    let mut depth = 0;
    let mut keep = |c: char| {
        depth += u32::from(c == '<');
        let outside = depth == 0;
        depth = if c == '>' { u32::saturating_sub(depth, 1) } else { depth };
        outside
    };
    text.chars().filter(|c| keep(*c)).collect()
}

fn identifier(text: &str) -> Option<&str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    (!text.is_empty() && text != "_" && text.chars().all(is_name)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::{name, name_in_cpp};

    #[test]
    fn the_same_in_cpp() {
        let check = |line: &str, want: Option<&str>| {
            let at = ["make_shared", "new "].iter().find_map(|made| line.find(made)).expect("a call");
            assert_eq!(name_in_cpp(line, at as u32 + 1).as_deref(), want, "{line}");
        };
        check("    auto data = std::make_shared<std::vector<int>>(1);", Some("data"));
        check("    std::shared_ptr<A<int>> a(new A<int>), b;", Some("a"));
        check("    int x = 1; std::shared_ptr<int> a = std::make_shared<int>(2);", Some("a"));
        check("    auto a = std::shared_ptr<D>(new D);", Some("a"));
        check("    void f() { this->home_ = std::make_shared<int>(1); }", Some("home_"));
        check("    data.reset(new int(1));", Some("data"));
        check("    : data_(std::make_shared<int>(1))", Some("data_"));
        check("    return std::make_shared<int>(1);", None);
        let line = "    if (a) { b(); } std::shared_ptr<int> data(p, [](int *p) { q(); delete p; });";
        assert_eq!(name_in_cpp(line, line.len() as u32 - 1).as_deref(), Some("data"));
        check("    std::make_shared<int>(1);", None);
    }

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
