//! A single C or C++ file as a target.
//!
//! A file with `main` is one test, named after the file; without one, every `void test_*(void)`
//! is a test, and a generated `main` calls the one that its first argument names. The program is
//! kept in the cache, in a folder named by the preprocessed text and everything else that makes
//! it what it is; so an edited header is noticed as well.

use super::compiler::{Compiler, Job, Shown};
use super::linked;
use super::{BuildOptions, Contents, Listed, Listing, Paths, Place, Target, Test};
use crate::cache::{Cache, Key, Runtime};
use crate::error::{Error, Result};
use crate::progress::Phase;
use crate::runner::{Entry, Launch};
use crate::symbols::imports::called;
use raddle_instrumenter::c::{Language, driver, functions, hooks, ilp32, index};
use raddle_instrumenter::index::Index;
use raddle_instrumenter::instrument::Store;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The folder beside a program with the records of what was inserted into its sources.
const EDITS: &str = "edits";

/// What is in a file, without building it.
pub fn list(named: &str, path: &Path) -> Result<Listing> {
    let index = indexed(named, path)?;
    for p in &index.problems {
        eprintln!("warning: {}: {}", p.file.display(), p.message);
    }
    let paths = Paths { named: Some((path.to_owned(), named.to_string())), ..Paths::here() };
    Ok(Listing::new(listed(named, &index), index, &paths))
}

fn indexed(named: &str, path: &Path) -> Result<Index> {
    let index = index::index(path).map_err(|e| Error::file("read", path, &e))?;
    tested(named, index)
}

/// The index, if there are tests in it.
fn tested(named: &str, index: Index) -> Result<Index> {
    if index.tests.is_empty() {
        return Err(Error::new(format!("no test in {named}"))
            .because("it has neither a `main` nor a `void test_…(void)`")
            .next("add one; static functions do not count"));
    }
    Ok(index)
}

fn listed(named: &str, index: &Index) -> Vec<Listed> {
    let place = |line, column| Some(Place { file: named.to_string(), line, column });
    let one = |t: &raddle_instrumenter::index::Test| Listed {
        name: t.name.clone(),
        place: place(t.line, t.column),
        ignore: t.ignore,
    };
    index.tests.iter().map(one).collect()
}

/// Builds the file.
pub fn build(named: &str, path: &Path, options: &BuildOptions, cache: &Cache) -> Result<Target> {
    warn_of_32_bit(named, path);
    indexed(named, path)?;
    let absolute = std::path::absolute(path).map_err(|e| Error::file("find", path, &e))?;
    let folder = absolute.parent().unwrap_or(Path::new("/")).to_path_buf();
    let language = Language::of(path).unwrap_or(Language::C);
    let compiler = Compiler::find(language)?;
    let runtime = cache.runtime_aloud()?;
    let source = Source { path, named, language, options, compiler: &compiler, runtime: &runtime };
    let text = source.preprocess()?;
    let written = std::fs::read(path).map_err(|e| Error::file("read", path, &e))?;
    let written = String::from_utf8_lossy(&written);
    let index = index::index_left(path, &written, &String::from_utf8_lossy(&text));
    let index = index::with_included_main(index, path, &written);
    let index = tested(named, index)?;
    let has_main = index.functions.iter().any(|f| f.name == "main");
    let listed = listed(named, &index);
    let harness = if has_main { String::new() } else { harness(&index.tests, language) };
    let program = source.program(cache, &text, &harness, &index::stem(path))?;
    if !has_main {
        warn_of_hidden_tests(&program, &index, named);
    }
    let edits = Store::new(program.with_file_name(EDITS));
    let contents = Contents::Hash(source.hash(&text));
    let test = |t: Listed| Test {
        launch: Launch {
            program: program.clone(),
            // What lies in the cache by its contents stays what it is.
            stamp: None,
            args: if has_main { options.args.clone() } else { vec![OsString::from(&t.name)] },
            cwd: folder.clone(),
            env: Vec::new(),
            entry: Entry::Main,
            test: t.name.clone(),
            library: runtime.lib.clone(),
            all_points: false,
            has_unwatched_code: false,
        },
        name: t.name,
        place: t.place,
        ignore: false,
        contents: contents.clone(),
        unwatched: Default::default(),
    };
    let mut tests: Vec<Test> = listed.into_iter().map(test).collect();
    let paths = Paths { named: Some((absolute, named.to_string())), ..Paths::here() };
    super::warn_of_files_left_alone(&edits.current_of(|r| r.left_alone().is_some()), &paths);
    let named = named.to_string();
    crate::target::uninstrumented_calls::note(&mut tests, &runtime.lib);
    Ok(Target { named, tests, root: folder, paths, opaque: false, edits })
}

/// Tests are found in the text: one that a macro writes is in the program alone, and is not run. Helpers are called by
/// functions of the text, or have other parameters; they are there as well.
pub(super) fn warn_of_hidden_tests(object: &Path, index: &Index, file: &str) {
    let written = |name: &String| index.functions.iter().any(|f| f.name == *name);
    let hidden: Vec<String> = called(object, "test_").into_iter().filter(|name| !written(name)).collect();
    if hidden.is_empty() {
        return;
    }
    let verb = if hidden.len() == 1 { "is" } else { "are" };
    eprintln!(
        "warning: {file}: {} {verb} in the program, but not in the text as `void test_…(void)`, and {verb} not run: a macro \
         may write it (write the function out, or call it from one that is)",
        hidden.join(", ")
    );
}

/// Says that types of a preprocessed file are not as large as they were where that was done.
fn warn_of_32_bit(named: &str, path: &Path) {
    let text =
        Language::is_preprocessed(path).then(|| std::fs::read(path).ok()).flatten().unwrap_or_default();
    if ilp32::is_from_32_bit(&String::from_utf8_lossy(&text)) {
        eprintln!(
            "warning: {named} was preprocessed for a 32-bit machine: `long`, `size_t` and pointers have 64 bits here, and types of \
             libc other than those of pthreads and semaphores may have another size"
        );
    }
}

/// A `main` that calls the test its first argument names; started by hand without one, all.
///
/// In C++ a test may have either linkage: both are declared, and of the two the one that is there
/// is called.
pub(super) fn harness(tests: &[raddle_instrumenter::index::Test], language: Language) -> String {
    let cpp = language == Language::Cpp;
    let c = if cpp { "extern \"C\" " } else { "" };
    let mut text = format!("{c}int strcmp(const char *, const char *);\n");
    for raddle_instrumenter::index::Test { name, .. } in tests {
        if cpp {
            let weak = "__attribute__((weak))";
            text += &format!("void {name}() {weak};\n");
            text += &format!("extern \"C\" void raddle_{name}() __asm__(\"{name}\") {weak};\n");
        } else {
            text += &format!("void {name}(void);\n");
        }
    }
    text += "int main(int argc, char **argv)\n{\n    int found = 0;\n";
    for raddle_instrumenter::index::Test { name, .. } in tests {
        let call = match cpp {
            true => format!("({name} ? {name} : raddle_{name})()"),
            false => format!("{name}()"),
        };
        text += &format!("    if (argc < 2 || !strcmp(argv[1], \"{name}\")) {{ {call}; found = 1; }}\n");
    }
    text + "    return !found;\n}\n"
}

/// What to do with a program of several files.
const SEVERAL: &str = "name all of them (raddle explore main.c queue.c), or build it with `make CC='raddle cc'` and explore the program";

/// Were these said by a linker, and nothing by the compiler proper?
fn is_of_linker(messages: &str) -> bool {
    let ends = |l: &str| l.contains("ld returned") || l.contains("linker command failed");
    messages.lines().any(ends)
}

/// One compilation.
struct Source<'a> {
    path: &'a Path,
    named: &'a str,
    language: Language,
    options: &'a BuildOptions,
    compiler: &'a Compiler,
    runtime: &'a Runtime,
}

impl Source<'_> {
    fn run(&self, command: &mut Command) -> Result<Output> {
        let output = self.options.hold.output(command).map_err(|e| self.compiler.error(&e))?;
        if output.status.success() {
            return Ok(output);
        }
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(self.refused(messages))
    }

    /// Why the compiler gave nothing: it may be that only its linker did not.
    fn refused(&self, messages: String) -> Error {
        let compiler = self.compiler.words[0].display();
        let options = format!("the compiler was {compiler} (--cflags and CFLAGS give it options)");
        let (what, next) = match is_of_linker(&messages) {
            true => ("does not link", format!("is the program of several files? {SEVERAL}; {options}")),
            false => ("does not compile", format!("correct it; {options}")),
        };
        Error::new(format!("{} {what}", self.named)).because(messages).next(next)
    }

    /// The text the compiler sees, with the name of the file the same wherever it was named from.
    fn preprocess(&self) -> Result<Vec<u8>> {
        if Language::is_preprocessed(self.path) {
            return std::fs::read(self.path).map_err(|e| Error::file("read", self.path, &e));
        }
        let mut args: Vec<OsString> = self.options.cflags.clone();
        args.extend(["-E".into(), self.path.into()]);
        if let Some(folder) = self.path.parent().filter(|p| !p.as_os_str().is_empty()) {
            let mut map = OsString::from("-fmacro-prefix-map=");
            map.push(folder);
            map.push("/=");
            args.push(map);
        }
        // No objects are made, so no scratch folder is needed.
        let plan = self.plan(&args, Path::new(""))?;
        let mut text = Vec::new();
        for run in &plan.runs {
            text.extend(self.run(self.compiler.command().args(&run.args))?.stdout);
        }
        Ok(text)
    }

    fn plan(&self, args: &[OsString], scratch: &Path) -> Result<driver::Plan> {
        driver::plan(self.compiler.tool, &self.runtime.kit(), args, scratch)
            .map_err(|e| Error::new(format!("cannot build {}", self.named)).because(e))
    }

    /// What its schedules depend on: the text without the compiler's markers, and the flags.
    fn hash(&self, text: &[u8]) -> String {
        let lines = text.split(|b| *b == b'\n').filter(|l| !l.starts_with(b"#"));
        let mut key = Key::new();
        for line in lines {
            key = key.add(line);
        }
        for flag in &self.options.cflags {
            key = key.add_os(flag);
        }
        key.add(&self.compiler.version).hex(32)
    }

    /// The program in the cache, compiled if it is not there yet.
    fn program(&self, cache: &Cache, text: &[u8], harness: &str, stem: &str) -> Result<PathBuf> {
        let here = std::env::current_dir().unwrap_or_default();
        let mut key = Key::new()
            .add(hooks::LINKED)
            .add(text)
            .add(harness)
            .add(&self.compiler.version)
            .add(&self.runtime.hash);
        key = key.add(env!("CARGO_PKG_VERSION")).add_os(self.path).add_os(&here).add_os(&self.runtime.lib);
        key = key.add(self.options.statements.encode()).add(self.edited()?);
        for word in self.compiler.words.iter().chain(&self.options.cflags) {
            key = key.add_os(word);
        }
        for file in linked::files(&self.options.cflags, &here) {
            key = key.add(std::fs::read(&file).map_err(|e| Error::file("read", &file, &e))?);
        }
        let name = format!("c-{stem}-{}", key.hex(24));
        let folder = cache.folder(&name, |aside| {
            let _phase = Phase::new(format!("compiling {}", self.named));
            self.compile(aside, harness, stem)
        })?;
        Ok(folder.join(stem))
    }

    /// The file with what is inserted into it.
    fn edited(&self) -> Result<String> {
        let bytes = std::fs::read(self.path).map_err(|e| Error::file("read", self.path, &e))?;
        let text = String::from_utf8_lossy(&bytes);
        let instrumented =
            functions::instrument_file(self.path, &text, self.language, &self.options.statements);
        Ok(instrumented.edits.apply(&text))
    }

    fn compile(&self, aside: &Path, harness: &str, stem: &str) -> Result<()> {
        let mut args: Vec<OsString> = vec![self.path.into()];
        if !harness.is_empty() {
            let name = if self.language == Language::Cpp { "harness.cc" } else { "harness.c" };
            let source = aside.join(name);
            let text = format!("{harness}{}", hooks::OWN);
            std::fs::write(&source, text).map_err(|e| Error::file("write", &source, &e))?;
            let object = aside.join("harness.o");
            // Without hooks: it is not part of the test.
            self.run(self.compiler.command().arg("-c").arg(&source).arg("-o").arg(&object))?;
            args.push(object.into());
        }
        args.extend(self.options.cflags.iter().cloned());
        args.extend(["-o".into(), aside.join(stem).into()]);
        let plan = self.plan(&args, aside)?;
        let job = Job {
            compiler: self.compiler,
            kit: &self.runtime.kit(),
            statements: &self.options.statements,
            store: &Store::new(aside.join(EDITS)),
            scratch: aside,
            warns: false,
        };
        job.carry_out(&plan, &mut |command, shown| {
            let output = self.run(command)?;
            // Warnings, as the compiler would show them.
            if shown != Shown::Nothing {
                eprint!("{}", String::from_utf8_lossy(&output.stderr));
            }
            Ok(output)
        })?;
        Ok(())
    }
}
