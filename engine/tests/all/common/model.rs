//! A second, plain best-first search: everything that waits in one list, every cost asked anew at
//! every choice. Says which plans the engine must choose, in which order.

use super::focus::{Picked, doing};
use raddle_engine::points::{Point, bits, points};
use raddle_engine::simulated::{Program, Simulated};
use raddle_engine::{Bound, Config, Levels};
use raddle_schedule::{Choice, Delta, Plan, Trace, plan};
use std::collections::VecDeque;
use std::rc::Rc;

/// An execution that waits, or is in flight.
struct Item {
    deltas: Vec<Delta>,
    preemptions: u32,
    /// The execution that it was found in, and where it differs; `None` for the root.
    found: Option<(Rc<Trace>, u32, Choice)>,
    /// Its level when it was chosen, unless the focus changed since.
    level: Option<usize>,
}

/// The levels of an execution, by the functions of the list: 0 is high, 2 low.
fn levels(item: &Item, functions: &[&str], picked: &Picked) -> Vec<usize> {
    let Some((trace, step, choice)) = &item.found else { return vec![2; functions.len()] };
    let taken = trace.events.iter().filter(|e| e.is_step()).nth(*step as usize).unwrap().thread();
    let one = doing(trace, taken, *step);
    let other = match choice {
        Choice::Thread(t) | Choice::Waiter(t) => doing(trace, *t, *step),
        _ => one.clone(),
    };
    let level = |name: &&str| match *name {
        "method" => 2 - usize::from(picked.has_method(&one)) - usize::from(picked.has_method(&other)),
        _ => 2 - usize::from(picked.has_variable(&one)) - usize::from(picked.has_variable(&other)),
    };
    functions.iter().map(level).collect()
}

/// What the model says of a search.
pub struct Modelled {
    /// The plans in order, as [`super::Noting`] writes them.
    pub plans: Vec<String>,
    /// At the end.
    pub levels: Levels,
}

/// Searches with these functions as the order. Before turn n of the search, the focus changes to
/// what is given for n.
pub fn search(
    program: &Program,
    config: &Config,
    functions: &[&str],
    changes: &[(usize, Picked)],
) -> Modelled {
    let mut simulated = super::focus::Methodical(Simulated::new(program.clone(), config.granularity));
    let root = Item { deltas: Vec::new(), preemptions: 0, found: None, level: None };
    let (mut waiting, mut flying) = (vec![root], VecDeque::<Item>::new());
    let (mut plans, mut counts) = (Vec::new(), [0u64; 3]);
    let mut picked = Picked::default();
    let round = |i: &Item| if config.bound == Bound::Iterative { i.preemptions } else { 0 };
    for turn in 0.. {
        for (_, new) in changes.iter().filter(|(at, _)| *at == turn) {
            picked = new.clone();
            counts = [0; 3];
            flying.iter_mut().for_each(|f| f.level = None);
        }
        while flying.len() < config.in_flight {
            let key = |i: &usize| {
                let item = &waiting[*i];
                (round(item), levels(item, functions, &picked), usize::MAX - i)
            };
            let Some(best) = (0..waiting.len()).min_by_key(key) else { break };
            if flying.iter().any(|f| round(f) < round(&waiting[best])) {
                break;
            }
            let mut item = waiting.remove(best);
            item.level = Some(levels(&item, functions, &picked).into_iter().min().unwrap_or(2));
            plans.push(super::text(&item.deltas));
            flying.push_back(item);
        }
        let Some(item) = flying.pop_front() else { break };
        if let Some(level) = item.level {
            counts[level] += 1;
        }
        let mut trace = Trace::default();
        simulated.execute(&Plan::new(0, item.deltas.clone(), config.max_steps), &mut trace);
        waiting.extend(children(&item, Rc::new(trace)));
    }
    let [high, medium, low] = counts;
    Modelled { plans, levels: Levels { high, medium, low } }
}

/// The executions that differ from this one after its own last difference, in the order in which
/// the engine promises to find them: by step, at a step the highest thread first.
fn children(item: &Item, trace: Rc<Trace>) -> Vec<Item> {
    let mut found: Vec<(u32, Choice, u32)> = Vec::new();
    let after = |step, choice| {
        let behind = |d: &Delta| {
            step > d.step
                || (step == d.step
                    && matches!((d.choice, choice), (Choice::Thread(_), c) if !matches!(c, Choice::Thread(_))))
        };
        item.deltas.last().is_none_or(behind)
    };
    for point in points(&trace) {
        match point {
            Point::Thread(p) => {
                let others = p.alternatives() & !(1 << p.event.thread());
                let mut others: Vec<u8> = bits(others).collect();
                others.reverse();
                for t in others {
                    found.push((p.step, Choice::Thread(t), u32::from(p.preempts(t))));
                }
            }
            Point::Choice(p) => {
                let others = bits(p.mask).filter_map(|b| p.alternative(b)).filter(|c| *c != p.chosen);
                found.extend(others.map(|c| (p.step, c, 0)));
            }
        }
    }
    let child = |(step, choice, more): (u32, Choice, u32)| Item {
        deltas: item.deltas.iter().copied().chain([Delta { step, choice }]).collect(),
        preemptions: item.preemptions + more,
        found: Some((trace.clone(), step, choice)),
        level: None,
    };
    found.into_iter().filter(|(step, choice, _)| after(*step, *choice)).map(child).collect()
}

/// Some execution of the program, drawn at random.
pub fn any_execution(program: &Program, config: &Config, seed: u64) -> Trace {
    let mut trace = Trace::default();
    let mut plan = Plan::new(0, Vec::new(), config.max_steps);
    (plan.flags, plan.seed) = (plan::flags::SAMPLE, seed);
    Simulated::new(program.clone(), config.granularity).execute(&plan, &mut trace);
    trace
}
