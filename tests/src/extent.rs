//! How much a run tests: everything with `cargo xtask test --all`, otherwise what fits into a run for each change. A test
//! that makes several choices for each of many programs then makes one choice for each, in turn, so that every
//! choice is still made for some of them.

/// Does this run test everything?
pub fn everything() -> bool {
    std::env::var_os("RADDLE_TEST_ALL").is_some()
}

/// Everything, or of these choices the one whose turn it is.
pub fn in_turn<T: Clone>(choices: &[T], turn: usize) -> Vec<T> {
    if everything() { choices.to_vec() } else { one(choices, turn) }
}

fn one<T: Clone>(choices: &[T], turn: usize) -> Vec<T> {
    match choices.len() {
        0 => Vec::new(),
        n => vec![choices[turn % n].clone()],
    }
}

#[cfg(test)]
mod tests {
    use super::one;

    #[test]
    fn every_choice_has_its_turn() {
        let made: Vec<i32> = (0..6).flat_map(|turn| one(&[1, 2, 3], turn)).collect();
        assert_eq!(made, [1, 2, 3, 1, 2, 3]);
        assert!(one::<i32>(&[], 4).is_empty());
    }
}
