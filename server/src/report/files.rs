//! Reports that go into files: whether they can be written is known before anything takes time, and they
//! are whole or not there, since they are written aside and renamed.

use crate::error::{Error, Result};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Finds out whether this option's file can be written. One that was not there is not there afterwards.
pub fn check(option: &str, path: &Path) -> Result<()> {
    if path.is_dir() {
        return Err(unwritable(option, path, "it is a folder"));
    }
    let there = path.exists();
    open(path, OpenOptions::new().append(true).create(true)).map_err(|e| unwritable(option, path, e))?;
    if !there {
        // Behind a link it is what the link names that was made.
        let made = path.canonicalize();
        made.and_then(fs::remove_file).map_err(|e| unwritable(option, path, e))?;
    }
    Ok(())
}

/// Are these the same file, however they are spelt?
pub fn same(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        path.canonicalize().ok().or_else(|| Some(folder.canonicalize().ok()?.join(path.file_name()?)))
    };
    one == other || place(one).is_some_and(|place_of_one| Some(place_of_one) == place(other))
}

/// Opens it, without waiting: a named pipe that nobody reads is an error and does not hang.
fn open(path: &Path, options: &mut OpenOptions) -> std::io::Result<File> {
    let file = options.custom_flags(libc::O_NONBLOCK).open(path).map_err(|e| match e.raw_os_error() {
        Some(libc::ENXIO) => std::io::Error::other("it is a pipe that nobody reads"),
        _ => e,
    })?;
    // SAFETY: an open file of ours. From here on a slow reader is waited for.
    unsafe {
        let flags = libc::fcntl(file.as_raw_fd(), libc::F_GETFL);
        libc::fcntl(file.as_raw_fd(), libc::F_SETFL, flags & !libc::O_NONBLOCK);
    }
    Ok(file)
}

/// Writes it. What is no plain file, as `/dev/stdout`, is written into.
pub fn write(option: &str, path: &Path, text: &str) -> Result<()> {
    let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let done = match fs::metadata(&place) {
        Ok(meta) if !meta.is_file() => {
            open(&place, OpenOptions::new().write(true)).and_then(|mut f| f.write_all(text.as_bytes()))
        }
        // A file of nobody else's, where it is not foreseen.
        _ => tempfile::Builder::new()
            .permissions(fs::Permissions::from_mode(0o666))
            .tempfile_in(place.parent().unwrap_or(Path::new(".")))
            .and_then(|mut f| f.write_all(text.as_bytes()).map(|()| f))
            .and_then(|f| f.persist(&place).map(drop).map_err(|e| e.error)),
    };
    done.map_err(|e| unwritable(option, path, e))
}

fn unwritable(option: &str, path: &Path, why: impl ToString) -> Error {
    Error::new(format!("{option}: cannot write {}", path.display()))
        .because(why)
        .next("name a file in a folder that can be written to")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_or_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("report");
        check("--html", &file).unwrap();
        assert!(!file.exists(), "looking leaves nothing");
        write("--html", &file, "one").unwrap();
        check("--html", &file).unwrap();
        write("--html", &file, "two").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left aside");
        let error = |path: &Path| check("--html", path).unwrap_err().render();
        assert!(error(folder.path()).contains("it is a folder"), "{}", error(folder.path()));
        let pipe = folder.path().join("pipe");
        let name = std::ffi::CString::new(pipe.to_str().unwrap()).unwrap();
        // SAFETY: a path that lives until then.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        assert!(error(&pipe).contains("nobody reads"), "{}", error(&pipe));
        let (link, named) = (folder.path().join("link"), folder.path().join("named"));
        std::os::unix::fs::symlink(&named, &link).unwrap();
        check("--html", &link).unwrap();
        assert!(!named.exists() && link.is_symlink(), "looking leaves nothing");
        assert!(same(&file, &folder.path().join("./report")) && !same(&file, &pipe));
        let lost = folder.path().join("no/report");
        assert!(error(&lost).contains("--html: cannot write"), "{}", error(&lost));
    }
}
