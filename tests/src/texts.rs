//! Texts of the tests' editor: it opens and edits them, and asks for what is shown of them.

use crate::line_of;
use crate::lsp::Editor;
use crate::scratch::Scratch;
use serde_json::{Value, json};
use std::ops::Range;
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

/// Requests about a place of a text, and about all of it.
impl Editor {
    /// The Markdown over the last `word` of the only line with this marker; `None` where there is none.
    #[track_caller]
    pub fn hover(&mut self, file: &Path, text: &str, marker: &str, word: &str) -> Option<String> {
        let line = line_of(text, marker) - 1;
        let content = text.lines().nth(line as usize).expect("the line");
        let before = &content[..content.rfind(word).unwrap_or_else(|| panic!("no {word:?} in {content:?}"))];
        let character = before.encode_utf16().count();
        let position = json!({ "line": line, "character": character });
        let params = json!({ "textDocument": { "uri": uri(file) }, "position": position });
        let hover = self.request("textDocument/hover", params).expect("an answer");
        if hover.is_null() {
            return None;
        }
        let end = character + word.encode_utf16().count();
        let range = json!({ "start": position, "end": { "line": line, "character": end } });
        assert_eq!((&hover["range"], &hover["contents"]["kind"]), (&range, &json!("markdown")), "{hover}");
        hover["contents"]["value"].as_str().map(str::to_string)
    }

    /// The symbols of a file, as they are.
    #[track_caller]
    pub fn symbols(&mut self, file: &Path) -> Vec<Value> {
        let params = json!({ "textDocument": { "uri": uri(file) } });
        let symbols = self.request("textDocument/documentSymbol", params).expect("symbols");
        symbols.as_array().expect("a list").clone()
    }

    /// The inlay hints of a file: lines, from 1, columns and labels.
    #[track_caller]
    pub fn hints(&mut self, file: &Path, lines: Range<u32>) -> Vec<(u32, u32, String)> {
        let place = |line: u32| json!({ "line": line - 1, "character": 0 });
        let range = json!({ "start": place(lines.start), "end": place(lines.end) });
        let params = json!({ "textDocument": { "uri": uri(file) }, "range": range });
        let hints = self.request("textDocument/inlayHint", params).expect("hints");
        let number = |v: &Value| v.as_u64().expect("a number") as u32;
        let one = |hint: &Value| {
            let at = &hint["position"];
            let label = hint["label"].as_str().expect("a text").to_string();
            (number(&at["line"]) + 1, number(&at["character"]), label)
        };
        hints.as_array().expect("a list").iter().map(one).collect()
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
