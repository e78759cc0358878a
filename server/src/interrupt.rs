//! Ctrl-C, and SIGTERM: the first asks everything to come to an end with what it has, the second ends the
//! process at once (its runners die with it).

use crate::target::Hold;
use raddle_engine::StopReason;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Time between two looks at the signal while a build runs.
const LOOK: Duration = Duration::from_millis(50);

/// Was the process asked to end?
#[derive(Clone, Debug)]
pub struct Interrupt {
    seen: Arc<AtomicBool>,
    /// By SIGTERM.
    terminated: Arc<AtomicBool>,
    /// By a change of a source.
    changed: Arc<AtomicBool>,
}

impl Interrupt {
    /// One that no signal raises.
    pub fn by_hand() -> Interrupt {
        Interrupt { seen: Arc::default(), terminated: Arc::default(), changed: Arc::default() }
    }

    /// Asks for the end.
    pub fn raise(&self) {
        self.seen.store(true, Ordering::Relaxed);
    }

    /// The same because a source changed: everything begins again.
    pub fn raise_for_change(&self) {
        self.changed.store(true, Ordering::Relaxed);
        self.raise();
    }

    /// Did a change of a source ask for the end?
    pub fn is_for_change(&self) -> bool {
        self.changed.load(Ordering::Relaxed)
    }

    /// Takes the signals over.
    pub fn catch() -> Interrupt {
        let (flag, terminated) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        // Said before the other flag is: whoever sees that asks for this.
        let _ = signal_hook::flag::register(SIGTERM, terminated.clone());
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal finds the flag unset and sets it. Where the
            // handlers cannot be installed the signals keep ending the process, which is fine.
            let _ = signal_hook::flag::register_conditional_shutdown(signal, 130, flag.clone());
            let _ = signal_hook::flag::register(signal, flag.clone());
        }
        Interrupt { seen: flag, terminated, changed: Arc::default() }
    }

    /// Since the start of the process.
    pub fn seen(&self) -> bool {
        self.seen.load(Ordering::Relaxed)
    }

    /// Builds something. A signal ends the processes that it has started, their children included.
    pub fn build<T>(&self, build: impl FnOnce(&Hold) -> T) -> T {
        let hold = Hold::new();
        let (done, ended) = channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let ended = ended;
                while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                    if self.seen() {
                        return hold.end();
                    }
                }
            });
            // Is dropped behind the build, even if that panics.
            let _done = done;
            build(&hold)
        })
    }

    /// Who asked for it.
    pub fn reason(&self) -> StopReason {
        match (self.terminated.load(Ordering::Relaxed), self.is_for_change()) {
            (true, _) => StopReason::Terminated,
            (false, true) => StopReason::Changed,
            (false, false) => StopReason::Interrupted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;
    use std::time::Instant;

    #[test]
    fn a_signal_ends_what_a_build_has_started() {
        let interrupt = Interrupt::by_hand();
        let begun = Instant::now();
        let ended = interrupt.build(|hold| {
            interrupt.raise();
            hold.output(Command::new("sh").args(["-c", "sleep 1000 & wait"])).unwrap()
        });
        assert!(!ended.status.success() && begun.elapsed() < Duration::from_secs(500));
        assert_eq!(Interrupt::by_hand().build(|_| 7), 7);
    }
}
