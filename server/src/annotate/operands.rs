//! What the variables of a failed assertion of C were: `i = 1` beside `take(q) == i`. Where the assertion has none (`0`),
//! those of the `if` that it stands in.
//!
//! They are values at the end. What others can change too is told only if the thread's last read found the same, and so did its last
//! reads of each pointer and index on the way there: another thread may have run since.

use super::blocks::Blocks;
use super::places::Places;
use super::sources::Spot;
use raddle_engine::{Failure, FailureKind};
use raddle_instrumenter::c::index::conditions::Operand;
use raddle_protocol::explanation::Value;
use raddle_schedule::memory::{Frame, Held, Moment};
use raddle_schedule::{OpKind, Trace};

/// Most values, and most characters of all of them.
const MOST: usize = 4;
pub const LONGEST: usize = 56;

/// Messages of checks that have no claim: what they stand in is.
const UNREACHED: [&str; 2] = ["reach_error is called", "__VERIFIER_error is called"];

/// The values, in the order of the source.
pub fn told(f: &Failure, trace: &Trace, places: &Places) -> Vec<Value> {
    if f.kind != FailureKind::Assertion {
        return Vec::new();
    }
    let users = |f: &&[Frame]| places.symbols.user_code(f[0].code.wrapping_sub(1)).is_some();
    let Some([frame, caller]) = trace.memory.frames.windows(2).find(users) else { return Vec::new() };
    let claim = trace.message.strip_prefix("assertion `").and_then(|rest| rest.rsplit_once("` failed in "));
    let reached = || UNREACHED.iter().any(|what| trace.message.starts_with(what)).then_some(("0", ""));
    let Some((claim, _)) = claim.or_else(reached) else { return Vec::new() };
    let blocks = Blocks::new(trace, places);
    let pointer = |address: u64, size: u64| blocks.pointer(address, size, trace.events.len());
    // Memory that the thread did not read, as far as is known, may be what another one left there; of its stack that is
    // only so if it was found otherwise.
    let found = |address: u64, bytes: &[u8]| was_read(trace, f.thread, address, bytes);
    let read = |address: u64, size: u64| {
        at_end(trace, address, size).filter(|bytes| found(address, bytes) == Some(true))
    };
    let stack = |address: u64, size: u64| {
        on_stack(trace, address, size).filter(|bytes| found(address, bytes) != Some(false))
    };
    let value = |o: Operand| {
        let name = o.name;
        let (of, bytes) = places.symbols.worth(&name, (frame, caller), (&read, &stack))?;
        // What a function is given as a place to work on says little.
        if o.given && of.is_pointer() {
            return None;
        }
        Some(Value { name, value: of.print(&bytes, &pointer)?.to_string() })
    };
    let mut names = places.sources.operands(claim);
    // What it calls reads something, and that is told.
    if names.is_empty() && !claim.contains('(') {
        let spot = places.code_spot(frame.code.wrapping_sub(1));
        names =
            spot.and_then(|s: Spot| places.sources.guard(&s)).map_or(names, |g| places.sources.operands(&g));
    }
    let mut told: Vec<Value> = names.into_iter().filter_map(value).take(MOST).collect();
    while text(&told).chars().count() > LONGEST {
        told.pop();
    }
    told
}

/// `x = 1, n = 2`.
pub fn text(values: &[Value]) -> String {
    values.iter().map(|v| format!("{} = {}", v.name, v.value)).collect::<Vec<_>>().join(", ")
}

fn on_stack(trace: &Trace, address: u64, size: u64) -> Option<Vec<u8>> {
    let (begin, bytes) = &trace.memory.stack;
    let from = address.checked_sub(*begin)? as usize;
    Some(bytes.get(from..from.checked_add(size as usize)?)?.to_vec())
}

fn at_end(trace: &Trace, address: u64, size: u64) -> Option<Vec<u8>> {
    let of_end = trace.memory.held.iter().filter(|h| h.moment == Moment::End);
    of_end.filter_map(|h| part(trace, h, address, size)).next()
}

/// These bytes of what was looked at.
fn part(trace: &Trace, held: &Held, address: u64, size: u64) -> Option<Vec<u8>> {
    let from = address.checked_sub(trace.events.get(held.event as usize)?.object())? as usize;
    Some(held.bytes.get(from..from.checked_add(size as usize)?)?.to_vec())
}

/// Did the thread find these bytes there when it last looked? Unknown if it did not look.
fn was_read(trace: &Trace, thread: u8, address: u64, bytes: &[u8]) -> Option<bool> {
    let held = trace.memory.held.iter().rev().filter(|h| h.moment == Moment::Before);
    let mut own = held.filter(|h| {
        let e = trace.events.get(h.event as usize);
        e.is_some_and(|e| e.thread() == thread && matches!(e.kind(), OpKind::Read | OpKind::AtomicLoad))
    });
    own.find_map(|h| part(trace, h, address, bytes.len() as u64)).map(|found| found == bytes)
}
