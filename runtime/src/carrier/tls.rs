//! Native thread-locals: the FS base that fibers borrow, and the blocks behind it.
//!
//! On x86-64 (variant II) the blocks of the modules loaded at start lie at fixed distances below
//! the FS base, the same in every thread. A thread that starts gets them as the linker made them;
//! T0's are rolled back to what they were before the first execution. libc's own block (errno
//! apart), ld.so's and ours are left alone: they belong to allocator caches and the like.

use crate::interpose::real;
use crate::kernel::here;
use crate::sys::call;
use alloc::vec::Vec;
use core::arch::asm;
use core::cell::UnsafeCell;

/// A module's thread-local block.
struct Block {
    /// Distance of its start below the FS base.
    below: usize,
    /// Initial contents, of `image_len` bytes; zeros follow up to `len`.
    image: usize,
    image_len: usize,
    len: usize,
    /// T0's contents before the first execution.
    saved: Vec<u8>,
}

struct Blocks(UnsafeCell<Vec<Block>>);

// SAFETY: used by the token's holder only.
unsafe impl Sync for Blocks {}

static BLOCKS: Blocks = Blocks(UnsafeCell::new(Vec::new()));

fn blocks() -> &'static mut Vec<Block> {
    // SAFETY: see `Blocks`; one reference at a time.
    unsafe { &mut *BLOCKS.0.get() }
}

/// The FS base of the calling thread: glibc keeps it in the first word behind it.
#[inline]
pub fn current_fs() -> usize {
    let fs;
    // SAFETY: reads the thread control block's pointer to itself.
    unsafe { asm!("mov {}, fs:0", out(reg) fs, options(nostack, readonly, preserves_flags)) };
    fs
}

/// Can user code write the FS base (bit 1 of AT_HWCAP2)?
static mut HAS_WRFSBASE: bool = false;

/// Changes the FS base.
#[inline]
pub fn set_fs(fs: usize) {
    const ARCH_SET_FS: usize = 0x1002;
    // SAFETY: `fs` is the base of a live pthread of this process, which is parked or is the
    // caller; the kernel allows the instruction (checked by `init`).
    unsafe {
        if HAS_WRFSBASE {
            asm!("wrfsbase {}", in(reg) fs, options(nostack, preserves_flags));
        } else {
            call!(libc::SYS_arch_prctl, ARCH_SET_FS, fs);
        }
    }
}

/// Finds the modules' blocks. Called once, on the main thread.
pub fn init() {
    // SAFETY: plain query; written once before any fiber exists.
    unsafe { HAS_WRFSBASE = libc::getauxval(libc::AT_HWCAP2) & 2 != 0 };
    let fs = current_fs();
    crate::memory::modules::each(|module| {
        if module.keeps_its_state() {
            return;
        }
        if let Some((image, image_len, len, at)) = module.tls()
            && at != 0
            && at < fs
        {
            blocks().push(Block { below: fs - at, image, image_len, len, saved: Vec::new() });
        }
    });
}

/// Remembers T0's thread-locals.
pub fn snapshot_main(fs: usize) {
    for b in blocks().iter_mut() {
        // SAFETY: the block lies inside the main thread's static TLS.
        b.saved = unsafe { core::slice::from_raw_parts((fs - b.below) as *const u8, b.len) }.to_vec();
    }
}

/// Rolls T0's thread-locals back.
pub fn restore_main(fs: usize) {
    for b in blocks().iter() {
        // SAFETY: as above, and `saved` has the block's length.
        unsafe { core::ptr::copy_nonoverlapping(b.saved.as_ptr(), (fs - b.below) as *mut u8, b.len) };
    }
    reset_errno(fs);
}

/// Makes a thread's locals fresh.
pub fn reset(fs: usize) {
    for b in blocks().iter() {
        let at = (fs - b.below) as *mut u8;
        // SAFETY: the block lies inside the carrier's static TLS; the image is the module's.
        unsafe {
            core::ptr::copy_nonoverlapping(b.image as *const u8, at, b.image_len);
            core::ptr::write_bytes(at.add(b.image_len), 0, b.len - b.image_len);
        }
    }
    reset_errno(fs);
}

/// Calls back with where a thread's blocks lie.
pub fn each_block(fs: usize, each: &mut impl FnMut(usize, usize)) {
    blocks().iter().for_each(|b| each(fs - b.below, fs - b.below + b.len));
}

/// Is this address in one of a thread's blocks?
pub fn has(fs: usize, address: usize) -> bool {
    blocks().iter().any(|b| address.wrapping_sub(fs - b.below) < b.len)
}

/// A hash of a thread's locals, errno included.
pub fn digest(fs: usize) -> u64 {
    // SAFETY: the blocks and errno lie inside the thread's static TLS.
    unsafe {
        let errno = *((fs - real::get().errno_below) as *const i32);
        let seed = errno as u64 ^ fs as u64;
        blocks()
            .iter()
            .fold(seed, |h, b| h.wrapping_add(here::digest(seed, fs - b.below, fs - b.below + b.len)))
    }
}

/// errno is the one variable of libc's own block that programs see.
fn reset_errno(fs: usize) {
    // SAFETY: errno lies in libc's block, at the same distance in every thread.
    unsafe { *((fs - real::get().errno_below) as *mut i32) = 0 };
}
