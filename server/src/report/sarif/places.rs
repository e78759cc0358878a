//! Places as SARIF has them: files relative to the repository's root, each an artifact without its contents.

use crate::report::run_report::RunReport;
use crate::terminal::clean::visible;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use raddle_protocol::report::Location;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The name of the repository's root, as code hosts know it.
const ROOT: &str = "%SRCROOT%";

/// What a path in a URI may not have as it is (RFC 3986), and `:`, which would end a scheme.
const PATH: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'`')
    .add(b'{')
    .add(b'}')
    .add(b'[')
    .add(b']')
    .add(b'\\')
    .add(b'^')
    .add(b'|')
    .add(b':');

/// The files that were named so far.
pub struct Places<'a> {
    whole: &'a RunReport,
    root: PathBuf,
    files: Vec<PathBuf>,
}

impl<'a> Places<'a> {
    /// Of this run.
    pub fn new(whole: &'a RunReport) -> Self {
        Places { whole, root: whole.root(), files: Vec::new() }
    }

    /// What relative files are relative to.
    pub fn bases(&self) -> Value {
        let description = "The root of the repository";
        json!({ ROOT: { "uri": folder(&self.root), "description": { "text": description } } })
    }

    /// The files, without their contents.
    pub fn artifacts(&self) -> Vec<Value> {
        self.files.iter().map(|f| self.artifact(f)).collect()
    }

    fn artifact(&self, file: &Path) -> Value {
        let mut artifact = json!({ "location": self.uri(file) });
        let extension = file.extension().and_then(|e| e.to_str()).unwrap_or_default();
        let language = match extension {
            "rs" => "rust",
            "c" | "h" => "c",
            "cc" | "cpp" | "cxx" | "c++" | "C" | "hpp" => "cplusplus",
            _ => return artifact,
        };
        artifact["sourceLanguage"] = json!(language);
        artifact
    }

    /// Relative to the root where it lies below it.
    fn uri(&self, file: &Path) -> Value {
        match file.strip_prefix(&self.root) {
            Ok(below) => json!({ "uri": encoded(below), "uriBaseId": ROOT }),
            Err(_) => json!({ "uri": format!("file://{}", encoded(file)) }),
        }
    }

    /// The locations of a result: one, or none.
    pub fn result(&mut self, at: Option<&Location>, method: &str) -> Vec<Value> {
        at.map(|at| self.location(at, method)).into_iter().collect()
    }

    /// A place, and the function it lies in.
    pub fn location(&mut self, at: &Location, method: &str) -> Value {
        let mut location = json!({ "physicalLocation": self.physical(at) });
        if !method.is_empty() {
            let name = visible(method);
            location["logicalLocations"] = json!([{ "fullyQualifiedName": name, "kind": "function" }]);
        }
        location
    }

    fn physical(&mut self, at: &Location) -> Value {
        let file = self.whole.file(at);
        let index = self.files.iter().position(|f| *f == file).unwrap_or_else(|| {
            self.files.push(file.clone());
            self.files.len() - 1
        });
        let mut artifact = self.uri(&file);
        artifact["index"] = json!(index);
        let mut region = json!({ "startLine": at.line.max(1) });
        if at.column > 0 {
            region["startColumn"] = json!(at.column);
        }
        json!({ "artifactLocation": artifact, "region": region })
    }
}

fn encoded(path: &Path) -> String {
    utf8_percent_encode(&path.to_string_lossy(), PATH).to_string()
}

/// A folder's URI; it ends with a slash.
pub fn folder(path: &Path) -> String {
    let path = encoded(path);
    format!("file://{}/", path.trim_end_matches('/'))
}
