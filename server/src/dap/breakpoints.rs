//! The user's breakpoints: gdb's, file by file, since clients send all of a file's at once.

use super::gdb::mi::quote;
use super::session::{Outcome, Session, Trouble};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// One breakpoint.
#[derive(Clone, Debug)]
struct Breakpoint {
    /// The protocol's number.
    id: u64,
    /// gdb's.
    number: u64,
}

/// All of them.
#[derive(Default)]
pub struct Breakpoints {
    files: BTreeMap<String, Vec<Breakpoint>>,
    given: u64,
    /// They are switched off: an execution is made again up to a place before.
    off: bool,
}

impl Breakpoints {
    /// The protocol's numbers of these of gdb's.
    pub fn ids(&self, numbers: &[u64]) -> Vec<u64> {
        let all = self.files.values().flatten();
        let mut ids: Vec<u64> = all.filter(|b| numbers.contains(&b.number)).map(|b| b.id).collect();
        ids.sort_unstable();
        ids
    }

    fn numbers(&self) -> Vec<String> {
        let mut numbers: Vec<u64> = self.files.values().flatten().map(|b| b.number).collect();
        numbers.sort_unstable();
        numbers.iter().map(u64::to_string).collect()
    }
}

impl Session {
    /// `setBreakpoints`: these, in the place of those that the file had.
    pub fn set_breakpoints(&mut self, arguments: &Value) -> Outcome {
        let source = &arguments["source"];
        let path = source["path"].as_str().or(source["name"].as_str());
        let path = path.ok_or_else(|| Trouble::Refused("the breakpoints have no file".into()))?.to_string();
        // New ones are on.
        self.breakpoints(true)?;
        let old = self.program()?.breakpoints.files.remove(&path).unwrap_or_default();
        for breakpoint in old {
            self.gdb(&format!("-break-delete {}", breakpoint.number))?;
        }
        let none = Vec::new();
        let wanted = arguments["breakpoints"].as_array().unwrap_or(&none);
        let (mut set, mut answers) = (Vec::new(), Vec::new());
        for one in wanted {
            let given = &mut self.program()?.breakpoints.given;
            *given += 1;
            let id = *given;
            match self.insert(&path, one) {
                Ok((number, line)) => {
                    set.push(Breakpoint { id, number });
                    answers.push(
                        json!({ "id": id, "verified": true, "line": line, "source": { "path": path } }),
                    );
                }
                Err(Trouble::Refused(text)) => {
                    answers
                        .push(json!({ "id": id, "verified": false, "message": text, "line": one["line"] }));
                }
                Err(other) => return Err(other),
            }
        }
        self.program()?.breakpoints.files.insert(path, set);
        Ok(json!({ "breakpoints": answers }))
    }

    /// gdb's number of a new breakpoint, and the line it is at.
    fn insert(&mut self, path: &str, wanted: &Value) -> Outcome<(u64, u64)> {
        let line = wanted["line"].as_u64().ok_or_else(|| Trouble::Refused("it has no line".into()))?;
        let condition = wanted["condition"].as_str().map(str::trim).filter(|c| !c.is_empty());
        let condition = condition.map(|c| format!("-c {} ", quote(c))).unwrap_or_default();
        let file = quote(path);
        let answer = self.gdb(&format!("-break-insert {condition}--source {file} --line {line}"))?;
        let made = answer.tuple("bkpt").ok_or_else(|| Trouble::Refused("gdb made none".into()))?;
        let number = made.number("number").ok_or_else(|| Trouble::Refused("gdb made none".into()))?;
        let several = made.tuples("locations").find_map(|l| l.number("line"));
        Ok((number, made.number("line").or(several).unwrap_or(line)))
    }

    /// Switches all of them on or off.
    pub fn breakpoints(&mut self, on: bool) -> Outcome<()> {
        let breakpoints = &mut self.program()?.breakpoints;
        if breakpoints.off != on {
            return Ok(());
        }
        breakpoints.off = !on;
        let numbers = breakpoints.numbers();
        if !numbers.is_empty() {
            let what = if on { "enable" } else { "disable" };
            self.gdb(&format!("-break-{what} {}", numbers.join(" ")))?;
        }
        Ok(())
    }
}
