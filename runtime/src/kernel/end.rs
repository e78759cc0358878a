//! The end of an execution, and the panic of a thread.

use alloc::string::String;
use alloc::vec::Vec;
use raddle_schedule::Outcome;
use raddle_schedule::misuse::Misuse;

/// A thread's panic.
#[derive(Clone)]
pub struct Panic {
    /// Where, as a site.
    pub site: u32,
    /// What it says.
    pub message: String,
}

impl Panic {
    /// Does it only pass another thread's on (`join().unwrap()`, the end of a scope)? It says nothing then.
    pub fn passes_on(&self) -> bool {
        ["Any { .. }", "a scoped thread panicked"].iter().any(|what| self.message.contains(what))
    }
}

/// The end of an execution.
#[derive(Default)]
pub struct End {
    /// How it ended; meaningful once `done`.
    pub outcome: Outcome,
    /// It has ended.
    pub done: bool,
    /// Signal, status, step: as in `Trace::code`.
    pub code: u32,
    /// Who failed, if it is not who ran last: main ends with what another thread's panic says.
    pub thread: Option<u8>,
    /// Where, as a site.
    pub site: u32,
    /// Where, as an address.
    pub pc: u64,
    /// Frames further in than the one that goes on at this address are those of a check, and are not told; 0 for none.
    pub within: u64,
    /// What a panic, an assertion or a refusal says.
    pub message: String,
    /// What ended it, if that was misuse.
    pub misuse: Option<Misuse>,
    /// Call stack of the end.
    pub stack: Vec<u64>,
}
