//! Leaks: what executions that passed have lost, where they were looked at (a sample: looking costs more than most
//! executions). Told by the call that allocated, with how many of these executions lost something there: what is
//! lost in some orders only is a mistake that runs by hand hardly show.

use crate::naming;
use crate::summary::{Leak, Leaks};
use raddle_schedule::leak::Leaked;
use raddle_schedule::{Schedule, Trace};

/// Calls that are told at most.
const MOST: usize = 256;
/// So many executions at the beginning are looked at,
const FIRST: u64 = 32;
/// and of the others every so many-th, and the powers of two.
const EVERY: u64 = 1024;

/// Is the n-th execution looked at?
pub fn is_looked_at(n: u64) -> bool {
    n <= FIRST || n.is_multiple_of(EVERY) || n.is_power_of_two()
}

impl Leaks {
    /// An execution has passed.
    pub fn read(&mut self, trace: &Trace, blank: &Schedule) {
        let Some(leaked) = &trace.leaked else { return };
        self.looked_at += 1;
        let total = leaked.iter().map(|one| u64::from(one.blocks)).sum();
        self.total_differs |= *self.total.get_or_insert(total) != total;
        for one in leaked {
            let full = self.all.len() == MOST;
            match self.all.iter_mut().find(|known| known.is_at(one)) {
                Some(known) => {
                    known.executions += 1;
                    known.compare(one);
                    known.is_head |= one.is_head;
                }
                None if full => {}
                None => {
                    let schedule = Schedule { deltas: naming::name(trace).deltas, ..blank.clone() };
                    let (differs, is_head, inner_differs) = (false, one.is_head, false);
                    self.all.push(Leak {
                        first: *one,
                        executions: 1,
                        differs,
                        is_head,
                        inner_differs,
                        schedule,
                    });
                }
            }
        }
    }

    /// What two searches of the same program have seen.
    pub fn joined(mut self, other: &Leaks) -> Leaks {
        self.looked_at += other.looked_at;
        self.total_differs |= other.total_differs || self.total.zip(other.total).is_some_and(|(a, b)| a != b);
        self.total = self.total.or(other.total);
        for one in &other.all {
            match self.all.iter_mut().find(|known| known.is_at(&one.first)) {
                Some(known) => {
                    known.executions += one.executions;
                    known.compare(&one.first);
                    known.differs |= one.differs;
                    known.is_head |= one.is_head;
                    known.inner_differs |= one.inner_differs;
                }
                None => self.all.push(one.clone()),
            }
        }
        self
    }
}

impl Leak {
    /// Another execution's beside the first.
    fn compare(&mut self, other: &Leaked) {
        let inner = |l: &Leaked| (l.inner_blocks, l.inner_bytes);
        self.differs |= self.first.blocks != other.blocks;
        self.inner_differs |= inner(&self.first) != inner(other);
    }

    fn is_at(&self, other: &Leaked) -> bool {
        (self.first.by.site, self.first.by.method) == (other.by.site, other.by.method)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schedule::misuse::{Involved, Part};

    #[test]
    fn counts_are_those_of_executions_that_were_looked_at() {
        let by = Involved { part: Part::Allocated, thread: 1, method: 2, site: 3 };
        let leaked = Leaked { by, blocks: 1, bytes: 8, is_head: false, inner_blocks: 0, inner_bytes: 0 };
        let passed = |leaked| Trace { leaked, ..Trace::default() };
        let mut one = Leaks::default();
        let blank = Schedule::default();
        one.read(&passed(None), &blank);
        assert_eq!(one, Leaks::default(), "nobody looked");
        one.read(&passed(Some(Vec::new())), &blank);
        one.read(&passed(Some(vec![leaked])), &blank);
        assert_eq!((one.looked_at, one.all[0].executions, one.all[0].differs), (2, 1, false));
        assert_eq!((one.total, one.total_differs), (Some(0), true));
        assert!(!one.all[0].is_head);
        let mut other = Leaks::default();
        other.read(
            &passed(Some(vec![Leaked { blocks: 2, is_head: true, inner_blocks: 1, ..leaked }])),
            &blank,
        );
        let both = one.joined(&other);
        assert_eq!((both.looked_at, both.all.len()), (3, 1));
        assert_eq!((both.all[0].executions, both.all[0].differs), (2, true));
        assert!(both.all[0].is_head && both.all[0].inner_differs);
    }

    #[test]
    fn few_are_looked_at() {
        let looked_at = (1..=6_000_000u64).filter(|n| is_looked_at(*n)).count();
        assert!(looked_at < 6_000_000 / 1000, "{looked_at}");
        assert!((1..=32).all(is_looked_at));
    }
}
