//! What a search is asked to do: one value per axis, and limits. The words are those of the
//! command line (interface.md); values that are not built yet have a name so that
//! [`crate::check`] can refuse them by it.

mod words;

use crate::mutants::Mutant;
use crate::prefix::Prefix;
use raddle_schedule::{Delta, Granularity, Schedule};
use std::borrow::Cow;

/// Most steps of an execution unless said otherwise.
pub const MAX_STEPS: u32 = 20_000;
/// Plans in flight. A constant, so that `found_after` is the same however many runners there are.
pub const IN_FLIGHT: usize = 32;

/// Which executions are out of scope, or come later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Bound {
    /// None is.
    #[default]
    None,
    /// Those with more than so many preemptions.
    Preemptions(u32),
    /// None in the end: all executions with c preemptions before any with c + 1 (paper 000).
    Iterative,
    /// Those that differ from the default behaviour after their first so many steps.
    Depth(u32),
}

/// Which execution comes next.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Order {
    /// The most recently found one: memory stays that of a depth-first search.
    #[default]
    Dfs,
    /// Every choice at random; promises no completeness.
    Random,
    /// Probabilistic concurrency testing for bugs of this depth (Burckhardt et al. 2010).
    Pct(u32),
    /// Partial-order sampling (Yuan, Yang, Gu 2018).
    Pos,
    /// Priority functions in order of weight (paper 003): `pb`, `dpor`, `mdpor`, `ss`, `rand`, `method`
    /// and `var`. `dfs` may stand at the end; the most recent of equals comes first in any case.
    Priorities(Vec<String>),
}

/// Which executions are redundant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Reduce {
    /// None is.
    #[default]
    None,
    /// Those that begin with a step which is asleep (Godefroid 1996).
    Sleep,
    /// Those outside of persistent sets, found by race reversal (Flanagan and Godefroid 2005).
    Persistent,
    /// Those outside of source sets (Abdulla et al. 2014).
    Source,
    /// All but one of each class, by wakeup trees (Abdulla et al. 2014).
    Optimal,
    /// As far as a bound on preemptions lets it be said (Coons, Musuvathi, McKinley 2013).
    Bounded,
    /// Orders of atomic blocks that only move one past others it has nothing to do with (ExitBlock-RW,
    /// paper 004).
    Rw,
    /// Unfoldings (paper 001). Not built yet.
    Unfolding,
    /// Contextual unfoldings (paper 001). Not built yet.
    Contextual,
}

/// Is a reached state explored again?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum States {
    /// It is.
    #[default]
    None,
    /// Not if its happens-before signature is known (paper 000).
    Hb,
    /// Not if it is in the table by combined counters (paper 002).
    Counters,
    /// Not if its abstract marking is known (paper 001).
    Abstract,
}

/// A search to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Where a switch may happen. The executor already works so; the engine names it.
    pub granularity: Granularity,
    /// Functions that points are restricted to; empty for everywhere. As for the granularity.
    pub points_at: Vec<String>,
    /// Variables every access to which is a point too, and synchronises; as for the granularity.
    pub promoted: Vec<String>,
    /// End at the first execution with a data race, with its first race: whoever searches promotes the
    /// variable and searches again (algorithms, rule 8).
    pub promote_races: bool,
    /// Functions and modules in which there are no points. As for the granularity.
    pub trusted: Vec<String>,
    /// See [`PointsIn`]. As for the granularity.
    pub points_in: PointsIn,
    /// The executor carries operations of dependencies out with the step before; as for the granularity.
    pub outside: bool,
    /// What may happen by itself, for the guarantee; empty for nothing. As for the granularity.
    pub by_itself: &'static str,
    /// So many threads can be there at once, for the guarantee; `None` where creating one never fails. As for the granularity.
    pub max_threads: Option<u32>,
    /// The seed that the executor draws the program's random numbers from. As for the granularity.
    pub random_seed: u64,
    /// Which executions are out of scope.
    pub bound: Bound,
    /// Which execution comes next.
    pub order: Order,
    /// Run only executions with this beginning.
    pub below: Option<Prefix>,
    /// Somebody may select methods and variables while it runs, in an order that was not asked for ([`Order::Dfs`]).
    /// From then on it is that of [`Order::focused`]; until then nothing is otherwise than without this.
    pub led: bool,
    /// Which executions are redundant.
    pub reduce: Reduce,
    /// Memory of states.
    pub states: States,
    /// The executor does not see what programs of this kind keep in plain memory, so that a state is
    /// not told by it, and to `--reduce rw` a mutex stands for what it guards.
    pub opaque: bool,
    /// Seed of random orders and of the audit.
    pub seed: u64,
    /// Stop after so many executions of any outcome.
    pub executions: Option<u64>,
    /// Executions of that limit that were used before: the search begins anew.
    pub spent: u64,
    /// With a reduction: no thread goes on behind a round in vain ([`crate::search::rounds`]).
    pub one_round: bool,
    /// Loops that the executor knows by then.
    pub loops: u8,
    /// Go on after the first failure and report distinct ones.
    pub keep_going: bool,
    /// Cut an execution off after so many steps.
    pub max_steps: u32,
    /// After a complete search so many random runs must land in explored classes.
    pub audit: u64,
    /// Plans in flight; [`IN_FLIGHT`] but in tests.
    pub in_flight: usize,
    /// With a reduction: in so many executions at the beginning the earliest races are reversed first, and
    /// threads take turns behind what is asked for ([`raddle_schedule::plan::flags::IN_TURN`]), so that these
    /// executions differ much from each other. Which executions there are does not depend on it.
    pub opening: u64,
    /// Count distinct happens-before classes.
    pub classes: bool,
    /// Count distinct states ([`crate::analysis::coverage`]).
    pub count_states: bool,
    /// Run an execution again now and then and compare.
    pub probe: bool,
    /// Predict deadlocks from the order in which locks are taken, and confirm them beside the search.
    pub predict: bool,
    /// Look in some executions for blocks of the heap that are lost.
    pub leaks: bool,
    /// Run some executions once more in which no block of the heap is given out twice ([`mod@crate::search`]).
    pub quarantine: bool,
    /// What the executor does not see in programs of this kind, for the guarantee (rule 12);
    /// empty when it sees everything.
    pub unwatched: Cow<'static, str>,
    /// Plain memory may be touched unseen (by code without hooks, in assembly): states are told apart by what
    /// guards it as well.
    pub unseen: bool,
    /// No analysis reads the executions, so that the search promises nothing: what the analyses cost is measured
    /// against this.
    #[doc(hidden)]
    pub bare: bool,
    /// A rule broken on purpose; `None` but in tests of the tests.
    #[doc(hidden)]
    pub mutant: Option<Mutant>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            granularity: Granularity::Sync,
            points_at: Vec::new(),
            promoted: Vec::new(),
            promote_races: false,
            trusted: Vec::new(),
            points_in: PointsIn::default(),
            outside: false,
            by_itself: "",
            max_threads: None,
            random_seed: 0,
            bound: Bound::None,
            order: Order::Dfs,
            below: None,
            led: false,
            reduce: Reduce::None,
            states: States::None,
            opaque: false,
            seed: 0,
            executions: None,
            spent: 0,
            one_round: false,
            loops: 0,
            keep_going: false,
            max_steps: MAX_STEPS,
            audit: 0,
            in_flight: IN_FLIGHT,
            opening: 0,
            classes: true,
            count_states: false,
            probe: true,
            predict: true,
            leaks: false,
            quarantine: false,
            unwatched: Cow::Borrowed(""),
            unseen: false,
            bare: false,
            mutant: None,
        }
    }
}

/// Operations that are points beside those that the granularity says ([`raddle_schedule::dependency`] has their names).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointsIn {
    /// Dependencies with all their points.
    pub dependencies: Vec<String>,
    /// Operations that the search has met and had to have as points; in its schedules.
    pub found: Vec<String>,
}

impl Config {
    /// A schedule of this search.
    pub fn schedule(&self, deltas: Vec<Delta>) -> Schedule {
        let promoted = self.promoted.clone();
        let (granularity, seed) = (self.granularity, self.random_seed);
        let points = self.points_in.found.clone();
        Schedule { granularity, seed, quarantine: false, points, promoted, deltas, hash: None }
    }

    /// May its order become that of a focus?
    pub fn may_be_led(&self) -> bool {
        self.led && self.order == Order::Dfs
    }

    /// Are there operations that are no schedule points?
    pub fn is_restricted(&self) -> bool {
        self.granularity == Granularity::Statement || !self.points_at.is_empty()
    }

    /// Does every step consist of one operation, at this granularity?
    pub fn is_whole(&self) -> bool {
        self.tells_parts() && !self.outside
    }

    /// Does a trace tell of each step all operations that others can depend on, at this granularity?
    pub fn tells_parts(&self) -> bool {
        !self.is_restricted() && self.trusted.is_empty()
    }
}
