//! The channel's memory: an anonymous file, mapped here and inherited by the runner.

use raddle_schedule::channel::{BYTES, Channel};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr::NonNull;

/// One channel, mapped for as long as this lives.
pub struct Memory {
    file: OwnedFd,
    base: NonNull<libc::c_void>,
}

impl Memory {
    /// A fresh, valid channel.
    pub fn new() -> io::Result<Memory> {
        // SAFETY: a plain system call with a literal name.
        let fd = unsafe { libc::memfd_create(c"raddle-channel".as_ptr(), libc::MFD_CLOEXEC) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor was just made and belongs to nobody else.
        let file = unsafe { OwnedFd::from_raw_fd(fd) };
        // SAFETY: plain system calls on a descriptor of ours; the kernel picks the address.
        let base = unsafe {
            if libc::ftruncate(fd, BYTES as libc::off_t) < 0 {
                return Err(io::Error::last_os_error());
            }
            let access = libc::PROT_READ | libc::PROT_WRITE;
            libc::mmap(std::ptr::null_mut(), BYTES, access, libc::MAP_SHARED, fd, 0)
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let base = NonNull::new(base).ok_or_else(|| io::Error::other("the channel was mapped at 0"))?;
        let memory = Memory { file, base };
        memory.channel().init();
        Ok(memory)
    }

    /// The view of it. Not to be used after this is dropped.
    pub fn channel(&self) -> Channel {
        // SAFETY: BYTES bytes are mapped there until `drop`, and owners of views hold the memory
        // beside them.
        unsafe { Channel::from_raw(self.base.as_ptr().cast()) }
    }

    /// The descriptor to hand on.
    pub fn fd(&self) -> RawFd {
        self.file.as_raw_fd()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: mapped by `new` with this length; no view is used any more.
        unsafe { libc::munmap(self.base.as_ptr(), BYTES) };
    }
}
