//! Priority functions (paper 003, section 4), combined hierarchically: the one listed first
//! decides, the next among its equals, and so on; what is equal in all is taken most recent first.

mod method;
mod var;

use super::{Cost, Focus, Level, Strategy, Switch};

/// One priority function. The paper's `GetPriority(exec, bstep, tid)`: the switch is what the
/// thread at the step and the other thread are about to do in the execution that was run.
trait Priority {
    /// How much it wants the execution that this switch leads to.
    fn level(&self, switch: &Switch, focus: &Focus) -> Level;

    /// Does it ask what is done together with a step?
    fn looks_within(&self) -> bool {
        false
    }
}

/// The function with this name, if it is built.
fn priority(name: &str) -> Option<Box<dyn Priority + Send>> {
    match name {
        "method" => Some(Box::new(method::Method)),
        "var" => Some(Box::new(var::Var)),
        _ => None,
    }
}

/// Is there a priority function of this name?
pub fn is_built(name: &str) -> bool {
    priority(name).is_some()
}

/// A list of priority functions.
pub struct Hierarchy {
    functions: Vec<Box<dyn Priority + Send>>,
}

impl Hierarchy {
    /// Of these names; `dfs` at the end says only what holds anyway.
    pub fn new(names: &[String]) -> Hierarchy {
        Hierarchy { functions: names.iter().filter_map(|n| priority(n)).collect() }
    }
}

impl Strategy for Hierarchy {
    fn looks_ahead(&self) -> bool {
        true
    }

    fn looks_within(&self) -> bool {
        self.functions.iter().any(|f| f.looks_within())
    }

    fn cost(&self, switch: &Switch, focus: &Focus) -> Cost {
        const LEVELS: u32 = 3;
        let mut cost = Cost::default();
        for function in &self.functions {
            let level = function.level(switch, focus);
            cost.rank = cost.rank * LEVELS + level as u32;
            cost.level = cost.level.min(level);
        }
        cost
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
