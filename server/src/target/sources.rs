//! A program of several C and C++ files as a target, without a build of its own: files that are named together
//! (`main.c,queue.c`), a source of a project with a `compile_commands.json`, or the folder of such a project.
//!
//! Each file is compiled by `raddle cc` with the options of the project, where it has some, in the folder that it
//! says. What is linked with a source of a project are those of its other sources that have what it needs: they are
//! in an archive, without those that have a `main` or tests of their own. Objects and programs are kept in the cache, by
//! the preprocessed text and the options.

use super::compiler::Compiler;
use super::database::{Database, Entry};
use super::{BuildOptions, Contents, Listed, Listing, Paths, Place, Target, Test, c};
use crate::cache::{Cache, Key, Runtime};
use crate::error::{Error, Result};
use crate::progress::Phase;
use crate::runner::{Entry as Begin, Launch};
use raddle_instrumenter::c::driver::STATEMENTS;
use raddle_instrumenter::c::{Language, hooks, index};
use raddle_instrumenter::index::Index;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Separates files that are named together.
const SEPARATOR: char = ',';

/// The files, where a target names several.
pub fn several(named: &str) -> Option<Vec<PathBuf>> {
    if Path::new(named).exists() {
        return None;
    }
    let files: Vec<PathBuf> = named.split(SEPARATOR).map(PathBuf::from).collect();
    let all = files.len() > 1 && files.iter().all(|f| Language::of(f).is_some() && f.is_file());
    all.then_some(files)
}

/// The target that these files are together.
pub fn together(files: &[PathBuf]) -> Result<PathBuf> {
    let names: Vec<OsString> = files.iter().map(|f| f.clone().into_os_string()).collect();
    Ok(names.join(OsStr::new(",")).into())
}

/// Where a source is followed by others of the same program among the names of tests, they are part of the target.
pub fn merge(target: &mut String, tests: &mut Vec<String>) {
    let is_source = |name: &str| Language::of(Path::new(name)).is_some() && Path::new(name).is_file();
    if !is_source(target) && several(target).is_none() {
        return;
    }
    let others: Vec<String> = tests.extract_if(.., |name| is_source(name)).collect();
    for other in others {
        target.push(SEPARATOR);
        target.push_str(&other);
    }
}

/// What is built: the sources that have tests, and what goes with them.
pub struct Sources {
    named: String,
    /// The folder that `.raddle` belongs into, and that programs are started in.
    root: PathBuf,
    /// Sources with `main` or tests, each of which becomes a program.
    tested: Vec<(Entry, Index)>,
    /// Such sources of the project beside the one that is named: of one that has its `main` under a condition that does
    /// not hold, the program gets what it needs.
    beside: Vec<(Entry, Index)>,
    /// The others.
    others: Vec<Entry>,
    /// Are all others linked, or those that are needed?
    all: bool,
    /// Where their options are from.
    database: Option<PathBuf>,
}

impl Sources {
    /// Files that are named together are one program.
    pub fn of_files(named: &str, files: &[PathBuf]) -> Result<Sources> {
        let here = std::env::current_dir().unwrap_or_default();
        let mut entries = Vec::new();
        let mut database = None;
        for file in files {
            let absolute = std::path::absolute(file).map_err(|e| Error::file("find", file, &e))?;
            let known = Database::of_source(&absolute);
            let entry = known.as_ref().and_then(|d| d.entry(&absolute.canonicalize().ok()?).cloned());
            database = database.or(known.map(|d| d.path));
            let language = Language::of(file).unwrap_or(Language::C);
            let folder = here.clone();
            entries.push(entry.unwrap_or(Entry { file: absolute, folder, options: Vec::new(), language }));
        }
        let root = entries[0].file.parent().unwrap_or(Path::new("/")).to_path_buf();
        let mut sources = Sources::sort(named, root, entries)?;
        (sources.all, sources.database) = (true, database);
        Ok(sources)
    }

    /// Files that are named together are one program.
    fn check_for_two(&self) -> Result<()> {
        let [_, second, ..] = &self.tested[..] else { return Ok(()) };
        if !self.all {
            return Ok(());
        }
        Err(Error::new(format!("{} has two files with `main` or tests", self.named))
            .because(format!("the second is {}", second.0.file.display()))
            .next("name one of them, with the files that it needs"))
    }

    /// Whether sources have a `main` or tests is decided by what the preprocessor leaves of them.
    fn settle(&mut self, preprocessed: &dyn Fn(&Entry) -> Result<Vec<u8>>) -> Result<()> {
        let left = |entry: &Entry, index: Index| -> Result<Index> {
            let text = std::fs::read(&entry.file).map_err(|e| Error::file("read", &entry.file, &e))?;
            let text = String::from_utf8_lossy(&text);
            if index::conditional_lines(&text).is_empty() {
                return Ok(index);
            }
            let preprocessed = preprocessed(entry)?;
            Ok(index::index_left(&entry.file, &text, &String::from_utf8_lossy(&preprocessed)))
        };
        for (entry, index) in std::mem::take(&mut self.tested) {
            let index = left(&entry, index)?;
            if index.tests.is_empty() { self.others.push(entry) } else { self.tested.push((entry, index)) }
        }
        for (entry, index) in std::mem::take(&mut self.beside) {
            // One that is not compiled here is no matter of the program's.
            if left(&entry, index).is_ok_and(|index| index.tests.is_empty()) {
                self.others.push(entry);
            }
        }
        self.check_for_two()
    }

    /// A source of a project, if it is one.
    pub fn of_source(named: &str, path: &Path) -> Result<Option<Sources>> {
        let absolute = std::path::absolute(path).map_err(|e| Error::file("find", path, &e))?;
        let Some(database) = Database::of_source(&absolute) else { return Ok(None) };
        let file = absolute.canonicalize().map_err(|e| Error::file("find", path, &e))?;
        let root = absolute.parent().unwrap_or(Path::new("/")).to_path_buf();
        let mut sources = Sources::sort(named, root, database.entries)?;
        let (tested, beside) = sources.tested.into_iter().partition(|(entry, _)| entry.file == file);
        (sources.tested, sources.beside) = (tested, beside);
        sources.database = Some(database.path);
        Ok(Some(sources))
    }

    /// The folder of a project.
    pub fn of_folder(named: &str, folder: &Path, database: &Path) -> Result<Sources> {
        let database = Database::read(database)?;
        let root = std::path::absolute(folder).map_err(|e| Error::file("find", folder, &e))?;
        let mut sources = Sources::sort(named, root, database.entries)?;
        sources.database = Some(database.path);
        Ok(sources)
    }

    fn sort(named: &str, root: PathBuf, entries: Vec<Entry>) -> Result<Sources> {
        let (mut tested, mut others) = (Vec::new(), Vec::new());
        for entry in entries {
            let index = index::index(&entry.file).map_err(|e| Error::file("read", &entry.file, &e))?;
            if index.tests.is_empty() { others.push(entry) } else { tested.push((entry, index)) }
        }
        let (named, beside) = (named.to_string(), Vec::new());
        Ok(Sources { named, root, tested, beside, others, all: false, database: None })
    }

    fn empty(&self) -> Error {
        Error::new(format!("no test in {}", self.named))
            .because("none of its sources has a `main` or a `void test_…(void)`")
            .next("add one; static functions do not count")
    }

    /// What is in them, without building.
    pub fn list(mut self) -> Result<Listing> {
        // Nothing is preprocessed here: what is sure counts.
        let is_sure = |(entry, index): &(Entry, Index)| {
            let text = std::fs::read(&entry.file).unwrap_or_default();
            let conditional = index::conditional_lines(&String::from_utf8_lossy(&text));
            index.tests.iter().any(|test| !conditional.contains(&test.line))
        };
        if self.all && self.tested.iter().any(is_sure) {
            self.tested.retain(is_sure);
        }
        self.check_for_two()?;
        let paths = Paths::here();
        let mut listed = Vec::new();
        let mut whole = Index::default();
        let names = self.names();
        for ((entry, index), names) in self.tested.iter().zip(names) {
            listed.extend(self.listed(entry, index, &names, &paths));
        }
        if listed.is_empty() {
            return Err(self.empty());
        }
        let others = self.others.iter().filter_map(|entry| index::index(&entry.file).ok());
        for index in self.tested.into_iter().map(|(_, index)| index).chain(others) {
            whole.functions.extend(index.functions);
            whole.sites.extend(index.sites);
            whole.variables.extend(index.variables);
        }
        Ok(Listing::new(listed, whole, &paths))
    }

    /// What tests are called: programs by their file, or by its path where two have the same name.
    fn names(&self) -> Vec<Vec<String>> {
        let all = || self.tested.iter().flat_map(|(_, index)| &index.tests);
        let name = |entry: &Entry, name: &String| match all().filter(|t| t.name == *name).count() {
            1 => name.clone(),
            _ => {
                let path = entry.file.strip_prefix(&self.root).unwrap_or(&entry.file).with_extension("");
                let stem = path.file_name().is_some_and(|stem| stem == name.as_str());
                if stem { path.display().to_string() } else { format!("{}:{name}", path.display()) }
            }
        };
        self.tested.iter().map(|(e, i)| i.tests.iter().map(|t| name(e, &t.name)).collect()).collect()
    }

    fn listed(&self, entry: &Entry, index: &Index, names: &[String], paths: &Paths) -> Vec<Listed> {
        let file = paths.show(&entry.file);
        let place = |line, column| Some(Place { file: file.clone(), line, column });
        let one = |(t, name): (&raddle_instrumenter::index::Test, &String)| Listed {
            name: name.clone(),
            place: place(t.line, t.column),
            ignore: t.ignore,
        };
        index.tests.iter().zip(names).map(one).collect()
    }

    /// Builds their programs.
    pub fn build(mut self, options: &BuildOptions, cache: &Cache) -> Result<Target> {
        let own = std::env::current_exe().map_err(|e| Error::new("cannot find raddle itself").because(e))?;
        let database = self.database.clone();
        let preprocessor = Preprocessor { database, options, cache, own };
        self.settle(&|entry| preprocessor.text(entry))?;
        if self.tested.is_empty() {
            return Err(self.empty());
        }
        let cpp =
            self.others.iter().chain(self.tested.iter().map(|(e, _)| e)).any(|e| e.language == Language::Cpp);
        let runtime = cache.runtime_aloud()?;
        let linker = Compiler::find(if cpp { Language::Cpp } else { Language::C })?;
        let builder =
            Builder { sources: &self, options, cache, runtime: &runtime, preprocessor, cpp, linker };
        let others = self.others.iter().map(|entry| builder.object(entry)).collect::<Result<Vec<_>>>()?;
        let library = builder.library(&others)?;
        let paths = Paths::here();
        let mut tests = Vec::new();
        for ((entry, index), names) in self.tested.iter().zip(self.names()) {
            let program = builder.program(entry, index, &others, library.as_deref())?;
            let has_main = index.functions.iter().any(|f| f.name == "main");
            if !has_main {
                c::warn_of_hidden_tests(&builder.object(entry)?, index, &paths.show(&entry.file));
            }
            for (listed, test) in self.listed(entry, index, &names, &paths).into_iter().zip(&index.tests) {
                let args = if has_main { options.args.clone() } else { vec![OsString::from(&test.name)] };
                let launch = Launch {
                    program: program.clone(),
                    stamp: None,
                    args,
                    cwd: self.root.clone(),
                    env: Vec::new(),
                    entry: Begin::Main,
                    test: listed.name.clone(),
                    library: runtime.lib.clone(),
                    all_points: false,
                    has_unwatched_code: false,
                };
                let contents = Contents::Program(program.clone());
                tests.push(Test {
                    name: listed.name,
                    place: listed.place,
                    ignore: false,
                    launch,
                    contents,
                    unwatched: Default::default(),
                });
            }
        }
        let edits = raddle_instrumenter::c::edit::store(cache.root(), &options.statements);
        let files = self.tested.iter().map(|(entry, _)| entry).chain(&self.others);
        let records: Vec<_> = files.filter_map(|entry| edits.get(&entry.file)).collect();
        super::warn_of_files_left_alone(&records, &paths);
        crate::target::uninstrumented_calls::note(&mut tests, &runtime.lib);
        Ok(Target { named: self.named, tests, root: self.root, paths, opaque: false, edits })
    }
}

/// What preprocesses them.
struct Preprocessor<'a> {
    /// Where their options are from.
    database: Option<PathBuf>,
    options: &'a BuildOptions,
    cache: &'a Cache,
    own: PathBuf,
}

impl Preprocessor<'_> {
    /// A driver, with the environment of the build.
    fn driver(&self, language: Language, folder: &Path) -> Command {
        let mut command = Command::new(&self.own);
        command.arg(if language == Language::Cpp { "c++" } else { "cc" }).current_dir(folder);
        command.env("RADDLE_CACHE", self.cache.root());
        command
    }

    fn run(&self, command: &mut Command, what: impl Fn() -> (String, String)) -> Result<Output> {
        let started = self.options.hold.output(command);
        let output = started.map_err(|e| Error::new("cannot run raddle's compiler driver").because(e))?;
        if output.status.success() {
            return Ok(output);
        }
        let (what, next) = what();
        Err(Error::new(what).because(String::from_utf8_lossy(&output.stderr)).next(next))
    }

    /// The options of a source, with the user's.
    fn arguments(&self, entry: &Entry) -> Vec<OsString> {
        entry.options.iter().chain(&self.options.cflags).cloned().collect()
    }

    /// What is said of a source that does not compile.
    fn refused(&self, entry: &Entry) -> (String, String) {
        let from = match &self.database {
            Some(database) => format!("its options are those of {}", database.display()),
            None => "--cflags and CFLAGS give it options".to_string(),
        };
        (format!("{} does not compile", Paths::here().show(&entry.file)), format!("correct it; {from}"))
    }

    /// What the compiler sees of a source.
    fn text(&self, entry: &Entry) -> Result<Vec<u8>> {
        let mut preprocess = self.driver(entry.language, &entry.folder);
        preprocess.args(self.arguments(entry)).arg("-E").arg(&entry.file);
        Ok(self.run(&mut preprocess, || self.refused(entry))?.stdout)
    }
}

/// What compiles and links them.
struct Builder<'a> {
    sources: &'a Sources,
    options: &'a BuildOptions,
    cache: &'a Cache,
    runtime: &'a Runtime,
    preprocessor: Preprocessor<'a>,
    /// Is there C++ among them?
    cpp: bool,
    linker: Compiler,
}

impl Builder<'_> {
    fn driver(&self, language: Language, folder: &Path) -> Command {
        self.preprocessor.driver(language, folder)
    }

    fn run(&self, command: &mut Command, what: impl Fn() -> (String, String)) -> Result<Output> {
        self.preprocessor.run(command, what)
    }

    fn key(&self) -> Result<Key> {
        let mut key = Key::new()
            .add(hooks::LINKED)
            .add(&self.linker.version)
            .add(&self.runtime.hash)
            .add(env!("CARGO_PKG_VERSION"));
        for word in self.linker.words.iter().chain(&self.options.cflags) {
            key = key.add_os(word);
        }
        Ok(key.add_os(&self.runtime.lib).add(self.options.statements.encode()))
    }

    /// A source, compiled.
    fn object(&self, entry: &Entry) -> Result<PathBuf> {
        let arguments = self.preprocessor.arguments(entry);
        let shown = Paths::here().show(&entry.file);
        let refused = || self.preprocessor.refused(entry);
        let text = self.preprocessor.text(entry)?;
        let source = std::fs::read(&entry.file).map_err(|e| Error::file("read", &entry.file, &e))?;
        let mut key = self.key()?.add(text).add(source).add_os(&entry.file).add_os(&entry.folder);
        for argument in &arguments {
            key = key.add_os(argument);
        }
        let name = format!("o-{}-{}", index::stem(&entry.file), key.hex(24));
        let folder = self.cache.folder(&name, |aside| {
            let _phase = Phase::new(format!("compiling {shown}"));
            let mut compile = self.driver(entry.language, &entry.folder);
            compile.args(&arguments).arg(format!("{STATEMENTS}{}", self.options.statements.encode()));
            compile.arg("-c").arg(&entry.file).arg("-o").arg(aside.join("source.o"));
            let output = self.run(&mut compile, refused)?;
            // Warnings, as the compiler would show them.
            eprint!("{}", String::from_utf8_lossy(&output.stderr));
            Ok(())
        })?;
        Ok(folder.join("source.o"))
    }

    /// The others as an archive, of which what is needed is linked.
    fn library(&self, others: &[PathBuf]) -> Result<Option<PathBuf>> {
        if self.sources.all || others.is_empty() {
            return Ok(None);
        }
        let key = others.iter().fold(self.key()?, |key, object| key.add_os(object));
        let folder = self.cache.folder(&format!("a-{}", key.hex(24)), |aside| {
            // Objects of one name may not be told apart in an archive.
            let links: Vec<PathBuf> = (0..others.len()).map(|n| aside.join(format!("{n}.o"))).collect();
            for (object, link) in others.iter().zip(&links) {
                std::os::unix::fs::symlink(object, link).map_err(|e| Error::file("write", link, &e))?;
            }
            let mut ar = Command::new("ar");
            ar.arg("rcs").arg(aside.join("libothers.a")).args(&links);
            let output = self.options.hold.output(&mut ar);
            let output = output.map_err(|e| {
                Error::new("cannot run ar").because(e).next("install it (Debian: apt-get install binutils)")
            })?;
            if output.status.success() {
                return Ok(());
            }
            Err(Error::new("ar makes no archive").because(String::from_utf8_lossy(&output.stderr)))
        })?;
        Ok(Some(folder.join("libothers.a")))
    }

    /// A source with tests, linked with what goes with it.
    fn program(
        &self,
        entry: &Entry,
        index: &Index,
        others: &[PathBuf],
        library: Option<&Path>,
    ) -> Result<PathBuf> {
        let stem = index::stem(&entry.file);
        let object = self.object(entry)?;
        let has_main = index.functions.iter().any(|f| f.name == "main");
        let harness = if has_main { String::new() } else { c::harness(&index.tests, entry.language) };
        let linked: Vec<&Path> = match library {
            Some(library) => vec![&object, library],
            None => std::iter::once(&object).chain(others).map(PathBuf::as_path).collect(),
        };
        let mut key = linked.iter().fold(self.key()?.add(&harness), |key, file| key.add_os(file));
        for file in super::linked::files(&self.options.cflags, &self.sources.root) {
            key = key.add(std::fs::read(&file).map_err(|e| Error::file("read", &file, &e))?);
        }
        let folder = self.cache.folder(&format!("p-{stem}-{}", key.hex(24)), |aside| {
            let _phase = Phase::new(format!("linking {stem}"));
            let mut objects: Vec<PathBuf> = Vec::new();
            if !harness.is_empty() {
                objects.push(self.harness(&harness, entry.language, aside)?);
            }
            objects.extend(linked.iter().map(|f| f.to_path_buf()));
            let language = if self.cpp { Language::Cpp } else { Language::C };
            let mut link = self.driver(language, &self.sources.root);
            link.args(objects).args(&self.options.cflags).args(["-lm", "-o"]).arg(aside.join(&stem));
            let next = match &self.sources.database {
                Some(database) => format!(
                    "{} does not say what is linked: give libraries with --cflags, or build it as its own build does \
                     (make CC='raddle cc', or a raddle.toml) and explore the program",
                    database.display()
                ),
                None => "name all files of the program, and libraries with --cflags (-lz)".to_string(),
            };
            let output = self.run(&mut link, || (format!("{} does not link", self.sources.named), next.clone()))?;
            eprint!("{}", String::from_utf8_lossy(&output.stderr));
            Ok(())
        })?;
        Ok(folder.join(&stem))
    }

    /// The `main` of tests, without hooks: it is not part of them.
    fn harness(&self, text: &str, language: Language, aside: &Path) -> Result<PathBuf> {
        let source = aside.join(if language == Language::Cpp { "harness.cc" } else { "harness.c" });
        std::fs::write(&source, format!("{text}{}", hooks::OWN))
            .map_err(|e| Error::file("write", &source, &e))?;
        let object = aside.join("harness.o");
        let compiler = Compiler::find(language)?;
        let mut compile = compiler.command();
        compile.arg("-c").arg(&source).arg("-o").arg(&object);
        self.run(&mut compile, || {
            ("the call of the tests does not compile".into(), "rename the tests".into())
        })?;
        Ok(object)
    }
}
