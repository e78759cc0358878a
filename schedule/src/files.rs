//! Functions of libc by which threads can tell each other something through files: what each does to a file and to the place
//! in it at which a descriptor stands, or to names of files. The runtime follows it (`runtime/src/interpose/order.rs`), since
//! none of this is a step: where the order of two threads could be found out, the guarantee says so.

/// What a function works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// The descriptor that is this argument.
    Descriptor(u8),
    /// The stream that is this argument.
    Stream(u8),
    /// The path that is this argument.
    Path(u8),
    /// The path that is this argument, in the folder that is the one before.
    PathIn(u8),
    /// Standard input.
    Input,
    /// Standard output.
    Output,
}

/// It changes what is in the file.
pub const WRITES: u8 = 1;
/// It finds out what is in the file, or how long it is.
pub const READS: u8 = 2;
/// It changes where the descriptor stands.
pub const MOVES: u8 = 4;
/// It finds out where the descriptor stands, or goes by it.
pub const STANDS: u8 = 8;
/// It makes the path, or takes it away.
pub const NAMES: u8 = 16;
/// It changes what other paths lead to: a folder, a link.
pub const FOLDERS: u8 = 32;

/// Adds something at the place where the descriptor stands.
const ADDS: u8 = WRITES | MOVES;
/// Takes what is there.
const TAKES: u8 = READS | MOVES | STANDS;

/// What a function does to files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// The function.
    pub name: &'static str,
    /// What it works on.
    pub on: On,
    /// What it does there. (A path it looks up in any case.)
    pub does: u8,
}

const fn does(name: &'static str, on: On, does: u8) -> Use {
    Use { name, on, does }
}

/// All of them, sorted by name. What those do that open a file follows from how they do (`open`, `fopen`).
pub const USES: &[Use] = &{
    use On::{Descriptor, Input, Output, Path, PathIn, Stream};
    [
        does("__dprintf_chk", Descriptor(0), ADDS),
        does("__fgets_chk", Stream(3), TAKES),
        does("__fprintf_chk", Stream(0), ADDS),
        does("__fread_chk", Stream(4), TAKES),
        does("__getdelim", Stream(3), TAKES),
        does("__isoc23_fscanf", Stream(0), TAKES),
        does("__isoc23_scanf", Input, TAKES),
        does("__isoc23_vfscanf", Stream(0), TAKES),
        does("__isoc23_vscanf", Input, TAKES),
        does("__isoc99_fscanf", Stream(0), TAKES),
        does("__isoc99_scanf", Input, TAKES),
        does("__isoc99_vfscanf", Stream(0), TAKES),
        does("__isoc99_vscanf", Input, TAKES),
        does("__open64_2", Path(0), 0),
        does("__open_2", Path(0), 0),
        does("__openat64_2", PathIn(1), 0),
        does("__openat_2", PathIn(1), 0),
        does("__pread64_chk", Descriptor(0), READS),
        does("__pread_chk", Descriptor(0), READS),
        does("__printf_chk", Output, ADDS),
        does("__read_chk", Descriptor(0), TAKES),
        does("__uflow", Stream(0), TAKES),
        does("__vdprintf_chk", Descriptor(0), ADDS),
        does("__vfprintf_chk", Stream(0), ADDS),
        does("__vprintf_chk", Output, ADDS),
        does("access", Path(0), 0),
        does("creat", Path(0), NAMES | WRITES),
        does("creat64", Path(0), NAMES | WRITES),
        does("dprintf", Descriptor(0), ADDS),
        does("faccessat", PathIn(1), 0),
        does("fclose", Stream(0), ADDS),
        does("feof", Stream(0), STANDS),
        does("fflush", Stream(0), ADDS),
        does("fgetc", Stream(0), TAKES),
        does("fgetc_unlocked", Stream(0), TAKES),
        does("fgetpos", Stream(0), STANDS),
        does("fgets", Stream(2), TAKES),
        does("fopen", Path(0), 0),
        does("fopen64", Path(0), 0),
        does("fprintf", Stream(0), ADDS),
        does("fputc", Stream(1), ADDS),
        does("fputs", Stream(1), ADDS),
        does("fread", Stream(3), TAKES),
        does("fscanf", Stream(0), TAKES),
        does("fseek", Stream(0), ADDS | READS),
        does("fseeko", Stream(0), ADDS | READS),
        does("fseeko64", Stream(0), ADDS | READS),
        does("fsetpos", Stream(0), ADDS),
        does("fstat", Descriptor(0), READS),
        does("fstat64", Descriptor(0), READS),
        does("fstatat", PathIn(1), READS),
        does("fstatat64", PathIn(1), READS),
        does("ftell", Stream(0), STANDS),
        does("ftello", Stream(0), STANDS),
        does("ftello64", Stream(0), STANDS),
        does("ftruncate", Descriptor(0), WRITES),
        does("ftruncate64", Descriptor(0), WRITES),
        does("fwrite", Stream(3), ADDS),
        does("getc", Stream(0), TAKES),
        does("getc_unlocked", Stream(0), TAKES),
        does("getchar", Input, TAKES),
        does("getchar_unlocked", Input, TAKES),
        does("getdelim", Stream(3), TAKES),
        does("getline", Stream(2), TAKES),
        does("link", Path(1), FOLDERS),
        does("lseek", Descriptor(0), MOVES | STANDS | READS),
        does("lseek64", Descriptor(0), MOVES | STANDS | READS),
        does("lstat", Path(0), READS),
        does("lstat64", Path(0), READS),
        does("mkdir", Path(0), FOLDERS),
        does("open", Path(0), 0),
        does("open64", Path(0), 0),
        does("openat", PathIn(1), 0),
        does("openat64", PathIn(1), 0),
        does("opendir", Path(0), 0),
        does("pread", Descriptor(0), READS),
        does("pread64", Descriptor(0), READS),
        does("printf", Output, ADDS),
        does("putc", Stream(1), ADDS),
        does("putchar", Output, ADDS),
        does("puts", Output, ADDS),
        does("pwrite", Descriptor(0), WRITES),
        does("pwrite64", Descriptor(0), WRITES),
        does("read", Descriptor(0), TAKES),
        does("remove", Path(0), NAMES | FOLDERS),
        does("rename", Path(1), FOLDERS),
        does("renameat", PathIn(3), FOLDERS),
        does("rewind", Stream(0), ADDS),
        does("rmdir", Path(0), FOLDERS),
        does("scanf", Input, TAKES),
        does("send", Descriptor(0), ADDS),
        does("sendto", Descriptor(0), ADDS),
        does("stat", Path(0), READS),
        does("stat64", Path(0), READS),
        does("statx", PathIn(1), READS),
        does("symlink", Path(1), FOLDERS),
        does("truncate", Path(0), WRITES),
        does("truncate64", Path(0), WRITES),
        does("ungetc", Stream(1), ADDS),
        does("unlink", Path(0), NAMES),
        does("unlinkat", PathIn(1), NAMES | FOLDERS),
        does("vdprintf", Descriptor(0), ADDS),
        does("vfprintf", Stream(0), ADDS),
        does("vfscanf", Stream(0), TAKES),
        does("vprintf", Output, ADDS),
        does("vscanf", Input, TAKES),
        does("write", Descriptor(0), ADDS),
        does("writev", Descriptor(0), ADDS),
    ]
};

/// What the function of this name does, if it is one of them.
pub fn of(name: &[u8]) -> Option<&'static Use> {
    USES.binary_search_by(|use_| use_.name.as_bytes().cmp(name)).ok().map(|at| &USES[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_by_their_names() {
        assert!(USES.is_sorted_by(|a, b| a.name < b.name));
        assert!(USES.iter().all(|one| of(one.name.as_bytes()) == Some(one)));
    }
}
