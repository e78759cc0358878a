//! The beginning and the end of a host: one for each workspace, behind one socket. Whoever holds the
//! lock is the host; socket and lock vanish with it, and what a killed one left is replaced.

use crate::error::{Error, Result};
use raddle_protocol::place::Place;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::{Duration, Instant};

/// Longest that a host lasts without clients, unless the environment says otherwise.
const LINGER: Duration = Duration::from_secs(30);
/// A host that is ending gives up its lock within this.
const ENDING: Duration = Duration::from_secs(5);
/// The log is emptied when it is longer.
const LOG: u64 = 1 << 20;

/// The lock, held.
pub struct Claim {
    place: Place,
    /// Unlocked when it is closed, by this process's end at the latest.
    _lock: File,
}

impl Claim {
    /// Becomes the host; `None` when there is one that answers.
    pub fn take(place: &Place) -> Result<Option<Claim>> {
        let failed =
            |e: io::Error| Error::file("lock", &place.lock(), &e).next("see that the folder can be written");
        let until = Instant::now() + ENDING;
        loop {
            let file = open(place).map_err(failed)?;
            if lock(&file).map_err(failed)? {
                // The one that was here before may have removed it meanwhile.
                let there = fs::metadata(place.lock()).map(|m| m.ino()).ok();
                if there == Some(file.metadata().map_err(failed)?.ino()) {
                    return Ok(Some(Claim { place: place.clone(), _lock: file }));
                }
            } else if UnixStream::connect(place.socket()).is_ok() || Instant::now() > until {
                return Ok(None);
            } else {
                // It has not begun to listen, or does not any more.
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }

    /// Listens on the socket, in the place of one that was left behind.
    pub fn listen(&self) -> Result<UnixListener> {
        let socket = self.place.socket();
        let failed = |e: io::Error| Error::file("listen on", &socket, &e);
        match fs::remove_file(&socket) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(failed(e)),
            _ => UnixListener::bind(&socket).map_err(failed),
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // In this order: who finds no socket asks for the lock.
        let _ = fs::remove_file(self.place.socket());
        let _ = fs::remove_file(self.place.lock());
    }
}

fn open(place: &Place) -> io::Result<File> {
    let no_link = libc::O_NOFOLLOW;
    OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .mode(0o600)
        .custom_flags(no_link)
        .open(place.lock())
}

/// `false`: another process holds it.
fn lock(file: &File) -> io::Result<bool> {
    // SAFETY: a plain system call on a descriptor that is open.
    if unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } == 0 {
        return Ok(true);
    }
    match io::Error::last_os_error() {
        e if e.kind() == io::ErrorKind::WouldBlock => Ok(false),
        e => Err(e),
    }
}

/// How long to wait for clients.
pub fn linger() -> Duration {
    let said = std::env::var("RADDLE_HOST_LINGER").ok().and_then(|s| s.parse::<f64>().ok());
    said.and_then(|s| Duration::try_from_secs_f64(s).ok()).unwrap_or(LINGER)
}

/// Calls `ask` when the process is asked to end (SIGTERM, SIGINT), from a thread that waits for it.
pub fn on_signal(ask: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let (mut waits, wakes) = UnixStream::pair()?;
    for signal in [SIGINT, SIGTERM] {
        signal_hook::low_level::pipe::register(signal, wakes.try_clone()?)?;
    }
    let wait = move || {
        if waits.read_exact(&mut [0]).is_ok() {
            ask();
        }
    };
    std::thread::Builder::new().name("raddle-signals".into()).spawn(wait).map(drop)
}

/// Keeps the log short. It is standard error, if that is a file at all.
pub fn shorten_log(place: &Place) {
    let Ok(log) = fs::metadata(place.log()) else { return };
    // SAFETY: `stat` is plain data; the call fills it in.
    let ours = unsafe {
        let mut stat: libc::stat = std::mem::zeroed();
        libc::fstat(libc::STDERR_FILENO, &mut stat) == 0
            && (stat.st_dev, stat.st_ino) == (log.dev(), log.ino())
    };
    if ours && log.len() > LOG {
        // It is appended to, so the next line begins at the new end.
        // SAFETY: a plain system call.
        unsafe { libc::ftruncate(libc::STDERR_FILENO, 0) };
    }
}

/// Gives memory back to the system that builds and searches have left free. glibc keeps what each thread had freed, and
/// every search is a thread.
pub fn give_memory_back() {
    #[cfg(target_env = "gnu")]
    // SAFETY: has no preconditions.
    unsafe {
        libc::malloc_trim(0)
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holds_the_lock_and_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("h");
        fs::create_dir(&folder).unwrap();
        let place = Place { folder, root: dir.path().to_path_buf() };
        // As a killed host leaves it.
        drop(UnixListener::bind(place.socket()).unwrap());
        let first = Claim::take(&place).unwrap().expect("nobody has it");
        let listener = first.listen().unwrap();
        assert!(Claim::take(&place).unwrap().is_none());
        drop((listener, first));
        assert_eq!(fs::read_dir(&place.folder).unwrap().count(), 0);
        assert!(Claim::take(&place).unwrap().is_some());
    }
}
