//! Which element of an array an object of C is, where the array lies in a struct on the heap.

use super::names::size;
use super::places::Places;
use raddle_schedule::Trace;
use raddle_schedule::memory::Block;

/// An element of an array that lies in a struct on C's heap, by its index: `b->accounts[1].lock` of
/// `b->accounts[to].lock`. The struct is the whole block, so the pointer points to its beginning.
pub fn name(expression: &str, index: usize, trace: &Trace, places: &Places) -> Option<String> {
    let (pointer, rest) = expression.split_once("->").filter(|(_, rest)| rest.contains('['))?;
    let e = &trace.events[index];
    let code = places.channel.sites().get(e.site).filter(|s| s.place.is_none())?.address;
    let holds = |b: &&Block| b.address <= e.object() && e.object() < b.address + b.size;
    let mut before = trace.memory.blocks.iter().rev().filter(|b| b.event as usize <= index);
    let block = before.find(holds)?;
    let part = (e.object() - block.address, size(e));
    let path = places.symbols.member_of(code.wrapping_sub(1), pointer, block.size, part)?;
    // Of the same shape, or it is something else that lies there.
    let shape = |text: &str| text.split(['[', ']']).step_by(2).collect::<String>();
    (shape(&path) == shape(rest)).then(|| format!("{pointer}->{path}"))
}
