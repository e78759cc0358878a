//! Ctrl-C, and SIGTERM: the first asks everything to come to an end with what it has, the second ends the
//! process at once (its runners die with it).

use raddle_engine::StopReason;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Was the process asked to end?
#[derive(Clone, Debug)]
pub struct Interrupt {
    seen: Arc<AtomicBool>,
    /// By SIGTERM.
    terminated: Arc<AtomicBool>,
}

impl Interrupt {
    /// One that no signal raises.
    pub fn by_hand() -> Interrupt {
        Interrupt { seen: Arc::default(), terminated: Arc::default() }
    }

    /// Asks for the end.
    pub fn raise(&self) {
        self.seen.store(true, Ordering::Relaxed);
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
        Interrupt { seen: flag, terminated }
    }

    /// Since the start of the process.
    pub fn seen(&self) -> bool {
        self.seen.load(Ordering::Relaxed)
    }

    /// Who asked for it.
    pub fn reason(&self) -> StopReason {
        match self.terminated.load(Ordering::Relaxed) {
            true => StopReason::Terminated,
            false => StopReason::Interrupted,
        }
    }
}
