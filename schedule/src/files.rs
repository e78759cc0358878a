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
    /// The folder that is this argument, opened.
    Folder(u8),
    /// What the process has one of: the folder it is in, the rights that new files do not have.
    Process,
    /// Standard input.
    Input,
    /// Standard output.
    Output,
    /// Standard error.
    Error,
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
/// It changes where paths begin, or what files are made like.
pub const PROCESS: u8 = 64;

/// It writes what the stream holds back, if that is anything.
pub const PENDING: u8 = 128;
/// As its arguments say ([`seeks`]).
const SEEKS: u8 = MOVES | STANDS | READS;
/// Adds something at the place where the descriptor stands.
const ADDS: u8 = WRITES | MOVES;
/// Takes what is there.
pub const TAKES: u8 = READS | MOVES | STANDS;

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
    use On::{Descriptor, Error, Folder, Input, Output, Path, PathIn, Process, Stream};
    [
        does("__dprintf_chk", Descriptor(0), ADDS),
        does("__fgets_chk", Stream(3), TAKES),
        does("__fgets_unlocked_chk", Stream(3), TAKES),
        does("__fgetws_chk", Stream(3), TAKES),
        does("__fgetws_unlocked_chk", Stream(3), TAKES),
        does("__fprintf_chk", Stream(0), ADDS),
        does("__fread_chk", Stream(4), TAKES),
        does("__fread_unlocked_chk", Stream(4), TAKES),
        does("__fwprintf_chk", Stream(0), ADDS),
        does("__getcwd_chk", Process, 0),
        does("__getdelim", Stream(3), TAKES),
        does("__gets_chk", Input, TAKES),
        does("__isoc23_fscanf", Stream(0), TAKES),
        does("__isoc23_fwscanf", Stream(0), TAKES),
        does("__isoc23_scanf", Input, TAKES),
        does("__isoc23_vfscanf", Stream(0), TAKES),
        does("__isoc23_vfwscanf", Stream(0), TAKES),
        does("__isoc23_vscanf", Input, TAKES),
        does("__isoc23_vwscanf", Input, TAKES),
        does("__isoc23_wscanf", Input, TAKES),
        does("__isoc99_fscanf", Stream(0), TAKES),
        does("__isoc99_fwscanf", Stream(0), TAKES),
        does("__isoc99_scanf", Input, TAKES),
        does("__isoc99_vfscanf", Stream(0), TAKES),
        does("__isoc99_vfwscanf", Stream(0), TAKES),
        does("__isoc99_vscanf", Input, TAKES),
        does("__isoc99_vwscanf", Input, TAKES),
        does("__isoc99_wscanf", Input, TAKES),
        does("__open64_2", Path(0), 0),
        does("__open_2", Path(0), 0),
        does("__openat64_2", PathIn(1), 0),
        does("__openat_2", PathIn(1), 0),
        does("__overflow", Stream(0), ADDS),
        does("__pread64_chk", Descriptor(0), READS),
        does("__pread_chk", Descriptor(0), READS),
        does("__printf_chk", Output, ADDS),
        does("__read_chk", Descriptor(0), TAKES),
        does("__readlink_chk", Path(0), 0),
        does("__readlinkat_chk", PathIn(1), 0),
        does("__uflow", Stream(0), TAKES),
        does("__vdprintf_chk", Descriptor(0), ADDS),
        does("__vfprintf_chk", Stream(0), ADDS),
        does("__vfwprintf_chk", Stream(0), ADDS),
        does("__vprintf_chk", Output, ADDS),
        does("__vwprintf_chk", Output, ADDS),
        does("__wprintf_chk", Output, ADDS),
        does("access", Path(0), 0),
        does("addmntent", Stream(0), ADDS),
        does("chdir", Path(0), PROCESS),
        does("chmod", Path(0), WRITES | NAMES),
        does("creat", Path(0), NAMES | WRITES),
        does("creat64", Path(0), NAMES | WRITES),
        does("dprintf", Descriptor(0), ADDS),
        does("err", Error, ADDS),
        does("error", Error, ADDS),
        does("error_at_line", Error, ADDS),
        does("errx", Error, ADDS),
        does("faccessat", PathIn(1), 0),
        does("fchdir", Descriptor(0), PROCESS),
        does("fchmod", Descriptor(0), WRITES | FOLDERS),
        does("fchmodat", PathIn(1), WRITES | NAMES),
        does("fclose", Stream(0), PENDING | MOVES),
        does("fdatasync", Descriptor(0), 0),
        does("feof", Stream(0), STANDS),
        does("feof_unlocked", Stream(0), STANDS),
        does("fflush", Stream(0), PENDING | MOVES),
        does("fflush_unlocked", Stream(0), PENDING | MOVES),
        does("fgetc", Stream(0), TAKES),
        does("fgetc_unlocked", Stream(0), TAKES),
        does("fgetgrent", Stream(0), TAKES),
        does("fgetgrent_r", Stream(0), TAKES),
        does("fgetpos", Stream(0), STANDS),
        does("fgetpos64", Stream(0), STANDS),
        does("fgetpwent", Stream(0), TAKES),
        does("fgetpwent_r", Stream(0), TAKES),
        does("fgets", Stream(2), TAKES),
        does("fgets_unlocked", Stream(2), TAKES),
        does("fgetsgent", Stream(0), TAKES),
        does("fgetsgent_r", Stream(0), TAKES),
        does("fgetspent", Stream(0), TAKES),
        does("fgetspent_r", Stream(0), TAKES),
        does("fgetwc", Stream(0), TAKES),
        does("fgetwc_unlocked", Stream(0), TAKES),
        does("fgetws", Stream(2), TAKES),
        does("fgetws_unlocked", Stream(2), TAKES),
        does("fmtmsg", Error, ADDS),
        does("fopen", Path(0), 0),
        does("fopen64", Path(0), 0),
        does("fprintf", Stream(0), ADDS),
        does("fputc", Stream(1), ADDS),
        does("fputc_unlocked", Stream(1), ADDS),
        does("fputs", Stream(1), ADDS),
        does("fputs_unlocked", Stream(1), ADDS),
        does("fputwc", Stream(1), ADDS),
        does("fputwc_unlocked", Stream(1), ADDS),
        does("fputws", Stream(1), ADDS),
        does("fputws_unlocked", Stream(1), ADDS),
        does("fread", Stream(3), TAKES),
        does("fread_unlocked", Stream(3), TAKES),
        does("freopen", Path(0), 0),
        does("freopen64", Path(0), 0),
        does("fscanf", Stream(0), TAKES),
        does("fseek", Stream(0), PENDING | SEEKS),
        does("fseeko", Stream(0), PENDING | SEEKS),
        does("fseeko64", Stream(0), PENDING | SEEKS),
        does("fsetpos", Stream(0), PENDING | MOVES),
        does("fsetpos64", Stream(0), PENDING | MOVES),
        does("fstat", Descriptor(0), READS),
        does("fstat64", Descriptor(0), READS),
        does("fstatat", PathIn(1), READS),
        does("fstatat64", PathIn(1), READS),
        does("fstatfs", Descriptor(0), 0),
        does("fsync", Descriptor(0), 0),
        does("ftell", Stream(0), STANDS),
        does("ftello", Stream(0), STANDS),
        does("ftello64", Stream(0), STANDS),
        does("ftruncate", Descriptor(0), WRITES),
        does("ftruncate64", Descriptor(0), WRITES),
        does("futimens", Descriptor(0), WRITES),
        does("fwprintf", Stream(0), ADDS),
        does("fwrite", Stream(3), ADDS),
        does("fwrite_unlocked", Stream(3), ADDS),
        does("fwscanf", Stream(0), TAKES),
        does("getc", Stream(0), TAKES),
        does("getc_unlocked", Stream(0), TAKES),
        does("getchar", Input, TAKES),
        does("getchar_unlocked", Input, TAKES),
        does("getcwd", Process, 0),
        does("getdelim", Stream(3), TAKES),
        does("getline", Stream(2), TAKES),
        does("getmntent", Stream(0), TAKES),
        does("getmntent_r", Stream(0), TAKES),
        does("gets", Input, TAKES),
        does("getw", Stream(0), TAKES),
        does("getwc", Stream(0), TAKES),
        does("getwc_unlocked", Stream(0), TAKES),
        does("getwchar", Input, TAKES),
        does("getwchar_unlocked", Input, TAKES),
        does("link", Path(1), FOLDERS),
        does("linkat", PathIn(3), FOLDERS),
        does("lseek", Descriptor(0), SEEKS),
        does("lseek64", Descriptor(0), SEEKS),
        does("lstat", Path(0), READS),
        does("lstat64", Path(0), READS),
        does("malloc_info", Stream(1), ADDS),
        does("malloc_stats", Error, ADDS),
        does("mkdir", Path(0), FOLDERS),
        does("mkdirat", PathIn(1), FOLDERS),
        does("mkfifo", Path(0), NAMES),
        does("open", Path(0), 0),
        does("open64", Path(0), 0),
        does("openat", PathIn(1), 0),
        does("openat64", PathIn(1), 0),
        does("opendir", Path(0), 0),
        does("perror", Error, ADDS),
        does("pread", Descriptor(0), READS),
        does("pread64", Descriptor(0), READS),
        does("printf", Output, ADDS),
        does("psiginfo", Error, ADDS),
        does("psignal", Error, ADDS),
        does("putc", Stream(1), ADDS),
        does("putc_unlocked", Stream(1), ADDS),
        does("putchar", Output, ADDS),
        does("putchar_unlocked", Output, ADDS),
        does("putgrent", Stream(1), ADDS),
        does("putpwent", Stream(1), ADDS),
        does("puts", Output, ADDS),
        does("putsgent", Stream(1), ADDS),
        does("putspent", Stream(1), ADDS),
        does("putw", Stream(1), ADDS),
        does("putwc", Stream(1), ADDS),
        does("putwc_unlocked", Stream(1), ADDS),
        does("putwchar", Output, ADDS),
        does("putwchar_unlocked", Output, ADDS),
        does("pwrite", Descriptor(0), WRITES),
        does("pwrite64", Descriptor(0), WRITES),
        does("read", Descriptor(0), TAKES),
        does("readdir", Folder(0), TAKES),
        does("readdir64", Folder(0), TAKES),
        does("readlink", Path(0), 0),
        does("readlinkat", PathIn(1), 0),
        does("readv", Descriptor(0), TAKES),
        does("remove", Path(0), NAMES | FOLDERS),
        does("rename", Path(1), FOLDERS),
        does("renameat", PathIn(3), FOLDERS),
        does("rewind", Stream(0), PENDING | MOVES),
        does("rewinddir", Folder(0), MOVES),
        does("rmdir", Path(0), FOLDERS),
        does("scanf", Input, TAKES),
        does("send", Descriptor(0), ADDS),
        does("sendto", Descriptor(0), ADDS),
        does("stat", Path(0), READS),
        does("stat64", Path(0), READS),
        does("statx", PathIn(1), READS),
        does("symlink", Path(1), FOLDERS),
        does("symlinkat", PathIn(2), FOLDERS),
        does("truncate", Path(0), WRITES),
        does("truncate64", Path(0), WRITES),
        does("umask", Process, PROCESS),
        does("ungetc", Stream(1), ADDS),
        does("ungetwc", Stream(1), ADDS),
        does("unlink", Path(0), NAMES),
        does("unlinkat", PathIn(1), NAMES | FOLDERS),
        does("utimensat", PathIn(1), WRITES),
        does("vdprintf", Descriptor(0), ADDS),
        does("verr", Error, ADDS),
        does("verrx", Error, ADDS),
        does("vfprintf", Stream(0), ADDS),
        does("vfscanf", Stream(0), TAKES),
        does("vfwprintf", Stream(0), ADDS),
        does("vfwscanf", Stream(0), TAKES),
        does("vprintf", Output, ADDS),
        does("vscanf", Input, TAKES),
        does("vwarn", Error, ADDS),
        does("vwarnx", Error, ADDS),
        does("vwprintf", Output, ADDS),
        does("vwscanf", Input, TAKES),
        does("warn", Error, ADDS),
        does("warnx", Error, ADDS),
        does("wprintf", Output, ADDS),
        does("write", Descriptor(0), ADDS),
        does("writev", Descriptor(0), ADDS),
        does("wscanf", Input, TAKES),
    ]
};

/// What a function that sets the place finds out and changes: by this offset, from this beginning (`SEEK_SET` and so on).
pub const fn seeks(offset: i64, from: i32) -> u8 {
    match (from, offset) {
        // Wherever it stood.
        (0, _) => MOVES,
        (1, 0) => STANDS,
        (1, _) => MOVES | STANDS,
        _ => MOVES | READS,
    }
}

/// Functions that do something to files, or find it out, which the runtime does not follow.
pub const UNFOLLOWED: &str = "\
    chown chroot copy_file_range euidaccess faccessat2 fallocate fallocate64 fchown fchownat fdopendir \
    fsetxattr fts_children fts_open fts_read ftw ftw64 futimes futimesat getxattr fgetxattr lgetxattr glob \
    glob64 lchmod lchown listxattr lsetxattr lutimes mkdtemp mkfifoat mknod mknodat mkostemp mkostemp64 mkostemps \
    mkstemp mkstemp64 mkstemps mkstemps64 mktemp mount name_to_handle_at nftw nftw64 open_by_handle_at \
    posix_fallocate posix_fallocate64 pwritev pwritev2 pwritev64 pwritev64v2 readdir64_r readdir_r realpath \
    removexattr renameat2 scandir scandir64 scandirat seekdir setxattr statvfs telldir tempnam tmpnam umount umount2 \
    utime utimes";

/// Is this one of those?
pub fn is_unfollowed(name: &str) -> bool {
    UNFOLLOWED.split_ascii_whitespace().any(|other| other == name)
}

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
        assert!(USES.iter().all(|one| !is_unfollowed(one.name)));
    }
}
