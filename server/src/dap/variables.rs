//! Scopes, variables and expressions, by gdb's variable objects.
//!
//! An enum of Rust that is made a variable object has the value `{...}` and a child for its
//! discriminant; the summary of what it is comes with the list of variables (feasibility, part C).

use super::gdb::mi::{Fields, quote};
use super::session::{Outcome, Session, Trouble};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What a number that was handed out stands for.
#[derive(Clone, Debug)]
enum Handle {
    /// A frame: gdb's thread and level.
    Frame(u64, u32),
    /// A variable object with children, and its frame.
    Variable(String, (u64, u32)),
}

/// Numbers handed out since the program last stopped.
#[derive(Default)]
pub struct Handles(Vec<Handle>);

impl Handles {
    /// The program runs: none is valid any more.
    pub fn forget(&mut self) {
        self.0.clear();
    }

    fn give(&mut self, handle: Handle) -> u64 {
        self.0.push(handle);
        self.0.len() as u64
    }

    /// A number for a frame.
    pub fn frame(&mut self, thread: u64, level: u32) -> u64 {
        self.give(Handle::Frame(thread, level))
    }

    fn get(&self, number: &Value) -> Option<Handle> {
        let index = usize::try_from(number.as_u64()?.checked_sub(1)?).ok()?;
        self.0.get(index).cloned()
    }
}

/// Children that are read of one variable.
const MOST: u32 = 1000;

fn stale() -> Trouble {
    Trouble::Refused("that was valid at an earlier stop; ask again".into())
}

impl Session {
    fn handle_of(&mut self, number: &Value) -> Outcome<Handle> {
        self.program()?.handles.get(number).ok_or_else(stale)
    }

    /// `scopes`: one, the locals with the arguments.
    pub fn scopes(&mut self, arguments: &Value) -> Outcome {
        // A label that stands for a frame has none.
        if arguments["frameId"] == 0 {
            return Ok(json!({ "scopes": [] }));
        }
        match self.handle_of(&arguments["frameId"])? {
            Handle::Frame(..) => Ok(json!({ "scopes": [{
                "name": "Locals", "presentationHint": "locals", "expensive": false,
                "variablesReference": arguments["frameId"],
            }] })),
            Handle::Variable(..) => Err(stale()),
        }
    }

    /// `variables`: of a frame, or inside of a variable.
    pub fn variables(&mut self, arguments: &Value) -> Outcome {
        let variables = match self.handle_of(&arguments["variablesReference"])? {
            Handle::Frame(thread, level) => self.locals(thread, level)?,
            Handle::Variable(name, frame) => self.children(&name, frame)?,
        };
        Ok(json!({ "variables": variables }))
    }

    fn locals(&mut self, thread: u64, level: u32) -> Outcome<Vec<Value>> {
        let place = format!("--thread {thread} --frame {level}");
        let listed = self.gdb(&format!("-stack-list-variables {place} --all-values"))?;
        let mut seen = BTreeSet::new();
        let mut variables = Vec::new();
        for listed in listed.tuples("variables") {
            let name = listed.text("name");
            // Of those that one name hides, gdb lists the innermost first. Ours are no business of
            // the user's.
            let ours = name.starts_with('_') && name.trim_start_matches('_').starts_with("raddle");
            if !seen.insert(name.to_string()) || ours {
                continue;
            }
            // What is known is the value that the function was called with.
            let shown = name.trim_end_matches("@entry");
            let mut variable = json!({
                "name": shown, "value": listed.text("value"), "variablesReference": 0, "evaluateName": name,
            });
            if let Ok(object) = self.gdb(&format!("-var-create {place} - * {}", quote(name))) {
                variable["type"] = json!(object.text("type"));
                variable["variablesReference"] = json!(self.reference(&object, (thread, level))?);
            }
            variables.push(variable);
        }
        Ok(variables)
    }

    /// A number for a variable object that has children; 0 otherwise.
    fn reference(&mut self, object: &Fields, frame: (u64, u32)) -> Outcome<u64> {
        // What a printer says of children is known only when they are asked for.
        let printed = object.text("dynamic") == "1" && object.text("displayhint") != "string";
        if object.number("numchild").unwrap_or(0) == 0 && !printed {
            return Ok(0);
        }
        let name = object.text("name").to_string();
        Ok(self.program()?.handles.give(Handle::Variable(name, frame)))
    }

    fn children(&mut self, object: &str, frame: (u64, u32)) -> Outcome<Vec<Value>> {
        let listed = self.gdb(&format!("-var-list-children --all-values {} 0 {MOST}", quote(object)))?;
        let mut variables = Vec::new();
        for child in listed.tuples("children") {
            let name = child.text("exp");
            // The discriminant of an enum; what it says is in the summary.
            if name == "<anonymous union>" {
                continue;
            }
            let value = match child.text("value") {
                "{...}" => self.summary(child.text("name"), frame).unwrap_or_else(|| "{...}".into()),
                value => value.to_string(),
            };
            let reference = self.reference(child, frame)?;
            variables.push(json!({
                "name": name, "value": value, "type": child.text("type"), "variablesReference": reference,
            }));
        }
        Ok(variables)
    }

    /// What a variable object is in one line, where gdb knows an expression for it.
    fn summary(&mut self, object: &str, (thread, level): (u64, u32)) -> Option<String> {
        let path = self.gdb(&format!("-var-info-path-expression {}", quote(object))).ok()?;
        // Rust has no arrow, and gdb takes the dot for pointers of C too.
        let expression = quote(&path.text("path_expr").replace("->", "."));
        let place = format!("--thread {thread} --frame {level}");
        let value = self.gdb(&format!("-data-evaluate-expression {place} {expression}")).ok()?;
        Some(value.text("value").to_string()).filter(|value| !value.is_empty())
    }

    /// `evaluate`: an expression of the frame's language. The program's functions are not called.
    pub fn evaluate(&mut self, arguments: &Value) -> Outcome {
        let expression = arguments["expression"].as_str().unwrap_or_default().trim();
        if expression.is_empty() {
            return Err(Trouble::Refused("there is no expression".into()));
        }
        let frame = match arguments.get("frameId").filter(|f| !f.is_null()) {
            Some(frame) => match self.handle_of(frame)? {
                Handle::Frame(thread, level) => Some((thread, level)),
                Handle::Variable(..) => return Err(stale()),
            },
            None => None,
        };
        let place = frame.map(|(thread, level)| format!("--thread {thread} --frame {level}"));
        let place = place.unwrap_or_default();
        let expression = quote(expression);
        let object = self.gdb(&format!("-var-create {place} - * {expression}"))?;
        let reference = self.reference(&object, frame.unwrap_or((1, 0)))?;
        let mut value = object.text("value").to_string();
        // What is inside of others comes with their summary. Numbers and pointers have none: `i++`
        // is done once.
        if reference != 0 && !object.text("type").ends_with('*') {
            let summary = self.gdb(&format!("-data-evaluate-expression {place} {expression}"));
            value = summary.map_or(value, |v| v.text("value").to_string());
        }
        Ok(json!({ "result": value, "type": object.text("type"), "variablesReference": reference }))
    }
}
