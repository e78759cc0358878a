//! The source index: which tests and functions a target has, and where, without building it.
//! Both languages fill the same types, so that lenses, `raddle list` and reports need no
//! knowledge of the language.

use std::path::PathBuf;

/// What one target's sources contain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// Tests, in source order, file by file.
    pub tests: Vec<Test>,
    /// Functions, in source order, file by file.
    pub functions: Vec<Function>,
    /// Files that could not be read or parsed, and why; the rest of the index stands.
    pub problems: Vec<Problem>,
}

impl Index {
    /// The test whose exact name is this.
    pub fn test(&self, name: &str) -> Option<&Test> {
        self.tests.iter().find(|t| t.name == name)
    }

    /// The innermost function that contains this line of this file.
    pub fn function_at(&self, file: &std::path::Path, line: u32) -> Option<&Function> {
        self.functions
            .iter()
            .filter(|f| f.file == file && f.line <= line && line <= f.end_line)
            .max_by_key(|f| f.line)
    }
}

/// One test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// As its harness prints it: `tests::moves_money` for Rust, the file or function name for C.
    pub name: String,
    /// Where it is written.
    pub file: PathBuf,
    /// Line of its name, from 1.
    pub line: u32,
    /// Column of its name, from 1, in bytes.
    pub column: u32,
    /// Marked `#[ignore]`.
    pub ignore: bool,
    /// Marked `#[should_panic]`: it passes when its body panics.
    pub should_panic: bool,
    /// Target it is compiled into: `lib`, `bin/NAME`, `tests/NAME`; empty for C.
    pub target: String,
}

/// One function, with its span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Qualified name: `Account::withdraw`, `queue::Queue::pop`, or plainly the C function's name.
    pub name: String,
    /// Where it is written.
    pub file: PathBuf,
    /// Line of its name, from 1.
    pub line: u32,
    /// Column of its name, from 1, in bytes.
    pub column: u32,
    /// Last line of its body.
    pub end_line: u32,
}

/// A file the index had to leave out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it.
    pub message: String,
}
