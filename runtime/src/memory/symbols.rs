//! The names of the executable's functions, from its file's symbol table: whether code that a marker stands in is
//! the marked function's own, or has been inlined into another function, whose frame goes on when the marked one ends.
//!
//! Read when the first one is asked for. A name that is not understood, or not there, counts as another function's.

use super::modules;
use crate::sys::call;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use libc::{Elf64_Ehdr, Elf64_Shdr, Elf64_Sym};

/// The executable's file in memory: address and length, once it was mapped; length 1 where that failed.
static FILE: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

/// `SHT_SYMTAB` and `STT_FUNC`.
const SYMTAB: u32 = 2;
const FUNCTION: u8 = 2;

/// Does this code belong to the function of this name, as reports have it?
pub fn is_within(code: usize, name: &[u8]) -> bool {
    function_of(code).is_some_and(|symbol| is_it(symbol, name))
}

fn file() -> &'static [u8] {
    if FILE[1].load(Relaxed) == 0 {
        let (at, len) = map().unwrap_or((0, 1));
        FILE[0].store(at, Relaxed);
        FILE[1].store(len, Relaxed);
    }
    let (at, len) = (FILE[0].load(Relaxed), FILE[1].load(Relaxed));
    if at == 0 {
        return &[];
    }
    // SAFETY: mapped for reading, for good; nobody writes to a program's file while it runs.
    unsafe { core::slice::from_raw_parts(at as *const u8, len) }
}

fn map() -> Option<(usize, usize)> {
    // SAFETY: a path of ours, a record of ours, and a new mapping.
    unsafe {
        let file = call!(libc::SYS_open, c"/proc/self/exe".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC, 0);
        if file < 0 {
            return None;
        }
        let len = call!(libc::SYS_lseek, file, 0, libc::SEEK_END);
        let at = call!(libc::SYS_mmap, 0, len, libc::PROT_READ, libc::MAP_PRIVATE, file, 0);
        call!(libc::SYS_close, file);
        (len > 0 && at > 0).then_some((at as usize, len as usize))
    }
}

/// The record of this type at this place of the file, if it lies within.
fn record<T>(file: &'static [u8], at: usize) -> Option<&'static T> {
    let bytes = file.get(at..at.checked_add(size_of::<T>())?)?;
    let record = bytes.as_ptr().cast::<T>();
    // SAFETY: numbers only, within the file and aligned.
    record.is_aligned().then(|| unsafe { &*record })
}

/// The symbol of the function that this code lies in.
fn function_of(code: usize) -> Option<&'static [u8]> {
    let mut moved = None;
    modules::each(|m| {
        let mut within = false;
        m.code(|start, end| within |= (start..end).contains(&code));
        if within && m.is_executable() {
            moved = Some(m.moved());
        }
    });
    let (address, file) = ((code - moved?) as u64, file());
    let header: &Elf64_Ehdr = record(file, 0)?;
    let section = |n: usize| {
        let at = (header.e_shoff as usize).checked_add(n * size_of::<Elf64_Shdr>())?;
        record::<Elf64_Shdr>(file, at)
    };
    let table = (0..usize::from(header.e_shnum)).filter_map(section).find(|s| s.sh_type == SYMTAB)?;
    let names = section(table.sh_link as usize)?;
    let count = table.sh_size as usize / size_of::<Elf64_Sym>();
    let symbol = |n: usize| record::<Elf64_Sym>(file, table.sh_offset as usize + n * size_of::<Elf64_Sym>());
    let found = (0..count)
        .filter_map(symbol)
        .find(|s| s.st_info & 15 == FUNCTION && (s.st_value..s.st_value + s.st_size).contains(&address))?;
    let name = file.get(names.sh_offset as usize + found.st_name as usize..)?;
    name.get(..name.iter().position(|byte| *byte == 0)?)
}

/// Is this the symbol of that function? What the compiler has made of a function (`f.constprop.0`, `f.part.0`) is it too.
fn is_it(symbol: &[u8], name: &[u8]) -> bool {
    let plain =
        |text: &'_ [u8], end: &[u8]| text.windows(end.len()).position(|w| w == end).unwrap_or(text.len());
    let mangled = [&b"_Z"[..], b"_R"].iter().any(|prefix| symbol.starts_with(prefix));
    if !mangled {
        return &symbol[..plain(symbol, b".")] == name;
    }
    // `a::b::c`, of which the last name is written as `1c`.
    let start = name.windows(2).rposition(|w| w == b"::").map_or(0, |at| at + 2);
    let last = &name[start..];
    let Some(rest) = symbol.strip_prefix(b"_R") else { return is_cpp_or_legacy(&symbol[2..], last) };
    let ident = rest.strip_suffix(last).map(digits_at_end);
    ident.is_some_and(|(text, number)| number == last.len() && !text.is_empty() && text[0] == b'N')
}

/// The text before the digits that it ends with, and their number.
fn digits_at_end(text: &[u8]) -> (&[u8], usize) {
    let start = text.iter().rposition(|b| !b.is_ascii_digit()).map_or(0, |at| at + 1);
    (&text[..start], number(&text[start..]))
}

fn number(digits: &[u8]) -> usize {
    digits.iter().fold(0, |n: usize, d| n.wrapping_mul(10).wrapping_add(usize::from(d - b'0')))
}

/// Itanium's names, without those within templates and functions; and those of Rust that end with a hash.
fn is_cpp_or_legacy(mut text: &[u8], last: &[u8]) -> bool {
    let nested = text.first() == Some(&b'N');
    let qualifiers = |b: &u8| b"NKVrROL".contains(b);
    let skipped = text.iter().take_while(|b| qualifiers(b)).count();
    text = &text[skipped..];
    let (mut ident, mut before): (&[u8], &[u8]) = (&[], &[]);
    loop {
        let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
        let len = number(&text[..digits]);
        if digits == 0 || text.len() - digits < len {
            break;
        }
        (before, ident) = (ident, &text[digits..digits + len]);
        text = &text[digits + len..];
        if !nested {
            break;
        }
    }
    let is_hash = ident.len() == 17 && ident[0] == b'h' && ident[1..].iter().all(u8::is_ascii_hexdigit);
    match (nested, text) {
        (true, [b'E', ..]) if is_hash => before == last,
        (true, [b'E', ..]) | (false, _) => ident == last,
        // Constructors and destructors are called as their class is.
        (true, [b'C', b'1'..=b'3', b'E', ..]) => ident == last,
        (true, [b'D', b'0'..=b'2', b'E', ..]) => last.strip_prefix(b"~") == Some(ident),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_it;

    #[test]
    fn symbols_are_those_of_their_functions() {
        for (symbol, name) in [
            ("start", "start"),
            ("start.constprop.0", "start"),
            ("_Z5startv", "start"),
            ("_ZL5starti", "start"),
            ("_Z3addIiEvT_", "add"),
            ("_ZN4pool4pushEi", "pool::push"),
            ("_ZNK4pool4sizeEv", "pool::size"),
            ("_ZN4poolC2Ev", "pool::pool"),
            ("_ZN4poolD1Ev", "pool::~pool"),
            ("_ZN5crate5tests3foo17h0123456789abcdefE", "tests::foo"),
            ("_RNvNtCs1234_7mycrate5tests3foo", "tests::foo"),
        ] {
            assert!(is_it(symbol.as_bytes(), name.as_bytes()), "{symbol}");
        }
        for (symbol, name) in [
            ("restart", "start"),
            ("_Z7restartv", "start"),
            ("_ZN4poolIiE4pushEi", "pool::push"),
            ("_ZN5startIiE4pushEi", "start"),
            ("_Z10with_latchIZ4mainEUlvE_EvT_", "main"),
            ("_ZN5start3runEv", "start"),
            ("_ZN5crate3foo28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", "foo"),
            ("_RNCNvCs1234_7mycrate3foo0B3_", "foo"),
            ("", "start"),
        ] {
            assert!(!is_it(symbol.as_bytes(), name.as_bytes()), "{symbol}");
        }
    }
}
