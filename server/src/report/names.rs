//! Names for the objects of one execution: variables by their symbol, everything else by kind
//! and number in the order of first use, `mutex 1`, `memory 2`.

use crate::symbols::Symbols;
use raddle_schedule::{Event, OpKind};
use std::collections::HashMap;

/// The names given so far.
pub struct Names<'a> {
    symbols: &'a Symbols,
    given: HashMap<u64, String>,
    numbers: HashMap<&'static str, u32>,
}

impl<'a> Names<'a> {
    /// None given yet.
    pub fn new(symbols: &'a Symbols) -> Self {
        Names { symbols, given: HashMap::new(), numbers: HashMap::new() }
    }

    /// The object of an event; empty where it has none.
    pub fn of(&mut self, event: &Event) -> String {
        let object = if event.kind() == OpKind::Spawn { event.value } else { event.object() };
        self.object(event.kind(), object)
    }

    /// An object that an operation of this kind works on.
    pub fn object(&mut self, kind: OpKind, object: u64) -> String {
        use OpKind::*;
        match kind {
            Spawn | Join | ThreadStart | Exit => format!("T{object}"),
            Fence | Yield | Sleep | Point | Statement | Input | Choice | Timeouts | Pending => String::new(),
            Park | Unpark => self.numbered("park token", object),
            Lock | TryLock | Unlock => self.named("mutex", object),
            ReadLock | WriteLock => self.named("rwlock", object),
            CondEnqueue | CondWake | NotifyOne | NotifyAll | Timeout => self.named("condvar", object),
            SemWait | SemTryWait | SemPost => self.named("semaphore", object),
            FutexWait | FutexWake => self.named("futex", object),
            AtomicLoad | AtomicStore | AtomicRmw => self.named("atomic", object),
            _ => self.named("memory", object),
        }
    }

    /// An address of any kind.
    pub fn address(&mut self, address: u64) -> Option<String> {
        self.given.get(&address).cloned().or_else(|| self.symbols.variable(address))
    }

    fn named(&mut self, kind: &'static str, address: u64) -> String {
        if let Some(name) = self.given.get(&address) {
            return name.clone();
        }
        match self.symbols.variable(address) {
            Some(name) => {
                self.given.insert(address, name.clone());
                name
            }
            None => self.numbered(kind, address),
        }
    }

    fn numbered(&mut self, kind: &'static str, key: u64) -> String {
        let numbers = &mut self.numbers;
        let name = self.given.entry(key).or_insert_with(|| {
            let n = numbers.entry(kind).or_insert(0);
            *n += 1;
            format!("{kind} {n}")
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
