//! The actions on a failure's diagnostic. An editor with an extension is offered the extension's commands:
//! looking at the execution, and debugging it. Any other one is offered ours, which give it texts to read.

use serde_json::json;
use tower_lsp::lsp_types::{CodeAction, CodeActionKind, Command, Diagnostic, Range};

/// The actions of those of a file's diagnostics that touch a range.
pub fn actions(all: &[Diagnostic], range: Range, own_commands: bool) -> Vec<CodeAction> {
    let touched = all.iter().filter(|d| d.range.start <= range.end && range.start <= d.range.end);
    touched.flat_map(|d| of_failure(d, own_commands)).collect()
}

fn of_failure(diagnostic: &Diagnostic, own_commands: bool) -> Vec<CodeAction> {
    let Some(data) = &diagnostic.data else { return Vec::new() };
    let action = |title: &str, command: &str, argument| CodeAction {
        title: title.to_string(),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostic.clone()]),
        command: Some(Command {
            title: title.to_string(),
            command: command.to_string(),
            arguments: Some(vec![argument]),
        }),
        ..Default::default()
    };
    let execution = json!({ "session": data["session"], "schedule": data["schedule"] });
    let debug = json!({ "target": data["target"], "test": data["test"], "schedule": data["schedule"] });
    match own_commands {
        true => vec![
            action("Show interleaving", "raddle.showInterleaving", execution),
            action("Debug this schedule", "raddle.debugSchedule", debug),
        ],
        false => vec![
            action("Explain this failure", "raddle.explain", execution.clone()),
            action("Replay this schedule", "raddle.replay", execution.clone()),
            action("Keep as regression test", "raddle.keep", execution),
        ],
    }
}
