//! The search, told in the order in which it happens.
//!
//! A [`Search`] holds the execution tree, the fringe of executions still to be run, and the
//! record of what was found. [`Search::step`] is one turn:
//!
//! 1. [`Config::in_flight`] plans are kept in flight (`submit_next`). `choose` takes the
//!    next: first auxiliary runs (a probe, the diagnosis of a divergence, the confirmation of a
//!    predicted deadlock), then the best of the fringe
//!    or, for a sampler, a fresh seed; when the search is complete, the audit's runs. An
//!    execution of a later round is not chosen while one of an earlier round is in flight, for
//!    that one may still find others of its own round.
//! 2. One trace is received. Traces come back in the order of the plans, so what is chosen for
//!    plan k depends on the traces 0…k−W alone and every run of the search is the same
//!    (algorithms, rule 5).
//! 3. `apply` reads the trace: the analyses (races, class), the record (counts,
//!    failures), then the reduction's expansion, which puts the execution's children into tree
//!    and fringe; a reduction other than none ([`Pruning`]) has a tree of its own, and so has a walk through
//!    states, which goes on between executions (`model`). After that
//!    the node lets go of itself, and what waits past a limit of memory is put aside (`memory`).
//!
//! [`Search::refocus`] re-orders what waits at once, at any time between two turns, and
//! [`Config::below`] makes the root of the tree the beginning that somebody chose.
//!
//! It ends when nothing waits and nothing is in flight, at the first failure, at the budget of
//! executions, or when the observer says stop; [`Search::summary`] can be asked at any time, and
//! a search that is not stepped is paused, with its plans in flight, and goes on with the next
//! `step`, however much later.

mod api;
mod apply;
mod audit;
mod auxiliary_run;
mod choose;
mod enqueue;
mod fairness;
mod memory;
mod model;
mod part;
mod predict;
mod quarantine;
mod refocus;
mod reprioritise;
mod result;
pub mod rounds;

pub use api::{Control, Error, Levels, Progress, Turn};

use crate::analysis::{Analyses, coverage::Curve, discipline::Discipline};
use crate::bound::{self, Budget, Scope};
use crate::combination::{Refusal, check};
use crate::config::{self, Config};
use crate::estimate::Estimator;
use crate::executor::{Executor, ExecutorError};
use crate::mutants::Mutant;
use crate::order::{self, Contexts, Focus, Insight, Level, Lookahead, Places, Recent, Strategy, Symmetry};
use crate::record::Record;
use crate::reduction::{self, Backtracking, Pruning};
use crate::states::{self, Calls, States};
use crate::summary::{Audit, Leaks, Peaks, StopReason, Summary};
use crate::tree::{Bin, Fringe, ROOT, Spilling, Tree, Waiting};
use auxiliary_run::{AuxiliaryRun, AuxiliaryRuns};
use predict::Predictions;
use raddle_schedule::{Granularity, Plan, Schedule, Trace, hash, plan};
use std::collections::VecDeque;

/// A plan in flight.
struct Flying {
    /// Its number.
    sequence: u64,
    /// What it is for.
    purpose: Purpose,
    /// Threads take turns in it, so that its plan does not name it ([`Config::opening`]).
    in_turn: bool,
}

/// What a plan is for.
enum Purpose {
    /// A node of the tree, in this round; with its level, if it was chosen since the last refocus.
    Node(Waiting, u32, Option<Level>),
    /// A sampler's execution.
    Sample,
    /// One of the auxiliary runs.
    AuxiliaryRun(AuxiliaryRun),
    /// A random run after the search.
    Audit,
}

impl Purpose {
    /// May it show a failure that is not recorded yet?
    fn may_show(&self) -> bool {
        match self {
            Purpose::Node(..) => true,
            Purpose::AuxiliaryRun(auxiliary_run) => auxiliary_run.may_show(),
            Purpose::Sample | Purpose::Audit => false,
        }
    }
}

/// One search that lives.
pub struct Search {
    config: Config,
    scope: Box<dyn Scope + Send>,
    order: Box<dyn Strategy + Send>,
    /// What the order asks about.
    focus: Focus,
    /// Its order heeds a focus, and where nothing is selected it is the one that it would be without
    /// ([`Config::led`]).
    is_focusable: bool,
    reduction: Box<dyn Backtracking + Send>,
    /// In the place of tree and reduction, with any reduction but none, and for a walk through states.
    reversal: Option<Box<dyn Pruning + Send>>,
    /// Executions to be run and those in flight.
    tree: Tree,
    fringe: Fringe,
    /// Where what is run last waits past a limit of memory.
    spilling: Option<Spilling>,
    contexts: Contexts,
    lookahead: Lookahead,
    insight: Insight,
    /// Which threads are symmetric, in the opening.
    symmetry: Symmetry,
    /// What was chosen where threads are symmetric.
    places: Places,
    recent: Recent,
    flying: VecDeque<Flying>,
    auxiliary_runs: AuxiliaryRuns,
    /// What is run once more, without turns.
    again: VecDeque<Purpose>,
    /// An execution in turns was lost, so there are no more of them.
    was_lost: bool,
    predictions: Predictions,
    leaks: Leaks,
    /// What is made once more without giving a block out twice.
    quarantine: VecDeque<AuxiliaryRun>,
    /// Executions that passed and gave blocks back.
    gave_back: u64,
    /// Executions that may still be chosen.
    budget: Budget,
    /// Plans submitted so far.
    sequence: u64,
    record: Record,
    estimator: Estimator,
    analyses: Analyses,
    /// Coverage so far.
    curve: Curve,
    /// The states reached, if they are remembered.
    states: Option<States>,
    /// Arrivals at points, where they are counted.
    calls: Option<Calls>,
    /// At lock-exit granularity: does the program keep to what that covers?
    discipline: Option<Discipline>,
    /// Fewest preemptions of an execution beyond the bound.
    beyond: Option<u32>,
    /// Executions found at conservative points ([`reduction::Sink::conservative`]).
    conservative: u64,
    /// Audit runs chosen, and their result; `Some` once the search itself is over.
    audit: Option<(u64, Audit)>,
    stopped: Option<StopReason>,
    /// A reduction has met an atomic block, or executions that it takes for the same and that are not.
    irreducible: bool,
    /// Nodes and bytes that were taken at most, once they are let go of (`part`).
    let_go: Option<(usize, Peaks)>,
    /// Executions were left out as unfair, or count for nothing.
    unfair_left_out: bool,
    /// The search begins anew, without a model.
    anew: bool,
    /// How it is to begin anew ([`rounds`]).
    other_rounds: Option<rounds::Anew>,
    /// Preemptions of the execution run last.
    last_preemptions: u32,
    /// Executions chosen since the last refocus and run, by level.
    levels: Levels,
    /// Reused memory.
    plan: Plan,
    trace: Trace,
}

/// Runs a search to its end. `observe` is called after every trace and at least every 50 ms.
pub fn search(
    config: Config,
    executor: &mut dyn Executor,
    mut observe: impl FnMut(&Progress) -> Control,
) -> Result<Summary, Error> {
    let mut search = Search::new(config)?;
    while search.step(executor)? != Turn::Done {
        if let Control::Stop(reason) = observe(&search.progress()) {
            search.stop(reason);
        }
    }
    Ok(search.summary())
}

impl Search {
    /// A search that has not begun. Refuses unsound combinations.
    pub fn new(config: Config) -> Result<Search, Refusal> {
        check(&config)?;
        let (mut fringe, mut contexts) = (Fringe::default(), Contexts::default());
        let below = config.below.as_ref();
        if !config.order.samples() {
            let preemptions = below.map_or(0, |p| p.preemptions);
            let context = contexts.hold_plain(preemptions);
            let prefix_hash = below.map_or(hash::EMPTY, |p| p.hash);
            fringe.push(Bin::new(0, 0), Waiting { prefix_hash, node: ROOT, context });
        }
        let reversal = states::model::walk(&config).or_else(|| reduction::pruning(&config));
        let walks = reversal.is_some() && config.reduce == config::Reduce::None;
        let (floor, preemptions) = below.map_or((0, 0), |p| (p.floor, p.preemptions));
        let estimator = match reversal {
            Some(_) => Estimator::new(config.bound, floor, 0).of_reversals(config.reduce),
            None => Estimator::new(config.bound, floor, preemptions),
        };
        Ok(Search {
            scope: bound::scope(config.bound),
            order: match config.may_be_led() {
                true => order::strategy(&config::Order::focused(), config.granularity, config.seed),
                false => order::strategy(&config.order, config.granularity, config.seed),
            },
            is_focusable: config.may_be_led(),
            focus: Focus::default(),
            reduction: reduction::backtracking(config.granularity),
            reversal,
            tree: Tree::new(below.map_or_else(Vec::new, |p| p.deltas.clone())),
            fringe,
            spilling: None,
            contexts,
            lookahead: Lookahead::default(),
            insight: Insight::default(),
            symmetry: Symmetry::default(),
            places: Places::default(),
            recent: Recent::default(),
            flying: VecDeque::with_capacity(config.in_flight),
            auxiliary_runs: AuxiliaryRuns::new(config.probe),
            again: VecDeque::new(),
            was_lost: false,
            predictions: Predictions::default(),
            leaks: Leaks::default(),
            quarantine: VecDeque::new(),
            gave_back: 0,
            budget: Budget::new(config.executions.map(|all| all.saturating_sub(config.spent))),
            sequence: 0,
            record: record(&config),
            estimator,
            analyses: Analyses::new(config.classes).counting_states(config.count_states),
            curve: Curve::default(),
            states: if walks { None } else { States::of(&config) },
            calls: (counts_calls(&config) && !walks).then(|| Calls::new(config.granularity)),
            discipline: (config.granularity == Granularity::LockExit).then(Discipline::default),
            beyond: None,
            conservative: 0,
            audit: None,
            stopped: None,
            irreducible: false,
            let_go: None,
            unfair_left_out: false,
            anew: false,
            other_rounds: None,
            last_preemptions: 0,
            levels: Levels::default(),
            plan: Plan::new(0, Vec::new(), config.max_steps),
            trace: Trace::default(),
            config,
        })
    }

    /// One turn; see the module's text.
    pub fn step(&mut self, executor: &mut dyn Executor) -> Result<Turn, Error> {
        if self.stopped.is_some() {
            return Ok(Turn::Done);
        }
        while self.flying.len() < self.config.in_flight {
            if !self.submit_next(executor, self.sequence, false)? {
                break;
            }
        }
        if self.flying.is_empty() && self.walks() {
            self.walk_on();
            return Ok(Turn::Idle);
        }
        if self.flying.is_empty() {
            if self.budget.exhausted() && (self.config.order.samples() || !self.fringe.is_empty()) {
                self.stopped = self.config.executions.map(StopReason::Executions);
            }
            return Ok(Turn::Done);
        }
        self.take(executor)
    }

    /// Submits the plan chosen next under this number, which is above those before it. False if none
    /// can be chosen now. `auxiliary_runs`: only what is run beside the search.
    pub(crate) fn submit_next(
        &mut self,
        executor: &mut dyn Executor,
        sequence: u64,
        auxiliary_runs: bool,
    ) -> Result<bool, Error> {
        let chosen = if auxiliary_runs { self.choose_auxiliary_run() } else { self.choose() };
        let Some(purpose) = chosen else { return Ok(false) };
        self.plan.sequence = sequence;
        executor.submit(&self.plan)?;
        let in_turn = self.plan.flags & plan::flags::IN_TURN != 0;
        self.flying.push_back(Flying { sequence, purpose, in_turn });
        self.sequence = sequence + 1;
        Ok(true)
    }

    /// Waits for the trace of the oldest plan in flight, and applies it.
    pub(crate) fn take(&mut self, executor: &mut dyn Executor) -> Result<Turn, Error> {
        let Some(due) = self.flying.front().map(|f| f.sequence) else { return Ok(Turn::Idle) };
        let mut trace = std::mem::take(&mut self.trace);
        trace.clear();
        let received = executor.receive(&mut trace);
        let turn = match received {
            Ok(true) if trace.sequence == due => self.apply(&trace).map(|()| Turn::Applied),
            Ok(true) => {
                let got = trace.sequence;
                let text = format!("the runner answered plan {got} where plan {due} was due");
                Err(ExecutorError(text).into())
            }
            Ok(false) => Ok(Turn::Idle),
            Err(e) => Err(e.into()),
        };
        self.trace = trace;
        turn
    }

    /// Ends the search. A paused one is simply not stepped.
    pub fn stop(&mut self, reason: StopReason) {
        self.stopped.get_or_insert(reason);
    }

    /// Plans in flight: traces that the executor still owes, also after the end.
    pub fn in_flight(&self) -> usize {
        self.flying.len()
    }
}

/// Are arrivals at points counted? Reversals do not say what is new in an execution.
fn counts_calls(config: &Config) -> bool {
    let asked = config.states != config::States::None || config.granularity == Granularity::Statement;
    asked && config.reduce == config::Reduce::None && !config.order.samples()
}

/// A record of nothing. Where all failures are asked for, it keeps what another cause may be behind; of what is drawn at
/// random that would be all.
fn record(config: &Config) -> Record {
    let keeps = config.keep_going && !config.order.samples() && !config.promote_races && !config.bare;
    let mut record = Record::new(blank(config), config.is_restricted());
    record.witnesses = keeps.then(Vec::new);
    record
}

/// What schedules are named with.
fn blank(config: &Config) -> Schedule {
    match config.mutant {
        Some(Mutant::NamedWithoutGranularity) => Schedule::default(),
        _ => config.schedule(Vec::new()),
    }
}
