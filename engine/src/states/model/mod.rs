//! `abstract` without a bound: states are walked in a model, and the program is run only to learn what the
//! model does not know (paper 001, lightweight state matching).
//!
//! Where every state is explored by running the program, each step from one state to another costs
//! an execution, and there are many more of those than of executions that differ for a thread. The marking
//! (`marking`) makes that unnecessary: it says what a step leads to without the program. All that it
//! does not say is what a thread does at a place where it has never been, and whether a compare-exchange
//! stores what it has never found there. So [`Walk`] goes through the states depth first, by what executions
//! have shown of each thread (`learned`), and asks for an execution where they have not: one that leads to
//! the state and goes on from there. What that shows of all threads is known from then on.
//!
//! # Why nothing is lost
//!
//! A thread at the same place has done and read the same, so it is about to do the same. Who can go on, and what
//! a step does to others, follows from what the operations are (`State`). A trace that shows anything else
//! than this says (who could go on, how an operation turned out, what a thread did at a known place) ends the
//! model, and the search begins anew with an execution for each step; so does an operation that the model does
//! not know. What fails in a thread's own code fails at a place, and every place that can be reached is reached by
//! an execution. Deadlocks are states, and each is run. (A Rust test
//! that panics is not walked: which of several panics is told depends on their order.) Of plain accesses that race, two are next to each
//! other in some state; one such pair of places in the program is run, where only synchronisation orders
//! threads (`learned::Learned::does` refuses what orders them otherwise beside plain accesses).

mod learned;
mod state;
mod walk;

use super::marking::Marking;
use crate::config::{Bound, Config, Order, Reduce, States};
use crate::reduction::Pruning;
use raddle_schedule::Granularity;
use state::State;
pub use walk::Walk;

/// A walk, where this search can be one.
pub fn walk(config: &Config) -> Option<Box<dyn Pruning + Send>> {
    let whole = config.below.is_none() && config.is_whole();
    let plain = config.states == States::Abstract && config.reduce == Reduce::None;
    let points = matches!(config.granularity, Granularity::Sync | Granularity::Access);
    // What somebody leads is re-ordered, and a walk keeps one execution waiting.
    let free =
        config.bound == Bound::None && config.order == Order::Dfs && !config.promote_races && !config.led;
    let can = whole && plain && points && free;
    can.then(|| {
        Box::new(Walk::new(State::new(Marking::new(config, false)), config.max_steps, config.mutant)) as _
    })
}
