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

    /// It does not go on.
    pub fn give_up(&mut self) {
        self.given_up |= !self.over;
        self.over = true;
    }

    /// Has it come to its end?
    pub fn look(&mut self) {
        self.over |= self.search.is_stopped() || self.search.is_exhausted();
    }

    /// Executions of any outcome.
    pub fn runs(&self) -> u64 {
        self.search.progress().executions
    }

    /// Did it run everything?
    pub fn is_complete(&self) -> bool {
        !self.given_up && self.search.is_complete()
    }
}
