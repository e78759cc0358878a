//! Processes that die with the one that started them, however that one ends.

use std::io;

/// Has this process die with `parent`, which started it. To be called before `exec`, too: it allocates nothing.
pub fn die_with(parent: u32) -> io::Result<()> {
    // SAFETY: plain system calls.
    unsafe {
        if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) < 0 {
            return Err(io::Error::last_os_error());
        }
        // The parent may have died before the line above.
        if libc::getppid() != parent as i32 {
            libc::_exit(0);
        }
    }
    Ok(())
}
