//! A program that prints.

#[test]
fn standard_streams_not() {
    println!("printed");
}
