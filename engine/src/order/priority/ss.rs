//! `ss`: executions that begin with a thread which is awake first, those with one that is asleep
//! later (paper 003, section 4.1): what sleeps was explored from an earlier state, and nothing done
//! since depends on it. Without a bound those that are awake are an execution of every class.

use super::{Asks, Priority};
use crate::order::{Focus, Known};

/// See the module's text.
pub struct Ss;

impl Priority for Ss {
    fn values(&self) -> u32 {
        2
    }

    fn asks(&self) -> Asks {
        Asks { insight: true, ..Asks::default() }
    }

    fn value(&self, known: &Known, _: &Focus) -> u32 {
        u32::from(known.marks.asleep)
    }
}
