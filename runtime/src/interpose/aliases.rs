//! One part of a file under two addresses: of that nothing here would know that it is the same memory, and orders of what is done
//! to it would go unexplored. The system knows what is mapped, by whomever and since when.

use super::refused;
use crate::sys::call;
use alloc::vec::Vec;
use core::ffi::c_void;

/// One mapping, as the system lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mapping<'a> {
    start: u64,
    end: u64,
    may_write: bool,
    is_shared: bool,
    offset: u64,
    device: &'a [u8],
    inode: u64,
}

fn number(text: &[u8], radix: u32) -> Option<u64> {
    u64::from_str_radix(core::str::from_utf8(text).ok()?, radix).ok()
}

/// `7f00-7f01 rw-s 00001000 00:01 1234   /memfd:f (deleted)`.
fn mapping(line: &[u8]) -> Option<Mapping<'_>> {
    let mut words = line.split(|b| *b == b' ').filter(|word| !word.is_empty());
    let range = words.next()?;
    let dash = range.iter().position(|b| *b == b'-')?;
    let may = words.next()?;
    Some(Mapping {
        start: number(&range[..dash], 16)?,
        end: number(&range[dash + 1..], 16)?,
        may_write: may.get(1) == Some(&b'w'),
        is_shared: may.get(3) == Some(&b's'),
        offset: number(words.next()?, 16)?,
        device: words.next()?,
        inode: number(words.next()?, 10)?,
    })
}

/// Does what is mapped from here on show, or let write, the same part of a file as another mapping that somebody may write to for all?
fn is_alias(maps: &[u8], start: u64) -> bool {
    let all = || maps.split(|b| *b == b'\n').filter_map(mapping);
    let Some(new) = all().find(|m| (m.start..m.end).contains(&start)) else { return false };
    let writes = |m: &Mapping| m.is_shared && m.may_write;
    let overlaps = |m: &Mapping| {
        m.offset < new.offset + (new.end - new.start) && new.offset < m.offset + (m.end - m.start)
    };
    let others = || all().filter(|m| m.start != new.start && (m.device, m.inode) == (new.device, new.inode));
    new.inode != 0 && others().any(|m| overlaps(&m) && (writes(&m) || writes(&new)))
}

/// What the system lists; what could not be read is not there.
fn maps() -> Vec<u8> {
    let mut text = Vec::new();
    let mut piece = [0u8; 4096];
    // SAFETY: reads into the piece, of the size said.
    unsafe {
        let fd = call!(libc::SYS_open, c"/proc/self/maps".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC, 0);
        if fd < 0 {
            return text;
        }
        while let n @ 1.. = call!(libc::SYS_read, fd, piece.as_mut_ptr(), piece.len()) {
            text.extend_from_slice(&piece[..n as usize]);
        }
        call!(libc::SYS_close, fd);
    }
    text
}

/// Ends the execution if what the program has just mapped, or made writable, is mapped elsewhere.
pub fn look(at: *mut c_void, name: &str) {
    if is_alias(&maps(), at as u64) {
        refused::refuse_with(
            name,
            "of a part of a file that is mapped at another address too, for all to write,",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_files_under_two_addresses() {
        let both = |first: &str, second: &str| {
            let maps = std::format!(
                "1000-3000 {first} 08:01 77 /a file\n5000-6000 rw-p 00000000 00:00 0 \n7000-9000 {second} 08:01 77 /a file\n"
            );
            let one = is_alias(maps.as_bytes(), 0x7000);
            assert_eq!(is_alias(maps.as_bytes(), 0x1000), one);
            one
        };
        assert!(both("rw-s 00000000", "r--s 00000000") && both("r--s 00000000", "rw-s 00001000"));
        // Private pages show what others write until they are written themselves.
        assert!(both("rw-p 00000000", "rw-s 00000000"));
        assert!(!both("r--s 00000000", "r--s 00000000") && !both("rw-p 00000000", "r--s 00000000"));
        assert!(!both("rw-s 00000000", "rw-s 00002000") && !both("r-xp 00000000", "rw-p 00000000"));
        let anonymous = "1000-2000 rw-s 00000000 00:01 0 \n3000-4000 rw-s 00000000 00:01 0 \n";
        assert!(!is_alias(anonymous.as_bytes(), 0x1000));
        assert!(!is_alias(b"nonsense\n\n1000", 0x1000));
    }
}
