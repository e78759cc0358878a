//! An object of C++ whose virtual functions are used while another thread constructs or destroys it.

use super::Kind;
use crate::explain::case::{Case, number, operation};
use crate::explain::sentence::Speaker;
use crate::report::vtables::is_word;
use raddle_protocol::explanation::{Mistake, Operation};
use raddle_schedule::OpKind;

/// A virtual call that meets the constructor or the destructor: as a race on the object's virtual table, or as a call of what is pure.
pub struct PartlyAlive;

impl Kind for PartlyAlive {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        let (uses, makes) = race(case).or_else(|| pure(case))?;
        let text = match &makes {
            Some(makes) => format!(
                "{} uses the object{} {}, which sets its virtual table{}, and nothing orders the two: {}",
                uses.thread,
                speaker.at(&uses),
                during(makes),
                speaker.at(makes),
                remedy(makes)
            ),
            None => format!(
                "{} calls a virtual function of an object{} of which only a base is alive: its derived class is not constructed \
                 yet, or destroyed already.",
                uses.thread,
                speaker.at(&uses)
            ),
        };
        let objects = vec![uses.object.clone()];
        Some(Mistake { kind: "object lifetime".into(), text, section: None, objects })
    }
}

/// The thread that makes a virtual call in a race with one that sets the table.
fn race(case: &Case) -> Option<(Operation, Option<Operation>)> {
    let [first, second] = &case.ends.race[..] else { return None };
    if ![first, second].iter().all(|side| is_word(&side.object)) {
        return None;
    }
    let uses = [first, second].into_iter().find(|side| side.operation == "read").unwrap_or(second);
    let makes = if std::ptr::eq(uses, first) { second } else { first };
    Some((uses.clone(), Some(makes.clone())))
}

/// The thread that ended in a pure virtual function, and the last of the others that has set the table it called by.
fn pure(case: &Case) -> Option<(Operation, Option<Operation>)> {
    let events = &case.scene.events;
    let thread = case.thread.filter(|_| case.ends.is_pure_call)?;
    let calls = events.iter().rposition(|e| e.thread == thread && e.kind == OpKind::Read && is_word(&e.object))?;
    let sets = events[..calls].iter().rposition(|e| e.kind == OpKind::Write && e.object == events[calls].object);
    let sets = sets.map(|at| operation(case.scene, at)).filter(|op| number(&op.thread) != Some(thread));
    Some((operation(case.scene, calls), sets))
}

fn destroys(makes: &Operation) -> bool {
    makes.method.contains('~')
}

fn during(makes: &Operation) -> String {
    let what = if destroys(makes) { "destroys" } else { "constructs" };
    let within = if makes.method.is_empty() { String::new() } else { format!(" in {}", makes.method) };
    format!("while {} {what} it{within}", makes.thread)
}

fn remedy(makes: &Operation) -> &'static str {
    match destroys(makes) {
        true => "the thread must be through with the object before the most derived destructor begins; a lock inside does not help.",
        false => "give the object to another thread once its most derived constructor has ended; a lock inside does not help.",
    }
}
