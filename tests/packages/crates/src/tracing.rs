//! tracing.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Counts events, in one step or in two.
struct Counts {
    events: &'static AtomicU32,
    in_one_step: bool,
}

impl Subscriber for Counts {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {
        if self.in_one_step {
            self.events.fetch_add(1, SeqCst);
        } else {
            self.events.store(self.events.load(SeqCst) + 1, SeqCst);
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

fn two_events(events: &'static AtomicU32, in_one_step: bool) -> u32 {
    tracing::subscriber::set_global_default(Counts { events, in_one_step }).unwrap();
    let say = || tracing::info!(n = 1, "said");
    thread::scope(|s| {
        s.spawn(say);
        s.spawn(say);
    });
    events.load(SeqCst)
}

#[test]
fn right_both_events_are_counted() {
    static EVENTS: AtomicU32 = AtomicU32::new(0);
    assert_eq!(two_events(&EVENTS, true), 2);
}

#[test]
fn wrong_a_subscriber_that_loads_and_stores() {
    static EVENTS: AtomicU32 = AtomicU32::new(0);
    assert_eq!(two_events(&EVENTS, false), 2);
}
