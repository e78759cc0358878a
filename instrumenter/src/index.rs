//! The source index: which tests, functions, synchronisation and shared variables a target has,
//! and where, without building it. Both languages fill the same types, so that lenses,
//! `raddle list` and reports need no knowledge of the language.

pub mod loops;

use std::path::{Path, PathBuf};

/// What one target's sources contain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// Tests, in source order, file by file.
    pub tests: Vec<Test>,
    /// Functions, in source order, file by file.
    pub functions: Vec<Function>,
    /// Sites of synchronisation, in source order, file by file.
    pub sites: Vec<Site>,
    /// Variables that look as if threads shared them, in source order, file by file.
    pub variables: Vec<Variable>,
    /// Where tests may be made that are not among these: files and lines of macros and attributes.
    pub makers: Vec<(PathBuf, u32)>,
    /// Files that could not be read or parsed, and why; the rest of the index stands.
    pub problems: Vec<Problem>,
}

impl Index {
    /// The test whose exact name is this.
    pub fn test(&self, name: &str) -> Option<&Test> {
        self.tests.iter().find(|t| t.name == name)
    }

    /// The innermost function that contains this line of this file.
    pub fn function_at(&self, file: &Path, line: u32) -> Option<&Function> {
        self.functions
            .iter()
            .filter(|f| f.file == file && f.line <= line && line <= f.end_line)
            .max_by_key(|f| f.line)
    }

    /// The sites of synchronisation inside a function, and not inside one that is in it.
    pub fn sites_in<'a>(&'a self, function: &'a Function) -> impl Iterator<Item = &'a Site> {
        let inside = |s: &&Site| function.line <= s.line && s.line <= function.end_line;
        self.sites
            .iter()
            .filter(move |s| s.file == function.file && s.function == function.name)
            .filter(inside)
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
    /// Target it is compiled into: `lib`, `bin/NAME`, `tests/NAME`, `examples/NAME`, `benches/NAME`; empty for C.
    pub target: String,
    /// Package that the target belongs to; empty for C.
    pub package: String,
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

/// A place where the source synchronises: a lock, an atomic operation, a thread's start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Where it is written.
    pub file: PathBuf,
    /// Line, from 1.
    pub line: u32,
    /// Column from 1, in bytes: of a method's name, or of a call's beginning, as compilers say it.
    pub column: u32,
    /// The same column in characters.
    pub chars: u32,
    /// What it does, in one word: `lock`, `load`, `spawn`, `wait`, `notify`, `join`, …
    pub kind: &'static str,
    /// To what, as the source says it, without what only leads there: `accounts[from]`, `q->lock`.
    /// Empty where the operation has no object.
    pub object: String,
    /// How that object is reached.
    pub reach: Reach,
    /// Qualified name of the function it stands in; empty outside of functions.
    pub function: String,
}

/// How an expression reaches its object; names that live longer come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reach {
    /// Through a global variable or a static.
    Global,
    /// Through a field.
    Field,
    /// A local variable itself, whose address others have.
    Itself,
    /// Through a local variable.
    Local,
    /// Through a parameter: another function has the better name.
    Parameter,
    /// Through a call, or through something else that has no name.
    #[default]
    Other,
}

/// An expression that reads or writes memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Line, from 1.
    pub line: u32,
    /// First column, from 1, in bytes.
    pub column: u32,
    /// Column after its last one, on its line.
    pub end: u32,
    /// Columns that compilers give for it: of the operator or the field, of an assignment to it; in Rust its
    /// first one too.
    pub marks: Vec<u32>,
    /// As a report names it.
    pub name: String,
    /// What it is a field of; for what is no field, the name again.
    pub base: String,
    /// How it reaches its object.
    pub reach: Reach,
    /// It is freed here.
    pub freed: bool,
    /// What happens to it there.
    pub touch: Touch,
    /// A local variable of C whose address was taken may be read in the course of it, or is what it is.
    pub beside_local: bool,
}

/// What an expression of C does to its object; of other languages it is not asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Touch {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// Both, or it is not known.
    #[default]
    Both,
}

/// A variable that looks as if threads shared it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// What it is part of: the type of a field, the function of a local one; empty for a global.
    pub within: String,
    /// What sort of variable.
    pub kind: VariableKind,
    /// Its type as written, shortened; empty where the source does not say.
    pub type_name: String,
    /// Where it is written.
    pub file: PathBuf,
    /// Line, from 1.
    pub line: u32,
    /// Column from 1, in bytes.
    pub column: u32,
    /// Why it looks shared, in a few words.
    pub why: String,
}

/// Sorts of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VariableKind {
    /// A static of Rust, or a variable that is private to its C file or function.
    Static,
    /// A global variable of C.
    Global,
    /// A field of a type.
    Field,
    /// A local variable.
    Let,
    /// A parameter.
    Parameter,
}

impl VariableKind {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            VariableKind::Static => "static",
            VariableKind::Global => "global",
            VariableKind::Field => "field",
            VariableKind::Let => "let",
            VariableKind::Parameter => "parameter",
        }
    }
}

/// A type's text in at most this many characters, on one line.
pub(crate) fn short(type_text: &str) -> String {
    const MOST: usize = 40;
    let text = type_text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= MOST {
        return text;
    }
    text.chars().take(MOST - 1).chain(['…']).collect()
}

/// A file the index had to leave out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it.
    pub message: String,
}
