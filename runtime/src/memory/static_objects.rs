//! How long static objects are, by the symbol tables of the program's own files: only there a destructor's argument has
//! a size.

use super::modules::{self, Module};
use crate::sys::call;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::mem::size_of;
use libc::{Elf64_Ehdr, Elf64_Shdr, Elf64_Sym};

/// `SHT_SYMTAB`: all symbols, those of one file included.
const SYMTAB: u32 = 2;
/// `STT_OBJECT`, in the low bits of a symbol's kind.
const OBJECT: u8 = 1;

struct Objects(UnsafeCell<Vec<(usize, usize)>>);

// SAFETY: written before the first execution, on the only thread; read afterwards.
unsafe impl Sync for Objects {}

/// Start and end of each static object, sorted.
static OBJECTS: Objects = Objects(UnsafeCell::new(Vec::new()));

/// Reads the tables of these modules. Called once, before executions.
pub fn prepare(own: impl Fn(&Module<'_>) -> bool) {
    let mut found = Vec::new();
    modules::each(|module| {
        if own(module) {
            read(module, &mut found);
        }
    });
    found.sort_unstable();
    // SAFETY: see `Objects`.
    unsafe { *OBJECTS.0.get() = found };
}

/// The end of the static object that begins at this address, if there is one.
pub fn end_of(start: usize) -> Option<usize> {
    // SAFETY: see `Objects`.
    let objects = unsafe { &*OBJECTS.0.get() };
    let first = objects.partition_point(|o| o.0 < start);
    let all = objects[first..].iter().take_while(|o| o.0 == start);
    all.map(|o| o.1).max()
}

/// The module's file, mapped for as long as it is read.
struct File {
    at: *const u8,
    len: usize,
}

impl File {
    fn open(module: &Module<'_>) -> Option<File> {
        let mut name: Vec<u8> = match module.is_executable() {
            true => b"/proc/self/exe".to_vec(),
            false => module.name().to_vec(),
        };
        name.push(0);
        // SAFETY: a string; the descriptor is closed below; `stat` is as the call fills it; a private mapping of a file.
        unsafe {
            let fd =
                call!(libc::SYS_openat, libc::AT_FDCWD, name.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC, 0);
            if fd < 0 {
                return None;
            }
            let mut stat: libc::stat = core::mem::zeroed();
            let known = call!(libc::SYS_fstat, fd, &raw mut stat) == 0;
            let len = stat.st_size as usize;
            let at = match known && len > 0 {
                true => call!(libc::SYS_mmap, 0, len, libc::PROT_READ, libc::MAP_PRIVATE, fd, 0),
                false => -1,
            };
            call!(libc::SYS_close, fd);
            (at >= 0).then_some(File { at: at as *const u8, len })
        }
    }

    /// So many records from there, if they lie in the file and are aligned.
    fn table<T>(&self, from: u64, count: usize) -> Option<&[T]> {
        let (from, bytes) = (from as usize, count.checked_mul(size_of::<T>())?);
        let inside = from.checked_add(bytes)? <= self.len && from.is_multiple_of(align_of::<T>());
        // SAFETY: inside of the mapping, which stays as long as `self`, and aligned; any bytes are such a record of numbers.
        // The mapping is private and only read; that nobody rewrites the file meanwhile is taken for granted, as the loader
        // does, which has mapped the same file.
        inside.then(|| unsafe { core::slice::from_raw_parts(self.at.add(from).cast(), count) })
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: mapped by `open`; nothing of it is used any more.
        unsafe { call!(libc::SYS_munmap, self.at, self.len) };
    }
}

fn read(module: &Module<'_>, found: &mut Vec<(usize, usize)>) {
    let Some(file) = File::open(module) else { return };
    let Some([header]) = file.table::<Elf64_Ehdr>(0, 1) else { return };
    let Some(sections) = file.table::<Elf64_Shdr>(header.e_shoff, header.e_shnum.into()) else { return };
    for section in sections.iter().filter(|s| s.sh_type == SYMTAB) {
        let count = section.sh_size as usize / size_of::<Elf64_Sym>();
        let Some(symbols) = file.table::<Elf64_Sym>(section.sh_offset, count) else { continue };
        let objects = symbols.iter().filter(|s| s.st_info & 15 == OBJECT && s.st_shndx != 0 && s.st_size > 0);
        found.extend(objects.map(|s| {
            let start = module.moved() + s.st_value as usize;
            (start, start + s.st_size as usize)
        }));
    }
}
