//! What operations read, wrote and changed, as the source's language writes it: by the types of the
//! debug information, and for data under Rust's locks by the types that the program told.

use super::blocks::Blocks;
use super::initialisers;
use super::library_calls::Called;
use super::names::Names;
use super::places::Places;
use super::rwlocks::RwLocks;
use super::shared_lines::Meeting;
use crate::symbols::{Printed, Typed, primitive};
use raddle_schedule::memory::{Held, Meaning, Moment};
use raddle_schedule::{Event, OpKind, Trace};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Longest text of a value that is told.
const LONGEST: usize = 72;
/// What is not larger is a number, whatever its type: no float, no address.
const SMALL: u64 = 1 << 20;

/// What is told of one operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// What it read, wrote or left behind.
    pub value: Option<String>,
    /// What was there before, where it changed something.
    pub old: Option<String>,
    /// Both in one: `100`, `100 → 50`.
    pub shown: Option<String>,
    /// What it is, where it is only part of something larger.
    pub meaning: Option<Meaning>,
    /// It works on such a thing, and is a part of it that takes or gives nothing.
    pub part: bool,
    /// It is a part of taking a lock of a library in this way.
    pub wants: Option<OpKind>,
    /// The call of a library that it happened in, where it is not told as what it is to who called.
    pub call: Option<Rc<Called>>,
}

/// The values of one execution.
pub struct Values<'a> {
    trace: &'a Trace,
    places: &'a Places<'a>,
    blocks: Blocks<'a>,
    held: BTreeMap<(u32, Moment), &'a Held>,
    meanings: BTreeMap<u32, Meaning>,
    /// What looks at read-write locks are done for.
    asks: BTreeMap<u32, Meaning>,
    rwlocks: RwLocks,
    /// The objects of these.
    larger: BTreeSet<u64>,
    /// What lay under each lock when a thread took it.
    taken: BTreeMap<(u8, u64), Printed>,
    /// Objects that were written before.
    written: BTreeSet<u64>,
    /// Types of C by instruction, object and size.
    known: BTreeMap<(u32, u64, u32), Option<Typed>>,
    /// Types of Rust by number.
    named: BTreeMap<u16, Option<Typed>>,
}

impl<'a> Values<'a> {
    /// Of an execution.
    pub fn new(trace: &'a Trace, places: &'a Places<'a>) -> Self {
        let held = trace.memory.held.iter().map(|h| ((h.event, h.moment), h)).collect();
        let meanings = initialisers::meanings(trace, places);
        let larger = |(e, meaning): (&u32, &Meaning)| {
            trace.events.get(*e as usize).map(Event::object).filter(|_| !meaning.is_of_poison())
        };
        let rwlocks = RwLocks::of(trace);
        Values {
            trace,
            places,
            blocks: Blocks::new(trace, places),
            held,
            asks: rwlocks.asks(trace),
            rwlocks,
            larger: meanings.iter().filter_map(larger).collect(),
            meanings,
            taken: BTreeMap::new(),
            written: BTreeSet::new(),
            known: BTreeMap::new(),
            named: BTreeMap::new(),
        }
    }

    /// What the event at this index is told with. To be asked in the order of the events.
    pub fn of(&mut self, index: usize, names: &Names) -> Told {
        use OpKind::*;
        let e = self.trace.events[index];
        let meaning = self.meanings.get(&(index as u32)).copied();
        let is_of_larger = || self.larger.contains(&e.object()) || self.rwlocks.of_word(e.object()).is_some();
        let is_one = e.op().takes_rwlock().or(e.op().gives_rwlock()).is_some();
        let part = meaning.is_none() && !is_one && is_of_larger();
        let told = match e.kind() {
            _ if part || meaning.is_some_and(Meaning::is_of_poison) => Told::default(),
            _ if meaning.is_some() => self.of_lock(index, &e, names),
            AtomicLoad | AtomicStore | AtomicRmw if self.is_undone(index) => Told::default(),
            Read | AtomicLoad => one(self.at(index, Moment::Before, names)),
            AtomicRmw if e.failed() => one(self.at(index, Moment::Before, names)),
            Write | AtomicStore | AtomicRmw => self.change(index, names),
            Lock | TryLock | Unlock | CondEnqueue | CondWake => self.of_lock(index, &e, names),
            _ => Told::default(),
        };
        let meaning = meaning.or_else(|| self.asks.get(&(index as u32)).copied());
        Told { meaning, part, ..told }
    }

    /// Is this what ended the execution as misuse, before it was done?
    pub fn is_undone(&self, index: usize) -> bool {
        self.trace.misuse.is_some() && self.trace.events[index + 1..].iter().all(|e| e.kind().is_annotation())
    }

    fn change(&mut self, index: usize, names: &Names) -> Told {
        let e = self.trace.events[index];
        // A local variable has no value before its first one.
        let is_first = self.written.insert(e.object()) && e.kind() != OpKind::AtomicRmw;
        let is_local = || {
            self.places.symbols.variable_start(e.object()).is_none() && !self.blocks.holds(e.object(), index)
        };
        let old = if is_first && is_local() { None } else { self.at(index, Moment::Before, names) };
        let Some(new) = self.at(index, Moment::After, names) else { return Told::default() };
        let last = self.at(index, Moment::Last, names).filter(|last| *last != new);
        let Some(old) = old else {
            let text = last.map_or_else(|| new.to_string(), |last| format!("{new} … {last}"));
            return one(Some(Printed::Whole(text)));
        };
        let mut shown = old.change(&new);
        let mut value = new.to_string();
        // Repetitions are no events; what the last of them left is told with the first.
        if let Some(last) = last {
            value = last.to_string();
            shown = format!("{shown} … {value}");
        }
        both(old.to_string(), value, shown)
    }

    /// What lies under a lock that is taken or given back.
    fn of_lock(&mut self, index: usize, e: &Event, names: &Names) -> Told {
        use Meaning::*;
        let Some(held) = self.held.get(&(index as u32, Moment::Before)) else { return Told::default() };
        if held.of_type == 0 {
            return Told::default();
        }
        let lock = match e.kind() {
            OpKind::CondEnqueue | OpKind::CondWake => e.value,
            _ => e.object(),
        };
        let Some(now) = self.at(index, Moment::Before, names) else { return Told::default() };
        let meaning = self.meanings.get(&(index as u32));
        let gives_back = matches!(e.kind(), OpKind::Unlock | OpKind::CondEnqueue)
            || matches!(meaning, Some(ReadUnlocks | WriteUnlocks));
        let key = (e.thread(), lock);
        if !gives_back {
            self.taken.insert(key, now.clone());
            return one(Some(now));
        }
        match self.taken.remove(&key).filter(|before| *before != now) {
            Some(before) => both(before.to_string(), now.to_string(), before.change(&now)),
            // What is as it was is told where it was taken.
            None => Told { value: Some(now.to_string()), ..Told::default() },
        }
    }

    /// The value that was there at that moment.
    fn at(&mut self, index: usize, moment: Moment, names: &Names) -> Option<Printed> {
        let held = *self.held.get(&(index as u32, moment))?;
        // Its type is told with what was there before.
        let of_type = self.held.get(&(index as u32, Moment::Before)).map_or(0, |h| h.of_type);
        if of_type != 0 {
            return self.of_rust(of_type, index, held);
        }
        let e = self.trace.events[index];
        let bytes = held.bytes.as_slice();
        if names.is_vtable(e.object())
            && let Ok(table) = bytes.try_into()
        {
            return self.places.symbols.virtual_table(u64::from_le_bytes(table)).map(Printed::Whole);
        }
        let now = match moment {
            Moment::Before => index,
            Moment::After => index + 1,
            Moment::Last => self.next_step(index),
            Moment::End => self.trace.events.len(),
        };
        let typed = self.typed(&e, names);
        let Some(typed) = typed else {
            // A number of a type that the program does not name says nothing to who reads it.
            let is_inner = e.kind().is_data() && self.places.is_of_library_class(e.site);
            return if is_inner { None } else { plain(&e, bytes) };
        };
        let pointer = |address: u64, size: u64| self.blocks.pointer(address, size, now);
        typed.print(bytes, &pointer)
    }

    /// The first step behind an event: what was repeated was repeated before it.
    fn next_step(&self, index: usize) -> usize {
        let later = &self.trace.events[index + 1..];
        index + 1 + later.iter().position(Event::is_step).unwrap_or(later.len())
    }

    fn of_rust(&mut self, number: u16, index: usize, held: &Held) -> Option<Printed> {
        let name = self.trace.memory.type_name(number)?;
        if let Some(text) = primitive(name, &held.bytes) {
            return Some(Printed::Whole(text));
        }
        let pointer = |address: u64, size: u64| self.blocks.pointer(address, size, index);
        if name == "*mut ()" {
            let address = u64::from_le_bytes(held.bytes.as_slice().try_into().ok()?);
            return pointer(address, 0).map(Printed::Whole);
        }
        let symbols = self.places.symbols;
        let typed = self.named.entry(number).or_insert_with(|| symbols.type_named(name)).clone()?;
        typed.print(&held.bytes, &pointer)
    }

    /// The type of what an access of C touches: of the variable there, or of the expression in the source.
    fn typed(&mut self, e: &Event, names: &Names) -> Option<Typed> {
        let key = (e.site, e.object(), e.size());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let (places, size) = (self.places, u64::from(e.size()));
        let typed = places.symbols.type_at(e.object(), size);
        let typed = typed.or_else(|| {
            let spot = places.spot(e.site)?;
            if names.meeting(&spot) != Meeting::One {
                return None;
            }
            let (expression, _) = places.sources.object(&spot, e.kind(), Meeting::One)?;
            let code = places.channel.sites().get(e.site).filter(|s| s.place.is_none())?.address;
            places.symbols.type_of_expression(code.wrapping_sub(1), &expression, size)
        });
        self.known.insert(key, typed.clone());
        typed
    }
}

/// Told of what was only looked at.
fn one(value: Option<Printed>) -> Told {
    let value = value.map(|v| v.to_string()).filter(|v| v.chars().count() <= LONGEST);
    Told { shown: value.clone(), value, ..Told::default() }
}

/// Told of what was changed.
fn both(old: String, value: String, shown: String) -> Told {
    let fits = shown.chars().count() <= LONGEST;
    Told { shown: fits.then_some(shown), value: Some(value), old: Some(old), ..Told::default() }
}

/// A value of a type that is not known: of an atomic as it is; of other memory where it can only be a number.
fn plain(e: &Event, bytes: &[u8]) -> Option<Printed> {
    let mut word = [0; 8];
    word.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let n = u64::from_le_bytes(word);
    let text = match e.kind() {
        OpKind::Read | OpKind::Write if n >= SMALL => return None,
        _ if n >> 40 == 0 || n >> 32 == u64::from(u32::MAX) => n.to_string(),
        _ => format!("{n:#x}"),
    };
    Some(Printed::Whole(text))
}
