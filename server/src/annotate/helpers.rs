//! Helpers: functions of the user's that do one thing for several callers, as `Bank::lock` does. What they do is shown at the
//! line that calls them.

use super::annotated_trace::{AnnotatedOp, Call};
use crate::target::Place;
use raddle_protocol::explanation::Operation;
use raddle_protocol::report::Location;
use std::collections::{BTreeMap, BTreeSet};

/// The helpers of one execution: their names, by their only line that does anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Helpers(BTreeMap<(String, u32), String>);

/// What one function does in an execution.
#[derive(Default)]
struct Use {
    /// Its lines that do something.
    lines: BTreeSet<(String, u32)>,
    /// The lines that call it, by thread.
    callers: BTreeMap<u8, BTreeSet<(String, u32)>>,
    /// It was entered from outside of the user's code, or began a thread.
    is_entry: bool,
}

fn line(place: &Place) -> (String, u32) {
    (place.file.clone(), place.line)
}

impl Helpers {
    /// Finds them. A function that is all that a thread runs is none, whatever line the thread was spawned on.
    pub fn of(events: &[AnnotatedOp], is_named_after: impl Fn(u8, &str) -> bool) -> Helpers {
        let mut uses: BTreeMap<(&str, &str), Use> = BTreeMap::new();
        for e in events {
            let Some(own) = e.calls.first() else { continue };
            let of = uses.entry((&own.place.file, &own.function)).or_default();
            of.lines.insert(line(&own.place));
            match e.calls.get(1) {
                Some(caller) if !caller.in_library && caller.function != own.function => {
                    of.callers.entry(e.thread).or_default().insert(line(&caller.place));
                    let is_outermost = e.calls.len() == 2 && e.thread != 0;
                    let has_name = is_named_after(e.thread, &caller.function);
                    of.is_entry |= is_outermost && !has_name && of.callers[&e.thread].len() < 2;
                }
                _ => of.is_entry = true,
            }
        }
        let is_helper = |of: &Use| {
            let several = |callers: &BTreeSet<(String, u32)>| callers.len() > 1;
            let all: BTreeSet<_> = of.callers.values().flatten().collect();
            let in_one_thread = of.callers.values().any(several);
            of.lines.len() == 1 && all.len() > 1 && (in_one_thread || !of.is_entry)
        };
        let helpers = uses.into_iter().filter(|(_, of)| is_helper(of));
        let named = |((_, name), of): ((&str, &str), Use)| {
            let name = name.to_string();
            of.lines.into_iter().map(move |line| (line, name.clone()))
        };
        Helpers(helpers.flat_map(named).collect())
    }

    /// The helper whose line this is.
    pub fn name(&self, file: &str, line: u32) -> Option<&str> {
        // Few executions have any.
        let found = || self.0.get(&(file.to_string(), line)).map(String::as_str);
        if self.0.is_empty() { None } else { found() }
    }

    fn has(&self, file: &str, line: u32) -> bool {
        self.name(file, line).is_some()
    }

    /// Of calls, innermost first, that begin with a helper: that, and its caller.
    pub fn split<'a>(&self, calls: &'a [Call]) -> Option<(&'a Call, &'a Call)> {
        let [helper, caller, ..] = calls else { return None };
        self.has(&helper.place.file, helper.place.line).then_some((helper, caller))
    }

    /// Where an operation is shown.
    pub fn place(&self, e: &AnnotatedOp) -> Option<Place> {
        let is_own = |helper: &Call| e.place.as_ref().is_some_and(|p| line(p) == line(&helper.place));
        let caller = self.split(&e.calls).filter(|(helper, _)| is_own(helper));
        caller.map(|(_, caller)| caller.place.clone()).or_else(|| e.place.clone())
    }

    /// The same of an operation as programs get it, and the calls that led there.
    pub fn location<'a>(&self, op: &'a Operation) -> (Option<&'a Location>, &'a [Location]) {
        match (&op.location, &op.called_on[..]) {
            (Some(own), [caller, rest @ ..]) if self.has(&own.file, own.line) => (Some(caller), rest),
            (own, calls) => (own.as_ref(), calls),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schedule::OpKind;
    use std::rc::Rc;

    /// An operation in `lock` on line 5, called from this line of this function.
    fn locks(thread: u8, function: &str, from: u32) -> AnnotatedOp {
        let place = |line| Place { file: "a.rs".into(), line, column: 1 };
        let call = |function: &str, line| Call {
            function: function.into(),
            place: place(line),
            in_library: false,
            loops: Rc::default(),
        };
        let calls = Rc::new([call("Bank::lock", 5), call(function, from)]);
        AnnotatedOp { place: Some(place(5)), calls, ..AnnotatedOp::sample(thread, OpKind::Lock, "m", 5) }
    }

    #[test]
    fn what_several_lines_call_is_shown_there() {
        let events = [locks(1, "transfer", 31), locks(1, "transfer", 32), locks(0, "total", 48)];
        let helpers = Helpers::of(&events, |_, _| false);
        assert_eq!(events.each_ref().map(|e| helpers.place(e).unwrap().line), [31, 32, 48]);
    }

    #[test]
    fn what_a_thread_runs_is_no_helper() {
        // Two closures run it, each on its own line.
        let spawned = [locks(1, "test", 8), locks(2, "test", 9)];
        assert_eq!(Helpers::of(&spawned, |_, _| false), Helpers::default());
        // Two functions with names that threads begin with call it.
        let called = [locks(1, "pays", 8), locks(2, "draws", 19)];
        assert_ne!(Helpers::of(&called, |_, _| true), Helpers::default());
        let with_more = [locks(1, "transfer", 31), locks(1, "transfer", 32), {
            let mut other = locks(1, "transfer", 32);
            let calls: Vec<Call> = other.calls.iter().cloned().collect();
            let mut own = calls[0].clone();
            own.place.line = 6;
            other.calls = Rc::new([own, calls[1].clone()]);
            other
        }];
        assert_eq!(Helpers::of(&with_more, |_, _| false), Helpers::default());
    }
}
