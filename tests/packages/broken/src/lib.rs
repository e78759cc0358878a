//! Does not compile.

#[test]
fn never_built() {
    let number: u32 = "text";
}
