//! Objects of an execution by dense index: synchronisation objects by address, and cells of
//! memory (runs of bytes that are accessed as a whole) within granules of 8 bytes.

use super::table::Table;

/// No cell.
const NONE: u32 = u32::MAX;
/// Tag of memory in the keys; other objects have none. Addresses have 48 bits.
const MEMORY: u64 = 1 << 63;
/// What is the address in a key of another object (see [`crate::happens_before::apart`]).
const ADDRESS: u64 = (1 << 48) - 1;

/// The bit of an address's granule.
#[inline]
fn bit(address: u64) -> u64 {
    1 << (address >> 3 & 63)
}

/// A cell's place in its granule, and the next cell of the same granule.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// Index of the object it is.
    pub object: u32,
    /// First byte within the granule.
    pub offset: u8,
    /// Bytes.
    pub len: u8,
    next: u32,
}

/// See the module's text.
#[derive(Default)]
pub struct Objects {
    table: Table,
    /// For each key, the first cell of the granule, or for an object its index.
    firsts: Vec<u32>,
    cells: Vec<Cell>,
    /// Synchronisation objects, the first so many of them by address.
    places: Vec<Place>,
    sorted: usize,
    /// A bit for each granule (modulo 64) that has one which is written nowhere but in its own operations.
    granules: u64,
    /// Objects so far, cells included.
    len: u32,
    /// A granule has more than one cell.
    several: bool,
}

/// Where a synchronisation object lies.
#[derive(Clone, Copy, Debug)]
struct Place {
    address: u64,
    object: u32,
    /// It is a word that the program changes itself.
    is_word: bool,
}

impl Objects {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.table.clear();
        self.firsts.clear();
        self.cells.clear();
        self.places.clear();
        self.sorted = 0;
        self.granules = 0;
        self.len = 0;
        self.several = false;
    }

    /// A synchronisation object.
    #[inline]
    pub fn object(&mut self, address: u64) -> usize {
        self.object_at(address, false)
    }

    /// That of a word on which threads wait (a futex), which the program changes as it likes.
    #[inline]
    pub fn word(&mut self, address: u64) -> usize {
        self.object_at(address, true)
    }

    #[inline]
    fn object_at(&mut self, key: u64, is_word: bool) -> usize {
        let index = self.table.index(key);
        if index == self.firsts.len() {
            self.firsts.push(self.len);
            let place = Place { address: key & ADDRESS, object: self.len, is_word };
            self.granules |= if is_word { 0 } else { bit(place.address) };
            self.places.push(place);
            self.len += 1;
        }
        self.firsts[index] as usize
    }

    /// The synchronisation objects in these bytes that nobody writes to but by their own operations, or else to
    /// make others there.
    #[inline]
    pub fn written(&mut self, from: u64, len: u64, each: impl FnMut(usize)) {
        let end = from + len.max(1);
        if len > 8 && self.granules != 0 || self.granules & (bit(from) | bit(end - 1)) != 0 {
            self.placed(from, end).filter(|p| !p.is_word).map(|p| p.object as usize).for_each(each);
        }
    }

    fn placed(&mut self, from: u64, end: u64) -> impl Iterator<Item = &Place> {
        if self.sorted < self.places.len() {
            self.places.sort_unstable_by_key(|p| p.address);
            self.sorted = self.places.len();
        }
        let first = self.places.partition_point(|p| p.address < from);
        self.places[first..].iter().take_while(move |p| p.address < end)
    }

    /// The cell of these bytes, which lie in one granule.
    #[inline]
    pub fn cell(&mut self, address: u64, len: u8) -> Cell {
        let offset = (address & 7) as u8;
        let key = self.table.index(address >> 3 | MEMORY);
        if key == self.firsts.len() {
            self.firsts.push(NONE);
        }
        let mut at = self.firsts[key];
        while at != NONE {
            let cell = self.cells[at as usize];
            if cell.offset == offset && cell.len == len {
                return cell;
            }
            at = cell.next;
        }
        let cell = Cell { object: self.len, offset, len, next: self.firsts[key] };
        self.len += 1;
        self.several |= cell.next != NONE;
        self.firsts[key] = self.cells.len() as u32;
        self.cells.push(cell);
        cell
    }

    /// All cells of the granule at this address.
    #[inline]
    pub fn cells(&self, address: u64) -> impl Iterator<Item = Cell> {
        let key = self.table.find(address >> 3 | MEMORY);
        let mut at = key.map_or(NONE, |key| self.firsts[key]);
        std::iter::from_fn(move || {
            let cell = *self.cells.get(at as usize)?;
            at = cell.next;
            Some(cell)
        })
    }

    /// Is there a granule with more than one cell?
    #[inline]
    pub fn has_several(&self) -> bool {
        self.several
    }

    /// Has the granule of this cell, which is at this address, no other?
    #[inline]
    pub fn is_alone(&self, address: u64, cell: Cell) -> bool {
        cell.next == NONE && self.cells(address).next().is_none_or(|first| first.object == cell.object)
    }
}

impl Cell {
    /// Do two cells of one granule share bytes?
    pub fn overlaps(&self, other: &Cell) -> bool {
        self.offset < other.offset + other.len && other.offset < self.offset + self.len
    }
}

/// An access cut into pieces that lie in one granule each: address and length.
#[inline]
pub fn pieces(address: u64, size: u64) -> impl Iterator<Item = (u64, u8)> {
    let end = address + size.max(1);
    let mut at = address;
    std::iter::from_fn(move || {
        if at >= end {
            return None;
        }
        let next = ((at | 7) + 1).min(end);
        let piece = (at, (next - at) as u8);
        at = next;
        Some(piece)
    })
}
