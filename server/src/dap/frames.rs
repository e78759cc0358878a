//! Call stacks as a person wants them: the user's own frames, without ours, those of std and those
//! of libc above and below them.

use super::gdb::mi::Fields;
use crate::symbols::{Region, Symbols};
use std::path::Path;

/// Longest stack that is read.
pub const LONGEST: u32 = 400;

/// One frame of gdb's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// gdb's number: 0 is the innermost.
    pub level: u32,
    /// The function.
    pub function: String,
    /// The file, absolute; empty where it is not known.
    pub file: String,
    /// From 1; 0 where it is not known.
    pub line: u32,
    /// Where it goes on.
    pub address: u64,
    /// It is code that the user would call theirs.
    pub users: bool,
}

/// What tells the user's code from ours.
pub struct Whose {
    symbols: Symbols,
    /// Where the runtime's code lies.
    runtime: Vec<Region>,
}

impl Whose {
    /// In a process with this memory map.
    pub fn new(maps: &str) -> Whose {
        let of_runtime = |r: &Region| {
            r.path.as_deref().and_then(Path::file_name).is_some_and(|name| name == "libraddle_rt.so")
        };
        let runtime = crate::symbols::regions(maps).into_iter().filter(of_runtime).collect();
        Whose { symbols: Symbols::new(maps, crate::target::own_folders()), runtime }
    }

    /// From gdb's description of a frame.
    pub fn frame(&self, fields: &Fields) -> Frame {
        let address = fields.text("addr").trim_start_matches("0x");
        let address = u64::from_str_radix(address, 16).unwrap_or(0);
        let (file, full) = (fields.text("file"), fields.text("fullname"));
        let ours = self.runtime.iter().any(|r| (r.start..r.end).contains(&address));
        let is_users = |file: &str| !file.is_empty() && self.symbols.is_users(Path::new(file));
        Frame {
            level: fields.number("level").unwrap_or(0) as u32,
            function: fields.text("func").to_string(),
            file: full.to_string(),
            line: fields.number("line").unwrap_or(0) as u32,
            address,
            users: !ours && is_users(file) && is_users(full),
        }
    }
}

/// The function that a thread of the program begins with, on the stack that it borrows; what is
/// further out belongs to the lender.
const BASE: &str = "coroutine_func";

/// From the innermost frame of the user's to the outermost one.
pub fn users(frames: &[Frame]) -> &[Frame] {
    let base = frames.iter().position(|f| f.function.starts_with(BASE)).unwrap_or(frames.len());
    let frames = &frames[..base];
    let first = frames.iter().position(|f| f.users);
    let last = frames.iter().rposition(|f| f.users);
    match (first, last) {
        (Some(first), Some(last)) => &frames[first..=last],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_around_the_users_frames_is_left_out() {
        let frame = |level, users| Frame {
            level,
            function: String::new(),
            file: String::new(),
            line: 0,
            address: 0,
            users,
        };
        let mut stack: Vec<Frame> =
            [false, true, false, true, false].iter().zip(0..).map(|(u, n)| frame(n, *u)).collect();
        assert_eq!(users(&stack), &stack[1..4]);
        assert!(users(&stack[..1]).is_empty());
        stack[2].function = "coroutine_func<(), ()>".into();
        assert_eq!(users(&stack), &stack[1..2]);
    }
}
