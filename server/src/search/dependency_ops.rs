//! Operations of dependencies, which are not all points (`runtime/src/kernel/outside.rs`): the search that meets the first
//! one that goes with the step before begins anew, as one that knows of that; and what the report says.

use super::gaps::tell;
use super::{Anew, Explored, Job, Watch};
use crate::annotate::annotated_trace::Places;
use crate::annotate::location;
use crate::runner::ALL_DEPENDENCIES as ALL;
use raddle_engine::{Config, Reduce, check};
use raddle_protocol::gap::Gap;
use raddle_protocol::report::{Report, Warning};
use raddle_schedule::channel::Channel;
use raddle_schedule::channel::outside::{
    ASKS_FOR_READY, BEYOND_MODELS, COUNTS_ELSEWHERE, COUNTS_TELL, GOES_ALONG, LOCKS_WHILE_READING,
    NAMED_SEMAPHORES, NO_ROOM, ORDERS_FILES, READS_INPUT, SCOPE_AND_LOCALS, TRIES_TO_READ, Told,
    UNREAD_FORMAT, WAITS_WHILE_HOLDING, WAITS_WHILE_READING, WRITES_BESIDE_OTHERS,
};
use raddle_schedule::dependency::{self, Counted, PRIMITIVES, RUNTIMES, RWLOCK, is_no_crate};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

/// In the guarantee, where it is asked whether descriptors are ready.
const READY: &str = "not explored: other answers of poll and ppoll than in the executions run";
/// The same, where threads can tell each other something through files.
const FILES: &str = "not explored: other orders of what threads do to files";
/// The same, where a format could not be followed.
const FORMATS: &str =
    "not watched: memory that the arguments of formats with numbered or wide arguments name";
/// The same, where semaphores have names.
const NAMED: &str = "not explored: what other processes do to named semaphores";
/// The same, where a scope waited for what std's scopes do not wait for.
const SCOPES: &str =
    "not explored: ends of thread::scope before the thread-local destructors of its threads have run";
/// The same, where the program's own allocator has memory of its own.
const ELSEWHERE: &str = "not explored: other orders of what threads do to Arcs outside the heap of malloc";
/// Kind of the warning that all operations of dependencies had to be points.
pub const WARNING: &str = "points-in";

/// Is this search, which has got so far, to begin anew?
pub(super) fn begins_anew(job: &Job, channel: &Channel) -> Option<Anew> {
    let met = channel.header().outside.load(Ordering::Relaxed);
    let named = |name: &str| job.settings.points_in.iter().any(|n| n == name);
    let is_trusting = channel.header().trusted.load(Ordering::Relaxed) != 0;
    let needs = [
        (RWLOCK, rwlocks_are_told(met)),
        (PRIMITIVES, met & BEYOND_MODELS != 0),
        (RUNTIMES, is_trusting && !takes_locks_as_parts(job)),
    ];
    if let Some((name, _)) = needs.into_iter().find(|(name, needed)| *needed && !named(name)) {
        let names = job.settings.points_in.iter().cloned();
        return Some(Anew::Points(names.chain([name.to_string()]).collect()));
    }
    if met & COUNTS_TELL != 0
        && let Some(names) = counts_that_tell(job, channel)
    {
        return Some(Anew::Points(names));
    }
    (met & GOES_ALONG != 0 && !job.config.outside).then_some(Anew::Outside)
}

/// Do the reductions of this search hold where a step takes locks behind its first operation? (The others take a step for one
/// operation, or were not compared with such steps.)
fn takes_locks_as_parts(job: &Job) -> bool {
    use Reduce::{None, Optimal, Persistent, Sleep, Source};
    job.is_default || matches!(job.config.reduce, None | Sleep | Persistent | Source | Optimal)
}

/// Searches that may begin anew with one more reference count as points; then all are.
const COUNTS: usize = 6;

/// Names for `--points-in`: those that are there, with the reference counts that tell and are none of them; `None` if there is
/// no such count.
fn counts_that_tell(job: &Job, channel: &Channel) -> Option<Vec<String>> {
    let named = &job.settings.points_in;
    let known: Vec<Counted> = named.iter().filter_map(|name| dependency::counted(name)).collect();
    if known.contains(&Counted::All) {
        return None;
    }
    let told = channel.header().counts.told();
    let is_known = |told: &Told| {
        known.iter().any(
            |k| matches!(k, Counted::One { word, drops } if *word == told.word && (*drops || !told.drops)),
        )
    };
    if told.as_ref().is_some_and(|told| told.iter().all(is_known)) {
        return None;
    }
    let mut counts = match told {
        Some(told) if known.len() < COUNTS => {
            let new = told.into_iter().map(|Told { word, drops }| Counted::One { word, drops });
            let stays = |k: &Counted| new.clone().all(|n| !is_same_word(k, &n));
            known.iter().copied().filter(stays).chain(new.clone()).collect()
        }
        _ => vec![Counted::All],
    };
    counts.sort_by_key(Counted::name);
    let others = named.iter().filter(|name| dependency::counted(name).is_none()).cloned();
    Some(others.chain(counts.iter().map(Counted::name)).collect())
}

fn is_same_word(a: &Counted, b: &Counted) -> bool {
    matches!((a, b), (Counted::One { word, .. }, Counted::One { word: other, .. }) if word == other)
}

/// The search again, with points at what these names say.
pub(super) fn with_points(job: &Job, names: Vec<String>, watch: &mut Option<&mut dyn Watch>) -> Explored {
    let mut again = job.with(job.config.clone());
    let is_typed =
        |name: &&String| job.settings.points_in.contains(name) && !job.config.points_in.found.contains(name);
    again.config.points_in.found = names.iter().filter(|name| !is_typed(name)).cloned().collect();
    again.settings.points_in = names;
    again.attempts(watch)
}

/// Could somebody notice that a writer waits for a read-write lock of std's (`runtime/src/model/std_rwlock.rs`)?
fn rwlocks_are_told(met: u32) -> bool {
    let waits = met & WAITS_WHILE_READING != 0;
    let locks = met & LOCKS_WHILE_READING != 0 && met & WAITS_WHILE_HOLDING != 0;
    met & WRITES_BESIDE_OTHERS != 0 && (waits || locks || met & TRIES_TO_READ != 0)
}

/// Says so where a function that prints or reads by a format was called with one whose arguments cannot be followed.
pub(super) fn tell_of_formats(channel: &Channel, report: &mut Report) {
    if channel.header().outside.load(Ordering::Relaxed) & UNREAD_FORMAT != 0 {
        tell(report, Gap::Formats, FORMATS);
    }
}

/// Says so where semaphores were opened by their names: other processes could post them, or wait for them.
pub(super) fn tell_of_names(channel: &Channel, report: &mut Report) {
    if channel.header().outside.load(Ordering::Relaxed) & NAMED_SEMAPHORES != 0 {
        tell(report, Gap::OtherProcesses, NAMED);
    }
}

/// Says so where standard input is read: nobody can type anything there, and no two executions may find different things.
pub(super) fn tell_of_input(channel: &Channel, places: &Places, report: &mut Report) {
    if channel.header().outside.load(Ordering::Relaxed) & READS_INPUT == 0 {
        return;
    }
    tell(report, Gap::StandardInput, "with an empty standard input");
    let message =
        "the program reads standard input, which is empty in every execution; give its input by --args, or in a file that it opens"
            .to_string();
    let place = places.site(channel.header().standard_input.load(Ordering::Relaxed));
    let location = place.as_ref().map(location);
    report.warnings.push(Warning { kind: "standard-input".into(), message, location, replay: None });
}

/// Says so where the end of a scope joined a thread whose thread-locals' destructors did something that others could
/// notice: std's scopes end when their threads' functions have.
pub(super) fn tell_of_scopes(channel: &Channel, report: &mut Report) {
    if channel.header().outside.load(Ordering::Relaxed) & SCOPE_AND_LOCALS != 0 {
        tell(report, Gap::ScopeEnds, SCOPES);
    }
}

/// Says so where `Arc`s lie in memory of an allocator of the program's own: their counts are no schedule points.
pub(super) fn tell_of_counts(channel: &Channel, report: &mut Report) {
    if channel.header().outside.load(Ordering::Relaxed) & COUNTS_ELSEWHERE != 0 {
        let terms = report.guarantee.strip_suffix(')').unwrap_or(&report.guarantee);
        report.guarantee = format!("{terms}, {ELSEWHERE})");
    }
}

/// Says so where an allocation failed that might succeed without Raddle.
pub(super) fn tell_of_room(channel: &Channel, places: &Places, report: &mut Report) {
    if channel.header().outside.load(Ordering::Relaxed) & NO_ROOM == 0 {
        return;
    }
    let place = places.site(channel.header().no_room.load(Ordering::Relaxed));
    let location = place.as_ref().map(location);
    let at = location.as_ref().map_or_else(String::new, |l| format!(" ({}:{})", l.file, l.line));
    tell(report, Gap::LargeBlocks, &format!("with NULL for blocks that Raddle has no room for{at}"));
    let message =
        format!("an allocation failed here: {}; without Raddle there may be room", raddle_schedule::NO_ROOM);
    report.warnings.push(Warning { kind: "no-room".into(), message, location, replay: None });
}

/// Says so where several threads were there while somebody asked whether descriptors are ready: neither that nor
/// what makes them ready is a step, so the search cannot know that their order matters.
pub(super) fn tell_of_ready(channel: &Channel, report: &mut Report) {
    if channel.header().outside.load(Ordering::Relaxed) & ASKS_FOR_READY == 0 {
        return;
    }
    tell(report, Gap::Readiness, READY);
    let message = "the program polls descriptors (poll, ppoll) while it has several threads: polling is not a schedule point, so executions with another answer may be missing"
        .to_string();
    report.warnings.push(Warning { kind: "readiness".into(), message, location: None, replay: None });
}

/// Says so where the order of what threads did to a file, or to names of files, could be found out: what they do there is
/// no step.
pub(super) fn tell_of_files(channel: &Channel, places: &Places, report: &mut Report) {
    if channel.header().outside.load(Ordering::Relaxed) & ORDERS_FILES == 0 {
        return;
    }
    let place = places.site(channel.header().files.load(Ordering::Relaxed));
    let location = place.as_ref().map(location);
    let at = location.as_ref().map_or_else(String::new, |l| format!(" ({}:{})", l.file, l.line));
    tell(report, Gap::FileOrders, &format!("{FILES}{at}"));
    let message = "several threads use a file or a file name, and one can observe their order (by contents, length or existence): file operations are not schedule points, so executions that differ only in that order may be missing"
        .to_string();
    report.warnings.push(Warning { kind: "file-order".into(), message, location, replay: None });
}

/// The search again from its beginning: without what takes a step for one operation, or, where that was
/// asked for, with all operations as points.
pub(super) fn again(job: &Job, watch: &mut Option<&mut dyn Watch>) -> Explored {
    let outside = Config { outside: true, ..job.config.clone() };
    // The default search takes what it may.
    let judged =
        if job.is_default { Config { reduce: Reduce::None, ..outside.clone() } } else { outside.clone() };
    let Err(refusal) = check(&judged) else { return job.with(outside).attempts(watch) };
    let mut explored = everywhere(job).attempts(watch);
    let message = format!(
        "{} {} takes each step for one operation, so all operations of dependencies were made points (--points-in {ALL})",
        refusal.option, refusal.value
    );
    explored.report.warnings.push(Warning { kind: WARNING.into(), message, location: None, replay: None });
    explored
}

/// The same search with all points.
pub(super) fn everywhere<'a>(job: &'a Job) -> Job<'a> {
    let mut all = job.with(job.config.clone());
    all.config.points_in.dependencies = vec![ALL.to_string()];
    all.settings = job.settings.with_points(&[ALL.to_string()]);
    all.config.points_in.found.push(ALL.to_string());
    all
}

/// Dependencies with points none of whose operations were come to.
pub(super) fn unmet(points_in: &[String], channel: &Channel) -> Vec<Warning> {
    let sites = channel.sites();
    let files = (1..sites.len()).filter_map(|i| sites.get(i)?.place).map(|(file, _, _)| file);
    let met: BTreeSet<&str> = files.filter_map(dependency::of).collect();
    let is_met = |name: &String| met.iter().any(|other| dependency::is_same(name, other));
    let others: Vec<&str> = met.iter().copied().collect();
    let others = match others.as_slice() {
        [] => String::new(),
        others => format!(" (there were operations of {})", others.join(", ")),
    };
    let warning = |name: &String| Warning {
        kind: "no-points".into(),
        message: format!("--points-in {name}: no dependency of that name did anything{others}"),
        location: None,
        replay: None,
    };
    points_in.iter().filter(|name| *name != ALL && !is_no_crate(name) && !is_met(name)).map(warning).collect()
}
