//! Where an object of C++ keeps which virtual functions it has. Constructors and destructors write that word, and no expression of the
//! source names it.

use crate::symbols::Symbols;
use raddle_schedule::{OpKind, Trace};
use std::collections::BTreeSet;

/// How it is told where the object has no name.
const UNNAMED: &str = "the object's virtual table";
/// How it is told with the object's name.
const NAMED: &str = "the virtual table of ";
/// How compilers name the word within an object.
const MEMBER: &str = "_vptr";

/// Is this what such a word is told as?
pub fn is_word(name: &str) -> bool {
    name.starts_with(UNNAMED) || name.starts_with(NAMED)
}

/// Is it a class of the program's, and none of the library's own?
fn is_own(class: &str) -> bool {
    !class.starts_with("std::") && !class.starts_with("__")
}

/// The words of an execution: what held the address of a virtual table when it was read or written.
pub fn words(trace: &Trace, symbols: &Symbols) -> BTreeSet<u64> {
    let held = trace.memory.held.iter().filter_map(|held| {
        let value = u64::from_le_bytes(held.bytes.as_slice().try_into().ok()?);
        let e = trace.events.get(held.event as usize)?;
        let is_plain = matches!(e.kind(), OpKind::Read | OpKind::Write);
        (is_plain && is_own(&symbols.virtual_table(value)?)).then_some(e.object())
    });
    held.collect()
}

/// What the word at this address is told as.
pub fn name(address: u64, symbols: &Symbols) -> String {
    let path = symbols.variable(address, 8);
    let object = path.as_deref().map(|path| path.split(MEMBER).next().unwrap_or(path).trim_end_matches('.'));
    match object.filter(|o| !o.is_empty()) {
        Some(object) => format!("{NAMED}{object}"),
        None => UNNAMED.to_string(),
    }
}
