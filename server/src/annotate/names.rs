//! Names for the objects of one execution, one name each throughout a report: variables by their
//! symbols with fields and elements, everything else by the expression that uses it in the
//! source; where neither is known by kind and number, `mutex 1`.

use super::annotated_trace::Places;
use super::arguments;
use super::blocks::Blocks;
use super::disambiguate::{Candidate, INSIDE, apart, index, pointers};
use super::initialisers;
use super::members;
use super::rwlocks::RwLocks;
use super::shared_lines::{Meeting, Several};
use super::sources::Spot;
use super::vtables;
use crate::symbols::Symbols;
use raddle_engine::Operation;
use raddle_instrumenter::index::Reach;
use raddle_schedule::{Event, OpKind, Trace, input};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The names given so far.
pub struct Names<'a> {
    symbols: &'a Symbols,
    given: BTreeMap<u64, String>,
    /// Blocks by what is freed: what lies at their start has a name of its own.
    freed: BTreeMap<u64, String>,
    numbers: BTreeMap<&'static str, u32>,
    /// Where accesses meet in the execution that was learnt last.
    several: Several,
    /// The read-write locks of that.
    rwlocks: RwLocks,
    /// Who runs which initialiser at its end.
    initialisers: BTreeMap<u64, u8>,
    /// Words that hold the address of a virtual table.
    vtables: BTreeSet<u64>,
}

impl<'a> Names<'a> {
    /// None given yet.
    pub fn new(symbols: &'a Symbols) -> Self {
        Names {
            symbols,
            given: BTreeMap::new(),
            freed: BTreeMap::new(),
            numbers: BTreeMap::new(),
            several: Several::default(),
            rwlocks: RwLocks::default(),
            initialisers: BTreeMap::new(),
            vtables: BTreeSet::new(),
        }
    }

    /// Finds names for all objects of an execution. Of several expressions for one object the one
    /// that lives longest wins, and the first of these; objects that share one are numbered.
    pub fn learn(&mut self, trace: &Trace, places: &Places) {
        places.learn(trace);
        let stacks: BTreeMap<u32, &[u64]> = trace.stacks.iter().map(|s| (s.event, &s.frames[..])).collect();
        self.several = self.several(trace, &stacks, places);
        self.rwlocks = RwLocks::of(trace);
        self.initialisers = initialisers::running(trace, places);
        let blocks = Blocks::new(trace, places);
        let outer = places.outer();
        self.vtables = vtables::words(trace, self.symbols);
        let mut order: Vec<u64> = Vec::new();
        let mut found: BTreeMap<u64, Candidate> = BTreeMap::new();
        let mut several: BTreeSet<u64> = BTreeSet::new();
        let mut certain: BTreeSet<u64> = BTreeSet::new();
        for (i, e) in trace.events.iter().enumerate().filter(|(i, _)| trace.is_told(*i)) {
            let kind = match e.kind() {
                OpKind::Pending => OpKind::from_u8(e.value as u8).unwrap_or(OpKind::Pending),
                kind => kind,
            };
            let Some(class) = class(kind).filter(|_| !self.given.contains_key(&e.object())) else { continue };
            // It has the name of its first word.
            if self.rwlocks.of_word(e.object()).is_some_and(|(lock, _)| lock != e.object()) {
                continue;
            }
            let known = found.get(&e.object()).map(|c| c.reach);
            if known == Some(Reach::Global) && kind != OpKind::Free {
                continue;
            }
            let stack = stacks.get(&(i as u32)).copied().unwrap_or_default();
            let by_source = || self.candidate(e, kind, stack, places);
            let of_this = || {
                let data = matches!(kind, OpKind::Read | OpKind::Write);
                let (name, file) = data.then(|| members::of_this(i, trace, places)).flatten()?;
                Some((name, Reach::Field, Some(file)))
            };
            let of_library = || {
                let named = outer.named(e.object())?;
                Some((named.name.clone(), named.reach, Some(named.spot.file.clone())))
            };
            let of_vtable = || {
                let is_word = kind != OpKind::Free && self.vtables.contains(&e.object());
                let name = is_word.then(|| vtables::name(e.object(), self.symbols))?;
                Some((name, Reach::Global, None))
            };
            let found_name = of_vtable().or_else(of_library).or_else(|| count(e, i, &blocks, places));
            let mut is_certain = false;
            let found_name = found_name.or_else(|| self.of_symbol(e)).or_else(|| {
                let written = by_source();
                let name = written.as_ref().map(|(name, ..)| name.as_str());
                let atomic = members::only_atomic((i, stack), name, trace, places);
                is_certain = atomic.is_some();
                let other = atomic.filter(|(atomic, ..)| name != Some(atomic));
                other.map(|(name, reach, file)| (name, reach, Some(file))).or(written)
            });
            let found_name = found_name.or_else(of_this);
            let Some((name, reach, file)) = found_name else {
                // What a destructor gives back has no expression.
                if kind == OpKind::Free
                    && let Some(name) = blocks.whole(e.object(), i)
                {
                    self.freed.insert(e.object(), name);
                }
                continue;
            };
            let name = members::name(&name, i, trace, places).unwrap_or(name);
            let name = members::with_its_neighbours(&name, i, trace, places).unwrap_or(name);
            if kind == OpKind::Free {
                self.freed.insert(e.object(), name);
                continue;
            }
            // Stacks are used again: what two functions call their own has no name of its own.
            if reach == Reach::Itself
                && found.get(&e.object()).is_some_and(|c| c.reach == reach && c.name != name)
            {
                several.insert(e.object());
            }
            if known.is_none() {
                order.push(e.object());
            }
            // In a line that names several atomics the place of an operation does not always tell which one it is on.
            let settles = is_certain && certain.insert(e.object());
            if known.is_none_or(|k| reach < k || settles && reach == k) {
                let whole = whole(e, kind, file.is_some(), stack, places);
                found.insert(e.object(), Candidate { name, reach, class, file, whole });
            }
        }
        found.retain(|object, _| !several.contains(object));
        order.retain(|object| !several.contains(object));
        index(&order, &mut found, trace, places);
        self.given.extend(apart(&order, &found, &pointers(trace)));
    }

    /// Where accesses to what has no symbol meet.
    fn several(&self, trace: &Trace, stacks: &BTreeMap<u32, &[u64]>, places: &Places) -> Several {
        let mut several = Several::default();
        let accesses = trace.events.iter().enumerate().filter(|(i, _)| trace.is_told(*i));
        for (i, e) in accesses.filter(|(_, e)| matches!(e.kind(), OpKind::Read | OpKind::Write)) {
            let stack = stacks.get(&(i as u32)).copied().unwrap_or_default();
            let spot = || places.spot(e.site).or_else(|| places.stack_spot(stack));
            // What C++'s library does within a call has that call's place, and says nothing of the others there.
            let unnamed =
                self.symbols.variable(e.object(), size(e)).is_none() && !places.is_of_header(e.site);
            if let Some(spot) = unnamed.then(spot).flatten() {
                several.note(e, spot);
            }
        }
        several
    }

    /// How much the column of an access at this place says.
    pub fn meeting(&self, at: &Spot) -> Meeting {
        self.several.at(at)
    }

    /// The name of an object that has a symbol.
    fn of_symbol(&self, e: &Event) -> Option<(String, Reach, Option<PathBuf>)> {
        let kept = raddle_schedule::world::kept_name(e.object()).map(str::to_string);
        // The mutex of a wait is named by its own operations.
        let name = kept.or_else(|| self.symbols.variable(e.object(), size(e)))?;
        Some((name, Reach::Global, None))
    }

    fn candidate(
        &self,
        e: &Event,
        kind: OpKind,
        stack: &[u64],
        places: &Places,
    ) -> Option<(String, Reach, Option<PathBuf>)> {
        let spot = places.spot(e.site).or_else(|| places.stack_spot(stack))?;
        let (name, reach) = self.written((e, kind), stack, &spot, places)?;
        let by_caller = (reach == Reach::Parameter).then(|| arguments::passed(&name, &spot, stack, places));
        Some(by_caller.flatten().map_or((name, reach, Some(spot.file)), |(n, r, file)| (n, r, Some(file))))
    }

    /// What the source calls the object of an event at this place. Inside of C++'s library that is what its caller
    /// works on, whatever the library does to it there.
    fn written(
        &self,
        (e, kind): (&Event, OpKind),
        stack: &[u64],
        spot: &Spot,
        places: &Places,
    ) -> Option<(String, Reach)> {
        let within = kind != OpKind::Free && places.is_of_header(e.site);
        let is_plain = matches!(kind, OpKind::Read | OpKind::Write);
        let by_call = || places.sources.receiver(spot, !within);
        if let Some(written) =
            (kind == OpKind::Write && !within).then(|| places.sources.written_by_call(spot)).flatten()
        {
            return Some(written);
        }
        let arrow = || places.called_of_library(stack).is_some_and(|f| f.contains("::operator->"));
        match (is_plain, within) {
            (true, true) if arrow() => places.sources.before_arrow(spot),
            (true, true) => by_call(),
            (true, false) | (_, true) => {
                places.sources.object(spot, kind, self.several.at(spot)).or_else(by_call)
            }
            _ => places.sources.object(spot, kind, self.several.at(spot)),
        }
    }

    /// The object of an event; empty where it has none.
    pub fn of(&mut self, event: &Event) -> String {
        let object = if event.kind() == OpKind::Spawn { event.value } else { event.object() };
        self.object(event.kind(), object)
    }

    /// The read-write lock, made of words, that a thread waits for that sleeps on this one; and whether it is to write.
    pub fn rwlock(&self, thread: u8, word: u64) -> Option<(u64, bool)> {
        self.rwlocks.wanted(thread, word)
    }

    /// Who has such a lock at the end.
    pub fn rwlock_holders(&self, lock: u64) -> &[u8] {
        self.rwlocks.holders(lock)
    }

    /// Has the object at this address a name of the program's?
    pub fn knows(&self, address: u64) -> bool {
        self.given.contains_key(&address) || self.symbols.variable(address, 0).is_some()
    }

    /// Does the word at this address say which virtual functions its object has?
    pub fn is_vtable(&self, address: u64) -> bool {
        self.vtables.contains(&address)
    }

    /// The thread that runs an object's initialiser at the end.
    pub fn initialiser(&self, object: u64) -> Option<u8> {
        self.initialisers.get(&object).copied()
    }

    /// An object that an operation of this kind works on.
    pub fn object(&mut self, kind: OpKind, object: u64) -> String {
        use OpKind::*;
        if let Some((lock, _)) = self.rwlocks.of_word(object) {
            return self.named("rwlock", lock);
        }
        match (kind, class(kind)) {
            (Spawn | Join | ThreadStart | Exit, _) => format!("T{object}"),
            (Free, _) if self.freed.contains_key(&object) => self.freed[&object].clone(),
            (AtomicLoad | AtomicStore | FutexWait | FutexWake | CondWake | Timeout, _)
                if let Some(thread) = raddle_schedule::ended::thread(object) =>
            {
                format!("the end of T{thread}")
            }
            (AtomicLoad | AtomicRmw | AtomicStore, _)
                if let Some(name) = raddle_schedule::world::name(object) =>
            {
                name.to_string()
            }
            (AtomicRmw, _) if raddle_schedule::named::is_word(object) => {
                "the name of a semaphore".to_string()
            }
            _ if raddle_schedule::world::is_channel(object) => {
                self.numbered(raddle_schedule::world::channel_name(object), object)
            }
            (Input, _) => input::name(object).unwrap_or_default().to_string(),
            (Park | Unpark, _) => self.numbered("park token", object),
            (_, Some(_)) if raddle_schedule::world::is_stream_lock(object) => self.numbered("stream", object),
            (_, Some(class)) => self.named(class, object),
            _ => String::new(),
        }
    }

    /// An address of any kind.
    pub fn address(&mut self, address: u64) -> Option<String> {
        self.given.get(&address).cloned().or_else(|| self.symbols.variable(address, 0))
    }

    fn named(&mut self, class: &'static str, address: u64) -> String {
        if let Some(name) = self.given.get(&address) {
            return name.clone();
        }
        match self.symbols.variable(address, 0) {
            Some(name) => {
                self.given.insert(address, name.clone());
                name
            }
            None => self.numbered(class, address),
        }
    }

    fn numbered(&mut self, class: &'static str, key: u64) -> String {
        let numbers = &mut self.numbers;
        let name = self.given.entry(key).or_insert_with(|| {
            let n = numbers.entry(class).or_insert(0);
            *n += 1;
            format!("{class} {n}")
        });
        name.clone()
    }

    /// A message with its addresses replaced by names, where there are names.
    pub fn rename(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("0x") {
            let (before, number) = rest.split_at(at);
            let end = 2 + number[2..].find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(number.len() - 2);
            let name = u64::from_str_radix(&number[2..end], 16)
                .ok()
                .filter(|a| *a != 0)
                .and_then(|a| self.address(a));
            out += before;
            out += name.as_deref().unwrap_or(&number[..end]);
            rest = &number[end..];
        }
        out + rest
    }
}

/// What an object of a name is a part of: parts of one variable of C++'s library (elements and lengths of a container) share
/// its name. By symbol that is the variable; by the program's expression, whatever the library keeps for it ([`INSIDE`]).
fn whole(e: &Event, kind: OpKind, by_source: bool, stack: &[u64], places: &Places) -> Option<u64> {
    if !by_source {
        return places.symbols.variable_start(e.object());
    }
    let kept = kind.is_data() || kind.is_atomic() || matches!(kind, OpKind::FutexWait | OpKind::FutexWake);
    (kept && places.library_call(e.site, stack).is_some()).then_some(INSIDE)
}

/// The count of an `Arc`, at which code of std works that was compiled into the program: the first word of
/// its block, and the weak one behind it. The same of a `shared_ptr`'s.
fn count(
    e: &Event,
    index: usize,
    blocks: &Blocks,
    places: &Places,
) -> Option<(String, Reach, Option<PathBuf>)> {
    if e.kind().is_atomic() && places.is_of_shared_ptr(e.site) {
        let (block, offset) = blocks.inside_shared_ptr(e.object(), index)?;
        // Behind the pointer to its methods.
        let which = if offset.is_multiple_of(8) { "owners" } else { "weak references" };
        return Some((format!("{which} of {block}"), Reach::Field, None));
    }
    let of_std = e.kind().is_atomic() && places.is_of_std(e.site);
    let (block, offset) = of_std.then(|| blocks.inside_arc(e.object(), index)).flatten()?;
    let which = match offset {
        0 => "owners",
        8 => "weak references",
        _ => return None,
    };
    Some((format!("{which} of {block}"), Reach::Field, None))
}

/// The name of the variable that an operation works on, as far as the operation alone tells it;
/// `None` for operations on no variable, and for those that only a whole execution gives a name.
pub fn name_of(operation: &Operation, places: &Places) -> Option<String> {
    class(operation.kind)?;
    let by_symbol = places.symbols.variable(operation.object, 0);
    let by_source = || {
        let spot = places.spot(operation.site)?;
        places.sources.object(&spot, operation.kind, Meeting::One).map(|(name, _)| name)
    };
    by_symbol.or_else(by_source)
}

/// What an operation's object is; `None` where it has none that lies in memory.
fn class(kind: OpKind) -> Option<&'static str> {
    use OpKind::*;
    Some(match kind {
        Spawn | Join | ThreadStart | Exit | Park | Unpark | ChannelSend | ChannelRecv => return None,
        Fence | Yield | Sleep | End | Point | Statement | Input | Choice | Timeouts | Pending | Expected
        | Stored | Overwrote => {
            return None;
        }
        Lock | TryLock | Unlock => "mutex",
        ReadLock | WriteLock | TryReadLock | TryWriteLock | ReadUnlock | WriteUnlock => "rwlock",
        Barrier => "barrier",
        CondEnqueue | CondWake | NotifyOne | NotifyAll | Timeout => "condvar",
        SemWait | SemTryWait | SemPost => "semaphore",
        FutexWait | FutexWake => "futex",
        AtomicLoad | AtomicStore | AtomicRmw => "atomic",
        _ => "memory",
    })
}

/// Bytes that an access touches; 0 for what is no access.
pub fn size(e: &Event) -> u64 {
    match e.kind() {
        OpKind::Read | OpKind::Write => u64::from(e.size()),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_by_first_use_and_renamed_in_messages() {
        let symbols = Symbols::new("", Vec::new());
        let mut names = Names::new(&symbols);
        assert_eq!(names.object(OpKind::Lock, 0x20), "mutex 1");
        assert_eq!(names.object(OpKind::Lock, 0x10), "mutex 2");
        assert_eq!(names.object(OpKind::Unlock, 0x20), "mutex 1");
        assert_eq!(names.object(OpKind::Spawn, 2), "T2");
        assert_eq!(
            names.rename("T1 waits for mutex 0x10, not 0x99; 0x"),
            "T1 waits for mutex mutex 2, not 0x99; 0x"
        );
    }
}
