//! One compilation with an edited copy of its source.
//!
//! The copy lies in a scratch folder and must not be seen. Maps of prefixes give `__FILE__`,
//! `__BASE_FILE__` and the debug information the original's name. `#include "…"` looks beside the
//! including file first, so these lines of the copy name the file by way of a link to the
//! original's folder ([`include`]); the link's name is mapped as well. Files of dependencies are
//! mended afterwards ([`Edited::finish`]). Whatever the compiler has to say about the copy is not
//! shown: it is asked about the original again.

use super::driver::{FIRST, Kit, Run};
use super::functions::instrument_file;
use super::included::Included;
use super::split::is_dependency_option;
use super::words::{has, value};
use super::{Language, include, presumed};
use crate::edits::{Columns, Edits};
use crate::instrument::{Record, Statements, Store, digest};
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// A compilation of an edited copy.
#[derive(Debug)]
pub struct Edited {
    /// The arguments that compile it.
    pub args: Vec<OsString>,
    /// What was done to the source.
    pub record: Record,
    /// The same for the files that it says it was made from.
    pub presumed: Vec<Record>,
    /// The original's name on the command line.
    named: OsString,
    /// The copy.
    copy: PathBuf,
    /// The link to the original's folder, with `/`, and what stood in its place.
    folder: (OsString, OsString),
    /// The copies of included files, and what these are called.
    included: Vec<(OsString, OsString)>,
    /// Our headers: of the markers, and before libc's.
    headers: [PathBuf; 2],
    /// The file of dependencies, if there will be one.
    dependencies: Option<PathBuf>,
}

impl Edited {
    /// Prepares a compilation in `scratch`, an existing empty folder. `None` when the source is
    /// not one to edit or cannot be read: the compiler will say so.
    pub fn new(run: &Run, kit: &Kit, wanted: &Statements, scratch: &Path) -> Option<Result<Edited, Record>> {
        let (at, language) = run.source?;
        let named = PathBuf::from(&run.args[at]);
        let file = std::path::absolute(&named).ok()?;
        let bytes = std::fs::read(&file).ok()?;
        if let Some(reason) = obstacle(&run.args, scratch) {
            return Some(Err(Record::untouched(&file, &bytes, reason)));
        }
        let text = text(&bytes);
        let instrumented = instrument_file(&named, &text, language, wanted);
        let mut record = Record::new(&file, &text, &instrumented);
        record.digest = digest(&bytes);
        let presumed = presumed(&mut record, &text, &named);
        if instrumented.edits.is_empty() {
            return Some(Err(record));
        }
        let edited = apply(&instrumented.edits, &bytes);
        match Edited::prepare(run, (at, language), kit, scratch, &named, record.clone(), &edited) {
            Ok(edited) => Some(Ok(Edited { presumed: [presumed, edited.presumed].concat(), ..edited })),
            Err(e) => {
                Some(Err(Record::untouched(&file, &bytes, &format!("its copy cannot be written: {e}"))))
            }
        }
    }

    fn prepare(
        run: &Run,
        (at, language): (usize, Language),
        kit: &Kit,
        scratch: &Path,
        named: &Path,
        record: Record,
        edited: &[u8],
    ) -> io::Result<Edited> {
        let copy = scratch.join(name_of_copy(named));
        let link = scratch.join("folder");
        let original = record.file.parent().unwrap_or(Path::new("/"));
        std::os::unix::fs::symlink(original, &link)?;
        let mut included = Included::new(language, scratch);
        let (includes, search) =
            include::redirect(edited, original, &link, &mut |name| included.copy(original, &link, name));
        std::fs::write(&copy, includes)?;
        let prefix = prefix(named);
        let mut slash = link.clone().into_os_string();
        slash.push("/");
        let mut args = run.args.clone();
        args[at] = copy.clone().into();
        if search {
            // Before the folders that are named on the command line.
            args.splice(0..0, ["-iquote".into(), link.clone().into()]);
        }
        args.extend(maps(&run.args, copy.as_os_str(), named.as_os_str()));
        args.extend(maps(&run.args, &slash, &prefix));
        let mut copies = Vec::new();
        for (copy, name) in &included.copies {
            let mut original = prefix.clone();
            original.push(name);
            args.extend(maps(&run.args, copy.as_os_str(), &original));
            copies.push((copy.clone().into_os_string(), original));
        }
        let header = kit.include.join("raddle_points.h");
        args.extend(["-include".into(), header.clone().into()]);
        let headers = [header, kit.include.join(FIRST).join("features.h")];
        let dependencies = dependency_file(&run.args, named);
        let folder = (slash, prefix);
        let (presumed, included) = (included.records, copies);
        let named = named.into();
        Ok(Edited { args, record, presumed, named, copy, folder, included, headers, dependencies })
    }

    /// After the compilation: the file of dependencies names the original.
    pub fn finish(&self) -> io::Result<()> {
        let Some(path) = &self.dependencies else { return Ok(()) };
        let Ok(text) = std::fs::read(path) else { return Ok(()) };
        let mut out = text.clone();
        // In the makefile's spelling as well as the plain one.
        for spell in [plain, escaped] {
            for header in &self.headers {
                let header = spell(header.as_os_str());
                out = without(&out, &[&header[..], b":\n"].concat());
                out = without(&out, &[b" \\\n ", &header[..]].concat());
                out = without(&out, &[b" ", &header[..]].concat());
            }
            out = replace(&out, &spell(self.copy.as_os_str()), &spell(&self.named));
            for (copy, original) in &self.included {
                out = replace(&out, &spell(copy), &spell(original));
            }
            out = replace(&out, &spell(&self.folder.0), &spell(&self.folder.1));
        }
        if out == text { Ok(()) } else { std::fs::write(path, out) }
    }

    /// The record of the original, compiled as it is.
    pub fn untouched(&self, reason: &str) -> Record {
        let digest = self.record.digest.clone();
        Record { digest, ..Record::untouched(&self.record.file, &[], reason) }
    }

    /// The first error in what the compiler said about the copy, about the original's name.
    pub fn first_error(&self, said: &[u8]) -> String {
        let said = replace(said, self.copy.as_os_str().as_bytes(), self.named.as_bytes());
        let said = replace(&said, self.folder.0.as_bytes(), self.folder.1.as_bytes());
        let text = String::from_utf8_lossy(&said);
        let line = text.lines().find(|l| l.contains("error:")).or(text.lines().next());
        line.unwrap_or("the compiler gave no reason").trim().to_string()
    }
}

/// The arguments that compile the original once more for its messages alone, into `scratch`.
pub fn messages_only(run: &Run, scratch: &Path) -> Vec<OsString> {
    let mut out = Vec::new();
    let mut words = run.args.iter();
    while let Some(word) = words.next() {
        if word == "-o" || word == "-MF" || word == "-MT" || word == "-MQ" {
            words.next();
        } else if !is_dependency_option(word) && !word.as_bytes().starts_with(b"-Wp,-M") {
            out.push(word.clone());
        }
    }
    out.extend(["-o".into(), scratch.join("discarded").into()]);
    out
}

/// The options of a compilation that say what the source's macros are, as far as they are text.
pub fn options(run: &Run) -> Option<Vec<String>> {
    let (at, _) = run.source?;
    let mut out = Vec::new();
    let mut words = run.args.iter().enumerate();
    while let Some((n, word)) = words.next() {
        let bytes = word.as_bytes();
        if word == "-o" || word == "-MF" || word == "-MT" || word == "-MQ" {
            words.next();
        } else if n != at
            && word != "-c"
            && word != "-S"
            && !bytes.starts_with(b"-o")
            && !is_dependency_option(word)
            && !bytes.starts_with(b"-Wp,-M")
        {
            out.push(word.to_str()?.to_string());
        }
    }
    Some(out)
}

/// The records of other files that lines of this one are presumed to be in; its own keeps the rest.
fn presumed(record: &mut Record, text: &str, named: &Path) -> Vec<Record> {
    let Some(files) = presumed::by_file(text, &record.columns, named) else { return Vec::new() };
    record.columns = Columns::default();
    let mut others = Vec::new();
    for (name, columns) in files {
        match name {
            None => record.columns = columns,
            Some(_) if columns.is_empty() => {}
            // As a debugger finds it: from the folder of the compilation.
            Some(name) => others.extend(Record::presumed(Path::new(&name), columns)),
        }
    }
    others
}

/// Where the records of such compilations lie below the cache folder.
pub fn store(cache: &Path, wanted: &Statements) -> Store {
    let word = wanted.encode();
    let short = word.len() <= 64 && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"_:,*".contains(&b));
    let folder = match word.as_str() {
        "" => "markers".to_string(),
        _ if short => word,
        word => digest(word.as_bytes()),
    };
    Store::new(cache.join("edits-c").join(folder))
}

/// Why the source of a compilation is not edited.
fn obstacle(args: &[OsString], scratch: &Path) -> Option<&'static str> {
    let kept = args.iter().any(|a| a.as_bytes().starts_with(b"-save-temps"));
    if kept {
        return Some("the compiler's intermediate files are kept");
    }
    if matches!(value(args, "-o").map(OsStr::as_bytes), Some(b"-" | b"/dev/stdout")) {
        return Some("the compiler's output goes through a pipe");
    }
    if scratch.as_os_str().as_bytes().contains(&b'=') {
        return Some("the path of the cache folder contains `=`");
    }
    None
}

/// The text as the grammar is given it. In a file that is not UTF-8 every byte beyond ASCII
/// becomes one character of a name, so that offsets are those of the file.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => {
            bytes.iter().map(|b| if b.is_ascii() { char::from(*b) } else { '_' }).collect::<String>().into()
        }
    }
}

pub(super) fn apply(edits: &Edits, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() * 5 / 4);
    let mut done = 0;
    for i in edits.insertions() {
        out.extend_from_slice(&bytes[done..i.at]);
        out.extend_from_slice(i.text.as_bytes());
        done = i.at;
    }
    out.extend_from_slice(&bytes[done..]);
    out
}

/// The file's own name. What is inserted is macros, so the copy of a preprocessed file is not one.
fn name_of_copy(named: &Path) -> PathBuf {
    let name = PathBuf::from(named.file_name().unwrap_or(OsStr::new("source")));
    match Language::of(named) {
        Some(Language::C) if Language::is_preprocessed(named) => name.with_extension("c"),
        Some(Language::Cpp) if Language::is_preprocessed(named) => name.with_extension("cc"),
        _ => name,
    }
}

/// What stands before the file's own name.
fn prefix(named: &Path) -> OsString {
    let bytes = named.as_os_str().as_bytes();
    let end = bytes.iter().rposition(|b| *b == b'/').map_or(0, |n| n + 1);
    OsString::from_vec(bytes[..end].to_vec())
}

/// The options that give one prefix the name of another, where the user's own maps would have
/// given that one a third.
fn maps(args: &[OsString], from: &OsStr, to: &OsStr) -> Vec<OsString> {
    let mapped = |kinds: [&str; 2]| -> OsString {
        let mut result = to.to_owned();
        for arg in args {
            let map = kinds.iter().find_map(|k| arg.as_bytes().strip_prefix(k.as_bytes()));
            let Some(map) = map else { continue };
            let Some(equals) = map.iter().position(|b| *b == b'=') else { continue };
            if let Some(rest) = to.as_bytes().strip_prefix(&map[..equals]) {
                result = OsString::from_vec([&map[equals + 1..], rest].concat());
            }
        }
        result
    };
    let option = |name: &str, to: &OsStr| {
        let mut option = OsString::from(name);
        option.push(from);
        option.push("=");
        option.push(to);
        option
    };
    vec![
        option("-fmacro-prefix-map=", &mapped(["-fmacro-prefix-map=", "-ffile-prefix-map="])),
        option("-fdebug-prefix-map=", &mapped(["-fdebug-prefix-map=", "-ffile-prefix-map="])),
    ]
}

/// Where the compiler writes what the source depends on.
fn dependency_file(args: &[OsString], named: &Path) -> Option<PathBuf> {
    for option in ["-Wp,-MD,", "-Wp,-MMD,"] {
        let joined = args.iter().find_map(|a| a.as_bytes().strip_prefix(option.as_bytes()));
        if let Some(file) = joined {
            return Some(PathBuf::from(OsStr::from_bytes(file.split(|b| *b == b',').next()?)));
        }
    }
    if !has(args, &["-MD", "-MMD"]) {
        return None;
    }
    if let Some(file) = value(args, "-MF") {
        return Some(PathBuf::from(file));
    }
    let output = value(args, "-o").map(Path::new);
    Some(output.unwrap_or(Path::new(named.file_name()?)).with_extension("d"))
}

fn plain(path: &OsStr) -> Vec<u8> {
    path.as_bytes().to_vec()
}

/// As in a makefile.
fn escaped(path: &OsStr) -> Vec<u8> {
    let mut out = Vec::new();
    for b in path.as_bytes() {
        match b {
            b' ' | b'#' | b'\\' => out.extend([b'\\', *b]),
            b'$' => out.extend(b"$$"),
            b => out.push(*b),
        }
    }
    out
}

fn without(text: &[u8], what: &[u8]) -> Vec<u8> {
    replace(text, what, b"")
}

fn replace(text: &[u8], what: &[u8], by: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut done = 0;
    for at in memchr::memmem::find_iter(text, what) {
        out.extend_from_slice(&text[done..at]);
        out.extend_from_slice(by);
        done = at + what.len();
    }
    out.extend_from_slice(&text[done..]);
    out
}
