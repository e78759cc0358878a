//! C and C++: the source index by tree-sitter, what is inserted into a source ([`functions`],
//! `statements`), and the compiler driver behind `raddle cc` and `raddle c++`.

pub mod assembly;
pub mod driver;
pub mod edit;
pub mod functions;
mod heads;
pub mod hooks;
pub mod ilp32;
mod include;
mod included;
pub mod index;
pub mod level;
mod lto;
mod names;
pub mod own_frame;
mod pragmas;
mod presumed;
mod purity;
mod split;
mod statements;
mod tokens;
pub mod words;

use std::ffi::OsStr;
use std::path::Path;

/// Which of the two languages a source is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C, of any age.
    C,
    /// C++, of any age.
    Cpp,
}

impl Language {
    /// By the extension of a file with code to compile, preprocessed or not.
    pub fn of(path: &Path) -> Option<Language> {
        match path.extension().and_then(OsStr::to_str)? {
            "c" | "i" => Some(Language::C),
            "C" | "cc" | "cp" | "cpp" | "CPP" | "cxx" | "c++" | "ii" => Some(Language::Cpp),
            _ => None,
        }
    }

    /// Has the file gone through the preprocessor, by its extension?
    pub fn is_preprocessed(path: &Path) -> bool {
        matches!(path.extension().and_then(OsStr::to_str), Some("i" | "ii"))
    }

    /// By the argument of `-x`.
    pub fn named(name: &str) -> Option<Language> {
        match name {
            "c" => Some(Language::C),
            "c++" => Some(Language::Cpp),
            _ => None,
        }
    }

    pub(crate) fn grammar(self) -> tree_sitter::Language {
        match self {
            Language::C => tree_sitter_c::LANGUAGE.into(),
            Language::Cpp => tree_sitter_cpp::LANGUAGE.into(),
        }
    }
}
