//! A link: what goes into the program without hooks is noted in it.
//!
//! The linker is asked for what it takes ([`trace`]): files, and members of archives, wherever it found them. Each that has
//! code and no mark of ours ([`hooks`]) was compiled by somebody else. Where there are such, the program is linked once
//! more, with a note of their names; otherwise the note has none, and says that it was looked.

use super::compiler::{Job, Shown, Start};
use crate::error::{Error, Result};
use object::elf::{FileHeader64, SHF_EXECINSTR, SHT_SYMTAB, STT_FILE};
use object::read::archive::ArchiveFile;
use object::read::elf::{FileHeader, SectionHeader, Sym};
use object::{Endianness, elf};
use raddle_instrumenter::c::driver::Run;
use raddle_instrumenter::c::hooks;
use raddle_instrumenter::c::words::expand;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Output;

/// Has the linker say what it takes. Said once, GNU's does not tell members of archives.
const TRACE: &str = "-Wl,-t,-t";

/// Files of the compiler and of libc that are linked into every program, by their names' beginnings.
const OWN: [&str; 22] = [
    "crt1.o",
    "Scrt1.o",
    "gcrt1.o",
    "grcrt1.o",
    "rcrt1.o",
    "Mcrt1.o",
    "crti.o",
    "crtn.o",
    "crtbegin",
    "crtend",
    "crtfastmath.o",
    "crtprec",
    "clang_rt.crt",
    "libclang_rt.builtins",
    "libgcc.a",
    "libgcc_eh.a",
    "libc_nonshared.a",
    "libpthread_nonshared.a",
    "libatomic.a",
    "libm.a",
    "libm-",
    "libmvec.a",
];

/// Carries out a link.
pub fn carry_out(job: &Job, run: &Run, start: Start) -> Result<Output> {
    let mut command = job.compiler.command();
    command.args(&run.args).arg(noted(job, &BTreeSet::new())?);
    let output = start(command.arg(TRACE), Shown::Messages)?;
    let asked = run.args.iter().any(|a| ["-Wl,-t", "-Wl,--trace"].iter().any(|t| a == t));
    let inputs = trace(&output.stdout, asked);
    if !output.status.success() {
        return Ok(output);
    }
    let others = inputs.iter().filter(|i| !i.is_own(job));
    let names: BTreeSet<String> = others.filter_map(|input| input.noted(input.look())).collect();
    if names.is_empty() {
        return Ok(output);
    }
    let mut command = job.compiler.command();
    command.args(&run.args).arg(noted(job, &names)?);
    // What it has to say was said.
    let again = start(&mut command, Shown::Nothing)?;
    if !again.status.success() {
        let _ = std::io::stderr().write_all(&again.stderr);
    }
    Ok(again)
}

/// Objects and libraries among the words of a link in that folder: a program is made of what is in them.
pub fn files(words: &[OsString], folder: &Path) -> Vec<PathBuf> {
    let words: Vec<String> = expand(words).iter().map(|w| w.to_string_lossy().into_owned()).collect();
    let apart = |word: String| match word.strip_prefix("-Wl,") {
        Some(rest) => rest.split(',').map(str::to_string).collect(),
        None => vec![word],
    };
    let words: Vec<String> = words.into_iter().flat_map(apart).collect();
    let joined = |option: &str| -> Vec<String> {
        let value = |(n, word): (usize, &String)| match word.strip_prefix(option)? {
            "" => words.get(n + 1).cloned(),
            joined => Some(joined.to_string()),
        };
        words.iter().enumerate().filter_map(value).collect()
    };
    let folders: Vec<PathBuf> = joined("-L").iter().map(|f| folder.join(f)).collect();
    let library = |name: &str| {
        let names = match name.strip_prefix(':') {
            Some(name) => vec![name.to_string()],
            None => vec![format!("lib{name}.so"), format!("lib{name}.a")],
        };
        folders.iter().find_map(|f| names.iter().map(|n| f.join(n)).find(|file| file.is_file()))
    };
    let named = words.iter().map(|word| folder.join(word)).filter(|file| file.is_file());
    named.chain(joined("-l").iter().filter_map(|name| library(name))).collect()
}

/// An object with the note.
fn noted(job: &Job, names: &BTreeSet<String>) -> Result<PathBuf> {
    let (source, object) = (job.scratch.join("linked.s"), job.scratch.join("linked.o"));
    std::fs::write(&source, hooks::note(names)).map_err(|e| Error::file("write", &source, &e))?;
    let mut command = job.compiler.plain();
    let output = command.arg("-c").arg(&source).arg("-o").arg(&object).output();
    let output = output.map_err(|e| job.compiler.error(&e))?;
    if output.status.success() {
        return Ok(object);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(Error::new("cannot record the linked files").because(said).next("is there an assembler (binutils)?"))
}

/// What a linker takes: a file, or a member of one.
struct Input {
    file: PathBuf,
    member: Option<String>,
}

/// Reads what the linker took; the other lines are the user's, and all are where that was asked for.
fn trace(said: &[u8], asked: bool) -> Vec<Input> {
    let said = String::from_utf8_lossy(said);
    let mut inputs = Vec::new();
    for line in said.lines() {
        let input = input(line);
        if asked || input.is_none() {
            println!("{line}");
        }
        inputs.extend(input);
    }
    inputs
}

/// `file.o`, `libx.a(file.o)` or `(libx.a)file.o`.
fn input(line: &str) -> Option<Input> {
    // What was there for the linker may be gone now: it is an input all the same, which nobody can look at.
    let is_name =
        |name: &str| !name.contains([' ', '(', ')']) && (name.ends_with(".o") || name.ends_with(".a"));
    let file = |name: &str| Some(PathBuf::from(name)).filter(|file| file.is_file() || is_name(name));
    if let Some(file) = file(line) {
        return Some(Input { file, member: None });
    }
    let (archive, member) = match line.strip_prefix('(') {
        Some(rest) => rest.rsplit_once(')')?,
        None => line.strip_suffix(')')?.rsplit_once('(')?,
    };
    Some(Input { file: file(archive)?, member: Some(member.to_string()) })
}

impl Input {
    /// As linkers call it, without the folder.
    fn name(&self) -> String {
        let last = |path: &Path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        match &self.member {
            None => last(&self.file),
            Some(member) => format!("{}({})", last(&self.file), last(Path::new(member))),
        }
    }

    /// Is it a file that the compiler itself brings along? One of the user's may have such a name.
    fn is_own(&self, job: &Job) -> bool {
        let Some(name) = self.file.file_name().and_then(OsStr::to_str) else { return false };
        if !OWN.iter().any(|own| name.starts_with(own)) {
            return false;
        }
        let file = self.file.canonicalize().unwrap_or_default();
        if ["/usr/lib", "/lib", "/usr/lib64", "/lib64"].iter().any(|folder| file.starts_with(folder)) {
            return true;
        }
        let asked = job.compiler.plain().arg(format!("-print-file-name={name}")).output();
        let said = asked.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_string()).unwrap_or_default();
        Path::new(&said).canonicalize().is_ok_and(|brought| brought == file)
    }

    /// What the program's note has of it.
    fn noted(&self, code: Code) -> Option<String> {
        match code {
            Code::Known => None,
            Code::Untold => Some(format!("{}{}", hooks::UNTOLD, self.name())),
            Code::Unhooked => Some(self.name()),
        }
    }

    /// What is in it. What cannot be read, or not for an object, may hold any code.
    fn look(&self) -> Code {
        let Ok(data) = std::fs::read(&self.file) else {
            // What a compiler makes while it links is gone: what it was made of is an input too.
            let is_passing = self.file.to_string_lossy().ends_with(".ltrans.o");
            return if is_passing { Code::Known } else { Code::Unhooked };
        };
        let Some(member) = &self.member else {
            let is_object = data.starts_with(&elf::ELFMAG) || data.starts_with(b"BC\xc0\xde");
            return if is_object { code_of(&data) } else { Code::Known };
        };
        let Ok(archive) = ArchiveFile::parse(&*data) else { return Code::Unhooked };
        let mut found = None;
        // Two may have one name.
        for one in archive.members().filter_map(|one| one.ok()) {
            if one.name() != member.as_bytes() {
                continue;
            }
            let code = match archive.is_thin() {
                true => {
                    let beside = self.file.parent().unwrap_or(Path::new("")).join(member);
                    std::fs::read(beside).map_or(Code::Unhooked, |data| code_of(&data))
                }
                false => one.data(&*data).map_or(Code::Unhooked, code_of),
            };
            found = found.max(Some(code));
        }
        found.unwrap_or(Code::Unhooked)
    }
}

/// What is known of the code of an input, the worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Code {
    /// It has hooks, and where its compiler has put none is told; or there is none.
    Known,
    /// It has hooks; where its compiler has put none is not told, without debug information.
    Untold,
    /// Some of it was compiled by somebody else.
    Unhooked,
}

/// What is known of an object's code. That of libraries is judged where they are used.
fn code_of(data: &[u8]) -> Code {
    parsed(data).unwrap_or(Code::Unhooked)
}

fn parsed(data: &[u8]) -> Option<Code> {
    let header = FileHeader64::<Endianness>::parse(data).ok()?;
    let endian = header.endian().ok()?;
    if header.e_type(endian) != elf::ET_REL {
        return Some(Code::Known);
    }
    let sections = header.sections(endian, data).ok()?;
    let (mut code, mut marks, mut told) = (false, None, false);
    for section in sections.iter() {
        let name = sections.section_name(endian, section).unwrap_or_default();
        let flags: u64 = section.sh_flags(endian);
        let is_code = flags & u64::from(SHF_EXECINSTR) != 0 && section.sh_size(endian) != 0;
        // Of these the linker has code made.
        code |= is_code || name.starts_with(b".gnu.lto_");
        told |= name.starts_with(b".debug_info") || name.starts_with(b".zdebug_info");
        if name == hooks::SECTION.as_bytes() {
            marks = Some(hooks::marked(section.data(endian, data).ok()?));
        }
    }
    if !code {
        return Some(Code::Known);
    }
    let symbols = sections.symbols(endian, data, SHT_SYMTAB).ok()?;
    let is_source = |symbol: &&elf::Sym64<Endianness>| {
        symbol.st_type() == STT_FILE && symbol.name(endian, symbols.strings()).is_ok_and(|n| !n.is_empty())
    };
    let sources = symbols.iter().filter(is_source).count();
    let mut names = symbols.iter().map(|symbol| symbol.name(endian, symbols.strings()));
    let has_hooks = names.any(|name| name.is_ok_and(|n| n.starts_with(b"__tsan_")));
    Some(match marks {
        Some(marks) if sources > marks => Code::Unhooked,
        // Assembly by hand has none, and everything of it is told.
        Some(_) if !told && has_hooks => Code::Untold,
        Some(_) => Code::Known,
        None => Code::Unhooked,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The linker had it, and nobody can look at it any more.
    #[test]
    fn what_cannot_be_read_may_hold_any_code() {
        for (line, name) in [
            ("/nowhere/gone.o", "gone.o"),
            ("/nowhere/libgone.a(part.o)", "libgone.a(part.o)"),
            ("(/nowhere/libgone.a)part.o", "libgone.a(part.o)"),
        ] {
            let input = input(line).expect(line);
            assert_eq!(input.noted(input.look()).as_deref(), Some(name), "{line}");
        }
        // What it was made of was an input.
        let made = input("/tmp/made.ltrans0.ltrans.o").expect("an input");
        assert_eq!(made.noted(made.look()), None);
        for line in ["a word of gone.o", "main", "warning: (something)"] {
            assert!(input(line).is_none(), "{line}");
        }
    }
}
