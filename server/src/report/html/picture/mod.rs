//! A failing execution as a picture: a lane for each thread, a row for each operation, a block for each run of
//! a thread. What decides is outlined and joined by arrows, preemptions are the only red thing in the
//! lanes, who waits is hatched. Long executions are folded ([`rows`]).

mod draw;
mod fit;
mod frame;
mod rows;

use super::marks::Marks;
use super::source::Excerpts;
use maud::Markup;
use raddle_protocol::report::{Event, Failure};

/// Width from which on a picture has the page for itself.
const WIDE: usize = 900;
/// Colours that lanes have, in turn.
const HUES: usize = 8;

/// A picture.
pub struct Picture {
    /// As part of the page.
    pub svg: Markup,
    /// It leaves no room for anything beside it.
    pub is_wide: bool,
}

/// Draws it; `id` is the failure's address within the page.
pub fn draw(id: &str, marks: &Marks, excerpts: &Excerpts) -> Picture {
    let frame = frame::Frame::new(marks);
    let svg = draw::Drawing { id, marks, excerpts, frame: &frame }.draw();
    Picture { svg, is_wide: frame.width() > WIDE }
}

/// The threads of an execution, by number.
pub fn threads(f: &Failure) -> Vec<&str> {
    let mut all: Vec<&str> = f.threads.iter().map(|t| t.thread.as_str()).collect();
    for e in &f.events {
        if !all.contains(&e.thread.as_str()) {
            all.push(&e.thread);
        }
    }
    all.sort_by_key(|t| t.trim_start_matches('T').parse().unwrap_or(u32::MAX));
    all
}

/// The colour of a thread.
pub fn hue(f: &Failure, thread: &str) -> usize {
    threads(f).iter().position(|t| *t == thread).unwrap_or(0) % HUES
}

/// An operation in words.
pub fn words(e: &Event) -> String {
    match e.text.as_str() {
        "" => format!("{} {}", e.operation, e.object).trim_end().to_string(),
        text => text.to_string(),
    }
}
