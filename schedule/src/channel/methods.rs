//! The table of methods: the functions of the program that carry a marker and were entered.
//!
//! It lies in the channel beside the table of sites and is kept like it: only the runner adds,
//! children of a forking runner share it, and the server can read it at any time. A method is
//! known by the address of its record in the program; its number is what events carry.
//!
//! One method has several numbers: one by itself, and one for each chain of callers that it was
//! entered by, so that the number of an event tells all functions that its thread was in.

use core::marker::PhantomData;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Most numbers; events of further methods say 0, unknown.
const MAX_METHODS: usize = 8_192;
/// From here on a method is only given the number that it has by itself.
const MAX_CHAINS: usize = MAX_METHODS / 2;
const SLOTS: usize = MAX_METHODS * 2;
const TEXT_BYTES: usize = 512 * 1024;
pub(super) const BYTES: usize =
    (MAX_METHODS * size_of::<Entry>() + SLOTS * 4 + TEXT_BYTES).next_multiple_of(4096);

const _: () = assert!(MAX_METHODS <= u16::MAX as usize);

/// Fill levels; part of the channel's header.
#[repr(C)]
#[derive(Default)]
pub struct Counters {
    methods: AtomicU32,
    text: AtomicU32,
}

#[repr(C)]
struct Entry {
    /// Address of the program's own record of it.
    address: AtomicU64,
    /// Start and length of the name in the text area.
    name: AtomicU32,
    name_len: AtomicU32,
    /// Start and length of the file's name.
    file: AtomicU32,
    file_len: AtomicU32,
    line: AtomicU32,
    /// Number of its caller; 0 for a method by itself.
    caller: AtomicU32,
}

/// One method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method<'a> {
    /// Qualified name, as in the source index.
    pub name: &'a str,
    /// File of its marker, as the compiler names it.
    pub file: &'a str,
    /// Line of its marker, from 1.
    pub line: u32,
}

/// Does `name`, as a person gives it, mean the function of this qualified name? It does as the
/// whole name or its end from a `::` on; what is said of a function is said of the bodies of
/// threads that are closures in it too (`f::{closure}`, in C++ `f::{lambda}`).
pub fn is_meant(function: &str, name: &str) -> bool {
    let mut function = function;
    loop {
        let start = function.strip_suffix(name);
        if !name.is_empty() && start.is_some_and(|s| s.is_empty() || s.ends_with("::")) {
            return true;
        }
        match function.strip_suffix("::{closure}").or_else(|| function.strip_suffix("::{lambda}")) {
            Some(outer) => function = outer,
            None => return false,
        }
    }
}

/// Does `name` mean the function of this qualified name, or a module or type that it is in?
pub fn is_within(function: &str, name: &str) -> bool {
    let ends = function.match_indices("::").map(|(at, _)| at).chain([function.len()]);
    ends.into_iter().any(|end| is_meant(&function[..end], name))
}

/// A view of the table.
pub struct Methods<'a> {
    counters: &'a Counters,
    base: *mut u8,
    memory: PhantomData<&'a [u8]>,
}

impl<'a> Methods<'a> {
    /// # Safety
    /// `base` must point to [`BYTES`] bytes of shared, initially zeroed memory, used for this
    /// table alone, for the lifetime of `counters`; one thread at a time adds.
    pub(super) unsafe fn from_raw(counters: &'a Counters, base: *mut u8) -> Self {
        Methods { counters, base, memory: PhantomData }
    }

    fn entry(&self, index: usize) -> &'a Entry {
        // SAFETY: taken modulo their number; entries consist of atomics, valid for any bits.
        unsafe { &*self.base.cast::<Entry>().add(index % MAX_METHODS) }
    }

    fn slot(&self, index: usize) -> &'a AtomicU32 {
        // SAFETY: the slots follow the entries; the index is taken modulo their number.
        unsafe { &*self.base.add(MAX_METHODS * size_of::<Entry>()).cast::<AtomicU32>().add(index % SLOTS) }
    }

    fn text(&self) -> *mut u8 {
        // SAFETY: the text follows the slots.
        unsafe { self.base.add(MAX_METHODS * size_of::<Entry>() + SLOTS * 4) }
    }

    /// The number of the method with this record by itself, added when it is new; `read` gives
    /// name, file and line of the new one. 0 when the table is full.
    #[inline]
    pub fn intern<'t>(&self, address: u64, read: impl FnOnce() -> (&'t [u8], &'t [u8], u32)) -> u16 {
        self.find(address, 0).unwrap_or_else(|slot| self.add(address, slot, read()))
    }

    /// The number of the method with this record, entered by the caller with this number: that of
    /// the caller's chain up to the method, where it is entered again from within itself.
    #[inline]
    pub fn intern_called<'t>(
        &self,
        address: u64,
        caller: u16,
        read: impl FnOnce() -> (&'t [u8], &'t [u8], u32),
    ) -> u16 {
        if caller == 0 {
            return self.intern(address, read);
        }
        self.find(address, caller).unwrap_or_else(|_| self.add_called(address, caller, read))
    }

    #[cold]
    fn add_called<'t>(
        &self,
        address: u64,
        caller: u16,
        read: impl FnOnce() -> (&'t [u8], &'t [u8], u32),
    ) -> u16 {
        let is_it = |n: &u16| self.entry(usize::from(*n)).address.load(Ordering::Relaxed) == address;
        if let Some(outer) = self.chain(caller).find(is_it) {
            return outer;
        }
        let alone = self.intern(address, read);
        let index = self.counters.methods.load(Ordering::Relaxed).max(1);
        if alone == 0 || index as usize >= MAX_CHAINS {
            return alone;
        }
        let Err(slot) = self.find(address, caller) else { return alone };
        let (of, entry) = (self.entry(usize::from(alone)), self.entry(index as usize));
        for (from, to) in [
            (&of.name, &entry.name),
            (&of.name_len, &entry.name_len),
            (&of.file, &entry.file),
            (&of.file_len, &entry.file_len),
            (&of.line, &entry.line),
        ] {
            to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        entry.address.store(address, Ordering::Relaxed);
        entry.caller.store(u32::from(caller), Ordering::Relaxed);
        self.slot(slot).store(index, Ordering::Relaxed);
        self.counters.methods.store(index + 1, Ordering::Release);
        index as u16
    }

    /// The number of a method with this record and caller, or the slot where it belongs.
    #[inline]
    fn find(&self, address: u64, caller: u16) -> Result<u16, usize> {
        let key = address ^ u64::from(caller) << 44;
        let mut slot = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize;
        loop {
            let number = self.slot(slot).load(Ordering::Relaxed);
            if number == 0 {
                return Err(slot);
            }
            let entry = self.entry(number as usize);
            let same = (entry.address.load(Ordering::Relaxed), entry.caller.load(Ordering::Relaxed))
                == (address, u32::from(caller));
            if same {
                return Ok(number as u16);
            }
            slot += 1;
        }
    }

    /// The method with this number and its callers, innermost first.
    pub fn chain(&self, number: u16) -> impl Iterator<Item = u16> {
        let mut next = if number < self.len() { number } else { 0 };
        core::iter::from_fn(move || {
            let this = next;
            // A caller has its number before what it calls; anything else is damage.
            let caller = self.entry(usize::from(this)).caller.load(Ordering::Relaxed);
            next = if caller < u32::from(this) { caller as u16 } else { 0 };
            (this != 0).then_some(this)
        })
    }

    #[cold]
    fn add(&self, address: u64, slot: usize, (name, file, line): (&[u8], &[u8], u32)) -> u16 {
        // Number 0 means none, so it is never given out.
        let index = self.counters.methods.load(Ordering::Relaxed).max(1);
        if index as usize >= MAX_METHODS {
            return 0;
        }
        let Some(name_at) = self.add_text(name) else { return 0 };
        let entry = self.entry(index as usize);
        entry.address.store(address, Ordering::Relaxed);
        entry.name.store(name_at, Ordering::Relaxed);
        entry.name_len.store(name.len() as u32, Ordering::Relaxed);
        if let Some(start) = self.find_file(index, file).or_else(|| self.add_text(file)) {
            entry.file.store(start, Ordering::Relaxed);
            entry.file_len.store(file.len() as u32, Ordering::Relaxed);
        }
        entry.line.store(line, Ordering::Relaxed);
        self.slot(slot).store(index, Ordering::Relaxed);
        self.counters.methods.store(index + 1, Ordering::Release);
        index as u16
    }

    /// The place of a file's name that one of the last entries has: methods of a file are
    /// mostly met together.
    fn find_file(&self, entries: u32, file: &[u8]) -> Option<u32> {
        (1..entries).rev().take(64).find_map(|i| {
            let entry = self.entry(i as usize);
            let (start, len) = (entry.file.load(Ordering::Relaxed), entry.file_len.load(Ordering::Relaxed));
            (self.bytes(start, len)? == file).then_some(start)
        })
    }

    fn add_text(&self, text: &[u8]) -> Option<u32> {
        let start = self.counters.text.load(Ordering::Relaxed) as usize;
        if start + text.len() > TEXT_BYTES {
            return None;
        }
        // SAFETY: in bounds of the text area, which only the one adder writes, and behind
        // everything that was published.
        unsafe { core::ptr::copy_nonoverlapping(text.as_ptr(), self.text().add(start), text.len()) };
        self.counters.text.store((start + text.len()) as u32, Ordering::Relaxed);
        Some(start as u32)
    }

    fn bytes(&self, start: u32, len: u32) -> Option<&'a [u8]> {
        if start as usize + len as usize > TEXT_BYTES {
            return None;
        }
        // SAFETY: checked to be in bounds; published text is not written again.
        Some(unsafe { core::slice::from_raw_parts(self.text().add(start as usize), len as usize) })
    }

    /// Numbers given out are 1 up to this, exclusive.
    pub fn len(&self) -> u16 {
        self.counters.methods.load(Ordering::Acquire).clamp(1, MAX_METHODS as u32) as u16
    }

    /// Was no method entered yet?
    pub fn is_empty(&self) -> bool {
        self.len() == 1
    }

    /// The method with this number.
    pub fn get(&self, number: u16) -> Option<Method<'a>> {
        if number == 0 || number >= self.len() {
            return None;
        }
        let entry = self.entry(usize::from(number));
        let text = |start: &AtomicU32, len: &AtomicU32| {
            let bytes = self.bytes(start.load(Ordering::Relaxed), len.load(Ordering::Relaxed))?;
            core::str::from_utf8(bytes).ok()
        };
        Some(Method {
            name: text(&entry.name, &entry.name_len)?,
            file: text(&entry.file, &entry.file_len)?,
            line: entry.line.load(Ordering::Relaxed),
        })
    }

    /// All methods met so far, by number; several times, if they were entered by several callers.
    pub fn all(&self) -> impl Iterator<Item = Method<'a>> {
        (1..self.len()).filter_map(|n| self.get(n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn methods_are_found_again_and_a_full_table_says_0() {
        let counters = Counters::default();
        let mut memory = vec![0u64; BYTES / 8];
        // SAFETY: BYTES zeroed bytes, aligned, that outlive the view.
        let methods = unsafe { Methods::from_raw(&counters, memory.as_mut_ptr().cast()) };
        assert!(methods.is_empty());
        let read = || (&b"bank::Account::withdraw"[..], &b"src/lib.rs"[..], 7);
        assert_eq!(methods.intern(0x1000, read), 1);
        assert_eq!(methods.intern(0x2000, || (&b"main"[..], &b"src/lib.rs"[..], 9)), 2);
        assert_eq!(methods.intern(0x1000, || unreachable!("it is known")), 1);
        let first = Method { name: "bank::Account::withdraw", file: "src/lib.rs", line: 7 };
        assert_eq!(methods.get(1), Some(first));
        assert_eq!((methods.get(0), methods.get(3)), (None, None));
        for n in 3..MAX_METHODS as u64 {
            assert_eq!(u64::from(methods.intern(n * 4096, || (&b"f"[..], &b"g.c"[..], 1))), n);
        }
        assert_eq!(methods.intern(0xffff_f000, || (&b"late"[..], &b"g.c"[..], 1)), 0);
        assert_eq!(methods.intern(0x2000, || unreachable!("it is known")), 2);
        assert_eq!(methods.all().count(), MAX_METHODS - 1);
    }

    #[test]
    fn the_number_of_a_call_tells_its_callers() {
        let counters = Counters::default();
        let mut memory = vec![0u64; BYTES / 8];
        // SAFETY: BYTES zeroed bytes, aligned, that outlive the view.
        let methods = unsafe { Methods::from_raw(&counters, memory.as_mut_ptr().cast()) };
        let called = |address: u64, name: &'static str, caller| {
            methods.intern_called(address, caller, || (name.as_bytes(), b"a.c", 1))
        };
        let names = |number| -> alloc::vec::Vec<&str> {
            methods.chain(number).filter_map(|n| Some(methods.get(n)?.name)).collect()
        };
        let main = called(0x1000, "main", 0);
        let (evict, refresh) = (called(0x2000, "evict", main), called(0x3000, "refresh", main));
        let (one, two) = (called(0x4000, "lock", evict), called(0x4000, "lock", refresh));
        assert_eq!(names(one), ["lock", "evict", "main"]);
        assert_eq!(names(two), ["lock", "refresh", "main"]);
        assert_eq!((called(0x4000, "lock", evict), called(0x2000, "evict", main)), (one, evict));
        // A recursion, direct or not, goes back to where it began.
        assert_eq!((called(0x2000, "evict", one), called(0x4000, "lock", one)), (evict, one));
        assert!(names(0).is_empty() && names(999).is_empty());
        // With many chains a method is known by itself.
        let mut caller = main;
        for n in 0..MAX_CHAINS as u64 {
            caller = called(0x10_0000 + n * 64, "f", caller);
        }
        assert_eq!(names(caller), ["f"]);
        assert_eq!(names(called(0x4000, "lock", caller)), ["lock"]);
        assert_eq!(names(one), ["lock", "evict", "main"]);
    }

    #[test]
    fn a_function_is_meant_by_the_end_of_its_name_with_its_closures() {
        assert!(is_meant("bank::Account::withdraw", "withdraw"));
        assert!(is_meant("bank::Account::withdraw", "Account::withdraw"));
        assert!(is_meant("tests::moves::{closure}", "moves"));
        assert!(is_meant("tests::moves::{closure}::{closure}", "tests::moves"));
        assert!(is_meant("two::{lambda}", "two") && is_meant("bank::two::{lambda}::{lambda}", "two"));
        assert!(!is_meant("tests::moves::helper", "moves") && !is_meant("two::{lambda}::f", "two"));
        assert!(!is_meant("withdraw", "draw"));
        assert!(!is_meant("withdraw", ""));
    }

    #[test]
    fn a_module_means_all_that_is_in_it() {
        for name in ["bank", "Account", "bank::Account", "Account::withdraw", "withdraw"] {
            assert!(is_within("bank::Account::withdraw::{closure}", name), "{name}");
        }
        for name in ["ban", "count", "draw", "", "Account::draw", "withdraw::audit"] {
            assert!(!is_within("bank::Account::withdraw", name), "{name}");
        }
    }
}
