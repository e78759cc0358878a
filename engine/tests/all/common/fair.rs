//! Searches beside plain enumeration: what every fair execution of a program shows, and the searches that have to find it.

use raddle_engine::analysis::wait_cycle::wait_cycles;
use raddle_engine::points::{Point, bits, points};
use raddle_engine::search::Turn;
use raddle_engine::simulated::{Program, Simulated};
use raddle_engine::{
    Bound, Config, Control, FailureKind, Order, Portfolio, Reduce, States, Summary, fair, search,
};
use raddle_schedule::{Choice, Delta, Granularity, Outcome, Plan, Trace};
use std::collections::BTreeMap;

/// A failure as the searches tell it, and the fewest preemptions with which it is found.
pub type Found = BTreeMap<Told, u32>;

/// The failures of all fair executions, each with its preemptions.
pub type Enumerated = Vec<(Told, u32)>;

/// A failure: kind, place and text.
pub type Told = (&'static str, u32, String);

pub fn within(all: &Enumerated, most: u32) -> Found {
    let mut found = Found::new();
    for (failure, preemptions) in all.iter().filter(|(_, p)| *p <= most) {
        let fewest = found.entry(failure.clone()).or_insert(*preemptions);
        *fewest = (*fewest).min(*preemptions);
    }
    found
}

/// Runs every interleaving, fair or not, and keeps the failures of those that are fair; `None` if there are more than
/// so many.
pub fn enumerate(
    program: &Program,
    (granularity, most): (Granularity, usize),
    told: impl Fn(&Trace) -> Vec<Told>,
) -> Option<Enumerated> {
    let mut simulated = Simulated::new(program.clone(), granularity);
    let (mut waiting, mut trace, mut runs) = (vec![Vec::new()], Trace::default(), 0);
    let mut all = Enumerated::new();
    while let Some(deltas) = waiting.pop() {
        runs += 1;
        if runs > most {
            return None;
        }
        simulated.execute(&Plan::new(0, deltas.clone(), 300), &mut trace);
        assert!(trace.outcome != Outcome::Truncated && trace.outcome != Outcome::Unfollowable, "{trace:?}");
        let (mut preemptions, last) = (0, deltas.last().copied());
        for point in points(&trace) {
            let open = |step: u32| last.is_none_or(|d: Delta| d.step < step);
            let mut push = |step, choice| {
                waiting.push(deltas.iter().copied().chain([Delta { step, choice }]).collect());
            };
            match point {
                Point::Thread(p) => {
                    let taken = p.event.thread();
                    preemptions += u32::from(p.preempts(taken));
                    if open(p.step) {
                        bits(p.alternatives() & !(1 << taken)).for_each(|t| push(p.step, Choice::Thread(t)));
                    }
                }
                Point::Choice(p) => {
                    let here =
                        last.is_some_and(|d| d.step == p.step && matches!(d.choice, Choice::Thread(_)));
                    let others = bits(p.mask).filter_map(|b| p.alternative(b)).filter(|c| *c != p.chosen);
                    others.filter(|_| open(p.step) || here).for_each(|c| push(p.step, c));
                }
            }
        }
        if !fair::is_unfair(&trace) {
            all.extend(told(&trace).into_iter().map(|failure| (failure, preemptions)));
        }
    }
    Some(all)
}

/// Threads that wait for each other are a failure however the execution ended.
pub fn told(trace: &Trace) -> Vec<Told> {
    let own = match trace.outcome {
        Outcome::Assertion => Some(("assertion", trace.site, trace.message.clone())),
        // Threads may wait for ever once main has returned.
        Outcome::Deadlock if trace.main_returned => None,
        Outcome::Deadlock => Some(deadlock()),
        outcome if outcome.is_failure() => Some(("crash", trace.site, String::new())),
        _ => None,
    };
    let cycle = (!wait_cycles(trace).is_empty()).then(deadlock);
    own.into_iter().chain(cycle).collect()
}

pub fn deadlock() -> Told {
    ("deadlock", 0, String::new())
}

pub fn found(s: &Summary) -> Found {
    let mut found = Found::new();
    for f in &s.failures {
        let told = match f.kind {
            FailureKind::Assertion => ("assertion", f.site, f.message.clone()),
            FailureKind::Deadlock => deadlock(),
            _ => ("crash", f.site, String::new()),
        };
        let fewest = found.entry(told).or_insert(f.preemptions);
        *fewest = (*fewest).min(f.preemptions);
    }
    found
}

pub fn explored(config: &Config, program: &Program) -> Summary {
    let executor = Simulated::new(program.clone(), Granularity::Sync);
    let mut executor = config.mutant.into_iter().fold(executor, Simulated::mutant);
    search(config.clone(), &mut executor, |_| Control::Continue).unwrap()
}

pub fn keys(found: &Found) -> Vec<&Told> {
    found.keys().collect()
}

/// The searches that run everything, with the bound on preemptions that they have.
pub fn searches() -> Vec<(Config, Option<u32>)> {
    let config = Config { max_steps: 300, ..crate::common::config() };
    let mut all = Vec::new();
    for in_flight in [1, 32] {
        let config = Config { in_flight, ..config.clone() };
        for reduce in [Reduce::None, Reduce::Sleep, Reduce::Persistent, Reduce::Source, Reduce::Optimal] {
            all.push((Config { reduce, ..config.clone() }, None));
        }
        let pb = Order::Priorities(vec!["pb".into()]);
        all.push((Config { reduce: Reduce::Optimal, order: pb.clone(), ..config.clone() }, None));
        all.push((Config { order: pb, ..config.clone() }, None));
        all.push((Config { states: States::Hb, ..config.clone() }, None));
        all.push((Config { bound: Bound::Iterative, ..config.clone() }, None));
        for c in 0..3 {
            let bound = Bound::Preemptions(c);
            all.push((Config { bound, ..config.clone() }, Some(c)));
            all.push((Config { bound, states: States::Hb, ..config.clone() }, Some(c)));
            all.push((Config { bound, reduce: Reduce::Bounded, ..config.clone() }, Some(c)));
        }
    }
    all
}

/// The default search tells the fewest preemptions, and its guarantee does not contradict them.
pub fn both(program: &Program, wanted: &Found) -> Result<bool, String> {
    let config = Config { max_steps: 300, ..crate::common::config() };
    let mut portfolio = Portfolio::chosen(config).unwrap();
    let mut executor = Simulated::new(program.clone(), Granularity::Sync);
    while portfolio.step(&mut executor).unwrap() != Turn::Done {}
    let s = portfolio.summary();
    if !s.complete || found(&s) != *wanted {
        return Err(format!("both: found {:?}, not {wanted:?}: {}", found(&s), s.guarantee));
    }
    Ok(true)
}
