//! `--promote-races` on simulated programs (algorithms, rule 8; paper 000, theorems 2 and 3): once no
//! variable races that is not promoted, points at synchronisation and at the promoted variables find
//! exactly the failures that points at every access find, each with as few preemptions.

use crate::common::brute::{self, Fault, within};
use crate::common::{compare, many};
use raddle_engine::simulated::{Instr, Program, Simulated, Value};
use raddle_engine::{Bound, Config, Control, Failure, FailureKind, Reduce, StopReason, Summary, search};
use raddle_schedule::{Granularity, OpKind, Outcome};
use std::collections::{BTreeMap, BTreeSet};

/// States, and executions of a round, beyond which a program is too large.
const STATES: usize = 20_000;
const RUNS: u64 = 4_000;

/// What came of all rounds.
struct Promoted {
    summary: Summary,
    variables: BTreeSet<u32>,
    rounds: u32,
}

/// The variable that a race is about; `None` where memory is given back, which is no access.
fn variable(failure: &Failure) -> Option<u32> {
    let race = failure.race?;
    let accesses = [race.first.kind, race.second.kind].iter().all(|k| *k != OpKind::Free);
    accesses.then_some(((race.first.object - 0x40_0000) / 8) as u32)
}

/// Searches until no new race appears; `None` where that takes too many executions, or what races
/// cannot be promoted.
fn promote(program: &Program, config: &Config) -> Result<Option<Promoted>, String> {
    let mut variables = BTreeSet::new();
    for rounds in 1.. {
        let numbers: Vec<u32> = variables.iter().copied().collect();
        let config = Config {
            promote_races: true,
            promoted: numbers.iter().map(|v| format!("v{v}")).collect(),
            executions: Some(RUNS),
            ..config.clone()
        };
        let mut executor = Simulated::new(program.clone(), Granularity::Sync).promoting(&numbers);
        let summary = search(config, &mut executor, |_| Control::Continue).map_err(|e| e.to_string())?;
        let races: Vec<&Failure> =
            summary.failures.iter().filter(|f| f.kind == FailureKind::DataRace).collect();
        if races.is_empty() {
            let over = !matches!(summary.stopped, Some(StopReason::Executions(_)));
            return Ok(over.then_some(Promoted { summary, variables, rounds }));
        }
        if summary.stopped != Some(StopReason::Failure) {
            return Err(format!("a race does not end the round: {:?}", summary.stopped));
        }
        for race in races {
            let Some(v) = variable(race) else { return Ok(None) };
            if !variables.insert(v) {
                return Err(format!("v{v} races although it is promoted"));
            }
        }
    }
    unreachable!("there are four variables")
}

/// Failures by kind and place, with the fewest preemptions.
type Fewest = BTreeMap<(Outcome, u32), u32>;

fn wanted(all: &BTreeMap<Fault, u32>) -> Fewest {
    let mut fewest = Fewest::new();
    for (fault, n) in all {
        let site = fault.places.iter().map(|p| p.1).sum();
        let known = fewest.entry((fault.kind, site)).or_insert(*n);
        *known = (*known).min(*n);
    }
    fewest
}

fn found(summary: &Summary) -> Fewest {
    let mut fewest = Fewest::new();
    for f in &summary.failures {
        let (outcome, sites) = compare::key(f);
        let known = fewest.entry((outcome, sites.iter().sum())).or_insert(f.preemptions);
        *known = (*known).min(f.preemptions);
    }
    fewest
}

/// Compares with brute force over the program with points at every access.
fn stands_for_every_access(program: &Program, config: &Config) -> Result<bool, String> {
    if program.bodies.iter().flatten().any(|i| matches!(i, Instr::Free(_))) {
        return Ok(false);
    }
    let Some(all) = within::failures(program, Granularity::Access, STATES) else { return Ok(false) };
    let Some(promoted) = promote(program, config)? else { return Ok(false) };
    if promoted.rounds as usize > promoted.variables.len() + 1 {
        return Err(format!("{} rounds for {:?}", promoted.rounds, promoted.variables));
    }
    compare::failures_replay(program, &promoted.summary)?;
    let (found, wanted) = (found(&promoted.summary), wanted(&all));
    // Of equivalent executions a reduction runs any, with however many preemptions.
    let same = match config.reduce {
        Reduce::None => found == wanted,
        _ => found.keys().eq(wanted.keys()),
    };
    if !same {
        return Err(format!("with {:?} promoted {found:?}, not {wanted:?}", promoted.variables));
    }
    Ok(true)
}

#[test]
fn what_is_promoted_stands_for_every_access() {
    let config = Config { bound: Bound::Iterative, ..crate::common::config() };
    many::compared(many::each_program(81, |program| stands_for_every_access(program, &config)), 0.3);
}

#[test]
fn with_a_reduction_too() {
    for reduce in [Reduce::Optimal, Reduce::Source, Reduce::Sleep] {
        let config = Config { reduce, ..crate::common::config() };
        many::compared(many::each_program(82, |program| stands_for_every_access(program, &config)), 0.3);
    }
}

/// The second race is there only where the first one came out in an order that points at
/// synchronisation do not show.
#[test]
fn a_race_behind_a_race() {
    use raddle_engine::simulated::{Condition, Is};
    let zero = |r| Condition(Value::Reg(r), Is::Equal, Value::Const(0));
    // T1 raises v0 for a moment; whoever sees that writes v1.
    let momentary =
        vec![Instr::Write(0, Value::Const(1)), Instr::Write(0, Value::Const(0)), Instr::Read(1, 1)];
    let seeing = vec![Instr::Read(0, 0), Instr::JumpIf(zero(0), 3), Instr::Write(1, Value::Const(1))];
    let program = Program::fork_join(vec![momentary, seeing]);
    let config = Config { bound: Bound::Iterative, ..crate::common::config() };
    let promoted = promote(&program, &config).unwrap().unwrap();
    assert_eq!((promoted.rounds, promoted.variables), (3, BTreeSet::from([0, 1])));
    assert!(promoted.summary.complete && promoted.summary.failures.is_empty());
    let guarantee = promoted.summary.guarantee;
    assert!(
        guarantee.contains(
            "sync points and accesses to v0 and v1 that the compiler has left, promoted since they raced"
        ),
        "{guarantee}"
    );
}

/// What a promoted flag hands over is ordered by it.
#[test]
fn a_promoted_flag_orders_what_it_hands_over() {
    use raddle_engine::simulated::{Condition, Is};
    let zero = |r| Condition(Value::Reg(r), Is::Equal, Value::Const(0));
    let gives = vec![Instr::Write(1, Value::Const(7)), Instr::Write(0, Value::Const(1))];
    let takes = vec![Instr::Read(0, 0), Instr::JumpIf(zero(0), 3), Instr::Read(1, 1)];
    let program = Program::fork_join(vec![gives, takes]);
    let config = Config { bound: Bound::Iterative, ..crate::common::config() };
    let promoted = promote(&program, &config).unwrap().unwrap();
    assert_eq!((promoted.rounds, promoted.variables), (2, BTreeSet::from([0])));
    // Fewer points than with every access being one.
    let all = brute::enumerate(&program, true, 10_000).unwrap();
    assert!(promoted.summary.executions < all.len() as u64);
}
