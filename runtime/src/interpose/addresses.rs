//! Addresses of TCP within the process ([`super::loopback`]), and the local ones that stand for them in the system.

use crate::memory::snapshot;
use crate::sys::call;
use alloc::format;
use core::ffi::{c_char, c_int};
use core::mem::zeroed;
use libc::{AF_INET, AF_INET6, AF_UNIX, sockaddr, socklen_t};

/// The port of an address, if that is within the process: the loopback's, or nobody's in particular.
///
/// # Safety
/// The caller's address, of this many bytes.
pub unsafe fn port_within(at: *const sockaddr, len: socklen_t) -> Option<(c_int, u16)> {
    if at.is_null() || (len as usize) < size_of::<libc::sockaddr_in>() {
        return None;
    }
    // SAFETY: as long as the family says, which is looked at first.
    unsafe {
        match c_int::from((*at).sa_family) {
            AF_INET => {
                let own = at.cast::<libc::sockaddr_in>().read_unaligned();
                let host = u32::from_be(own.sin_addr.s_addr);
                (host >> 24 == 127 || host == 0).then(|| (AF_INET, u16::from_be(own.sin_port)))
            }
            AF_INET6 if len as usize >= size_of::<libc::sockaddr_in6>() => {
                let own = at.cast::<libc::sockaddr_in6>().read_unaligned();
                let host = u128::from_be_bytes(own.sin6_addr.s6_addr);
                (host <= 1).then(|| (AF_INET6, u16::from_be(own.sin6_port)))
            }
            _ => None,
        }
    }
}

/// Writes the address of this port to where the caller wants it, cut to the room there is.
///
/// # Safety
/// The caller's places, if there are any.
pub unsafe fn tell_address(family: c_int, port: u16, at: *mut sockaddr, len: *mut socklen_t) {
    if at.is_null() || len.is_null() {
        return;
    }
    // SAFETY: plain data; the caller's places, as long as they say.
    unsafe {
        let mut four: libc::sockaddr_in = zeroed();
        four.sin_family = AF_INET as u16;
        four.sin_port = port.to_be();
        four.sin_addr.s_addr = if port == 0 { 0 } else { 0x7f00_0001_u32.to_be() };
        let mut six: libc::sockaddr_in6 = zeroed();
        six.sin6_family = AF_INET6 as u16;
        six.sin6_port = port.to_be();
        six.sin6_addr.s6_addr[15] = u8::from(port != 0);
        let (from, size) = match family {
            AF_INET => ((&raw const four).cast::<u8>(), size_of_val(&four)),
            _ => ((&raw const six).cast::<u8>(), size_of_val(&six)),
        };
        snapshot::touch(len as usize, size_of::<socklen_t>());
        snapshot::touch(at as usize, size.min(*len as usize));
        core::ptr::copy_nonoverlapping(from, at.cast(), size.min(*len as usize));
        *len = size as socklen_t;
    }
}

/// The local address that stands for this one in the system, where no other process has it.
pub fn local(family: c_int, port: u16) -> (libc::sockaddr_un, socklen_t) {
    // SAFETY: plain data; takes nothing.
    let (mut at, process) = unsafe { (zeroed::<libc::sockaddr_un>(), call!(libc::SYS_getpid)) };
    at.sun_family = AF_UNIX as u16;
    let name = format!("\0raddle-{process}-{family}-{port}");
    at.sun_path.iter_mut().zip(name.bytes()).for_each(|(to, from)| *to = from as c_char);
    (at, (size_of::<libc::sa_family_t>() + name.len()) as socklen_t)
}
