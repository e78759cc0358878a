//! One execution as a person sees it: its operations with places, names and the switches between
//! threads, from a trace recorded in detail.

use super::functions;
use super::held::{self, track};
use super::helpers::Helpers;
use super::library_calls::Outer;
use super::names::Names;
use super::panics;
pub use super::places::Places;
use super::relevance::{given_back, shared, still_held};
use super::short_names::ShortNames;
use super::values::{Told, Values};
use crate::symbols::Frame;
use crate::target::Place;
use raddle_instrumenter::index::loops::At;
use raddle_schedule::decision::{gives_way, is_preemption};
use raddle_schedule::input::{self, Input, RANDOM};
use raddle_schedule::memory::Meaning;
use raddle_schedule::misuse::Part;
use raddle_schedule::world::found;
use raddle_schedule::{Event, OpKind, Trace, flags};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;

/// What is shown of a write to a channel that closed it.
pub const CLOSED: &str = "closed";
/// What is shown of a step on a channel that has made another descriptor of it.
pub const DOUBLED: &str = "doubled";
/// In the place of a value of one that changed what an epoll tells.
pub const REGISTERED: &str = "registered";

/// One operation.
#[derive(Clone, Debug)]
pub struct AnnotatedOp {
    /// Its index among the trace's events.
    pub index: usize,
    /// Its number, if it was a schedule point.
    pub step: Option<u32>,
    /// Who.
    pub thread: u8,
    /// What.
    pub kind: OpKind,
    /// To what; empty where there is no object.
    pub object: String,
    /// The mutex of a wait; empty elsewhere.
    pub other: String,
    /// Value read, written or returned, where it says something, as a number.
    pub value: Option<u64>,
    /// What it read or changed, as the language writes it.
    pub told: Told,
    /// It changed nothing.
    pub failed: bool,
    /// It happened by itself: a wait's end, a weak compare-exchange's failure; a lock is taken again after a wait that nobody has
    /// ended.
    pub by_itself: bool,
    /// Where.
    pub place: Option<Place>,
    /// The innermost function with a marker that it was done in; empty where there is none.
    pub method: String,
    /// That place and its function, and the calls that led there, as far as they lie in the user's code.
    pub calls: Rc<[Call]>,
    /// The locks that its thread held when it came, without those that it takes itself.
    pub holding: Rc<[String]>,
    /// How often its thread had come to this place by these calls, this time counted; 0 where that is not certain. Of a step
    /// only: what is none is not recorded each time.
    pub time: u32,
    /// What else is told of it in its line.
    pub note: String,
    /// It does something to an object that another thread works with as well.
    pub matters: bool,
    /// It takes a lock that is still held at the end: told whatever else is left out.
    pub decisive: bool,
    /// What its thread did right after it that is no operation.
    pub after: Option<After>,
    /// It is an access that std makes for itself, within a call of the program's.
    pub within_std: bool,
    /// The preemption right before it.
    pub preemption: Option<Preemption>,
}

/// A function of the user's code, and the line that it was on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Call {
    /// The function, as people write it: `Bank::transfer`.
    pub function: String,
    /// The line.
    pub place: Place,
    /// It lies in a library whose operations are told as calls.
    pub in_library: bool,
    /// Where the loops of the function begin that the line lies in, the outermost first.
    pub loops: Rc<[At]>,
}

/// The function of C++'s library that the program has called, by the index of an event that is one of several operations of
/// that: `std::counting_semaphore::acquire`.
type LibraryCall<'a> = dyn Fn(usize) -> Option<String> + 'a;

/// A switch away from a thread that could have gone on.
#[derive(Clone, Debug)]
pub struct Preemption {
    /// From 1.
    pub number: u32,
    /// Who was preempted.
    pub thread: u8,
    /// Before which place of theirs.
    pub before: Option<Place>,
    /// The call of C++'s library that they were in the middle of.
    pub within: Option<String>,
    /// The locks held then.
    pub holding: Vec<String>,
}

/// What a thread did that is no operation: it panicked, which did not itself end the execution; or it destroyed or
/// initialised what is used in no order with that.
#[derive(Clone, Debug, Default)]
pub struct After {
    /// What.
    pub what: String,
    /// Where, if it is known: of a panic, if the output says it.
    pub place: Option<Place>,
}

/// What is known of a thread.
#[derive(Clone, Debug, Default)]
pub struct Thread {
    /// Its name if it was given one, or the function it began with.
    pub name: String,
    /// Where it was spawned.
    pub spawned: Option<Place>,
    /// The method it is named after; empty where its name says something else.
    pub entry: String,
}

/// One execution.
#[derive(Default)]
pub struct AnnotatedTrace {
    /// Its operations.
    pub events: Vec<AnnotatedOp>,
    /// Its threads.
    pub threads: BTreeMap<u8, Thread>,
    /// Where it ended.
    pub end: Option<Place>,
    /// Plain accesses that are none of its operations, since they are too many.
    pub left_out: u64,
    /// Functions whose operations are shown where they are called.
    pub helpers: Helpers,
    /// The calls that led to where a thread cannot go on.
    pub pending: BTreeMap<u8, Rc<[Call]>>,
    /// The file whose lines are named without it; all of them where it is empty.
    pub file: String,
    /// What its files are called.
    pub names: Rc<ShortNames>,
}

impl AnnotatedTrace {
    /// The same execution with these of its operations.
    pub fn with(&self, events: Vec<AnnotatedOp>) -> AnnotatedTrace {
        AnnotatedTrace {
            events,
            threads: self.threads.clone(),
            end: self.end.clone(),
            left_out: self.left_out,
            helpers: self.helpers.clone(),
            pending: self.pending.clone(),
            file: self.file.clone(),
            names: self.names.clone(),
        }
    }

    /// A line, with the name of its file where that is not the file of most others.
    pub fn line(&self, place: &Place) -> String {
        let name = self.names.name(&place.file);
        let is_any = self.file.is_empty() && raddle_schedule::dependency::of(&place.file).is_none();
        let is_own = is_any || self.file == place.file;
        if is_own { format!(":{}", place.line) } else { format!("{name}:{}", place.line) }
    }

    /// Reads a trace.
    pub fn new(trace: &Trace, places: &Places, names: &mut Names) -> AnnotatedTrace {
        names.learn(trace, places);
        let stacks: BTreeMap<u32, &[u64]> = trace.stacks.iter().map(|s| (s.event, &s.frames[..])).collect();
        let mut known: BTreeMap<u32, Option<Place>> = BTreeMap::new();
        let outer = places.outer();
        let mut place = |index: usize, e: &Event| {
            if let Some(call) = outer.call(index) {
                return Some(places.place(&call.spot));
            }
            let site = known.entry(e.site).or_insert_with(|| places.site(e.site)).clone();
            site.or_else(|| places.stack(stacks.get(&(index as u32))?))
        };
        let mut calls: BTreeMap<(&[u64], u32), Rc<[Call]>> = BTreeMap::new();
        let (matters, mut decisive) = (shared(trace), still_held(trace));
        decisive.extend(given_back(trace));
        let mut scene = AnnotatedTrace::default();
        let mut values = Values::new(trace, places);
        let is_of_std = |index: usize, e: &Event| {
            let is_plain = matches!(e.kind(), OpKind::Read | OpKind::Write);
            is_plain && places.is_within_std(e.site, stacks.get(&(index as u32)).copied().unwrap_or_default())
        };
        let mut step = 0;
        // The threads whose wait has ended, but not since they were woken.
        let mut unwoken = 0u64;
        for (index, e) in trace.events.iter().enumerate() {
            if e.kind().is_annotation() {
                continue;
            }
            // What stands in a virtual table never changes.
            let is_table = e.kind() == OpKind::Read
                && !e.is_step()
                && places.symbols.virtual_table(e.object()).is_some();
            if is_table || !trace.is_told(index) {
                scene.left_out += 1;
                continue;
            }
            let mut told = values.of(index, names);
            if let Some(input) = Input::numbered(e.object()).filter(|_| e.kind() == OpKind::Input) {
                told.shown = Some(input.show(e.value));
            }
            if e.kind() == OpKind::Input && RANDOM.iter().any(|r| input::random_number(r) == e.object()) {
                told.shown = Some(e.value.to_string());
            }
            if e.kind() == OpKind::ChannelSend && e.value & found::CLOSED != 0 {
                told.shown = Some(CLOSED.into());
            }
            if e.kind() == OpKind::ChannelSend && e.value & found::REGISTERED != 0 {
                told.shown = Some(REGISTERED.into());
            }
            if e.kind() == OpKind::ChannelRecv && e.value & found::DOUBLED != 0 {
                told.shown = Some(DOUBLED.into());
            }
            // What a library without hooks does to memory of its own is nobody's.
            let is_inner = matches!(e.kind(), OpKind::Read | OpKind::Write)
                && places.has_no_source(e.site)
                && !names.knows(e.object());
            let own = 1 << (e.thread() & 63);
            let mut shown = AnnotatedOp {
                index,
                step: e.is_step().then_some(step),
                thread: e.thread(),
                kind: e.kind(),
                object: names.of(e),
                other: other(e, names),
                value: value(e).filter(|_| !values.is_undone(index)),
                told,
                failed: e.failed(),
                by_itself: is_by_itself(e) || e.kind() == OpKind::CondWake && unwoken & own != 0,
                place: place(index, e),
                method: places.method(e.method),
                calls: stacks.get(&(index as u32)).map_or_else(Rc::default, |stack| {
                    let made = || called(places, stack, places.site_written(e.site));
                    calls.entry((stack, e.site)).or_insert_with(made).clone()
                }),
                holding: Rc::default(),
                time: 0,
                note: String::new(),
                matters: matters.contains(&index) || decisive.contains(&index),
                decisive: decisive.contains(&index),
                after: None,
                within_std: is_inner || is_of_std(index, e),
                preemption: None,
            };
            // A destructor that is compiled into its caller has no marker.
            let destructor = shown.calls.first().filter(|call| functions::is_destructor(&call.function));
            if let Some(name) = destructor.map(|call| call.function.clone()) {
                shown.method = name;
            }
            shown.matters &= !shown.looks() && !shown.within_std;
            // A library gives back what it keeps for a thread; the program has no line there.
            let is_of_library = e.kind() == OpKind::Free && shown.place.is_none();
            shown.matters &= !is_of_library || trace.misuse.is_some();
            shown.seen_from(&outer, names);
            unwoken = if e.kind() == OpKind::Timeout { unwoken | own } else { unwoken & !own };
            step += u32::from(e.is_step());
            let began = stacks.get(&(index as u32)).and_then(|s| places.symbols.first_user_frame(s));
            scene.note_thread(&shown, e, began);
            scene.events.push(shown);
        }
        for (thread, name) in &trace.thread_names {
            scene.threads.entry(*thread).or_default().name = name.clone();
        }
        scene.note_entries();
        held::note(&mut scene, trace, places.symbols);
        let pending: BTreeMap<u8, Option<Place>> = trace
            .events
            .iter()
            .enumerate()
            .filter(|(_, e)| e.kind() == OpKind::Pending)
            .map(|(i, e)| (e.thread(), place(i, e)))
            .collect();
        for (i, e) in trace.events.iter().enumerate().filter(|(_, e)| e.kind() == OpKind::Pending) {
            if let Some(stack) = stacks.get(&(i as u32)) {
                scene.pending.insert(e.thread(), called(places, stack, places.site_written(e.site)));
            }
        }
        let named = |thread: u8, function: &str| {
            scene.threads.get(&thread).is_some_and(|t| !t.name.is_empty() && t.name == function)
        };
        scene.helpers = Helpers::of(&scene.events, named);
        let library_call = |index: usize| {
            let e = &trace.events[index];
            let kept = e.kind().is_atomic() || matches!(e.kind(), OpKind::FutexWait | OpKind::FutexWake);
            let stack = stacks.get(&(index as u32)).copied().unwrap_or_default();
            if kept { places.library_call(e.site, stack) } else { None }
        };
        scene.mark_preemptions(trace, &pending, &library_call);
        panics::mark(&mut scene, trace, places);
        scene.end = stacks.get(&(trace.events.len() as u32)).and_then(|s| places.stack(s));
        scene.names = Rc::new(ShortNames::of(scene.files()));
        scene
    }

    /// The files of its places.
    fn files(&self) -> BTreeSet<&str> {
        let calls = self.events.iter().map(|e| &e.calls).chain(self.pending.values());
        let calls = calls.flat_map(|calls| calls.iter().map(|call| &call.place));
        let places = self.events.iter().filter_map(|e| e.place.as_ref()).chain(calls).chain(&self.end);
        let spawned = self.threads.values().filter_map(|t| t.spawned.as_ref());
        places.chain(spawned).map(|place| place.file.as_str()).collect()
    }

    fn note_thread(&mut self, shown: &AnnotatedOp, e: &Event, began: Option<Frame>) {
        let thread = self.threads.entry(shown.thread).or_default();
        // A closure has no name worth telling.
        let closure = |f: &str| {
            f.contains("{closure")
                || f.contains("lambda")
                || f == "operator()"
                || f == "drop"
                || f.ends_with("::drop")
                || f.contains("drop_in_place")
        };
        if let Some(began) = began.filter(|b| thread.name.is_empty() && !closure(&b.function)) {
            thread.name = began.function.rsplit("::").next().unwrap_or_default().to_string();
        }
        if shown.kind == OpKind::Spawn {
            self.threads.entry(e.value as u8).or_default().spawned = shown.place.clone();
        }
    }

    /// Which threads are told by the names of their first functions.
    fn note_entries(&mut self) {
        for (number, thread) in &mut self.threads {
            let first = self.events.iter().find(|e| e.thread == *number && !e.method.is_empty());
            let Some(first) = first.map(|e| e.method.clone()) else { continue };
            let told = if *number == 0 { "main" } else { thread.name.as_str() };
            if first == told || first.rsplit("::").next() == Some(told) {
                thread.entry = first;
            }
        }
    }

    /// Finds the preemptions and what was held at each.
    fn mark_preemptions(&mut self, trace: &Trace, pending: &BTreeMap<u8, Option<Place>>, call: &LibraryCall) {
        let mut held: BTreeMap<u8, Vec<String>> = BTreeMap::new();
        let (mut current, mut gave_way, mut number) = (0u8, false, 0);
        for i in 0..self.events.len() {
            let event = self.events[i].clone();
            if event.step.is_some() {
                let enabled = trace.events[event.index].enabled;
                if is_preemption(current, gave_way, enabled, event.thread) {
                    number += 1;
                    self.events[i].preemption = Some(Preemption {
                        number,
                        thread: current,
                        before: self.next_place(i, current, pending),
                        within: self.call_around(i, current, trace, call),
                        holding: held.get(&current).cloned().unwrap_or_default(),
                    });
                }
                let timeouts = trace.events[..event.index].last().filter(|e| e.kind() == OpKind::Timeouts);
                let could = enabled | timeouts.map_or(0, |e| e.enabled);
                let alone = current == event.thread && could == 1 << current;
                gave_way = gives_way(event.kind, gave_way, alone);
                current = event.thread;
            }
            track(&mut held, &event);
        }
    }

    /// Puts what is destroyed or initialised, and used in no order with that, where it happened: no thread goes on
    /// between that and the operation before it.
    pub fn mark_destroyed(&mut self, object: u64, trace: &Trace, places: &Places, names: &mut Names) {
        for found in trace.destroyed.iter().filter(|d| d.object == object) {
            let own = |e: &&mut AnnotatedOp| e.thread == found.by.thread && e.index < found.at as usize;
            let Some(before) = self.events.iter_mut().rev().find(own) else { continue };
            let what = match found.by.part {
                Part::Initialised => format!("initialises {}", names.object(found.kind, object)),
                Part::Returned => format!("returns from {}", places.method(found.by.method)),
                Part::Ended => "ends".into(),
                _ => format!("destroys {}", names.object(found.kind, object)),
            };
            before.after = Some(After { what, place: places.site(found.by.site) });
        }
    }

    /// The call of C++'s library that a thread is in the middle of when it is switched away from at `i`. Where it goes on as
    /// such a call begins, in a loop, that may be another call.
    fn call_around(&self, i: usize, thread: u8, trace: &Trace, call: &LibraryCall) -> Option<String> {
        let own = |e: &&AnnotatedOp| e.thread == thread && e.step.is_some();
        let (before, next) = (self.events[..i].iter().rev().find(own)?, self.events[i..].iter().find(own)?);
        let name = call(next.index)?;
        let is_there = |e: &AnnotatedOp| e.place == next.place && call(e.index).as_ref() == Some(&name);
        let site = |e: &AnnotatedOp| trace.events[e.index].site;
        let begins = self.events.iter().find(|e| is_there(e)).is_some_and(|first| site(first) == site(next));
        (is_there(before) && !begins).then_some(name)
    }

    /// Where a thread goes on after being switched away from at `i`.
    fn next_place(&self, i: usize, thread: u8, pending: &BTreeMap<u8, Option<Place>>) -> Option<Place> {
        let next = self.events[i..].iter().find(|e| e.thread == thread && e.step.is_some());
        let waits = || {
            let calls = self.pending.get(&thread).and_then(|calls| self.helpers.split(calls));
            calls.map(|(_, caller)| caller.place.clone()).or_else(|| pending.get(&thread).cloned().flatten())
        };
        next.map_or_else(waits, |e| self.helpers.place(e))
    }
}

/// The user's functions on a call stack. `written`: where the program says that it is done. What a macro of its own does lies where that is
/// used, as in C, while debug information of Rust says where the macro is defined.
fn called(places: &Places, stack: &[u64], written: Option<Place>) -> Rc<[Call]> {
    let mut calls = places.calls(stack);
    let is = |place: &Place, line: &Place| (&place.file, place.line) == (&line.file, line.line);
    let elsewhere = written.filter(|w| !calls.iter().any(|(place, _)| is(place, w)));
    if let Some((innermost, written)) = calls.first_mut().zip(elsewhere) {
        innermost.0 = written;
    }
    let calls = calls.into_iter();
    let told = |(place, function): (Place, String)| {
        let in_library = places.is_library(Path::new(&place.file));
        let loops = if in_library { Rc::default() } else { places.loops(&place) };
        Call { function: functions::short(&function), place, in_library, loops }
    };
    calls.map(told).collect()
}

impl AnnotatedOp {
    /// As the program sees it that called a library for it.
    fn seen_from(&mut self, outer: &Outer, names: &mut Names) {
        let Some(call) = outer.call(self.index) else { return };
        if let Some(role) = outer.role(self.index) {
            (self.kind, self.object) = (role.kind, names.object(role.kind, role.object));
            self.other = if role.other == 0 { String::new() } else { names.object(OpKind::Lock, role.other) };
            (self.told, self.value, self.failed, self.by_itself) = (Told::default(), None, false, false);
            self.decisive |= outer.is_held(self.index);
            self.matters |= self.decisive;
        } else if outer.is_part(self.index) {
            (self.matters, self.decisive) = (false, false);
            self.told = Told { part: true, wants: outer.wants(self.index), ..Told::default() };
        } else {
            self.told.call = Some(Rc::new(call.clone()));
        }
    }

    /// Is it only the first half of taking a lock, of which the second says more? Or does it say nothing at all?
    pub fn looks(&self) -> bool {
        let in_vain = self.kind == OpKind::AtomicRmw && self.failed;
        self.told.part && (self.kind == OpKind::AtomicLoad || in_vain)
            || self.told.meaning == Some(Meaning::KeepsPoison)
    }
}

/// Did this happen by itself (`--spurious-wakeups`, `--spurious-failures`)?
fn is_by_itself(e: &Event) -> bool {
    match e.kind() {
        OpKind::Timeout => e.flags & flags::TIMED == 0,
        OpKind::AtomicRmw => e.failed() && e.flags & flags::WEAK != 0,
        _ => false,
    }
}

fn other(e: &Event, names: &mut Names) -> String {
    match e.kind() {
        OpKind::CondEnqueue | OpKind::CondWake | OpKind::Timeout if e.value != 0 => {
            names.object(OpKind::Lock, e.value)
        }
        _ => String::new(),
    }
}

fn value(e: &Event) -> Option<u64> {
    (e.kind().is_atomic() || e.kind() == OpKind::Input).then_some(e.value)
}
