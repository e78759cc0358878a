//! A thread of C++ that is neither joined nor detached when its `std::thread` is destroyed: the program ends there.

use super::Kind;
use crate::explain::case::Case;
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::Mistake;

/// The destructor of a `std::thread` ends the program.
pub struct UnjoinedThread;

impl Kind for UnjoinedThread {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        let thread = case.thread.filter(|_| case.ends.is_unjoined)?;
        let at = case.failed.map(|l| format!(" ({})", speaker.line(l))).unwrap_or_default();
        let text = format!(
            "T{thread} destroys a std::thread{at} that it has neither joined nor detached. Join it on every path, whatever the other \
             threads have done by then, or use std::jthread."
        );
        Some(Mistake { kind: "thread not joined".into(), text, section: None, objects: Vec::new() })
    }
}
