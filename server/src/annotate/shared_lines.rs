//! Places in the source at which several accesses of one statement meet: compilers give the
//! arguments of a call, or the members of a struct that is assigned, one column.

use super::sources::Spot;
use raddle_schedule::{Event, OpKind};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// How much the column of an access says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Meeting {
    /// It is that of one expression.
    #[default]
    One,
    /// Several accesses to different objects have it.
    Several,
    /// Several have it, of which some read and some write: one of the objects, or more (`one_written`).
    Mixed {
        /// All that write there write the same one.
        one_written: bool,
    },
}

/// The accesses of each place: by instruction, what it touched.
#[derive(Default)]
pub struct Several {
    spots: BTreeMap<Place, Instructions>,
    /// What was asked for so far.
    known: RefCell<BTreeMap<Place, Meeting>>,
}

/// File, line and column.
type Place = (PathBuf, u32, u32);
/// Each instruction, and whether it writes, with what it touched.
type Instructions = BTreeMap<(u32, bool), BTreeSet<u64>>;

impl Several {
    /// Takes note of an access.
    pub fn note(&mut self, e: &Event, spot: Spot) {
        let of_spot = self.spots.entry((spot.file, spot.line, spot.column)).or_default();
        of_spot.entry((e.site, e.kind() == OpKind::Write)).or_default().insert(e.object());
    }

    /// Do instructions at this place touch different objects?
    pub fn at(&self, spot: &Spot) -> Meeting {
        let place = (spot.file.clone(), spot.line, spot.column);
        let Some(sites) = self.spots.get(&place) else { return Meeting::One };
        *self.known.borrow_mut().entry(place).or_insert_with(|| meeting(sites))
    }
}

fn meeting(sites: &Instructions) -> Meeting {
    let all: Vec<(bool, &BTreeSet<u64>)> = sites.iter().map(|((_, write), o)| (*write, o)).collect();
    let mut meeting = Meeting::One;
    let mut writes = all.iter().filter(|(write, _)| *write).map(|(_, objects)| objects);
    let first = writes.next();
    let one_written = first.is_some_and(|first| writes.all(|others| !first.is_disjoint(others)));
    for (i, (write, objects)) in all.iter().enumerate() {
        for (other_write, others) in &all[i + 1..] {
            match objects.is_disjoint(others) {
                true if write != other_write => return Meeting::Mixed { one_written },
                true => meeting = Meeting::Several,
                false => {}
            }
        }
    }
    meeting
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_instrumenter::edits::Unit;

    #[test]
    fn accesses_that_share_a_column() {
        let spot = |line| Spot { file: "a.c".into(), line, column: 9, unit: Unit::Bytes, of_lambda: None };
        let mut several = Several::default();
        let mut note = |line, site, kind, object| {
            let mut e = Event::new(kind, 1, object);
            e.site = site;
            several.note(&e, spot(line));
        };
        use OpKind::{Read, Write};
        // A loop; `n++`; two members; a read and a write of different things.
        (0..3).for_each(|i| note(1, 1, Read, i));
        (0..3).for_each(|i| [(2, Read), (3, Write)].into_iter().for_each(|(s, k)| note(2, s, k, i)));
        (0..2).for_each(|i| note(3, 4 + i, Write, u64::from(i)));
        [(7, Read), (8, Write)].into_iter().for_each(|(s, k)| note(4, s, k, u64::from(s)));
        // Two are written, and one of them is read.
        [(9, Write), (10, Write), (10, Read)].into_iter().for_each(|(s, k)| note(6, s, k, u64::from(s)));
        let at = [1, 2, 3, 4, 5, 6].map(|line| several.at(&spot(line)));
        let mixed = |one_written| Meeting::Mixed { one_written };
        let expected =
            [Meeting::One, Meeting::One, Meeting::Several, mixed(true), Meeting::One, mixed(false)];
        assert_eq!(at, expected);
    }
}
