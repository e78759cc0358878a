//! Bit-fields by DWARF (version 5, section 5.7.6): which of them an access touches, and what each of them is. Neighbours share
//! their bytes, so one access is often to several of them.

use super::print::{Printed, Printer};
use super::types::{Entry, Program, Unit, number, type_of};
use gimli::{AttributeValue, UnitOffset};

/// As many are named one by one.
const MOST: usize = 3;

/// A bit-field of a struct.
struct BitField {
    name: String,
    ty: UnitOffset,
    /// Its first bit, from the beginning of the struct, and how many it has.
    first: u64,
    width: u64,
}

impl Program {
    /// The names of a struct's bit-fields in these bytes of it, one behind the other: `ready/done`, of many `ready/…/done`.
    /// `None` where there is none.
    pub fn bit_fields(&self, unit: &Unit, ty: UnitOffset, offset: u64, size: u64) -> Option<String> {
        let fields = self.bit_fields_in(unit, ty, offset, size)?;
        let names: Vec<&str> = fields.iter().map(|f| f.name.as_str()).collect();
        Some(match names[..] {
            [first, _, .., last] if names.len() > MOST => format!("{first}/…/{last}"),
            _ => names.join("/"),
        })
    }

    /// The byte of a struct in which its bit-field of this name begins.
    pub fn byte_of_bit_field(&self, unit: &Unit, ty: UnitOffset, name: &str) -> Option<u64> {
        let whole = self.size(unit, ty)?;
        let fields = self.bit_fields_in(unit, ty, 0, whole)?;
        fields.iter().find(|f| f.name == name).map(|f| f.first / 8)
    }

    /// Those that have a name, in the order of their declaration.
    fn bit_fields_in(&self, unit: &Unit, ty: UnitOffset, offset: u64, size: u64) -> Option<Vec<BitField>> {
        let (begin, end) = (offset * 8, (offset + size.max(1)) * 8);
        let mut tree = unit.entries_tree(Some(ty)).ok()?;
        let mut children = tree.root().ok()?.children();
        let mut fields = Vec::new();
        while let Some(child) = children.next().ok()? {
            let field = self.bit_field(unit, child.entry());
            fields.extend(field.filter(|f| f.first < end && begin < f.first + f.width));
        }
        Some(fields).filter(|f| !f.is_empty())
    }

    fn bit_field(&self, unit: &Unit, entry: &Entry) -> Option<BitField> {
        let width = number(entry, gimli::DW_AT_bit_size)?;
        let (name, ty) = (self.name(unit, entry)?, type_of(entry)?);
        let first = number(entry, gimli::DW_AT_data_bit_offset).or_else(|| {
            // Before version 5: from the highest bit of what it is stored in.
            let byte = number(entry, gimli::DW_AT_data_member_location).unwrap_or(0);
            let stored = number(entry, gimli::DW_AT_byte_size).or_else(|| self.size(unit, ty))?;
            let from_above = number(entry, gimli::DW_AT_bit_offset)?;
            ((byte + stored) * 8).checked_sub(from_above + width)
        })?;
        Some(BitField { name, ty, first, width })
    }
}

impl Printer<'_> {
    /// The values of a struct's bit-fields in these bytes, which begin at `offset` in it.
    pub fn bit_fields(&self, ty: UnitOffset, offset: u64, bytes: &[u8]) -> Option<Printed> {
        let fields = self.program.bit_fields_in(self.unit, ty, offset, bytes.len() as u64)?;
        let value = |field: &BitField| {
            let shift = field.first.checked_sub(offset * 8)?;
            self.bit_field(field, bits(bytes, shift, field.width)?)
        };
        if let [field] = &fields[..] {
            return value(field);
        }
        let unknown = || Printed::Whole("…".to_string());
        let parts = fields.iter().map(|f| (f.name.clone(), value(f).unwrap_or_else(unknown)));
        Some(Printed::Parts(String::new(), parts.collect()))
    }

    fn bit_field(&self, field: &BitField, value: u128) -> Option<Printed> {
        let size = self.program.size(self.unit, field.ty)? as usize;
        let negative = self.is_signed(field.ty) && value >> (field.width - 1) & 1 != 0;
        let wide = if negative { value | u128::MAX << field.width } else { value };
        self.print(field.ty, wide.to_le_bytes().get(..size)?)
    }

    fn is_signed(&self, ty: UnitOffset) -> bool {
        let entry = self.program.bare(self.unit, ty).and_then(|ty| self.unit.entry(ty).ok());
        let encoding = entry.and_then(|e| e.attr_value(gimli::DW_AT_encoding).ok().flatten());
        let signed = [gimli::DW_ATE_signed, gimli::DW_ATE_signed_char].map(AttributeValue::Encoding);
        encoding.is_some_and(|e| signed.contains(&e))
    }
}

/// So many bits of bytes, the lowest first; `None` where they are not all there.
fn bits(bytes: &[u8], shift: u64, width: u64) -> Option<u128> {
    let lacks = !(1..64).contains(&width) || shift + width > bytes.len() as u64 * 8;
    if lacks || bytes.len() > 16 {
        return None;
    }
    let mut wide = [0; 16];
    wide[..bytes.len()].copy_from_slice(bytes);
    Some(u128::from_le_bytes(wide) >> shift & ((1 << width) - 1))
}

#[cfg(test)]
mod tests {
    use super::bits;

    #[test]
    fn bits_of_bytes() {
        assert_eq!(bits(&[0b1010_0110], 1, 3), Some(0b011));
        assert_eq!(bits(&[0x80, 0x01], 7, 2), Some(0b11));
        assert_eq!(bits(&[0xff], 6, 3), None, "a part of it lies elsewhere");
        assert_eq!(bits(&[0xff], 0, 0), None);
    }
}
