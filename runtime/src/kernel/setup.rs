//! How the controlled world is set up.

use alloc::string::String;
use alloc::vec::Vec;
use raddle_schedule::Granularity;
use raddle_schedule::channel::Channel;

/// How the controlled world is set up, fixed when the runner starts.
pub struct Setup {
    /// The channel to the server.
    pub channel: Channel,
    /// Where switches may happen.
    pub granularity: Granularity,
    /// Points are restricted to functions with these names, unless there are none.
    pub points_at: Vec<String>,
    /// Functions and modules with these names are trusted: no points in them.
    pub trusted: Vec<String>,
    /// Dependencies with these names have all their points; `all` for every one.
    pub points_in: Vec<String>,
    /// Threads are real OS threads that pass a token.
    pub os_threads: bool,
    /// Every execution runs in a child process.
    pub fork: bool,
    /// The end of T0's body ends the other threads.
    pub main_kills: bool,
    /// What may happen by itself: the bits of [`raddle_schedule::Choice::by_itself`].
    pub by_itself: u32,
    /// The values of each input, as [`raddle_schedule::input::INPUTS`] lists them.
    pub inputs: Vec<Vec<u64>>,
    /// It has code whose accesses to memory nobody tells of.
    pub has_unwatched_code: bool,
    /// So many threads can be there at once, main included; 0 where creating one never fails.
    pub max_threads: u32,
    /// Small random ranges are inputs; see [`raddle_schedule::input::RANDOM`].
    pub random_choices: bool,
    /// There is a second CPU, so spinning for the other side pays.
    pub spin: bool,
}
