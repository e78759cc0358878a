//! What the tests' editor does with texts: opens and edits them, and asks for their lenses.

use crate::lsp::Editor;
use crate::scratch::Scratch;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A lens, as an editor shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Lens {
    /// The line it is above, from 1.
    pub line: u32,
    /// What it says.
    pub title: String,
    /// What a click on it does.
    pub command: String,
    /// With what.
    pub argument: Value,
    /// Its columns, in UTF-16 units.
    pub columns: (u32, u32),
}

impl Editor {
    /// Opens a file as it is on disk.
    #[track_caller]
    pub fn open(&mut self, file: &Path) -> String {
        let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        self.open_as(file, &text);
        text
    }

    /// Opens a file with this text.
    pub fn open_as(&mut self, file: &Path, text: &str) {
        let item = json!({ "uri": uri(file), "languageId": "", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": item }));
    }

    /// Edits an open file.
    pub fn edit(&mut self, file: &Path, text: &str) {
        let document = json!({ "uri": uri(file), "version": 2 });
        let changes = json!([{ "text": text }]);
        self.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// Edits an open file and saves it.
    #[track_caller]
    pub fn edit_and_save(&mut self, file: &Path, text: &str) {
        self.edit(file, text);
        std::fs::write(file, text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        self.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri(file) } }));
    }

    /// The lenses of a file.
    #[track_caller]
    pub fn lenses(&mut self, file: &Path) -> Vec<Lens> {
        let params = json!({ "textDocument": { "uri": uri(file) } });
        let lenses = self.request("textDocument/codeLens", params).expect("lenses");
        lenses.as_array().expect("a list").iter().map(Lens::new).collect()
    }

    /// The lens over this line whose title begins so.
    #[track_caller]
    pub fn lens(&mut self, file: &Path, line: u32, title: &str) -> Lens {
        let all = self.lenses(file);
        let found = all.iter().find(|l| l.line == line && l.title.starts_with(title));
        found.unwrap_or_else(|| panic!("no {title:?} over line {line} in {all:#?}")).clone()
    }
}

impl Lens {
    fn new(lens: &Value) -> Lens {
        let number = |v: &Value| v.as_u64().expect("a number") as u32;
        let range = &lens["range"];
        let text = |v: &Value| v.as_str().expect("a text").to_string();
        Lens {
            line: number(&range["start"]["line"]) + 1,
            title: text(&lens["command"]["title"]),
            command: text(&lens["command"]["command"]),
            argument: lens["command"]["arguments"][0].clone(),
            columns: (number(&range["start"]["character"]), number(&range["end"]["character"])),
        }
    }
}

/// A file's name as editors write it: everything but letters, digits and a few signs is escaped.
pub fn uri(file: &Path) -> String {
    let escape = |b: &u8| match b {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => (*b as char).to_string(),
        b => format!("%{b:02X}"),
    };
    use std::os::unix::ffi::OsStrExt;
    let path: String = file.as_os_str().as_bytes().iter().map(escape).collect();
    format!("file://{path}")
}

/// The path of a name in a scratch folder, without links: as the host names files.
pub fn real(scratch: &Scratch, name: &str) -> PathBuf {
    scratch.path("").canonicalize().expect("the folder is there").join(name)
}
