//! Schedule files: versioned JSON in which each difference also says which thread, operation,
//! object and method it concerns, and which has the whole execution in short, so that the schedule can be found
//! again after edits.
//!
//! Version 1 had the differences alone. It is read; what it lacks is empty then.

mod execution;
mod format;

pub use execution::{FileCount, FileExecution, FileOperation, FilePending, FileStretch, FileThread};

use crate::delta::{ParseError, Schedule};
use serde::{Deserialize, Serialize};
use std::string::String;
use std::vec::Vec;

/// Version of the format.
pub const VERSION: u32 = 2;

/// A stored schedule. Its own type, apart from the ones in memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// [`VERSION`], or a lower one.
    pub version: u32,
    /// The target as it was named.
    pub target: String,
    /// Where the target lies, from the folder in which `.raddle` is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The test.
    pub test: String,
    /// The schedule as a string, `sync@7:T2#3f2a`.
    pub schedule: String,
    /// Kind and message of the failure it shows; empty for a passing one.
    #[serde(default)]
    pub failure: String,
    /// Where that was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<FilePlace>,
    /// Options of the command line that the schedule needs, as they are typed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub options: String,
    /// What each difference concerns, in the schedule's order.
    #[serde(default)]
    pub deltas: Vec<FileDelta>,
    /// The execution that it led to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution: Option<FileExecution>,
}

/// A place in the sources, by what stands there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilePlace {
    /// The function, empty if unknown.
    #[serde(default)]
    pub method: String,
    /// What the source says there, empty if unknown.
    #[serde(default)]
    pub line: String,
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
        f.write_str(&format::layout(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> File {
        let operation = |does: &str, object: &str| FileOperation {
            does: does.into(),
            object: object.into(),
            method: "audit".into(),
            ..FileOperation::default()
        };
        File {
            version: VERSION,
            target: "samples/rust/bank".into(),
            path: Some("bank".into()),
            test: "audit".into(),
            schedule: "sync@2:T1#3f2a".into(),
            failure: "panic: left == right".into(),
            failed: Some(FilePlace { method: "audit".into(), line: "assert_eq!(left, right);".into() }),
            options: "--main-exit kill".into(),
            deltas: std::vec![FileDelta {
                step: 2,
                choice: "T1".into(),
                thread: "T1".into(),
                operation: "start".into(),
                object: String::new(),
                method: String::new(),
                location: "src/lib.rs:45".into(),
            }],
            execution: Some(FileExecution {
                operations: std::vec![operation("spawn", "transfer"), operation("start", "")],
                threads: std::vec![FileThread {
                    thread: 1,
                    runs: "transfer".into(),
                    ..FileThread::default()
                }],
                steps: std::vec![
                    FileStretch { step: 0, thread: 0, does: std::vec![0], chose: std::vec!["0:w2".into()] },
                    FileStretch { step: 2, thread: 1, does: std::vec![1], chose: Vec::new() },
                ],
                skipped: std::vec![FileCount { before: 2, thread: 0, does: 0, times: 1 }],
                pending: std::vec![FilePending { thread: 0, does: 0 }],
            }),
        }
    }

    #[test]
    fn files_round_trip_and_newer_ones_are_refused() {
        let file = file();
        let (back, schedule) = File::parse(&file.to_string()).unwrap();
        assert_eq!(back, file);
        assert_eq!(schedule.to_string(), file.schedule);
        let newer = r#"{"version": 3, "shape": "other"}"#;
        assert!(matches!(File::parse(newer), Err(FileError::Version(3))));
        let broken = file.to_string().replace("sync@2", "sync@x");
        assert!(matches!(File::parse(&broken), Err(FileError::Schedule(_))));
        assert!(matches!(File::parse("{"), Err(FileError::Json(_))));
    }

    /// As it was written before there was an execution in it.
    #[test]
    fn the_first_version_is_read() {
        let text = r#"{
          "version": 1, "target": "a.c", "test": "a", "schedule": "sync@7:T2#3f2a", "failure": "panic: x",
          "deltas": [{"step": 7, "choice": "T2", "thread": "T2", "operation": "start", "location": "a.c:4"}]
        }"#;
        let (file, schedule) = File::parse(text).unwrap();
        assert_eq!((file.version, file.execution, file.path), (1, None, None));
        assert_eq!(schedule.deltas.len(), 1);
    }

    #[test]
    fn one_line_for_each_stretch() {
        let text = file().to_string();
        let lines =
            ["      {\"step\":0,\"thread\":0,\"does\":[0],\"chose\":[\"0:w2\"]},", "  \"test\": \"audit\","];
        for line in lines {
            assert!(text.lines().any(|l| l == line), "{line} in\n{text}");
        }
    }
}
