//! Accounts in schedule files. A long one is told around its differences, and the rest is counted.

use raddle_engine::realign::{Doing, ExecutionDigest, Gap, Spawned, Step};
use raddle_schedule::delta::parse_choice;
use raddle_schedule::file::{FileCount, FileExecution, FileOperation, FilePending, FileStretch, FileThread};
use raddle_schedule::{Delta, OpKind};
use std::collections::BTreeMap;

/// Steps that are told one by one, at most.
const MOST: usize = 4_000;

/// For a file: the execution of these differences.
pub fn to_file(digest: &ExecutionDigest, deltas: &[Delta]) -> FileExecution {
    let mut file = FileExecution::default();
    let mut numbers: BTreeMap<usize, u32> = BTreeMap::new();
    let mut number = |does: usize| {
        *numbers.entry(does).or_insert_with(|| {
            file.operations.push(operation(&digest.operations[does]));
            file.operations.len() as u32 - 1
        })
    };
    let told = told(digest.steps.len(), deltas);
    let mut counts: BTreeMap<(u8, u32), u32> = BTreeMap::new();
    let (mut steps, mut skipped): (Vec<FileStretch>, Vec<FileCount>) = (Vec::new(), Vec::new());
    for (step, told) in digest.steps.iter().zip(told) {
        let does = number(step.does);
        if !told {
            *counts.entry((step.thread, does)).or_default() += 1;
            continue;
        }
        let before = step.number;
        let after_gap = !counts.is_empty();
        let counted = std::mem::take(&mut counts).into_iter();
        skipped.extend(counted.map(|((thread, does), times)| FileCount { before, thread, does, times }));
        if after_gap || steps.last().is_none_or(|s| s.thread != step.thread) {
            steps.push(FileStretch { step: before, thread: step.thread, ..FileStretch::default() });
        }
        let Some(stretch) = steps.last_mut() else { continue };
        let at = stretch.does.len();
        stretch.chose.extend(step.choices.iter().map(|c| format!("{at}:{c}")));
        stretch.does.push(does);
    }
    let pending =
        digest.pending.iter().map(|(thread, does)| FilePending { thread: *thread, does: number(*does) });
    let pending = pending.collect();
    let threads = digest.threads.iter().map(|t| FileThread {
        thread: t.thread,
        by: t.by,
        runs: t.runs.clone(),
        line: t.line.clone(),
    });
    FileExecution { steps, skipped, pending, threads: threads.collect(), ..file }
}

/// Which steps are told: all, or those around the differences and at both ends.
fn told(steps: usize, deltas: &[Delta]) -> Vec<bool> {
    let mut told = vec![steps <= MOST; steps];
    if steps > MOST {
        let at = deltas.iter().map(|d| d.step as usize).chain([0, steps]);
        let around = MOST / 2 / (deltas.len() + 2);
        for at in at {
            let (from, to) = (at.saturating_sub(around), (at + around + 1).min(steps));
            told[from.min(to)..to].fill(true);
        }
    }
    told
}

fn operation(doing: &Doing) -> FileOperation {
    FileOperation {
        does: doing.kind.name().to_string(),
        object: doing.object.clone(),
        method: doing.method.clone(),
        line: doing.line.clone(),
    }
}

/// From a file. `None` if it does not fit together.
pub fn of_file(file: &FileExecution) -> Option<ExecutionDigest> {
    let kind = |name: &str| (0..=u8::MAX).filter_map(OpKind::from_u8).find(|k| k.name() == name);
    let operations = file.operations.iter().map(|o| {
        let (object, method, line) = (o.object.clone(), o.method.clone(), o.line.clone());
        Some(Doing { kind: kind(&o.does)?, object, method, line })
    });
    let operations: Vec<Doing> = operations.collect::<Option<_>>()?;
    let known = |does: u32| Some(does as usize).filter(|d| *d < operations.len());
    let mut digest = ExecutionDigest::default();
    for stretch in &file.steps {
        let begin = digest.steps.len();
        for (at, does) in stretch.does.iter().enumerate() {
            let number = stretch.step.checked_add(at as u32)?;
            let step = Step { number, thread: stretch.thread, does: known(*does)?, choices: Vec::new() };
            digest.steps.push(step);
        }
        for chosen in &stretch.chose {
            let (at, choice) = chosen.split_once(':')?;
            let step = digest.steps.get_mut(begin.checked_add(at.parse().ok()?)?)?;
            step.choices.push(parse_choice(choice).ok()?);
        }
    }
    for count in &file.skipped {
        let before = digest.steps.partition_point(|s| s.number < count.before);
        let counted = (count.thread, known(count.does)?, count.times);
        match digest.gaps.last_mut().filter(|g| g.before == before) {
            Some(gap) => gap.counts.push(counted),
            None => digest.gaps.push(Gap { before, counts: vec![counted] }),
        }
    }
    let threads = file.threads.iter().map(|t| Spawned {
        thread: t.thread,
        by: t.by,
        runs: t.runs.clone(),
        line: t.line.clone(),
    });
    digest.threads = threads.collect();
    let pending = file.pending.iter().map(|p| Some((p.thread, known(p.does)?)));
    digest.pending = pending.collect::<Option<_>>()?;
    let threads = digest.steps.iter().map(|s| s.thread).chain(digest.pending.iter().map(|p| p.0));
    let fits = threads.into_iter().all(|t| usize::from(t) < raddle_schedule::MAX_THREADS);
    digest.operations = operations;
    fits.then_some(digest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schedule::Choice;

    fn execution_digest(steps: u32) -> ExecutionDigest {
        let doing = |kind, object: &str| Doing {
            kind,
            object: object.into(),
            method: "f".into(),
            line: String::new(),
        };
        let step = |number: u32| Step {
            number,
            thread: (number / 7 % 2) as u8,
            does: (number % 2) as usize,
            choices: if number == 5 { vec![Choice::Waiter(1)] } else { Vec::new() },
        };
        ExecutionDigest {
            operations: vec![
                doing(OpKind::Lock, "m"),
                doing(OpKind::Unlock, "m"),
                doing(OpKind::Join, "worker"),
            ],
            steps: (0..steps).map(step).collect(),
            gaps: Vec::new(),
            pending: vec![(0, 2)],
            threads: vec![Spawned { thread: 1, by: 0, runs: "worker".into(), line: "spawn(worker);".into() }],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for steps in [0, 1, 20, MOST as u32] {
            let digest = execution_digest(steps);
            let back = of_file(&to_file(&digest, &[])).unwrap();
            assert_eq!((&back.steps.len(), &back.threads), (&digest.steps.len(), &digest.threads));
            for (a, b) in digest.steps.iter().zip(&back.steps) {
                assert_eq!(digest.operations[a.does], back.operations[b.does]);
                assert_eq!((a.number, a.thread, &a.choices), (b.number, b.thread, &b.choices));
            }
        }
    }

    #[test]
    fn a_long_execution_is_told_around_its_differences() {
        let digest = execution_digest(100_000);
        let delta = Delta { step: 50_000, choice: Choice::Thread(1) };
        let file = to_file(&digest, &[delta]);
        let back = of_file(&file).unwrap();
        assert!(back.steps.len() <= MOST + 3, "{}", back.steps.len());
        for step in [0, 49_999, 50_000, 50_001, 99_999] {
            assert!(back.steps.iter().any(|s| s.number == step), "{step}");
        }
        let counted: u32 = back.gaps.iter().flat_map(|g| &g.counts).map(|c| c.2).sum();
        assert_eq!(counted as usize + back.steps.len(), 100_000);
        assert_eq!(back.gaps.len(), 2);
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let good = to_file(&execution_digest(20), &[]);
        let mut wrong = good.clone();
        wrong.steps[0].does[0] = 99;
        let mut unknown = good.clone();
        unknown.operations[0].does = "dance".into();
        let mut outside = good.clone();
        outside.steps[0].chose.push("99:w1".into());
        let mut far = good.clone();
        far.steps[1].chose.push(format!("{}:w1", usize::MAX));
        assert!(of_file(&good).is_some());
        for file in [wrong, unknown, outside, far] {
            assert_eq!(of_file(&file), None);
        }
    }
}
