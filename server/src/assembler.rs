//! Under the name `as`: what the compiler drivers (`cli/cc.rs`) have compilers call in the place of the assembler. It
//! looks for assembly that touches memory in what the compiler made ([`assembly`]), and calls the real one with a second
//! input that notes the places in the object file, and marks it as one of ours ([`hooks`]). Whatever goes wrong here, the
//! real one is called as it was meant to be: a build never fails because of this.

use raddle_instrumenter::c::{assembly, hooks, own_frame};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The variable that names the clang whose text this is. Its own assembler takes it: the usual one knows no line 0,
/// and gives code that has no line the one before it.
pub const CLANG: &str = "RADDLE_CLANG";

/// The name that makes this program the assembler.
pub const NAME: &str = "as";

/// Options of the assembler that have their value in the next word.
const WITH_VALUE: [&str; 8] =
    ["-o", "-I", "--MD", "--defsym", "--debug-prefix-map", "-march", "-mtune", "--listing-lhs-width"];

/// The assembler of the machine: the first on the PATH that is not this program.
pub fn real() -> Option<PathBuf> {
    let own = std::env::current_exe().and_then(|own| own.canonicalize()).ok();
    let path = std::env::var_os("PATH")?;
    let mut all = std::env::split_paths(&path).map(|folder| folder.join(NAME)).filter(|file| file.is_file());
    all.find(|file| file.canonicalize().ok() != own)
}

/// Carries out one command line of the assembler; the exit status.
pub fn run(args: &[OsString]) -> u8 {
    let Some(real) = real() else {
        eprintln!("raddle: no assembler `{NAME}` on the PATH");
        return 1;
    };
    if let Some(clang) = std::env::var_os(CLANG)
        && let Some(code) = by_clang(&clang, args)
    {
        return code;
    }
    match inputs(args).as_slice() {
        // One file, as compilers give it.
        [file] if *file != "-" => {
            let Ok(text) = std::fs::read(file) else { return replaced(&real, args) };
            let note = note(&text, Some(Path::new(file)));
            // The note is a second file beside the text, or ends the one that stands for it.
            let (args, all) = match lessened(&text) {
                Some(less) => (args.iter().filter(|arg| arg != file).collect(), less + "\n" + &note),
                None => (args.iter().collect::<Vec<_>>(), note),
            };
            let Some(note) = written(&all) else { return replaced(&real, args) };
            let status = Command::new(&real).args(args).arg(&note).status();
            let _ = std::fs::remove_file(&note);
            status.ok().and_then(|s| s.code()).map_or(1, |code| code as u8)
        }
        [] | [_] => from_input(&real, args),
        _ => replaced(&real, args),
    }
}

/// The files among the arguments.
fn inputs(args: &[OsString]) -> Vec<&OsString> {
    let mut skip = false;
    let is_input = |arg: &&OsString| {
        let text = arg.to_string_lossy();
        let value = std::mem::replace(&mut skip, WITH_VALUE.contains(&&*text));
        !value && (!text.starts_with('-') || text == "-")
    };
    args.iter().filter(is_input).collect()
}

/// What is to be noted of a text.
fn note(text: &[u8], file: Option<&Path>) -> String {
    let name = file.and_then(Path::file_name).and_then(OsStr::to_str);
    let text = String::from_utf8_lossy(text);
    let places = assembly::places(&text, name);
    let mut note = hooks::mark(&text);
    if !places.is_empty() {
        note += &assembly::note(&places);
    }
    note
}

/// The text without hooks that tell of nothing; nothing if all do.
fn lessened(text: &[u8]) -> Option<String> {
    own_frame::without_hooks(std::str::from_utf8(text).ok()?)
}

/// A file with this text, beside other files of compilers that do not last.
fn written(text: &str) -> Option<PathBuf> {
    let folder = std::env::temp_dir();
    let paths = (0..100).map(|n| folder.join(format!("raddle-{}-{n}.s", std::process::id())));
    // One of an earlier process of this number may have stayed.
    let new = |path: PathBuf| Some((File::options().write(true).create_new(true).open(&path).ok()?, path));
    let (mut file, path) = { paths }.find_map(new)?;
    file.write_all(text.as_bytes()).ok()?;
    Some(path)
}

/// Has a clang assemble what it made itself; nothing if these are words that it may not know as it is.
fn by_clang(clang: &OsStr, args: &[OsString]) -> Option<u8> {
    let input = inputs(args);
    let [file] = input.as_slice() else { return None };
    if *file == "-" {
        return None;
    }
    let mut command = Command::new(clang);
    command.args(["-c", "-Wno-unused-command-line-argument", "-x", "assembler", "-"]);
    let mut words = args.iter().filter(|arg| arg != file);
    while let Some(word) = words.next() {
        match word.to_str()? {
            "--64" => command.arg("-m64"),
            "--32" => command.arg("-m32"),
            "--noexecstack" => command.arg("-Wa,--noexecstack"),
            "--debug-prefix-map" => {
                let mut map = OsString::from("-fdebug-prefix-map=");
                map.push(words.next()?);
                command.arg(map)
            }
            "-o" | "-I" => command.arg(word).arg(words.next()?),
            include if include.starts_with("-I") => command.arg(include),
            _ => return None,
        };
    }
    let mut text = std::fs::read(file).ok()?;
    let note = note(&text, Some(Path::new(file)));
    text.push(b'\n');
    text.extend(note.into_bytes());
    command.env_remove(CLANG).stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut started = command.spawn().ok()?;
    // It says itself why it does not read on.
    let _ = started.stdin.take()?.write_all(&text);
    let output = started.wait_with_output().ok()?;
    eprint!("{}", without_checksums(&String::from_utf8_lossy(&output.stderr)));
    output.status.code().map(|code| code as u8)
}

/// The assembler's words without its warning that only some source files have checksums: those that `#line` names have none. The
/// line that the warning shows and the mark below it go, too.
fn without_checksums(words: &str) -> String {
    let mut out = String::new();
    let mut lines = words.split_inclusive('\n');
    while let Some(line) = lines.next() {
        if line.trim_end().ends_with("MD5 checksums") {
            lines.nth(1);
        } else {
            out += line;
        }
    }
    out
}

/// With `-pipe` the text comes from the compiler as it is made.
fn from_input(real: &Path, args: &[OsString]) -> u8 {
    let mut text = Vec::new();
    if let Err(e) = std::io::stdin().read_to_end(&mut text) {
        eprintln!("raddle: cannot read the assembly source: {e}");
        return 1;
    }
    let note = note(&text, None);
    if let Some(less) = lessened(&text) {
        text = less.into_bytes();
    }
    text.push(b'\n');
    text.extend(note.into_bytes());
    let started = Command::new(real).args(args).stdin(Stdio::piped()).spawn();
    let Ok(mut started) = started else {
        eprintln!("raddle: cannot run {}", real.display());
        return 1;
    };
    if let Some(mut input) = started.stdin.take() {
        // It says itself why it does not read on.
        let _ = input.write_all(&text);
    }
    started.wait().ok().and_then(|s| s.code()).map_or(1, |code| code as u8)
}

/// The real one in this program's place. Comes back only if that cannot be.
fn replaced(real: &Path, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> u8 {
    let e = Command::new(real).args(args).exec();
    eprintln!("raddle: cannot run {}: {e}", real.display());
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_warning_of_checksums_goes() {
        let warning =
            "<stdin>:4:2: warning: inconsistent use of MD5 checksums\n        .file   1 \"a.c\"\n        ^\n";
        let other = "<stdin>:9:2: error: unknown instruction\n        fly\n        ^\n";
        assert_eq!(without_checksums(&format!("{warning}{other}")), other);
        assert_eq!(without_checksums(warning), "");
    }

    #[test]
    fn inputs_are_neither_options_nor_their_values() {
        let args: Vec<OsString> =
            "--gdwarf-5 -I inc --64 -o /tmp/x.o /tmp/x.s".split(' ').map(OsString::from).collect();
        assert_eq!(inputs(&args), ["/tmp/x.s"]);
        assert!(inputs(&["-o".into(), "x.o".into()]).is_empty());
        assert_eq!(inputs(&["-".into()]), ["-"]);
    }
}
