//! Variables by DWARF: from an address to what the source calls the thing that lies there,
//! `accounts[2].balance`.

use super::typed::Type;
use super::types::{Program, Slice, Unit};
use gimli::{AttributeValue, Operation, Reader};
use object::Object;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A variable with a place in the file, or a piece of one that was split up.
pub(super) struct Variable {
    pub(super) address: u64,
    /// Where the piece starts in the variable.
    pub(super) start: u64,
    pub(super) name: String,
    /// Number of its unit, and its type there.
    pub(super) unit: usize,
    pub(super) ty: gimli::UnitOffset,
    size: u64,
}

/// Parts of variables up to this size are found by name.
const MOST: u64 = 64 << 10;

/// The variables of one object file.
pub struct Data {
    pub(super) program: Program,
    /// By address.
    pub(super) variables: Vec<Variable>,
    /// Rust's types by name, once one is asked for.
    pub(super) named: OnceCell<BTreeMap<String, Type>>,
}

impl Data {
    /// Reads a file; `None` where it has no debug information.
    pub fn open(path: &Path) -> Option<Data> {
        let bytes = std::fs::read(path).ok()?;
        let file = object::File::parse(&*bytes).ok()?;
        file.section_by_name(".debug_info")?;
        let program = Program::load(&file).ok()?;
        let mut variables = Vec::new();
        for (number, unit) in program.units.iter().enumerate() {
            // What is damaged has no names.
            let _ = collect(&program, number, unit, &mut variables);
        }
        variables.sort_by_key(|v| v.address);
        Some(Data { program, variables, named: OnceCell::new() })
    }

    fn at(&self, address: u64) -> Option<(&Variable, u64)> {
        let after = self.variables.partition_point(|v| v.address <= address);
        let v = &self.variables[after.checked_sub(1)?];
        let offset = address - v.address;
        (offset < v.size.max(1)).then_some((v, offset))
    }

    /// The type of what lies at an address and has this many bytes.
    pub fn type_at(&self, address: u64, size: u64) -> Option<Type> {
        let (v, offset) = self.at(address)?;
        let unit = &self.program.units[v.unit];
        let leaf = self.program.leaf(unit, v.ty, v.start + offset, size)?;
        Some(Type { unit: v.unit, leaf })
    }

    /// What lies at an address, where an access of this many bytes is meant (0: any).
    pub fn path(&self, address: u64, size: u64) -> Option<String> {
        let (v, offset) = self.at(address)?;
        let unit = &self.program.units[v.unit];
        Some(format!("{}{}", v.name, self.program.path(unit, v.ty, v.start + offset, size)))
    }

    /// Where what is called so lies: all bytes whose own name it is, or begins with it.
    pub fn ranges(&self, name: &str) -> Vec<(u64, u64)> {
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for v in self.variables.iter().filter(|v| part_of(name, &v.name)) {
            if v.name == name {
                ranges.push((v.address, v.address + v.size));
                continue;
            }
            // Byte by byte: of something larger only the whole has a name.
            let unit = &self.program.units[v.unit];
            for offset in (0..v.size).take_while(|_| v.size <= MOST) {
                let at = v.address + offset;
                let path = self.program.path(unit, v.ty, v.start + offset, 1);
                match ranges.last_mut() {
                    _ if !part_of(&format!("{}{path}", v.name), name) => {}
                    Some((_, end)) if *end == at => *end += 1,
                    _ => ranges.push((at, at + 1)),
                }
            }
        }
        ranges
    }
}

/// Is a part, by its name, the whole that is called so, or in it? Of bit-fields that share bytes each is.
fn part_of(part: &str, whole: &str) -> bool {
    if let Some((around, fields)) = part.rsplit_once('.').filter(|(_, fields)| fields.contains('/')) {
        return part == whole || fields.split('/').any(|field| part_of(&format!("{around}.{field}"), whole));
    }
    part.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Does it have any? `None` where it cannot be read.
pub fn has_information(program: &Path) -> Option<bool> {
    let bytes = std::fs::read(program).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    Some(file.section_by_name(".debug_info").is_some())
}

/// The files that a program's units were compiled from, absolute, in order.
pub fn source_files(program: &Path) -> Option<Vec<PathBuf>> {
    let bytes = std::fs::read(program).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let program = Program::load(&file).ok()?;
    let text = |s: &Option<Slice>| s.as_ref().and_then(|s| Some(s.to_string_lossy().ok()?.into_owned()));
    let mut files = Vec::new();
    for unit in &program.units {
        let Some(name) = text(&unit.name).map(PathBuf::from) else { continue };
        let folder = text(&unit.comp_dir).map(PathBuf::from).unwrap_or_default();
        let file = folder.join(name);
        if raddle_instrumenter::c::Language::of(&file).is_some() && !files.contains(&file) {
            files.push(file);
        }
    }
    Some(files)
}

fn collect(program: &Program, number: usize, unit: &Unit, found: &mut Vec<Variable>) -> gimli::Result<()> {
    let mut entries = unit.entries();
    while let Some((_, entry)) = entries.next_dfs()? {
        if entry.tag() == gimli::DW_TAG_compile_unit && program.is_std(unit, entry) {
            return Ok(());
        }
        if entry.tag() != gimli::DW_TAG_variable {
            continue;
        }
        let Some(AttributeValue::Exprloc(place)) = entry.attr_value(gimli::DW_AT_location)? else { continue };
        let pieces = pieces(program, unit, place)?;
        if pieces.is_empty() {
            continue;
        }
        // A definition apart from its declaration refers to it.
        let declared = match entry.attr_value(gimli::DW_AT_specification)? {
            Some(AttributeValue::UnitRef(offset)) => Some(unit.entry(offset)?),
            _ => None,
        };
        let of = |attribute| match entry.attr_value(attribute) {
            Ok(Some(value)) => Some(value),
            _ => declared.as_ref().and_then(|d| d.attr_value(attribute).ok().flatten()),
        };
        let (Some(name), Some(AttributeValue::UnitRef(ty))) = (of(gimli::DW_AT_name), of(gimli::DW_AT_type))
        else {
            continue;
        };
        let name = program.dwarf.attr_string(unit, name)?.to_string_lossy()?.into_owned();
        let whole = program.size(unit, ty).unwrap_or(0);
        for (address, start, size) in pieces {
            let (name, size) = (name.clone(), size.unwrap_or(whole));
            found.push(Variable { address, start, name, unit: number, ty, size });
        }
    }
    Ok(())
}

/// Where a variable lies: address, offset in it, and size of each piece. None for one that is not
/// at a fixed place.
fn pieces(
    program: &Program,
    unit: &Unit,
    place: gimli::Expression<Slice>,
) -> gimli::Result<Vec<(u64, u64, Option<u64>)>> {
    let (mut pieces, mut address, mut start) = (Vec::new(), None, 0);
    let mut operations = place.operations(unit.encoding());
    while let Some(operation) = operations.next()? {
        match operation {
            Operation::Address { address: a } => address = Some(a),
            Operation::AddressIndex { index } => address = Some(program.dwarf.address(unit, index)?),
            Operation::Piece { size_in_bits, .. } => {
                let size = size_in_bits / 8;
                pieces.extend(address.take().map(|a| (a, start, Some(size))));
                start += size;
            }
            // Computed further: the offset of a thread-local, no address.
            _ => return Ok(Vec::new()),
        }
    }
    pieces.extend(address.filter(|_| start == 0).map(|a| (a, 0, None)));
    Ok(pieces)
}
