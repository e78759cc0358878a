//! Where the lines of one text are in another one.

use std::collections::BTreeMap;

/// How lines of an old text are numbered in a new one: those before and after everything that
/// changed by their place, those between by what they say, if they alone say it.
pub struct Moved {
    /// Lines at the beginning that are the same.
    before: u32,
    /// Lines at the end that are the same, and how many lines each text has.
    after: u32,
    lines: (u32, u32),
    /// Lines between that are alone in what they say.
    between: BTreeMap<u32, u32>,
}

impl Moved {
    /// From the old text to the new one.
    pub fn new(old: &str, new: &str) -> Moved {
        let (a, b): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let before = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
        let rest = a.len().min(b.len()) - before;
        let after = a.iter().rev().zip(b.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
        let (old, new) = (alone(&a, before, after), alone(&b, before, after));
        let between = old.iter().filter_map(|(text, line)| Some((*line, *new.get(text)?))).collect();
        let lines = (a.len() as u32, b.len() as u32);
        Moved { before: before as u32, after: after as u32, lines, between }
    }

    /// The new number of a line, from 1; `None` where it is not there any more.
    pub fn line(&self, line: u32) -> Option<u32> {
        if line <= self.before {
            return Some(line);
        }
        let from_end = self.lines.0.checked_sub(line)?;
        if from_end < self.after {
            return Some(self.lines.1 - from_end);
        }
        self.between.get(&line).copied()
    }
}

/// Lines that nothing else between these ends says, with their numbers.
fn alone<'a>(lines: &[&'a str], before: usize, after: usize) -> BTreeMap<&'a str, u32> {
    let mut seen: BTreeMap<&str, Option<u32>> = BTreeMap::new();
    for (i, line) in lines.iter().enumerate().take(lines.len() - after).skip(before) {
        seen.entry(line).and_modify(|n| *n = None).or_insert(Some(i as u32 + 1));
    }
    seen.into_iter().filter_map(|(line, n)| Some((line, n?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_move_with_what_stands_around_them() {
        let check = |old: &str, new: &str, expected: &[Option<u32>]| {
            let moved = Moved::new(old, new);
            let lines = (1..=old.lines().count() as u32).map(|l| moved.line(l)).collect::<Vec<_>>();
            assert_eq!(lines, expected, "{old:?} -> {new:?}");
        };
        check("a\nb\nc\n", "a\nb\nc\n", &[Some(1), Some(2), Some(3)]);
        check("a\nb\nc\n", "a\nx\ny\nc\n", &[Some(1), None, Some(4)]);
        check("a\nb\nc\n", "x\na\nb\nc\n", &[Some(2), Some(3), Some(4)]);
        check("a\nb\nc\n", "c\n", &[None, None, Some(1)]);
        check("a\na\n", "a\na\na\n", &[Some(1), Some(2)]);
        check("a\n", "", &[None]);
        check("a\nb\nc\n", "x\nb\ny\nz\n", &[None, Some(2), None]);
        check("a\nb\nc\n", "x\nb\nb\nz\n", &[None, None, None]);
    }
}
