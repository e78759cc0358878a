//! A program that changes its environment.

#[test]
fn environment_variables() {
    std::env::set_var("RADDLE_GAPS", "1");
}
