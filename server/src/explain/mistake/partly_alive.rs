//! An object of C++ whose virtual functions are used while another thread constructs or destroys it.

use super::Kind;
use crate::annotate::vtables::is_word;
use crate::explain::case::{Case, number, operation};
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::{Mistake, Operation};
use raddle_schedule::OpKind;

/// A virtual call that meets the constructor or the destructor: as a race on the object's virtual table, or as a call of what is pure.
pub struct PartlyAlive;

impl Kind for PartlyAlive {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        let (uses, makes) = race(case).or_else(|| pure(case))?;
        let text = match &makes {
            Some(makes) => format!(
                "{} uses the object{} while {}, and nothing orders the two: {}",
                uses.thread,
                speaker.at(&uses),
                during(case, speaker, makes),
                remedy(case, makes)
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
    let calls =
        events.iter().rposition(|e| e.thread == thread && e.kind == OpKind::Read && is_word(&e.object))?;
    let sets =
        events[..calls].iter().rposition(|e| e.kind == OpKind::Write && e.object == events[calls].object);
    let sets = sets.map(|at| operation(case.scene, at)).filter(|op| number(&op.thread) != Some(thread));
    // A constructor that goes on comes to the derived class later.
    let uses = operation(case.scene, calls);
    let later = || {
        let is = |(read, write): &(&Operation, &Operation)| {
            read.event == Some(calls) && write.operation == "write" && write.object == uses.object
        };
        case.orders().find(is).map(|(_, write)| write.clone())
    };
    let sets = sets.or_else(later);
    Some((uses, sets))
}

/// The function that the compiler made or the program wrote, as the debug information has it.
fn function(case: &Case, makes: &Operation) -> String {
    let called = case.calls(makes).first().map(|call| call.function.clone());
    called.filter(|name| !name.is_empty()).unwrap_or_else(|| makes.method.clone())
}

/// The first of what it set the table to is not the last: a destructor has gone back from a class to its base, wherever that was.
fn goes_back(case: &Case, makes: &Operation) -> bool {
    case.shown(makes).and_then(|e| e.told.shown.as_ref()).is_some_and(|shown| shown.contains(" … "))
}

fn destroys(case: &Case, makes: &Operation) -> bool {
    goes_back(case, makes) || function(case, makes).contains('~')
}

fn during(case: &Case, speaker: &Speaker, makes: &Operation) -> String {
    let what = if destroys(case, makes) { "destroys" } else { "constructs" };
    let (thread, function) = (&makes.thread, function(case, makes));
    match (goes_back(case, makes) || function.is_empty(), makes.event) {
        (true, _) => format!("{thread} {what} it"),
        (false, None) => format!("{thread} still {what} it{}", speaker.at(makes)),
        (false, Some(_)) => format!("{thread} {what} it in {function}{}", speaker.at(makes)),
    }
}

fn remedy(case: &Case, makes: &Operation) -> &'static str {
    match destroys(case, makes) {
        true => {
            "the thread must be through with the object before the most derived destructor begins; a lock inside does not help."
        }
        false => {
            "give the object to another thread once its most derived constructor has ended; a lock inside does not help."
        }
    }
}
