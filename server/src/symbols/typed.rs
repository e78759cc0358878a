//! The types of what a program works on: of variables by their place, of expressions by what their
//! names mean in a function, of Rust's data by its type's name.

use super::data::Data;
use super::expression::{Step, parse};
use super::print::{Pointer, Printed, Printer};
use super::scope::Declared;
use super::types::{Leaf, Unit, number, type_of};
use gimli::{AttributeValue, UnitOffset};
use std::collections::BTreeMap;

/// A type in one file's debug information.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    /// Number of its unit.
    pub unit: usize,
    /// What it is there.
    pub leaf: Leaf,
}

impl Data {
    /// The value that bytes of a type are.
    pub fn print(&self, of: Type, bytes: &[u8], pointer: &Pointer) -> Option<Printed> {
        let unit = self.program.units.get(of.unit)?;
        let printer = Printer { program: &self.program, unit, rust: is_rust(unit), pointer };
        match of.leaf {
            Leaf::Whole(ty) => printer.print(ty, bytes),
            Leaf::BitFields { of, offset } => printer.bit_fields(of, offset, bytes),
        }
    }

    /// The names of the bit-fields in so many bytes, where it is such.
    pub fn bit_fields(&self, of: Type, size: u64) -> Option<String> {
        let unit = self.program.units.get(of.unit)?;
        let Leaf::BitFields { of, offset } = of.leaf else { return None };
        self.program.bit_fields(unit, of, offset, size)
    }

    /// Is it a pointer?
    pub fn is_pointer(&self, of: Type) -> bool {
        let Leaf::Whole(ty) = of.leaf else { return false };
        let unit = self.program.units.get(of.unit);
        let tag = unit.and_then(|u| Some(u.entry(self.program.bare(u, ty)?).ok()?.tag()));
        tag == Some(gimli::DW_TAG_pointer_type)
    }

    /// The type of an expression of C (a name with fields, elements, dereferences) where this code is,
    /// if its values have this many bytes.
    pub fn type_of_expression(&self, code: u64, expression: &str, size: u64) -> Option<Type> {
        let (name, steps) = parse(expression)?;
        let number = self.unit_of(code)?;
        let unit = &self.program.units[number];
        let local = self.local(unit, code, &name).map(|d| (number, d.ty));
        let (number, mut ty) = local.or_else(|| self.global(number, &name))?;
        let unit = &self.program.units[number];
        for (i, step) in steps.iter().enumerate() {
            let of = self.program.bare(unit, ty)?;
            if let (Step::Member(name), true) = (step, i + 1 == steps.len())
                && let Some(byte) = self.program.byte_of_bit_field(unit, of, name)
            {
                // An access begins where its size divides.
                let leaf = Leaf::BitFields { of, offset: byte - byte % size.max(1) };
                return Some(Type { unit: number, leaf });
            }
            ty = self.step(unit, of, step)?;
        }
        (self.program.size(unit, ty)? == size).then_some(Type { unit: number, leaf: Leaf::Whole(ty) })
    }

    /// Is an expression of C++ an atomic of its library, in any function around this code? A parameter is none: its caller has
    /// the better name.
    pub fn is_atomic(&self, code: u64, expression: &str) -> bool {
        let Some(((name, steps), number)) = parse(expression).zip(self.unit_of(code)) else { return false };
        let unit = &self.program.units[number];
        let named = |declared: &&Declared| !declared.is_parameter || !steps.is_empty();
        self.outward(unit, code, &name).iter().filter(named).any(|declared| {
            let through = |ty, step| self.step(unit, self.program.bare(unit, ty)?, step);
            let ty = steps.iter().try_fold(declared.ty, through);
            ty.is_some_and(|ty| self.is_atomic_type(unit, ty))
        })
    }

    fn is_atomic_type(&self, unit: &Unit, ty: UnitOffset) -> bool {
        let Some(bare) = self.program.bare(unit, ty) else { return false };
        let Ok(entry) = unit.entry(bare) else { return false };
        if entry.tag() == gimli::DW_TAG_reference_type {
            return type_of(&entry).is_some_and(|of| self.is_atomic_type(unit, of));
        }
        let name = self.program.name(unit, &entry).unwrap_or_default();
        ["atomic<", "atomic_flag", "__atomic_base<"].iter().any(|class| name.starts_with(class))
    }

    /// What lies at an offset in the struct, of exactly this many bytes, that a pointer points to where this
    /// code is: `accounts[1].lock`.
    pub fn member_of(
        &self,
        code: u64,
        pointer: &str,
        whole: u64,
        (offset, size): (u64, u64),
    ) -> Option<String> {
        let number = self.unit_of(code)?;
        let local = self.local(&self.program.units[number], code, pointer).map(|d| (number, d.ty));
        let (number, ty) = local.or_else(|| self.global(number, pointer))?;
        let unit = &self.program.units[number];
        let pointee = self.step(unit, self.program.bare(unit, ty)?, &Step::Follow)?;
        let path = self.program.path(unit, pointee, offset, size);
        let fits = self.program.size(unit, pointee)? == whole;
        fits.then(|| path.strip_prefix('.').map(str::to_string)).flatten()
    }

    /// The type of a variable at a fixed place: of this unit, or the only one of that name.
    fn global(&self, unit: usize, name: &str) -> Option<(usize, UnitOffset)> {
        self.fixed(unit, name).map(|v| (v.unit, v.ty))
    }

    /// The same with its place.
    pub(super) fn fixed(&self, unit: usize, name: &str) -> Option<&super::data::Variable> {
        let all = || self.variables.iter().filter(|v| v.name == name);
        let own = all().find(|v| v.unit == unit);
        let only = || all().next().filter(|_| all().count() == 1);
        own.or_else(only)
    }

    fn step(&self, unit: &Unit, ty: UnitOffset, step: &Step) -> Option<UnitOffset> {
        let entry = unit.entry(ty).ok()?;
        let tag = entry.tag();
        let leads_on = tag == gimli::DW_TAG_pointer_type || tag == gimli::DW_TAG_reference_type;
        match step {
            Step::Follow if leads_on => type_of(&entry),
            Step::Element(_) if leads_on || tag == gimli::DW_TAG_array_type => type_of(&entry),
            Step::Member(name) if tag == gimli::DW_TAG_reference_type => {
                self.step(unit, self.program.bare(unit, type_of(&entry)?)?, &Step::Member(name.clone()))
            }
            Step::Member(name) => self.field(unit, ty, name).map(|(ty, _)| ty),
            _ => None,
        }
    }

    /// The type of a member by its name, and where it begins. Of a union, which one holds is known: it is named.
    pub(super) fn field(&self, unit: &Unit, ty: UnitOffset, name: &str) -> Option<(UnitOffset, u64)> {
        let mut tree = unit.entries_tree(Some(ty)).ok()?;
        let mut children = tree.root().ok()?.children();
        while let Some(child) = children.next().ok()? {
            let entry = child.entry();
            let member = entry.tag() == gimli::DW_TAG_member;
            let bits = number(entry, gimli::DW_AT_bit_size).is_some();
            if member && !bits && self.program.name(unit, entry).as_deref() == Some(name) {
                return Some((
                    type_of(entry)?,
                    number(entry, gimli::DW_AT_data_member_location).unwrap_or(0),
                ));
            }
        }
        None
    }

    /// A type of Rust by the name that `type_name` gives it.
    pub fn type_named(&self, name: &str) -> Option<Type> {
        self.named.get_or_init(|| self.names()).get(&normal(name)).copied()
    }

    fn names(&self) -> BTreeMap<String, Type> {
        let mut names = BTreeMap::new();
        for (number, unit) in self.program.units.iter().enumerate().filter(|(_, u)| is_rust(u)) {
            // What is damaged has no names.
            let _ = self.collect_names(number, unit, &mut names);
        }
        names
    }

    fn collect_names(
        &self,
        number: usize,
        unit: &Unit,
        names: &mut BTreeMap<String, Type>,
    ) -> gimli::Result<()> {
        // The names around an entry, by its depth.
        let (mut around, mut depth) = (Vec::<String>::new(), 0isize);
        let mut entries = unit.entries();
        while let Some((delta, entry)) = entries.next_dfs()? {
            depth += delta;
            around.truncate(depth.max(0) as usize);
            let is_type = matches!(
                entry.tag(),
                gimli::DW_TAG_structure_type | gimli::DW_TAG_enumeration_type | gimli::DW_TAG_pointer_type
            );
            let named = is_type || entry.tag() == gimli::DW_TAG_namespace;
            let name = if named { self.program.name(unit, entry).unwrap_or_default() } else { String::new() };
            if is_type && !name.is_empty() {
                let path = around.iter().filter(|n| !n.is_empty()).map(String::as_str);
                let full: Vec<&str> = path.chain([name.as_str()]).collect();
                let ty = Type { unit: number, leaf: Leaf::Whole(entry.offset()) };
                names.entry(normal(&full.join("::"))).or_insert(ty);
            }
            around.resize(depth.max(0) as usize, String::new());
            around.push(name);
        }
        Ok(())
    }
}

/// A type's name as both the compiler and the program may write it.
fn normal(name: &str) -> String {
    const LEFT_OUT: [&str; 2] = [", alloc::alloc::Global", ", std::hash::random::RandomState"];
    LEFT_OUT.iter().fold(name.to_string(), |name, default| name.replace(default, "")).replace(' ', "")
}

fn is_rust(unit: &Unit) -> bool {
    let language = || {
        let mut entries = unit.entries();
        let (_, root) = entries.next_dfs().ok()??;
        match root.attr_value(gimli::DW_AT_language).ok()?? {
            AttributeValue::Language(language) => Some(language),
            _ => None,
        }
    };
    language() == Some(gimli::DW_LANG_Rust)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_types_are_compared_without_what_goes_without_saying() {
        assert_eq!(normal("Vec<i32, alloc::alloc::Global>"), normal("Vec<i32>"));
        assert_eq!(normal("(i32, bool)"), "(i32,bool)");
    }
}
