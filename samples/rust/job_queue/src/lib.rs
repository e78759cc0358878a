//! A queue of jobs that a service closes when it shuts down.
//!
//! [`Queue::submit`] is the mistake: it sees that the queue is open, lets go of it to note the job in the
//! journal, and then puts the job in. A job that comes after [`Queue::close`] has taken out what was left
//! is never done, although its client was told so. [`Queue::submit_at_once`] puts it
//! in where it looks.
//!
//! One switch between these two functions shows it, among the hundreds of places where the threads
//! that serve requests can be switched: `--focus-method submit --focus-method close`.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard};

/// Jobs by number.
pub struct Queue {
    state: Mutex<State>,
    /// Lines of the journal.
    journal: Mutex<u32>,
    served: AtomicU32,
}

/// What the queue's lock protects.
struct State {
    waiting: Vec<u32>,
    is_closed: bool,
    done: Vec<u32>,
}

impl Queue {
    /// An open queue without jobs.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Queue {
        let state = State { waiting: Vec::new(), is_closed: false, done: Vec::new() };
        Queue { state: Mutex::new(state), journal: Mutex::new(0), served: AtomicU32::new(0) }
    }

    /// Takes a job, if the queue is open; wrong when it is closed meanwhile.
    pub fn submit(&self, job: u32) -> bool {
        if self.state().is_closed {
            return false;
        }
        self.note();
        self.state().waiting.push(job);
        true
    }

    /// Takes a job, if the queue is open then.
    pub fn submit_at_once(&self, job: u32) -> bool {
        self.note();
        let mut state = self.state();
        if !state.is_closed {
            state.waiting.push(job);
        }
        !state.is_closed
    }

    /// Does what is left; nothing is taken from now on.
    pub fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        let left = std::mem::take(&mut state.waiting);
        state.done.extend(left);
    }

    /// Has this job been done?
    pub fn is_done(&self, job: u32) -> bool {
        self.state().done.contains(&job)
    }

    /// A request that has nothing to do with jobs.
    pub fn serve(&self) {
        self.served.fetch_add(1, SeqCst);
        self.note();
    }

    fn note(&self) {
        *self.journal.lock().expect("no thread panics while it writes the journal") += 1;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics while it holds the queue")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    /// Other requests after each job.
    const REQUESTS: u32 = 40;

    /// A client submits jobs between other requests, while the service closes the queue and
    /// answers what still comes.
    fn shut_down(submit: fn(&Queue, u32) -> bool) {
        let queue = Queue::new();
        let mut taken = Vec::new();
        thread::scope(|s| {
            s.spawn(|| {
                for job in 0..3 {
                    if submit(&queue, job) {
                        taken.push(job);
                    }
                    (0..REQUESTS).for_each(|_| queue.serve());
                }
            });
            s.spawn(|| {
                queue.close();
                (0..2 * REQUESTS).for_each(|_| queue.serve());
            });
        });
        assert!(taken.iter().all(|job| queue.is_done(*job)), "a job that was taken is never done");
    }

    #[test]
    fn submit_and_close() {
        shut_down(Queue::submit);
    }

    #[test]
    fn submit_at_once_and_close() {
        shut_down(Queue::submit_at_once);
    }
}
