//! The rustc wrapper: `raddle` in the place of `RUSTC_WRAPPER`. It adds arguments and says nothing:
//! cargo stores what a compiler prints and shows it again later.
//!
//! A compilation with `--target` is for the explored program; cargo, told `--target <host>`, leaves
//! it out for build scripts and proc macros, and those pass through untouched. The explored ones
//! get our facade for `std` and `core` (and `test`), the runtime to link with, and debug
//! information that can name a line. Those of the workspace are instrumented ([`super::compile`]).

use super::arguments::{codegen, expanded, has, has_lines};
use super::watch::MIXED;
use crate::instrument::Statements;
use std::ffi::OsString;
use std::path::PathBuf;

/// What the wrapper has to know; it comes through the environment of cargo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrapper {
    /// Folder of the compiled facade crates.
    pub facade: PathBuf,
    /// Folder of `libraddle_rt.so`.
    pub runtime: PathBuf,
    /// The user's own wrapper, which is called in turn.
    pub next: Option<OsString>,
    /// Folder of the workspace: crates in it are instrumented.
    pub workspace: PathBuf,
    /// Folder for edited copies while they are compiled.
    pub shadows: PathBuf,
    /// Folder of the records of what was inserted.
    pub edits: PathBuf,
    /// Where points are put before statements.
    pub statements: Statements,
}

/// Has rustix call libc's functions, which the runtime serves, in the place of system calls in assembly (rustix, README). Cargo asks
/// about the target, and tells rustix's build script the answer.
const LIBC_OF_RUSTIX: &str = "rustix_use_libc";

/// Its presence makes `raddle` a wrapper.
const FACADE: &str = "RADDLE_WRAPPER";
const RUNTIME: &str = "RADDLE_WRAPPER_RUNTIME";
const NEXT: &str = "RADDLE_WRAPPER_NEXT";
const WORKSPACE: &str = "RADDLE_WRAPPER_WORKSPACE";
const SHADOWS: &str = "RADDLE_WRAPPER_SHADOWS";
const EDITS: &str = "RADDLE_WRAPPER_EDITS";
const STATEMENTS: &str = "RADDLE_WRAPPER_STATEMENTS";

impl Wrapper {
    /// From the environment, if this process was started as a wrapper.
    pub fn from_env(variable: impl Fn(&str) -> Option<OsString>) -> Option<Wrapper> {
        Some(Wrapper {
            facade: variable(FACADE)?.into(),
            runtime: variable(RUNTIME)?.into(),
            next: variable(NEXT).filter(|next| !next.is_empty()),
            workspace: variable(WORKSPACE)?.into(),
            shadows: variable(SHADOWS)?.into(),
            edits: variable(EDITS)?.into(),
            statements: Statements::decode(variable(STATEMENTS)?.to_str()?),
        })
    }

    /// For cargo's environment.
    pub fn to_env(&self) -> Vec<(&'static str, OsString)> {
        vec![
            (FACADE, self.facade.clone().into()),
            (RUNTIME, self.runtime.clone().into()),
            (NEXT, self.next.clone().unwrap_or_default()),
            (WORKSPACE, self.workspace.clone().into()),
            (SHADOWS, self.shadows.clone().into()),
            (EDITS, self.edits.clone().into()),
            (STATEMENTS, self.statements.encode().into()),
        ]
    }

    /// The command for what cargo asks: the program, then its arguments. `args` are those of this
    /// process after its own name: the compiler (or cargo's workspace wrapper) and its arguments.
    pub fn wrap(&self, args: &[OsString]) -> Vec<OsString> {
        let mut command: Vec<OsString> = self.next.iter().chain(args).cloned().collect();
        let args = expanded(args);
        if is_explored(&args) {
            self.extend(&mut command, &args);
        }
        if has(&args, "--target") {
            command.extend(["--cfg", LIBC_OF_RUSTIX].map(OsString::from));
        }
        command
    }

    /// Does what cargo asks, where that is the compilation of a crate that is instrumented; the exit
    /// status. Otherwise `None`: the command of [`Wrapper::wrap`] is to be run.
    pub fn compile(&self, args: &[OsString]) -> Option<u8> {
        if !is_explored(&expanded(args)) {
            return None;
        }
        let own: Vec<OsString> = self.next.iter().chain(args).cloned().collect();
        super::compile::compile(self, &self.wrap(args), &expanded(&own))
    }

    fn extend(&self, command: &mut Vec<OsString>, args: &[OsString]) {
        let mut add = |option: &str, before: &str, path: &std::path::Path| {
            let mut value = OsString::from(before);
            value.push(path);
            command.extend([option.into(), value]);
        };
        add("--extern", "std=", &self.facade.join("libraddle_std.rlib"));
        add("--extern", "core=", &self.facade.join("libraddle_core.rlib"));
        if has(args, "--test") {
            add("--extern", "test=", &self.facade.join("libraddle_test.rlib"));
        }
        add("-L", "dependency=", &self.facade);
        add("-L", "native=", &self.runtime);
        // The runtime has to stand before libc. The facade asks for it too, but a crate that uses
        // the facade and asks for libc (as the crate `libc` does) stands before the facade.
        command.push("-ldylib=raddle_rt".into());
        command.push(MIXED.into());
        for word in ["-Xlinker".as_ref(), "-rpath".as_ref(), "-Xlinker".as_ref(), self.runtime.as_os_str()] {
            let mut argument = OsString::from("-Clink-arg=");
            argument.push(word);
            command.push(argument);
        }
        if !has_lines(args) {
            command.push("-Cdebuginfo=line-tables-only".into());
        }
        if codegen(args, "strip").is_some_and(|v| v != "none") {
            command.push("-Cstrip=none".into());
        }
        if codegen(args, "split-debuginfo").is_some_and(|v| v != "off") {
            command.push("-Csplit-debuginfo=off".into());
        }
    }
}

/// Is a crate compiled here for the explored program?
fn is_explored(args: &[OsString]) -> bool {
    has(args, "--target") && !is_probe(args)
}

/// Cargo's question about the target (`rustc - --crate-name ___ --print=…`) compiles nothing.
fn is_probe(args: &[OsString]) -> bool {
    args.windows(2).any(|pair| pair[0] == "--crate-name" && pair[1] == "___")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    fn wrapper() -> Wrapper {
        Wrapper {
            facade: "/c/facade".into(),
            runtime: "/c/lib".into(),
            next: None,
            workspace: "/w".into(),
            shadows: "/c/shadows".into(),
            edits: "/c/edits".into(),
            statements: Statements::All,
        }
    }

    /// What is added to a command line, which must itself stay as it was.
    fn added(line: &str) -> String {
        let args: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let command = wrapper().wrap(&args);
        assert_eq!(command[..args.len()], args);
        command[args.len()..].join(OsStr::new(" ")).into_string().unwrap()
    }

    const ALWAYS: &str = "-L dependency=/c/facade -L native=/c/lib -ldylib=raddle_rt \
        -Cunsafe-allow-abi-mismatch=sanitizer \
        -Clink-arg=-Xlinker -Clink-arg=-rpath -Clink-arg=-Xlinker -Clink-arg=/c/lib";
    const LIBC: &str = "--cfg rustix_use_libc";

    #[test]
    fn a_crate_of_the_program_gets_the_facade() {
        let externs = "--extern std=/c/facade/libraddle_std.rlib --extern core=/c/facade/libraddle_core.rlib";
        assert_eq!(
            added("rustc --crate-name a src/lib.rs -C debuginfo=2 --target x86_64-unknown-linux-gnu"),
            format!("{externs} {ALWAYS} {LIBC}")
        );
        assert_eq!(
            added("rustc --crate-name a src/lib.rs --test -g --target=x86_64-unknown-linux-gnu"),
            format!("{externs} --extern test=/c/facade/libraddle_test.rlib {ALWAYS} {LIBC}")
        );
    }

    #[test]
    fn build_scripts_and_proc_macros_pass_untouched_and_questions_nearly() {
        assert_eq!(added("rustc --crate-name build_script_build build.rs --crate-type bin"), "");
        assert_eq!(added("rustc --crate-name m --crate-type proc-macro --test src/lib.rs"), "");
        assert_eq!(added("rustc -vV"), "");
        assert_eq!(added("rustc - --crate-name ___ --print=file-names --target x"), LIBC);
        assert_eq!(added("rustc - --crate-name ___ --print=file-names"), "");
        // An option that only begins like the one looked for.
        assert_eq!(added("rustc --target-x a.rs"), "");
    }

    #[test]
    fn line_tables_are_forced_unless_there_is_more() {
        for (given, forced) in [
            ("", true),
            ("-C debuginfo=0", true),
            ("-Cdebuginfo=none", true),
            ("-C debuginfo=line-directives-only", true),
            ("-g -C debuginfo=0", true),
            ("-C debuginfo=0 -C debuginfo=1", false),
            ("--codegen=debuginfo=full", false),
            ("--codegen debuginfo=line-tables-only", false),
            ("-g", false),
        ] {
            let added = added(&format!("rustc a.rs --target x {given}"));
            assert_eq!(added.contains("-Cdebuginfo=line-tables-only"), forced, "{given}");
        }
    }

    #[test]
    fn lines_are_not_stripped_or_put_elsewhere() {
        assert!(added("rustc a.rs --target x -C strip=debuginfo").contains(" -Cstrip=none "));
        assert!(!added("rustc a.rs --target x -C strip=none").contains("strip"));
        assert!(added("rustc a.rs --target x -C split-debuginfo=packed").contains(" -Csplit-debuginfo=off "));
    }

    #[test]
    fn another_wrapper_is_called_in_turn() {
        let wrapper = Wrapper { next: Some("sccache".into()), ..wrapper() };
        let command = wrapper.wrap(&["rustc".into(), "-vV".into()]);
        assert_eq!(command, ["sccache", "rustc", "-vV"]);
    }

    #[test]
    fn it_travels_through_the_environment() {
        for next in [None, Some("sccache".into())] {
            let wrapper = Wrapper { next, ..wrapper() };
            let env = wrapper.to_env();
            let variable = |name: &str| env.iter().find(|(n, _)| *n == name).map(|(_, v)| v.clone());
            assert_eq!(Wrapper::from_env(variable), Some(wrapper));
        }
        assert_eq!(Wrapper::from_env(|_| None), None);
    }

    #[test]
    fn arguments_in_a_file_are_seen() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "--target\nx\n--test\n").unwrap();
        let at = format!("@{}", file.path().display());
        assert!(added(&format!("rustc {at}")).contains("test=/c/facade/libraddle_test.rlib"));
    }
}
