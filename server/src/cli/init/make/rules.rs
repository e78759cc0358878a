//! The rules of a Makefile: lines, conditions, and what is left out.

use super::variables::{Variables, known};
use std::path::Path;

/// Deepest nesting of included files.
const DEEPEST: u32 = 4;

/// A rule.
#[derive(Debug)]
pub struct Rule {
    pub targets: Vec<String>,
    /// Of a static pattern rule (`a b: %: %.c`).
    pub pattern: Option<String>,
    pub needs: Vec<String>,
    /// Its lines, with their variables.
    pub recipe: Vec<String>,
}

/// A Makefile that is read line by line.
pub struct Rules<'f> {
    folder: &'f Path,
    pub variables: Variables,
    pub rules: Vec<Rule>,
    /// The open conditions.
    conditions: Vec<Branch>,
    is_in_define: bool,
}

/// A branch of a condition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Branch {
    /// It holds.
    Taken,
    /// It does not; the next one may.
    Left,
    /// An earlier one held.
    Over,
    /// Only a running make knows: all branches are read.
    Unknown,
}

impl<'f> Rules<'f> {
    /// Those of a text.
    pub fn read(folder: &'f Path, text: &str) -> Rules<'f> {
        let variables = Variables::new(folder);
        let mut rules =
            Rules { folder, variables, rules: Vec::new(), conditions: Vec::new(), is_in_define: false };
        rules.text(text, 0);
        rules
    }

    fn text(&mut self, text: &str, depth: u32) {
        for line in text.replace("\\\n", " ").lines() {
            let word = line.split_whitespace().next().unwrap_or_default();
            if self.is_in_define {
                self.is_in_define = word != "endef";
                continue;
            }
            if self.condition(word, line.trim()) || self.is_left_out() {
                continue;
            }
            if let Some(recipe) = line.strip_prefix('\t') {
                if let Some(rule) = self.rules.last_mut() {
                    rule.recipe.push(recipe.to_string());
                }
                continue;
            }
            let line = line.split('#').next().unwrap_or_default().trim();
            match word {
                "define" => self.is_in_define = true,
                "include" | "-include" | "sinclude" => self.include(line, depth),
                _ if self.variables.set(line) => {}
                _ => self.rule(line),
            }
        }
    }

    fn is_left_out(&self) -> bool {
        self.conditions.iter().any(|branch| matches!(branch, Branch::Left | Branch::Over))
    }

    /// Takes a line of a condition; is it one?
    fn condition(&mut self, word: &str, line: &str) -> bool {
        let rest = line.strip_prefix(word).unwrap_or_default().trim();
        match word {
            "ifeq" | "ifneq" | "ifdef" | "ifndef" => {
                let branch = if self.is_left_out() { Branch::Over } else { self.branch(word, rest) };
                self.conditions.push(branch);
            }
            "else" => {
                let next = match self.conditions.last() {
                    Some(Branch::Left) if rest.is_empty() => Branch::Taken,
                    Some(Branch::Left) => {
                        let word = rest.split_whitespace().next().unwrap_or_default();
                        self.conditions.pop();
                        let branch = self.branch(word, rest.strip_prefix(word).unwrap_or_default().trim());
                        self.conditions.push(branch);
                        branch
                    }
                    Some(Branch::Unknown) => Branch::Unknown,
                    _ => Branch::Over,
                };
                if let Some(last) = self.conditions.last_mut() {
                    *last = next;
                }
            }
            "endif" => drop(self.conditions.pop()),
            _ => return false,
        }
        true
    }

    fn branch(&self, word: &str, rest: &str) -> Branch {
        let holds = match word {
            "ifdef" | "ifndef" => Some(self.variables.has(&self.variables.expand(rest))),
            _ => {
                let text = self.variables.expand(rest.split('#').next().unwrap_or_default().trim());
                let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
                let pair = inner.and_then(|t| t.split_once(',')).map(|(a, b)| (a.trim(), b.trim()));
                let quoted = || text.split_once(' ').map(|(a, b)| (a.trim(), b.trim()));
                let is_known = known(&text);
                let pair = pair.or_else(quoted).filter(|_| is_known);
                pair.map(|(a, b)| a.trim_matches(['"', '\'']) == b.trim_matches(['"', '\'']))
            }
        };
        match holds.map(|holds| holds != word.starts_with("ifn")) {
            Some(true) => Branch::Taken,
            Some(false) => Branch::Left,
            None => Branch::Unknown,
        }
    }

    /// Reads an included file. One that is not there, but for lists of headers, may set any variable.
    fn include(&mut self, line: &str, depth: u32) {
        let names = line.split_once([' ', '\t']).map_or("", |(_, names)| names);
        for name in self.variables.expand(names).split_whitespace().filter(|name| !name.ends_with(".d")) {
            match std::fs::read_to_string(self.folder.join(name)) {
                Ok(text) if depth < DEEPEST => self.text(&text, depth + 1),
                _ => self.variables.lacks_file = true,
            }
        }
    }

    fn rule(&mut self, line: &str) {
        let line = self.variables.expand(line);
        let Some((targets, rest)) = line.split_once(':') else { return };
        let rest = rest.trim_start_matches(':');
        let (needs, recipe) = rest.split_once(';').map_or((rest, None), |(n, r)| (n, Some(r.to_string())));
        // A variable for this target alone.
        if needs.split_once('=').is_some_and(|(left, _)| left.split_whitespace().count() <= 2) {
            return;
        }
        let (pattern, needs) = needs.split_once(':').map_or((None, needs), |(p, n)| (Some(p), n));
        let words =
            |text: &str| text.split_whitespace().map(|word| plain(word).to_string()).collect::<Vec<_>>();
        self.rules.push(Rule {
            targets: words(targets.trim_end_matches('&')),
            pattern: pattern.map(|p| plain(p.trim()).to_string()),
            needs: words(needs.split('|').next().unwrap_or_default()),
            recipe: recipe.into_iter().collect(),
        });
    }
}

/// Without a `./` at its beginning, as make takes it.
pub fn plain(path: &str) -> &str {
    path.trim_start_matches("./")
}
