//! What a program does outside of the steps of its executions, which the search has to know of: bits of
//! [`super::Header::outside`], set by the runner and never cleared.

/// An operation of a dependency was carried out with the step before.
pub const GOES_ALONG: u32 = 1;
/// Whether descriptors are ready was asked when there were several threads.
pub const ASKS_FOR_READY: u32 = 2;
/// Memory was named by the arguments of a format that cannot be followed (numbered arguments).
pub const UNREAD_FORMAT: u32 = 4;
/// Named semaphores were opened.
pub const NAMED_SEMAPHORES: u32 = 8;
/// A clock was read. Time is virtual, and the same in each execution.
pub const READS_CLOCK: u32 = 1 << 16;
/// Random bytes were asked for, which are the same in each execution.
pub const DRAWS_RANDOM: u32 = 1 << 17;
/// The same, for the keys of std's hash maps.
pub const SEEDS_HASHES: u32 = 1 << 18;
/// Standard input was read, which is empty.
pub const READS_INPUT: u32 = 16;
/// The end of a scope of Rust's waited for a thread that did something in destructors of its thread-locals.
pub const SCOPE_AND_LOCALS: u32 = 32;
/// The order in which threads did something to files could have been found out.
pub const ORDERS_FILES: u32 = 64;
/// A thread could have waited for others while it had a read-write lock of Rust's for reading, for something else than a lock.
pub const WAITS_WHILE_READING: u32 = 128;
/// The same for a mutex, or to write.
pub const LOCKS_WHILE_READING: u32 = 256;
/// A thread that had a mutex, or a read-write lock to write, could have waited for something else than these.
pub const WAITS_WHILE_HOLDING: u32 = 512;
/// A read-write lock of Rust's was taken to write when threads had been spawned.
pub const WRITES_BESIDE_OTHERS: u32 = 1024;
/// An allocation was answered with NULL, for which there might be room without Raddle.
pub const NO_ROOM: u32 = 2048;
