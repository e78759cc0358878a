//! Backwards: the same execution made again, to a place before.
//!
//! gdb has no reverse execution here, and needs none: the runner executes the plan again in the
//! same process, from the same memory, in the time that the execution takes. Where the process
//! died with the execution, a fresh one takes its place.

use super::debuggee::Stop;
use super::launch::HANG;
use super::program::Position;
use super::session::{Outcome, Session, Trouble};
use raddle_schedule::channel::debug::{Reason, on};

impl Session {
    /// `stepBack`: to the event before.
    pub fn step_back(&mut self) -> Outcome<()> {
        let before = self.program()?.position.next().checked_sub(1);
        let stop = match before {
            Some(event) => self.run_to(event)?,
            None => self.run_to_entry()?,
        };
        self.tell(&stop, if before.is_some() { "step" } else { "entry" })
    }

    /// `raddle/goto`: to an event, in either direction.
    pub fn go_to(&mut self, event: u64) -> Outcome<()> {
        let stop = self.run_to(event)?;
        self.tell(&stop, "goto")
    }

    /// `reverseContinue`: to the breakpoint hit before, or else to the beginning.
    pub fn reverse_continue(&mut self) -> Outcome<()> {
        let here = self.program()?.position;
        self.pausing = false;
        let count = self.hits_before(here)?;
        let Some(last) = count.checked_sub(1) else {
            let stop = self.run_to_entry()?;
            return self.tell(&stop, "entry");
        };
        self.again(None, true)?;
        let mut stop = self.go("-exec-continue")?;
        for _ in 0..last {
            self.unless_pausing(&stop)?;
            stop = self.go("-exec-continue")?;
        }
        if !matches!(stop, Stop::Breakpoint(_)) {
            return Err(self.differs(&stop));
        }
        self.tell(&stop, "breakpoint")
    }

    /// How many breakpoints are hit before a position.
    fn hits_before(&mut self, here: Position) -> Outcome<usize> {
        self.again(Some(here.events), true)?;
        let mut count = 0;
        loop {
            let stop = self.go("-exec-continue")?;
            self.unless_pausing(&stop)?;
            match stop {
                Stop::Breakpoint(_) => {
                    let now = self.program()?.position;
                    let (before, at) = ((now.events, now.hits), (here.events, here.hits));
                    // Standing at a breakpoint, the one before it is meant.
                    if before > at || (here.at_hit && before == at) {
                        return Ok(count);
                    }
                    count += 1;
                }
                Stop::Asked(_) | Stop::Ended(_) => return Ok(count),
                _ => {}
            }
        }
    }

    /// The way back has many stops, and somebody may not want to wait for its end.
    fn unless_pausing(&mut self, stop: &Stop) -> Outcome<()> {
        match self.pausing || self.inbox.is_urgent() || matches!(stop, Stop::Signal(_)) {
            true => Err(Trouble::Refused("stopped on the way back, by a pause".into())),
            false => Ok(()),
        }
    }

    /// To an event: on, where it is still to come.
    pub fn run_to(&mut self, event: u64) -> Outcome<Stop> {
        let count = self.program()?.execution.events().len() as u64;
        if event >= count {
            let text = format!("there is no event {event}: the execution has {count}, counted from 0");
            return Err(Trouble::Refused(text));
        }
        let program = self.program()?;
        let (inside, position) = (program.debuggee.inside(), program.position);
        if inside && position.exact && position.events == event + 1 {
            return Ok(Stop::Asked(Reason::Event));
        }
        if inside && position.events <= event {
            self.breakpoints(false)?;
            self.program()?.debuggee.stop_at(Some(event), on::END);
        } else {
            self.again(Some(event), false)?;
        }
        let stop = self.go("-exec-continue")?;
        if stop != Stop::Asked(Reason::Event) || self.program()?.position.events != event + 1 {
            return Err(self.differs(&stop));
        }
        self.settle(stop)
    }

    /// To the test's first function.
    pub fn run_to_entry(&mut self) -> Outcome<Stop> {
        // The first event is soon enough, where no function has a marker.
        self.again(Some(0), false)?;
        self.run_to_function()
    }

    /// To the failure; the end, where there is none.
    pub fn run_to_failure(&mut self) -> Outcome<Stop> {
        self.again(None, false)?;
        let ends = self.ends()?;
        let site = self.program()?.execution.traced.trace.site;
        self.program()?.debuggee.stop_at(None, ends);
        loop {
            let stop = self.go("-exec-continue")?;
            let program = self.program()?;
            // Others' panics before it, which were caught.
            if stop == Stop::Asked(Reason::Panic) && site != 0 && program.debuggee.site() != site {
                program.position.failed = false;
                continue;
            }
            return Ok(stop);
        }
    }

    /// Makes the execution again, up to an event at most, as soon as the program goes on.
    pub fn again(&mut self, event: Option<u64>, breakpoints: bool) -> Outcome<()> {
        self.finish_execution()?;
        self.breakpoints(breakpoints)?;
        let program = self.program()?;
        program.position = Position::default();
        program.debuggee.stop_at(event, on::END);
        let max_steps = program.arguments.max_steps;
        program.debuggee.submit(&program.execution.traced.schedule, max_steps)?;
        Ok(())
    }

    /// Lets the execution come to its end, unseen. A process that ends with it is started again,
    /// and so is one that does not come to its end.
    pub fn finish_execution(&mut self) -> Outcome<()> {
        self.breakpoints(false)?;
        while self.program()?.debuggee.inside() {
            self.program()?.debuggee.stop_at(None, on::END);
            if let Stop::Signal(_) = self.go_for("-exec-continue", Some(HANG))? {
                let none = || Trouble::Refused("nothing is being debugged".into());
                let program = self.program.as_mut().ok_or_else(none)?;
                return Ok(program.debuggee.restart(&mut self.inbox)?);
            }
        }
        self.refresh()
    }

    /// A fresh process, where the last one has ended or will.
    fn refresh(&mut self) -> Outcome<()> {
        let Some(program) = self.program.as_mut() else { return Ok(()) };
        if program.debuggee.is_spent() {
            program.debuggee.restart(&mut self.inbox)?;
        }
        Ok(())
    }

    /// The execution was another one than the first time.
    fn differs(&mut self, stop: &Stop) -> Trouble {
        let text = "the execution did not repeat itself: the program depends on something that Raddle does not control";
        match stop {
            Stop::Ended(how) => Trouble::Over(format!("the test program {how}; {text}")),
            _ => Trouble::Refused(text.into()),
        }
    }
}
