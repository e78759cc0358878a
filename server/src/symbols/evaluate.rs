//! What an expression of C was worth in a frame that was recorded: where its variable lay by the debug information, and
//! on along fields, elements and pointers through the memory that was recorded with it.
//!
//! Of optimised code the debug information may be wrong: gcc at `-O2` tells the value of another round of a loop, and what
//! is stored before a call that does not return may not be stored at all. So a stack is only believed of functions compiled
//! without optimisation (gcc says it); elsewhere only memory is that the program was seen to access, which therefore
//! others may access too.

use super::data::Data;
use super::expression::{Step, parse};
use super::scope::Declared;
use super::typed::Type;
use super::types::{Leaf, Slice, Unit, type_of};
use gimli::{AttributeValue, EvaluationResult, Expression, Location, Piece, Reader, UnitOffset};

/// Expressions in brackets in expressions in brackets.
const DEPTH: u32 = 3;

/// Reads memory that was recorded.
pub type Read<'a> = dyn Fn(u64, u64) -> Option<Vec<u8>> + 'a;

/// A frame of a thread.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    /// The call that it is in the middle of, as an address in the object file.
    pub code: u64,
    /// How far everything of that file was moved.
    pub moved: u64,
    /// Where the frame began: the stack pointer of its caller.
    pub base: u64,
    /// What memory held that was accessed. Pointers and indices on the way are read like the value.
    pub read: &'a Read<'a>,
    /// What the thread's stack held.
    pub stack: &'a Read<'a>,
}

/// What an expression is worth.
#[derive(Clone, Debug)]
pub struct Worth {
    /// Its type.
    pub of: Type,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Data {
    /// What an expression is worth in a frame.
    pub fn worth(&self, expression: &str, frame: &Frame) -> Option<Worth> {
        self.within(expression, frame, 0)
    }

    fn within(&self, expression: &str, frame: &Frame, depth: u32) -> Option<Worth> {
        let (name, steps) = parse(expression)?;
        let (number, mut ty, mut at) = self.variable_at(&name, frame)?;
        let unit = self.program.units.get(number)?;
        let exact = self.is_exact(self.program.units.get(self.unit_of(frame.code)?)?);
        let read =
            |at, size| exact.then(|| (frame.stack)(at, size)).flatten().or_else(|| (frame.read)(at, size));
        for step in &steps {
            let bare = self.program.bare(unit, ty)?;
            let entry = unit.entry(bare).ok()?;
            let points = entry.tag() == gimli::DW_TAG_pointer_type;
            if points && matches!(step, Step::Follow | Step::Element(_)) {
                at = u64::from_le_bytes(read(at, 8)?.try_into().ok()?);
            }
            match step {
                Step::Follow if points => ty = type_of(&entry)?,
                Step::Element(index) if points || entry.tag() == gimli::DW_TAG_array_type => {
                    ty = type_of(&entry)?;
                    let index = self.index(index, frame, depth)?;
                    at = at.checked_add(index.checked_mul(self.program.size(unit, ty)?)?)?;
                }
                Step::Member(name) => {
                    let (member, begins) = self.field(unit, bare, name)?;
                    (ty, at) = (member, at.checked_add(begins)?);
                }
                _ => return None,
            }
        }
        let bytes = read(at, self.program.size(unit, ty)?)?;
        Some(Worth { of: Type { unit: number, leaf: Leaf::Whole(ty) }, bytes })
    }

    /// Was it compiled by gcc, which says how, without optimisation?
    fn is_exact(&self, unit: &Unit) -> bool {
        let producer = || {
            let mut entries = unit.entries();
            let (_, root) = entries.next_dfs().ok()??;
            let said = root.attr_value(gimli::DW_AT_producer).ok()??;
            Some(self.program.dwarf.attr_string(unit, said).ok()?.to_string_lossy().ok()?.into_owned())
        };
        is_exact(&producer().unwrap_or_default())
    }

    /// The number in brackets: said, or a variable's. What computes more is not known.
    fn index(&self, text: &str, frame: &Frame, depth: u32) -> Option<u64> {
        if let Ok(number) = text.parse() {
            return Some(number);
        }
        let worth = (depth < DEPTH).then(|| self.within(text, frame, depth + 1)).flatten()?;
        let text = self.print(worth.of, &worth.bytes, &|_, _| None)?.to_string();
        text.parse().ok()
    }

    /// Unit, type and place of what a name means in a frame.
    fn variable_at(&self, name: &str, frame: &Frame) -> Option<(usize, UnitOffset, u64)> {
        let number = self.unit_of(frame.code)?;
        let unit = &self.program.units[number];
        if let Some(declared) = self.local(unit, frame.code, name) {
            return Some((number, declared.ty, self.place(unit, declared, frame)?));
        }
        let v = self.fixed(number, name).filter(|v| v.start == 0)?;
        Some((v.unit, v.ty, v.address + frame.moved))
    }

    /// Where a variable lies all the time.
    fn place(&self, unit: &Unit, declared: Declared, frame: &Frame) -> Option<u64> {
        let expression =
            |of: UnitOffset, attribute| match unit.entry(of).ok()?.attr_value(attribute).ok()?? {
                AttributeValue::Exprloc(expression) => Some(expression),
                _ => None,
            };
        let what = expression(declared.declaration, gimli::DW_AT_location)?;
        let base =
            || evaluate(unit, expression(declared.function, gimli::DW_AT_frame_base)?, frame, &|| None);
        evaluate(unit, what, frame, &base)
    }
}

/// Does gcc say that it did not optimise? Its last option counts.
fn is_exact(producer: &str) -> bool {
    let level = producer.split(' ').rfind(|w| w.starts_with("-O"));
    producer.starts_with("GNU ") && level.is_none_or(|l| l == "-O0")
}

/// The place that an expression of the debug information leads to.
fn evaluate(
    unit: &Unit,
    what: Expression<Slice>,
    frame: &Frame,
    base: &dyn Fn() -> Option<u64>,
) -> Option<u64> {
    let mut evaluation = what.evaluation(unit.encoding());
    let mut state = evaluation.evaluate().ok()?;
    loop {
        state = match state {
            EvaluationResult::Complete => break,
            EvaluationResult::RequiresFrameBase => evaluation.resume_with_frame_base(base()?).ok()?,
            EvaluationResult::RequiresCallFrameCfa => {
                evaluation.resume_with_call_frame_cfa(frame.base).ok()?
            }
            EvaluationResult::RequiresRelocatedAddress(address) => {
                evaluation.resume_with_relocated_address(address + frame.moved).ok()?
            }
            _ => return None,
        };
    }
    match &evaluation.result()[..] {
        [Piece { location: Location::Address { address }, .. }] => Some(*address),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::is_exact;

    #[test]
    fn what_gcc_says_of_itself() {
        assert!(is_exact("GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -fsanitize=thread"));
        assert!(is_exact("GNU C17 12.2.0 -O1 -g -O0"));
        assert!(!is_exact("GNU C17 12.2.0 -mtune=generic -O1 -g"));
        assert!(!is_exact("GNU C17 12.2.0 -O0 -Og"));
        assert!(!is_exact("clang version 14.0.6"));
    }
}
