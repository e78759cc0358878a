//! Both sides of a data race: what each did to which value, with which locks, and how it came there.

use super::annotated_trace::{AnnotatedOp, AnnotatedTrace, Call, Places};
use super::held::held_before;
use super::location;
use super::names::Names;
use super::words;
use crate::target::Place;
use raddle_engine::Access;
use raddle_protocol::report;
use raddle_schedule::{OpKind, Trace};

/// Callers that are told.
const CALLERS: usize = 3;

/// One side.
pub struct Side {
    access: Access,
    object: String,
    /// Its operation in the scene, where it is found there.
    shown: Option<AnnotatedOp>,
    place: Option<Place>,
    locks: Option<Vec<String>>,
}

impl Side {
    /// Of an access in an execution that was recorded in detail. There it may have another number than in
    /// the search, which records no more than it needs.
    pub fn new(
        access: &Access,
        trace: &Trace,
        scene: &AnnotatedTrace,
        places: &Places,
        names: &mut Names,
    ) -> Side {
        let same = |e: &AnnotatedOp| access.is_event(&trace.events[e.index]);
        let found = scene.events.iter().enumerate().filter(|(_, e)| same(e));
        let nearest = found.min_by_key(|(_, e)| e.index.abs_diff(access.event as usize));
        Side {
            access: *access,
            object: names.object(access.kind, access.object),
            shown: nearest.map(|(_, e)| e.clone()),
            place: nearest.and_then(|(_, e)| e.place.clone()).or_else(|| places.site(access.site)),
            locks: nearest.map(|(at, e)| held_before(scene, at, e.thread)),
        }
    }

    /// Where.
    pub fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }

    /// In lines: the access, then how it came there.
    pub fn told(&self) -> Vec<(String, Option<Place>)> {
        let does = match &self.shown {
            Some(shown) => words::operation(shown),
            None => format!("{} of {}", access(&self.access), self.object),
        };
        let holding = match self.locks.as_deref() {
            None => String::new(),
            Some([]) => ", holding no lock".to_string(),
            Some(locks) => format!(", holding {}", locks.join(", ")),
        };
        let mut lines = vec![(format!("T{}  {does}{holding}", self.access.thread), self.place.clone())];
        let callers = self.calls().iter().skip(1).take(CALLERS);
        lines.extend(callers.map(|c| (format!("    called by {}", c.function), Some(c.place.clone()))));
        lines
    }

    /// The user's functions around it, innermost first.
    fn calls(&self) -> &[Call] {
        self.shown.as_ref().map(|s| &s.calls[..]).unwrap_or_default()
    }

    /// For programs.
    pub fn report(&self, scene: &AnnotatedTrace) -> report::RaceSide {
        let shown = self.shown.as_ref();
        let event = shown.and_then(|s| scene.events.iter().position(|e| e.index == s.index));
        report::RaceSide {
            event,
            thread: format!("T{}", self.access.thread),
            operation: access(&self.access).to_string(),
            object: self.object.clone(),
            bytes: self.access.size,
            shown: shown.and_then(|s| s.told.shown.clone()),
            locks: self.locks.clone(),
            location: self.place.as_ref().map(location),
            stack: self.calls().iter().map(frame).collect(),
        }
    }
}

fn frame(call: &Call) -> report::Frame {
    report::Frame { function: call.function.clone(), location: location(&call.place) }
}

/// What an access is.
pub fn access(a: &Access) -> &'static str {
    match a.kind {
        OpKind::AtomicStore => "atomic write",
        OpKind::AtomicLoad => "atomic read",
        OpKind::AtomicRmw => "atomic update",
        OpKind::Write => "write",
        OpKind::Read => "read",
        kind => kind.name(),
    }
}
