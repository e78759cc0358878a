//! Where named semaphores lie: within an execution they are objects of this process, at addresses that follow from their
//! names, so that they are the same in every order of what threads do.

/// Where they lie. Nothing of the program does.
pub const BASE: u64 = 0x0f10_0000_0000;
/// Places for names.
const PLACES: u64 = 1024;
/// Bytes from one semaphore to the next.
const SIZE: u64 = 64;
/// Semaphores of one name that are open at once, each but the last unlinked.
pub const MOST: usize = 15;
/// Bytes of a name's place: a word that stands for the name, and the semaphores.
const PLACE: u64 = SIZE * (MOST as u64 + 1);
/// Bytes of all.
pub const LENGTH: u64 = PLACES * PLACE;

/// The word that stands for this name.
pub fn word(name: &[u8]) -> u64 {
    // Fowler, Noll, Vo.
    let mixed = name
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |h: u64, b| (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3));
    BASE + (mixed >> 32) % PLACES * PLACE
}

/// The semaphore with this number at the place of a name.
pub const fn semaphore(word: u64, number: usize) -> u64 {
    word + SIZE * (number as u64 + 1)
}

/// Is this a named semaphore, or the word of a name?
pub const fn is(object: u64) -> bool {
    BASE <= object && object < BASE + LENGTH
}

/// Is this the word of a name?
pub const fn is_word(object: u64) -> bool {
    is(object) && (object - BASE).is_multiple_of(PLACE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_places_of_their_own() {
        let (one, two) = (word(b"one"), word(b"two"));
        assert_ne!(one, two);
        assert!(is_word(one) && is_word(two) && !is_word(semaphore(one, 0)) && !is_word(BASE - PLACE));
        assert!(is(semaphore(one, MOST - 1)) && semaphore(one, MOST - 1) < one + PLACE);
    }
}
