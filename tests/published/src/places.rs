//! The source places that a test's standard error names: of panics, and of the frames of the
//! package in their backtraces. Files are those of the package only: std is another one under
//! Raddle.

use std::collections::BTreeSet;

/// Places of one test, each once: threads may panic in any order, and random inputs any number of
/// times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Of panics, as `file:line`.
    pub panics: BTreeSet<String>,
    /// Of frames in backtraces, as `file:line`.
    pub frames: BTreeSet<String>,
}

impl Places {
    /// How the second differs, in one sentence without a subject.
    pub fn compare(&self, raddle: &Places) -> Option<String> {
        let all = |places: &BTreeSet<String>| match places.is_empty() {
            true => "nowhere".to_string(),
            false => format!("at {}", places.iter().map(String::as_str).collect::<Vec<_>>().join(", ")),
        };
        if self.panics != raddle.panics {
            return Some(format!(
                "panics {} without Raddle, {} with",
                all(&self.panics),
                all(&raddle.panics)
            ));
        }
        if self.frames != raddle.frames {
            return Some(format!(
                "has frames {} without Raddle, {} with",
                all(&self.frames),
                all(&raddle.frames)
            ));
        }
        None
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.panics.len() + self.frames.len()
    }
}

/// Reads them.
pub fn places(stderr: &str) -> Places {
    let mut found = Places::default();
    for line in stderr.lines() {
        if let Some((_, place)) = line.split_once(" panicked at ") {
            found.panics.extend(in_package(place.trim_end_matches(':')));
        } else if let Some(place) = line.trim_start().strip_prefix("at ./") {
            found.frames.extend(in_package(place));
        }
    }
    found
}

/// `file:line` of a `file:line:column` in the package.
fn in_package(place: &str) -> Option<String> {
    let (file_and_line, column) = place.rsplit_once(':')?;
    let (_, line) = file_and_line.rsplit_once(':')?;
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (!place.starts_with('/') && number(line) && number(column)).then(|| file_and_line.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_the_package_are_read() {
        let stderr = "\
thread 't' (12) panicked at src/lib.rs:10:9:
assertion failed: a panicked at nothing
stack backtrace:
   0: __rustc::rust_begin_unwind
             at /rustc/abc/library/std/src/panicking.rs:689:5
   2: crate::tests::t
             at ./src/lib.rs:10:9
   3: core::ops::function::FnOnce::call_once
             at /rustc/abc/library/core/src/ops/function.rs:250:5
thread '<unnamed>' (13) panicked at /rustc/abc/library/core/src/x.rs:1:2:
thread 'u' (14) panicked at src/a.rs:2:9:
";
        let found = places(stderr);
        assert_eq!(found.panics, ["src/a.rs:2", "src/lib.rs:10"].map(String::from).into());
        assert_eq!(found.frames, ["src/lib.rs:10"].map(String::from).into());
        assert_eq!(found.len(), 3);
    }
}
