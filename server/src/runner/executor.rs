//! The executor over processes: plans go into the channel as they come, traces come back in
//! order, and whatever happens to the program in between is turned into the trace of the plan
//! that was running.
//!
//! A runner that dies loses nothing: the plan it died on becomes a crash or an exit, the plans
//! behind it go to a fresh runner ([`Runner::handle_exit`]). One that stops passing schedule points is
//! first asked to end its execution, then killed ([`Runner::guard`]). One that is killed from outside is
//! told from one that kills itself by executing the same plan once more.

use super::ALL_DEPENDENCIES;
use super::memory::Memory;
use super::process::{Death, Process, signal_name};
use super::watch::{Verdict, Watch};
use super::{Isolation, Launch, Settings, start};
use crate::symbols::promoted;
use raddle_engine::{Executor, ExecutorError};
use raddle_schedule::channel::{Channel, wire};
use raddle_schedule::plan::flags::QUARANTINE;
use raddle_schedule::{Outcome, Plan, Trace, system_call};
use std::collections::VecDeque;
use std::sync::atomic::Ordering::{Acquire, Relaxed, SeqCst};
use std::time::{Duration, Instant};

/// Between two looks at whether the runner still lives.
const LOOK: u64 = 2_000_000;
/// Receiving gives up after this, so that the search can look at its clock.
const PATIENCE: Duration = Duration::from_millis(50);
/// Deaths in a row with no execution begun: then it is no use trying again.
const IDLE_DEATHS: u32 = 3;

/// Plans are sent without a word until so many are: a look whether the program sleeps takes time.
const FEW: u32 = 8;

/// One test's program, ready to execute plans. Started when the first plan comes.
pub struct Runner {
    launch: Launch,
    settings: Settings,
    /// Dropped before the memory it writes to.
    process: Option<Process>,
    memory: Memory,
    /// Plans without an answer, oldest first.
    plans: VecDeque<Plan>,
    /// How many of them are in the ring.
    sent: usize,
    /// How many of them the program may not know of yet, if it sleeps.
    quiet: u32,
    /// The trace being received.
    partial: Trace,
    words: Vec<u64>,
    /// Answered plans, for their memory.
    spare: Vec<Plan>,
    watch: Watch,
    /// The system call that the execution which was asked to end waited in.
    waits_in: Option<i64>,
    idle_deaths: u32,
    /// The plan that is executed once more, since its runner was killed in it.
    again: Option<u64>,
    /// Runners that were killed from outside.
    killed: u64,
    /// Spin for a moment before sleeping: there is another CPU that works meanwhile.
    spin: bool,
    peak_memory: u64,
    maps: String,
    /// Process that may attach to the runner; 0 is nobody.
    tracer: u32,
    /// In every execution no block of the heap is given out twice.
    quarantine: bool,
}

fn error(what: impl std::fmt::Display) -> ExecutorError {
    ExecutorError(what.to_string())
}

/// The event at which a debugger wants the program to stop, plus one; 0 for none. It goes through
/// the channel, since the program's environment lies on its stack and must not differ.
fn stop_at() -> u64 {
    let wanted = std::env::var("RADDLE_DEBUG_STOP_AT").ok().and_then(|n| n.parse::<u64>().ok());
    wanted.map_or(0, |n| n.wrapping_add(1))
}

impl Runner {
    /// For a test; starts nothing yet.
    pub fn new(launch: Launch, settings: Settings) -> std::io::Result<Runner> {
        let memory = Memory::new()?;
        let channel = memory.channel();
        let options = &channel.header().options;
        options.granularity.store(settings.granularity as u32, Relaxed);
        options.carriers.store(settings.carriers as u32, Relaxed);
        options.isolation.store(settings.isolation as u32, Relaxed);
        options.main_exit.store(settings.main_exit as u32, Relaxed);
        options.by_itself.store(settings.by_itself.bits(), Relaxed);
        options.has_unwatched_code.store(launch.has_unwatched_code.into(), Relaxed);
        options.max_threads.store(settings.max_threads.unwrap_or(0), Relaxed);
        options.random_choices.store(settings.random_choices.into(), Relaxed);
        options.seed.store(settings.seed, Relaxed);
        let debug = &channel.header().debug;
        debug.stop_at.store(stop_at(), Relaxed);
        debug.by_signal.store(u32::from(stop_at() != 0), Relaxed);
        if !channel.set_focus(&settings.points_at.join(",")) {
            return Err(std::io::Error::other("--points-at names too many functions"));
        }
        let promoted = promoted::lines(&launch.program, &settings.promoted).map_err(std::io::Error::other)?;
        if !channel.set_promoted(&promoted) {
            return Err(std::io::Error::other("too many variables are promoted"));
        }
        if !channel.set_trusted(&settings.trusted.join(",")) {
            return Err(std::io::Error::other("--trust names too many functions"));
        }
        if !channel.set_inputs(&settings.inputs) {
            return Err(std::io::Error::other("--inputs names too many values"));
        }
        let mut points_in = settings.points_in.clone();
        if launch.all_points {
            points_in.push(ALL_DEPENDENCIES.to_string());
        }
        let points_in = points_in.join(",");
        if !channel.set_points_in(&points_in) {
            return Err(std::io::Error::other("--points-in names too many dependencies"));
        }
        Ok(Runner {
            launch,
            settings,
            process: None,
            memory,
            plans: VecDeque::new(),
            sent: 0,
            quiet: 0,
            partial: Trace::default(),
            words: Vec::new(),
            spare: Vec::new(),
            watch: Watch::default(),
            waits_in: None,
            idle_deaths: 0,
            again: None,
            killed: 0,
            spin: std::thread::available_parallelism().is_ok_and(|n| n.get() > 1),
            peak_memory: 0,
            maps: String::new(),
            tracer: 0,
            quarantine: false,
        })
    }

    /// Whether from now on no block of the heap is given out twice in any execution, as the schedule that it is
    /// about wants it ([`raddle_schedule::Schedule::quarantine`]); otherwise plans say so one by one.
    pub fn quarantine(&mut self, quarantine: bool) {
        self.quarantine = quarantine;
    }

    /// Starts the process, if there is none.
    pub fn warm(&mut self) -> Result<(), ExecutorError> {
        if self.process.is_none() { self.start() } else { Ok(()) }
    }

    /// The channel, to read sites from.
    pub fn channel(&self) -> Channel {
        self.memory.channel()
    }

    /// `/proc/…/maps` of the runner, of now or of the last one that lived.
    pub fn maps(&mut self) -> &str {
        if let Some(process) = &self.process
            && let Ok(maps) = std::fs::read_to_string(format!("/proc/{}/maps", process.pid()))
            && !maps.is_empty()
        {
            self.maps = maps;
        }
        &self.maps
    }

    /// Most memory a runner of this test ever held.
    pub fn peak_memory(&self) -> u64 {
        self.process.as_ref().map_or(0, Process::peak_memory).max(self.peak_memory)
    }

    /// Lets this process, a debugger, attach to the runners started from now on.
    pub fn allow(&mut self, tracer: u32) {
        self.tracer = tracer;
    }

    /// Starts the runner if there is none; its process.
    pub fn process(&mut self) -> Result<u32, ExecutorError> {
        if self.process.is_none() {
            self.start()?;
        }
        Ok(self.process.as_ref().map_or(0, Process::pid))
    }

    /// Takes what has come without waiting for more, and forgets it. A debugger has the runner
    /// stop at the end of an execution instead of waiting for its trace; but a trace that nobody
    /// takes fills the ring.
    pub fn discard(&mut self) -> Result<(), ExecutorError> {
        let mut trace = Trace::default();
        while let Some(read) = self.read() {
            read.map_err(|()| error("the program wrote into Raddle's memory"))?;
            self.deliver(&mut trace)?;
        }
        Ok(())
    }

    /// Runners that somebody else has killed.
    pub fn killed(&self) -> u64 {
        self.killed
    }

    /// Asks the process that executes now to end its execution as one that hangs.
    pub fn ask_to_end(&self) {
        if let Some(process) = &self.process {
            process.signal(self.memory.channel().header().pid.load(Relaxed), libc::SIGRTMIN() + 1);
        }
    }

    /// Forgets all plans; the next one starts a fresh process.
    pub fn reset(&mut self) {
        self.end();
        self.plans.clear();
        self.partial.clear();
        self.idle_deaths = 0;
    }

    /// Executes one plan. `stop` is asked while the execution goes on; true gives it up, and the next plan starts a
    /// fresh process.
    pub fn run(
        &mut self,
        plan: &Plan,
        trace: &mut Trace,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<(), ExecutorError> {
        self.submit(plan)?;
        while !self.receive(trace)? {
            if stop() {
                self.reset();
                return Err(error("there was no time left for it"));
            }
        }
        Ok(())
    }

    fn start(&mut self) -> Result<(), ExecutorError> {
        let channel = self.memory.channel();
        // The dead runner's side of both rings is ours now.
        channel.plans().drain();
        channel.traces().drain();
        let header = channel.header();
        for word in [&header.stop, &header.ready, &header.pid] {
            word.store(0, SeqCst);
        }
        header.running.store(0, SeqCst);
        let program = self.launch.program.display();
        let process = Process::start(&self.launch, self.memory.fd(), self.tracer)
            .map_err(|e| error(format_args!("cannot start {program}: {e}")))?;
        start::wait(&process, header, &self.launch)?;
        self.process = Some(process);
        (self.sent, self.quiet) = (0, 0);
        self.partial.clear();
        self.watch = Watch::default();
        self.maps();
        Ok(())
    }

    /// Ends the process; it is started again when it is needed.
    fn end(&mut self) {
        self.peak_memory = self.peak_memory();
        self.process = None;
        (self.sent, self.quiet) = (0, 0);
    }

    /// Puts as many plans into the ring as there is room for.
    fn flush(&mut self) -> Result<(), ExecutorError> {
        if self.process.is_none() {
            self.start()?;
        }
        let channel = self.memory.channel();
        let ring = channel.plans();
        while let Some(plan) = self.plans.get(self.sent) {
            self.words.clear();
            plan.encode(&mut self.words);
            if self.words.len() > ring.max_payload() {
                let n = plan.deltas.len();
                return Err(error(format!(
                    "a schedule of {n} differences is too long to be followed; a lower --max-steps cuts such executions off"
                )));
            }
            if !ring.try_push_quietly(wire::PLAN, &self.words) {
                break;
            }
            self.sent += 1;
            self.quiet += 1;
        }
        // The program may wait while this side reads what it has sent.
        if self.quiet >= FEW {
            self.wake();
        }
        Ok(())
    }

    /// Tells the program, if it sleeps, of the plans sent.
    fn wake(&mut self) {
        self.quiet = 0;
        self.memory.channel().plans().wake_reader();
    }

    /// Takes records until one ends a trace. `None`: nothing more is there.
    fn read(&mut self) -> Option<Result<(), ()>> {
        let channel = self.memory.channel();
        let ring = channel.traces();
        let partial = &mut self.partial;
        loop {
            match ring.pop(|kind, words| wire::receive(partial, kind, words))? {
                Ok(false) => {}
                Ok(true) => return Some(Ok(())),
                Err(()) => return Some(Err(())),
            }
        }
    }

    /// The trace that was just completed answers the oldest plan.
    fn deliver(&mut self, trace: &mut Trace) -> Result<(), ExecutorError> {
        let answered = self.plans.pop_front();
        let due = answered.as_ref().map(|p| p.sequence);
        self.spare.extend(answered);
        self.sent = self.sent.saturating_sub(1);
        std::mem::swap(trace, &mut self.partial);
        self.partial.clear();
        self.idle_deaths = 0;
        self.killed += u64::from(self.again.take().is_some());
        self.watch = Watch::default();
        if due != Some(trace.sequence) {
            let due = due.map_or("none".to_string(), |n| n.to_string());
            return Err(error(format_args!(
                "the program answered plan {} while {due} was due: it wrote into Raddle's memory, or it runs twice (a fork by a system call of its own)",
                trace.sequence
            )));
        }
        // A forked child's death is told by its parent, who knows no more than this.
        let died = matches!(trace.outcome, Outcome::Crash | Outcome::Exit) && trace.events.is_empty();
        let placed = trace.site != 0 || trace.pc != 0;
        trace.lost |= self.settings.isolation == Isolation::Fork && died && !placed;
        // It may have died inside libc, holding one of its locks.
        let waits_in = self.waits_in.take();
        let past_libc = trace.outcome == Outcome::Unsupported && trace.message == system_call::PAST_LIBC;
        match waits_in {
            Some(number) if past_libc => trace.message = system_call::past_libc(number),
            Some(number) if trace.outcome == Outcome::Hang => {
                trace.message += &format!(": it waits in the system call {}", system_call::name(number));
            }
            // Without a signal it is known to go on for ever.
            None if trace.outcome == Outcome::Hang && !trace.lost && trace.code != 0 => {
                let seconds = self.settings.hang.as_secs_f64();
                trace.message += &format!(" for {seconds} s (--hang gives a long computation more)");
            }
            _ => {}
        }
        if past_libc || trace.outcome == Outcome::Hang && trace.code != 0 {
            self.end();
        }
        Ok(())
    }

    /// Makes the trace that a dead (or killed) runner could not finish.
    fn handle_exit(&mut self, outcome: Outcome, code: u32, message: String) {
        let sequence = self.plans.front().map_or(0, |p| p.sequence);
        let t = &mut self.partial;
        t.sequence = sequence;
        t.outcome = outcome;
        t.code = code;
        t.message = message;
        t.lost = true;
        t.steps = t.events.iter().filter(|e| e.is_step()).count() as u32;
        t.thread = t.events.last().map_or(0, |e| e.thread());
        t.site = t.events.last().map_or(0, |e| e.site);
        t.hash = t.prefix_hash(u32::MAX);
    }

    /// The runner is dead: was it executing?
    fn fail_plan(&mut self, death: Death) -> Result<bool, ExecutorError> {
        let header_running = self.memory.channel().header().running.load(Acquire);
        let complaint = self.process.as_ref().map(Process::complaint).unwrap_or_default();
        let executing = self.plans.front().is_some_and(|p| header_running == p.sequence + 1);
        if !executing {
            self.end();
            self.idle_deaths += 1;
            if self.idle_deaths >= IDLE_DEATHS {
                return Err(start::unready(&self.launch, death, &complaint));
            }
            return Ok(false);
        }
        let sequence = self.plans.front().map(|p| p.sequence);
        if death == Death::Signal(libc::SIGKILL) && self.again != sequence {
            self.again = sequence;
            self.end();
            return Ok(false);
        }
        self.again = None;
        let (outcome, code, mut message) = match death {
            Death::Signal(n) => (Outcome::Crash, n as u32, format!("killed by {}", signal_name(n))),
            Death::Status(n) => (Outcome::Exit, n as u32, format!("the process ended with status {n}")),
        };
        if !complaint.is_empty() {
            message = format!("{message}: {complaint}");
        }
        self.handle_exit(outcome, code, message);
        self.end();
        Ok(true)
    }

    /// Has the execution stopped passing schedule points, or does it wait by itself? `true` when its runner was killed for it.
    fn guard(&mut self) -> bool {
        let Runner { watch, memory, process, settings, .. } = self;
        let channel = memory.channel();
        let header = channel.header();
        let waits = || {
            let called = process.as_ref().and_then(|p| p.system_call(header.pid.load(Relaxed)));
            called.is_some_and(system_call::waits)
        };
        match watch.look(header, settings.hang, waits) {
            Verdict::Fine => false,
            Verdict::Look => {
                let pid = self.memory.channel().header().pid.load(Relaxed);
                // A system call of its own would end early.
                let process = self.process.as_ref().filter(|p| p.system_call(pid).is_none());
                if let Some(process) = process {
                    process.asks_for_a_look(pid, libc::SIGRTMIN() + 1);
                }
                false
            }
            Verdict::Ask => {
                // It is woken by being asked.
                let pid = self.memory.channel().header().pid.load(Relaxed);
                self.waits_in = self.process.as_ref().and_then(|p| p.system_call(pid));
                self.ask_to_end();
                false
            }
            Verdict::Kill => {
                let seconds = self.settings.hang.as_secs_f64();
                self.handle_exit(Outcome::Hang, 0, format!("no schedule point for {seconds} s"));
                self.end();
                true
            }
        }
    }
}

impl Executor for Runner {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        let mut kept = self.spare.pop().unwrap_or_default();
        kept.copy_from(plan);
        if self.quarantine {
            kept.flags |= QUARANTINE;
        }
        self.plans.push_back(kept);
        self.flush()
    }

    fn receive(&mut self, trace: &mut Trace) -> Result<bool, ExecutorError> {
        if self.plans.is_empty() {
            return Ok(false);
        }
        let mut begun = None;
        loop {
            self.flush()?;
            match self.read() {
                Some(Ok(())) => {
                    self.deliver(trace)?;
                    return Ok(true);
                }
                Some(Err(())) => return Err(error("the program wrote into Raddle's memory")),
                None => {}
            }
            // Plans are pushed quietly: the runner must know of them before this side sleeps.
            self.wake();
            if self.memory.channel().traces().wait_readable(self.spin, LOOK) {
                continue;
            }
            let death = self.process.as_ref().and_then(Process::death);
            // What it had published before it died still counts.
            if self.memory.channel().traces().is_readable() {
                continue;
            }
            let ended = match death {
                Some(death) => self.fail_plan(death)?,
                None => self.guard(),
            };
            if ended {
                self.deliver(trace)?;
                return Ok(true);
            }
            if begun.get_or_insert_with(Instant::now).elapsed() >= PATIENCE {
                return Ok(false);
            }
        }
    }
}
