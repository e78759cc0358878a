//! Orders: which execution comes next.

mod blocks;
mod context;
mod dfs;
mod insight;
mod lookahead;
mod pct;
mod places;
mod pos;
mod priority;
mod random;
mod recent;
pub mod symmetry;

pub use blocks::Blocks;
pub use context::{Contexts, Doing, Known, Marks, Moves, Switch};
pub use insight::{Earlier, Insight};
pub use lookahead::Lookahead;
pub use places::Places;
pub use random::seed_of;
pub use recent::Recent;
pub use symmetry::Symmetry;

use crate::config;
use crate::focus::{Nothing, Selection};
use raddle_schedule::sampler::Method;
use raddle_schedule::{Granularity, Trace};

/// How much a person's focus wants an execution: GAMBIT's three levels (paper 003, section 4.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Both sides of the switch are selected.
    High,
    /// One side is.
    Medium,
    /// None is.
    #[default]
    Low,
}

/// What an order says of an execution that waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Its place within its round: lower first.
    pub rank: u32,
    /// The highest level that any of the priority functions gives it.
    pub level: Level,
}

/// The focus, as orders ask about it.
pub struct Focus {
    selection: Box<dyn Selection + Send>,
    /// What the numbers of blocks stand for.
    pub blocks: Blocks,
}

impl Default for Focus {
    fn default() -> Self {
        Focus { selection: Box::new(Nothing), blocks: Blocks::default() }
    }
}

impl Focus {
    /// From now on this is selected.
    pub fn select(&mut self, selection: Box<dyn Selection + Send>) {
        self.selection = selection;
    }

    /// Is this done in a selected method?
    pub fn method(&self, doing: &Doing) -> bool {
        self.selection.method(doing.operation.method)
    }

    /// Is a selected variable worked on, by the step or together with it?
    pub fn variable(&self, doing: &Doing) -> bool {
        let within = self.blocks.get(doing.within);
        std::iter::once(&doing.operation).chain(within).any(|o| self.selection.variable(o))
    }
}

/// What an order has to know of the executions that wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asks {
    /// Anything; otherwise all are equal.
    pub cost: bool,
    /// What the threads of a switch are about to do, which a focus is about.
    pub switch: bool,
    /// What they do together with their steps.
    pub within: bool,
    /// What partial-order reduction would say ([`Insight`]).
    pub insight: bool,
    /// Also of executions that were filed before.
    pub earlier: bool,
}

impl Asks {
    /// Both.
    fn and(self, other: Asks) -> Asks {
        Asks {
            cost: self.cost || other.cost,
            switch: self.switch || other.switch,
            within: self.within || other.within,
            insight: self.insight || other.insight,
            earlier: self.earlier || other.earlier,
        }
    }
}

/// Chooses among the waiting executions, or makes executions up.
///
/// The contract: `cost` and `draw` order the children of one round, lower first, the most recent
/// first among equals; they permute what waits and nothing else, so that every execution is run once
/// and all in the end. The cost is a function of what is known and of the selection, and is asked
/// again for everything that waits when the selection changes. A sampler walks no tree: it names a
/// seed for each execution, which the executor draws from (`raddle_schedule::sampler`), and promises
/// no completeness (algorithms, rule 11).
pub trait Strategy {
    /// What the cost depends on.
    fn asks(&self) -> Asks {
        Asks::default()
    }

    /// Priority of a waiting execution within its round.
    fn cost(&self, _: &Known, _: &Focus) -> Cost {
        Cost::default()
    }

    /// What is drawn for an execution, by a number that stands for it. It is added to the rank,
    /// which leaves room for it.
    fn draw(&self, _: u64) -> u32 {
        0
    }

    /// The n-th execution, for a sampler.
    fn sample(&self, _: u64) -> Option<Sample> {
        None
    }

    /// An execution was run.
    fn ran(&mut self, _: &Trace) {}
}

/// An execution that a sampler makes up.
pub struct Sample {
    /// What it is drawn from.
    pub seed: u64,
    /// How it is drawn.
    pub method: Method,
    /// Nothing else is in flight meanwhile: what follows is drawn by what this one tells.
    pub alone: bool,
}

/// The order with this name. Values that are not built were refused by [`crate::check`].
pub fn strategy(order: &config::Order, granularity: Granularity, seed: u64) -> Box<dyn Strategy + Send> {
    match order {
        config::Order::Random => Box::new(random::Random { seed }),
        config::Order::Pct(depth) => Box::new(pct::Pct::new(*depth, granularity, seed)),
        config::Order::Pos => Box::new(pos::Pos { seed }),
        config::Order::Priorities(names) => Box::new(priority::Hierarchy::new(names, seed)),
        config::Order::Dfs => Box::new(dfs::Dfs),
    }
}
