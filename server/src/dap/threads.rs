//! Threads and their call stacks.

use super::execution::is;
use super::frames::{self, Frame};
use super::session::{Outcome, Session, Trouble};
use raddle_schedule::OpKind;
use serde_json::{Value, json};

/// The protocol's number of a thread: some clients take 0 for none.
pub fn id(thread: u8) -> u64 {
    u64::from(thread) + 1
}

/// The thread with this number.
pub fn of_id(id: &Value) -> Option<u8> {
    id.as_u64().and_then(|id| u8::try_from(id.checked_sub(1)?).ok())
}

impl Session {
    /// `threads`: those that exist now, named as in reports.
    pub fn threads(&mut self) -> Value {
        let Some(program) = &self.program else { return json!({ "threads": [] }) };
        let threads = program.debuggee.threads().into_iter().map(|(thread, _)| thread);
        let shown = |thread| json!({ "id": id(thread), "name": program.execution.name(thread) });
        let threads: Vec<Value> = threads.map(shown).collect();
        json!({ "threads": threads })
    }

    /// The user's frames of a thread, innermost first.
    pub fn frames_of(&mut self, thread: u8) -> Outcome<(u64, Vec<Frame>)> {
        let none = || Trouble::Refused("nothing is being debugged".into());
        let program = self.program.as_mut().ok_or_else(none)?;
        let number = program.debuggee.thread_in_gdb(&mut self.inbox, thread)?;
        let stack = program.debuggee.stack(&mut self.inbox, number)?;
        Ok((number, frames::users(&stack).to_vec()))
    }

    /// `stackTrace`: from the user's innermost frame outwards.
    pub fn stack_trace(&mut self, arguments: &Value) -> Outcome {
        let thread = of_id(&arguments["threadId"])
            .ok_or_else(|| Trouble::Refused("`threadId` is no thread".into()))?;
        let (number, frames) = self.frames_of(thread)?;
        let all = frames.len().max(1);
        let from = arguments["startFrame"].as_u64().unwrap_or(0) as usize;
        let levels = arguments["levels"].as_u64().filter(|n| *n > 0).unwrap_or(u64::MAX) as usize;
        let mut shown = Vec::new();
        for frame in frames.iter().skip(from).take(levels) {
            let id = self.program()?.handles.frame(number, frame.level);
            shown.push(shown_frame(id, frame));
        }
        if frames.is_empty() && from == 0 {
            let name = self.nowhere(thread)?;
            shown.push(json!({ "id": 0, "name": name, "line": 0, "column": 0, "presentationHint": "label" }));
        }
        Ok(json!({ "stackFrames": shown, "totalFrames": all }))
    }

    /// Why a thread is in none of the user's functions.
    fn nowhere(&mut self, thread: u8) -> Outcome<&'static str> {
        let program = self.program()?;
        let so_far = usize::try_from(program.position.events).unwrap_or(0);
        let events = program.execution.events().iter().take(so_far);
        let last = events.rev().find(|e| e.thread == u32::from(thread));
        Ok(match last {
            None if thread != 0 => "has not started yet",
            Some(last) if is(last, OpKind::Exit) => "ends",
            _ => "outside of the program's functions",
        })
    }
}

fn shown_frame(id: u64, frame: &Frame) -> Value {
    let mut shown = json!({ "id": id, "name": frame.function, "line": frame.line, "column": 0 });
    if !frame.file.is_empty() {
        let name = frame.file.rsplit('/').next().unwrap_or(&frame.file);
        shown["source"] = json!({ "name": name, "path": frame.file });
    }
    if !frame.users {
        shown["presentationHint"] = json!("subtle");
    }
    shown
}
