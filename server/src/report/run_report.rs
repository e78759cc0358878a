//! A whole run of `raddle explore`, as the reports in files tell it: what `--json` says of each test, and
//! what the command was. Nothing else goes into them, so a stored `--json` can be made into the same files.

use crate::report::details::{in_order, same_cause};
use crate::terminal::clean::visible;
use raddle_protocol::report::{Failure, Location, Report, Verdict};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A run.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// The target as it was named.
    pub target: String,
    /// What became of each test that was searched. If the target cannot be used, one of no test.
    pub reports: Vec<Report>,
    /// Tests that are marked to be left out.
    pub ignored: Vec<String>,
    /// Tests whose turn did not come, since the run was interrupted.
    pub unrun: Vec<String>,
    /// The exit status.
    pub status: u8,
    /// The command as it was typed, word by word.
    pub command: Vec<String>,
    /// The folder that files in the reports are relative to.
    pub base: PathBuf,
    /// When it began.
    pub began: SystemTime,
    /// When it ended.
    pub ended: SystemTime,
}

impl RunReport {
    /// How many tests ended so.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.reports.iter().filter(|r| r.verdict == verdict).count()
    }

    /// A file of a report.
    pub fn file(&self, location: &Location) -> PathBuf {
        plain(&self.base.join(&location.file))
    }

    /// May its lines be shown? What a file is called is what debug information says, which may be any file of the
    /// machine: only those below the repository or beside the target are.
    pub fn is_shown(&self, file: &Path) -> bool {
        let target = self.base.join(&self.target);
        let beside = if target.is_dir() { Some(target.as_path()) } else { target.parent() };
        let folders = [Some(self.root()), beside.map(Path::to_path_buf)].into_iter().flatten();
        let Ok(file) = file.canonicalize() else { return false };
        folders.filter_map(|f| f.canonicalize().ok()).any(|f| f.parent().is_some() && file.starts_with(f))
    }

    /// The folder that code hosts show files relative to: the repository's, or the one of the reports.
    pub fn root(&self) -> PathBuf {
        let base = plain(&self.base);
        let repository = base.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_path_buf);
        repository.unwrap_or(base)
    }

    /// The command as a shell takes it.
    pub fn command_line(&self) -> String {
        self.command.iter().map(|w| visible(&crate::shell::quote(w))).collect::<Vec<_>>().join(" ")
    }
}

/// Without `.` and `..`, and without asking what is there.
fn plain(path: &Path) -> PathBuf {
    use std::path::Component::*;
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            CurDir => {}
            ParentDir => drop(out.pop()),
            part => out.push(part),
        }
    }
    out
}

/// What is told of why something fails, line by line.
pub fn why(f: &Failure) -> &[String] {
    match &f.explained {
        Some(e) if !e.text.is_empty() => &e.text,
        _ => &f.explanation,
    }
}

/// The failures of a test by their causes, as they are told: of each the first one, and those that share its cause.
pub fn causes(report: &Report) -> Vec<(&Failure, Vec<&Failure>)> {
    let others = |at| report.failures.iter().filter(move |f| same_cause(f) == Some(at)).collect();
    in_order(report).into_iter().map(|at| (&report.failures[at], others(at))).collect()
}

/// `1 preemption`, `2 preemptions`.
pub fn counted(n: impl Into<u64>, what: &str) -> String {
    let n = n.into();
    let plural = if what.ends_with('h') { "es" } else { "s" };
    format!("{} {what}{}", crate::terminal::numbers::group(n), if n == 1 { "" } else { plural })
}

/// `all interleavings with at most 2 preemptions were explored`.
pub fn completed(preemptions: u32) -> String {
    match preemptions {
        0 => "all interleavings without a preemption were explored".to_string(),
        n => format!("all interleavings with at most {} were explored", counted(n, "preemption")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_those_of_the_base_without_detours() {
        assert_eq!(plain(Path::new("/a/b/./../c.c")), Path::new("/a/c.c"));
        assert_eq!(counted(1u32, "switch") + ", " + &counted(1_200u32, "switch"), "1 switch, 1,200 switches");
    }
}
