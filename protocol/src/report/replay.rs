//! One schedule run again, and how it was found again in a program that was edited.

use serde::{Deserialize, Serialize};

/// What a replay was asked for and saw.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Replay {
    /// The schedule.
    pub schedule: String,
    /// Runs made.
    pub runs: u64,
    /// Runs in which the failure happened.
    pub failed: u64,
    /// Runs that passed.
    pub passed: u64,
    /// Runs that did not follow the schedule, or not as the first did.
    pub diverged: u64,
    /// Hash of the trace that all runs but the diverged ones have, in hexadecimal: threads,
    /// operations and objects of all steps, the same in every process.
    pub hash: String,
    /// How the schedule of a file was found again in the program as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alignment: Option<Alignment>,
}

/// How a stored schedule was found again in the program as it is now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alignment {
    /// `exact`: every step is there, and no other. `re-aligned`: the same failure, with steps that are new or gone.
    /// `nearby`: the same failure, by a schedule that differs a little from what could be found again. `found`:
    /// the same failure, by a short search. `other`: another failure. `passes`: its differences are
    /// still there, and nothing fails. `lost`: nothing fails, and differences are gone. `given-up`: nothing fails with what was found
    /// within the limits, and that is not all of it. `interrupted`: looked for until Ctrl-C or SIGTERM.
    pub how: String,
    /// The schedule as it was stored.
    pub stored: String,
    /// The file.
    pub file: String,
    /// The stored schedule's differences from the default behaviour.
    pub differences: u32,
    /// Of these, those that were found again in their place.
    pub found: u32,
    /// Steps of the stored execution that the file tells.
    pub steps: u32,
    /// Of these, those that were found again in their place.
    pub steps_found: u32,
    /// Steps of the program up to there that the stored execution does not have.
    pub steps_new: u32,
    /// The differences that were not, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Where the program first could not be led as it was, if anywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub departs: Option<String>,
    /// Executions that were run to look for the failure beside it.
    pub searched: u64,
    /// The search beside it has run everything.
    pub complete: bool,
    /// All of it in sentences.
    pub text: String,
    /// The file has the schedule as it is now (`--update`).
    #[serde(default)]
    pub updated: bool,
}
