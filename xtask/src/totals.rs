//! How many tests passed and failed, read from what the test runners print.

use std::fmt;
use std::ops::AddAssign;

/// Counts of tests; a step that failed without counting tests (formatting, a build) is one failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Tests that passed.
    pub passed: u64,
    /// Tests and steps that failed.
    pub failed: u64,
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Totals) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

impl Totals {
    /// Adds what a line of a test runner's output says.
    pub fn read(&mut self, line: &str) {
        let plain = without_colours(line);
        if !self.read_node(&plain) {
            self.read_rust(&plain);
        }
    }

    /// Nextest's `Summary […] 4 tests run: 3 passed, 1 failed`, or libtest's `test result: ok. 3 passed; 0
    /// failed; …`. Failures that libtest prints inside nextest's report are indented and do not count twice.
    fn read_rust(&mut self, plain: &str) {
        let counts = match plain.trim_start().strip_prefix("Summary [") {
            Some(rest) => rest.split_once("run:").map(|(_, counts)| counts),
            None => plain.strip_prefix("test result: "),
        };
        let Some(counts) = counts else { return };
        let words: Vec<&str> = counts.split_whitespace().collect();
        for pair in words.windows(2) {
            let Ok(n) = pair[0].trim_start_matches('(').parse::<u64>() else { continue };
            match pair[1].trim_end_matches([',', ';', ')']) {
                "passed" => self.passed += n,
                "failed" | "exec" | "timed" => self.failed += n,
                _ => {}
            }
        }
    }

    /// The closing lines of node's test runner: `ℹ pass 3`, or `# pass 3` in TAP. A test that was skipped or
    /// cancelled has shown nothing, so it counts as failed.
    fn read_node(&mut self, plain: &str) -> bool {
        let Some(("ℹ" | "#", summary)) = plain.split_once(' ') else { return false };
        let Some((what, Ok(n))) = summary.split_once(' ').map(|(what, n)| (what, n.parse::<u64>())) else {
            return false;
        };
        match what {
            "pass" => self.passed += n,
            "fail" | "cancelled" | "skipped" | "todo" => self.failed += n,
            _ => return false,
        }
        true
    }
}

/// The line without terminal colour sequences.
pub fn without_colours(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("\x1b[") {
        plain.push_str(before);
        rest = after.split_once('m').map_or("", |(_, r)| r);
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str], passed: u64, failed: u64) {
        let mut totals = Totals::default();
        lines.iter().for_each(|l| totals.read(l));
        assert_eq!(totals, Totals { passed, failed });
    }

    #[test]
    fn nextest() {
        check(&["     Summary [   0.074s] 2 tests run: 1 passed, 1 failed, 1 skipped"], 1, 1);
        check(
            &["     Summary [  61.0s] 9 tests run: 7 passed (2 slow), 1 failed, 1 timed out, 0 skipped"],
            7,
            2,
        );
        check(
            &[
                "\x1b[32;1m     Summary\x1b[0m [   0.1s] \x1b[1m3\x1b[0m tests run: \x1b[1m3\x1b[0m \x1b[32;1mpassed\x1b[0m, \x1b[1m0\x1b[0m \x1b[33;1mskipped\x1b[0m",
            ],
            3,
            0,
        );
    }

    #[test]
    fn libtest() {
        check(
            &[
                "test result: ok. 3 passed; 0 failed; 0 ignored",
                "test result: FAILED. 2 passed; 5 failed; 0 ignored",
            ],
            5,
            5,
        );
        check(&["    test result: FAILED. 0 passed; 1 failed; 0 ignored"], 0, 0);
    }

    #[test]
    fn node() {
        check(
            &["ℹ tests 4", "ℹ suites 0", "ℹ pass 3", "ℹ fail 1", "ℹ cancelled 0", "ℹ duration_ms 10.5"],
            3,
            1,
        );
        check(&["\x1b[34mℹ pass 2\x1b[39m", "\x1b[34mℹ skipped 1\x1b[39m"], 2, 1);
        check(&["# tests 2", "# pass 1", "# fail 0", "# cancelled 1", "# skipped 0", "# todo 0"], 1, 1);
        check(&["# pass", "    # pass 1", "the tests pass 3"], 0, 0);
    }
}
