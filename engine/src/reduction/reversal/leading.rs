//! Is the reversal of a race explored already? It is if one of the steps that are explored from the state before the race, or
//! are asleep there, is one that it can begin with (Abdulla et al. 2014, section 4).
//!
//! A step of several operations may have been one operation where another step came first: a lock that is tried in vain, and
//! what is done under it. So where there are such steps it is not asked what the reversal has before its last step, but
//! everything that does not happen after the race's first; and of a thread that is asleep what it would do in this state, which
//! was seen when it was explored. Of one that is to be explored from this state it is not known yet; but then its own execution
//! has the races that it did not have here.

use super::{Move, Race, Run};
use crate::mutants::Mutant;

impl Run<'_> {
    /// Is the reversal of a race explored from the state before the race? If it is not, `moves` are its steps, and begin with one
    /// that can be made there.
    pub fn is_explored(&mut self, race: Race, moves: &mut Vec<Move>) -> bool {
        let number = race.first as usize;
        if self.op_table.has_parts() && self.mutant != Some(Mutant::ReversalsEndEarly) {
            self.reversed(race, false, moves);
            return self.is_begun(number, moves);
        }
        self.reversed(race, true, moves);
        self.initials(race) & self.explored(number) != 0
    }

    /// Can this sequence begin with a step that is explored from the state before that one?
    fn is_begun(&mut self, number: usize, moves: &[Move]) -> bool {
        let state = self.state(number);
        let siblings = self.tree.children(state).filter(|id| self.counts(*id));
        let explored = siblings.map(|id| self.tree.explored(id));
        let begins =
            |step: Move| step.choice.is_none() && matches!(self.take_initial(moves, step), Some(Some(_)));
        self.asleep(number).iter().copied().chain(explored).any(begins)
    }
}
