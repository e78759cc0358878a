//! What has no hooks in Rust: functions of libc, and assembly.

use std::thread;

unsafe extern "C" {
    fn memset(at: *mut u8, byte: i32, bytes: usize) -> *mut u8;
}

#[test]
fn set_by_libc() {
    let mut bytes = [0u8; 16];
    let at = (&raw mut bytes) as usize;
    let t = thread::spawn(move || {
        // SAFETY: the array lives until the join, and nobody uses it until then.
        unsafe { memset(at as *mut u8, 1, 16) };
    });
    t.join().unwrap();
    assert_eq!(bytes[3], 1);
}

#[test]
#[cfg(target_arch = "x86_64")]
fn set_by_assembly() {
    let mut byte = 0u8;
    let at = &raw mut byte;
    // SAFETY: the variable is this function's.
    unsafe { std::arch::asm!("mov byte ptr [{}], 1", in(reg) at) };
    assert_eq!(byte, 1);
}
