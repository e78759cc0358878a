//! A function of libm that writes nothing.

#[link(name = "m")]
extern "C" {
    fn cbrt(number: f64) -> f64;
}

#[test]
fn foreign_functions_not() {
    assert_eq!(unsafe { cbrt(8.0) }, 2.0);
}
