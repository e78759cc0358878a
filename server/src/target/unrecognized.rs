//! What a file is that is no target, and what to do to get one: told by its first bytes, and of programs by their
//! headers. Nothing of it is run.

use crate::error::Error;
use crate::shell::quote;
use object::Endianness;
use object::elf::{self, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader};
use raddle_instrumenter::c::{Language, index};
use std::fs::Metadata;
use std::io::Read;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// So much of a file tells what it is.
const BEGINNING: u64 = 4096;

/// How a program of C or C++ becomes a target.
const BUILD: &str = "give its source file, or build it again with `raddle cc` (make CC='raddle cc', or \
                     cmake -DCMAKE_C_COMPILER=raddle-cc; `raddle c++` for C++) and give the program";
/// How a Rust program becomes one.
const PACKAGE: &str =
    "give the folder of its package, which Raddle builds itself: raddle explore FOLDER TEST";
/// What can be given at all.
const ANY: &str = "give a C or C++ file, a Cargo package, a folder with a raddle.toml, or a program whose build used \
                   `raddle cc` (make CC='raddle cc')";

/// What it is, and what to do.
struct Stranger {
    /// `it is …`
    what: String,
    next: String,
}

fn is(what: impl Into<String>, next: impl Into<String>) -> Stranger {
    Stranger { what: what.into(), next: next.into() }
}

/// The message for a folder that is no target. What it holds tells how to get one.
pub fn folder(path: &Path) -> Error {
    let init = match path == Path::new(".") {
        true => "raddle init".to_string(),
        false => format!("raddle init {}", quote(&path.display().to_string())),
    };
    let build = BUILDS.into_iter().find(|(name, _)| path.join(name).is_file());
    let sources = sources(path);
    let next = if let Some((name, by_hand)) = build {
        format!("`{init}` writes a raddle.toml from {name}; or {by_hand} and give a program that it makes")
    } else if sources.is_empty() {
        ANY.to_string()
    } else {
        let shown =
            |name: &String| quote(&path.strip_prefix(".").unwrap_or(path).join(name).display().to_string());
        let named: Vec<String> = sources.iter().take(MOST).map(shown).collect();
        let more = match sources.len() {
            1 => String::new(),
            n if n > MOST => format!(" ({n} sources in all); or `{init}` for a raddle.toml of all"),
            _ => format!("; or `{init}` for a raddle.toml of all"),
        };
        format!("raddle explore {}{more}", named.join(" or "))
    };
    let cause = "the folder has no Cargo.toml, no raddle.toml and no compile_commands.json";
    Error::new(format!("{} is not a target", path.display())).because(cause).next(next)
}

/// Most sources that are named.
const MOST: usize = 3;

/// Files of builds that `raddle init` reads, and how to build by hand instead.
const BUILDS: [(&str, &str); 5] = [
    ("CMakeLists.txt", "build it with cmake -DCMAKE_C_COMPILER=raddle-cc -DCMAKE_CXX_COMPILER=raddle-c++"),
    ("meson.build", "build it with CC=raddle-cc CXX=raddle-c++ meson setup"),
    ("GNUmakefile", MAKE),
    ("makefile", MAKE),
    ("Makefile", MAKE),
];
const MAKE: &str = "build it with make CC='raddle cc' CXX='raddle c++'";

/// The C and C++ sources that lie in a folder, those with a `main` or a test first.
fn sources(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_source = |path: &PathBuf| path.is_file() && Language::of(path).is_some();
    let mut sources: Vec<(bool, String)> = entries
        .filter(is_source)
        .map(|path| {
            let found = index::index(&path).unwrap_or_default();
            let starts = !found.tests.is_empty() || found.functions.iter().any(|f| f.name == "main");
            (!starts, path.file_name().unwrap_or_default().to_string_lossy().into_owned())
        })
        .collect();
    sources.sort();
    sources.into_iter().map(|(_, name)| name).collect()
}

/// The message for something that is neither a file nor a folder. Reading it could wait for ever.
pub fn no_file(path: &Path, meta: &Metadata) -> Error {
    let kind = meta.file_type();
    let what = if kind.is_fifo() {
        "a named pipe (FIFO)"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_char_device() || kind.is_block_device() {
        "a device"
    } else {
        "no ordinary file"
    };
    told(path, is(what, ANY))
}

/// The message for a file that is no target.
pub fn file(path: &Path) -> Error {
    match look(path) {
        Ok(stranger) => told(path, stranger),
        Err(e) => Error::file("read", path, &e),
    }
}

fn told(path: &Path, stranger: Stranger) -> Error {
    Error::new(format!("{} is not a target", path.display()))
        .because(format!("it is {}", stranger.what))
        .next(stranger.next)
}

fn look(path: &Path) -> std::io::Result<Stranger> {
    let mut start = Vec::new();
    std::fs::File::open(path)?.take(BEGINNING).read_to_end(&mut start)?;
    if start.is_empty() {
        return Ok(is("an empty file", ANY));
    }
    if let Some(line) = start.strip_prefix(b"#!") {
        let line = line.split(|b| *b == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line).trim().to_string();
        let next = "give the program that it starts, if that is built with `raddle cc`, or its source file; a script \
                    that builds belongs into a raddle.toml (build = \"…\")";
        return Ok(is(format!("a script (#!{line})"), next));
    }
    if start.starts_with(b"!<arch>\n") || start.starts_with(b"!<thin>\n") {
        let next = "give a program that is linked with it, all of it built with `raddle cc`";
        return Ok(is("a static library", next));
    }
    if start.starts_with(b"MZ") {
        return Ok(is("a program for Windows", "Raddle explores programs of x86-64 Linux: build it there"));
    }
    if start.starts_with(b"\xcf\xfa\xed\xfe") || start.starts_with(b"\xca\xfe\xba\xbe") {
        return Ok(is(
            "a program for another system",
            "Raddle explores programs of x86-64 Linux: build it there",
        ));
    }
    if start.starts_with(&elf::ELFMAG) {
        return Ok(program(path, &start));
    }
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    if ["h", "hh", "hpp", "hxx"].contains(&extension) {
        return Ok(is("a header", "give a C or C++ file with a test that includes it"));
    }
    if extension == "toml" {
        return Ok(is(
            "a TOML file of another name than Cargo.toml and raddle.toml",
            "name it so, or give its folder",
        ));
    }
    Ok(is("neither a source file nor a program", ANY))
}

/// A program, library or object file, by its header.
fn program(path: &Path, start: &[u8]) -> Stranger {
    // The class, and the machine with the byte order of the machine that is told.
    let (class, machine) = (start.get(4).copied().unwrap_or(0), machine(start));
    let kind = kind(start);
    if class == elf::ELFCLASS32 || machine != Some(elf::EM_X86_64) {
        let bits = if class == elf::ELFCLASS32 { "32-bit" } else { "64-bit" };
        let next = match machine {
            Some(elf::EM_386) => format!("build it for x86-64, without -m32: {BUILD}"),
            _ => format!("Raddle explores programs of x86-64 Linux: {BUILD}"),
        };
        return is(format!("a {bits} {kind} for {}", machine_name(machine)), next);
    }
    match kind {
        "object file" => {
            let next = "link it: `raddle cc -o PROGRAM FILE.o …`, where its own source was compiled by `raddle cc -c` \
                        as well (otherwise nothing in it is watched)";
            return is("an object file, not a program", next);
        }
        "core file" => return is("a core file", BUILD),
        "program" => {}
        _ => return is("an ELF file that is no program", ANY),
    }
    // Programs are not small: what follows needs more of it, but no more than this process can hold.
    let data = std::fs::read(path).unwrap_or_default();
    let language = language(&data);
    let next = match language {
        "Rust " => PACKAGE,
        "Go " => "Raddle explores C, C++ and Rust: Go brings threads of its own",
        _ => BUILD,
    };
    match linkage(&data) {
        Linkage::Library => {
            let next = "give a program that uses it, built with `raddle cc` as it should be itself";
            is("a shared library, not a program", next)
        }
        Linkage::Damaged => is("a damaged program: it ends within its headers", BUILD),
        Linkage::Static if language.is_empty() => {
            is("a statically linked program, which Raddle's library cannot be loaded into", static_next())
        }
        Linkage::Static => is(format!("a statically linked {language}program"), next),
        Linkage::Dynamic => is(
            format!(
                "a {language}program that was not built by Raddle (it is not linked with libraddle_rt.so)"
            ),
            next,
        ),
    }
}

fn static_next() -> String {
    format!("link it without -static: {BUILD}")
}

fn half(start: &[u8], at: usize) -> Option<u16> {
    let bytes: [u8; 2] = start.get(at..at + 2)?.try_into().ok()?;
    let big = start.get(5) == Some(&elf::ELFDATA2MSB);
    Some(if big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
}

/// The machine stands at the same place in headers of both classes; so does what kind of file it is.
fn machine(start: &[u8]) -> Option<u16> {
    half(start, 18)
}

fn kind(start: &[u8]) -> &'static str {
    match half(start, 16) {
        Some(elf::ET_REL) => "object file",
        Some(elf::ET_EXEC | elf::ET_DYN) => "program",
        Some(elf::ET_CORE) => "core file",
        _ => "file",
    }
}

fn machine_name(machine: Option<u16>) -> String {
    match machine {
        Some(elf::EM_386) => "x86".into(),
        Some(elf::EM_X86_64) => "x86-64".into(),
        Some(elf::EM_AARCH64) => "aarch64".into(),
        Some(elf::EM_ARM) => "ARM".into(),
        Some(elf::EM_RISCV) => "RISC-V".into(),
        Some(n) => format!("another machine (number {n})"),
        None => "an unknown machine (the file ends in its header)".into(),
    }
}

/// How a program is linked.
enum Linkage {
    /// By the dynamic linker, when it starts.
    Dynamic,
    /// Once and for all.
    Static,
    /// It is no program.
    Library,
    /// That cannot be told.
    Damaged,
}

fn linkage(data: &[u8]) -> Linkage {
    let Ok(header) = FileHeader64::<Endianness>::parse(data) else { return Linkage::Damaged };
    let Ok(endian) = header.endian() else { return Linkage::Damaged };
    let Ok(segments) = header.program_headers(endian, data) else { return Linkage::Damaged };
    let has = |kind: u32| segments.iter().any(|s| s.p_type(endian) == kind);
    if has(elf::PT_INTERP) {
        return Linkage::Dynamic;
    }
    let flags = segments.iter().filter_map(|s| s.dynamic(endian, data).ok().flatten()).flatten();
    let is_pie = flags.clone().any(|d| {
        d.d_tag.get(endian) == u64::from(elf::DT_FLAGS_1)
            && d.d_val.get(endian) & u64::from(elf::DF_1_PIE) != 0
    });
    if header.e_type(endian) == elf::ET_DYN && !is_pie { Linkage::Library } else { Linkage::Static }
}

/// The language that a program was written in, where its compiler has left a mark that tells it.
fn language(data: &[u8]) -> &'static str {
    let Ok(header) = FileHeader64::<Endianness>::parse(data) else { return "" };
    let Ok(endian) = header.endian() else { return "" };
    let Ok(sections) = header.sections(endian, data) else { return "" };
    let has = |name: &[u8]| sections.section_by_name(endian, name).map(|(_, section)| section);
    if has(b".note.go.buildid").is_some() {
        return "Go ";
    }
    use object::read::elf::SectionHeader;
    let comment = has(b".comment").and_then(|s| s.data(endian, data).ok()).unwrap_or_default();
    let is_rust = comment.windows(6).any(|w| w == b"rustc ");
    if is_rust { "Rust " } else { "" }
}
