//! The loops of a file and what they lie in, for telling which round of which loop something is done in.

use std::path::Path;

/// A place in a file: line and column, from 1.
pub type At = (u32, u32);

/// The loops of a file.
#[derive(Clone, Debug, Default)]
pub struct Loops {
    /// From where to where, and whether it is a loop; otherwise a body that is run by its own call.
    pub(crate) ranges: Vec<(At, At, bool)>,
}

impl Loops {
    /// Of a source of Rust, C or C++. None where it cannot be read.
    pub fn of(file: &Path, text: &str) -> Loops {
        let mut loops = match file.extension().is_some_and(|e| e == "rs") {
            true => crate::rust::index::rounds::loops(text),
            false => crate::c::index::rounds::loops(file, text),
        };
        // A range that lies in another one comes behind it.
        loops.ranges.sort_by_key(|(from, to, _)| (*from, std::cmp::Reverse(*to)));
        loops
    }

    /// Where those begin that a place lies in, the outermost first, as far as its own call runs them. Column 0 is not known.
    pub fn around(&self, (line, column): At) -> Vec<At> {
        let mut around = Vec::new();
        let begins = |from: &At| from.0 < line || from.0 == line && (column == 0 || from.1 <= column);
        let ends = |to: &At| line < to.0 || line == to.0 && (column == 0 || column <= to.1);
        for (from, _, is_loop) in self.ranges.iter().filter(|(from, to, _)| begins(from) && ends(to)) {
            match is_loop {
                true => around.push(*from),
                false => around.clear(),
            }
        }
        around
    }
}
