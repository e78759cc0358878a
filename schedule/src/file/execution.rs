//! The execution in a schedule file, in words that survive an edit of the program.

use serde::{Deserialize, Serialize};
use std::string::String;
use std::vec::Vec;

/// One operation of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileOperation {
    /// What is done, as [`crate::OpKind::name`] says it.
    pub does: String,
    /// Name of the object; of a spawn or a join what the other thread runs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub object: String,
    /// The function that it is done in.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub method: String,
    /// What the source says at its line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub line: String,
}

/// One thread beside T0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileThread {
    /// Its number.
    pub thread: u8,
    /// Number of the thread that spawned it.
    pub by: u8,
    /// Its first function, or its name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub runs: String,
    /// What the source says where it is spawned.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub line: String,
}

/// What a thread does before another goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileStretch {
    /// Number of its first step.
    pub step: u32,
    /// Who.
    pub thread: u8,
    /// Its steps, by their places in [`FileExecution::operations`].
    pub does: Vec<u32>,
    /// What was chosen at its steps, where there was a choice: `2:w3` at the third one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chose: Vec<String>,
}

/// How often a thread did an operation in steps that are not told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileCount {
    /// The first step after them that is told.
    pub before: u32,
    /// Who.
    pub thread: u8,
    /// What.
    pub does: u32,
    /// So often.
    pub times: u32,
}

/// What an unfinished thread was about to do at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilePending {
    /// Who.
    pub thread: u8,
    /// What.
    pub does: u32,
}

/// The execution that a schedule led to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileExecution {
    /// What its threads do.
    pub operations: Vec<FileOperation>,
    /// Its threads beside T0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<FileThread>,
    /// Its steps, in order.
    pub steps: Vec<FileStretch>,
    /// Of a long one: what lies between the steps that are told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<FileCount>,
    /// Where unfinished threads were at the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<FilePending>,
}
