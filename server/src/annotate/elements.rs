//! Which element of a collection an object of Rust is, where that is certain: `accounts[0]` for what the
//! source calls `accounts[account]`.
//!
//! The program tells how large a lock (or an atomic) is, and where the blocks of its heap lie. Objects of one
//! expression that ends in an index are the elements of one collection if they lie in one block, two of
//! them side by side: then nothing else lies between elements. The block begins with the first element (or
//! with the two counts of an `Arc<[T]>`), if the expression does not index a part of the collection: so its
//! name must be declared in its file as a whole one, and never as a slice.

use raddle_schedule::memory::Block;
use raddle_schedule::{OpKind, Trace};
use std::collections::BTreeMap;

/// Bytes of the counts before the elements of an `Arc<[T]>`.
const COUNTS: u64 = 16;

/// Sizes and blocks of an execution's objects.
pub struct Elements<'a> {
    trace: &'a Trace,
    /// By object: bytes from one to the next if they lie side by side.
    strides: BTreeMap<u64, u64>,
    /// Index of the first event of each object.
    first: BTreeMap<u64, u32>,
}

impl<'a> Elements<'a> {
    /// Of an execution.
    pub fn new(trace: &'a Trace) -> Self {
        let (mut strides, mut first) = (BTreeMap::new(), BTreeMap::new());
        for held in trace.memory.held.iter().filter(|h| h.of_type != 0) {
            let Some(e) = trace.events.get(held.event as usize) else { continue };
            let object = match e.kind() {
                OpKind::CondEnqueue | OpKind::CondWake => e.value,
                _ => e.object(),
            };
            let stride = if held.stride == 0 { held.bytes.len() as u64 } else { u64::from(held.stride) };
            strides.entry(object).or_insert(stride);
            first.entry(object).or_insert(held.event);
        }
        Elements { trace, strides, first }
    }

    /// The index of each of these, which one expression of this file's text names; `None` where it is not
    /// certain.
    pub fn indices(&self, name: &str, objects: &[u64], text: &str) -> Option<Vec<u64>> {
        if !is_whole(collection(name)?, text) {
            return None;
        }
        let stride = self.strides.get(objects.first()?).copied().filter(|s| *s > 0)?;
        if objects.iter().any(|o| self.strides.get(o) != Some(&stride)) {
            return None;
        }
        let block = self.block(objects[0])?;
        if objects.iter().any(|o| self.block(*o).is_none_or(|b| !std::ptr::eq(b, block))) {
            return None;
        }
        let mut offsets: Vec<u64> = objects.iter().map(|o| o - block.address).collect();
        let declared = || {
            let start = declared_start(collection(name)?, text)?;
            fits(start, &offsets, block.size, stride).then_some(start)
        };
        let start = start(&offsets, block.size, stride).or_else(declared)?;
        offsets.iter_mut().for_each(|o| *o = (*o - start) / stride);
        Some(offsets)
    }

    /// The block that an object lay in when it was used first.
    fn block(&self, object: u64) -> Option<&'a Block> {
        let at = *self.first.get(&object)?;
        let holds = |b: &&Block| b.event <= at && b.address <= object && object < b.address + b.size;
        self.trace.memory.blocks.iter().rev().find(holds)
    }
}

/// Where elements at these offsets in a block of this size begin: the one way in which they can.
fn start(offsets: &[u64], size: u64, stride: u64) -> Option<u64> {
    let mut sorted = offsets.to_vec();
    sorted.sort_unstable();
    if !sorted.windows(2).any(|w| w[1] - w[0] == stride) {
        return None;
    }
    match [0, COUNTS].map(|start| fits(start, &sorted, size, stride)) {
        [true, false] => Some(0),
        [false, true] => Some(COUNTS),
        // One lies where the counts would be.
        [true, true] if sorted[0] < COUNTS => Some(0),
        _ => None,
    }
}

/// Can elements of this many bytes begin there in a block of this size?
fn fits(start: u64, offsets: &[u64], size: u64, stride: u64) -> bool {
    size >= start
        && (size - start).is_multiple_of(stride)
        && offsets.iter().all(|o| *o >= start && (o - start).is_multiple_of(stride))
}

/// Where the elements begin in their block, if every type that the source declares for this name has std's locks or atomics as its
/// elements, and nothing around these.
fn declared_start(name: &str, text: &str) -> Option<u64> {
    let mut starts = text.match_indices(name).filter_map(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let part_of_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let is_word = !part_of_word(before.chars().next_back()) && !part_of_word(after.chars().next());
        let declared = after.trim_start().strip_prefix(':').filter(|t| !t.starts_with(':'))?.trim_start();
        // A value in a struct's expression says nothing of the type.
        let is_type = is_word && OWNERS.iter().any(|(owner, _)| strip_reference(declared).starts_with(owner));
        is_type.then(|| element_start(strip_reference(declared)))
    });
    let first = starts.next()??;
    starts.all(|start| start == Some(first)).then_some(first)
}

/// Types that own their elements, and where in the block those begin.
const OWNERS: [(&str, u64); 4] = [("Vec<", 0), ("Arc<Vec<", 0), ("Box<[", 0), ("Arc<[", COUNTS)];

fn strip_reference(ty: &str) -> &str {
    ty.trim_start_matches('&')
        .trim_start()
        .strip_prefix("mut ")
        .unwrap_or(ty.trim_start_matches('&').trim_start())
}

fn element_start(ty: &str) -> Option<u64> {
    let (element, start) =
        OWNERS.iter().find_map(|(owner, start)| Some((ty.strip_prefix(owner)?, *start)))?;
    let path = element.find(['<', '>', ']', ';', ',']).map_or(element, |end| &element[..end]);
    let word = path.rsplit("::").next().unwrap_or(path).trim();
    (matches!(word, "Mutex" | "RwLock") || word.starts_with("Atomic")).then_some(start)
}

/// What is indexed in an expression that ends in its only index: `accounts` of `self.accounts[i]`.
fn collection(name: &str) -> Option<&str> {
    let (before, index) = name.strip_suffix(']')?.split_once('[')?;
    let last = before.rsplit('.').next()?;
    let is_name = !last.is_empty() && last.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_name && !index.contains('[') && !index.contains("..")).then_some(last)
}

/// The expression with this index in the place of its own.
pub fn with_index(name: &str, index: u64) -> String {
    let before = name.split('[').next().unwrap_or_default();
    format!("{before}[{index}]")
}

/// Is every declaration of this name in a source one of a whole collection, and is there one?
fn is_whole(name: &str, text: &str) -> bool {
    let mut whole = false;
    for (at, _) in text.match_indices(name) {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let part_of_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        if part_of_word(before.chars().next_back()) || part_of_word(after.chars().next()) {
            continue;
        }
        let after = after.trim_start();
        // `name: Type`, and not a path.
        if let Some(ty) = after.strip_prefix(':').filter(|t| !t.starts_with(':')) {
            let ty = ty.trim_start().trim_start_matches('&').trim_start();
            let lifetime = ty.strip_prefix('\'').and_then(|t| t.split_once(' '));
            let ty = lifetime.map_or(ty, |(_, ty)| ty.trim_start());
            let ty = ty.strip_prefix("mut ").unwrap_or(ty);
            let owns = ["Vec<", "Arc<Vec<", "Box<[", "Arc<["].iter().any(|o| ty.starts_with(o));
            // In a struct's expression a value follows, of which nothing is known.
            let types = ty.starts_with('[') || ty.starts_with("impl ") || ty.starts_with("dyn ");
            if types {
                return false;
            }
            whole |= owns;
            continue;
        }
        let binds = ["let", "let mut"].iter().any(|b| before.trim_end().ends_with(b));
        let value = after.strip_prefix('=').map(str::trim_start).filter(|_| binds);
        if let Some(value) = value {
            let made =
                ["vec![", "Vec::", "Arc::new(vec![", "Arc::new(["].iter().any(|v| value.starts_with(v));
            let statement = value.split(';').next().unwrap_or_default();
            let gathered = statement.contains("collect::<Vec<");
            // Another handle of what has the same name, of which the same is asked.
            let path = statement.trim().trim_start_matches("Arc::clone(").trim_end_matches([')', ' ']);
            let path = path.strip_suffix(".clone(").unwrap_or(path).trim_start_matches('&');
            let same = path.rsplit('.').next() == Some(name)
                && path.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
            if !made && !gathered && !same {
                return false;
            }
            whole |= made || gathered;
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_begin_where_they_must() {
        // Of a `Vec` with three elements of 8 bytes, in the order in which they were used.
        assert_eq!(start(&[16, 24], 32, 8), None, "or the two of an `Arc<[T]>`");
        assert_eq!(start(&[8, 0], 24, 8), Some(0));
        assert_eq!(start(&[16, 40], 64, 24), Some(16), "an `Arc<[T]>` of two");
        assert_eq!(start(&[24, 48], 72, 24), Some(0));
        assert_eq!(start(&[0, 128], 256, 16), None, "something lies between them");
        assert_eq!(start(&[0], 24, 8), None, "one may be anything");
        assert_eq!(start(&[4, 12], 24, 8), None, "a field of an element");
    }

    #[test]
    fn elements_that_are_declared() {
        assert_eq!(declared_start("slots", "struct T { slots: Vec<Mutex<u32>>, hits: Vec<u8> }"), Some(0));
        assert_eq!(declared_start("hits", "hits: Arc<[std::sync::atomic::AtomicUsize]>"), Some(COUNTS));
        assert_eq!(
            declared_start("a", "fn f(a: &Vec<RwLock<u8>>) {} fn g(a: &mut Vec<RwLock<u8>>) {}"),
            Some(0)
        );
        assert_eq!(declared_start("a", "a: Vec<Mutex<u8>>, } T { a: (0..4).map(f).collect() }"), Some(0));
        assert_eq!(declared_start("a", "a: Vec<Mutex<u8>> } struct U { a: Vec<Arc<Mutex<u8>>> }"), None);
        assert_eq!(declared_start("a", "a: Vec<CachePadded<AtomicUsize>>"), None);
        assert_eq!(declared_start("a", "let a = vec![]; let b = a::c;"), None);
    }

    #[test]
    fn what_is_indexed() {
        assert_eq!(collection("self.accounts[from.min(to)]"), Some("accounts"));
        assert_eq!(collection("accounts[i]"), Some("accounts"));
        assert_eq!(collection("grid[i][j]"), None);
        assert_eq!(collection("accounts[i].lock"), None);
        assert_eq!(collection("all()[i]"), None);
        assert_eq!(with_index("self.accounts[from]", 2), "self.accounts[2]");
    }

    #[test]
    fn a_part_of_a_collection_is_not_the_whole() {
        assert!(is_whole("accounts", "struct Bank { accounts: Vec<Mutex<u32>> }"));
        assert!(is_whole("a", "let a = Arc::new(vec![Mutex::new(1)]); let b = a.clone();"));
        assert!(is_whole("a", "fn f(a: &Vec<Mutex<u32>>) {}"));
        assert!(!is_whole("a", "fn f(a: &[Mutex<u32>]) {} let a = vec![];"));
        assert!(!is_whole("a", "fn f(a: &'x [Mutex<u32>]) {}"));
        assert!(is_whole("a", "a: Vec<T> } let a = &self.a; let a = Arc::clone(&a);"));
        assert!(!is_whole("a", "a: Vec<T> } let a = &self.a[1..];"));
        assert!(!is_whole("a", "a: Vec<T> } let a = part(&self.a);"));
        assert!(!is_whole("a", "let a = &all[1..];"));
        assert!(!is_whole("a", "let aa = vec![1]; b.a[0]"));
        assert!(!is_whole("a", ""));
    }
}
