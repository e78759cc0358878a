//! `raddle init`: writes a `raddle.toml` for what a folder holds.

mod c_folder;
mod cmake;
mod make;
mod meson;
mod words;

use super::{out, status};
use crate::error::{Error, Result};
use crate::settings::FILE;
use crate::shell::quote;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  raddle init                write raddle.toml for the current folder, from its Makefile, CMakeLists.txt, meson.build or sources
  raddle init --print lib    show the file for lib, and write nothing
  raddle init --force        put a new file in the place of the one that is there";

/// Write a raddle.toml for a folder
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[group(skip)]
pub struct Args {
    /// The folder
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// Put a new file in the place of the one that is there
    #[arg(long)]
    force: bool,
    /// Print the file and write nothing
    #[arg(long, conflicts_with = "force")]
    print: bool,
}

/// Where builds put what they make: a folder of its own, so that other builds stay as they are.
const BUILD: &str = "build-raddle";

/// What was seen in a folder.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    /// What it is, for a person.
    kind: &'static str,
    /// The command that builds it, a line each; none where Raddle builds it by itself.
    build: Vec<String>,
    /// The programs that come out of it.
    programs: Vec<String>,
    /// What the person should know, a line each.
    notes: Vec<String>,
}

/// Looks at the folder and writes the file.
pub fn run(args: &Args) -> Result<u8> {
    let folder = args.folder.canonicalize().map_err(|e| Error::file("find", &args.folder, &e))?;
    if !folder.is_dir() {
        let what = format!("{} is no folder", args.folder.display());
        return Err(Error::new(what).next("name the folder of the project"));
    }
    let path = args.folder.join(FILE);
    let seen = see(&folder)?;
    let text = text(&seen);
    if args.print {
        return out(&text).map(|()| status::PASSED);
    }
    write(&path, &text, args.force)?;
    let file = path.strip_prefix(".").unwrap_or(&path).display();
    let mut told = format!("wrote {file}: {}", seen.kind);
    if !seen.programs.is_empty() {
        let programs = if seen.programs.len() == 1 { "program" } else { "entries of `programs`" };
        told += &format!(", {} {programs}", seen.programs.len());
    }
    for note in &seen.notes {
        told += &format!("\n  note: {note}");
    }
    let target = args.folder.display().to_string();
    let next = match !seen.build.is_empty() && seen.programs.is_empty() {
        true => format!("name the programs in {file}, then raddle explore {}", quote(&target)),
        false => format!("raddle explore {}", quote(&target)),
    };
    out(&format!("{told}\n  next: {next}\n"))?;
    Ok(status::PASSED)
}

/// Writes a new file; one that is there only if that was asked for.
fn write(path: &Path, text: &str, force: bool) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true);
    match force {
        true => options.create(true).truncate(true),
        false => options.create_new(true),
    };
    let written = options.open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|e| match e.kind() {
        std::io::ErrorKind::AlreadyExists => Error::new(format!("{} is there already", path.display()))
            .next("edit it, or write a new one in its place: raddle init --force"),
        _ => Error::file("write", path, &e),
    })
}

/// What the folder holds. A project's own build comes before sources that lie there.
fn see(folder: &Path) -> Result<Seen> {
    let has = |name: &str| folder.join(name).is_file();
    if has("Cargo.toml") {
        return Ok(Seen { kind: "a Cargo package, which Raddle builds by itself", ..Seen::default() });
    }
    if has("CMakeLists.txt") {
        return Ok(cmake::see(folder));
    }
    if has("meson.build") {
        return Ok(meson::see(folder));
    }
    if let Some(makefile) = make::FILES.into_iter().find(|name| has(name)) {
        return Ok(make::see(folder, makefile));
    }
    if crate::target::has_commands(folder) {
        let kind = "a compile_commands.json, from which Raddle builds by itself";
        return Ok(Seen { kind, ..Seen::default() });
    }
    if let Some(seen) = c_folder::see(folder) {
        return Ok(seen);
    }
    let error = Error::new(format!("{} has nothing that raddle init knows", folder.display()));
    if ["configure", "configure.ac", "autogen.sh"].into_iter().any(has) {
        let next = "run ./configure CC='raddle cc' CXX='raddle c++' (after ./autogen.sh, if there is one), and raddle init again";
        return Err(error.because("its Makefile is not made yet").next(next));
    }
    Err(error
        .because("no Cargo.toml, CMakeLists.txt, meson.build, Makefile, compile_commands.json, and no C or C++ source")
        .next("name the project's folder, or write raddle.toml with `build` and `programs`"))
}

/// Does a C or C++ source define `main`?
fn has_main(source: &Path) -> bool {
    use raddle_instrumenter::c::index;
    index::index(source).is_ok_and(|found| found.functions.iter().any(|f| f.name == "main"))
}

/// The settings that are most often of use, as comments.
const SETTINGS: &str = "\
# Defaults of options. The command line wins; `raddle config` shows what holds and where it was set.
#
# bound = \"preemptions=2\"       # none, iterative, preemptions=N or depth=N
# time = \"30s\"                  # for each test
# granularity = \"access\"        # sync, access, statement or lock-exit
# keep-going = true             # report every distinct failure of a test
# trust = [\"log\"]               # no schedule points in these functions and modules
# env = { LOG = \"debug\" }       # for the programs that are explored
";

/// Those of C programs.
const OF_C: &str = "\
# args = \"4 small.txt\"          # of the programs
# inputs = \"0..3\"               # values of __VERIFIER_nondet_int and the like
";

/// Those of Cargo packages.
const OF_CARGO: &str = "\
# features = [\"testing\"]
# points-in = [\"dashmap\"]       # all atomic operations of these dependencies are schedule points
";

/// The settings of one test.
const OF_ONE: &str = "\
#
# [test.\"NAME\"]                 # for one test, by its whole name
# time = \"5m\"
";

/// The file.
fn text(seen: &Seen) -> String {
    let of_cargo = seen.kind.contains("Cargo");
    let mut text = format!("# Raddle explores this folder: {}.\n", seen.kind);
    if !seen.build.is_empty() {
        let build = seen.build.join(" &&\n");
        text += "#\n# The build runs in this folder; CC and CXX are Raddle's compiler drivers.\n";
        text += &match seen.build.len() {
            1 => format!("build = {}\n", toml::Value::from(build)),
            _ => format!("build = '''\n{build}\n'''\n"),
        };
    }
    if seen.programs.is_empty() && !seen.build.is_empty() {
        text += "# Name the programs that the build makes, relative to this folder: [\"out/queue_test\"].\nprograms = []\n";
    }
    if !seen.programs.is_empty() {
        text +=
            "# Each program is a test; `*` stands for any text in the last name of a path.\nprograms = [\n";
        for program in &seen.programs {
            text += &format!("    {},\n", toml::Value::from(program.as_str()));
        }
        text += "]\n";
    }
    text += "\n";
    text += SETTINGS;
    text += if of_cargo { OF_CARGO } else { OF_C };
    text + OF_ONE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    /// What is seen in a folder with these files.
    pub fn seen(files: &[(&str, &str)]) -> Seen {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        see(folder.path()).unwrap()
    }

    #[test]
    fn every_comment_is_a_setting_that_can_be_used() {
        for of_c in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            let name = if of_c { "a.c" } else { "Cargo.toml" };
            std::fs::write(folder.path().join(name), if of_c { "int main(void) {}" } else { "[package]" })
                .unwrap();
            let plain = text(&see(folder.path()).unwrap());
            let settings = plain.lines().skip_while(|line| !line.starts_with("# Defaults")).skip(1);
            let bare: String =
                settings.map(|line| format!("{}\n", line.trim_start_matches(['#', ' ']))).collect();
            assert!(bare.contains("bound") && bare.contains("[test."), "{bare}");
            std::fs::write(folder.path().join(FILE), bare).unwrap();
            let settings = Settings::of(&folder.path().display().to_string()).unwrap();
            crate::options::configured::check(&settings).unwrap();
            assert_eq!((settings.base.settings.len(), settings.tests.len()), (7, 1));
        }
    }

    #[test]
    fn nothing_is_overwritten_unasked() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.c"), "int main(void) { return 0; }").unwrap();
        let file = folder.path().join(FILE);
        std::fs::write(&file, "mine").unwrap();
        let args = |force| Args { folder: folder.path().to_path_buf(), force, print: false };
        assert!(run(&args(false)).unwrap_err().render().contains("raddle init --force"));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
        assert_eq!(run(&args(true)).unwrap(), status::PASSED);
        assert!(std::fs::read_to_string(&file).unwrap().contains("programs"));
    }
}
