//! Coverage: how many distinct happens-before classes and distinct states there were after so many
//! executions, and at the end of each completed bound (paper 000, Figures 1 and 2).
//!
//! A *state* here is what a checker that stores no states of the program can tell: the happens-before of the
//! prefix that leads to a schedule point, or to an execution's end. Two prefixes that differ by the
//! order of independent steps alone are one state, and two that differ otherwise are two, even
//! where memory has the same contents after both. Since the signature of an execution is the sum
//! of its steps' hashes, the sum so far is the signature of the prefix ([`super::signature`]).
//! States are distinct 64-bit hashes, so two are taken for one with a probability below 10⁻⁶ in a
//! search.

use super::classes::Hashes;

/// More states than this are not counted: past it [`Point::states`] is `None`. (They take up to 72 MiB.)
pub const MOST_STATES: usize = 1 << 22;

/// Where a search stood after so many executions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// Executions by then, of any outcome.
    pub executions: u64,
    /// Distinct classes of the complete ones; `None` when not counted, or more than are kept.
    pub classes: Option<u64>,
    /// Distinct states of all of them; `None` when not counted, or more than are kept.
    pub states: Option<u64>,
    /// At the end of a bound: all executions with at most so many preemptions had been run.
    pub bound: Option<u32>,
}

/// The curve of a search: points that lie the further apart the more executions there were.
#[derive(Default)]
pub struct Curve {
    points: Vec<Point>,
    /// Executions at which the next point is due.
    due: u64,
    /// The round of the execution read last.
    round: u32,
}

impl Curve {
    /// Is a point due after so many executions?
    #[inline]
    pub fn is_due(&self, executions: u64) -> bool {
        executions >= self.due
    }

    /// Does this round begin with the execution that is about to be read?
    #[inline]
    pub fn begins(&mut self, round: u32) -> bool {
        let begins = round > self.round;
        self.round = self.round.max(round);
        begins
    }

    /// Where the search stands now.
    pub fn note(&mut self, point: Point) {
        if point.executions == 0 {
            return;
        }
        place(&mut self.points, point);
        // Every execution up to 16, then six points or so for each doubling.
        self.due = point.executions + (point.executions / 8).max(1);
    }

    /// All points, and this one.
    pub fn up_to(&self, point: Point) -> Vec<Point> {
        let mut points = self.points.clone();
        if point.executions > 0 {
            place(&mut points, point);
        }
        points
    }
}

/// Adds a point, or completes the last one. A bound is told at the point that first reached it.
fn place(points: &mut Vec<Point>, point: Point) {
    let told = points.iter().rev().find_map(|p| p.bound);
    let bound = point.bound.filter(|bound| told.is_none_or(|told| *bound > told));
    match points.last_mut().filter(|last| last.executions == point.executions) {
        Some(last) => *last = Point { bound: bound.or(last.bound), ..point },
        None => points.push(Point { bound, ..point }),
    }
}

/// The states seen.
#[derive(Default)]
pub struct States {
    seen: Hashes,
    /// Those of the execution read last, which the next one mostly begins with too.
    last: Vec<u64>,
    /// How many of this execution's are there so far.
    at: usize,
    /// There were too many.
    overflow: bool,
}

impl States {
    /// An execution begins.
    pub fn begin(&mut self) {
        self.at = 0;
    }

    /// It reaches a state.
    #[inline]
    pub fn reach(&mut self, state: u64) {
        match self.last.get_mut(self.at) {
            Some(last) if *last == state => {}
            Some(last) => {
                *last = state;
                self.insert(state);
            }
            None => {
                self.last.push(state);
                self.insert(state);
            }
        }
        self.at += 1;
    }

    fn insert(&mut self, state: u64) {
        if self.overflow || self.seen.contains(&state) {
            return;
        }
        self.overflow = self.seen.len() >= MOST_STATES;
        match self.overflow {
            true => self.seen = Hashes::default(),
            false => drop(self.seen.insert(state)),
        }
    }

    /// Distinct states; `None` if there were too many.
    pub fn count(&self) -> Option<u64> {
        (!self.overflow).then_some(self.seen.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(executions: u64, bound: Option<u32>) -> Point {
        Point { executions, bound, classes: Some(executions), states: Some(2 * executions) }
    }

    #[test]
    fn points_grow_apart() {
        let mut curve = Curve::default();
        for n in 1..=1_000_000 {
            if curve.is_due(n) {
                curve.note(at(n, None));
            }
        }
        let counts: Vec<u64> = curve.up_to(at(1_000_000, None)).iter().map(|p| p.executions).collect();
        assert_eq!(counts[..20], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24]);
        assert!(counts.len() < 120 && counts.last() == Some(&1_000_000), "{counts:?}");
    }

    #[test]
    fn a_bound_is_told_once_and_where_it_was_reached() {
        let mut curve = Curve::default();
        assert!(!curve.begins(0));
        curve.note(at(1, None));
        assert!(curve.begins(1) && !curve.begins(1));
        curve.note(at(1, Some(0)));
        curve.note(at(2, Some(0)));
        assert!(curve.begins(2));
        curve.note(at(5, Some(1)));
        let bounds: Vec<_> = curve.up_to(at(5, Some(2))).iter().map(|p| (p.executions, p.bound)).collect();
        assert_eq!(bounds, [(1, Some(0)), (2, None), (5, Some(2))]);
        assert_eq!(Curve::default().up_to(Point::default()), []);
    }

    #[test]
    fn states_are_counted_once_up_to_a_limit() {
        let mut states = States::default();
        for execution in [[1, 2, 3], [1, 2, 4], [1, 5, 4], [1, 2, 3]] {
            states.begin();
            execution.into_iter().for_each(|s| states.reach(s));
        }
        assert_eq!(states.count(), Some(5));
        states.begin();
        (0..MOST_STATES as u64).for_each(|s| states.reach(s));
        assert_eq!(states.count(), Some(MOST_STATES as u64));
        states.reach(u64::MAX);
        assert_eq!(states.count(), None);
    }
}
