//! Is it a drop that gives an `Arc`'s block back, or `Arc::into_inner`? Both go through the same operations, and the latter
//! tells its thread that it was the last owner. A drop does all behind its decrement in `Arc::drop_slow`, which std forbids to
//! inline, so the executable's symbols say where that code is. Without symbols nothing is known to be a drop.
//!
//! A drop may drop others, and its value's own `Drop` may call `Arc::into_inner`, which lies in the outer drop's code then. So
//! the frames of both ends count: a drop's is on the stack at the decrement of the weak count, and was not at the strong one's.
//!
//! `Arc::into_inner` also tells its thread that it was *not* the last owner, and does nothing behind its decrement then. Where
//! it was compiled into its callers, only the debug information says that a program has it: then any decrement may be one.
//!
//! The same of `Arc::increment_strong_count`: its thread need not be an owner, so the last owner may have gone before.

use super::spin::wipe_deep;
use super::unwind;
use crate::memory::modules;
use crate::sys::call;
use alloc::vec::Vec;
use core::mem::size_of;
use libc::{Elf64_Ehdr, Elf64_Shdr, Elf64_Sym};
use memchr::{memchr, memmem, memrchr};

/// How its name ends, without a hash or the crate behind it, in either mangling.
const NAME: &[u8] = b"9drop_slow";
const INTO_INNER: &[u8] = b"10into_inner";
const INCREMENT: &[u8] = b"25increment_strong_count_in";
/// Std's own use of it: a waker that is cloned is an owner.
const WAKER: &[u8] = b"11clone_waker";
/// In the names of what is an `Arc`'s, or a waker's.
const SYNC: &[u8] = b"5alloc4sync";
const TASK: &[u8] = b"5alloc4task";
/// Frames above the runtime that are looked at: from the decrement of the weak count out to it.
pub const NEAR: usize = 16;
/// `SHT_SYMTAB` and `STT_FUNC`.
const SYMBOLS: u32 = 2;
const FUNCTION: u8 = 2;

/// Begin and end of each instance of a function, in order.
type Code = Vec<(u64, u64)>;

/// Where a program drops `Arc`s, takes values out of them, and counts owners up by a pointer.
#[derive(Default)]
pub struct DropSlow {
    code: Code,
    into_inner: Code,
    /// `Arc::into_inner` was compiled into its callers.
    is_inlined: bool,
    increment: Code,
    waker: Code,
    /// The same of `Arc::increment_strong_count`.
    increment_is_inlined: bool,
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
        let found = with_executable(|file| {
            let of = |module: &[u8], name: &[u8]| instances(file, moved, module, name).unwrap_or_default();
            let into_inner = of(SYNC, INTO_INNER);
            let increment = of(SYNC, INCREMENT);
            DropSlow {
                code: of(SYNC, NAME),
                is_inlined: into_inner.is_empty() && is_in_debug_information(file, INTO_INNER),
                into_inner,
                waker: of(TASK, WAKER),
                increment_is_inlined: increment.is_empty() && is_in_debug_information(file, INCREMENT),
                increment,
            }
        });
        found.unwrap_or_default()
    }

    /// May the running thread's increment be one of `Arc::increment_strong_count`?
    pub fn is_increment_of_others(&self) -> bool {
        let is_in = |code: &Code| innermost(code, NEAR) != 0;
        self.increment_is_inlined
            || !self.increment.is_empty() && is_in(&self.increment) && !is_in(&self.waker)
    }

    /// May the running thread's decrement be one of `Arc::into_inner`?
    pub fn is_into_inner(&self) -> bool {
        self.is_inlined || !self.into_inner.is_empty() && innermost(&self.into_inner, NEAR) != 0
    }

    /// Where the frame ends of the innermost one that the running thread is in, among so many; 0 where it is in none.
    pub fn innermost(&self, near: usize) -> u64 {
        innermost(&self.code, near)
    }
}

fn innermost(code: &Code, near: usize) -> u64 {
    if code.is_empty() {
        return 0;
    }
    let frames = unwind::frames(near);
    wipe_deep();
    frames.iter().find(|frame| holds(code, frame.code)).map_or(0, |frame| frame.stack)
}

fn holds(code: &Code, at: u64) -> bool {
    let next = code.partition_point(|(begin, _)| *begin < at);
    // A return address is behind its call, which may be a function's last instruction.
    next > 0 && at <= code[next - 1].1
}

/// One of the file's records, if it has so many bytes there. All of them are numbers.
fn record<T: Copy>(file: &[u8], at: usize) -> Option<T> {
    let bytes = file.get(at..at.checked_add(size_of::<T>())?)?;
    // SAFETY: so many bytes are there, and any bytes are such a record.
    Some(unsafe { bytes.as_ptr().cast::<T>().read_unaligned() })
}

/// The file's sections.
fn sections(file: &[u8]) -> Option<Vec<Elf64_Shdr>> {
    let header: Elf64_Ehdr = record(file, 0)?;
    let section = |n: usize| {
        record(file, (header.e_shoff as usize).checked_add(n.checked_mul(size_of::<Elf64_Shdr>())?)?)
    };
    (0..usize::from(header.e_shnum)).map(section).collect()
}

fn text<'a>(file: &'a [u8], section: &Elf64_Shdr) -> Option<&'a [u8]> {
    file.get(section.sh_offset as usize..)?.get(..section.sh_size as usize)
}

/// The instances of the function whose name ends so, in the order of their addresses.
fn instances(file: &[u8], moved: u64, module: &[u8], name: &[u8]) -> Option<Code> {
    let all = sections(file)?;
    let mut found = Vec::new();
    for table in all.iter().filter(|s| s.sh_type == SYMBOLS) {
        let names = text(file, all.get(table.sh_link as usize)?)?;
        // Most programs have none, and all have many symbols. A symbol's name may begin in the middle of a string.
        let strings: Vec<(usize, usize)> =
            memmem::find_iter(names, name).map(|at| (start(names, at), at)).collect();
        if strings.is_empty() {
            continue;
        }
        let may_be = |at: usize| {
            let next = strings.partition_point(|(_, function)| *function < at);
            strings.get(next).is_some_and(|(begin, _)| *begin <= at)
        };
        for n in 0..table.sh_size as usize / size_of::<Elf64_Sym>() {
            let symbol: Elf64_Sym = record(file, table.sh_offset as usize + n * size_of::<Elf64_Sym>())?;
            let at = symbol.st_name as usize;
            if symbol.st_info & 15 == FUNCTION && may_be(at) && is_it(names, at, module, name) {
                let begin = moved + symbol.st_value;
                found.push((begin, begin + symbol.st_size));
            }
        }
    }
    found.sort_unstable();
    Some(found)
}

/// Where the string begins that this byte is in.
fn start(strings: &[u8], at: usize) -> usize {
    memrchr(0, &strings[..at]).map_or(0, |before| before + 1)
}

/// Is it the name of an instance of this function in this module that begins here?
fn is_it(names: &[u8], at: usize, module: &[u8], function: &[u8]) -> bool {
    let Some(name) = names.get(at..) else { return false };
    let name = &name[..memchr(0, name).unwrap_or(name.len())];
    name.starts_with(b"_") && has(name, module) && has(name, function)
}

fn has(text: &[u8], part: &[u8]) -> bool {
    memmem::find(text, part).is_some()
}

/// Does the debug information name this method of `Arc`'s? `method` begins with two digits, its length.
fn is_in_debug_information(file: &[u8], method: &[u8]) -> bool {
    let Some(all) = sections(file) else { return false };
    let of_names = || all.get(usize::from(record::<Elf64_Ehdr>(file, 0)?.e_shstrndx));
    let Some(names) = of_names().and_then(|s| text(file, s)) else { return false };
    let is_strings =
        |s: &&Elf64_Shdr| names.get(s.sh_name as usize..).is_some_and(|n| n.starts_with(b".debug_str\0"));
    let strings = all.iter().find(is_strings).and_then(|s| text(file, s)).unwrap_or_default();
    // Either kind of name has the method's own in it.
    memmem::find_iter(strings, &method[2..]).any(|at| {
        let name = &strings[start(strings, at)..];
        names_method(&name[..memchr(0, name).unwrap_or(name.len())], method)
    })
}

/// Is this the name of an instance of a method of `Arc`'s, of the program's own? Std has an `into_inner` for its own hooks of new
/// threads. Debug information that only says lines has plain names (and those of `Rc`'s are the same).
fn names_method(name: &[u8], method: &[u8]) -> bool {
    let is_mangled = name.starts_with(b"_") && has(name, SYNC) && has(name, method);
    let plain = name.strip_prefix(&method[2..]);
    let is_plain =
        plain.is_some_and(|rest| rest.starts_with(b"<")) && name.ends_with(b", alloc::alloc::Global>");
    (is_mangled || is_plain) && !has(name, b"spawnhook")
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
        let check = |name: &str, is: bool| {
            assert_eq!(is_it(format!("a\0{name}\0b").as_bytes(), 2, SYNC, NAME), is, "{name}")
        };
        check("_ZN5alloc4sync16Arc$LT$T$C$A$GT$9drop_slow17h0123456789abcdefE", true);
        check("_RNvMsg_NtCs1_5alloc4syncINtB5_3ArclE9drop_slowCs2_1a", true);
        check("_ZN1a10drop_slowly17h0123456789abcdefE", false);
        check("drop_slow", false);
        check("_ZN5alloc2rc15Rc$LT$T$C$A$GT$9drop_slow17h0123456789abcdefE", false);
        assert!(!is_it(b"ab", 7, SYNC, NAME));
        let inner = b"_ZN5alloc4sync16Arc$LT$T$C$A$GT$10into_inner17h0123456789abcdefE";
        assert!(
            is_it(inner, 0, SYNC, INTO_INNER)
                && !is_it(inner, 0, SYNC, NAME)
                && names_method(inner, INTO_INNER)
        );
        let of_std =
            b"_RNvMsf_NtCs_5alloc4syncINtB5_3ArcNtNtNtCs_3std6thread9spawnhook9SpawnHookE10into_innerBM_";
        assert!(is_it(of_std, 0, SYNC, INTO_INNER) && !names_method(of_std, INTO_INNER));
        assert!(names_method(b"into_inner<u32, alloc::alloc::Global>", INTO_INNER));
        assert!(!names_method(b"into_inner<alloc::vec::Vec<u8, alloc::alloc::Global>>", INTO_INNER));
        assert!(!names_method(
            b"into_inner<std::thread::spawnhook::SpawnHook, alloc::alloc::Global>",
            INTO_INNER
        ));
    }

    #[test]
    fn the_program_s_own_are_found() {
        // std's own, at least.
        let all = DropSlow::of_program();
        let (begin, end) = *all.code.first().expect("one");
        assert!(begin < end && holds(&all.code, begin + 1) && !holds(&all.code, 0));
    }
}
