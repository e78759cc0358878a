//! What a program takes from libraries, and what a library gives, by its dynamic symbols.

use object::elf::{DT_NEEDED, DT_RUNPATH, FileHeader64, STT_OBJECT, STT_TLS};
use object::read::elf::{Dyn, FileHeader, SectionHeader, Sym};
use object::{Endianness, Object, ObjectSymbol, ReadCache, ReadRef, StringTable, SymbolIndex, SymbolKind};
use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

/// What a program or library takes from others.
pub struct Imports {
    /// Functions, by name.
    pub functions: BTreeSet<String>,
    /// Libraries, as it names them.
    pub libraries: Vec<String>,
    /// Where it has them looked for, with colons between.
    pub search: String,
}

impl Imports {
    /// Those of a file; `None` if it cannot be read as a program.
    pub fn of(file: &Path) -> Option<Imports> {
        let data = &parts(file)?;
        let mut imports =
            Imports { functions: functions(data, false)?, libraries: Vec::new(), search: String::new() };
        let header = FileHeader64::<Endianness>::parse(data).ok()?;
        let endian = header.endian().ok()?;
        let sections = header.sections(endian, data).ok()?;
        let (entries, link) = sections.dynamic(endian, data).ok()??;
        let strings = sections.strings(endian, data, link).ok()?;
        for entry in entries {
            let text = || Some(String::from_utf8_lossy(strings.get(entry.val32(endian)?).ok()?).into_owned());
            match entry.tag32(endian) {
                Some(DT_NEEDED) => imports.libraries.extend(text()),
                Some(DT_RUNPATH) => imports.search = text().unwrap_or_default(),
                _ => {}
            }
        }
        Some(imports)
    }
}

/// Functions that a library gives to others.
pub fn exports(file: &Path) -> Option<BTreeSet<String>> {
    functions(&parts(file)?, true)
}

/// Functions of an object or program that other files can call, whose names begin so. A stripped one tells none.
pub fn called(file: &Path, prefix: &str) -> BTreeSet<String> {
    let Ok(data) = std::fs::read(file) else { return BTreeSet::new() };
    let Ok(file) = object::File::parse(&*data) else { return BTreeSet::new() };
    let defined =
        file.symbols().filter(|s| s.is_definition() && s.is_global() && s.kind() == SymbolKind::Text);
    let names = defined.filter_map(|s| s.name().ok().filter(|n| n.starts_with(prefix)).map(str::to_string));
    names.collect()
}

/// Everything in a program, and what it takes from libraries, by the names that the linker goes by; `None` where it was stripped.
pub fn foreign(file: &Path) -> Option<BTreeSet<String>> {
    let data = std::fs::read(file).ok()?;
    let mut names = functions(&*data, false)?;
    let file = object::File::parse(&*data).ok()?;
    file.symbol_table()?;
    names.extend(
        file.symbols().filter(|s| s.is_definition()).filter_map(|s| s.name().ok().map(str::to_string)),
    );
    Some(names)
}

/// What a section of a program or library holds; `None` where it has none of this name.
pub fn section(file: &Path, name: &str) -> Option<Vec<u8>> {
    let data = &parts(file)?;
    let header = FileHeader64::<Endianness>::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let sections = header.sections(endian, data).ok()?;
    let (_, found) = sections.section_by_name(endian, name.as_bytes())?;
    Some(found.data(endian, data).ok()?.to_vec())
}

/// What the notes of this owner in a section say; `None` where there are none.
pub fn notes(file: &Path, name: &str, owner: &str) -> Option<Vec<u8>> {
    let data = &parts(file)?;
    let header = FileHeader64::<Endianness>::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let sections = header.sections(endian, data).ok()?;
    let (_, found) = sections.section_by_name(endian, name.as_bytes())?;
    let mut notes = found.notes(endian, data).ok()??;
    let mut said = None::<Vec<u8>>;
    while let Some(note) = notes.next().ok()? {
        if note.name() == owner.as_bytes() {
            said.get_or_insert_default().extend(note.desc());
        }
    }
    said
}

/// A file of which only those parts are read that are looked at: programs are megabytes, and what is asked of them lies in a
/// few pages.
fn parts(file: &Path) -> Option<ReadCache<File>> {
    Some(ReadCache::new(File::open(file).ok()?))
}

/// The functions among the dynamic symbols that are defined, or that are not and are used somewhere: some linkers leave
/// names there of what they put others in the place of (`--wrap`).
fn functions<'data, R: ReadRef<'data>>(data: R, defined: bool) -> Option<BTreeSet<String>> {
    let header = FileHeader64::<Endianness>::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let sections = header.sections(endian, data).ok()?;
    let symbols = sections.symbols(endian, data, object::elf::SHT_DYNSYM).ok()?;
    // Read as a whole: a name at a time is a call of the system each.
    let strings = sections.section(symbols.string_section()).ok()?.data(endian, data).ok()?;
    let strings = StringTable::new(strings, 0, strings.len() as u64);
    let mut used = BTreeSet::new();
    for section in sections.iter() {
        let Ok(Some((entries, link))) = section.rela(endian, data) else { continue };
        if link == symbols.section() {
            used.extend(entries.iter().map(|entry| entry.r_sym(endian, false)));
        }
    }
    let mut names = BTreeSet::new();
    for (index, symbol) in symbols.enumerate() {
        let is_data = matches!(symbol.st_type(), STT_OBJECT | STT_TLS);
        if index == SymbolIndex(0) || is_data || symbol.is_undefined(endian) == defined {
            continue;
        }
        if !defined && !used.contains(&(index.0 as u32)) {
            continue;
        }
        if let Ok(name) = symbol.name(endian, strings) {
            names.insert(String::from_utf8_lossy(name).into_owned());
        }
    }
    Some(names)
}
