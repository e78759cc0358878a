//! Workers: threads that build, search, and look things up, and tell the loop what came of it.
//!
//! A worker's panic is caught where it began ([`guarded`]) and told like any other end. Runners die
//! with the thread that started them, so a search's thread lasts as long as its search.

use super::clients::Ask;
use super::dispatch;
use super::event_loop::Event;
use super::state::{Finished, Snapshot};
use super::steer::Steered;
use super::watch::{Command, Directed};
use crate::error::{Error, Result};
use crate::interleaving::Subject;
use crate::interrupt::Interrupt;
use crate::options::explore::Args;
use crate::search::Explored;
use crate::search::selection::Named;
use crate::target::{Filter, Hold, Target, Test};
use raddle_engine::prefix::Prefix;
use raddle_protocol::interleaving::Interleaving;
use raddle_protocol::report::{ErrorReport, Location, Verdict};
use raddle_protocol::session::{TestInFile, Then};
use raddle_protocol::wire::{RpcError, code};
use serde_json::Value;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

/// What workers tell the loop.
pub enum WorkerEvent {
    /// The target of a session is built, or is not.
    Built {
        /// The session.
        session: u32,
        /// The target and the tests that are meant.
        built: Result<Built>,
    },
    /// A search stands so.
    Searching {
        /// The session.
        session: u32,
        /// Where it stands.
        snapshot: Box<Snapshot>,
        /// It stands still.
        paused: bool,
    },
    /// A search has ended.
    Searched {
        /// The session.
        session: u32,
        /// How.
        finished: Box<Finished>,
    },
    /// A failing schedule of a session that goes on was run again.
    Located {
        /// The session.
        session: u32,
        /// The schedule.
        schedule: String,
        /// What happened.
        shown: Box<Interleaving>,
    },
    /// A request can be answered.
    Answer {
        /// The request.
        ask: Ask,
        /// The answer.
        result: std::result::Result<Value, RpcError>,
    },
    /// A choice was made by hand.
    Steered {
        /// The request.
        ask: Ask,
        /// The session.
        session: u32,
        /// Where it led.
        steered: Result<Box<(Then, Steered)>>,
    },
}

/// A built target.
pub struct Built {
    /// The target.
    pub target: Arc<Target>,
    /// The tests that are meant.
    pub tests: Vec<Test>,
    /// The files that they are built of.
    pub files: Arc<BTreeSet<PathBuf>>,
}

/// How the tests were named.
#[derive(Clone)]
pub enum Meant {
    /// In the command line.
    Named,
    /// By a place in the saved text.
    At(Location),
    /// By the name that the saved text of a file has.
    InFile(TestInFile),
}

/// What is to be explored.
#[derive(Clone)]
pub struct Order {
    /// The command line of it.
    pub args: Arc<Args>,
    /// Which tests.
    pub meant: Meant,
    /// By what building it can be ended.
    pub hold: Hold,
}

/// One search.
pub struct Task {
    /// The session.
    pub session: u32,
    /// The command line of it.
    pub args: Arc<Args>,
    /// The test.
    pub subject: Subject,
    /// Search below this beginning.
    pub below: Option<Prefix>,
    /// Prefer these from the start.
    pub focus: Named,
    /// Raised to end it.
    pub interrupt: Interrupt,
}

/// Starts a thread with this work. What it gives back is told, and so is its panic, by `fail`.
pub fn start(
    name: &str,
    events: &Sender<Event>,
    fail: impl FnOnce(Error) -> WorkerEvent + Send + 'static,
    work: impl FnOnce() -> WorkerEvent + Send + 'static,
) -> std::result::Result<(), RpcError> {
    let events = events.clone();
    let body = move || {
        let said = guarded(work).unwrap_or_else(fail);
        let _ = events.send(Event::Worker(said));
    };
    // Sources and debug information are read by recursion.
    let thread = std::thread::Builder::new().name(format!("raddle-{name}")).stack_size(crate::STACK);
    let failed = |e| RpcError::new(code::INTERNAL, format!("cannot start a thread: {e}"));
    thread.spawn(body).map(drop).map_err(failed)
}

/// Does some work; its panic becomes an error.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        Error::new(format!("a mistake in Raddle: {}", dispatch::message(&*panic)))
            .next("the host's log has the details")
    })
}

/// Builds what was ordered, and finds the tests that are meant.
pub fn build(order: &Order) -> Result<Built> {
    prepare(order).map_err(with_environment)
}

/// Where a tool cannot be run: whose PATH was searched, and how another one is taken up.
fn with_environment(mut e: Error) -> Error {
    if e.what.starts_with("cannot run ") {
        let next = e.next.map(|next| next + "; ").unwrap_or_default();
        e.next = Some(format!(
            "{next}the host of the workspace has the environment of the process that started it: “Raddle: Restart the \
             Server and the Host” in an editor that has the right one, or `kill {}`, ends it, and the \
             next exploration starts another",
            std::process::id()
        ));
    }
    e
}

fn prepare(order: &Order) -> Result<Built> {
    let target = order.args.target();
    let filter = match &order.meant {
        Meant::InFile(test) => super::listing::test_in_file(target, test)?,
        Meant::At(at) => super::listing::tests_at(target, at)?,
        Meant::Named => order.args.filter(),
    };
    let (target, mut tests) = order.args.prepare(&filter, &order.hold)?;
    keep_meant(&mut tests, &filter);
    if tests.is_empty() {
        return Err(Error::new(format!("every test of {} that is meant is ignored", target.named))
            .next("name one by its whole name"));
    }
    let files = Arc::new(crate::sources::dependencies(&target, &tests));
    Ok(Built { target: Arc::new(target), tests, files })
}

/// Ignored tests run only where they are named whole.
fn keep_meant(tests: &mut Vec<Test>, filter: &Filter) {
    if !filter.exact {
        tests.retain(|test| !test.ignore);
    }
}

/// Searches to the end.
pub fn search(task: &Task, commands: Receiver<Command>, events: Sender<Event>) -> Finished {
    let Subject { target, test, .. } = &task.subject;
    let mut job = task.args.job(target, test, &task.interrupt);
    if let Some(below) = &task.below {
        job.begin_with(below.clone());
    }
    job.focus = task.focus.clone();
    job.is_default &= job.focus.is_empty();
    let mut explored = job.run_with(&mut Directed::new(task.session, commands, events));
    let sound = explored.report.verdict != Verdict::Error && !task.interrupt.seen();
    if sound {
        check(&mut explored, task);
    }
    Finished::new(&explored, task)
}

/// Were there the functions and variables that were named? Where one that is prioritised is not
/// met, the result is that of the same executions all the same, and another test may meet it.
fn check(explored: &mut Explored, task: &Task) {
    let (args, target) = (&task.args, &task.subject.target);
    let all = std::slice::from_ref(&*explored);
    let (points, unmet) = (args.check_points(target, all), args.unmet_focus(target, all));
    if let Err(e) = points {
        explored.report.verdict = Verdict::Error;
        explored.report.error = Some(ErrorReport { message: e.what, cause: e.cause, next: e.next });
    }
    // Its own focus does not hold where the workspace has one.
    if task.focus == args.focus() {
        explored.report.warnings.extend(unmet);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn a_panic_is_told_like_any_other_end() {
        let (events, heard) = channel();
        let ask = Ask { client: 1, id: 2 };
        let fail =
            move |e: Error| WorkerEvent::Answer { ask, result: Err(RpcError::new(code::INTERNAL, e.what)) };
        start("test", &events, fail, || panic!("at {}", 7)).unwrap();
        let Ok(Event::Worker(WorkerEvent::Answer { ask: of, result })) = heard.recv() else {
            panic!("no answer")
        };
        assert_eq!((of, result.unwrap_err().message.as_str()), (ask, "a mistake in Raddle: at 7"));
    }
}
