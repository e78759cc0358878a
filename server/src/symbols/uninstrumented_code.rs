//! What compilers put no hooks at, though the program's own code does it: told by its debug information, so that the
//! guarantee names what there is.
//!
//! - gcc has none where a call copies a struct: what is returned by value goes unseen to where it is stored, and what is
//!   given by value from where it lay (its pass looks at assignments alone). Clang has none for arguments of more
//!   than 16 bytes, which are copied behind its pass.
//! - Clang asks whether the address of an *element* is given away, not that of the variable: a function's own accesses to
//!   elements and fields of its own variables have no hooks, whoever else has a pointer to them. Nor have sizes
//!   that are no power of two, or more than 16 bytes (`long double`, wide vectors).

use super::types::{Entry, Program, Unit, is_cpp, number, type_of};
use super::{by_reference, is_system_header};
use gimli::{AttributeValue, Reader, UnitOffset};
use raddle_instrumenter::c::level::keeps_accesses;
use std::collections::BTreeSet;
use std::path::Path;

/// What of a program has no hooks.
#[derive(Default, Debug, PartialEq)]
pub struct Unhooked {
    /// Functions that take or return structs by value, by name.
    pub by_value: BTreeSet<String>,
    /// Functions have arrays and structs as variables of their own.
    pub own_variables: bool,
    /// There are objects of sizes that have no hooks.
    pub sizes: bool,
    /// Levels of optimisation of its units, as options: what they make of accesses is told by no hook.
    pub levels: BTreeSet<String>,
    /// It could not be looked: there is no debug information of the program's code, or it is elsewhere.
    pub untold: bool,
}

/// Types like these go in registers or on the stack, whatever they are: clang's arguments up to there are values.
const VALUE: u64 = 16;
/// Deepest chain of names of a type: damaged information may go in circles.
const DEPTH: usize = 32;

/// What there is in this program or library.
pub fn of(file: &Path) -> Unhooked {
    let mut found = Unhooked::default();
    let data = std::fs::read(file).unwrap_or_default();
    let program = object::File::parse(&*data).ok().and_then(|file| Program::load(&file).ok());
    let units = program.iter().flat_map(|program| program.units.iter().map(move |unit| (program, unit)));
    let mut compiled = false;
    for (program, unit) in units {
        match collect(program, unit, &mut found) {
            Ok(is_compiled) => compiled |= is_compiled,
            // What is damaged is told as far as it can be read.
            Err(_) => found.untold = true,
        }
    }
    found.untold |= !compiled;
    found
}

/// A function that the walk is in.
struct Function {
    depth: isize,
    name: String,
    /// Its own code is here: not only a declaration, or what was made of it elsewhere.
    counts: bool,
}

/// Looks through a unit; false if it is not one of C or C++.
fn collect(program: &Program, unit: &Unit, found: &mut Unhooked) -> gimli::Result<bool> {
    let (mut clang, mut cpp) = (false, false);
    let mut function: Option<Function> = None;
    let mut depth = 0;
    let mut entries = unit.entries();
    while let Some((delta, entry)) = entries.next_dfs()? {
        depth += delta;
        if function.as_ref().is_some_and(|f| depth <= f.depth) {
            function = None;
        }
        match entry.tag() {
            gimli::DW_TAG_compile_unit | gimli::DW_TAG_skeleton_unit => {
                let producer = entry.attr_value(gimli::DW_AT_producer)?;
                let producer = producer.and_then(|value| program.dwarf.attr_string(unit, value).ok());
                let producer = producer.and_then(|text| Some(text.to_string_lossy().ok()?.into_owned()));
                // With `-gsplit-dwarf` it lies in a file of its own.
                found.untold |= is_elsewhere(entry);
                let Some(producer) = producer else { return Ok(false) };
                clang = producer.contains("clang");
                cpp = is_cpp(entry);
                // Rust's and the assembler's are none of these.
                if !clang && !producer.starts_with("GNU C") {
                    return Ok(false);
                }
                found.levels.extend(level(&producer).map(str::to_string));
            }
            gimli::DW_TAG_subprogram => {
                let name = program.name(unit, entry);
                let counts = name.is_some() && !(cpp && is_of_system(program, unit, entry));
                let name = name.unwrap_or_default();
                if counts && !clang && type_of(entry).is_some_and(|ty| is_copied(program, unit, ty, 0)) {
                    found.by_value.insert(name.clone());
                }
                function = Some(Function { depth, name, counts });
            }
            gimli::DW_TAG_formal_parameter => {
                let least = if clang { VALUE + 1 } else { 0 };
                let of = function.as_ref().filter(|f| f.counts && depth == f.depth + 1);
                if let Some(f) = of
                    && type_of(entry).is_some_and(|ty| is_copied(program, unit, ty, least))
                {
                    found.by_value.insert(f.name.clone());
                }
            }
            gimli::DW_TAG_variable if clang && !found.own_variables => {
                found.own_variables = function.is_some() && is_in_frame(entry) && has_parts(unit, entry);
            }
            gimli::DW_TAG_base_type if clang => {
                let size = number(entry, gimli::DW_AT_byte_size).unwrap_or(0);
                let float = entry.attr_value(gimli::DW_AT_encoding)?
                    == Some(AttributeValue::Encoding(gimli::DW_ATE_float));
                found.sizes |= float && size == VALUE;
            }
            gimli::DW_TAG_array_type if clang => {
                found.sizes |= entry.attr(gimli::DW_AT_GNU_vector)?.is_some();
            }
            _ => {}
        }
    }
    Ok(true)
}

/// The level that a compiler says it has optimised at, its last option counting; none where that takes nothing away. Clang says its
/// options where it is asked to (`-grecord-command-line`).
fn level(producer: &str) -> Option<&str> {
    let last = producer.split(' ').rfind(|word| word.strip_prefix("-O").is_some_and(is_level))?;
    (!keeps_accesses(last, producer)).then_some(last)
}

/// `-O`, `-O2`, `-Os`, `-Ofast`.
fn is_level(level: &str) -> bool {
    matches!(level, "" | "0" | "1" | "2" | "3" | "4" | "s" | "z" | "g" | "fast")
}

/// Is this unit only the name of a file that has it?
fn is_elsewhere(unit: &Entry) -> bool {
    let names = [gimli::DW_AT_dwo_name, gimli::DW_AT_GNU_dwo_name];
    names.iter().any(|name| matches!(unit.attr(*name), Ok(Some(_))))
}

/// Was it declared in a header of a library? In C++ those pass iterators and the like around.
fn is_of_system(program: &Program, unit: &Unit, entry: &Entry) -> bool {
    let path = || {
        let index = match entry.attr_value(gimli::DW_AT_decl_file).ok()?? {
            AttributeValue::FileIndex(index) => index,
            other => other.udata_value()?,
        };
        let header = unit.line_program.as_ref()?.header();
        let file = header.file(index)?;
        let text =
            |value| Some(program.dwarf.attr_string(unit, value).ok()?.to_string_lossy().ok()?.into_owned());
        let folder = file.directory(header).and_then(text).unwrap_or_default();
        Some(format!("{folder}/{}", text(file.path_name())?))
    };
    path().is_some_and(|path: String| is_system_header(&path))
}

/// A type without `const`, `volatile` and names given to it.
fn stripped(unit: &Unit, mut ty: UnitOffset) -> Option<Entry<'_>> {
    for _ in 0..DEPTH {
        let entry = unit.entry(ty).ok()?;
        match entry.tag() {
            gimli::DW_TAG_typedef | gimli::DW_TAG_const_type | gimli::DW_TAG_volatile_type => {
                ty = type_of(&entry)?;
            }
            _ => return Some(entry),
        }
    }
    None
}

/// Is it a struct or union of at least so many bytes that calls copy as memory? One that they pass by reference is not.
fn is_copied(program: &Program, unit: &Unit, ty: UnitOffset, least: u64) -> bool {
    let Some(entry) = stripped(unit, ty) else { return false };
    let is_struct = matches!(
        entry.tag(),
        gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type | gimli::DW_TAG_union_type
    );
    is_struct
        && !by_reference::is(program, unit, &entry)
        && number(&entry, gimli::DW_AT_byte_size).is_some_and(|size| size >= least)
        && has_members(unit, &entry)
}

/// Does it hold anything?
fn has_members(unit: &Unit, ty: &Entry) -> bool {
    let read = || -> gimli::Result<bool> {
        let mut tree = unit.entries_tree(Some(ty.offset()))?;
        let mut children = tree.root()?.children();
        while let Some(child) = children.next()? {
            if matches!(child.entry().tag(), gimli::DW_TAG_member | gimli::DW_TAG_inheritance) {
                return Ok(true);
            }
        }
        Ok(false)
    };
    read().unwrap_or(true)
}

/// Does a variable lie in its function's frame, as a whole?
fn is_in_frame(entry: &Entry) -> bool {
    let location = entry.attr_value(gimli::DW_AT_location);
    let Ok(Some(AttributeValue::Exprloc(place))) = location else { return false };
    place.0.to_slice().is_ok_and(|bytes| {
        let breg = gimli::DW_OP_breg0.0..=gimli::DW_OP_breg31.0;
        bytes.first().is_some_and(|op| *op == gimli::DW_OP_fbreg.0 || breg.contains(op))
    })
}

/// Is a variable one of several parts?
fn has_parts(unit: &Unit, variable: &Entry) -> bool {
    let ty = type_of(variable).and_then(|ty| stripped(unit, ty));
    ty.is_some_and(|ty| {
        matches!(
            ty.tag(),
            gimli::DW_TAG_array_type
                | gimli::DW_TAG_structure_type
                | gimli::DW_TAG_class_type
                | gimli::DW_TAG_union_type
        )
    })
}
