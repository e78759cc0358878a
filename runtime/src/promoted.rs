//! Promoted variables (algorithms, rule 8; paper 000, section 3.1): data that raced, every access to
//! which is a schedule point since. They are told by what they are, never by an address: static data
//! by its place in the program's file, blocks of the heap by who allocates them, what lies on a stack
//! by its function's frame. `schedule::channel` has the form in which the server says it.
//!
//! The other way round goes through here too: before it promotes something the server asks what lies
//! at an address ([`raddle_schedule::channel::Origins`]), and the next access to it answers.

use crate::carrier::slot;
use crate::kernel::k;
use crate::memory::{arena, modules};
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::c_void;
use raddle_schedule::channel::{Channel, Origin};

/// From the first to before the second.
type Range = (usize, usize);

/// What is promoted, and where it lies in this execution.
struct Promoted {
    /// Static data.
    data: Vec<Range>,
    /// Calls that allocate, and the bytes of what they allocate.
    sites: Vec<(Range, Range)>,
    /// Functions that allocate, and the bytes of what they allocate.
    makers: Vec<(String, Range)>,
    /// Functions, and the bytes of their stack frames.
    frames: Vec<(String, Range)>,
    /// Promoted parts of the blocks there are, each with its block.
    parts: Vec<(usize, Range)>,
    /// Of these, the parts from before the first execution.
    kept: Vec<(usize, Range)>,
    /// The first execution has begun.
    begun: bool,
    /// The server asks what lies somewhere.
    asked: bool,
    /// While it asks, the blocks there are: start, length, who allocated it and in which function.
    blocks: Vec<Block>,
}

struct Block {
    start: usize,
    len: usize,
    caller: usize,
    method: u16,
}

struct Global(UnsafeCell<Promoted>);

// SAFETY: used by the token's holder only.
unsafe impl Sync for Global {}

static PROMOTED: Global = Global(UnsafeCell::new(Promoted {
    data: Vec::new(),
    sites: Vec::new(),
    makers: Vec::new(),
    frames: Vec::new(),
    parts: Vec::new(),
    kept: Vec::new(),
    begun: false,
    asked: false,
    blocks: Vec::new(),
}));
/// Is anything promoted? And does anything here matter at all? Plain flags for the hot paths.
static mut ANY: bool = false;
static mut WATCHED: bool = false;

fn promoted() -> &'static mut Promoted {
    // SAFETY: see `Global`; one reference at a time.
    unsafe { &mut *PROMOTED.0.get() }
}

/// Reads what the server says. Called once, before the program's own code.
pub fn init(channel: Channel) {
    let mut moved = 0;
    modules::each(|m| {
        if m.is_executable() {
            moved = m.moved();
        }
    });
    let p = promoted();
    for line in channel.promoted().lines() {
        read(p, line, moved);
    }
    // SAFETY: in a constructor, on the only thread.
    unsafe {
        ANY = !channel.promoted().is_empty();
        WATCHED = ANY;
    }
}

/// Is anything promoted?
#[inline(always)]
pub fn any() -> bool {
    // SAFETY: written by `init`.
    unsafe { ANY }
}

/// Does the server promote something, or ask?
#[inline(always)]
fn watched() -> bool {
    // SAFETY: written by the token's holder.
    unsafe { WATCHED }
}

/// One line, in the form that [`Channel::set_promoted`] tells.
fn read(p: &mut Promoted, line: &str, moved: usize) -> Option<()> {
    let (kind, mut rest) = line.split_once(' ')?;
    let mut number = || {
        let (text, more) = rest.split_once(' ').unwrap_or((rest, ""));
        rest = more;
        usize::from_str_radix(text, 16).ok()
    };
    let first: Range = (number()?, number()?);
    let there = (first.0 + moved, first.1 + moved);
    match kind {
        "static" => p.data.push(there),
        "site" => p.sites.push((there, (number()?, number()?))),
        "made" => p.makers.push((String::from(rest), first)),
        "frame" => p.frames.push((String::from(rest), first)),
        _ => {}
    }
    Some(())
}

/// An execution begins.
pub fn begin() {
    let p = promoted();
    if !p.begun {
        p.begun = true;
        p.kept.clone_from(&p.parts);
    }
    p.parts.clone_from(&p.kept);
    p.blocks.clear();
    p.asked = k().setup().channel.header().origins.is_asked();
    // SAFETY: the token's holder.
    unsafe { WATCHED = ANY || p.asked };
}

/// A block was allocated by the call that returns to `caller`.
#[inline]
pub fn allocated(block: usize, len: usize, caller: *const c_void) {
    if watched() && block != 0 {
        note(block, len, caller as usize);
    }
}

#[cold]
fn note(block: usize, len: usize, caller: usize) {
    let p = promoted();
    let active = crate::kernel::active();
    // The call lies before its return address.
    let call = caller.wrapping_sub(1);
    let by_site = p.sites.iter().filter(|(code, _)| code.0 <= call && call < code.1).map(|(_, bytes)| bytes);
    let maker = if active { k().me().frames.innermost() } else { None };
    let by_maker = p.makers.iter().filter(|(name, _)| maker == Some(name.as_bytes())).map(|(_, bytes)| bytes);
    for (from, to) in by_site.chain(by_maker) {
        p.parts.push((block, (block + from, block + (*to).min(len))));
    }
    if p.asked && active {
        p.blocks.push(Block { start: block, len, caller, method: k().me().frames.number() });
    }
}

/// A block is given back.
#[inline]
pub fn freed(block: usize) {
    if watched() {
        let p = promoted();
        p.parts.retain(|(b, _)| *b != block);
        p.blocks.retain(|b| b.start != block);
    }
}

/// Does an access to these bytes touch something promoted?
#[inline]
pub fn covers(at: u64, size: u32) -> bool {
    any() && touches(at as usize, at as usize + size as usize)
}

fn touches(start: usize, end: usize) -> bool {
    let p = promoted();
    let meets = |r: &Range| r.0 < end && start < r.1;
    if slot::is_stack(start) {
        return p.frames.iter().any(|(name, bytes)| {
            let frame = frame(start).filter(|(_, function)| *function == name.as_bytes());
            frame.is_some_and(|(low, _)| meets(&(low + bytes.0, low + bytes.1)))
        });
    }
    if arena::contains(start) {
        return p.parts.iter().any(|(_, r)| meets(r));
    }
    p.data.iter().any(meets)
}

/// The stack frame that an address lies in: its lower end, and whose it is.
fn frame(address: usize) -> Option<(usize, &'static [u8])> {
    let kernel = k();
    let slot = slot::of_address(address);
    let thread = kernel.threads[..kernel.spawned].iter().find(|t| t.slot == slot)?;
    thread.frames.around(address)
}

/// An access to these bytes: answers if the server asks what lies there.
#[inline]
pub fn accessed(at: u64, size: u32) {
    if watched() && promoted().asked {
        answer(at, at + u64::from(size));
    }
}

#[cold]
fn answer(start: u64, end: u64) {
    let origins = &k().setup().channel.header().origins;
    for (place, address) in origins.asked().filter(|(_, a)| start <= *a && *a < end) {
        if let Some(origin) = origin(address as usize) {
            origins.answer(place, origin);
        }
    }
}

fn origin(address: usize) -> Option<Origin> {
    if slot::is_stack(address) {
        let kernel = k();
        let slot = slot::of_address(address);
        let thread = kernel.threads[..kernel.spawned].iter_mut().find(|t| t.slot == slot)?;
        let (low, method) = thread.frames.number_around(address)?;
        return Some(Origin::Frame { method, offset: (address - low) as u64 });
    }
    let block = promoted().blocks.iter().find(|b| b.start <= address && address < b.start + b.len)?;
    Some(Origin::Block {
        caller: block.caller as u64,
        method: block.method,
        offset: (address - block.start) as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_are_written() {
        let p = promoted();
        for line in
            ["static 10 14", "site 20 24 8 c", "made 0 4 a make", "frame 18 1c main", "x 1 2", "static"]
        {
            read(p, line, 0x1000);
        }
        assert_eq!(p.data, [(0x1010, 0x1014)]);
        assert_eq!(p.sites, [((0x1020, 0x1024), (8, 12))]);
        assert_eq!(p.makers, [(String::from("a make"), (0, 4))]);
        assert_eq!(p.frames, [(String::from("main"), (0x18, 0x1c))]);
    }
}
