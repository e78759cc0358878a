//! The shadow call stack: which functions of the program a thread is in, as the markers in its
//! source say it, and the schedule points that were put before its statements.
//!
//! The number of a frame tells its callers too, so that a person who asks for one function is given
//! what the functions that it calls do on its behalf. Where points are restricted to functions,
//! what counts is the innermost one alone, and so its number.
//!
//! A marker pushes at a function's beginning and pops at its end. Both are hot, so pushing looks
//! nothing up: the number that events carry is found when the first event needs it and stays in
//! the frame. What ends a function without its marker (longjmp) leaves frames behind; they go
//! when a marker below them pops, since popping goes back to a depth, and a jump itself drops the
//! frames of the stack it leaves ([`crate::interpose::jump`]); the destructors that
//! pthread_exit runs are in none of those it left.
//!
//! The limit: `__builtin_longjmp` of GNU C jumps without a call that could be seen here. The
//! functions that it leaves stay until the one below them ends, and until then operations of the
//! function that was jumped to are said to be in the innermost of them. (The stack pointer at an
//! event does not tell: the runtime's own frames lie where theirs were.)
//!
//! The stack is the kernel's memory: roll-back does not touch it, an execution begins by emptying
//! it. A thread that ends in the middle of its code takes its stack with it.

use crate::interpose::{code_site, modelled};
use crate::kernel::k;
use crate::kernel::point::{notice, pass};
use crate::model::{event, stacks};
use crate::{entry, facade};
use alloc::vec::Vec;
use core::ffi::c_void;
use raddle_schedule::OpKind;
use raddle_schedule::channel::methods::{is_meant, is_within};

/// A function that carries a marker; static data of the program.
#[repr(C)]
pub struct Method {
    name: *const u8,
    name_len: usize,
    file: *const u8,
    file_len: usize,
    line: u32,
    /// [`CLOSURE`], [`LONG_SEQUENCES`].
    kind: u32,
}

/// A closure of Rust's that is not passed to a spawn.
const CLOSURE: u32 = 1;
/// A function of C up to C17 or C++ up to C++17, whose release sequences have later stores of the same thread in them
/// (`runtime/include/raddle_points.h`).
const LONG_SEQUENCES: u32 = 2;

/// One function that a thread is in.
#[derive(Clone, Copy)]
pub struct Frame {
    record: *const Method,
    /// Where the function's own stack frame lay when it was entered.
    stack_pointer: usize,
    /// Number in the channel's table, once `known`.
    number: u16,
    known: bool,
    /// Points are wanted in it; meaningful once `known`.
    meant: bool,
    /// A closure that runs within a function with a marker, for which it stands in reports.
    closure: bool,
    /// Its own stack frame is as large at each of its calls as it was at its marker, as all of Rust are.
    fixed: bool,
    /// It, or a function that it was called from, is trusted; meaningful once `known`.
    trusted: bool,
    /// Where its stack frame ends: the stack pointer of who called it, before the call. 0 where its marker does not say.
    high: usize,
    /// The return address of its marker's begin.
    call: usize,
}

/// A stack frame that a function leaves.
pub struct Ending {
    /// From here on.
    pub low: usize,
    /// Up to here.
    pub high: usize,
    /// The function.
    pub record: *const Method,
    /// A return address at its end, where its marker tells one better than the call that is made there.
    pub call: Option<usize>,
}

/// Token of an enter that pushed nothing.
const NONE: u32 = u32::MAX;

/// A buffer that setjmp filled.
#[derive(Clone, Copy)]
struct Mark {
    buffer: usize,
    stack_pointer: usize,
    /// Functions that the thread was in.
    depth: usize,
}

/// Most buffers that are remembered.
const MARKS: usize = 64;

/// A thread's shadow call stack, outermost first.
#[derive(Default)]
pub struct Frames {
    stack: Vec<Frame>,
    /// Where the thread may jump to, oldest first.
    marks: Vec<Mark>,
    /// Functions entered and left so far.
    moves: u64,
}

impl Frames {
    /// Nothing entered yet.
    pub const fn new() -> Self {
        Frames { stack: Vec::new(), marks: Vec::new(), moves: 0 }
    }

    /// Is it in none?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }

    /// The functions that it is in, for when the thread comes back to where it stands.
    pub fn copy(&self) -> Vec<Frame> {
        self.stack.clone()
    }

    /// The thread goes on to another stack, on which it is in these functions; gives back those that it was in.
    pub fn exchange(&mut self, stack: Vec<Frame>) -> Vec<Frame> {
        core::mem::replace(&mut self.stack, stack)
    }

    /// Empties it; what a deep recursion took is given back.
    pub fn clear(&mut self) {
        const KEPT: usize = 4096;
        self.stack.clear();
        self.stack.shrink_to(KEPT);
        self.marks.clear();
        self.moves = 0;
    }

    /// Where the thread stands in functions with markers: how many it has entered and left so far, and the
    /// innermost one's call, by its return address.
    pub fn place(&self) -> (u64, usize) {
        // SAFETY: the word below the function's own frame, on the stack of the running thread, which is in a call
        // that the function has made: at least the call of the runtime.
        let call =
            |frame: &Frame| unsafe { ((frame.stack_pointer - size_of::<usize>()) as *const usize).read() };
        (self.moves, self.stack.last().map_or(0, call))
    }

    /// The place in the innermost function at which it made the call that the thread is in, however deep: a return address
    /// like that of a caller. `None` outside of all functions, and where C may have moved its stack since.
    pub fn innermost_call(&self) -> Option<usize> {
        self.stack.last().filter(|frame| frame.fixed).map(|_| self.place().1)
    }

    /// Is it in a function by whose language later stores of the same thread belong to a release sequence?
    #[inline]
    pub fn has_long_sequences(&self) -> bool {
        // SAFETY: static data of the program, as the instrumenter makes it.
        self.stack.last().is_some_and(|frame| unsafe { (*frame.record).kind } & LONG_SEQUENCES != 0)
    }

    /// The functions the thread is in: the number of the innermost, 0 outside of all markers.
    #[inline(always)]
    pub fn number(&mut self) -> u16 {
        match self.stack.last() {
            None => 0,
            Some(frame) if frame.known => frame.number,
            Some(_) => self.learn().number,
        }
    }

    /// Is it in a function that points are restricted to?
    #[inline]
    pub fn is_meant(&mut self) -> bool {
        match self.stack.last() {
            None => false,
            Some(frame) if frame.known => frame.meant,
            Some(_) => self.learn().meant,
        }
    }

    /// Is it in trusted code, or was that called from such?
    #[inline]
    pub fn is_trusted(&mut self) -> bool {
        match self.stack.last() {
            None => false,
            Some(frame) if frame.known => frame.trusted,
            Some(_) => self.learn().trusted,
        }
    }

    /// Finds the numbers of the frames that have none yet; gives back the innermost.
    #[cold]
    fn learn(&mut self) -> Frame {
        let setup = k().setup();
        let restricted = !setup.points_at.is_empty();
        // What is called by trusted code is trusted with it, so all frames have to be known.
        let alone = restricted && setup.trusted.is_empty();
        let last = self.stack.len() - 1;
        if self.stack[last].closure {
            // The first one on the stack is none.
            let of = self.stack.iter().rposition(|f| !f.closure).unwrap_or(0);
            if !self.stack[of].known {
                let closures = self.stack.split_off(of + 1);
                self.learn();
                self.stack.extend(closures);
            }
            let Frame { number, meant, trusted, .. } = self.stack[of];
            self.stack[last] = Frame { number, meant, trusted, known: true, ..self.stack[last] };
            return self.stack[last];
        }
        let unknown = || self.stack.iter().rposition(|f| f.known).map_or(0, |i| i + 1);
        for i in if alone { last } else { unknown() }..=last {
            let caller = if restricted || i == 0 { 0 } else { self.stack[i - 1].number };
            let trusted = !alone && i > 0 && self.stack[i - 1].trusted;
            learn(&mut self.stack[i], caller, trusted);
        }
        self.stack[last]
    }

    /// The thread may jump to here, by this buffer.
    pub fn mark(&mut self, buffer: usize, stack_pointer: usize) {
        let depth = self.stack.len();
        // What was set in functions that have ended since cannot be jumped to.
        self.marks.retain(|m| m.buffer != buffer && m.depth <= depth);
        if self.marks.len() == MARKS {
            self.marks.remove(0);
        }
        self.marks.push(Mark { buffer, stack_pointer, depth });
    }

    /// The thread jumps, by this buffer and to this stack pointer: drops the functions it leaves.
    pub fn jump(&mut self, buffer: usize, stack_pointer: usize) -> Option<Ending> {
        let left = self.stack.iter().position(|frame| frame.stack_pointer < stack_pointer);
        // Whatever the frames are: below where the jump leads to all have gone.
        let ending = left.map(|at| Ending {
            low: self.stack[at].stack_pointer,
            high: stack_pointer,
            record: self.stack[at].record,
            call: None,
        });
        while self.stack.pop_if(|frame| frame.stack_pointer < stack_pointer).is_some() {}
        let mark = self.marks.iter().find(|m| (m.buffer, m.stack_pointer) == (buffer, stack_pointer));
        if let Some(mark) = mark {
            self.stack.truncate(mark.depth);
        }
        ending
    }

    /// The stack frame that an address on this thread's stack lies in, inlined functions taken
    /// together with the one that they are inlined into: its lower end, and the name.
    pub fn around(&self, address: usize) -> Option<(usize, &'static [u8])> {
        let frame = self.stack.get(self.index_around(address)?).filter(|frame| !frame.closure)?;
        // SAFETY: a record of the program's static data.
        Some((frame.stack_pointer, unsafe { (*frame.record).name() }))
    }

    /// The same, with the number of the function.
    pub fn number_around(&mut self, address: usize) -> Option<(usize, u16)> {
        let index = self.index_around(address).filter(|index| !self.stack[*index].closure)?;
        self.number();
        let frame = &self.stack[index];
        Some((frame.stack_pointer, frame.number))
    }

    /// The outermost function whose frame's lower end is the highest one below the address.
    fn index_around(&self, address: usize) -> Option<usize> {
        let low = self.stack.iter().map(|f| f.stack_pointer).filter(|low| *low <= address).max()?;
        self.stack.iter().position(|f| f.stack_pointer == low)
    }

    /// What goes with the function that this token stands for: `None` where its frame goes on, as it is inlined
    /// into another function, or is not known.
    pub fn ending(&self, token: usize) -> Option<Ending> {
        let frame = self.stack.get(token).filter(|frame| !frame.closure)?;
        let shares = |outer: &Frame| match frame.high {
            0 => outer.stack_pointer == frame.stack_pointer,
            high => outer.high == high,
        };
        if token.checked_sub(1).is_some_and(|outer| shares(&self.stack[outer])) {
            return None;
        }
        // SAFETY: as in `place`.
        let call = frame
            .fixed
            .then(|| unsafe { ((frame.stack_pointer - size_of::<usize>()) as *const usize).read() });
        let high = extents::end_of(frame)?;
        Some(Ending { low: frame.stack_pointer, high, record: frame.record, call })
    }

    /// The innermost function's name.
    pub fn innermost(&self) -> Option<&'static [u8]> {
        // SAFETY: a record of the program's static data.
        self.stack.last().map(|frame| unsafe { (*frame.record).name() })
    }

    /// The names, outermost first.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &'static [u8]> {
        self.stack.iter().filter(|frame| !frame.closure).map(|frame| {
            // SAFETY: a record of the program's static data.
            unsafe { (*frame.record).name() }
        })
    }
}

impl Method {
    /// # Safety
    /// The record must be one that a marker made.
    unsafe fn name(&self) -> &'static [u8] {
        // SAFETY: the caller's promise: a string of static data and its length.
        unsafe { core::slice::from_raw_parts(self.name, self.name_len) }
    }
}

/// The number of a method, whoever entered it.
///
/// # Safety
/// The record must be one that a marker made.
pub unsafe fn number_of(record: *const Method) -> u16 {
    // SAFETY: the caller's promise.
    let (record, name) = unsafe { (&*record, (*record).name()) };
    k().setup().channel.methods().intern(record as *const Method as u64, || {
        // SAFETY: as above.
        let file = unsafe { core::slice::from_raw_parts(record.file, record.file_len) };
        (name, file, record.line)
    })
}

/// Finds the number of a frame's method, entered from this caller, and whether it is meant or trusted.
fn learn(frame: &mut Frame, caller: u16, trusted: bool) {
    // SAFETY: a record of the program's static data, by the contract of enter.
    let (record, name) = unsafe { (&*frame.record, (*frame.record).name()) };
    let kernel = k();
    frame.number = kernel.setup().channel.methods().intern_called(frame.record as u64, caller, || {
        // SAFETY: as above.
        let file = unsafe { core::slice::from_raw_parts(record.file, record.file_len) };
        (name, file, record.line)
    });
    let setup = kernel.setup();
    let is_asked = !setup.points_at.is_empty() || !setup.trusted.is_empty();
    let name = if is_asked { core::str::from_utf8(name).unwrap_or("") } else { "" };
    frame.meant = setup.points_at.iter().any(|wanted| is_meant(name, wanted));
    frame.trusted = trusted || setup.trusted.iter().any(|wanted| is_within(name, wanted));
    frame.known = true;
}

entry! {
    /// A function begins: the token that its end hands back.
    fn raddle_rt_enter / enter_rust(method: *const Method) -> u32, at "lea rsi, [rsp + 8]", stack_pointer {
        // SAFETY: static data, as the instrumenter makes it.
        unsafe { enter(method, stack_pointer, 0) }
    }
}

unsafe fn enter(record: *const Method, stack_pointer: usize, high: usize) -> u32 {
    let fixed = high == 0;
    if !modelled() {
        return NONE;
    }
    // A function of the program may look at its thread.
    notice();
    let frames = &mut k().me().frames;
    frames.moves += 1;
    let frames = &mut frames.stack;
    let token = frames.len() as u32;
    // SAFETY: the caller's promise.
    let closure = unsafe { (*record).kind } & CLOSURE != 0 && !frames.is_empty();
    let record = frames.last().filter(|_| closure).map_or(record, |function| function.record);
    frames.push(Frame {
        record,
        stack_pointer,
        number: 0,
        known: false,
        meant: false,
        closure,
        fixed,
        trusted: false,
        high,
        // SAFETY: the return address of the call that the marker makes.
        call: unsafe { ((stack_pointer - size_of::<usize>()) as *const usize).read() },
    });
    token
}

entry! {
    /// A function ends: back to what was before it.
    fn raddle_rt_leave / leave(token: u32) -> (), 1, caller {
        if modelled() {
            stacks::returns(token as usize, caller);
            let frames = &mut k().me().frames;
            frames.moves += 1;
            frames.stack.truncate(token as usize);
        }
    }
}

entry! {
    /// Async code is polled no further for now, or has ended: back to what was before it. Its stack frame is that of a poll,
    /// which returns by itself.
    fn raddle_rt_suspend / suspend(method: *const Method) -> (), {
        if modelled() {
            let frames = &mut k().me().frames;
            frames.moves += 1;
            let is_its = |frame: &Frame| frame.record == method && !frame.closure;
            if let Some(at) = frames.stack.iter().rposition(is_its) {
                frames.stack.truncate(at);
            }
        }
    }
}

entry! {
    /// The marker of C and C++: a function begins, and its token goes into a variable of its own. It
    /// is written and read here only, so that the compiler puts no hook for an access around it. The frame of the
    /// function that it stands in, which may be another that it is inlined into, ends at `high`.
    fn raddle_rt_enter_at / enter_at(method: *const Method, token: *mut u32, high: usize) -> (), at "lea rcx, [rsp + 8]", stack_pointer {
        // SAFETY: static data, and a variable of the calling function.
        unsafe { *token = enter(method, stack_pointer, high.max(1)) };
    }
}

entry! {
    /// The function's end, as the cleanup of that variable.
    fn raddle_rt_leave_at / leave_at(token: *const u32) -> (), 1, caller {
        // SAFETY: the variable that the function's begin was given.
        unsafe { leave(*token, caller) };
    }
}

entry! {
    /// The point before a statement of C.
    fn raddle_rt_statement / statement() -> (), 0, caller {
        if modelled() && k().wants_statement() {
            pass(event(OpKind::Statement, 0, code_site(caller as u64)), true);
        }
    }
}

entry! {
    /// The point before a statement of Rust.
    fn raddle_rt_statement_at / statement_at(place: *const c_void) -> (), {
        if modelled() && k().wants_statement() {
            pass(event(OpKind::Statement, 0, facade::site(place)), true);
        }
    }
}

mod extents;

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(stack_pointers: &[usize]) -> Frames {
        let frame = |s: &usize| Frame {
            record: core::ptr::null(),
            stack_pointer: *s,
            number: 7,
            known: true,
            meant: false,
            closure: false,
            fixed: false,
            trusted: false,
            high: 1,
            call: 0,
        };
        Frames { stack: stack_pointers.iter().map(frame).collect(), marks: Vec::new(), moves: 0 }
    }

    #[test]
    fn a_jump_drops_the_frames_below_its_target_only() {
        // An outer function, one with a function inlined into it, two callees.
        for (target, left) in [(0x900, 4), (0x910, 3), (0x940, 3), (0x941, 1), (0x1000, 1), (0x1001, 0)] {
            let mut stack = frames(&[0x1000, 0x940, 0x940, 0x900]);
            stack.jump(8, target);
            assert_eq!(stack.stack.len(), left, "{target:#x}");
        }
    }

    #[test]
    fn a_buffer_tells_functions_in_one_frame_apart() {
        let mut stack = frames(&[0x1000]);
        stack.mark(0x5000, 0x940);
        let inlined = frames(&[0x940, 0x900]);
        stack.stack.extend(inlined.stack);
        stack.jump(0x5000, 0x940);
        assert_eq!(stack.stack.len(), 1);
        // The buffer was used for something else since: its stack pointer alone counts.
        stack.stack.extend(frames(&[0x940, 0x900]).stack);
        stack.jump(0x5000, 0x930);
        assert_eq!(stack.stack.len(), 2);
        for buffer in 0..200 {
            stack.mark(buffer, 0x930);
        }
        assert_eq!(stack.marks.len(), MARKS);
    }

    #[test]
    fn a_deep_recursion_gives_its_memory_back() {
        let mut stack = frames(&[8; 100_000]);
        assert_eq!(stack.number(), 7);
        stack.clear();
        assert!(stack.stack.capacity() < 10_000);
        assert_eq!((stack.number(), stack.is_meant()), (0, false));
    }
}
