//! Numbers as people read them.

/// A number with its thousands apart: 19,605.
pub fn group(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::group;

    #[test]
    fn thousands() {
        assert_eq!(
            ["0", "999", "1,000", "19,605", "1,234,567"],
            [0, 999, 1000, 19605, 1234567].map(group)[..]
        );
    }
}
