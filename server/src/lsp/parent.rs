//! The editor's process. Its end is ours, also where somebody else keeps our standard input open.

use super::server::End;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::Arc;

/// Ends the server when this process has ended. A process that cannot be seen (it may be one of
/// another container) is not watched: the end of standard input remains.
pub fn watch(id: u32, end: Arc<End>) {
    let Some(process) = open(id) else { return };
    let wait = move || {
        wait(&process);
        end.now.notify_one();
    };
    // Without the thread, too, the end of standard input remains.
    let _ = std::thread::Builder::new().name("raddle-lsp-parent".into()).spawn(wait);
}

fn open(id: u32) -> Option<OwnedFd> {
    let id = libc::pid_t::try_from(id).ok().filter(|id| *id > 0)?;
    // SAFETY: takes no pointers; what it returns is a new descriptor or an error.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, id, 0) };
    let fd = i32::try_from(fd).ok().filter(|fd| *fd >= 0)?;
    // SAFETY: the descriptor was just made and belongs to nobody else.
    Some(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Until the process has ended.
fn wait(process: &OwnedFd) {
    let mut poll = libc::pollfd { fd: process.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one entry, which lives as long as the call.
    while unsafe { libc::poll(&mut poll, 1, -1) } <= 0 {
        if std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted {
            return std::thread::park();
        }
    }
}
