//! The table of sites: the places in the program that events came from.
//!
//! It lies in the channel, so that children of a forking runner share it and the server can read
//! it at any time. A site is either a code address (a return address of instrumented C) or a
//! place that the program itself decoded (Rust's `Location`). One place may have several numbers, one for each way by
//! which calls led there ([`Sites::reached`]). Only the runner adds.

use core::marker::PhantomData;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Most sites; events of further ones say 0, unknown.
const MAX_SITES: usize = 16_384;
const SLOTS: usize = MAX_SITES * 2;
/// No more numbers are given for the calls that lead to a place when there are so many sites.
const MOST_REACHED: u32 = MAX_SITES as u32 / 2;
const TEXT_BYTES: usize = 256 * 1024;
pub(super) const BYTES: usize =
    (MAX_SITES * size_of::<Entry>() + SLOTS * 4 + TEXT_BYTES).next_multiple_of(4096);

/// Fill levels; part of the channel's header.
#[repr(C)]
#[derive(Default)]
pub struct Counters {
    sites: AtomicU32,
    text: AtomicU32,
}

#[repr(C)]
struct Entry {
    /// Code address, or the address of the program's own record of the place.
    address: AtomicU64,
    /// Hash of the calls that led there; 0 where they do not count.
    path: AtomicU64,
    /// Start and length of the file name in the text area; length 0 for a code address.
    file: AtomicU32,
    file_len: AtomicU32,
    line: AtomicU32,
    column: AtomicU32,
}

/// One place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site<'a> {
    /// Code address, or the address of the program's own record of the place.
    pub address: u64,
    /// File, line and column, counted from 1, where the program decoded them.
    pub place: Option<(&'a str, u32, u32)>,
}

/// A view of the table.
pub struct Sites<'a> {
    counters: &'a Counters,
    base: *mut u8,
    memory: PhantomData<&'a [u8]>,
}

impl<'a> Sites<'a> {
    /// # Safety
    /// `base` must point to [`BYTES`] bytes of shared, initially zeroed memory, used for this
    /// table alone, for the lifetime of `counters`; one thread at a time adds.
    pub(super) unsafe fn from_raw(counters: &'a Counters, base: *mut u8) -> Self {
        Sites { counters, base, memory: PhantomData }
    }

    fn entry(&self, index: usize) -> &'a Entry {
        debug_assert!(index < MAX_SITES);
        // SAFETY: in bounds; entries consist of atomics, valid for any bits.
        unsafe { &*self.base.cast::<Entry>().add(index) }
    }

    fn slot(&self, index: usize) -> &'a AtomicU32 {
        // SAFETY: the slots follow the entries; the index is taken modulo their number.
        unsafe { &*self.base.add(MAX_SITES * size_of::<Entry>()).cast::<AtomicU32>().add(index % SLOTS) }
    }

    fn text(&self) -> *mut u8 {
        // SAFETY: the text follows the slots.
        unsafe { self.base.add(MAX_SITES * size_of::<Entry>() + SLOTS * 4) }
    }

    /// The index of a site, added when it is new; `decode` gives file, line and column of the
    /// new one. 0 when the table is full.
    #[inline]
    pub fn intern(&self, address: u64, decode: impl FnOnce() -> Option<(&'a [u8], u32, u32)>) -> u32 {
        match self.find(address, 0) {
            Ok(index) => index,
            Err(slot) => self.add(address, slot, decode()),
        }
    }

    /// The number of a site that is in the table, for when it was reached by the calls with this hash: one more for each
    /// other hash. The site itself when too many are there.
    pub fn reached(&self, site: u32, path: u64) -> u32 {
        let path = path | 1;
        if site == 0 || site >= self.len() {
            return site;
        }
        let plain = self.entry(site as usize);
        match self.find(plain.address.load(Ordering::Relaxed), path) {
            Ok(index) => index,
            Err(_) if self.len() >= MOST_REACHED => site,
            Err(slot) => self.add_reached(plain, path, slot),
        }
    }

    /// The index of a site, or the slot where it would be put.
    #[inline]
    fn find(&self, address: u64, path: u64) -> Result<u32, usize> {
        let mut slot = ((address ^ path).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize;
        loop {
            let index = self.slot(slot).load(Ordering::Relaxed);
            if index == 0 {
                return Err(slot);
            }
            let entry = self.entry(index as usize);
            if entry.address.load(Ordering::Relaxed) == address && entry.path.load(Ordering::Relaxed) == path
            {
                return Ok(index);
            }
            slot += 1;
        }
    }

    fn add_reached(&self, plain: &Entry, path: u64, slot: usize) -> u32 {
        let index = self.counters.sites.load(Ordering::Relaxed).max(1);
        let entry = self.entry(index as usize);
        let word =
            |from: &AtomicU32, to: &AtomicU32| to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
        entry.address.store(plain.address.load(Ordering::Relaxed), Ordering::Relaxed);
        entry.path.store(path, Ordering::Relaxed);
        word(&plain.file, &entry.file);
        word(&plain.file_len, &entry.file_len);
        word(&plain.line, &entry.line);
        word(&plain.column, &entry.column);
        self.slot(slot).store(index, Ordering::Relaxed);
        self.counters.sites.store(index + 1, Ordering::Release);
        index
    }

    #[cold]
    fn add(&self, address: u64, slot: usize, place: Option<(&[u8], u32, u32)>) -> u32 {
        // Index 0 means unknown, so it is never given out.
        let index = self.counters.sites.load(Ordering::Relaxed).max(1);
        if index as usize >= MAX_SITES {
            return 0;
        }
        let entry = self.entry(index as usize);
        entry.address.store(address, Ordering::Relaxed);
        if let Some((file, line, column)) = place {
            let start = self.find_text(index, file).or_else(|| self.add_text(file));
            if let Some(start) = start {
                entry.file.store(start, Ordering::Relaxed);
                entry.file_len.store(file.len() as u32, Ordering::Relaxed);
                entry.line.store(line, Ordering::Relaxed);
                entry.column.store(column, Ordering::Relaxed);
            }
        }
        self.slot(slot).store(index, Ordering::Relaxed);
        self.counters.sites.store(index + 1, Ordering::Release);
        index
    }

    /// The place of a file name that an earlier entry has.
    fn find_text(&self, entries: u32, file: &[u8]) -> Option<u32> {
        (1..entries).find_map(|i| {
            let entry = self.entry(i as usize);
            let (start, len) = (entry.file.load(Ordering::Relaxed), entry.file_len.load(Ordering::Relaxed));
            (self.bytes(start, len)? == file).then_some(start)
        })
    }

    fn add_text(&self, file: &[u8]) -> Option<u32> {
        let start = self.counters.text.load(Ordering::Relaxed) as usize;
        if start + file.len() > TEXT_BYTES {
            return None;
        }
        // SAFETY: in bounds of the text area, which only the one adder writes, and behind
        // everything that was published.
        unsafe { core::ptr::copy_nonoverlapping(file.as_ptr(), self.text().add(start), file.len()) };
        self.counters.text.store((start + file.len()) as u32, Ordering::Relaxed);
        Some(start as u32)
    }

    fn bytes(&self, start: u32, len: u32) -> Option<&'a [u8]> {
        if len == 0 || start as usize + len as usize > TEXT_BYTES {
            return None;
        }
        // SAFETY: checked to be in bounds; published text is not written again.
        Some(unsafe { core::slice::from_raw_parts(self.text().add(start as usize), len as usize) })
    }

    /// Sites known so far; their indices are 1 up to this, exclusive.
    pub fn len(&self) -> u32 {
        self.counters.sites.load(Ordering::Acquire).clamp(1, MAX_SITES as u32)
    }

    /// Is there none yet?
    pub fn is_empty(&self) -> bool {
        self.len() == 1
    }

    /// The site with this index.
    pub fn get(&self, index: u32) -> Option<Site<'a>> {
        if index == 0 || index >= self.len() {
            return None;
        }
        let entry = self.entry(index as usize);
        let file = self
            .bytes(entry.file.load(Ordering::Relaxed), entry.file_len.load(Ordering::Relaxed))
            .and_then(|b| core::str::from_utf8(b).ok());
        let place =
            file.map(|f| (f, entry.line.load(Ordering::Relaxed), entry.column.load(Ordering::Relaxed)));
        Some(Site { address: entry.address.load(Ordering::Relaxed), place })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_lead_to_a_place_have_numbers_of_their_own_up_to_a_limit() {
        let mut memory = alloc::vec![0u64; BYTES / 8];
        let counters = Counters::default();
        // SAFETY: fresh zeroed memory of this size, used by this table alone.
        let sites = unsafe { Sites::from_raw(&counters, memory.as_mut_ptr().cast()) };
        let at = sites.intern(0x1000, || Some((&b"src/lib.rs"[..], 7, 3)));
        let (one, other) = (sites.reached(at, 0x10), sites.reached(at, 0x20));
        assert!(at != one && one != other);
        assert_eq!((sites.reached(at, 0x10), sites.reached(at, 0x20)), (one, other));
        assert_eq!(sites.intern(0x1000, || unreachable!("it is known")), at);
        assert_eq!((sites.get(one), sites.get(other)), (sites.get(at), sites.get(at)));
        assert_eq!(sites.reached(0, 0x10), 0);
        // Calls without end leave room for other sites.
        for n in 0..u64::from(MOST_REACHED) {
            sites.reached(at, n << 8);
        }
        assert_eq!((sites.len(), sites.reached(at, 1 << 40)), (MOST_REACHED, at));
        assert_ne!(sites.intern(0x2000, || None), 0);
    }
}
