//! Priority functions (paper 003, section 4), combined hierarchically: the one listed first
//! decides, the next among its equals, and so on; what is equal in all is taken most recent first.

mod dpor;
mod mdpor;
mod method;
mod pb;
mod rand;
mod ss;
mod var;

use super::{Asks, Cost, Focus, Known, Level, Strategy};

/// One priority function. The paper's `GetPriority(exec, bstep, tid)`: what is known is what the
/// execution that was run says of the step and the thread.
trait Priority {
    /// Its values are below this.
    fn values(&self) -> u32;

    /// What it has to know.
    fn asks(&self) -> Asks;

    /// Its value of an execution; lower ones go first.
    fn value(&self, known: &Known, focus: &Focus) -> u32;

    /// How much the focus wants the execution, if it heeds one.
    fn level(&self, _: &Known, _: &Focus) -> Level {
        Level::Low
    }

    /// A random value for what this number stands for, in the place of [`Priority::value`].
    fn draw(&self, _: u64) -> u32 {
        0
    }
}

/// Values of a function that tells levels.
const LEVELS: u32 = 3;

/// The function with this name; `dfs` is none, since it says only what holds anyway.
fn priority(name: &str, seed: u64) -> Option<Box<dyn Priority + Send>> {
    match name {
        "pb" => Some(Box::new(pb::Pb)),
        "dpor" => Some(Box::new(dpor::Dpor)),
        "mdpor" => Some(Box::new(mdpor::Mdpor)),
        "ss" => Some(Box::new(ss::Ss)),
        "rand" => Some(Box::new(rand::Rand { seed })),
        "method" => Some(Box::new(method::Method)),
        "var" => Some(Box::new(var::Var)),
        _ => None,
    }
}

/// A list of priority functions.
pub struct Hierarchy {
    functions: Vec<Box<dyn Priority + Send>>,
}

impl Hierarchy {
    /// Of these names, each once, so that ranks stay below 3 · 3 · 2 · 2 · 2 · 1024 · 1024.
    pub fn new(names: &[String], seed: u64) -> Hierarchy {
        Hierarchy { functions: names.iter().filter_map(|n| priority(n, seed)).collect() }
    }
}

impl Strategy for Hierarchy {
    fn asks(&self) -> Asks {
        let all = self.functions.iter().map(|f| f.asks()).fold(Asks::default(), Asks::and);
        Asks { cost: !self.functions.is_empty(), ..all }
    }

    fn cost(&self, known: &Known, focus: &Focus) -> Cost {
        let mut cost = Cost::default();
        for function in &self.functions {
            cost.rank = cost.rank * function.values() + function.value(known, focus);
            cost.level = cost.level.min(function.level(known, focus));
        }
        cost
    }

    fn draw(&self, key: u64) -> u32 {
        self.functions.iter().fold(0, |rank, f| rank * f.values() + f.draw(key))
    }
}

/// High if both are selected, medium if one is.
fn level(preempted: bool, preempting: bool) -> Level {
    match (preempted, preempting) {
        (true, true) => Level::High,
        (false, false) => Level::Low,
        _ => Level::Medium,
    }
}
