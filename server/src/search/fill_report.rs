//! What a search found out, as its report: counts, coverage, warnings, and why there is no result.

use crate::annotate::annotated_trace::Places;
use crate::annotate::names::Names;
use crate::annotate::{discarded, location, locks, rounds, waits};
use crate::estimate;
use raddle_engine::analysis::coverage::Point;
use raddle_engine::{Error as SearchError, StopReason, Summary, WarningKind};
use raddle_protocol::report::{self, Audit, Completed, ErrorReport, Report, Verdict, Warning};
use raddle_schedule::{CHOICES, MANY_ACCESSES, NO_ROOM, Schedule, TOO_MANY_THREADS, Trace};

/// What the waiting executions took.
fn tree(s: &Summary) -> report::Tree {
    report::Tree {
        peak_nodes: s.peak_nodes as u64,
        bytes_per_node: raddle_engine::tree::NODE_BYTES as u64,
        bytes_per_entry: raddle_engine::tree::ENTRY_BYTES as u64,
        peak_bytes: s.peak_bytes as u64,
        node_bytes: s.peaks.tree_bytes as u64,
        fringe_bytes: s.peaks.fringe_bytes as u64,
        context_bytes: s.peaks.context_bytes as u64,
        reduction_bytes: s.peaks.reduction_bytes as u64,
        spilled: s.peaks.spilled,
        spilled_bytes: s.peaks.spilled_bytes,
    }
}

fn share(s: &raddle_engine::Share) -> report::Share {
    report::Share {
        reduce: s.reduce.to_string(),
        bound: s.bound.to_string(),
        order: s.order.to_string(),
        executions: s.executions,
        complete: s.complete,
        ended_by: outlived(s).map(StopReason::to_string),
    }
}

/// What ended this one alone.
pub(super) fn outlived(s: &raddle_engine::Share) -> Option<&StopReason> {
    s.stopped.as_ref().filter(|why| matches!(why, StopReason::Spill(_)))
}

/// The curve of a search.
fn coverage(s: &Summary) -> Vec<report::CoveragePoint> {
    let point = |p: &Point| {
        let Point { executions, classes, states, bound } = *p;
        report::CoveragePoint { executions, classes, states, bound }
    };
    s.coverage.iter().map(point).collect()
}

/// The memory of states, and what was counted beside it.
fn states(s: &Summary) -> Option<report::States> {
    if s.remembered.is_none() && s.points_new.is_none() {
        return None;
    }
    let memory = s.remembered.unwrap_or_default();
    Some(report::States {
        table: memory.table,
        pruned: memory.pruned,
        followed: memory.followed,
        bytes: memory.bytes as u64,
        full: memory.full,
        calls: s.points_new,
        differing: memory.differing,
    })
}

/// The counts of a search.
pub(super) fn fill(report: &mut Report, s: &Summary, rate_time: f64) {
    report.verdict = match (s.failures.is_empty(), s.complete) {
        (false, _) => Verdict::Failed,
        (true, true) => Verdict::Passed,
        (true, false) => Verdict::Incomplete,
    };
    report.executions = s.executions;
    report.deadlocked = s.deadlocked;
    report.sleep_blocked = s.sleep_blocked;
    report.assume_blocked = s.assume_blocked;
    report.truncated = s.truncated;
    report.unfair = s.unfair;
    report.refused = s.refused;
    report.confirming = s.confirming;
    report.quarantined = s.quarantined;
    report.complete = s.complete;
    report.guarantee = s.guarantee.clone();
    report.bound.preemptions = Completed { completed: s.bound_completed };
    report.classes = s.classes;
    report.coverage = coverage(s);
    report.tree = tree(s);
    // What was covered was covered by the one that has come to its end.
    if let Some(whole) = s.shares.iter().find(|share| share.complete) {
        report.search.reduce = whole.reduce.to_string();
        report.search.bound = whole.bound.to_string();
    }
    report.portfolio = s.shares.iter().map(share).collect();
    report.states = states(s);
    report.estimate = s.estimate.map(estimate::told);
    report.audit = s.audit.as_ref().filter(|a| a.refused.is_none()).map(|a| Audit {
        runs: a.runs,
        checked: a.checked,
        outside: a.outside.iter().map(Schedule::to_string).collect(),
    });
    let run = s.executions + s.deadlocked + s.assume_blocked + s.truncated + s.unfair + s.refused;
    report.executions_per_second = if rate_time > 0.0 { run as f64 / rate_time } else { 0.0 };
}

/// A warning of the engine's, with its place and the program's own names. None where the program may have looked at what it is about.
pub fn warning(
    w: &raddle_engine::Warning,
    places: &Places,
    names: &mut Names,
    max_steps: u32,
) -> Option<Warning> {
    if w.join.is_some_and(|site| !discarded::is_discarded(site, places)) {
        return None;
    }
    let kind = match w.kind {
        WarningKind::BlockedAfterMain => "blocked-after-main",
        WarningKind::Truncated => "truncated",
        WarningKind::ThreadPanicked => "thread-panicked",
        WarningKind::Unfocused => "unfocused-thread",
        WarningKind::LockOrder => "lock-order",
        WarningKind::Lockset => "lockset",
        WarningKind::Volatile => "volatile",
        WarningKind::OrderDependent => "order-dependent",
    };
    let mut message = names.rename(&w.message);
    if w.kind == WarningKind::Truncated && w.message == MANY_ACCESSES {
        message +=
            ": no limit of steps is behind that, and no option raises it; have the test access less memory";
    } else if w.kind == WarningKind::Truncated {
        let went = match rounds::told(&w.rounds, places, names) {
            none if none.is_empty() => format!(", in T{}", w.thread),
            went => format!(": {went}"),
        };
        // Only a thread that writes goes round: one that only reads waits for a write.
        let several = w.rounds.iter().any(|r| r.thread != w.thread);
        let perhaps = if several { "they may be in a livelock, or take turns; " } else { "" };
        message += &format!(" of {max_steps}{went} ({perhaps}--max-steps raises it)");
    }
    if w.kind == WarningKind::LockOrder {
        message += &format!(": {}", locks::cycle(&w.wanted, places, names));
    }
    if let Some(b) = &w.blocked {
        message = waits::after_main(b, w.count, places, names);
    }
    if let Some(unprotected) = &w.unprotected {
        message = match w.kind {
            WarningKind::Volatile => locks::volatile(unprotected, places, names),
            _ => locks::unprotected(unprotected, places, names),
        };
    }
    if let Some(join) = w.join.and_then(|site| places.site(site)) {
        let join = location(&join);
        message = message.replacen(
            "nobody looked at its result",
            &format!("{}:{} throws its result away", join.file, join.line),
            1,
        );
    }
    let counted = matches!(w.kind, WarningKind::OrderDependent | WarningKind::BlockedAfterMain);
    if w.count > 1 && !counted {
        message += &format!(", in {} executions", w.count);
    }
    Some(Warning {
        kind: kind.into(),
        message,
        location: places.site(w.site).as_ref().map(location),
        replay: None,
    })
}

/// How the message ends of what only a search without a reduction can do.
const NO_REDUCTION: &str = "use --reduce none";

/// What to do about what is refused.
fn next_of(message: &str) -> &'static str {
    let asks_for_io = ["`epoll_", "`syscall(SYS_epoll_"].iter().any(|begin| message.starts_with(begin));
    match message {
        _ if asks_for_io => {
            "connect the tasks and threads of the test by a pair of sockets (tokio: `UnixStream::pair()`) or by channels; only they may \
             write to what an epoll watches"
        }
        _ if message.ends_with(NO_REDUCTION) => "leave the reduction out",
        _ if message.ends_with(NO_ROOM) => "make the test use less memory",
        _ if message.ends_with(CHOICES) => {
            "choose among fewer, such as those at the borders; choices may follow each other"
        }
        _ if message.starts_with("`GOMP_") || message.starts_with("`__kmpc_") => {
            "build it without -fopenmp, or start the threads of the test by pthread_create"
        }
        _ => "remove the call from the test: Raddle ends an execution that it cannot control",
    }
}

/// Where the program calls what was refused at this site; `refused`: the execution that ended by it, with everything recorded.
pub(super) fn calls_at(places: &Places, site: u32, refused: Option<&Trace>) -> Option<crate::target::Place> {
    let stack = refused.and_then(|t| t.stacks.iter().find(|s| s.event as usize == t.events.len()));
    places.outside(site, stack.map(|s| &s.frames[..]).unwrap_or_default())
}

/// Why a test could not be searched, with what to do. `refused`: the execution that ended by it, with everything recorded.
pub fn explain_error(e: &SearchError, places: Option<&Places>, refused: Option<&Trace>) -> ErrorReport {
    let (cause, next) = match e {
        SearchError::Unsupported { thread, schedule, site, message } => {
            let place = places.and_then(|p| calls_at(p, *site, refused));
            let place = place.map(|p| format!("{}:{}", p.file, p.line)).unwrap_or("an unknown place".into());
            if message == TOO_MANY_THREADS {
                let cause = format!("T{thread} starts one too many at {place}, in schedule {schedule}");
                return ErrorReport {
                    message: e.to_string(),
                    cause: Some(cause),
                    next: Some("have the test start fewer threads".into()),
                };
            }
            let said = match message.ends_with(NO_REDUCTION) {
                true => format!("it was noticed at T{thread}'s last step at {place}, in schedule {schedule}"),
                false => format!("T{thread} calls it at {place}, in schedule {schedule}"),
            };
            (Some(said), next_of(message))
        }
        SearchError::TooManyThreads { schedule, .. } => (
            Some(format!(
                "threads other than main create threads, which differ between executions; schedule {schedule} creates one too many"
            )),
            "use --reduce source, which tells threads apart by number",
        ),
        SearchError::Refused(_) => (None, "choose another combination"),
        SearchError::Executor(_) => (None, "start the program by hand to see whether it runs without Raddle"),
    };
    ErrorReport { message: e.to_string(), cause, next: Some(next.to_string()) }
}
