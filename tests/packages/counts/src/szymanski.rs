//! Szymanski's protocol with waits of a bounded number of tries.

use crate::threads::run_all;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

#[derive(Default)]
struct Shared {
    flags: [AtomicUsize; 2],
    x: AtomicUsize,
    rounds: usize,
    tries: usize,
}

impl Shared {
    /// Waits until it holds; `None` when the tries are over.
    fn wait(&self, holds: impl Fn() -> bool) -> Option<()> {
        (0..self.tries).find(|_| holds()).map(|_| ())
    }

    fn enter(&self, id: usize) -> Option<()> {
        let (me, o) = (&self.flags[id], || self.flags[1 - id].load(SeqCst));
        for _ in 0..self.rounds {
            me.store(1, SeqCst);
            self.wait(|| o() < 3)?;
            me.store(3, SeqCst);
            if o() == 1 {
                me.store(2, SeqCst);
                self.wait(|| o() == 4)?;
            }
            me.store(4, SeqCst);
            self.wait(|| o() < 2)?;
            self.x.store(id, SeqCst);
            self.x.load(SeqCst);
            // A second load only if the first fails.
            self.wait(|| o() < 2 || o() > 3)?;
            me.store(0, SeqCst);
        }
        Some(())
    }
}

fn szymanski(rounds: usize, tries: usize) {
    run_all(2, Shared { rounds, tries, ..Shared::default() }, |shared, id| {
        let _ = shared.enter(id);
    });
}

#[test]
fn szymanski_1_1() {
    szymanski(1, 1);
}

#[test]
fn szymanski_1_2() {
    szymanski(1, 2);
}

#[test]
fn szymanski_1_3() {
    szymanski(1, 3);
}

#[test]
fn szymanski_2_1() {
    szymanski(2, 1);
}
