//! The focus: which methods and variables a person wants to see at work first. Whoever knows the
//! program's names implements [`Selection`]; the engine asks it about operations, never about
//! names. A focus orders executions and leaves none out.

use raddle_schedule::{Event, OpKind};

/// What a thread does, or is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    /// What it is done to: an address, or a thread number.
    pub object: u64,
    /// Where, as an index into the channel's site table; 0 is unknown.
    pub site: u32,
    /// The innermost method, as an index into the channel's method table; 0 is none.
    pub method: u16,
    /// What is done.
    pub kind: OpKind,
}

impl Operation {
    /// Nothing that is known.
    pub const UNKNOWN: Operation = Operation { object: 0, site: 0, method: 0, kind: OpKind::Pending };
}

impl From<&Event> for Operation {
    fn from(e: &Event) -> Self {
        let kind = match e.kind() {
            OpKind::Pending => OpKind::from_u8(e.value as u8).unwrap_or(OpKind::Pending),
            kind => kind,
        };
        Operation { object: e.object(), site: e.site, method: e.method, kind }
    }
}

/// What is selected. A function of its arguments: the same operation has the same answer until
/// the next [`crate::Search::refocus`], or the search would not be the same every time.
pub trait Selection {
    /// Is the method with this number selected?
    fn method(&self, number: u16) -> bool;

    /// Does this operation work on a selected variable?
    fn variable(&self, operation: &Operation) -> bool;
}

/// Nothing is selected.
pub struct Nothing;

impl Selection for Nothing {
    fn method(&self, _: u16) -> bool {
        false
    }

    fn variable(&self, _: &Operation) -> bool {
        false
    }
}
