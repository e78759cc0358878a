//! The channel between the engine's process and a runner: one memfd, mapped by both, with a
//! header, a ring of plans one way, a ring of traces back, and tables of sites and methods.
//!
//! Each ring has one producer and one consumer. Nothing in the memory is trusted by the server:
//! every length is checked against the ring before it is used, so that a test program that
//! scribbles over the channel damages its own traces only.

pub mod debug;
pub mod loops;
pub mod methods;
pub mod origins;
pub mod outside;
pub mod ring;
pub mod sites;
mod sys;
pub mod wait;
pub mod wire;

use core::sync::atomic::{AtomicU32, AtomicU64};
pub use debug::Debug;
pub use methods::{Method, Methods};
pub use origins::{Origin, Origins};
pub use ring::Ring;
pub use sites::{Site, Sites};

/// First word of every channel.
pub const MAGIC: u64 = u64::from_le_bytes(*b"raddle\0\x05");
/// Rings are as small as they can be: what stays in a core's cache is several times as fast. A
/// plan that differs from the default behaviour at every step of the default step bound fits.
const PLAN_BYTES: usize = 1 << 20;
const TRACE_BYTES: usize = 1 << 19;
const SITE_BYTES: usize = sites::BYTES;
const METHOD_BYTES: usize = methods::BYTES;
/// Most bytes of the names that points are restricted to, of the names that are trusted, and of the dependencies
/// with points.
pub const FOCUS_BYTES: usize = 1 << 14;
/// Most bytes of what says where promoted variables lie.
pub const PROMOTED_BYTES: usize = 1 << 16;
const FOCUS: usize = PLAN_BYTES + TRACE_BYTES + SITE_BYTES + METHOD_BYTES;
const PROMOTED: usize = FOCUS + FOCUS_BYTES;
const TRUSTED: usize = PROMOTED + PROMOTED_BYTES;
const POINTS_IN: usize = TRUSTED + FOCUS_BYTES;
/// Most bytes of the values of inputs.
pub const INPUT_BYTES: usize = 1 << 12;
const INPUTS: usize = POINTS_IN + FOCUS_BYTES;
/// Size of the whole mapping in bytes.
pub const BYTES: usize = 4096 + INPUTS + INPUT_BYTES;

/// Options of a session, fixed before its runner starts. All plain numbers, so that a runner
/// without an allocator can read them.
#[repr(C)]
#[derive(Default)]
pub struct Options {
    /// [`crate::Granularity`]: 0 sync, 1 access, 2 statement, 3 lock-exit.
    pub granularity: AtomicU32,
    /// 0 fibers, 1 OS threads.
    pub carriers: AtomicU32,
    /// 0 roll memory back, 1 fork for every execution.
    pub isolation: AtomicU32,
    /// 0 let the other threads finish when T0's body has returned, 1 end them.
    pub main_exit: AtomicU32,
    /// Length of the names that points are restricted to; see [`Channel::focus`].
    pub focus: AtomicU32,
    /// Length of what says where promoted variables lie; see [`Channel::promoted`].
    pub promoted: AtomicU32,
    /// Length of the names that are trusted; see [`Channel::trusted`].
    pub trusted: AtomicU32,
    /// Length of the names of dependencies with points; see [`Channel::points_in`].
    pub points_in: AtomicU32,
    /// What may happen by itself: the bits of [`crate::Choice::by_itself`].
    pub by_itself: AtomicU32,
    /// Length of the values of inputs; see [`Channel::inputs`].
    pub inputs: AtomicU32,
    /// 1 if the program has code whose accesses to memory nobody tells of.
    pub has_unwatched_code: AtomicU32,
    /// So many threads can be there at once, main included; 0 where creating one never fails.
    pub max_threads: AtomicU32,
    /// 1 if small random ranges are inputs; see [`crate::input::RANDOM`].
    pub random_choices: AtomicU32,
    /// The seed that random numbers are drawn from.
    pub seed: AtomicU64,
}

/// The first page.
#[repr(C)]
pub struct Header {
    /// [`MAGIC`].
    pub magic: AtomicU64,
    /// See [`Options`].
    pub options: Options,
    /// Set by the server: end after the current execution.
    pub stop: AtomicU32,
    /// Set by the runner when it is ready for plans.
    pub ready: AtomicU32,
    /// Process that executes now (with fork isolation a child of the runner).
    pub pid: AtomicU32,
    /// Sequence number of the plan being executed, plus one; 0 while idle.
    pub running: AtomicU64,
    /// Set by the runner once the program has come to a statement with a point.
    pub statements: AtomicU32,
    /// What lies outside of the steps: see [`outside`].
    pub outside: AtomicU32,
    /// Set by the runner: where standard input was read first, as a site.
    pub standard_input: AtomicU32,
    /// Set by the runner: where the order of what threads do to files could be found out first, as a site.
    pub files: AtomicU32,
    /// Set by the runner: where a block was first refused for which there might be room without Raddle, as a site.
    pub no_room: AtomicU32,
    /// Set by the runner: which inputs the program has asked for, bit n for number n of [`crate::input::name`].
    pub inputs: AtomicU32,
    /// Set by the runner: of which trusted code an operation was carried out with the step before
    /// ([`crate::trusted::names`]).
    pub trusted: AtomicU32,
    /// Set by the runner: see [`outside::COUNTS_TELL`].
    pub counts: outside::Counts,
    /// Set by the runner: see [`loops`].
    pub loops: loops::Loops,
    /// Rises with every schedule point: the watchdog's heartbeat.
    pub heartbeat: AtomicU64,
    /// See [`struct@Debug`].
    pub debug: Debug,
    /// See [`Origins`].
    pub origins: Origins,
    plans: ring::Indices,
    traces: ring::Indices,
    sites: sites::Counters,
    methods: methods::Counters,
}

const _: () = assert!(core::mem::size_of::<Header>() <= 4096);

/// A view of a mapped channel. Copies are the same channel.
#[derive(Clone, Copy)]
pub struct Channel {
    base: *mut u8,
}

// SAFETY: the view is only an address; everything behind it is reached through atomics or by
// the single producer and the single consumer of each ring (see `ring`).
unsafe impl Send for Channel {}

impl Channel {
    /// Wraps a mapping.
    ///
    /// # Safety
    /// `base` must point to [`BYTES`] bytes of shared read-write memory, aligned to a page, that
    /// stay mapped for as long as any copy of the view is used.
    pub unsafe fn from_raw(base: *mut u8) -> Self {
        Channel { base }
    }

    /// Writes the magic number into a fresh (zeroed) mapping.
    pub fn init(&self) {
        self.header().magic.store(MAGIC, core::sync::atomic::Ordering::Release);
    }

    /// Was the mapping made by this version?
    pub fn is_valid(&self) -> bool {
        self.header().magic.load(core::sync::atomic::Ordering::Acquire) == MAGIC
    }

    /// The first page.
    pub fn header(&self) -> &Header {
        // SAFETY: `from_raw` promises a mapping of BYTES > size_of::<Header>() bytes; all fields
        // are atomics, for which any bit pattern is valid and sharing is allowed.
        unsafe { &*(self.base as *const Header) }
    }

    fn region(&self, offset: usize) -> *mut u8 {
        // SAFETY: every offset used here lies below BYTES, the size of the mapping.
        unsafe { self.base.add(4096 + offset) }
    }

    /// Plans, server to runner.
    pub fn plans(&self) -> Ring<'_> {
        // SAFETY: the region lies inside the mapping and belongs to this ring alone.
        unsafe { Ring::from_raw(&self.header().plans, self.region(0).cast(), PLAN_BYTES / 8) }
    }

    /// Traces, runner to server.
    pub fn traces(&self) -> Ring<'_> {
        // SAFETY: as for `plans`.
        unsafe { Ring::from_raw(&self.header().traces, self.region(PLAN_BYTES).cast(), TRACE_BYTES / 8) }
    }

    /// Where events can come from.
    pub fn sites(&self) -> Sites<'_> {
        // SAFETY: as for `plans`.
        unsafe { Sites::from_raw(&self.header().sites, self.region(PLAN_BYTES + TRACE_BYTES)) }
    }

    /// The functions of the program that were entered.
    pub fn methods(&self) -> Methods<'_> {
        let region = self.region(PLAN_BYTES + TRACE_BYTES + SITE_BYTES);
        // SAFETY: as for `plans`.
        unsafe { Methods::from_raw(&self.header().methods, region) }
    }

    /// Restricts points to functions with these names (with commas between them), before the
    /// runner starts. `false` when that is too much text.
    pub fn set_focus(&self, names: &str) -> bool {
        self.set_text(FOCUS, FOCUS_BYTES, names, &self.header().options.focus)
    }

    /// The names that points are restricted to; empty when they are not.
    pub fn focus(&self) -> &str {
        self.text(FOCUS, FOCUS_BYTES, &self.header().options.focus)
    }

    /// Trusts functions and modules with these names (with commas between them), before the runner
    /// starts. `false` when that is too much text.
    pub fn set_trusted(&self, names: &str) -> bool {
        self.set_text(TRUSTED, FOCUS_BYTES, names, &self.header().options.trusted)
    }

    /// The names of what is trusted.
    pub fn trusted(&self) -> &str {
        self.text(TRUSTED, FOCUS_BYTES, &self.header().options.trusted)
    }

    /// Names the dependencies (with commas between them; `all` for every one) all of whose operations are points,
    /// before the runner starts. `false` when that is too much text.
    pub fn set_points_in(&self, names: &str) -> bool {
        self.set_text(POINTS_IN, FOCUS_BYTES, names, &self.header().options.points_in)
    }

    /// The names of dependencies with points.
    pub fn points_in(&self) -> &str {
        self.text(POINTS_IN, FOCUS_BYTES, &self.header().options.points_in)
    }

    /// Says which values inputs have ([`crate::input::Values::parse`]), before the runner starts. `false` when that is too
    /// much text.
    pub fn set_inputs(&self, values: &str) -> bool {
        self.set_text(INPUTS, INPUT_BYTES, values, &self.header().options.inputs)
    }

    /// The values of inputs.
    pub fn inputs(&self) -> &str {
        self.text(INPUTS, INPUT_BYTES, &self.header().options.inputs)
    }

    /// Says where promoted variables lie, before the runner starts. `false` when that is too much
    /// text. One line each, numbers in hexadecimal, addresses as they stand in the program's file:
    /// * `static START END`: these bytes;
    /// * `site START END FROM TO`: bytes FROM to TO of each block that a call of malloc between START
    ///   and END allocates;
    /// * `made FROM TO FUNCTION`: of each block that is allocated while a thread is in FUNCTION itself;
    /// * `frame FROM TO FUNCTION`: of each stack frame of FUNCTION, from its lower end.
    pub fn set_promoted(&self, lines: &str) -> bool {
        self.set_text(PROMOTED, PROMOTED_BYTES, lines, &self.header().options.promoted)
    }

    /// Where promoted variables lie; empty when there are none.
    pub fn promoted(&self) -> &str {
        self.text(PROMOTED, PROMOTED_BYTES, &self.header().options.promoted)
    }

    fn set_text(&self, offset: usize, most: usize, text: &str, len: &AtomicU32) -> bool {
        if text.len() > most {
            return false;
        }
        // SAFETY: in bounds of the region, which nobody reads before the runner starts.
        unsafe { core::ptr::copy_nonoverlapping(text.as_ptr(), self.region(offset), text.len()) };
        len.store(text.len() as u32, core::sync::atomic::Ordering::Release);
        true
    }

    fn text(&self, offset: usize, most: usize, len: &AtomicU32) -> &str {
        let len = len.load(core::sync::atomic::Ordering::Acquire) as usize;
        // SAFETY: in bounds; written by `set_text` before the runner started, and not since.
        let bytes = unsafe { core::slice::from_raw_parts(self.region(offset), len.min(most)) };
        core::str::from_utf8(bytes).unwrap_or("")
    }
}
