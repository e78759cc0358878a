//! The runner and the simulated executor are the same to the search. Here both execute the same
//! plans, sleep sets included, on the same little programs: one made of simulated instructions, the
//! other of real operations (`agreement.c`), and have to say the same of each execution but for
//! addresses and places.

use super::{Carriers, Entry, Isolation, Launch, MainExit, Runner, Settings};
use raddle_engine::Executor;
use raddle_engine::simulated::{Condition, Instr, Is, Program, Simulated, Value};
use raddle_schedule::block::Footprint;
use raddle_schedule::plan::flags::{SAMPLE, WHOLE_BLOCKS};
use raddle_schedule::sampler::Method;
use raddle_schedule::{Choice, Delta, Event, Granularity, OpKind, Order, Outcome, Plan, Trace, flags, hash};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Numbers that look random, the same every time.
pub(super) struct Random(pub(super) u64);

impl Random {
    /// One below `n`.
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        (hash::mix(self.0, 0) >> 33) as usize % n
    }

    /// Some of the bits of a mask.
    fn some(&mut self, mask: u64) -> u64 {
        mask & self.below(1 << 16) as u64
    }

    /// One of its bits, which it has.
    fn one(&mut self, mask: u64) -> u8 {
        let n = self.below(mask.count_ones() as usize);
        (0..64).filter(|t| mask >> t & 1 != 0).nth(n).unwrap()
    }
}

/// Blocks that leave no mutex taken, as `agreement.c` spells them; `#` is the object's number.
const BLOCKS: [&str; 27] = [
    "L0L1U1U0", "L1L0U0U1", "L#U#", "L#W#U#", "L#w#U#", "L#N#U#", "L#A#U#", "L#f0U#", "N#", "T#", "S#", "s#",
    "Y#", "P#", "l#", "x#", "c#", "g#", "R#V#", "E#V#", "E#f0V#", "r#", "e#", "d#", "D#", "M#", "B#",
];

fn body(random: &mut Random) -> String {
    let blocks = 1 + random.below(3);
    let object = |random: &mut Random| if random.below(3) == 0 { "1" } else { "0" };
    (0..blocks).map(|_| BLOCKS[random.below(BLOCKS.len())].replace('#', object(random))).collect()
}

/// The same body in instructions.
fn instructions(body: &str) -> Vec<Instr> {
    let mut out = Vec::new();
    let one = Value::Const(1);
    for word in body.as_bytes().chunks(2) {
        let n = u32::from(word[1] - b'0');
        let instr = match word[0] {
            b'L' => Instr::Lock(n),
            b'U' => Instr::Unlock(n),
            b'T' => {
                let failed = Condition(Value::Reg(0), Is::Equal, Value::Const(0));
                out.push(Instr::TryLock(n, 0));
                out.push(Instr::JumpIf(failed, out.len() + 2));
                Instr::Unlock(n)
            }
            b'M' | b'r' | b'e' | b'd' | b'D' => {
                let (instr, got) = match word[0] {
                    b'M' => (Instr::LockTimeout(n, 0), 0),
                    b'r' => (Instr::TryReadLock(n, 0), 1),
                    b'e' => (Instr::TryWriteLock(n, 0), 1),
                    b'd' => (Instr::ReadLockTimeout(n, 0), 0),
                    _ => (Instr::WriteLockTimeout(n, 0), 0),
                };
                let failed = Condition(Value::Reg(0), Is::NotEqual, Value::Const(got));
                out.push(instr);
                out.push(Instr::JumpIf(failed, out.len() + 2));
                if word[0] == b'M' { Instr::Unlock(n) } else { Instr::RwUnlock(n) }
            }
            b'R' => Instr::ReadLock(n),
            b'E' => Instr::WriteLock(n),
            b'V' => Instr::RwUnlock(n),
            b'B' => Instr::Barrier(n, 2, 0),
            b'W' => Instr::Wait(n, n),
            b'w' => Instr::WaitTimeout(n, n, 0),
            b'N' => Instr::NotifyOne(n),
            b'A' => Instr::NotifyAll(n),
            b'S' => Instr::SemWait(n),
            b's' => Instr::SemWaitTimeout(n, 0),
            b'Y' => Instr::SemTryWait(n, 0),
            b'P' => Instr::SemPost(n),
            b'l' => Instr::Load(n, 0, Order::SeqCst),
            b'x' => Instr::Store(n, one, Order::SeqCst),
            b'f' => Instr::FetchAdd(n, one, 0, Order::SeqCst),
            b'c' => Instr::CompareExchange(n, Value::Const(0), one, 0, Order::SeqCst),
            _ => Instr::Yield,
        };
        out.push(instr);
    }
    out
}

/// Events without addresses and places: objects are numbered as they come.
fn told(trace: &Trace) -> Vec<String> {
    let mut objects: Vec<u64> = vec![0];
    let mut number = |address: u64| {
        objects.iter().position(|o| *o == address).unwrap_or_else(|| {
            objects.push(address);
            objects.len() - 1
        })
    };
    let tell = |e: &Event| {
        let kind = match e.kind() {
            OpKind::Pending => OpKind::from_u8(e.value as u8).unwrap(),
            kind => kind,
        };
        let of_thread = matches!(
            kind,
            OpKind::ThreadStart
                | OpKind::Exit
                | OpKind::Join
                | OpKind::Spawn
                | OpKind::Choice
                | OpKind::Timeouts
                | OpKind::Expected
                | OpKind::Stored
                | OpKind::Overwrote
        );
        let object = if of_thread { e.object() as usize } else { number(e.object()) };
        let mutex = matches!(e.kind(), OpKind::CondEnqueue | OpKind::CondWake | OpKind::Timeout);
        let value = if mutex { number(e.value) as u64 } else { e.value };
        let enabled = if e.kind() == OpKind::Pending { number(e.enabled) as u64 } else { e.enabled };
        format!(
            "T{} {:?} {kind:?} of {object}, value {value}, enabled {enabled:#b}, flags {:#b}, {:?} of {}",
            e.thread(),
            e.kind(),
            e.flags,
            e.order(),
            e.size()
        )
    };
    let is_access = |e: &&Event| e.kind().is_data();
    let mut out: Vec<String> = trace.events.iter().filter(|e| !is_access(e)).map(tell).collect();
    out.push(format!(
        "{:?} after {} steps, blocked {:#b}, main returned: {}",
        trace.outcome, trace.steps, trace.blocked, trace.main_returned
    ));
    out
}

/// The choices of an execution up to a step.
fn choices(trace: &Trace, until: u32) -> Vec<Delta> {
    let mut deltas = Vec::new();
    let mut step = 0;
    for e in &trace.events {
        if let Some(choice) = e.chosen().filter(|_| e.kind() == OpKind::Choice) {
            deltas.push(Delta { step: step - 1, choice });
        } else if e.is_step() {
            if step == until {
                break;
            }
            deltas.push(Delta { step, choice: Choice::Thread(e.thread()) });
            step += 1;
        }
    }
    deltas
}

/// A plan that does something else at some step of this execution, where some threads sleep.
fn another(trace: &Trace, random: &mut Random) -> Plan {
    let at = random.below(trace.steps as usize + 1) as u32;
    let mut deltas = choices(trace, at);
    let step = trace.events.iter().enumerate().filter(|(_, e)| e.is_step()).nth(at as usize);
    let mut asleep = u64::MAX;
    if let Some((i, step)) = step {
        let before = i.checked_sub(1).map(|i| &trace.events[i]);
        let timeouts = before.filter(|e| e.kind() == OpKind::Timeouts).map_or(0, |e| e.enabled);
        let next = random.one(step.enabled | timeouts);
        deltas.push(Delta { step: at, choice: Choice::Thread(next) });
        asleep &= !(1 << next);
    }
    let most = if random.below(8) == 0 { 12 } else { 1000 };
    Plan { sleep: random.some(asleep), ..Plan::new(0, deltas, most) }
}

/// Builds the program into this folder.
pub(super) fn compile(folder: &Path) -> PathBuf {
    let (source, object) = (folder.join("agreement.c"), folder.join("agreement.o"));
    std::fs::write(&source, include_str!("agreement.c")).unwrap();
    let library = folder.join("libraddle_rt.so");
    std::fs::copy(env!("RADDLE_RT_SO"), library).unwrap();
    let program = folder.join("agreement");
    let cc = |args: &[&std::ffi::OsStr]| {
        let done = Command::new("cc").args(args).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    let flags = ["-fsanitize=thread", "-O1", "-c"].map(std::ffi::OsStr::new);
    cc(&[&flags[..], &[source.as_os_str(), "-o".as_ref(), object.as_os_str()]].concat());
    let mut search = OsString::from("-L");
    search.push(folder);
    let link = ["-Wl,--no-as-needed", "-lraddle_rt", "-pthread", "-rdynamic", "-Wl,-z,now"];
    let link = link.map(std::ffi::OsStr::new);
    let output = [object.as_os_str(), "-o".as_ref(), program.as_os_str(), &search];
    cc(&[&output[..], &link[..]].concat());
    program
}

/// The blocks of an execution at lock-exit granularity: thread and events.
fn blocks(trace: &Trace) -> Vec<(u8, &[Event])> {
    let steps: Vec<usize> = (0..trace.events.len()).filter(|i| trace.events[*i].is_step()).collect();
    let ends = steps.iter().skip(1).copied().chain([trace.events.len()]);
    let block = |(from, to): (&usize, usize)| (trace.events[*from].thread(), &trace.events[*from..to]);
    steps.iter().zip(ends).map(block).collect()
}

/// Delays the threads that sleep in a plan, with what each does next in this execution.
fn delay(plan: &mut Plan, trace: &Trace, locks: bool) {
    let from = plan.deltas.last().map_or(0, |d| d.step) as usize;
    plan.delayed.clear();
    let sleep = plan.sleep;
    for t in (0..64).filter(|t| sleep >> t & 1 != 0) {
        let next = blocks(trace).into_iter().skip(from).find(|(thread, _)| *thread == t);
        match next {
            Some((_, block)) => plan.delayed.push((t, Footprint::of(block, locks))),
            None => plan.sleep &= !(1 << t),
        }
    }
}

pub(super) fn runner(
    program: &Path,
    bodies: &[String],
    granularity: Granularity,
    carriers: Carriers,
) -> Runner {
    let folder = program.parent().unwrap().to_path_buf();
    let launch = Launch {
        program: program.to_path_buf(),
        stamp: None,
        args: bodies.iter().map(OsString::from).collect(),
        cwd: folder.clone(),
        env: Vec::new(),
        entry: Entry::Main,
        test: "main".to_string(),
        library: folder,
        all_points: false,
        has_unwatched_code: false,
    };
    let settings = Settings {
        granularity,
        points_at: Vec::new(),
        promoted: Vec::new(),
        trusted: Vec::new(),
        points_in: Vec::new(),
        carriers,
        isolation: Isolation::Memory,
        main_exit: MainExit::Wait,
        by_itself: Default::default(),
        max_threads: None,
        inputs: raddle_schedule::input::DEFAULT.to_string(),
        random_choices: false,
        seed: 0,
        hang: Duration::from_secs(60),
    };
    Runner::new(launch, settings).unwrap()
}

/// Executes one plan.
fn execute(runner: &mut Runner, plan: &Plan) -> Trace {
    let mut trace = Trace::default();
    runner.submit(plan).unwrap();
    while !runner.receive(&mut trace).unwrap() {}
    trace
}

/// Both execute the same plans, at this granularity.
fn compare(granularity: Granularity) {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path());
    let mut random = Random(7);
    let (mut slept, mut blocked, mut timed, mut drawn) = (0, 0, 0, 0);
    for n in 0..60 {
        let bodies: Vec<String> = (0..2 + random.below(3)).map(|_| body(&mut random)).collect();
        let carriers = if n % 8 == 7 { Carriers::OsThreads } else { Carriers::Fibers };
        let mut real = runner(&program, &bodies, granularity, carriers);
        let simulated = Program::fork_join(bodies.iter().map(|b| instructions(b)).collect());
        let mut simulated = Simulated::new(simulated, granularity);
        let mut plan = Plan::new(0, Vec::new(), 1000);
        let mut real_plan = plan.clone();
        for _ in 0..40 {
            let mut expected = Trace::default();
            simulated.execute(&plan, &mut expected);
            let found = execute(&mut real, &real_plan);
            assert_eq!(told(&found), told(&expected), "{bodies:?} {plan:?}");
            blocked += u32::from(found.outcome == Outcome::SleepBlocked);
            slept += u32::from(plan.sleep & found.blocked != plan.sleep && found.outcome == Outcome::Passed);
            timed += u32::from(found.events.iter().any(|e| e.kind() == OpKind::Timeout));
            plan = another(&expected, &mut random);
            if granularity == Granularity::LockExit {
                plan.flags = [0, WHOLE_BLOCKS][random.below(2)];
                let locks = random.below(2) == 0;
                real_plan = plan.clone();
                delay(&mut plan, &expected, locks);
                delay(&mut real_plan, &found, locks);
                real_plan.sleep = plan.sleep;
            } else {
                real_plan = plan.clone();
            }
        }
        drawn += check_samplers(&mut real, &mut simulated, &mut random);
    }
    // Otherwise little was compared.
    assert!(blocked > 100 && slept > 100 && timed > 100, "{blocked} {slept} {timed}");
    assert!(drawn > 300, "{drawn}");
}

/// With the same seed both draw the same execution, after a beginning that is given too. How
/// many different ones there were.
fn check_samplers(real: &mut Runner, simulated: &mut Simulated, random: &mut Random) -> usize {
    let mut seen = BTreeSet::new();
    let pct = |depth| Method::Pct { depth, decisions: 30, blocks: false };
    for sampling in [Method::Random, pct(1), pct(4), Method::Pos] {
        for seed in 0..6 {
            let mut plan = Plan::new(0, Vec::new(), 1000);
            let mut expected = Trace::default();
            simulated.execute(&plan, &mut expected);
            if seed >= 4 {
                plan.deltas = choices(&expected, random.below(expected.steps as usize + 1) as u32);
            }
            (plan.flags, plan.seed, plan.sampling) = (SAMPLE, seed, sampling);
            simulated.execute(&plan, &mut expected);
            let found = execute(real, &plan);
            assert_eq!(told(&found), told(&expected), "{plan:?}");
            seen.insert(found.hash);
        }
    }
    seen.len()
}

#[test]
fn the_runner_and_the_simulated_executor_say_the_same() {
    compare(Granularity::Sync);
}

#[test]
fn they_agree_on_atomic_blocks_and_on_who_is_delayed() {
    compare(Granularity::LockExit);
}

/// What every thread but the one that ended the execution was about to do; `other` is the body of the other one.
fn check_ends(how: &str, outcome: Outcome, other: &str, next: (OpKind, bool)) {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path());
    let bodies = [format!("{how}0"), other.to_string()];
    let mut runner = runner(&program, &bodies, Granularity::Sync, Carriers::Fibers);
    // T2 comes to its operation, then T1 ends it all; T0 waits for T1.
    let deltas = [(2, 2), (3, 1)].map(|(step, t)| Delta { step, choice: Choice::Thread(t) });
    let trace = execute(&mut runner, &Plan::new(0, deltas.to_vec(), 1000));
    assert_eq!(trace.outcome, outcome);
    let could = |e: &Event| e.flags & flags::ENABLED != 0;
    let told = |e: &Event| Some((e.thread(), e.pending_op()?.kind, could(e)));
    let pendings: Vec<_> = trace.events.iter().filter_map(told).collect();
    assert_eq!(pendings, [(0, OpKind::Join, false), (2, next.0, next.1)]);
}

#[test]
fn ends_in_order_and_by_a_crash_name_what_others_were_about_to_do() {
    // An end in order waits until nobody else can go on.
    check_ends("q", Outcome::Passed, "S0", (OpKind::SemWait, false));
    check_ends("q", Outcome::Passed, "L0U0S0", (OpKind::SemWait, false));
    check_ends("a", Outcome::Crash, "L0U0", (OpKind::Lock, true));
    check_ends("a", Outcome::Crash, "S0", (OpKind::SemWait, false));
}
