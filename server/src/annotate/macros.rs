//! What stands behind the macros of a source file, by the preprocessors that compiled it: asked once for a file, and only when an
//! operation of a report stands at a place where the file itself does not say what it works on.

use crate::target::compiler::MOST_WAYS;
use raddle_instrumenter::c::Language;
use raddle_instrumenter::c::index::macros::{Behind, Uses};
use raddle_instrumenter::instrument::Compiled;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// What stands behind the uses of macros in a file; nothing where that cannot be had.
pub fn behind(file: &Path, text: &str, compiled: &[Compiled]) -> Vec<Behind> {
    // A preprocessed file has no macros.
    let Some(language) = Language::of(file).filter(|_| !Language::is_preprocessed(file)) else {
        return Vec::new();
    };
    let uses = Uses::find(text);
    if uses.is_empty() || compiled.is_empty() || compiled.len() > MOST_WAYS {
        return Vec::new();
    }
    let question = uses.question();
    let answers: Option<Vec<String>> =
        compiled.iter().map(|way| expanded(&question, file, language, way)).collect();
    uses.read(file, &answers.unwrap_or_default())
}

/// What one of the compilers makes of the question, behind the macros of the file.
fn expanded(question: &str, file: &Path, language: Language, way: &Compiled) -> Option<String> {
    let (program, options) = way.words.split_first()?;
    let mut command = Command::new(program);
    let language = if language == Language::Cpp { "c++" } else { "c" };
    command.args(options).args(["-w", "-E", "-P", "-x", language, "-imacros"]).arg(file).arg("-");
    command.current_dir(&way.folder).env("LC_ALL", "C");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let (input, output) = (child.stdin.take(), child.stdout.take());
    let answer = std::thread::scope(|scope| {
        // It may write before it has read everything.
        scope.spawn(move || input.map(|mut input| input.write_all(question.as_bytes())));
        let mut answer = Vec::new();
        output?.read_to_end(&mut answer).ok()?;
        Some(answer)
    });
    let ended = child.wait().ok()?.success();
    answer.filter(|_| ended).map(|answer| String::from_utf8_lossy(&answer).into_owned())
}
