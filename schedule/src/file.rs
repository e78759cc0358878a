//! Schedule files: versioned JSON in which each difference also says which thread, operation,
//! object and method it concerns, so that it can be found again after small edits.

use crate::delta::{ParseError, Schedule};
use serde::{Deserialize, Serialize};
use std::string::String;
use std::vec::Vec;

/// Version of the format.
pub const VERSION: u32 = 1;

/// A stored schedule. Its own type, apart from the ones in memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// [`VERSION`].
    pub version: u32,
    /// The target as it was named.
    pub target: String,
    /// The test.
    pub test: String,
    /// The schedule as a string, `sync@7:T2#3f2a`.
    pub schedule: String,
    /// Kind and message of the failure it shows; empty for a passing one.
    #[serde(default)]
    pub failure: String,
    /// What each difference concerns, in the schedule's order.
    #[serde(default)]
    pub deltas: Vec<FileDelta>,
}

/// One difference, described.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileDelta {
    /// Step number.
    pub step: u32,
    /// The choice, as in schedule strings.
    pub choice: String,
    /// Thread that makes the step.
    pub thread: String,
    /// The operation it does.
    pub operation: String,
    /// Name of the object, empty if it has none.
    #[serde(default)]
    pub object: String,
    /// Method the thread is in, empty if unknown.
    #[serde(default)]
    pub method: String,
    /// Source place, `file:line`.
    #[serde(default)]
    pub location: String,
}

/// Why a schedule file cannot be read.
#[derive(Debug)]
pub enum FileError {
    /// Not JSON of this shape.
    Json(serde_json::Error),
    /// Written by a newer Raddle.
    Version(u32),
    /// Its schedule string is malformed.
    Schedule(ParseError),
}

impl core::fmt::Display for FileError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            FileError::Json(e) => write!(f, "not a schedule file: {e}"),
            FileError::Version(v) => write!(f, "version {v} of the schedule format is newer than {VERSION}"),
            FileError::Schedule(e) => write!(f, "its schedule is malformed: {e}"),
        }
    }
}

impl core::error::Error for FileError {}

impl File {
    /// Reads a file's text, with its schedule.
    pub fn parse(text: &str) -> Result<(File, Schedule), FileError> {
        // Look at the version alone first: a newer one may have another shape.
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let Versioned { version } = serde_json::from_str(text).map_err(FileError::Json)?;
        if version > VERSION {
            return Err(FileError::Version(version));
        }
        let file: File = serde_json::from_str(text).map_err(FileError::Json)?;
        let schedule = file.schedule.parse().map_err(FileError::Schedule)?;
        Ok((file, schedule))
    }
}

impl core::fmt::Display for File {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        // Strings and numbers only: this cannot fail.
        f.write_str(&serde_json::to_string_pretty(self).unwrap_or_default())?;
        f.write_str("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_round_trip_and_newer_ones_are_refused() {
        let file = File {
            version: VERSION,
            target: "samples/rust/bank".into(),
            test: "audit".into(),
            schedule: "sync@7:T2#3f2a".into(),
            failure: "panic: left == right".into(),
            deltas: std::vec![FileDelta {
                step: 7,
                choice: "T2".into(),
                thread: "T2".into(),
                operation: "start".into(),
                object: String::new(),
                method: String::new(),
                location: "src/lib.rs:45".into(),
            }],
        };
        let (back, schedule) = File::parse(&file.to_string()).unwrap();
        assert_eq!(back, file);
        assert_eq!(schedule.to_string(), file.schedule);
        let newer = r#"{"version": 2, "shape": "other"}"#;
        assert!(matches!(File::parse(newer), Err(FileError::Version(2))));
        let broken = file.to_string().replace("sync@7", "sync@x");
        assert!(matches!(File::parse(&broken), Err(FileError::Schedule(_))));
        assert!(matches!(File::parse("{"), Err(FileError::Json(_))));
    }
}
