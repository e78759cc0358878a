//! A function of libm that writes where it is told to.

#[link(name = "m")]
extern "C" {
    fn remquo(number: f64, by: f64, quotient: *mut i32) -> f64;
}

#[test]
fn foreign_functions() {
    let mut quotient = 0;
    assert_eq!(unsafe { remquo(7.0, 3.0, &mut quotient) }, 1.0);
}
