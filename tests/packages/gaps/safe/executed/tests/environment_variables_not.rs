//! A program that reads its environment.

#[test]
fn environment_variables_not() {
    assert!(std::env::var("PATH").is_ok());
}
