//! A program that was built with `raddle cc` as a target: one test, named after the program.

use super::{BuildOptions, Contents, Paths, Target, Test, unrecognized};
use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::runner::{Entry, Launch, Stamp};
use crate::symbols::{has_debug_information, source_files};
use object::Endianness;
use object::elf::{DT_NEEDED, ELFMAG, ET_DYN, ET_EXEC, FileHeader64};
use object::read::elf::{Dyn, FileHeader};
use raddle_instrumenter::instrument::{Record, Store};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The library that makes a program one of ours.
const LIBRARY: &[u8] = b"libraddle_rt.so";

/// Is the file a program linked with the runtime?
pub fn check(path: &Path) -> Result<()> {
    if is_ours(path).map_err(|e| Error::file("read", path, &e))? {
        Ok(())
    } else {
        Err(unrecognized::file(path))
    }
}

fn is_ours(path: &Path) -> std::io::Result<bool> {
    let mut magic = [0; 4];
    let mut file = std::fs::File::open(path)?;
    // What is no program is not read whole: it may be of any size.
    if file.read(&mut magic)? < magic.len() || magic != ELFMAG {
        return Ok(false);
    }
    let data = std::fs::read(path)?;
    let Ok(header) = FileHeader64::<Endianness>::parse(&*data) else { return Ok(false) };
    Ok(needs_runtime(header, &data).unwrap_or(false))
}

fn needs_runtime(header: &FileHeader64<Endianness>, data: &[u8]) -> object::read::Result<bool> {
    let endian = header.endian()?;
    if !matches!(header.e_type(endian), ET_EXEC | ET_DYN) {
        return Ok(false);
    }
    let sections = header.sections(endian, data)?;
    let Some((entries, link)) = sections.dynamic(endian, data)? else { return Ok(false) };
    let strings = sections.strings(endian, data, link)?;
    for entry in entries {
        if entry.tag32(endian) == Some(DT_NEEDED) && entry.string(endian, strings)? == LIBRARY {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The name of its one test.
pub fn test_name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Takes the program as it is.
pub fn open(named: &str, path: &Path, options: &BuildOptions, cache: &Cache) -> Result<Target> {
    open_all(named, &[path], options, cache)
}

/// The same with several at least, a test each.
pub fn open_all<P: AsRef<Path>>(
    named: &str,
    programs: &[P],
    options: &BuildOptions,
    cache: &Cache,
) -> Result<Target> {
    let library = cache.runtime_aloud()?.lib;
    let edits = raddle_instrumenter::c::edit::store(cache.root(), &options.statements);
    let paths = Paths::here();
    let mut left_alone = Vec::new();
    let mut tests = Vec::new();
    for path in programs {
        let test = test(path.as_ref(), options, &library)?;
        if !has_debug_information(&test.launch.program) {
            eprintln!(
                "warning: {} has no debug information: lines and names of variables are not known (build it with -g, and do \
                 not strip it)",
                paths.show(&test.launch.program)
            );
        }
        left_alone.append(&mut records(&test.launch.program, &edits));
        tests.push(test);
    }
    left_alone.sort_by(|a, b| a.file.cmp(&b.file));
    left_alone.dedup_by(|a, b| a.file == b.file);
    super::warn_of_files_left_alone(&left_alone, &paths);
    crate::target::uninstrumented_calls::note(&mut tests, &library);
    let first = tests.first().and_then(|t| t.launch.program.parent());
    let root = first.unwrap_or(Path::new("/")).to_path_buf();
    Ok(Target { named: named.to_string(), tests, root, paths, opaque: false, edits })
}

/// The one test of a program.
fn test(path: &Path, options: &BuildOptions, library: &Path) -> Result<Test> {
    let program = std::path::absolute(path).map_err(|e| Error::file("find", path, &e))?;
    let folder = program.parent().unwrap_or(Path::new("/")).to_path_buf();
    let name = test_name(path);
    let launch = Launch {
        program: program.clone(),
        stamp: Stamp::of(&program),
        args: options.args.clone(),
        // It may look for its files where it is started.
        cwd: std::env::current_dir().unwrap_or_else(|_| folder.clone()),
        env: Vec::new(),
        entry: Entry::Main,
        test: name.clone(),
        library: library.to_path_buf(),
        all_points: false,
        has_unwatched_code: false,
    };
    let contents = Contents::Program(program.clone());
    Ok(Test { name, place: None, ignore: false, launch, contents, unwatched: Default::default() })
}

/// What became of the files that a program was made of, of those that are still the same.
fn records(program: &Path, edits: &Store) -> Vec<Record> {
    let record = |file: PathBuf| edits.get(&std::path::absolute(file).ok()?);
    source_files(program).into_iter().filter_map(record).collect()
}
