//! Which functions the program asks the dynamic linker for.

use super::modules::{self, Module};
use core::ffi::CStr;
use libc::{Elf64_Addr, Elf64_Sym};

/// `DT_STRTAB`, `DT_SYMTAB` and `DT_STRSZ`, and the entry's end.
const END: u64 = 0;
const STRTAB: u64 = 5;
const SYMTAB: u64 = 6;
const STRSZ: u64 = 10;
/// `SHN_UNDEF`: a symbol of somebody else.
const UNDEFINED: u16 = 0;

/// One entry of the dynamic section.
#[repr(C)]
struct Entry {
    tag: u64,
    value: u64,
}

/// Does the executable, or a library of its own, ask for a function of this name? Where that cannot be told, yes.
pub fn asked_for(name: &CStr) -> bool {
    let mut found = false;
    modules::each(|module| found |= !module.keeps_its_state() && asks(module, name));
    found
}

/// Does this module?
pub fn asks(module: &Module<'_>, name: &CStr) -> bool {
    let Some(section) = module.dynamic() else { return false };
    let (mut symbols, mut text, mut length) = (0, 0, 0);
    for i in 0.. {
        // SAFETY: the section ends with an entry that says so.
        let entry = unsafe { &*(section as *const Entry).add(i) };
        match entry.tag {
            END => break,
            STRTAB => text = entry.value,
            SYMTAB => symbols = entry.value,
            STRSZ => length = entry.value,
            _ => {}
        }
    }
    // The table's length stands nowhere; linkers lay the names behind it.
    if symbols == 0 || text <= symbols {
        return true;
    }
    let count = (text - symbols) as usize / size_of::<Elf64_Sym>();
    (0..count).any(|i| {
        // SAFETY: between the table's begin and the names everything is mapped with them, and what is no symbol (other
        // tables may lie between) is looked at as numbers only.
        let symbol = unsafe { &*(symbols as Elf64_Addr as *const Elf64_Sym).add(i) };
        if symbol.st_shndx != UNDEFINED {
            return false;
        }
        let at = u64::from(symbol.st_name);
        let fits = at + (name.to_bytes_with_nul().len() as u64) <= length;
        // SAFETY: one of the names, which ends before the table does.
        let known = |at: u64| unsafe { libc::strcmp((text + at) as *const _, name.as_ptr()) } == 0;
        // What the linker has put in a function's place (`touches`) has its name behind this.
        const REPLACED: &CStr = c"__wrap_";
        let (prefix, behind) = (REPLACED.as_ptr(), REPLACED.count_bytes());
        // SAFETY: as above; nothing is read behind a name's end.
        let is_replaced = || unsafe { libc::strncmp((text + at) as *const _, prefix, behind) } == 0;
        fits && (known(at) || is_replaced() && known(at + behind as u64))
    })
}
