//! A failure with its places, and what an editor shows of it in a text.

use crate::lsp::moved::Moved;
use crate::lsp::roots::Root;
use crate::lsp::to_proto;
use crate::lsp::versions::{Id, same};
use raddle_protocol::report::Location;
use raddle_protocol::session::{Problem, SessionFailure, SessionState, Severity};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tower_lsp::lsp_types::{
    self as lsp, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, NumberOrString,
    Range, Url,
};

/// Who says it.
pub const SOURCE: &str = "raddle";

/// The texts as they stand, and what is known of those that were explored.
pub struct Texts<'a> {
    /// What the editor has open, by files without links.
    pub open: &'a BTreeMap<PathBuf, Arc<str>>,
    /// Did a session explore another text?
    pub changed: &'a dyn Fn(Id) -> bool,
    /// The name of a file that the editor has for it.
    pub uri: &'a dyn Fn(&Path) -> Option<Url>,
}

/// A line of a text.
pub struct Spot {
    /// Without links.
    pub file: PathBuf,
    line: u32,
    /// Of the line these bytes, from 0, and up to there; without them all of it.
    columns: Option<(usize, usize)>,
    /// The text that was explored.
    text: Arc<str>,
}

/// A failure with its places.
pub struct Finding {
    /// Where it is shown.
    pub at: Spot,
    related: Vec<(Spot, String)>,
    severity: DiagnosticSeverity,
    kind: String,
    message: String,
    /// What an action needs to know of it; null where there is none.
    data: Value,
}

impl Spot {
    /// Its range in the text that stands; `None` where its line has gone.
    fn range(&self, texts: &Texts) -> Option<Range> {
        match texts.open.get(&self.file) {
            Some(now) if !same(&self.text, now) => {
                Some(self.range_in(now, Moved::new(&self.text, now).line(self.line)?))
            }
            Some(now) => Some(self.range_in(now, self.line)),
            None => Some(self.range_in(&self.text, self.line)),
        }
    }

    fn range_in(&self, text: &str, line: u32) -> Range {
        let columns = self.columns.and_then(|(from, to)| to_proto::bytes_range(text, line, from, to));
        columns.unwrap_or_else(|| to_proto::line_range(text, line))
    }
}

impl Finding {
    /// As it is shown; `None` where its line has gone. A failure of another text is told quietly.
    pub fn diagnostic(&self, texts: &Texts, changed: bool) -> Option<Diagnostic> {
        let range = self.at.range(texts)?;
        let related = self.related.iter().filter_map(|(spot, message)| {
            let location = lsp::Location { uri: (texts.uri)(&spot.file)?, range: spot.range(texts)? };
            Some(DiagnosticRelatedInformation { location, message: message.clone() })
        });
        let message = match changed {
            true => format!("{}\n{}", to_proto::CHANGED, self.message),
            false => self.message.clone(),
        };
        Some(Diagnostic {
            range,
            severity: Some(if changed { DiagnosticSeverity::HINT } else { self.severity }),
            code: Some(NumberOrString::String(self.kind.clone())),
            source: Some(SOURCE.to_string()),
            message,
            related_information: Some(related.collect()),
            tags: changed.then(|| vec![DiagnosticTag::UNNECESSARY]),
            data: Some(self.data.clone()).filter(|data| !data.is_null()),
            ..Default::default()
        })
    }
}

/// Where things are in the texts that were explored, or in the files where those are not known.
pub struct Places<'a> {
    /// The workspace.
    pub root: &'a Root,
    /// The session's target.
    pub target: &'a str,
    /// Texts by files without links.
    pub texts: BTreeMap<PathBuf, Arc<str>>,
}

impl Places<'_> {
    /// At the failure; where that has no place, at the test, or at the first preemption.
    pub fn finding(&mut self, state: &SessionState, f: &SessionFailure) -> Option<Finding> {
        let preempted = f.related.iter().find_map(|r| r.location.as_ref());
        let location = f.location.as_ref().or(state.location.as_ref()).or(preempted)?;
        let at = self.spot(location);
        let related = f.related.iter().filter_map(|r| {
            let spot = self.spot(r.location.as_ref()?);
            Some((spot, r.message.clone()))
        });
        let related: Vec<_> = related.collect();
        let data = json!({
            "session": state.session,
            "schedule": f.schedule,
            "target": state.target,
            "test": state.test,
        });
        let (severity, kind, message) = (DiagnosticSeverity::ERROR, f.kind.clone(), to_proto::failure(f));
        Some(Finding { at, related, severity, kind, message, data })
    }

    /// Where the compiler says something.
    pub fn problem(&mut self, p: &Problem) -> Finding {
        let columns = (p.location.column.saturating_sub(1) as usize, p.end_column.saturating_sub(1) as usize);
        let at = Spot { columns: Some(columns), ..self.spot(&p.location) };
        let severity = match p.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
        };
        let (kind, message) = ("build".to_string(), p.message.clone());
        Finding { at, related: Vec::new(), severity, kind, message, data: Value::Null }
    }

    fn spot(&mut self, location: &Location) -> Spot {
        let file = self.root.real(&location.file, self.target);
        let text = self.texts.entry(file.clone()).or_insert_with(|| {
            // Gone since: the beginning of the line is still a place.
            let bytes = std::fs::read(&file).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into()
        });
        Spot { file, line: location.line, columns: None, text: text.clone() }
    }
}
