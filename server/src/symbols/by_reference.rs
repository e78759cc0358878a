//! Classes of C++ that calls pass by reference to a copy (Itanium C++ ABI, 3.1.2.3: non-trivial for the purposes of calls): code of the
//! program makes the copy, and that has hooks. Clang says so of a class; of gcc's the members tell.

use super::types::{Entry, Program, Unit, type_of};
use gimli::AttributeValue;

/// Deepest nesting of classes that is followed: damaged information may go in circles.
const DEPTH: usize = 32;
/// Before this version, DWARF does not tell the functions that the program wrote from those that it has defaulted.
const VERSION: u16 = 5;

/// Is this class one? Where that is not known, it is none.
pub fn is(program: &Program, unit: &Unit, class: &Entry) -> bool {
    let said = class.attr_value(gimli::DW_AT_calling_convention);
    if let Ok(Some(AttributeValue::CallingConvention(said))) = said {
        return said == gimli::DW_CC_pass_by_reference;
    }
    unit.header.version() >= VERSION && has_code(program, unit, class, 0)
}

/// Has it, or a part of it, a virtual table, or a destructor or a constructor of copies that the program wrote?
fn has_code(program: &Program, unit: &Unit, class: &Entry, depth: usize) -> bool {
    if depth > DEPTH {
        return false;
    }
    let name = program.name(unit, class).unwrap_or_default();
    // Of `vector<int>` it is called `vector`.
    let constructor = name.split('<').next().unwrap_or_default();
    let read = || -> gimli::Result<bool> {
        let mut tree = unit.entries_tree(Some(class.offset()))?;
        let mut members = tree.root()?.children();
        while let Some(member) = members.next()? {
            let entry = member.entry();
            let called = program.name(unit, entry).unwrap_or_default();
            let is_written =
                entry.attr(gimli::DW_AT_defaulted)?.is_none() && entry.attr(gimli::DW_AT_deleted)?.is_none();
            let found = match entry.tag() {
                gimli::DW_TAG_inheritance | gimli::DW_TAG_member => {
                    called.starts_with("_vptr") || part_has_code(program, unit, entry, depth)
                }
                gimli::DW_TAG_subprogram if is_written && called == constructor => {
                    takes_one_like(unit, entry, class)?
                }
                gimli::DW_TAG_subprogram => is_written && called.starts_with('~'),
                _ => false,
            };
            if found {
                return Ok(true);
            }
        }
        Ok(false)
    };
    read().unwrap_or(false)
}

/// The same of the type of a member or a base, or of the elements of an array.
fn part_has_code(program: &Program, unit: &Unit, member: &Entry, depth: usize) -> bool {
    let of_static = member.attr(gimli::DW_AT_external).is_ok_and(|attribute| attribute.is_some());
    let part = || {
        let part = unit.entry(program.bare(unit, type_of(member)?)?).ok()?;
        match part.tag() {
            gimli::DW_TAG_array_type => unit.entry(program.bare(unit, type_of(&part)?)?).ok(),
            _ => Some(part),
        }
    };
    !of_static && part().is_some_and(|part| has_code(program, unit, &part, depth + 1))
}

/// Does this constructor take a reference to another object of the class, and nothing else?
fn takes_one_like(unit: &Unit, constructor: &Entry, class: &Entry) -> gimli::Result<bool> {
    let mut tree = unit.entries_tree(Some(constructor.offset()))?;
    let mut parameters = tree.root()?.children();
    let mut given = Vec::new();
    while let Some(parameter) = parameters.next()? {
        let entry = parameter.entry();
        if entry.tag() == gimli::DW_TAG_formal_parameter && entry.attr(gimli::DW_AT_artificial)?.is_none() {
            given.extend(type_of(entry));
        }
    }
    let [one] = given[..] else { return Ok(false) };
    let one = unit.entry(one)?;
    let is_reference =
        matches!(one.tag(), gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type);
    let Some(mut of) = type_of(&one).filter(|_| is_reference) else { return Ok(false) };
    let named = unit.entry(of)?;
    if named.tag() == gimli::DW_TAG_const_type {
        of = type_of(&named).unwrap_or(of);
    }
    Ok(of == class.offset())
}
