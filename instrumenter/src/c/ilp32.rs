//! Files that went through the preprocessor on a 32-bit machine, as those of SV-COMP did: the types of the C library in them are
//! smaller than the ones of the library that the program is linked with here, which would write beyond them. What is inserted
//! makes the objects of pthreads, semaphores, jump buffers and `size_t` as large as they are here. `long` and pointers are wider
//! than they were there; that is said ([`is_from_32_bit`]).

use crate::edits::Edits;

/// Was this text preprocessed for a machine of 32 bits?
pub fn is_from_32_bit(text: &str) -> bool {
    text.contains("typedef unsigned int size_t;")
}

/// What declares one of the types that differ: a part of the line, where in it something is missing, and what.
const TYPES: [(&str, &str, &str); 9] = [
    ("typedef unsigned int size_t;", "typedef unsigned ", "long "),
    ("typedef int __ssize_t;", "typedef ", "long "),
    ("typedef int ptrdiff_t;", "typedef ", "long "),
    ("typedef int __jmp_buf[6];", "typedef ", "long "),
    ("char __size[36];", "char __size[36", "+20"),
    ("char __size[24];", "char __size[24", "+16"),
    ("char __size[32];", "char __size[32", "+24"),
    ("char __size[20];", "char __size[20", "+12"),
    ("char __size[16];", "char __size[16", "+16"),
];

/// Inserts what is missing, in the order: `pthread_attr_t`, `pthread_mutex_t`, `pthread_rwlock_t`, `pthread_barrier_t`, `sem_t`.
pub fn mend(text: &str, edits: &mut Edits) {
    if !is_from_32_bit(text) {
        return;
    }
    for (whole, before, missing) in TYPES {
        for (at, _) in text.match_indices(whole) {
            edits.insert(at + before.len(), missing);
        }
    }
    for (at, found) in text.match_indices("__jmp_buf[6") {
        edits.insert(at + found.len(), "+2");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mended(text: &str) -> String {
        let mut edits = Edits::default();
        mend(text, &mut edits);
        edits.apply(text)
    }

    #[test]
    fn types_are_made_as_large_as_here() {
        let text = "typedef unsigned int size_t;\ntypedef int __jmp_buf[6];\nunion pthread_attr_t\n{\n  char __size[36];\n};\n\
                    typedef union {\n  char __size[24];\n} pthread_mutex_t;\n";
        assert_eq!(
            mended(text),
            "typedef unsigned long int size_t;\ntypedef long int __jmp_buf[6+2];\nunion pthread_attr_t\n{\n  \
             char __size[36+20];\n};\ntypedef union {\n  char __size[24+16];\n} pthread_mutex_t;\n"
        );
    }

    #[test]
    fn others_stay_as_they_are() {
        let text = "typedef unsigned long int size_t;\ntypedef union {\n  char __size[32];\n} sem_t;\n";
        assert_eq!(mended(text), text);
    }
}
