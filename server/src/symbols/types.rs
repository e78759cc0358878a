//! Types by DWARF: the fields and elements on the way to an offset.

use gimli::{AttributeValue, DebuggingInformationEntry, EndianRcSlice, Reader, RunTimeEndian, UnitOffset};
use object::{Object, ObjectSection};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A section's bytes.
pub type Slice = EndianRcSlice<RunTimeEndian>;
/// A unit of debug information.
pub type Unit = gimli::Unit<Slice>;
/// What is said of one thing.
pub type Entry<'a> = DebuggingInformationEntry<'a, 'a, Slice, usize>;

/// What an access touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Leaf {
    /// A value of this type.
    Whole(UnitOffset),
    /// Bit-fields of this struct, in the bytes from this offset on.
    BitFields { of: UnitOffset, offset: u64 },
}

/// Deepest nesting that is followed: damaged information may go in circles.
const DEPTH: u32 = 32;

/// The debug information of one file.
pub struct Program {
    /// Its sections.
    pub dwarf: gimli::Dwarf<Slice>,
    /// Its units.
    pub units: Vec<Unit>,
    /// The types of C++'s library of each unit that was asked for, by where the unit begins.
    library: RefCell<BTreeMap<gimli::UnitSectionOffset, Rc<BTreeSet<UnitOffset>>>>,
}

impl Program {
    /// Reads all units' headers.
    pub fn load(file: &object::File) -> gimli::Result<Program> {
        let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
        let dwarf = gimli::Dwarf::load(|id| -> gimli::Result<Slice> {
            let section = file.section_by_name(id.name());
            let data = section.and_then(|s| s.uncompressed_data().ok()).unwrap_or_default();
            Ok(EndianRcSlice::new(Rc::from(&*data), endian))
        })?;
        let mut units = Vec::new();
        let mut headers = dwarf.units();
        while let Some(header) = headers.next()? {
            units.extend(dwarf.unit(header));
        }
        Ok(Program { dwarf, units, library: RefCell::default() })
    }

    /// Is it a unit of Rust's own library, which has no variables that a report would name?
    pub fn is_std(&self, unit: &Unit, entry: &Entry) -> bool {
        let name = self.name(unit, entry).unwrap_or_default();
        name.starts_with("/rustc/") || name.starts_with("library/") || name.contains("/rustlib/src/rust/")
    }

    /// The name of an entry.
    pub fn name(&self, unit: &Unit, entry: &Entry) -> Option<String> {
        let value = entry.attr_value(gimli::DW_AT_name).ok()??;
        Some(self.dwarf.attr_string(unit, value).ok()?.to_string_lossy().ok()?.into_owned())
    }

    /// How many bytes a type has.
    pub fn size(&self, unit: &Unit, ty: UnitOffset) -> Option<u64> {
        self.size_within(unit, ty, 0)
    }

    fn size_within(&self, unit: &Unit, ty: UnitOffset, depth: u32) -> Option<u64> {
        let entry = unit.entry(ty).ok()?;
        if let Some(size) = number(&entry, gimli::DW_AT_byte_size) {
            return Some(size);
        }
        if depth > DEPTH {
            return None;
        }
        let inner = || self.size_within(unit, type_of(&entry)?, depth + 1);
        match entry.tag() {
            gimli::DW_TAG_array_type => Some(inner()? * counts(unit, ty).iter().product::<u64>()),
            gimli::DW_TAG_pointer_type | gimli::DW_TAG_reference_type => Some(8),
            _ => inner(),
        }
    }

    /// The way from the start of a value of this type to what lies at an offset in it and has at
    /// least this many bytes: `[2].balance`. Synchronisation objects are not looked into.
    pub fn path(&self, unit: &Unit, ty: UnitOffset, offset: u64, size: u64) -> String {
        let mut path = String::new();
        // What cannot be followed further is named as far as it could.
        let _ = self.follow(unit, ty, offset, size, &mut path, 0);
        path
    }

    /// What lies at an offset in a value of this type and has exactly this many bytes, where it is certain: nothing in
    /// unions.
    pub fn leaf(&self, unit: &Unit, ty: UnitOffset, offset: u64, size: u64) -> Option<Leaf> {
        let leaf = self.follow(unit, ty, offset, size, &mut String::new(), 0)?;
        let fits = match leaf {
            Leaf::Whole(ty) => self.size(unit, ty)? == size,
            Leaf::BitFields { .. } => true,
        };
        fits.then_some(leaf)
    }

    /// A type without what only qualifies or names it again.
    pub fn bare(&self, unit: &Unit, mut ty: UnitOffset) -> Option<UnitOffset> {
        for _ in 0..DEPTH {
            let entry = unit.entry(ty).ok()?;
            match entry.tag() {
                gimli::DW_TAG_typedef
                | gimli::DW_TAG_const_type
                | gimli::DW_TAG_volatile_type
                | gimli::DW_TAG_atomic_type
                | gimli::DW_TAG_restrict_type => ty = type_of(&entry)?,
                _ => return Some(ty),
            }
        }
        None
    }

    fn follow(
        &self,
        unit: &Unit,
        ty: UnitOffset,
        offset: u64,
        size: u64,
        path: &mut String,
        depth: u32,
    ) -> Option<Leaf> {
        let entry = unit.entry(ty).ok()?;
        if depth > DEPTH {
            return None;
        }
        let inside = match self.name(unit, &entry) {
            Some(name) if self.library(unit).contains(&ty) => Inside::of(&name),
            Some(name) if is_closed(&name, is_of_c(unit)) => Inside::Closed,
            _ => Inside::Open,
        };
        if inside == Inside::Closed {
            return (offset == 0).then_some(Leaf::Whole(ty));
        }
        match entry.tag() {
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type | gimli::DW_TAG_union_type => {
                let Some((name, member, at)) = self.member(unit, ty, offset, size) else {
                    let names = self.bit_fields(unit, ty, offset, size)?;
                    path.push('.');
                    path.push_str(&names);
                    let leaf = Leaf::BitFields { of: ty, offset };
                    return (entry.tag() != gimli::DW_TAG_union_type).then_some(leaf);
                };
                if let Some(name) = name.filter(|_| inside == Inside::Open) {
                    let name = name.strip_prefix("__").filter(|n| n.parse::<u32>().is_ok()).unwrap_or(&name);
                    path.push('.');
                    path.push_str(name);
                }
                let leaf = self.follow(unit, member, offset - at, size, path, depth + 1);
                // Which member of a union is meant is not known.
                leaf.filter(|_| entry.tag() != gimli::DW_TAG_union_type)
            }
            gimli::DW_TAG_array_type => {
                let element = type_of(&entry)?;
                let bytes = self.size(unit, element)?;
                if bytes == 0 || size > bytes {
                    return None;
                }
                let counts = counts(unit, ty);
                let mut index = offset / bytes;
                let mut indices = Vec::new();
                for (dimension, count) in counts.iter().enumerate().rev() {
                    // The outermost dimension takes what is left, so that `x[]` has indices too.
                    let here = if dimension == 0 || *count == 0 { index } else { index % count };
                    index = if *count == 0 { 0 } else { index / count };
                    indices.push(format!("[{here}]"));
                }
                indices.reverse();
                path.push_str(&indices.concat());
                self.follow(unit, element, offset % bytes, size, path, depth + 1)
            }
            gimli::DW_TAG_typedef
            | gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_atomic_type
            | gimli::DW_TAG_restrict_type => {
                self.follow(unit, type_of(&entry)?, offset, size, path, depth + 1)
            }
            _ => (offset == 0).then_some(Leaf::Whole(ty)),
        }
    }

    /// The types that a unit describes in C++'s own namespaces.
    fn library(&self, unit: &Unit) -> Rc<BTreeSet<UnitOffset>> {
        let begins = unit.header.offset();
        if let Some(known) = self.library.borrow().get(&begins) {
            return known.clone();
        }
        let mut found = BTreeSet::new();
        // What is damaged has none.
        let _ = self.collect_library(unit, &mut found);
        self.library.borrow_mut().entry(begins).or_insert(Rc::new(found)).clone()
    }

    fn collect_library(&self, unit: &Unit, found: &mut BTreeSet<UnitOffset>) -> gimli::Result<()> {
        // Of the namespace that we are in: its depth.
        let (mut depth, mut std): (isize, Option<isize>) = (0, None);
        let mut entries = unit.entries();
        while let Some((delta, entry)) = entries.next_dfs()? {
            depth += delta;
            std = std.filter(|std| depth > *std);
            match entry.tag() {
                gimli::DW_TAG_compile_unit if !is_cpp(entry) => return Ok(()),
                gimli::DW_TAG_namespace if std.is_none() => {
                    let name = self.name(unit, entry).unwrap_or_default();
                    std = matches!(name.as_str(), "std" | "__gnu_cxx" | "__cxxabiv1").then_some(depth);
                }
                gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type | gimli::DW_TAG_union_type
                    if std.is_some() =>
                {
                    found.insert(entry.offset());
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The member (or base class) of a type that covers an offset: name, type, where it starts.
    fn member(
        &self,
        unit: &Unit,
        ty: UnitOffset,
        offset: u64,
        size: u64,
    ) -> Option<(Option<String>, UnitOffset, u64)> {
        let mut tree = unit.entries_tree(Some(ty)).ok()?;
        let mut children = tree.root().ok()?.children();
        while let Some(child) = children.next().ok()? {
            let entry = child.entry();
            if !matches!(entry.tag(), gimli::DW_TAG_member | gimli::DW_TAG_inheritance) {
                continue;
            }
            // Bit-fields share their bytes.
            if number(entry, gimli::DW_AT_bit_size).is_some() {
                continue;
            }
            let Some(member) = type_of(entry) else { continue };
            let at = number(entry, gimli::DW_AT_data_member_location).unwrap_or(0);
            let bytes = self.size(unit, member).unwrap_or(0);
            // A flexible array at the end has no size of its own.
            if (at <= offset && offset < at + bytes && size <= bytes) || (bytes == 0 && at == offset) {
                return Some((self.name(unit, entry), member, at));
            }
        }
        None
    }
}

/// What of a type's inside is the program's business.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// All of it, by its members' names.
    Open,
    /// Its elements, but not what they are kept in.
    Elements,
    /// Nothing.
    Closed,
}

impl Inside {
    /// Of a type of C++'s library.
    fn of(name: &str) -> Inside {
        match name.split('<').next() {
            Some("pair") => Inside::Open,
            Some("array") => Inside::Elements,
            _ => Inside::Closed,
        }
    }
}

/// Is it a unit in C++?
pub fn is_cpp(root: &Entry) -> bool {
    use gimli::{
        DW_LANG_C_plus_plus, DW_LANG_C_plus_plus_03, DW_LANG_C_plus_plus_11, DW_LANG_C_plus_plus_14,
    };
    let cpp = [DW_LANG_C_plus_plus, DW_LANG_C_plus_plus_03, DW_LANG_C_plus_plus_11, DW_LANG_C_plus_plus_14];
    let language = root.attr_value(gimli::DW_AT_language).ok().flatten();
    // Those of later standards came after DWARF 5.
    let later = |l: gimli::DwLang| (0x2a..=0x2b).contains(&l.0);
    matches!(language, Some(AttributeValue::Language(l)) if cpp.contains(&l) || later(l))
}

/// The type that an entry refers to.
pub fn type_of(entry: &Entry) -> Option<UnitOffset> {
    match entry.attr_value(gimli::DW_AT_type).ok()?? {
        AttributeValue::UnitRef(offset) => Some(offset),
        _ => None,
    }
}

/// A number said of an entry.
pub fn number(entry: &Entry, attribute: gimli::DwAt) -> Option<u64> {
    entry.attr_value(attribute).ok()??.udata_value()
}

/// Elements by dimension, the outermost first; 0 where the size is not known.
fn counts(unit: &Unit, array: UnitOffset) -> Vec<u64> {
    let read = || -> gimli::Result<Vec<u64>> {
        let mut counts = Vec::new();
        let mut tree = unit.entries_tree(Some(array))?;
        let mut children = tree.root()?.children();
        while let Some(child) = children.next()? {
            if child.entry().tag() == gimli::DW_TAG_subrange_type {
                let upper = number(child.entry(), gimli::DW_AT_upper_bound).map(|n| n.wrapping_add(1));
                counts.push(number(child.entry(), gimli::DW_AT_count).or(upper).unwrap_or(0));
            }
        }
        Ok(counts)
    };
    read().unwrap_or_default()
}

/// Is it a unit in C?
fn is_of_c(unit: &Unit) -> bool {
    const LANGUAGES: [gimli::DwLang; 5] =
        [gimli::DW_LANG_C89, gimli::DW_LANG_C, gimli::DW_LANG_C99, gimli::DW_LANG_C11, gimli::DwLang(0x2c)];
    let mut entries = unit.entries();
    let Ok(Some((_, root))) = entries.next_dfs() else { return false };
    let language = root.attr_value(gimli::DW_AT_language);
    matches!(language, Ok(Some(AttributeValue::Language(l))) if LANGUAGES.contains(&l))
}

/// Is it a type whose inside is none of the program's business: of a library, told by its name? In C, where a
/// library's names are no others' names, `struct map` is the program's.
fn is_closed(name: &str, c: bool) -> bool {
    const C: [&str; 4] = ["sem_t", "mtx_t", "cnd_t", "once_flag"];
    const NAMES: [&str; 29] = [
        "mutex",
        "recursive_mutex",
        "timed_mutex",
        "shared_mutex",
        "condition_variable",
        "atomic",
        "thread",
        "basic_string",
        "string",
        "vector",
        "shared_ptr",
        "unique_ptr",
        "map",
        "deque",
        "Mutex",
        "RwLock",
        "Condvar",
        "Barrier",
        "Once",
        "OnceLock",
        "LazyLock",
        "Cell",
        "RefCell",
        "UnsafeCell",
        "Arc",
        "Vec",
        "String",
        "ReentrantLock",
        "HashMap",
    ];
    let bare = name.split('<').next().unwrap_or_default();
    let bare = bare.rsplit("::").next().unwrap_or_default();
    C.contains(&bare)
        || !c && NAMES.contains(&bare)
        || ["pthread_", "atomic_", "Atomic", "__", "_IO_"].iter().any(|start| bare.starts_with(start))
}
