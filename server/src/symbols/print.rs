//! Values by DWARF: what bytes of a type mean, as the source's language writes it.

use super::types::{Entry, Program, Unit, number, type_of};
use gimli::{AttributeValue, DebuggingInformationEntry, UnitOffset};

/// Most members of a struct that are told, and deepest nesting.
const MEMBERS: usize = 6;
const DEPTH: u32 = 6;

/// A value in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Printed {
    /// In one piece.
    Whole(String),
    /// Of members: the type's bare name, then name and value of each. Tuples have numbers for names.
    Parts(String, Vec<(String, Printed)>),
}

impl std::fmt::Display for Printed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (name, parts) = match self {
            Printed::Whole(text) => return f.write_str(text),
            Printed::Parts(name, parts) => (name, parts),
        };
        let numbered = parts.iter().all(|(n, _)| n.bytes().all(|b| b.is_ascii_digit()));
        let one = |(n, p): &(String, Printed)| if numbered { p.to_string() } else { format!("{n}: {p}") };
        let all = parts.iter().map(one).collect::<Vec<_>>().join(", ");
        match (numbered, name.is_empty()) {
            (true, _) => write!(f, "{name}({all})"),
            (false, true) => write!(f, "{{ {all} }}"),
            (false, false) => write!(f, "{name} {{ {all} }}"),
        }
    }
}

impl Printed {
    /// What became of a value: `100 → 50`; of a struct the members that changed.
    pub fn change(&self, to: &Printed) -> String {
        match (self, to) {
            (Printed::Parts(a, from), Printed::Parts(b, into)) if a == b && from.len() == into.len() => {
                let changed = from.iter().zip(into).filter(|((_, old), (_, new))| old != new);
                let told: Vec<String> =
                    changed.map(|((n, old), (_, new))| format!("{n}: {}", old.change(new))).collect();
                // `Some(1) → Some(2)` reads better than its number.
                let numbered = from.iter().any(|(n, _)| n.starts_with(|c: char| c.is_ascii_digit()));
                if numbered || told.is_empty() {
                    format!("{self} → {to}")
                } else {
                    format!("{{ {} }}", told.join(", "))
                }
            }
            _ => format!("{self} → {to}"),
        }
    }
}

/// Names what lies at an address, where something of so many bytes is meant (0: any).
pub type Pointer<'a> = dyn Fn(u64, u64) -> Option<String> + 'a;

/// Prints values of one unit's types.
pub struct Printer<'a> {
    /// The debug information.
    pub program: &'a Program,
    /// The unit that the types are of.
    pub unit: &'a Unit,
    /// It is a unit of Rust.
    pub rust: bool,
    /// What an address is called.
    pub pointer: &'a Pointer<'a>,
}

impl Printer<'_> {
    /// The value that these bytes are; `None` where it cannot be told.
    pub fn print(&self, ty: UnitOffset, bytes: &[u8]) -> Option<Printed> {
        self.within(ty, bytes, 0)
    }

    fn within(&self, ty: UnitOffset, bytes: &[u8], depth: u32) -> Option<Printed> {
        let named = self.unit.entry(ty).ok().and_then(|e| self.program.name(self.unit, &e));
        // A number that says nothing.
        if named.as_deref() == Some("pthread_t") {
            return None;
        }
        let ty = self.program.bare(self.unit, ty)?;
        let entry = self.unit.entry(ty).ok()?;
        let size = self.program.size(self.unit, ty)? as usize;
        let bytes = bytes.get(..size)?;
        match entry.tag() {
            gimli::DW_TAG_base_type => self.base(&entry, bytes).map(Printed::Whole),
            gimli::DW_TAG_enumeration_type => self.enumerator(ty, bytes).map(Printed::Whole),
            gimli::DW_TAG_pointer_type | gimli::DW_TAG_reference_type if size == 8 => {
                let pointee = type_of(&entry).and_then(|to| self.program.size(self.unit, to)).unwrap_or(0);
                (self.pointer)(word(bytes), pointee).map(Printed::Whole)
            }
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type if depth < DEPTH => {
                self.structure(ty, &entry, bytes, depth)
            }
            _ => None,
        }
    }

    fn base(&self, entry: &Entry, bytes: &[u8]) -> Option<String> {
        let AttributeValue::Encoding(encoding) = entry.attr_value(gimli::DW_AT_encoding).ok()?? else {
            return None;
        };
        let name = self.program.name(self.unit, entry).unwrap_or_default();
        let text = match encoding {
            _ if bytes.is_empty() => return None,
            gimli::DW_ATE_float => float(bytes)?,
            gimli::DW_ATE_boolean => return truth(bytes[0]),
            // In C a character is a number, and often only that.
            gimli::DW_ATE_UTF | gimli::DW_ATE_signed_char | gimli::DW_ATE_unsigned_char
                if name.starts_with("char") || name == "wchar_t" =>
            {
                character(bytes)
            }
            gimli::DW_ATE_signed | gimli::DW_ATE_signed_char => signed(bytes)?.to_string(),
            gimli::DW_ATE_unsigned | gimli::DW_ATE_unsigned_char => unsigned(bytes)?.to_string(),
            _ => return None,
        };
        Some(text)
    }

    /// The constant of an enumeration that has this value, or the value.
    fn enumerator(&self, ty: UnitOffset, bytes: &[u8]) -> Option<String> {
        let mut tree = self.unit.entries_tree(Some(ty)).ok()?;
        let mut children = tree.root().ok()?.children();
        while let Some(child) = children.next().ok()? {
            let value = child.entry().attr_value(gimli::DW_AT_const_value).ok().flatten();
            let same = match value {
                Some(AttributeValue::Sdata(n)) => Some(n as i128) == signed(bytes),
                Some(value) => value.udata_value().map(u128::from) == unsigned(bytes),
                None => false,
            };
            if same {
                return self.program.name(self.unit, child.entry());
            }
        }
        signed(bytes).map(|n| n.to_string())
    }

    fn structure(&self, ty: UnitOffset, entry: &Entry, bytes: &[u8], depth: u32) -> Option<Printed> {
        let name = self.program.name(self.unit, entry).unwrap_or_default();
        if self.rust
            && let Some(variant) = self.variant(ty, bytes, depth)
        {
            return variant;
        }
        let members = self.members(ty)?;
        if self.rust
            && let Some(len) = self.length(&name, &members, bytes, depth)
        {
            return Some(Printed::Whole(len));
        }
        // What only wraps one value (`std::atomic<int>`) is that value.
        if !self.rust {
            let [(_, inner, 0)] = members[..] else { return None };
            let whole = self.program.size(self.unit, inner)? as usize == bytes.len();
            return whole.then(|| self.within(inner, bytes, depth + 1)).flatten();
        }
        let bare = if name.starts_with('(') { String::new() } else { bare_name(&name).to_string() };
        self.parts(bare, &members, bytes, depth)
    }

    /// The members of a struct. What cannot be told stands as `…`; a struct of which nothing can is none.
    fn parts(
        &self,
        name: String,
        members: &[(String, UnitOffset, u64)],
        bytes: &[u8],
        depth: u32,
    ) -> Option<Printed> {
        if members.is_empty() {
            return (!name.is_empty()).then_some(Printed::Whole(name));
        }
        let value =
            |(_, ty, at): &(String, UnitOffset, u64)| self.within(*ty, bytes.get(*at as usize..)?, depth + 1);
        let known: Vec<Option<Printed>> = members.iter().map(value).collect();
        if members.len() > MEMBERS || known.iter().all(Option::is_none) {
            return None;
        }
        let unknown = || Printed::Whole("…".to_string());
        let named = members.iter().zip(known);
        let parts = named.map(|((n, _, _), p)| (n.clone(), p.unwrap_or_else(unknown))).collect();
        Some(Printed::Parts(name, parts))
    }

    /// Name, type and place of each member that has a size.
    fn members(&self, ty: UnitOffset) -> Option<Vec<(String, UnitOffset, u64)>> {
        let mut tree = self.unit.entries_tree(Some(ty)).ok()?;
        let mut children = tree.root().ok()?.children();
        let mut found = Vec::new();
        while let Some(child) = children.next().ok()? {
            let entry = child.entry();
            if !matches!(entry.tag(), gimli::DW_TAG_member | gimli::DW_TAG_inheritance) {
                continue;
            }
            // A static member of a class is none; a bit-field has no bytes of its own.
            let declared = entry.attr_value(gimli::DW_AT_external).ok().flatten().is_some();
            if declared || number(entry, gimli::DW_AT_bit_size).is_some() {
                continue;
            }
            let Some(member) = type_of(entry) else { continue };
            if self.program.size(self.unit, member) == Some(0) {
                continue;
            }
            let name = self.program.name(self.unit, entry).unwrap_or_default();
            let name = name.strip_prefix("__").filter(|n| n.parse::<u32>().is_ok()).unwrap_or(&name);
            let at = number(entry, gimli::DW_AT_data_member_location).unwrap_or(0);
            found.push((name.to_string(), member, at));
        }
        Some(found)
    }

    /// Rust's collections are told by their length.
    fn length(
        &self,
        name: &str,
        members: &[(String, UnitOffset, u64)],
        bytes: &[u8],
        depth: u32,
    ) -> Option<String> {
        let collection = ["Vec<", "VecDeque<", "BinaryHeap<", "BTreeMap<", "BTreeSet<"];
        let (what, member) = match name {
            "String" => ("byte", "vec"),
            _ if name.starts_with("BinaryHeap<") => ("element", "data"),
            _ if name.starts_with("BTreeSet<") => ("element", "map"),
            _ if name.starts_with("BTreeMap<") => ("element", "length"),
            // Their tables say it, some structs deep.
            _ if ["HashMap<", "HashSet<", "RawTable<", "RawTableInner"]
                .iter()
                .any(|c| name.starts_with(c)) =>
            {
                let inner = ["base", "map", "table", "items"];
                ("element", inner.into_iter().find(|i| members.iter().any(|(n, _, _)| n == i))?)
            }
            _ if collection.iter().any(|c| name.starts_with(c)) => ("element", "len"),
            _ => return None,
        };
        let (_, ty, at) = members.iter().find(|(n, _, _)| n == member)?;
        let text = self.within(*ty, bytes.get(*at as usize..)?, depth + 1)?.to_string();
        // A collection inside has told it already: `3 elements`.
        let count = text.split(' ').next().unwrap_or_default().to_string();
        Some(format!("{count} {what}{}", if count == "1" { "" } else { "s" }))
    }

    /// A variant of Rust's enums; `None` for what is no enum.
    fn variant(&self, ty: UnitOffset, bytes: &[u8], depth: u32) -> Option<Option<Printed>> {
        let mut tree = self.unit.entries_tree(Some(ty)).ok()?;
        let mut children = tree.root().ok()?.children();
        while let Some(child) = children.next().ok()? {
            if child.entry().tag() == gimli::DW_TAG_variant_part {
                return Some(self.variant_of(child, bytes, depth));
            }
        }
        None
    }

    fn variant_of(
        &self,
        part: gimli::EntriesTreeNode<super::types::Slice>,
        bytes: &[u8],
        depth: u32,
    ) -> Option<Printed> {
        let discriminant = match part.entry().attr_value(gimli::DW_AT_discr).ok()? {
            Some(AttributeValue::UnitRef(at)) => Some(self.discriminant(at, bytes)?),
            _ => None,
        };
        let (mut children, mut other) = (part.children(), None);
        while let Some(child) = children.next().ok()? {
            if child.entry().tag() != gimli::DW_TAG_variant {
                continue;
            }
            let said = child.entry().attr_value(gimli::DW_AT_discr_value).ok()?;
            let member = child.children().next().ok()?.and_then(|m| {
                let at = number(m.entry(), gimli::DW_AT_data_member_location).unwrap_or(0);
                Some((self.program.name(self.unit, m.entry())?, type_of(m.entry())?, at))
            });
            match (said, discriminant) {
                (None, _) => other = member,
                (Some(said), Some(found)) => {
                    // As wide as the discriminant is: `-1` and 255 are one byte.
                    let said = match said {
                        AttributeValue::Sdata(n) => n as u64,
                        said => said.udata_value()?,
                    };
                    let mask = if found.1 >= 8 { u64::MAX } else { (1 << (8 * found.1)) - 1 };
                    if said & mask == found.0 & mask {
                        return self.payload(member?, bytes, depth);
                    }
                }
                (Some(_), None) => {}
            }
        }
        self.payload(other?, bytes, depth)
    }

    /// The discriminant's value and its size.
    fn discriminant(&self, member: UnitOffset, bytes: &[u8]) -> Option<(u64, usize)> {
        let entry: DebuggingInformationEntry<_, _> = self.unit.entry(member).ok()?;
        let at = number(&entry, gimli::DW_AT_data_member_location).unwrap_or(0) as usize;
        let size = self.program.size(self.unit, type_of(&entry)?)? as usize;
        let bytes = bytes.get(at..at + size).filter(|b| b.len() <= 8)?;
        Some((word(bytes), size))
    }

    fn payload(
        &self,
        (name, ty, at): (String, UnitOffset, u64),
        bytes: &[u8],
        depth: u32,
    ) -> Option<Printed> {
        let members = self.members(ty)?;
        let told = bytes.get(at as usize..).and_then(|b| self.parts(name.clone(), &members, b, depth + 1));
        Some(told.unwrap_or_else(|| Printed::Whole(format!("{name}(…)"))))
    }
}

/// `Account` of `bank::Account<i64>`.
fn bare_name(name: &str) -> &str {
    let before = name.split('<').next().unwrap_or_default();
    before.rsplit("::").next().unwrap_or_default()
}

fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    let len = bytes.len().min(8);
    word[..len].copy_from_slice(&bytes[..len]);
    u64::from_le_bytes(word)
}

fn unsigned(bytes: &[u8]) -> Option<u128> {
    let mut wide = [0; 16];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(u128::from_le_bytes(wide))
}

fn signed(bytes: &[u8]) -> Option<i128> {
    let negative = bytes.last()? & 0x80 != 0;
    let mut wide = [if negative { 0xff } else { 0 }; 16];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(i128::from_le_bytes(wide))
}

fn float(bytes: &[u8]) -> Option<String> {
    match bytes.len() {
        4 => Some(format!("{:?}", f32::from_le_bytes(bytes.try_into().ok()?))),
        8 => Some(format!("{:?}", f64::from_le_bytes(bytes.try_into().ok()?))),
        _ => None,
    }
}

fn truth(byte: u8) -> Option<String> {
    match byte {
        0 => Some("false".to_string()),
        1 => Some("true".to_string()),
        _ => None,
    }
}

/// `'a'` of what can be printed, else a number.
fn character(bytes: &[u8]) -> String {
    let code = word(bytes);
    let shown = u32::try_from(code).ok().and_then(char::from_u32).filter(|c| !c.is_control());
    match shown.filter(|c| c.is_ascii() || bytes.len() == 4) {
        Some(c) => format!("{c:?}"),
        None if bytes.len() == 1 => (bytes[0] as i8).to_string(),
        None => code.to_string(),
    }
}

/// A value of one of Rust's own types, which need no debug information.
pub fn primitive(name: &str, bytes: &[u8]) -> Option<String> {
    let size = match name {
        "bool" | "i8" | "u8" => 1,
        "i16" | "u16" => 2,
        "i32" | "u32" | "f32" | "char" => 4,
        "i64" | "u64" | "f64" | "isize" | "usize" => 8,
        "i128" | "u128" => 16,
        _ => return None,
    };
    let bytes = bytes.get(..size)?;
    match name.as_bytes()[0] {
        b'b' => truth(bytes[0]),
        b'f' => float(bytes),
        b'c' => Some(character(bytes)),
        b'i' => signed(bytes).map(|n| n.to_string()),
        _ => unsigned(bytes).map(|n| n.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_width() {
        let cases: [(&str, &[u8], &str); 9] = [
            ("i8", &[0xff], "-1"),
            ("u8", &[0xff], "255"),
            ("i16", &[0xfd, 0xff], "-3"),
            ("u32", &[0, 0, 0, 0x80], "2147483648"),
            ("i64", &[100, 0, 0, 0, 0, 0, 0, 0], "100"),
            ("i128", &[0xff; 16], "-1"),
            ("bool", &[1], "true"),
            ("char", &[0xe9, 0, 0, 0], "'é'"),
            ("f64", &0.5f64.to_le_bytes(), "0.5"),
        ];
        for (name, bytes, expected) in cases {
            assert_eq!(primitive(name, bytes).as_deref(), Some(expected), "{name}");
        }
        // What no `bool` can be, what is cut off, and what is none of these.
        assert_eq!(primitive("bool", &[2]), None);
        assert_eq!(primitive("i32", &[1, 2]), None);
        assert_eq!(primitive("alloc::string::String", &[0; 24]), None);
    }

    #[test]
    fn what_became_of_a_value() {
        let whole = |n: i32| Printed::Whole(n.to_string());
        let account = |balance, open: &str| {
            let parts = vec![
                ("balance".to_string(), whole(balance)),
                ("open".to_string(), Printed::Whole(open.to_string())),
            ];
            Printed::Parts("Account".to_string(), parts)
        };
        let some = |n| Printed::Parts("Some".to_string(), vec![("0".to_string(), whole(n))]);
        assert_eq!(whole(100).change(&whole(50)), "100 → 50");
        assert_eq!(account(1, "true").change(&account(2, "true")), "{ balance: 1 → 2 }");
        assert_eq!(some(1).change(&some(2)), "Some(1) → Some(2)");
        assert_eq!(Printed::Whole("None".to_string()).change(&some(2)), "None → Some(2)");
        assert_eq!(account(1, "true").to_string(), "Account { balance: 1, open: true }");
    }
}
