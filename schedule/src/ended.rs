//! Words of memory that say whether threads have ended: objects for those who ask without waiting
//! (`JoinHandle::is_finished`, `pthread_tryjoin_np`), where the program has such at all.

use crate::MAX_THREADS;

/// Where they lie, two for each thread. Nothing of the program does.
pub const BASE: u64 = 0x0f00_0000_0000;
/// Bytes from one to the next: whole words, so that no two overlap in any one's eyes.
const STRIDE: u64 = 8;
/// Bytes of the words of one kind.
const HALF: u64 = STRIDE * MAX_THREADS as u64;
/// Bytes of all.
pub const LENGTH: u64 = 2 * HALF;

/// The word that says that the thread with this number is through with its function.
pub const fn word(thread: u8) -> u64 {
    BASE + STRIDE * thread as u64
}

/// The word that says that it has nothing left to do: what a thread waits for that joins it.
pub const fn gone(thread: u8) -> u64 {
    word(thread) + HALF
}

/// Whose word this is, if it is one.
pub const fn thread(object: u64) -> Option<u8> {
    if object < BASE || object >= BASE + LENGTH {
        return None;
    }
    Some(((object - BASE) % HALF / STRIDE) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_has_a_word() {
        for n in 0..MAX_THREADS as u8 {
            assert_eq!((thread(word(n)), thread(gone(n))), (Some(n), Some(n)));
        }
        assert_eq!((thread(BASE - 1), thread(gone(MAX_THREADS as u8))), (None, None));
    }
}
