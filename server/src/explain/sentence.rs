//! Operations in the words of a sentence: `stores counter (:17)`.

use super::case::Case;
use super::occurrence::passage;
use crate::annotate::annotated_trace::AnnotatedOp;
use crate::annotate::values::Told;
use raddle_protocol::explanation::{Choice, Deciding, Operation, Order};
use raddle_protocol::report::Location;
use raddle_schedule::OpKind;
use raddle_schedule::memory::Meaning;
use std::collections::BTreeMap;

/// How the verb of an operation goes: `locks`, `locking`, and the word before its object.
type Verb = (&'static str, &'static str, &'static str);

/// What an operation is that a read-write lock, or what runs once, consists of.
fn larger(told: &Told, operation: &str) -> Option<Verb> {
    Some(match told.meaning {
        Some(Meaning::ReadLocks) => ("read-locks", "read-locking", ""),
        Some(Meaning::WriteLocks) => ("write-locks", "write-locking", ""),
        Some(Meaning::ReadUnlocks) => ("read-unlocks", "read-unlocking", ""),
        Some(Meaning::WriteUnlocks) => ("write-unlocks", "write-unlocking", ""),
        Some(Meaning::Downgrades) => ("keeps", "keeping", "reading "),
        Some(Meaning::Runs) => ("begins", "beginning", "to run "),
        Some(Meaning::Completes | Meaning::Poisons) => ("ends", "ending", "the run of "),
        Some(Meaning::FindsDone) => ("finds", "finding", "done "),
        // In an order that is turned around it may have the lock: what it asked for is true of both.
        Some(Meaning::BeginsToWait) => ("asks", "asking", "to write-lock "),
        Some(Meaning::StopsWaiting) => ("ceases", "ceasing", "to wait for "),
        Some(Meaning::CannotRead) => ("asks", "asking", "to read-lock "),
        Some(Meaning::CannotWrite) => ("asks", "asking", "to write-lock "),
        Some(Meaning::PoisonsLock) => ("poisons", "poisoning", ""),
        Some(Meaning::KeepsPoison) => ("unlocks", "unlocking", ""),
        Some(Meaning::AsksForPoison) => ("looks", "looking", "at the poison of "),
        Some(Meaning::ClearsPoison) => ("clears", "clearing", "the poison of "),
        Some(Meaning::WaitsToRead) => ("asks to read-lock", "asking to read-lock", ""),
        Some(Meaning::WaitsToWrite) => ("asks to write-lock", "asking to write-lock", ""),
        None if told.wants == Some(OpKind::ReadLock) => ("read-locks", "read-locking", ""),
        None if told.wants == Some(OpKind::WriteLock) => ("write-locks", "write-locking", ""),
        None if told.wants.is_some() => ("locks", "locking", ""),
        None if told.part && operation == "load" => ("looks", "looking", "at "),
        None if told.part && operation == "rmw" => ("updates", "updating", "the state of "),
        None => return None,
    })
}

/// Does it work on what libraries synchronise by inside, and not on memory that the program may see as well?
fn is_synchronisation(operation: &str) -> bool {
    matches!(operation, "load" | "store" | "rmw" | "lock" | "try_lock" | "unlock")
}

/// Says operations of one execution; lines of the file that most of them are in go without its name.
pub struct Speaker<'a> {
    case: &'a Case<'a>,
    file: String,
}

impl<'a> Speaker<'a> {
    /// For this execution.
    pub fn new(case: &'a Case<'a>) -> Self {
        let mut files: BTreeMap<&str, usize> = BTreeMap::new();
        let operations = case.orders().flat_map(|(a, b)| [a, b]).chain(&case.ends.race);
        let places = operations.filter_map(|o| o.location.as_ref()).chain(case.failed);
        // A line without a file is one of the program's own.
        let places = places.filter(|l| raddle_schedule::dependency::of(&l.file).is_none());
        places.for_each(|l| *files.entry(&l.file).or_default() += 1);
        // The name decides between equal ones, so that it is the same every time.
        let most = files.into_iter().max_by_key(|(file, n)| (*n, std::cmp::Reverse(*file)));
        Speaker { case, file: most.map(|(file, _)| file.to_string()).unwrap_or_default() }
    }

    /// The file whose lines go without a name.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// `:17`, `queue.c:17`.
    pub fn line(&self, l: &Location) -> String {
        let name = self.case.scene.names.name(&l.file);
        if l.file == self.file { format!(":{}", l.line) } else { format!("{name}:{}", l.line) }
    }

    /// ` (:17)`; where another deciding operation stands on the same line and was called from elsewhere, also
    /// the line of the call, which tells people which one it is; and where its thread is there more than once, which time.
    pub fn at(&self, op: &Operation) -> String {
        let (Some(location), calls) = self.case.scene.helpers.location(op) else { return String::new() };
        let call = calls.first().filter(|_| self.is_unclear(op));
        let call = call.map(|call| format!(", called at {}", self.line(call))).unwrap_or_default();
        let passage = passage(self.case, op).map(|passage| format!(", {passage}")).unwrap_or_default();
        format!(" ({}{call}{passage})", self.line(location))
    }

    fn is_unclear(&self, op: &Operation) -> bool {
        let own = self.case.scene.helpers.location(op);
        let mut all = self.case.orders().flat_map(|(a, b)| [a, b]);
        all.any(|other| {
            let other = self.case.scene.helpers.location(other);
            other.0 == own.0 && other.1 != own.1
        })
    }

    /// `stores counter (:17)`.
    pub fn does(&self, op: &Operation) -> String {
        self.says(op, &op.object, true)
    }

    /// `stores it (:17)`, where what it does that to was named just before.
    pub fn does_to_it(&self, op: &Operation) -> String {
        self.says(op, if op.object.is_empty() { "" } else { "it" }, true)
    }

    /// `storing counter = 1 (:17)`.
    pub fn doing(&self, op: &Operation) -> String {
        self.says(op, &with_value(op), false)
    }

    /// `stores counter = 1 (:17)`.
    pub fn does_with_value(&self, op: &Operation) -> String {
        self.says(op, &with_value(op), true)
    }

    fn says(&self, op: &Operation, object: &str, present: bool) -> String {
        let call = self.case.shown(op).and_then(|shown| shown.told.call.clone());
        if let Some((says, call)) = call.as_ref().and_then(|call| Some((call.says.as_ref()?, call))) {
            let verb = if present { says.does } else { says.doing };
            return format!("{verb} {}{}", call.on, self.at(op));
        }
        // Memory that belongs to no variable of the program's has no name there.
        let object = match &call {
            Some(call) if object.starts_with("memory ") && call.on.is_empty() => "memory",
            Some(call) if object.starts_with("memory ") => &format!("memory of {}", call.on),
            _ => object,
        };
        let within = call.map(|call| format!(" in {}", call.function)).unwrap_or_default();
        let (does, doing, before) = self.verb(op);
        let verb = if present { does } else { doing };
        let again = if op.operation == "wake" && before.is_empty() { " again" } else { "" };
        let object = if object.is_empty() { String::new() } else { format!(" {before}{object}") };
        format!("{verb}{object}{again}{within}{}", self.at(op))
    }

    fn verb(&self, op: &Operation) -> Verb {
        let as_shown = self.case.shown(op).filter(|s| s.kind.name() == op.operation);
        if let Some(verb) = as_shown.and_then(|s| larger(&s.told, &op.operation)) {
            return verb;
        }
        match op.operation.as_str() {
            "start" => ("starts", "starting", ""),
            "spawn" => ("spawns", "spawning", ""),
            "join" => ("joins", "joining", ""),
            "exit" => ("ends", "ending", ""),
            "lock" => ("locks", "locking", ""),
            "read-lock" => ("read-locks", "read-locking", ""),
            "write-lock" => ("write-locks", "write-locking", ""),
            "try_read-lock" => ("tries to read-lock", "trying to read-lock", ""),
            "try_write-lock" => ("tries to write-lock", "trying to write-lock", ""),
            "read-unlock" => ("read-unlocks", "read-unlocking", ""),
            "write-unlock" => ("write-unlocks", "write-unlocking", ""),
            "barrier" => ("arrives", "arriving", "at "),
            "try_lock" => ("tries to lock", "trying to lock", ""),
            "unlock" => ("unlocks", "unlocking", ""),
            "wait" if self.case.shown(op).is_some_and(|s| s.other == op.object && s.object != op.object) => {
                ("unlocks", "unlocking", "")
            }
            "wait" => ("waits", "waiting", "on "),
            // After a wait it takes the lock again.
            "wake" if self.case.shown(op).is_none_or(|s| s.other == op.object) => ("locks", "locking", ""),
            "wake" => ("wakes up", "waking up", "on "),
            "timeout"
                if self.case.shown(op).is_some_and(|s| s.other == op.object && s.object != op.object) =>
            {
                ("locks", "locking", "")
            }
            "timeout" => ("times out", "timing out", "waiting for "),
            "notify one" | "notify all" => ("notifies", "notifying", ""),
            "sem wait" => ("takes", "taking", ""),
            "sem try_wait" => ("tries to take", "trying to take", ""),
            "sem post" => ("posts", "posting", ""),
            "load" => ("loads", "loading", ""),
            "store" => ("stores", "storing", ""),
            "rmw" => ("updates", "updating", ""),
            "read" => ("reads", "reading", ""),
            "write" => ("writes", "writing", ""),
            "free" => ("frees", "freeing", ""),
            "park" => ("parks", "parking", ""),
            "unpark" => ("unparks", "unparking", ""),
            "yield" => ("yields", "yielding", ""),
            "sleep" => ("sleeps", "sleeping", ""),
            "futex wait" => ("waits", "waiting", "on "),
            "futex wake" => ("wakes", "waking", "waiters of "),
            _ => ("comes", "coming", "to "),
        }
    }

    /// `The test can pass if T2 stores counter (:17) before T1 loads it (:16).` It did so in an execution; others
    /// with that order may fail in another way. Where that one races, it says so.
    pub fn passes(&self, decides: &Deciding) -> Option<String> {
        let otherwise = self.otherwise(decides)?;
        let but = match &decides.but_races[..] {
            [] => String::new(),
            [object] => format!(" (but for the race on {object})"),
            [first, rest @ ..] => format!(" (but for races, on {first} and {} more)", rest.len()),
        };
        Some(format!("The test can pass{but} {otherwise}."))
    }

    fn otherwise(&self, decides: &Deciding) -> Option<String> {
        if let Some(order) = &decides.order {
            return Some(format!("if {}", self.turned(order)));
        }
        let choice = decides.choice.as_ref()?;
        Some(match self.chosen(choice) {
            Some(otherwise) => format!("if {otherwise}"),
            // Where the search for it was stopped, what would have passed is not known.
            None if choice.instead.is_empty() => return None,
            None => format!(
                "with {} instead of {} where {} {}",
                choice.instead,
                choice.chosen,
                choice.at.thread,
                self.does(&choice.at)
            ),
        })
    }

    /// `T2 stores counter (:17) before T1 loads it (:16)`: an order turned around.
    pub fn turned(&self, order: &Order) -> String {
        let (then, first) = (&order.then, &order.first);
        let same = then.object == first.object;
        let first_does = || if same { self.does_to_it(first) } else { self.does(first) };
        let first_does = self.calls(first).unwrap_or_else(first_does);
        let then_does = self.calls(then).unwrap_or_else(|| self.does(then));
        format!("{} {then_does} before {} {first_does}", then.thread, first.thread)
    }

    /// `calls Receiver::drop (:6)` of what a library does to synchronise, where all of the call is one step: how it does that is
    /// not the program's.
    fn calls(&self, op: &Operation) -> Option<String> {
        let shown = self.case.shown(op).filter(|_| is_synchronisation(&op.operation))?;
        let call = shown.told.call.as_ref().filter(|call| call.says.is_none())?;
        let is_of_it = |e: &&AnnotatedOp| {
            let same = e.told.call.as_ref().is_some_and(|other| other.function == call.function);
            same && e.thread == shown.thread && e.place == shown.place
        };
        let steps = self.case.scene.events.iter().filter(is_of_it).filter(|e| e.step.is_some()).count();
        (steps == 1).then(|| format!("calls {}{}", call.function, self.at(op)))
    }

    /// `T1's notify (:9) wakes T3 instead of T2`: a choice made otherwise.
    pub fn chosen(&self, choice: &Choice) -> Option<String> {
        let (at, thread) = (self.at(&choice.at), &choice.at.thread);
        match choice.chosen.as_str() {
            "spurious" => return Some(format!("{thread}'s wait{at} does not end by itself")),
            "timeout" if choice.at.object.is_empty() => {
                return Some(format!("{thread}'s wait{at} does not time out"));
            }
            "timeout" => {
                return Some(format!("{thread}'s wait for {}{at} does not time out", choice.at.object));
            }
            "fail" => return Some(format!("{thread}'s compare-exchange{at} does not fail by itself")),
            _ => {}
        }
        match (choice.chosen.split_at_checked(1)?, choice.instead.split_at_checked(1)?) {
            (("w", woken), ("w", rather)) => {
                Some(format!("{thread}'s notify{at} wakes T{rather} instead of T{woken}"))
            }
            (("i", _), ("i", _)) if !choice.at.object.is_empty() => {
                let value = choice.at.value.as_deref()?;
                Some(format!("{}{at} gives another value than {value}", choice.at.object))
            }
            (("i", input), ("i", rather)) => Some(format!("the input{at} is {rather} instead of {input}")),
            _ => None,
        }
    }
}

/// `counter = 1`, `accounts[0]: 100 → 50`.
fn with_value(op: &Operation) -> String {
    match &op.value {
        Some(value) if value.contains('→') => format!("{}: {value}", op.object),
        Some(value) => format!("{} = {value}", op.object),
        None => op.object.clone(),
    }
}
