//! From the sites and call stacks of a trace to places in the sources, as they were written.

use super::functions;
use super::library_calls::Outer;
use super::sources::{Sources, Spot};
use crate::symbols::{Frame, Line, Symbols, cpp, is_system_header};
use crate::target::{Paths, Place, Target};
use raddle_instrumenter::edits::Unit;
use raddle_instrumenter::index::loops::At;
use raddle_schedule::Trace;
use raddle_schedule::channel::Channel;
use raddle_schedule::dependency::is_no_crate;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

/// Turns sites and call stacks into places.
pub struct Places<'a> {
    /// The program's symbols.
    pub symbols: &'a Symbols,
    /// How paths are shown.
    pub paths: &'a Paths,
    /// Where the site table lies.
    pub channel: Channel,
    /// The files that places are in.
    pub sources: Sources,
    /// Of code of C++'s library that was not inlined into the program's: where the program had called it.
    called: RefCell<Called>,
    /// Libraries whose own places are told, since points inside of them were asked for.
    pub wanted: Vec<String>,
    /// Calls of the execution that was learnt last into libraries.
    outer: RefCell<Rc<Outer>>,
}

/// Places of the program by code of a library's that was called from there.
#[derive(Default)]
struct Called {
    /// Where a thread was last, when it came to this site.
    last: BTreeMap<(u8, u32), Spot>,
    /// All the same in an execution, or nothing.
    only: BTreeMap<u32, Option<Spot>>,
}

impl<'a> Places<'a> {
    /// Of a target's program.
    pub fn new(symbols: &'a Symbols, target: &'a Target, channel: Channel) -> Self {
        Places::of(symbols, &target.paths, channel, Sources::new(&target.edits))
    }

    /// Of a program whose target is not at hand.
    pub fn of(symbols: &'a Symbols, paths: &'a Paths, channel: Channel, sources: Sources) -> Self {
        let wanted = channel
            .points_in()
            .split(',')
            .map(str::to_string)
            .filter(|name| name != "all" && !is_no_crate(name))
            .collect();
        let (called, outer) = (RefCell::default(), RefCell::default());
        Places { symbols, paths, channel, sources, called, wanted, outer }
    }

    /// Takes note of which lines of the program called the library's code in an execution.
    pub fn learn(&self, trace: &Trace) {
        let mut called = Called::default();
        for stack in &trace.stacks {
            let Some(e) = trace.events.get(stack.event as usize) else { continue };
            if self.own_spot(e.site).is_some() {
                continue;
            }
            let Some(spot) = self.stack_spot(&stack.frames) else {
                // Code of no place of the user's has come there too.
                called.only.insert(e.site, None);
                continue;
            };
            let only = called.only.entry(e.site).or_insert_with(|| Some(spot.clone()));
            if only.as_ref() != Some(&spot) {
                *only = None;
            }
            called.last.insert((e.thread(), e.site), spot);
        }
        *self.called.borrow_mut() = called;
        let outer = Outer::of(trace, self);
        *self.outer.borrow_mut() = Rc::new(outer);
    }

    /// Calls into libraries in the execution that was learnt last.
    pub fn outer(&self) -> Rc<Outer> {
        self.outer.borrow().clone()
    }

    /// Where a thread stands that has come to this site and goes no further.
    pub fn stands(&self, thread: u8, site: u32) -> Option<Place> {
        let outside = self.outer().stands(thread, site).map(|s| s.call.spot.clone());
        let spot = outside.or_else(|| self.own_spot(site));
        let spot = spot.or_else(|| self.called.borrow().last.get(&(thread, site)).cloned());
        spot.map(|s| self.place(&s))
    }

    /// The place of a site that lies in the user's code, or in code that only one place of it calls.
    pub fn site(&self, site: u32) -> Option<Place> {
        self.spot(site).map(|s| self.place(&s))
    }

    /// Does the program say that this site lies in a crate that it depends on?
    pub fn is_of_dependency(&self, site: u32) -> bool {
        let place = self.channel.sites().get(site).and_then(|site| site.place);
        place.is_some_and(|(file, ..)| raddle_schedule::dependency::of(file).is_some())
    }

    /// The same of a site whose place the program says itself, as std's functions of Rust know who called them, unless that was
    /// a library whose operations are told as calls.
    pub fn site_written(&self, site: u32) -> Option<Place> {
        self.channel.sites().get(site).filter(|site| site.place.is_some())?;
        self.spot(site).filter(|spot| !self.is_library(&spot.file)).map(|spot| self.place(&spot))
    }

    /// A place that the program wrote, if it lies in the user's code.
    pub fn written(&self, file: &str, line: u32, column: u32) -> Option<Place> {
        let path = self.paths.absolute(Path::new(file));
        let users = self.symbols.is_users(&path);
        users.then(|| self.place(&self.sources.spot(path, line, column, Unit::Chars)))
    }

    /// The same, for looking into its file.
    pub fn spot(&self, site: u32) -> Option<Spot> {
        self.own_spot(site).or_else(|| self.called.borrow().only.get(&site).cloned().flatten())
    }

    fn own_spot(&self, site: u32) -> Option<Spot> {
        let site = self.channel.sites().get(site);
        let site = site?;
        if let Some((file, line, column)) = site.place {
            let path = self.paths.absolute(Path::new(file));
            let users = self.symbols.is_users(&path);
            return users.then(|| self.sources.spot(path, line, column, Unit::Chars));
        }
        // Code addresses are return addresses: the call lies before them.
        self.symbols.user_code(site.address.wrapping_sub(1)).map(|f| self.of_frame(&f))
    }

    /// Is a site code without debug information, as of a library that the system has?
    pub fn has_no_source(&self, site: u32) -> bool {
        let site = self.channel.sites().get(site).filter(|site| site.place.is_none());
        site.is_some_and(|site| self.symbols.frames(site.address.wrapping_sub(1)).is_empty())
    }

    /// The innermost function at a site that has no place of its own.
    fn innermost(&self, site: u32) -> Option<Frame> {
        let site = self.channel.sites().get(site).filter(|site| site.place.is_none())?;
        self.symbols.frames(site.address.wrapping_sub(1)).first().cloned()
    }

    /// Is a site code of Rust's library?
    pub fn is_of_std(&self, site: u32) -> bool {
        self.innermost(site).is_some_and(|f| f.line.file.starts_with("/rustc/"))
    }

    /// Is an access made by code of Rust's library for that itself, as a vector looks at its length? Where the program has called
    /// what does nothing but access its memory (`ptr::write`, `mem::replace`), it is the program's.
    pub fn is_within_std(&self, site: u32, stack: &[u64]) -> bool {
        let Some(site) = self.channel.sites().get(site).filter(|site| site.place.is_none()) else {
            return false;
        };
        let own = [site.address];
        let is_of_std = |file: &Path| {
            let file = file.to_string_lossy();
            file.starts_with("/rustc/") || file.contains("/rustlib/src/rust/")
        };
        let mut called = None;
        let frames = own.iter().chain(stack).flat_map(|a| self.symbols.frames(a.wrapping_sub(1)).to_vec());
        for frame in frames {
            if !is_of_std(&frame.line.file) {
                break;
            }
            called = Some(frame.function);
        }
        called.is_some_and(|function| !only_accesses(&function))
    }

    /// Is a site code of a system header (C++'s library), be it inlined into the program's?
    pub fn is_of_header(&self, site: u32) -> bool {
        self.innermost(site).is_some_and(|f| is_system_header(&f.line.file.to_string_lossy()))
    }

    /// Is it what a class of C++'s library does to its own memory, as a map to its nodes?
    pub fn is_of_library_class(&self, site: u32) -> bool {
        self.innermost(site).is_some_and(|f| {
            is_system_header(&f.line.file.to_string_lossy()) && f.function.matches("::").count() > 1
        })
    }

    /// Is it done to a count of a `shared_ptr`?
    pub fn is_of_shared_ptr(&self, site: u32) -> bool {
        self.innermost(site).is_some_and(|f| f.line.file.ends_with("bits/shared_ptr_base.h"))
    }

    /// The function of C++'s library that the program had called when this call stack was taken.
    pub fn called_of_library(&self, stack: &[u64]) -> Option<String> {
        let mut last = None;
        for address in stack {
            for frame in self.symbols.frames(address.wrapping_sub(1)).iter() {
                if frame.is_users {
                    return last;
                }
                if is_system_header(&frame.line.file.to_string_lossy()) {
                    last = Some(frame.function.clone());
                }
            }
        }
        None
    }

    /// The same where the operation is one of several that the function makes: an operation of an atomic is the program's.
    pub fn library_call(&self, site: u32, stack: &[u64]) -> Option<String> {
        let called = || self.called_of_library(stack);
        self.is_of_header(site).then(called).flatten().filter(|f| !functions::is_of_atomic(f))
    }

    /// The place of a code address in the user's code, or of the user's call that was inlined there.
    pub fn code(&self, address: u64) -> Option<Place> {
        self.code_spot(address).map(|spot| self.place(&spot))
    }

    /// The same, for looking into its file.
    pub fn code_spot(&self, address: u64) -> Option<Spot> {
        self.symbols.user_code(address).map(|f| self.of_frame(&f))
    }

    /// The nearest user frame of a call stack.
    pub fn stack(&self, return_addresses: &[u64]) -> Option<Place> {
        self.stack_spot(return_addresses).map(|s| self.place(&s))
    }

    /// The same, for looking into its file.
    pub fn stack_spot(&self, return_addresses: &[u64]) -> Option<Spot> {
        self.symbols.user_frame(return_addresses).map(|f| self.of_frame(&f))
    }

    /// The user's frames of a call stack, innermost first: where, and in which function.
    pub fn calls(&self, return_addresses: &[u64]) -> Vec<(Place, String)> {
        self.spots(return_addresses)
            .into_iter()
            .map(|(spot, function)| (self.place(&spot), function))
            .collect()
    }

    /// The same, for looking into their files.
    pub fn spots(&self, return_addresses: &[u64]) -> Vec<(Spot, String)> {
        let frames = return_addresses.iter().map(|a| self.symbols.frames(a.wrapping_sub(1)));
        let frames: Vec<_> = frames.collect();
        let frames: Vec<&Frame> = frames.iter().flat_map(|f| f.iter()).collect();
        let users = || frames.iter().copied().filter(|f| f.is_users);
        let own: Vec<&Frame> = users().filter(|f| !self.is_library(&f.line.file)).collect();
        let told = if own.is_empty() { users().collect() } else { own };
        told.into_iter().map(|f| (self.of_frame(f), f.function.clone())).collect()
    }

    /// The place of an operation by its site and its call stack: where the program has called a library that it is in.
    pub fn outside(&self, site: u32, stack: &[u64]) -> Option<Place> {
        let called = self.library(stack).map(|path| self.place(&path.spot));
        let own = || self.own_spot(site).map(|spot| self.place(&spot));
        // Another thread's call of the same code has another place.
        let by_stack = || if stack.is_empty() { self.site(site) } else { self.stack(stack) };
        called.or_else(own).or_else(by_stack)
    }

    /// Where a frame is, as it was written.
    pub fn of_frame(&self, frame: &Frame) -> Spot {
        let Line { file, line, column } = frame.line.clone();
        let of_lambda = Some(cpp::is_lambda(&frame.function));
        Spot { of_lambda, ..self.sources.spot(file, line, column, Unit::Bytes) }
    }

    /// As it is shown.
    pub fn place(&self, spot: &Spot) -> Place {
        Place { file: self.paths.show(&spot.file), line: spot.line, column: spot.column }
    }

    /// Where the loops begin that a place lies in, the outermost first.
    pub fn loops(&self, place: &Place) -> Rc<[At]> {
        let file = self.paths.absolute(Path::new(&place.file));
        self.sources.loops(&file, (place.line, place.column)).into()
    }

    /// The name of a method of the trace; empty for none.
    pub fn method(&self, number: u16) -> String {
        self.channel.methods().get(number).map(|m| m.name.to_string()).unwrap_or_default()
    }
}

/// Is it a function of std that accesses what it is given, and does nothing else?
fn only_accesses(function: &str) -> bool {
    let path = functions::path(function);
    let path = path.strip_prefix("core::").or_else(|| path.strip_prefix("std::")).unwrap_or(&path);
    let whose = ["ptr::", "mem::", "intrinsics::", "cell::Cell::", "cell::UnsafeCell::", "*mut ", "*const "];
    whose.iter().any(|of| path.starts_with(of)) && !path.contains("drop_in_place")
}
