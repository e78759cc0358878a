//! A program that holds the lock of standard output.

use std::io::Write;

#[test]
fn standard_streams() {
    let mut output = std::io::stdout().lock();
    writeln!(output, "written").unwrap();
}
