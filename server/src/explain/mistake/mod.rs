//! What kind of mistake a failure is. Each kind is one file that knows its pattern and nothing else; they are
//! asked in the order of [`KINDS`], from the surest to the least sure, and the first that recognises its own
//! says what should be otherwise. If none does, nothing is said.

mod atomicity;
mod barrier;
mod channels;
mod check_then_act;
mod freed;
mod gives_up;
mod goes_on;
mod held_itself;
mod initialisers;
mod lock_order;
mod missed_notification;
mod missing_notification;
mod misuse;
mod not_rechecked;
mod order;
mod owned_thread;
mod partly_alive;
mod recursive_read;
mod stale;
mod unjoined;
mod unprotected;
mod unreleased;
mod unseen;
mod wait_under_lock;

use super::case::{Case, Ends};
use super::sentence::Speaker;
use raddle_protocol::explanation::Mistake;

/// A kind of mistake.
trait Kind {
    /// Recognises it. A sentence must be true of this execution; what it advises may be wrong for the program,
    /// so it says what goes wrong first.
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake>;
}

/// All kinds. How it ended tells the first ones; the others go by the orders that decide.
const KINDS: [&dyn Kind; 25] = [
    &misuse::Misuse,
    &partly_alive::PartlyAlive,
    &unjoined::UnjoinedThread,
    &owned_thread::OwnedThread,
    &freed::UseAfterFree,
    &unprotected::UnprotectedAccess,
    &unreleased::UnreleasedLock,
    &initialisers::InitialisationCycle,
    &held_itself::HeldItself,
    &lock_order::LockOrder,
    &recursive_read::RecursiveReadLock,
    &unseen::Unseen,
    &missed_notification::MissedNotification,
    &missing_notification::MissingNotification,
    &wait_under_lock::WaitUnderLock,
    &check_then_act::CheckThenAct,
    &channels::Channels,
    &barrier::BarrierShort,
    &atomicity::AtomicityViolation,
    &not_rechecked::NotRechecked,
    &stale::StaleFlag,
    &gives_up::GivesUp,
    &channels::ReceiverDropped,
    &order::OrderViolation,
    &goes_on::GoesOn,
];

/// The kind of mistake, if it is known.
pub fn mistake(case: &Case) -> Option<Mistake> {
    if case.ends.follow_a_panic {
        // To wait for a thread that panicked is no mistake of its own.
        let ends = Ends { waits: Vec::new(), follow_a_panic: false, ..case.ends.clone() };
        return mistake(&Case { ends: &ends, ..*case });
    }
    let speaker = Speaker::new(case);
    KINDS.iter().find_map(|kind| kind.recognise(case, &speaker))
}

#[cfg(test)]
mod tests;
