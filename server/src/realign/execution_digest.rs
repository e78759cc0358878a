//! An execution in words that survive an edit: from a trace, and to and from schedule files.

use crate::annotate::annotated_trace::{AnnotatedOp, AnnotatedTrace, Places};
use crate::annotate::names::Names;
use crate::target::Place;
use raddle_engine::points::{Point, points};
use raddle_engine::realign::{Doing, ExecutionDigest, Spawned, Step};
use raddle_schedule::{Choice, OpKind, Trace};
use std::collections::BTreeMap;
use std::path::Path;

/// Longest line of source that is kept.
const LINE: usize = 160;

/// The operations of a digest while it is made.
#[derive(Default)]
struct Operations {
    known: BTreeMap<Doing, usize>,
    all: Vec<Doing>,
}

impl Operations {
    fn number(&mut self, doing: Doing) -> usize {
        let all = &mut self.all;
        *self.known.entry(doing).or_insert_with_key(|doing| {
            all.push(doing.clone());
            all.len() - 1
        })
    }
}

/// Tells an execution that was recorded in detail, and read.
pub fn execution_digest(trace: &Trace, scene: &AnnotatedTrace, places: &Places) -> ExecutionDigest {
    let mut names = Names::new(places.symbols);
    names.learn(trace, places);
    // In the same order, so that what has only a number has the same one.
    scene.events.iter().for_each(|shown| drop(names.of(&trace.events[shown.index])));
    let mut operations = Operations::default();
    let runs = |thread: u64| {
        let thread = u8::try_from(thread).ok().and_then(|t| scene.threads.get(&t));
        thread.map(|t| t.name.clone()).unwrap_or_default()
    };
    let object = |kind: OpKind, number: u64, name: &str| match kind {
        OpKind::Spawn | OpKind::Join => runs(number),
        OpKind::ThreadStart | OpKind::Exit => String::new(),
        _ => name.to_string(),
    };
    let choices = choices(trace);
    let steps = scene.events.iter().filter_map(|shown| {
        let number = shown.step?;
        let event = &trace.events[shown.index];
        let other = if shown.kind == OpKind::Spawn { event.value } else { event.object() };
        let doing = Doing {
            kind: shown.kind,
            object: object(shown.kind, other, &shown.object),
            method: shown.method.clone(),
            line: line(shown.place.as_ref(), places),
        };
        let choices = choices.get(&number).cloned().unwrap_or_default();
        Some(Step { number, thread: shown.thread, does: operations.number(doing), choices })
    });
    let steps: Vec<Step> = steps.collect();
    let pending = trace.events.iter().enumerate().filter(|(_, e)| e.kind() == OpKind::Pending);
    let pending = pending.map(|(index, e)| {
        let kind = OpKind::from_u8(e.value as u8).unwrap_or(OpKind::Pending);
        let stack = || trace.stacks.iter().find(|s| s.event == index as u32);
        let place = places.site(e.site).or_else(|| places.stack(&stack()?.frames));
        let doing = Doing {
            kind,
            object: object(kind, e.object(), &names.object(kind, e.object())),
            method: places.method(e.method),
            line: line(place.as_ref(), places),
        };
        (e.thread(), operations.number(doing))
    });
    let pending = pending.collect();
    let threads = scene.events.iter().filter(|s| s.kind == OpKind::Spawn);
    let threads = threads.filter_map(|s| spawned(s, trace, places, &runs)).collect();
    ExecutionDigest { steps, pending, threads, gaps: Vec::new(), operations: operations.all }
}

fn spawned(
    shown: &AnnotatedOp,
    trace: &Trace,
    places: &Places,
    runs: &impl Fn(u64) -> String,
) -> Option<Spawned> {
    let child = trace.events[shown.index].value;
    let line = line(shown.place.as_ref(), places);
    Some(Spawned { thread: u8::try_from(child).ok()?, by: shown.thread, runs: runs(child), line })
}

/// What was chosen at each step at which there was a choice.
fn choices(trace: &Trace) -> BTreeMap<u32, Vec<Choice>> {
    let mut choices: BTreeMap<u32, Vec<Choice>> = BTreeMap::new();
    for point in points(trace) {
        if let Point::Choice(p) = point
            && p.mask.count_ones() > 1
        {
            choices.entry(p.step).or_default().push(p.chosen);
        }
    }
    choices
}

/// What the source says at a place; nothing of files that are not the target's.
pub fn line(place: Option<&Place>, places: &Places) -> String {
    let Some(place) = place else { return String::new() };
    let file = places.paths.absolute(Path::new(&place.file));
    if !places.paths.is_inside(&file) {
        return String::new();
    }
    let text = places.sources.line(&file, place.line);
    text.chars().take(LINE).collect()
}
