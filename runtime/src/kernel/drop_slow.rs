//! Is it a drop that gives an `Arc`'s block back, or `Arc::into_inner`? Both go through the same operations, and the latter
//! tells its thread that it was the last owner. A drop does all behind its decrement in `Arc::drop_slow`, which std forbids to
//! inline, so the executable's symbols say where that code is. Without symbols nothing is known to be a drop.

use super::spin::wipe_deep;
use super::unwind;
use crate::memory::modules;
use crate::sys::call;
use alloc::vec::Vec;
use core::mem::size_of;
use libc::{Elf64_Ehdr, Elf64_Shdr, Elf64_Sym};

/// How its name ends, without a hash or the crate behind it, in either mangling.
const NAME: &[u8] = b"9drop_slow";
/// Frames above the runtime that are looked at: from the decrement of the weak count out to it.
const NEAR: usize = 16;
/// `SHT_SYMTAB` and `STT_FUNC`.
const SYMBOLS: u32 = 2;
const FUNCTION: u8 = 2;

/// Where its instances are.
pub struct DropSlow {
    /// Begin and end of each, in order.
    code: Vec<(u64, u64)>,
}

impl DropSlow {
    /// Of the running program.
    pub fn of_program() -> Self {
        let mut moved = 0;
        modules::each(|m| {
            if m.is_executable() {
                moved = m.moved() as u64;
            }
        });
        let mut code = with_executable(|file| instances(file, moved)).flatten().unwrap_or_default();
        code.sort_unstable();
        DropSlow { code }
    }

    /// Is the running thread in one?
    pub fn is_here(&self) -> bool {
        if self.code.is_empty() {
            return false;
        }
        let frames = unwind::frames(NEAR);
        wipe_deep();
        frames.iter().any(|frame| self.holds(frame.code))
    }

    fn holds(&self, at: u64) -> bool {
        let next = self.code.partition_point(|(begin, _)| *begin < at);
        // A return address is behind its call, which may be a function's last instruction.
        next > 0 && at <= self.code[next - 1].1
    }
}

/// One of the file's records, if it has so many bytes there. All of them are numbers.
fn record<T: Copy>(file: &[u8], at: usize) -> Option<T> {
    let bytes = file.get(at..at.checked_add(size_of::<T>())?)?;
    // SAFETY: so many bytes are there, and any bytes are such a record.
    Some(unsafe { bytes.as_ptr().cast::<T>().read_unaligned() })
}

fn instances(file: &[u8], moved: u64) -> Option<Vec<(u64, u64)>> {
    let header: Elf64_Ehdr = record(file, 0)?;
    let section = |n: usize| -> Option<Elf64_Shdr> {
        record(file, (header.e_shoff as usize).checked_add(n.checked_mul(size_of::<Elf64_Shdr>())?)?)
    };
    let all = (0..usize::from(header.e_shnum)).filter_map(section);
    let mut found = Vec::new();
    for table in all.filter(|s| s.sh_type == SYMBOLS) {
        let names = section(table.sh_link as usize)?;
        let names = file.get(names.sh_offset as usize..)?.get(..names.sh_size as usize)?;
        for n in 0..table.sh_size as usize / size_of::<Elf64_Sym>() {
            let symbol: Elf64_Sym = record(file, table.sh_offset as usize + n * size_of::<Elf64_Sym>())?;
            if symbol.st_info & 15 == FUNCTION && is_it(names, symbol.st_name as usize) {
                let begin = moved + symbol.st_value;
                found.push((begin, begin + symbol.st_size));
            }
        }
    }
    Some(found)
}

/// Is it a name of an instance that begins here?
fn is_it(names: &[u8], at: usize) -> bool {
    let Some(name) = names.get(at..) else { return false };
    let name = &name[..name.iter().position(|b| *b == 0).unwrap_or(name.len())];
    name.starts_with(b"_") && name.windows(NAME.len()).any(|part| part == NAME)
}

/// The file of the running program, while it is mapped.
fn with_executable<T>(look: impl FnOnce(&[u8]) -> T) -> Option<T> {
    let path = c"/proc/self/exe";
    // SAFETY: the path ends with a zero, and the record has room for what is told of the file.
    let (fd, len) = unsafe {
        let fd = call!(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        let mut stat: libc::stat = core::mem::zeroed();
        let known = fd >= 0 && call!(libc::SYS_fstat, fd, &raw mut stat) == 0;
        (fd, if known { stat.st_size as usize } else { 0 })
    };
    if fd < 0 {
        return None;
    }
    // SAFETY: a new mapping of a file that is open, and is closed here.
    let at = unsafe {
        let at = call!(libc::SYS_mmap, 0, len, libc::PROT_READ, libc::MAP_PRIVATE, fd, 0);
        call!(libc::SYS_close, fd);
        at
    };
    if len == 0 || at < 0 {
        return None;
    }
    // SAFETY: mapped above, and the system lets nobody write to the file of a program that runs.
    let found = look(unsafe { core::slice::from_raw_parts(at as usize as *const u8, len) });
    // SAFETY: nobody keeps anything of it.
    unsafe { call!(libc::SYS_munmap, at as usize, len) };
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn it_is_known_by_its_name() {
        let check =
            |name: &str, is: bool| assert_eq!(is_it(format!("a\0{name}\0b").as_bytes(), 2), is, "{name}");
        check("_ZN5alloc4sync16Arc$LT$T$C$A$GT$9drop_slow17h0123456789abcdefE", true);
        check("_RNvMsg_NtCs1_5alloc4syncINtB5_3ArclE9drop_slowCs2_1a", true);
        check("_ZN1a10drop_slowly17h0123456789abcdefE", false);
        check("drop_slow", false);
        assert!(!is_it(b"ab", 7));
    }

    #[test]
    fn the_program_s_own_are_found() {
        // std's own, at least.
        let all = DropSlow::of_program();
        let (begin, end) = *all.code.first().expect("one");
        assert!(begin < end && all.holds(begin + 1) && !all.holds(0));
    }
}
