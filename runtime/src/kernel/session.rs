//! The runner's loop: take the state that executions start from, then execute plan after plan.

use super::{Panic, k, set_active};
use crate::access;
use crate::carrier::{self, fiber, slot};
use crate::debug;
use crate::interpose::{
    at_exit, channels, cleanup, contexts, environment, epoll, files, keys, layout, lent, loopback, malloc,
    mappings, numbers, options, order, process, pthread, random, refused, signal, stdio, streams, timers,
    variables,
};
use crate::kernel::point::{end_execution, pass};
use crate::kernel::process_end::end_beside_rounds;
use crate::memory::snapshot;
use crate::model::{ended, stacks, statics, std_rwlock, thread};
use crate::sys::{self, call};
use core::ffi::{c_int, c_void};
use core::sync::atomic::Ordering;
use raddle_schedule::channel::wire;
use raddle_schedule::plan::flags::{CAPTURE, SAMPLE};
use raddle_schedule::{Event, MAX_THREADS, OpKind, Outcome, hash};

/// What one execution calls.
#[derive(Clone, Copy)]
pub struct Entry {
    /// T0's body: 0 when it passed.
    pub body: extern "C" fn(*mut c_void) -> c_int,
    /// What it is given.
    pub context: *mut c_void,
    /// The body is the program's main, its result an exit status.
    pub whole_program: bool,
}

/// Carriers made before the first execution.
const PREPARED: u32 = 4;

static mut ENTRY: Option<Entry> = None;

/// An execution has changed what only a new process has as it was.
static mut CHANGED: bool = false;

/// The execution that runs changes something that nothing puts back: the next one is to begin in a process of its own.
pub fn begin_afresh() {
    // SAFETY: the token's holder.
    unsafe { CHANGED = true };
}

/// Must the process end after this execution? Where the program has opened streams before, nobody knows what of them it has
/// used: they lie in libc's heap, and with them what they have read and hold back.
fn is_over() -> bool {
    // SAFETY: the token's holder.
    super::fault::tainted() || unsafe { CHANGED } || streams::any_before()
}

/// Executes plans until the server wants no more. Does not come back.
pub fn serve(entry: Entry) -> ! {
    // SAFETY: on the only thread.
    unsafe { ENTRY = Some(entry) };
    k().threads[0].slot = 0;
    files::snapshot();
    environment::snapshot();
    keys::snapshot();
    ended::prepare();
    std_rwlock::prepare();
    access::prepare();
    cleanup::prepare();
    pthread::prepare();
    keys::prepare();
    variables::prepare();
    if entry.whole_program {
        at_exit::prepare();
    }
    options::prepare();
    stdio::prepare();
    layout::prepare();
    let header = k().setup().channel.header();
    // SAFETY: takes nothing.
    header.pid.store(unsafe { call!(libc::SYS_getpid) } as u32, Ordering::Release);
    // With fork isolation, carriers made now serve every child. And with one made at all, libc
    // says that the process has several threads (`__libc_single_threaded`, a variable that may
    // lie in the program's own data) in the first execution as in all others.
    for n in 0..PREPARED {
        slot::ensure(slot::of_child(0, n));
    }
    snapshot::take();
    header.ready.store(1, Ordering::Release);
    loop {
        next_plan();
        if k().setup().fork {
            execute_in_child();
        } else {
            execute();
        }
        if is_over() {
            k().setup().channel.traces().wake_reader();
            // The server starts a fresh runner with the plans that are left.
            sys::exit(0);
        }
        match k().setup().fork {
            true => files::move_back(),
            false => restore(),
        }
        k().setup().channel.header().running.store(0, Ordering::Release);
        announce();
    }
}

/// Tells the server, if it sleeps, of the traces sent: at once when there is nothing else to do
/// or the execution was long, otherwise every few executions.
fn announce() {
    static mut SILENT: u32 = 0;
    let channel = k().setup().channel;
    // SAFETY: the token's holder.
    unsafe {
        SILENT += 1;
        if SILENT >= 8 || k().steps > 256 || k().plan.flags != 0 || !channel.plans().is_readable() {
            SILENT = 0;
            channel.traces().wake_reader();
        }
    }
}

/// Waits for a plan.
fn next_plan() {
    loop {
        let kernel = k();
        let channel = kernel.setup().channel;
        let spin = kernel.setup().spin;
        let taken =
            channel.plans().pop(|kind, words| kind == wire::PLAN && kernel.plan.decode_into(words).is_some());
        match taken {
            Some(true) => {
                channel.header().running.store(k().plan.sequence + 1, Ordering::Release);
                return;
            }
            Some(false) => {
                sys::complain("raddle: the channel holds something that is no plan\n");
                sys::exit(71);
            }
            None if channel.header().stop.load(Ordering::Acquire) != 0 => sys::exit(0),
            None => {
                channel.plans().wait_readable(spin, 50_000_000);
            }
        }
    }
}

/// Executes the plan and sends its trace.
fn execute() {
    let kernel = k();
    kernel.current = 0;
    kernel.enabled = 1;
    kernel.timeouts = 0;
    kernel.spinning = 0;
    kernel.again.reset();
    kernel.alone.reset();
    kernel.receiving = 0;
    kernel.for_ever = 0;
    kernel.standing = 0;
    kernel.looked = None;
    kernel.loop_at = None;
    kernel.finished = 0;
    kernel.spawned = 1;
    kernel.threads[0].reset(0, 0, None);
    kernel.steps = 0;
    kernel.stepped = 0;
    kernel.unasked = false;
    kernel.inlined = 0;
    kernel.inlined_since = 0;
    kernel.annotations = 0;
    kernel.told = 0;
    kernel.hash = hash::EMPTY;
    kernel.present = 1;
    kernel.gave_way = false;
    kernel.next_delta = 0;
    kernel.sleep = kernel.plan.sleep;
    kernel.set_points();
    if kernel.plan.flags & SAMPLE != 0 {
        kernel.sampler.begin(kernel.plan.sampling, kernel.plan.seed);
    }
    kernel.events.clear();
    kernel.stacks.clear();
    kernel.contents.clear();
    kernel.objects.clear();
    kernel.time_moves = false;
    kernel.reads.clear();
    kernel.robust.clear();
    kernel.named.clear();
    kernel.destroyed.clear();
    kernel.destroys.clear();
    kernel.asides.clear();
    kernel.stored = super::stored::Stored::NONE;
    kernel.thread_ids = 0;
    kernel.quiet = false;
    kernel.own.clear();
    kernel.counts.clear();
    kernel.end = Default::default();
    kernel.main_returned = false;
    kernel.ending = 0;
    kernel.main_left = false;
    kernel.seen.epoch = kernel.seen.epoch.wrapping_add(1);
    kernel.first_panic = None;
    kernel.judged = false;
    process::forget_handlers();
    statics::begin();
    malloc::forget_all();
    crate::promoted::begin();
    ended::begin();
    crate::memory::freed::begin();
    let capture = kernel.plan.flags & CAPTURE != 0;
    if capture {
        files::begin_capture();
    }
    fiber::prepare(0, main_thread);
    debug::begin();
    random::begin();
    options::begin();
    crate::touches::tokens::begin();
    crate::touches::characters::begin();
    contexts::begin();
    order::begin();
    numbers::begin();
    streams::begin();
    lent::begin();
    channels::begin();
    epoll::begin();
    timers::begin();
    loopback::begin();
    set_active(true);
    carrier::run();
    set_active(false);
    debug::over(is_over());
    let output = if capture { files::end_capture() } else { Default::default() };
    files::discard_output();
    k().send_trace(&output);
}

/// Back to where executions start.
fn restore() {
    streams::restore();
    snapshot::restore();
    keys::restore();
    environment::restore();
    mappings::restore();
    files::restore();
    signal::restore();
}

/// Executes the plan in a child process, whose death ends only that execution.
fn execute_in_child() {
    // SAFETY: the process has one running thread; the parked ones are not needed by the child,
    // which uses only their stacks and thread control blocks.
    let child = unsafe { (crate::interpose::real::get().fork)() };
    if child == 0 {
        let header = k().setup().channel.header();
        // SAFETY: takes numbers only.
        unsafe {
            call!(libc::SYS_prctl, libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
            header.pid.store(call!(libc::SYS_getpid) as u32, Ordering::Release);
        }
        if k().setup().os_threads {
            slot::after_fork();
        }
        execute();
        k().setup().channel.traces().wake_reader();
        sys::exit(0);
    }
    let mut status: c_int = 0;
    // SAFETY: the child's status goes into a local.
    unsafe { call!(libc::SYS_wait4, child, &raw mut status, 0, 0) };
    let header = k().setup().channel.header();
    // SAFETY: takes nothing.
    header.pid.store(unsafe { call!(libc::SYS_getpid) } as u32, Ordering::Release);
    if status != 0 {
        // It died of something that the handlers do not see: report that in its place.
        let kernel = k();
        kernel.events.clear();
        kernel.stacks.clear();
        kernel.contents.clear();
        kernel.end = super::End {
            outcome: if libc::WIFSIGNALED(status) { Outcome::Crash } else { Outcome::Exit },
            done: true,
            code: if libc::WIFSIGNALED(status) { libc::WTERMSIG(status) } else { libc::WEXITSTATUS(status) }
                as u32,
            message: "the execution's process died".into(),
            ..Default::default()
        };
        kernel.spawned = 1;
        kernel.finished = 1;
        kernel.send_trace(&[]);
    }
}

/// What T0's fiber runs.
fn main_thread() {
    // SAFETY: set by `serve`.
    let Some(entry) = (unsafe { ENTRY }) else { return };
    let here = 0u8;
    k().me().spin.top = &raw const here as usize;
    if entry.whole_program {
        refused::end_if_started_early();
    }
    let status = (entry.body)(entry.context);
    // With this status, a Rust program's `main` was left by a panic.
    let panicked = status == 101 && k().threads[0].panic.is_some();
    if status != 0 && entry.whole_program && !panicked {
        process::exit_execution(status, 0);
    }
    if status != 0 {
        fail();
    }
    if entry.whole_program {
        thread::run_native_destructors();
        process::run_handlers();
    } else {
        thread::run_destructors();
    }
    let kernel = k();
    kernel.main_returned = true;
    if kernel.setup().main_kills {
        process::end_well();
    }
    stacks::is_over();
    pass(Event::new(OpKind::Exit, 0, 0), true);
    thread::finish();
    end_beside_rounds()
}

/// The test's body failed.
fn fail() -> ! {
    let kernel = k();
    let (thread, panic) = told_panic();
    kernel.end.site = panic.as_ref().map_or(kernel.end.site, |panic| panic.site);
    kernel.end.thread = Some(thread);
    let message = panic.map(|panic| panic.message).unwrap_or_default();
    end_execution(Outcome::Panic, kernel.judged.into(), &message)
}

/// Whose panic T0's says or passes on, through as many threads as there are between. What `resume_unwind` passes on
/// was told to no hook: T0 has no panic then.
fn told_panic() -> (u8, Option<Panic>) {
    let kernel = k();
    let mut thread = 0;
    for _ in 0..MAX_THREADS {
        let of_it = &kernel.threads[usize::from(thread)];
        match &of_it.panic {
            Some(panic) if kernel.judged || !panic.passes_on() => break,
            // A scope joins its threads itself, in their order: the first to panic is its reason.
            Some(panic) if panic.message.contains("a scoped thread") => match kernel.first_panic {
                Some(first) if first != thread => thread = first,
                _ => break,
            },
            _ => match of_it.joined_panic.or(kernel.first_panic) {
                Some(other) if other != thread => thread = other,
                _ => break,
            },
        }
    }
    (thread, kernel.threads[usize::from(thread)].panic.clone())
}
