//! What names mean where code is: variables and parameters by the blocks of the debug information around it.

use super::data::Data;
use super::types::{Entry, Slice, Unit, type_of};
use gimli::{AttributeValue, UnitOffset};

/// A variable or a parameter of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declared {
    /// What says where it lies.
    pub declaration: UnitOffset,
    /// Its type.
    pub ty: UnitOffset,
    /// Does a caller give it?
    pub is_parameter: bool,
    /// The function whose frame it is in: not the one that was inlined there.
    pub function: UnitOffset,
}

impl Data {
    /// The number of the unit that code belongs to.
    pub fn unit_of(&self, code: u64) -> Option<usize> {
        self.program.units.iter().position(|u| self.covers(u, code))
    }

    fn covers(&self, unit: &Unit, code: u64) -> bool {
        let Ok(mut ranges) = self.program.dwarf.unit_ranges(unit) else { return false };
        std::iter::from_fn(|| ranges.next().ok().flatten()).any(|r| r.begin <= code && code < r.end)
    }

    /// What a name means in the innermost block around this code.
    pub fn local(&self, unit: &Unit, code: u64, name: &str) -> Option<Declared> {
        let mut tree = unit.entries_tree(None).ok()?;
        let mut children = tree.root().ok()?.children();
        while let Some(child) = children.next().ok()? {
            let entry = child.entry();
            if entry.tag() == gimli::DW_TAG_subprogram && self.contains(unit, entry, code) {
                let function = entry.offset();
                let found = self.in_block(unit, child, code, name)?;
                return Some(Declared { function, ..found });
            }
            // Functions of C++ lie in namespaces.
            if entry.tag() == gimli::DW_TAG_namespace
                && let Some(found) = self.in_namespace(unit, child, code, name)
            {
                return Some(found);
            }
        }
        None
    }

    /// The declarations of a name around this code, from the innermost block outwards, through functions that were inlined there: the
    /// user's function that called one of a library is among them.
    pub fn outward(&self, unit: &Unit, code: u64, name: &str) -> Vec<Declared> {
        let mut found = Vec::new();
        if let Some(mut tree) = unit.entries_tree(None).ok()
            && let Ok(root) = tree.root()
        {
            self.collect(unit, root, code, name, &mut found);
        }
        found.reverse();
        found
    }

    /// The declarations of a name in the blocks around this code, the outermost first.
    fn collect(
        &self,
        unit: &Unit,
        block: gimli::EntriesTreeNode<Slice>,
        code: u64,
        name: &str,
        found: &mut Vec<Declared>,
    ) {
        let mut children = block.children();
        while let Ok(Some(child)) = children.next() {
            let entry = child.entry();
            match entry.tag() {
                gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter => {
                    found.extend(self.declared(unit, entry, name));
                }
                gimli::DW_TAG_namespace => self.collect(unit, child, code, name, found),
                gimli::DW_TAG_subprogram | gimli::DW_TAG_inlined_subroutine | gimli::DW_TAG_lexical_block
                    if self.contains(unit, entry, code) =>
                {
                    self.collect(unit, child, code, name, found);
                }
                _ => {}
            }
        }
    }

    fn in_namespace(
        &self,
        unit: &Unit,
        space: gimli::EntriesTreeNode<Slice>,
        code: u64,
        name: &str,
    ) -> Option<Declared> {
        let mut children = space.children();
        while let Some(child) = children.next().ok()? {
            let within = match child.entry().tag() {
                gimli::DW_TAG_subprogram if self.contains(unit, child.entry(), code) => {
                    let function = child.entry().offset();
                    let found = self.in_block(unit, child, code, name)?;
                    return Some(Declared { function, ..found });
                }
                gimli::DW_TAG_namespace => self.in_namespace(unit, child, code, name),
                _ => None,
            };
            if within.is_some() {
                return within;
            }
        }
        None
    }

    fn in_block(
        &self,
        unit: &Unit,
        block: gimli::EntriesTreeNode<Slice>,
        code: u64,
        name: &str,
    ) -> Option<Declared> {
        let (mut here, mut inner) = (None, None);
        let mut children = block.children();
        while let Some(child) = children.next().ok()? {
            let entry = child.entry();
            match entry.tag() {
                gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter if here.is_none() => {
                    here = self.declared(unit, entry, name);
                }
                gimli::DW_TAG_inlined_subroutine if self.contains(unit, entry, code) => {
                    // Another function: names of the outer one mean nothing there.
                    return self.in_block(unit, child, code, name);
                }
                gimli::DW_TAG_lexical_block if self.contains(unit, entry, code) => {
                    inner = self.in_block(unit, child, code, name);
                }
                _ => {}
            }
        }
        inner.or(here)
    }

    /// A declaration, if it is of this name.
    fn declared(&self, unit: &Unit, declaration: &Entry, name: &str) -> Option<Declared> {
        let origin = match declaration.attr_value(gimli::DW_AT_abstract_origin).ok()? {
            Some(AttributeValue::UnitRef(at)) => unit.entry(at).ok(),
            _ => None,
        };
        let entry = origin.as_ref().unwrap_or(declaration);
        if self.program.name(unit, entry)? != name {
            return None;
        }
        let at = declaration.offset();
        let is_parameter = declaration.tag() == gimli::DW_TAG_formal_parameter;
        Some(Declared { declaration: at, ty: type_of(entry)?, is_parameter, function: at })
    }

    fn contains(&self, unit: &Unit, entry: &Entry, code: u64) -> bool {
        let Ok(mut ranges) = self.program.dwarf.die_ranges(unit, entry) else { return false };
        std::iter::from_fn(|| ranges.next().ok().flatten()).any(|r| r.begin <= code && code < r.end)
    }
}
