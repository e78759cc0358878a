//! The arguments of `launch`, as interface.md promises them.

use crate::error::{Error, Result};
use crate::runner::{ByItself, MainExit};
use raddle_schedule::{Granularity, MAX_THREADS, input};
use serde_json::Value;
use std::path::PathBuf;

/// Where to stop first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopAt {
    /// In the test's first line.
    Entry,
    /// When the first thread is preempted.
    FirstPreemption,
    /// Where it fails.
    Failure,
}

/// Where a step ends early because another thread runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepStopsAt {
    /// At preemptions.
    Preemption,
    /// At every switch.
    Switch,
    /// Nowhere.
    Never,
}

/// What is debugged, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arguments {
    /// As on the command line.
    pub target: String,
    /// A test's name, or a part that only it has; empty where the target has one test.
    pub test: String,
    /// A schedule or a file with one; the newest stored one where it is left out.
    pub schedule: Option<String>,
    /// See [`StopAt`].
    pub stop_at: StopAt,
    /// See [`StepStopsAt`].
    pub step_stops_at: StepStopsAt,
    /// Arguments of the program under test.
    pub args: Vec<String>,
    /// Variables of its environment. They move what lies on its stack.
    pub env: Vec<(String, String)>,
    /// The folder that names of files are relative to.
    pub cwd: Option<PathBuf>,
    /// Folders as the debug information has them, and where they are.
    pub source_map: Vec<(String, String)>,
    /// Extra flags for the C compiler, as given to the search.
    pub cflags: Option<String>,
    /// Options of a Cargo package, as given to the search: `--release`, `--features=x`.
    pub cargo: Vec<String>,
    /// As given to the search.
    pub points_at: Vec<String>,
    /// No points in these functions and modules.
    pub trusted: Vec<String>,
    /// All operations of these dependencies are points.
    pub points_in: Vec<String>,
    /// As given to the search.
    pub main_exit: MainExit,
    /// As given to the search.
    pub by_itself: ByItself,
    /// As given to the search.
    pub max_threads: Option<u32>,
    /// Values of inputs, as given to the search.
    pub inputs: String,
    /// Small random ranges are inputs, as in the search.
    pub random_choices: bool,
    /// As given to the search.
    pub max_steps: u32,
}

fn wrong(name: &str, expected: &str) -> Error {
    Error::new(format!("launch: `{name}` is not {expected}")).next("correct the launch configuration")
}

fn text(arguments: &Value, name: &str) -> Result<Option<String>> {
    match &arguments[name] {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.clone())),
        _ => Err(wrong(name, "a text")),
    }
}

fn texts(arguments: &Value, name: &str) -> Result<Vec<String>> {
    match &arguments[name] {
        Value::Null => Ok(Vec::new()),
        Value::Array(items) => {
            let item =
                |i: &Value| i.as_str().map(str::to_string).ok_or_else(|| wrong(name, "a list of texts"));
            items.iter().map(item).collect()
        }
        _ => Err(wrong(name, "a list of texts")),
    }
}

fn pairs(arguments: &Value, name: &str) -> Result<Vec<(String, String)>> {
    match &arguments[name] {
        Value::Null => Ok(Vec::new()),
        Value::Object(object) => {
            let pair = |(n, v): (&String, &Value)| match v {
                Value::String(v) => Ok((n.clone(), v.clone())),
                _ => Err(wrong(name, "an object of texts")),
            };
            object.iter().map(pair).collect()
        }
        _ => Err(wrong(name, "an object of texts")),
    }
}

fn flag(arguments: &Value, name: &str) -> Result<bool> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(on)) => Ok(*on),
        Some(_) => Err(wrong(name, "true or false")),
    }
}

fn inputs(arguments: &Value) -> Result<String> {
    let text = text(arguments, "inputs")?.unwrap_or_else(|| input::DEFAULT.to_string());
    input::Values::parse(&text).map_err(|what| Error::new(format!("launch: `inputs`: {what}")))?;
    Ok(text)
}

fn one_of<T: Copy>(arguments: &Value, name: &str, values: &[(&str, T)], default: T) -> Result<T> {
    let Some(given) = text(arguments, name)? else { return Ok(default) };
    let found = values.iter().find(|(word, _)| *word == given).map(|(_, value)| *value);
    let words: Vec<&str> = values.iter().map(|(word, _)| *word).collect();
    found.ok_or_else(|| wrong(name, &format!("one of {}", words.join(", "))))
}

impl Arguments {
    /// The same on the command line of a search.
    pub fn options(&self, granularity: Granularity) -> Vec<String> {
        let mut words = vec!["--granularity".to_string(), granularity.to_string()];
        if self.main_exit == MainExit::Kill {
            words.extend(["--main-exit", "kill"].map(String::from));
        }
        if self.by_itself.wakeups {
            words.push("--spurious-wakeups".to_string());
        }
        if self.by_itself.failures {
            words.push("--spurious-failures".to_string());
        }
        if let Some(most) = self.max_threads {
            words.extend(["--max-threads".to_string(), most.to_string()]);
        }
        if self.inputs != input::DEFAULT {
            words.push(format!("--inputs={}", self.inputs));
        }
        if self.random_choices {
            words.push("--random-choices".to_string());
        }
        if !self.points_at.is_empty() {
            words.extend(["--points-at".to_string(), self.points_at.join(",")]);
        }
        if !self.trusted.is_empty() {
            words.extend(["--trust".to_string(), self.trusted.join(",")]);
        }
        words.extend(self.cargo.iter().cloned());
        if !self.points_in.is_empty() {
            words.extend(["--points-in".to_string(), self.points_in.join(",")]);
        }
        if let Some(cflags) = &self.cflags {
            words.push(format!("--cflags={cflags}"));
        }
        if !self.args.is_empty() {
            let args: Vec<String> = self.args.iter().map(|a| crate::shell::quote(a)).collect();
            words.push(format!("--args={}", args.join(" ")));
        }
        words
    }

    /// Reads them. What is not known is left to others: editors add names of their own.
    pub fn read(arguments: &Value) -> Result<Arguments> {
        let target = text(arguments, "target")?.filter(|t| !t.is_empty());
        let target = target.ok_or_else(|| {
            Error::new("launch: there is no `target`")
                .next("name a C or C++ file, a Cargo package's folder, or a program built with `raddle cc`")
        })?;
        let stops = [
            ("entry", StopAt::Entry),
            ("firstPreemption", StopAt::FirstPreemption),
            ("failure", StopAt::Failure),
        ];
        let steps = [
            ("preemption", StepStopsAt::Preemption),
            ("switch", StepStopsAt::Switch),
            ("never", StepStopsAt::Never),
        ];
        let exits = [("wait", MainExit::Wait), ("kill", MainExit::Kill)];
        let max_steps = match &arguments["maxSteps"] {
            Value::Null => raddle_engine::config::MAX_STEPS,
            given => given
                .as_u64()
                .and_then(|n| u32::try_from(n).ok())
                .filter(|n| *n > 0)
                .ok_or_else(|| wrong("maxSteps", "a number from 1"))?,
        };
        let max_threads = match &arguments["maxThreads"] {
            Value::Null => None,
            given => {
                let most = given.as_u64().and_then(|n| u32::try_from(n).ok());
                let most = most.filter(|n| (1..=MAX_THREADS as u32).contains(n));
                Some(most.ok_or_else(|| wrong("maxThreads", "a number from 1 to 64"))?)
            }
        };
        Ok(Arguments {
            target,
            test: text(arguments, "test")?.unwrap_or_default(),
            schedule: text(arguments, "schedule")?.filter(|s| !s.is_empty()),
            stop_at: one_of(arguments, "stopAt", &stops, StopAt::FirstPreemption)?,
            step_stops_at: one_of(arguments, "stepStopsAt", &steps, StepStopsAt::Preemption)?,
            args: texts(arguments, "args")?,
            env: pairs(arguments, "env")?,
            cwd: text(arguments, "cwd")?.filter(|c| !c.is_empty()).map(PathBuf::from),
            source_map: pairs(arguments, "sourceMap")?,
            cflags: text(arguments, "cflags")?,
            cargo: texts(arguments, "cargo")?,
            points_at: texts(arguments, "pointsAt")?,
            trusted: texts(arguments, "trust")?,
            points_in: texts(arguments, "pointsIn")?,
            main_exit: one_of(arguments, "mainExit", &exits, MainExit::Wait)?,
            by_itself: ByItself {
                wakeups: flag(arguments, "spuriousWakeups")?,
                failures: flag(arguments, "spuriousFailures")?,
            },
            max_threads,
            inputs: inputs(arguments)?,
            random_choices: flag(arguments, "randomChoices")?,
            max_steps,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn defaults_are_the_promised_ones() {
        let a = Arguments::read(&json!({"target": "a.c", "type": "raddle", "__id": {}})).unwrap();
        assert_eq!((a.stop_at, a.step_stops_at), (StopAt::FirstPreemption, StepStopsAt::Preemption));
        assert_eq!((a.test.as_str(), a.schedule), ("", None));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = |v: Value| Arguments::read(&v).unwrap_err().render();
        assert!(wrong(json!({})).contains("no `target`"));
        assert!(wrong(json!({"target": "a", "stopAt": "end"})).contains("entry, firstPreemption, failure"));
        assert!(wrong(json!({"target": "a", "env": ["A=1"]})).contains("`env` is not an object of texts"));
        assert!(wrong(json!({"target": "a", "args": "x"})).contains("`args` is not a list of texts"));
        assert!(wrong(json!({"target": "a", "maxSteps": 0})).contains("`maxSteps`"));
    }
}
