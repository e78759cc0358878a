//! The runner under gdb: attaching, stopping at events, plans, and what a stop of gdb's means.

use super::frames::{self, Frame, Whose};
use super::gdb::mi::{Fields, Record};
use super::gdb::{Gdb, GdbError};
use super::inbox::{Inbox, Incoming};
pub use super::stops::Stop;
use super::stops::is_stop;
use crate::error::{Error, Result};
use crate::runner::Runner;
use raddle_engine::{Executor, ExecutorError};
use raddle_schedule::channel::Debug;
use raddle_schedule::channel::debug::Reason;
use raddle_schedule::{MAX_THREADS, Plan, Schedule};
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;

/// The runner and its gdb.
pub struct Debuggee {
    // Dropped in this order: a process that gdb holds cannot be waited for.
    gdb: Gdb,
    runner: Runner,
    pid: u32,
    whose: Whose,
    sequence: u64,
    /// gdb's number of the breakpoint at which the runtime stops.
    stop: u64,
    /// gdb's numbers of those at the markers that functions begin with.
    enter: Vec<u64>,
    /// An execution has begun and is not over.
    inside: bool,
}

fn attaching(e: impl std::fmt::Display) -> Error {
    Error::new("gdb cannot attach to the test program").because(e).next(
        "let gdb attach: containers need the capability SYS_PTRACE; `RADDLE_LOG=gdb` shows what gdb says",
    )
}

fn broken(e: ExecutorError) -> Error {
    Error::new("cannot start the test program").because(e)
}

/// What a debugger needs of the process at its first stop.
const SETTINGS: [&str; 10] = [
    "-enable-pretty-printing",
    "-gdb-set mi-async on",
    "-gdb-set language auto",
    // The runtime learns of writes by page faults, and ends executions that crash by itself.
    "-interpreter-exec console \"handle all nostop noprint pass\"",
    "-interpreter-exec console \"handle SIGINT stop print nopass\"",
    "-interpreter-exec console \"handle SIGTRAP stop print nopass\"",
    "-interpreter-exec console \"handle SIGSTOP stop print nopass\"",
    // What is shipped without its sources is not stepped into.
    "-interpreter-exec console \"skip -gfi /rustc/*\"",
    "-interpreter-exec console \"skip -gfi /raddle-std/*\"",
    "-interpreter-exec console \"skip -rfu ^(raddle_|pthread_|sem_|__tsan_)\"",
];

impl Debuggee {
    /// Starts the runner and attaches gdb to it.
    pub fn start(gdb: Gdb, mut runner: Runner, inbox: &mut Inbox) -> Result<Debuggee> {
        runner.allow(gdb.pid());
        let whose = Whose::new("");
        let enter = Vec::new();
        let mut debuggee =
            Debuggee { gdb, runner, pid: 0, whose, sequence: 0, stop: 0, enter, inside: false };
        for setting in SETTINGS {
            debuggee.command(inbox, setting).map_err(attaching)?;
        }
        debuggee.attach(inbox)?;
        debuggee.stop = debuggee.insert(inbox, "raddle_debug_stop").map_err(attaching)?;
        for marker in ["raddle_rt_enter", "raddle_rt_enter_at"] {
            let number = debuggee.insert(inbox, marker).map_err(attaching)?;
            debuggee.enter.push(number);
        }
        debuggee.watch_entries(inbox, false).map_err(attaching)?;
        Ok(debuggee)
    }

    /// A fresh process in the place of one that has ended, or that is to end now.
    pub fn restart(&mut self, inbox: &mut Inbox) -> Result<()> {
        // Of one that has ended it knows already.
        let _ = self.command(inbox, "-interpreter-exec console kill");
        self.runner.reset();
        self.block().get().last.store(0, Relaxed);
        self.inside = false;
        self.attach(inbox)
    }

    fn attach(&mut self, inbox: &mut Inbox) -> Result<()> {
        self.pid = self.runner.process().map_err(broken)?;
        let pid = self.pid;
        self.command(inbox, &format!("-target-attach {pid}")).map_err(attaching)?;
        loop {
            match inbox.gdb() {
                Incoming::Gdb(record) if is_stop(&record) => break,
                Incoming::Gdb(_) => {}
                _ => return Err(attaching("it has ended")),
            }
        }
        self.whose = Whose::new(self.runner.maps());
        Ok(())
    }

    fn insert(&mut self, inbox: &mut Inbox, function: &str) -> std::result::Result<u64, GdbError> {
        let answer = self.command(inbox, &format!("-break-insert --qualified {function}"))?;
        let number = answer.tuple("bkpt").and_then(|b| b.number("number"));
        number.ok_or_else(|| GdbError::Refused(format!("no breakpoint at {function}")))
    }

    /// A command of gdb's.
    pub fn command(&mut self, inbox: &mut Inbox, text: &str) -> std::result::Result<Fields, GdbError> {
        self.gdb.command(inbox, text)
    }

    /// Stops at the beginnings of functions, or not.
    pub fn watch_entries(&mut self, inbox: &mut Inbox, on: bool) -> std::result::Result<(), GdbError> {
        let numbers: Vec<String> = self.enter.iter().map(u64::to_string).collect();
        let what = if on { "enable" } else { "disable" };
        self.command(inbox, &format!("-break-{what} {}", numbers.join(" "))).map(drop)
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// The program that it executes.
    pub fn program(&self) -> PathBuf {
        // The link says what runs, whatever was meant to.
        std::fs::read_link(format!("/proc/{}/exe", self.pid)).unwrap_or_default()
    }

    /// Is an execution going on?
    pub fn inside(&self) -> bool {
        self.inside
    }

    /// Is the process good for another execution? One that was interrupted in the middle of libc
    /// is not.
    pub fn is_spent(&self) -> bool {
        self.is_dead() || self.block().get().last.load(Relaxed) != 0
    }

    /// Has the process ended without gdb noticing? It looks only while the program runs.
    pub fn is_dead(&self) -> bool {
        let state = std::fs::read_to_string(format!("/proc/{}/stat", self.pid));
        // The name may itself contain a parenthesis.
        let state = state.ok().and_then(|s| s.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next()));
        !state.is_some_and(|s| !matches!(s, 'Z' | 'X'))
    }

    fn block(&self) -> Block {
        Block(self.runner.channel())
    }

    /// Where to stop: at this event, and at these ends (bits of `channel::debug::on`).
    pub fn stop_at(&self, event: Option<u64>, on: u32) {
        let block = self.block();
        block.get().stop_at.store(event.map_or(0, |e| e + 1), Relaxed);
        block.get().stop_on.store(on, Relaxed);
    }

    /// Events of the execution so far.
    pub fn events(&self) -> u64 {
        self.block().get().events.load(Relaxed)
    }

    /// The thread that runs.
    pub fn running(&self) -> u8 {
        self.block().get().running.load(Relaxed) as u8
    }

    /// Site of the panic at which it stopped.
    pub fn site(&self) -> u32 {
        self.block().get().site.load(Relaxed)
    }

    /// The threads of the execution that exist, with the OS threads that carry them.
    pub fn threads(&self) -> Vec<(u8, u32)> {
        if !self.inside {
            return Vec::new();
        }
        let block = self.block();
        let all = (0..MAX_THREADS).map(|t| (t as u8, block.get().threads[t].load(Relaxed)));
        all.filter(|(_, carrier)| *carrier != 0).collect()
    }

    /// Hands the runner a schedule to execute, as soon as it goes on.
    pub fn submit(&mut self, schedule: &Schedule, max_steps: u32) -> Result<()> {
        self.runner.discard().map_err(broken)?;
        self.sequence += 1;
        let plan = Plan::new(self.sequence, schedule.deltas.clone(), max_steps);
        self.runner.quarantine(schedule.quarantine);
        self.runner.submit(&plan).map_err(broken)?;
        self.runner.channel().plans().wake_reader();
        self.inside = true;
        Ok(())
    }

    /// Asks it to end the execution, which hangs: it fails there, in the thread that hangs.
    pub fn ask_to_end(&self) {
        self.runner.ask_to_end();
    }

    /// Takes what the runner has sent, so that it has room for more.
    pub fn drain(&mut self) -> Result<()> {
        self.runner.discard().map_err(broken)
    }

    /// What a record of gdb's says about the program; `None` where it says nothing of it.
    pub fn stopped(&mut self, record: &Record) -> Option<Stop> {
        if !is_stop(record) {
            return None;
        }
        let reason = self.block().get().reason.load(Relaxed);
        let stop = Stop::read(&record.fields, self.stop, &self.enter, Reason::from_u32(reason));
        if matches!(stop, Stop::Ended(_) | Stop::Asked(Reason::End)) {
            self.inside = false;
        }
        Some(stop)
    }

    /// gdb's number of a thread of the execution.
    pub fn thread_in_gdb(&mut self, inbox: &mut Inbox, thread: u8) -> std::result::Result<u64, GdbError> {
        let gone = || GdbError::Refused(format!("T{thread} does not exist now"));
        let (_, carrier) = self.threads().into_iter().find(|(t, _)| *t == thread).ok_or_else(gone)?;
        let answer = self.command(inbox, "-thread-info")?;
        // `Thread 0x7ffff7bfdb80 (LWP 15279)`.
        let carried = |t: &&Fields| t.text("target-id").contains(&format!("LWP {carrier})"));
        answer.tuples("threads").find(carried).and_then(|t| t.number("id")).ok_or_else(gone)
    }

    /// The call stack of a thread of gdb's, innermost frame first.
    pub fn stack(&mut self, inbox: &mut Inbox, thread: u64) -> std::result::Result<Vec<Frame>, GdbError> {
        let last = frames::LONGEST;
        let answer = self.command(inbox, &format!("-stack-list-frames --thread {thread} 0 {last}"))?;
        Ok(answer.tuples("stack").map(|f| self.whose.frame(f)).collect())
    }
}

/// The block of the channel, for as long as the runner lives.
struct Block(raddle_schedule::channel::Channel);

impl Block {
    fn get(&self) -> &Debug {
        &self.0.header().debug
    }
}
