//! Which objects of an execution a word of a text means.

use super::about::{About, is_variable};
use crate::lsp::word::Word;
use raddle_instrumenter::index::{Index, Variable, VariableKind};
use raddle_protocol::interleaving::Step;

/// Those of the operations on the word's line that end with this word; where there are none, those that it is a part
/// of. In the order in which they are first used.
pub fn at_line<'a>(about: &About<'a>, word: &Word) -> Vec<&'a str> {
    let here = |step: &Step| about.is_in(step.location.as_ref(), &(word.line..=word.line));
    let exact = objects(about, |step| here(step) && last_name(&step.object) == word.text);
    if !exact.is_empty() {
        return exact;
    }
    objects(about, |step| here(step) && names(&step.object).any(|name| name == word.text))
}

/// Those that a variable is, or has as a field. A local one must be used in its function, since others may have the
/// same name.
pub fn of_variable<'a>(about: &About<'a>, variable: &Variable, index: &Index) -> Vec<&'a str> {
    let is_field = variable.kind == VariableKind::Field;
    let is_part = |object: &str| object.contains('.') || object.contains("->");
    let found = objects(about, |step| {
        last_name(&step.object) == variable.name && (is_field || !is_part(&step.object))
    });
    let around = index
        .functions
        .iter()
        .find(|f| f.name == variable.within && (f.line..=f.end_line).contains(&variable.line));
    let is_local = matches!(variable.kind, VariableKind::Let | VariableKind::Parameter);
    let is_used_in = |object: &&str| match around {
        Some(function) => {
            let lines = function.line..=function.end_line;
            let steps = &about.execution.events;
            steps.iter().any(|s| s.object == *object && about.is_in(s.location.as_ref(), &lines))
        }
        None => false,
    };
    found.into_iter().filter(|object| !is_local || is_used_in(object)).collect()
}

/// The objects of these operations, each once.
fn objects<'a>(about: &About<'a>, is_meant: impl Fn(&Step) -> bool) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for step in &about.execution.events {
        if is_variable(step) && is_meant(step) && !found.contains(&step.object.as_str()) {
            found.push(&step.object);
        }
    }
    found
}

/// `accounts` of `bank.accounts[from] #2`: the last name, without an index and without what tells it from others.
fn last_name(object: &str) -> &str {
    let end = [" #", " ("].iter().filter_map(|apart| object.find(apart)).min().unwrap_or(object.len());
    let mut whole = &object[..end];
    while let Some(open) = whole.strip_suffix(']').and_then(|rest| rest.rfind('[')) {
        whole = &whole[..open];
    }
    whole.rsplit(|c: char| !is_of_name(c)).next().unwrap_or(whole)
}

fn names(object: &str) -> impl Iterator<Item = &str> {
    object.split(|c: char| !is_of_name(c)).filter(|name| !name.is_empty())
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_known_by_their_last_names() {
        let check = |object, expected| assert_eq!(last_name(object), expected, "{object}");
        check("counter", "counter");
        check("bank.accounts[from] #2", "accounts");
        check("q->head->n", "n");
        check("*lock", "lock");
        check("ready (condvar)", "ready");
        check("grid[i][j]", "grid");
        check("Bank::TOTAL", "TOTAL");
        check("", "");
    }
}
