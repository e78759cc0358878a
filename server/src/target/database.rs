//! `compile_commands.json`: how each source of a project is compiled, as CMake, Meson, Bear and others write it down.
//!
//! It is looked for in the folder and in its folders for builds; for a source also in the folders above it. One that
//! is neither the user's nor the owner's of the source is not read: its options are given to the compiler.

use crate::error::{Error, Result};
use raddle_instrumenter::c::Language;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Its name.
pub const FILE: &str = "compile_commands.json";

/// Folders below a project's in which builds leave it.
const BUILDS: [&str; 6] = ["", "build", "builddir", "out", "cmake-build-debug", "Build"];

/// How one source is compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The source, absolute.
    pub file: PathBuf,
    /// Where the compiler is started.
    pub folder: PathBuf,
    /// What it is given, without the source, outputs and what is for one compilation alone.
    pub options: Vec<OsString>,
    /// Which compiler.
    pub language: Language,
}

/// What such a file says.
#[derive(Clone, Debug)]
pub struct Database {
    /// Itself.
    pub path: PathBuf,
    /// Its sources in C and C++, each once, in the order of the file.
    pub entries: Vec<Entry>,
}

/// As it is written.
#[derive(serde::Deserialize)]
struct Written {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

impl Database {
    /// The one of a folder.
    pub fn of_folder(folder: &Path) -> Option<PathBuf> {
        let owner = std::fs::metadata(folder).ok()?.uid();
        let files = BUILDS.iter().map(|build| folder.join(build).join(FILE));
        files.into_iter().find(|file| is_owned(file, owner))
    }

    /// The nearest one that has this source.
    pub fn of_source(source: &Path) -> Option<Database> {
        let source = source.canonicalize().ok()?;
        let owner = std::fs::metadata(&source).ok()?.uid();
        let files = source.ancestors().skip(1).flat_map(|folder| BUILDS.map(|b| folder.join(b).join(FILE)));
        let owned = files.filter(|file| is_owned(file, owner));
        // One that cannot be read is that of something else, or says nothing of this source.
        owned.filter_map(|file| Database::read(&file).ok()).find(|database| database.entry(&source).is_some())
    }

    /// Reads one.
    pub fn read(path: &Path) -> Result<Database> {
        let text = std::fs::read(path).map_err(|e| Error::file("read", path, &e))?;
        let wrong = |cause: String| {
            let what = format!("{} cannot be used", path.display());
            Error::new(what).because(cause).next("let the build write it again")
        };
        let written: Vec<Written> = serde_json::from_slice(&text).map_err(|e| wrong(e.to_string()))?;
        let base = path.parent().unwrap_or(Path::new("/"));
        if written.is_empty() {
            return Err(wrong("it lists no sources".to_string()));
        }
        let (mut entries, count): (Vec<Entry>, usize) = (Vec::new(), written.len());
        let mut missing: Vec<PathBuf> = Vec::new();
        for one in written {
            let folder = base.join(&one.directory);
            let Ok(file) = folder.join(&one.file).canonicalize() else {
                missing.push(if folder.is_dir() { folder.join(&one.file) } else { folder });
                continue;
            };
            let words = match (one.arguments, one.command) {
                (Some(words), _) => words.into_iter().map(OsString::from).collect(),
                (None, Some(command)) => crate::shell::words(FILE, &command)?,
                (None, None) => return Err(wrong(format!("{} has no command", file.display()))),
            };
            if let (Some(language), None) = (language(&file, &words), entries.iter().find(|e| e.file == file))
            {
                let options = options(&words, &folder, &file);
                entries.push(Entry { file, folder, options, language });
            }
        }
        match missing.first() {
            Some(first) if missing.len() == count => {
                Err(wrong(format!("none of its sources is there: {} is missing", first.display())))
            }
            _ => Ok(Database { path: path.to_path_buf(), entries }),
        }
    }

    /// How a source is compiled.
    pub fn entry(&self, file: &Path) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.file == file)
    }
}

/// Is it there, and the user's or this owner's?
fn is_owned(file: &Path, owner: u32) -> bool {
    // SAFETY: a plain system call that cannot fail.
    let user = unsafe { libc::geteuid() };
    std::fs::metadata(file).is_ok_and(|m| m.is_file() && (m.uid() == owner || m.uid() == user))
}

/// A compiler of C++ takes every source for C++.
fn language(file: &Path, words: &[OsString]) -> Option<Language> {
    let language = Language::of(file)?;
    let program =
        words.iter().take_while(|w| !is_option(w)).filter(|w| Path::new(w).extension() != file.extension());
    let cpp = program
        .into_iter()
        .any(|w| Path::new(w).file_name().is_some_and(|n| n.to_string_lossy().contains("++")));
    Some(if cpp { Language::Cpp } else { language })
}

fn is_option(word: &OsString) -> bool {
    word.to_string_lossy().starts_with('-')
}

/// The options among the words of a command.
fn options(words: &[OsString], folder: &Path, file: &Path) -> Vec<OsString> {
    let mut out = Vec::new();
    // The compiler, and what starts it (ccache).
    let mut words = words.iter().skip_while(|w| !is_option(w));
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        match &*text {
            "-o" | "-MF" | "-MT" | "-MQ" => {
                words.next();
            }
            "-c" | "-S" | "-E" | "-MD" | "-MMD" | "-MP" | "-M" | "-MM" | "--" => {}
            t if t.starts_with("-Wp,-M") || t.starts_with("-fsanitize") || t.starts_with("-save-temps") => {}
            t if t.starts_with("-o") && !t.starts_with("-openmp") => {}
            _ if !is_option(word) && folder.join(word).canonicalize().is_ok_and(|w| w == file) => {}
            _ => out.push(word.clone()),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_database_says() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for file in ["a.c", "b.cc", "c.c", "d.txt"] {
            std::fs::write(root.join(file), "").unwrap();
        }
        std::fs::create_dir(root.join("build")).unwrap();
        let text = r#"[
            {"directory": "ROOT/build", "file": "../a.c", "command": "ccache /usr/bin/cc -DX=\"a b\" -I.. -o a.o -MD -MF a.d -c ../a.c"},
            {"directory": "ROOT/build", "file": "ROOT/b.cc", "arguments": ["c++", "-std=c++17", "-c", "-ob.o", "ROOT/b.cc"]},
            {"directory": "ROOT", "file": "c.c", "arguments": ["g++", "-c", "c.c"]},
            {"directory": "ROOT", "file": "a.c", "arguments": ["cc", "-DSECOND", "a.c"]},
            {"directory": "ROOT", "file": "gone.c", "command": "cc gone.c"},
            {"directory": "ROOT", "file": "d.txt", "command": "cc d.txt"}
        ]"#;
        let file = root.join("build").join(FILE);
        std::fs::write(&file, text.replace("ROOT", root.to_str().unwrap())).unwrap();
        assert_eq!(Database::of_folder(&root), Some(file.clone()));
        let database = Database::of_source(&root.join("a.c")).unwrap();
        let told: Vec<_> = database
            .entries
            .iter()
            .map(|e| (e.file.file_name().unwrap().to_str().unwrap(), e.language))
            .collect();
        assert_eq!(told, [("a.c", Language::C), ("b.cc", Language::Cpp), ("c.c", Language::Cpp)]);
        let entry = database.entry(&root.join("a.c")).unwrap();
        assert_eq!(entry.folder, root.join("build"));
        assert_eq!(entry.options, ["-DX=a b", "-I.."].map(OsString::from));
        assert_eq!(database.entries[1].options, ["-std=c++17"].map(OsString::from));
        assert!(Database::of_source(&root.join("d.txt")).is_none());
        std::fs::write(&file, "{}").unwrap();
        assert!(Database::read(&file).is_err() && Database::of_source(&root.join("a.c")).is_none());
    }
}
