//! One of the searches of a portfolio.

use crate::search::Search;

/// A search, and whether it goes on.
pub struct Part {
    /// The search. One that is over keeps what it has found.
    pub search: Search,
    over: bool,
    /// It was ended by the portfolio, or could not go on.
    pub given_up: bool,
}

impl Part {
    /// One that has not begun.
    pub fn new(search: Search) -> Part {
        Part { search, over: false, given_up: false }
    }

    /// Does it go on?
    pub fn is_alive(&self) -> bool {
        !self.over
    }

    /// It does not go on, and what it keeps for that is not needed any more.
    pub fn give_up(&mut self) {
        self.given_up |= !self.over;
        self.end();
    }

    /// Has it come to its end?
    pub fn look(&mut self) {
        // A search that draws has no waiting executions, also before its first one.
        let is_exhausted = !self.search.config().order.samples() && self.search.is_exhausted();
        if self.search.is_stopped() || is_exhausted {
            self.end();
        }
    }

    fn end(&mut self) {
        self.over = true;
        if !self.is_through() {
            self.search.let_go();
        }
    }

    /// Executions of any outcome.
    pub fn runs(&self) -> u64 {
        self.search.progress().executions
    }

    /// The same, with the runs that confirm predictions.
    pub fn shown(&self) -> u64 {
        self.runs() + self.search.confirmations()
    }

    /// Executions chosen so far; of one that does not go on, those that were read.
    pub fn begun(&self) -> u64 {
        if self.over { self.runs() } else { self.search.chosen() }
    }

    /// Did it run everything, up to where executions were refused?
    pub fn is_through(&self) -> bool {
        !self.given_up && self.search.is_through()
    }

    /// Did it run everything?
    pub fn is_complete(&self) -> bool {
        !self.given_up && self.search.is_complete()
    }
}
