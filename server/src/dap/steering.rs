//! The custom requests: the schedule and where it stands, and choosing which thread goes next.

use super::execution::Execution;
use super::session::{Outcome, Session, Trouble};
use super::transport::Request;
use raddle_schedule::{Choice, MAX_THREADS, Schedule};
use serde_json::{Value, json};

/// The event that a request names.
pub fn event(arguments: &Value) -> Outcome<u64> {
    arguments["event"]
        .as_u64()
        .ok_or_else(|| Trouble::Refused("`event` is not the number of an event".into()))
}

impl Session {
    /// `raddle/events`.
    pub fn events(&mut self) -> Outcome {
        let position = self.position()?;
        let shown = serde_json::to_value(&self.program()?.execution.traced.interleaving);
        let shown = shown.map_err(|e| Trouble::Refused(format!("cannot show the execution: {e}")))?;
        Ok(json!({ "version": 1, "position": position, "interleaving": shown }))
    }

    /// `raddle/choices`: the threads that can make the next step. Standing right at an event, that
    /// is the event's own: it is recorded, and not done yet.
    pub fn choices(&mut self) -> Outcome {
        let program = self.program()?;
        let next = program.execution.next_step(program.position.next());
        let event = next.and_then(|e| program.execution.event(e));
        let threads = event.map(|e| e.enabled.as_slice()).unwrap_or_default();
        let named = |t: &u32| json!({ "thread": t, "name": program.execution.name(*t as u8) });
        let threads: Vec<Value> = threads.iter().map(named).collect();
        Ok(json!({
            "version": 1, "event": next, "step": event.and_then(|e| e.step),
            "threads": threads, "chosen": event.map(|e| e.thread),
        }))
    }

    /// `raddle/choose`: another thread makes the next step. It stops there, and by default nobody
    /// is preempted after it. With the thread that makes it anyway, all stays as it is.
    pub fn choose(&mut self, request: &Request) -> Outcome<()> {
        let thread = chosen(&request.arguments)?;
        let program = self.program()?;
        let none = || Trouble::Refused("no thread can make a step any more: the execution ends here".into());
        let next = program.execution.next_step(program.position.next()).ok_or_else(none)?;
        if program.execution.event(next).is_some_and(|e| e.thread == u32::from(thread)) {
            let schedule = program.execution.traced.interleaving.schedule.clone();
            self.client.answer(request, json!({ "version": 1, "schedule": schedule }));
            let stop = self.run_to(next)?;
            return self.tell(&stop, "goto");
        }
        let schedule = program.execution.with_choice(next, thread).ok_or_else(|| {
            Trouble::Refused(format!("T{thread} cannot make the next step; `raddle/choices` says who can"))
        })?;
        let execution = Execution::make(program.execution.number + 1, &schedule, &mut program.tracer)?;
        let schedule = execution.traced.interleaving.schedule.clone();
        self.client.answer(request, json!({ "version": 1, "schedule": schedule }));
        self.finish_execution()?;
        self.program()?.execution = execution;
        let stop = self.run_to(next)?;
        self.tell(&stop, "goto")
    }
}

/// The thread that a request names: `{"thread": 2}`, or as in schedules `{"choice": "T2"}`.
fn chosen(arguments: &Value) -> Outcome<u8> {
    let of_choice = || match format!("sync@0:{}", arguments["choice"].as_str()?).parse::<Schedule>() {
        Ok(Schedule { deltas, .. }) => match deltas.first()?.choice {
            Choice::Thread(thread) => Some(thread),
            _ => None,
        },
        Err(_) => None,
    };
    let of_number = arguments["thread"].as_u64().and_then(|t| u8::try_from(t).ok());
    let thread = of_number.or_else(of_choice).filter(|t| usize::from(*t) < MAX_THREADS);
    thread.ok_or_else(|| Trouble::Refused("`thread` is not the number of a thread".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read() {
        let read = |v: Value| chosen(&v).ok();
        assert_eq!(read(json!({"thread": 2})), Some(2));
        assert_eq!(read(json!({"choice": "T3"})), Some(3));
        assert_eq!(read(json!({"choice": "w3"})), None);
        assert_eq!(read(json!({"thread": 64})), None);
        assert_eq!(read(json!({})), None);
    }
}
