//! The number of executions asked for. (Time is the server's: the engine has no clock.)

/// Executions still allowed. Counted when they are chosen, so that with plans in flight exactly
/// so many are run.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// The limit, if there is one.
    pub limit: Option<u64>,
    /// Chosen so far.
    pub spent: u64,
}

impl Budget {
    /// Nothing spent.
    pub fn new(limit: Option<u64>) -> Self {
        Budget { limit, spent: 0 }
    }

    /// Is nothing left?
    pub fn exhausted(&self) -> bool {
        self.limit.is_some_and(|limit| self.spent >= limit)
    }
}
