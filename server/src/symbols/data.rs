//! Variables by DWARF: from an address to what the source calls the thing that lies there,
//! `accounts[2].balance`.

use super::types::{Program, Unit};
use gimli::{AttributeValue, Operation, Reader};
use object::Object;
use std::path::Path;

/// A variable with a place in the file.
struct Variable {
    address: u64,
    name: String,
    /// Number of its unit, and its type there.
    unit: usize,
    ty: gimli::UnitOffset,
    size: u64,
}

/// The variables of one object file.
pub struct Data {
    program: Program,
    /// By address.
    variables: Vec<Variable>,
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
        Some(Data { program, variables })
    }

    /// What lies at an address, where an access of this many bytes is meant (0: any).
    pub fn path(&self, address: u64, size: u64) -> Option<String> {
        let after = self.variables.partition_point(|v| v.address <= address);
        let v = &self.variables[after.checked_sub(1)?];
        let offset = address - v.address;
        if offset >= v.size.max(1) {
            return None;
        }
        let unit = &self.program.units[v.unit];
        Some(format!("{}{}", v.name, self.program.path(unit, v.ty, offset, size)))
    }
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
        let mut operations = place.operations(unit.encoding());
        let address = match operations.next()? {
            Some(Operation::Address { address }) => address,
            Some(Operation::AddressIndex { index }) => program.dwarf.address(unit, index)?,
            _ => continue,
        };
        // Computed further: a thread-local's offset, no address.
        if operations.next()?.is_some() {
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
        let size = program.size(unit, ty).unwrap_or(0);
        found.push(Variable { address, name, unit: number, ty, size });
    }
    Ok(())
}
