//! Robust mutexes: one whose holder has ended passes to the next that locks it, who is told so and may set right what it
//! guards. Who gives it back without having done so leaves a mutex that nobody can have any more.

use super::{event, mutex};
use crate::kernel::k;
use raddle_schedule::OpKind;

/// What is the matter with a robust mutex.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Somebody holds it and nothing is the matter.
    Held,
    /// Its holder has ended.
    Died,
    /// Its holder knows that the one before has ended.
    Inconsistent,
    /// Nobody can have it any more.
    Lost,
}

/// A robust mutex that is held, or that something is the matter with.
pub struct Robust {
    address: u64,
    holder: u8,
    state: State,
}

/// What comes of taking one.
pub enum Taken {
    /// It is the caller's.
    Mine,
    /// It is the caller's, and its holder before has ended.
    OwnerDied,
    /// It cannot be had.
    Lost,
}

/// The running thread has just taken this robust mutex.
pub fn taken(address: u64) -> Taken {
    let kernel = k();
    let me = kernel.current;
    let Some(known) = kernel.robust.iter_mut().find(|r| r.address == address) else {
        kernel.robust.push(Robust { address, holder: me, state: State::Held });
        return Taken::Mine;
    };
    known.holder = me;
    match known.state {
        State::Lost => {
            // Nobody comes between: it is given back in the same step.
            kernel.inline(event(OpKind::Unlock, address, 0));
            mutex::release(address);
            Taken::Lost
        }
        State::Died | State::Inconsistent => {
            known.state = State::Inconsistent;
            Taken::OwnerDied
        }
        State::Held => Taken::Mine,
    }
}

/// The running thread is about to give this robust mutex back.
pub fn gives_back(address: u64) {
    let is_lost = |r: &Robust| r.state == State::Inconsistent;
    match k().robust.iter_mut().find(|r| r.address == address) {
        Some(known) if is_lost(known) => known.state = State::Lost,
        _ => forget(address),
    }
}

/// What it guards is as it should be again. `false` if nothing was the matter, or the thread does not hold it.
pub fn consistent(address: u64) -> bool {
    let mine = mutex::mine(address);
    let known = k().robust.iter_mut().find(|r| r.address == address && r.state == State::Inconsistent);
    match known {
        Some(known) if mine => {
            known.state = State::Held;
            true
        }
        _ => false,
    }
}

/// It is something new, or nothing is known of it.
pub fn forget(address: u64) {
    k().robust.retain(|r| r.address != address);
}

/// The running thread ends: what it holds passes to whoever comes next.
pub fn holder_ends() {
    let me = k().current;
    let held = |r: &&mut Robust| r.holder == me && matches!(r.state, State::Held | State::Inconsistent);
    while let Some(robust) = k().robust.iter_mut().rev().find(held) {
        robust.state = State::Died;
        let address = robust.address;
        mutex::unlock(address, 0);
    }
}
