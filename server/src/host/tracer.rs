//! The process that a session keeps for single schedules, so that steering by hand feels immediate.
//! It has a thread of its own, which lasts as long as the session is remembered; program and
//! symbols are let go when nobody has asked for a while.

use super::worker::guarded;
use crate::error::Result;
use crate::interleaving::{Subject, Traced, Tracer};
use raddle_protocol::wire::{RpcError, code};
use raddle_schedule::Schedule;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Nobody asks any more.
const IDLE: Duration = Duration::from_secs(30);

/// A schedule, and what is to be done with its execution.
struct Job {
    schedule: Schedule,
    then: Box<dyn FnOnce(Result<Traced>) + Send>,
}

/// The way to it. It ends when this is dropped.
pub struct Handle(Sender<Job>);

impl Handle {
    /// Starts the thread; the program is started by the first schedule.
    pub fn new(subject: Subject) -> std::result::Result<Handle, RpcError> {
        let (sender, jobs) = channel();
        let thread = std::thread::Builder::new().name("raddle-tracer".into()).stack_size(crate::STACK);
        thread
            .spawn(move || run(&subject, &jobs))
            .map_err(|e| RpcError::new(code::INTERNAL, format!("cannot start a thread: {e}")))?;
        Ok(Handle(sender))
    }

    /// Runs a schedule; `then` is called on the tracer's thread.
    pub fn ask(&self, schedule: Schedule, then: impl FnOnce(Result<Traced>) + Send + 'static) {
        // It is there as long as this handle.
        let _ = self.0.send(Job { schedule, then: Box::new(then) });
    }
}

fn run(subject: &Subject, jobs: &Receiver<Job>) {
    let mut tracer = None;
    loop {
        match jobs.recv_timeout(IDLE) {
            Ok(Job { schedule, then }) => {
                // One that panicked is not used again.
                let mut used = tracer.take();
                let traced = guarded(|| {
                    let mut ready = match used.take() {
                        Some(ready) => ready,
                        None => Tracer::new(subject.clone())?,
                    };
                    let traced = ready.run(&schedule);
                    Ok((ready, traced))
                });
                let traced = traced.and_then(|ran| ran).and_then(|(ready, traced)| {
                    tracer = Some(ready);
                    traced
                });
                if let Err(e) = guarded(|| then(traced)) {
                    eprintln!("raddle host: {e}");
                }
            }
            Err(RecvTimeoutError::Timeout) => tracer = None,
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}
