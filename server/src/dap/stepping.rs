//! Forwards: continue, and the three steps.
//!
//! gdb steps the thread while the others run when it is their turn (with scheduler-locking, a step
//! over a point would wait for ever). Where a switch shall end the step, the runtime stops at its
//! event, which is known beforehand. A step begins with finishing what of ours is above the user's
//! frame, and ends in a frame of the user's.

use super::arguments::StepStopsAt;
use super::debuggee::Stop;
use super::execution::is;
use super::session::{Outcome, Session};
use super::transport::Request;
use raddle_schedule::OpKind;

/// What a step steps over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Calls.
    Over,
    /// Nothing.
    Into,
    /// The rest of the function.
    Out,
    /// What is between two events.
    Event,
}

/// The step that a request means, and its thread.
pub fn wanted(request: &Request) -> (Step, Option<u8>) {
    let by_event = request.arguments["granularity"] == "instruction";
    let step = match request.command.as_str() {
        _ if by_event => Step::Event,
        "next" => Step::Over,
        "stepIn" => Step::Into,
        _ => Step::Out,
    };
    (step, super::threads::of_id(&request.arguments["threadId"]))
}

/// Most frames of others that one step gets through.
const PATIENCE: u32 = 64;

impl Session {
    /// `continue`: to a breakpoint, the failure or the end.
    pub fn continue_(&mut self) -> Outcome<()> {
        let stop = self.continue_to(None)?;
        self.tell(&stop, "breakpoint")
    }

    /// Runs on, with the breakpoints, to this event at most.
    pub fn continue_to(&mut self, event: Option<u64>) -> Outcome<Stop> {
        self.breakpoints(true)?;
        let ends = self.ends()?;
        self.program()?.debuggee.stop_at(event, ends);
        let stop = self.go("-exec-continue")?;
        self.settle(stop)
    }

    /// `next`, `stepIn`, `stepOut`.
    pub fn step(&mut self, step: Step, thread: Option<u8>) -> Outcome<()> {
        let program = self.program()?;
        let thread = thread.unwrap_or_else(|| program.debuggee.running());
        if step == Step::Event {
            let next = program.position.events;
            let stop = self.continue_to(Some(next))?;
            return self.tell(&stop, "step");
        }
        self.breakpoints(true)?;
        let until = self.switch(thread)?;
        let ends = self.ends()?;
        self.program()?.debuggee.stop_at(until, ends);
        let stop = self.steps(step, thread)?;
        let stop = self.settle(stop)?;
        self.tell(&stop, "step")
    }

    /// The event of another thread at which a step of this one ends.
    fn switch(&mut self, thread: u8) -> Outcome<Option<u64>> {
        let program = self.program()?;
        let (execution, from) = (&program.execution, program.position.events);
        let wanted = match program.arguments.step_stops_at {
            StepStopsAt::Preemption => execution.preemption(from),
            StepStopsAt::Switch => execution.switch(from, program.debuggee.running()),
            StepStopsAt::Never => None,
        };
        // A thread that has ended comes to no line any more.
        Ok(wanted.into_iter().chain(execution.after_end_of(from, thread)).min())
    }

    fn steps(&mut self, step: Step, thread: u8) -> Outcome<Stop> {
        let (number, frames) = self.frames_of(thread)?;
        let Some(inner) = frames.first() else { return self.go("-exec-continue") };
        let out = match step {
            // The next frame of the user's beyond this one.
            Step::Out => match frames.iter().skip(1).find(|f| f.users) {
                Some(caller) => caller.level,
                None => return self.go("-exec-continue"),
            },
            _ => inner.level,
        };
        let (line, depth) = (inner.line, frames.len());
        if out > 0 {
            let stop = self.go(&format!("-exec-finish --thread {number} --frame {}", out - 1))?;
            if stop != Stop::Done || step == Step::Out || self.is_on_another_line(thread, line)? {
                return Ok(stop);
            }
        }
        let command = if step == Step::Into { "-exec-step" } else { "-exec-next" };
        let mut stop = self.go(&format!("{command} --thread {number}"))?;
        for _ in 0..PATIENCE {
            if stop != Stop::Done {
                return Ok(stop);
            }
            let (_, frames) = self.frames_of(thread)?;
            let Some(inner) = frames.first() else { return self.go("-exec-continue") };
            // Through the code of others, and on where it was called from the line that was left. A step over calls
            // may come to the same line, too, in code that they leave behind.
            stop = match inner.level {
                0 if (inner.line, frames.len()) == (line, depth) => {
                    self.go(&format!("{command} --thread {number}"))?
                }
                0 => return Ok(stop),
                level => self.go(&format!("-exec-finish --thread {number} --frame {}", level - 1))?,
            };
        }
        Ok(stop)
    }

    /// A call at the very end of a line comes back to the beginning of the next one.
    fn is_on_another_line(&mut self, thread: u8, line: u32) -> Outcome<bool> {
        let (_, frames) = self.frames_of(thread)?;
        Ok(frames.first().is_some_and(|f| f.level == 0 && f.line != line))
    }

    /// A thread that has just started is in none of the user's functions: on to its first one.
    pub fn settle(&mut self, stop: Stop) -> Outcome<Stop> {
        if stop != Stop::Asked(raddle_schedule::channel::debug::Reason::Event) {
            return Ok(stop);
        }
        let ends = self.ends()?;
        let program = self.program()?;
        let events = program.position.events;
        let event = events.checked_sub(1).and_then(|e| program.execution.event(e));
        if !event.is_some_and(|e| is(e, OpKind::ThreadStart)) {
            return Ok(stop);
        }
        program.debuggee.stop_at(Some(events), ends);
        self.run_to_function()
    }

    /// Runs on to where a function begins.
    pub fn run_to_function(&mut self) -> Outcome<Stop> {
        self.entries(true)?;
        let stop = self.go("-exec-continue");
        if self.program.is_some() && !matches!(stop, Err(super::session::Trouble::Over(_))) {
            self.entries(false)?;
        }
        stop
    }

    fn entries(&mut self, on: bool) -> Outcome<()> {
        let none = || super::session::Trouble::Refused("nothing is being debugged".into());
        let program = self.program.as_mut().ok_or_else(none)?;
        Ok(program.debuggee.watch_entries(&mut self.inbox, on)?)
    }
}
