//! Orders: which execution comes next.

mod dfs;
mod random;

use crate::config;
use crate::reduction::Child;

/// Chooses among the waiting executions, or makes executions up.
///
/// The contract: `cost` orders the children of one round, lower first, the most recent first
/// among equals; it permutes what waits and nothing else, so that every execution is run once
/// and all in the end. A sampler walks no tree: it names a seed for each execution, and promises
/// no completeness (algorithms, rule 11).
pub trait Strategy {
    /// Priority of a waiting execution within its round.
    fn cost(&self, child: &Child) -> u16;

    /// The seed of the n-th execution, for a sampler.
    fn sample(&self, n: u64) -> Option<u64>;
}

/// The order with this name. Values that are not built were refused by [`crate::check`].
pub fn strategy(order: &config::Order, seed: u64) -> Box<dyn Strategy + Send> {
    match order {
        config::Order::Random => Box::new(random::Random { seed }),
        _ => Box::new(dfs::Dfs),
    }
}

pub use random::seed_of;
