//! No crate of this build has hooks.

#[test]
fn plain_accesses() {
    static mut N: u32 = 0;
    unsafe { N += unhooked::one() };
}
