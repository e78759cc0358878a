//! Expressions of C that name a place in memory, step by step.

/// One step of an expression behind the name that it begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// `->` and `*`.
    Follow,
    /// `.name`.
    Member(String),
    /// `[…]`, and what stands between the brackets.
    Element(String),
}

/// The name that an expression begins with, and what follows it; `None` for what computes more.
pub fn parse(expression: &str) -> Option<(String, Vec<Step>)> {
    let bare = expression.trim();
    if let Some(inner) = bare.strip_prefix('*') {
        // `*p->q` is what `p->q` points to.
        let (name, mut steps) = parse(inner)?;
        steps.push(Step::Follow);
        return Some((name, steps));
    }
    let end = bare.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(bare.len());
    let (name, mut rest) = bare.split_at(end);
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let end = closing(inside)?;
            steps.push(Step::Element(inside[..end].trim().to_string()));
            rest = &inside[end + 1..];
            continue;
        }
        let (follow, field) = match (rest.strip_prefix("->"), rest.strip_prefix('.')) {
            (Some(field), _) => (true, field),
            (_, Some(field)) => (false, field),
            _ => return None,
        };
        let end = field.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(field.len());
        if follow {
            steps.push(Step::Follow);
        }
        steps.push(Step::Member(field[..end].to_string()));
        rest = &field[end..];
    }
    Some((name.to_string(), steps))
}

/// Where the bracket that was opened before ends.
fn closing(inside: &str) -> Option<usize> {
    let mut open = 1;
    for (at, c) in inside.char_indices() {
        match c {
            '[' => open += 1,
            ']' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_step_by_step() {
        let member = |n: &str| Step::Member(n.to_string());
        let parsed = |e: &str| parse(e);
        assert_eq!(parsed("q->head"), Some(("q".into(), vec![Step::Follow, member("head")])));
        assert_eq!(
            parsed("b->c[a[i] + 1].d"),
            Some((
                "b".into(),
                vec![Step::Follow, member("c"), Step::Element("a[i] + 1".into()), member("d")]
            ))
        );
        assert_eq!(parsed("*p"), Some(("p".into(), vec![Step::Follow])));
        assert_eq!(parsed("*p->q"), Some(("p".into(), vec![Step::Follow, member("q"), Step::Follow])));
        assert_eq!(parsed("f(x)->y"), None);
        assert_eq!(parsed("(*p).a"), None);
        assert_eq!(parsed("a[i"), None);
    }
}
