//! Atomics compute what std's do.

use std::sync::atomic::Ordering::*;
use std::sync::atomic::*;

macro_rules! integers {
    ($($name:ident $atomic:ident $int:ident;)*) => { $(
        #[test]
        fn $name() {
            let mut a = $atomic::new(5);
            assert_eq!(a.swap(6, AcqRel), 5);
            assert_eq!(a.fetch_add(1, Relaxed), 6);
            assert_eq!(a.fetch_sub(2, Release), 7);
            assert_eq!(a.fetch_and(0b110, Acquire), 5);
            assert_eq!(a.fetch_nand(0b100, SeqCst), 4);
            assert_eq!(a.fetch_or(1, SeqCst), !4);
            assert_eq!(a.fetch_xor(1, SeqCst), !4 | 1);
            a.store(9, Release);
            assert_eq!(a.fetch_max(11, SeqCst), 9);
            assert_eq!(a.fetch_min(3, SeqCst), 11);
            assert_eq!(a.compare_exchange(3, 4, SeqCst, Relaxed), Ok(3));
            assert_eq!(a.compare_exchange(3, 5, AcqRel, Acquire), Err(4));
            while a.compare_exchange_weak(4, 5, SeqCst, Relaxed).is_err() {}
            assert_eq!(a.fetch_update(SeqCst, SeqCst, |v| (v < 5).then_some(v)), Err(5));
            assert_eq!(a.try_update(SeqCst, SeqCst, |v| Some(v + 1)), Ok(5));
            assert_eq!(a.update(SeqCst, SeqCst, |v| v + 1), 6);
            *a.get_mut() = $int::MAX;
            assert_eq!(a.fetch_add(1, SeqCst), $int::MAX);
            assert_eq!(format!("{a:?}"), $int::MIN.to_string());
            // SAFETY: the pointer is valid and nobody else uses it.
            let same = unsafe { $atomic::from_ptr(a.as_ptr()) };
            same.store(1, Relaxed);
            assert_eq!(a.load(Acquire), 1);
            assert_eq!($atomic::from(a.into_inner()).into_inner(), 1);
        }
    )* };
}

integers! {
    i8s AtomicI8 i8;
    u8s AtomicU8 u8;
    i16s AtomicI16 i16;
    u16s AtomicU16 u16;
    i32s AtomicI32 i32;
    u32s AtomicU32 u32;
    i64s AtomicI64 i64;
    u64s AtomicU64 u64;
    isizes AtomicIsize isize;
    usizes AtomicUsize usize;
}

#[test]
fn bools() {
    let a = AtomicBool::new(true);
    assert!(a.fetch_and(false, SeqCst));
    assert!(!a.fetch_nand(true, SeqCst));
    assert!(a.fetch_xor(true, SeqCst));
    assert!(!a.fetch_not(SeqCst));
    assert!(a.fetch_or(false, SeqCst));
    assert_eq!(a.compare_exchange(true, false, SeqCst, SeqCst), Ok(true));
    assert!(!a.into_inner());
}

#[test]
fn pointers() {
    let mut values = [1u16, 2, 3];
    let a = AtomicPtr::new(values.as_mut_ptr());
    let first = a.fetch_ptr_add(2, SeqCst);
    assert_eq!(first, values.as_mut_ptr());
    assert_eq!(a.fetch_ptr_sub(1, SeqCst), values.as_mut_ptr().wrapping_add(2));
    assert_eq!(a.fetch_byte_add(2, SeqCst), values.as_mut_ptr().wrapping_add(1));
    assert_eq!(a.fetch_byte_sub(4, SeqCst), values.as_mut_ptr().wrapping_add(2));
    assert_eq!(a.fetch_or(1, SeqCst), values.as_mut_ptr());
    assert_eq!(a.fetch_and(!1, SeqCst).addr() & 1, 1);
    assert_eq!(a.fetch_xor(0, SeqCst), values.as_mut_ptr());
    assert_eq!(format!("{a:p}"), format!("{:p}", values.as_mut_ptr()));
}

#[test]
#[should_panic(expected = "there is no such thing as a release load")]
fn a_release_load_is_refused() {
    AtomicU8::new(0).load(std::hint::black_box(Release));
}

#[test]
#[should_panic(expected = "there is no such thing as an acquire store")]
fn an_acquire_store_is_refused() {
    AtomicU8::new(0).store(0, std::hint::black_box(Acquire));
}

#[test]
#[should_panic(expected = "there is no such thing as a relaxed fence")]
fn a_relaxed_fence_is_refused() {
    fence(std::hint::black_box(Relaxed));
}

#[test]
fn a_flag_carries_a_message() {
    let (message, flag) = (AtomicU32::new(0), AtomicBool::new(false));
    std::thread::scope(|s| {
        s.spawn(|| {
            message.store(42, Relaxed);
            fence(Release);
            flag.store(true, Relaxed);
        });
        while !flag.load(Acquire) {
            std::hint::spin_loop();
        }
        assert_eq!(message.load(Relaxed), 42);
    });
}
