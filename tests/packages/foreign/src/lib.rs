//! A function that others can call, as C does.

/// It has hooks, as all of this crate has.
///
/// # Safety
/// Somewhere to write to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn set_by_ours(place: *mut i32) {
    // SAFETY: by contract.
    unsafe { *place = 1 };
}
