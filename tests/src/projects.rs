//! Programs of several files in samples/c-projects, built as their own build makes them.

use crate::binary::{binary, shared_cache};
use crate::expected::{read, samples};
use crate::scratch::Scratch;
use std::process::Command;

/// One of them.
#[derive(Clone, Copy)]
pub struct Project {
    /// Its folder.
    pub name: &'static str,
    /// The program that its build makes, below it.
    pub program: &'static str,
    /// Is the build CMake's? Otherwise make's.
    pub cmake: bool,
}

/// All of them.
pub const PROJECTS: [Project; 3] = [
    Project { name: "pool", program: "words", cmake: false },
    Project { name: "sessions", program: "build/sessions", cmake: true },
    Project { name: "journal", program: "demo", cmake: false },
];

impl Project {
    /// A copy of it, with its correction or as it is, built by its own build over this compiler.
    #[track_caller]
    pub fn built(&self, corrected: bool, compiler: &str) -> Scratch {
        let scratch = Scratch::with(&format!("samples/c-projects/{}", self.name));
        if corrected {
            scratch.add(&format!("samples/c-projects/{}.fix.patch", self.name));
            run(&scratch, compiler, "git", &["apply", "-p0", &format!("{}.fix.patch", self.name)]);
        }
        self.build(&scratch, compiler);
        scratch
    }

    /// Builds what is in the folder.
    #[track_caller]
    pub fn build(&self, scratch: &Scratch, compiler: &str) {
        let raddle = binary().display().to_string();
        if self.cmake {
            // CMake wants a compiler of one word.
            let driver = scratch.path("raddle-cc");
            if !driver.exists() {
                std::os::unix::fs::symlink(binary(), &driver).expect("a link");
            }
            let compiler_option = format!("-DCMAKE_C_COMPILER={}", driver.display());
            run(scratch, compiler, "cmake", &["-S", self.name, "-B", &self.below("build"), &compiler_option]);
            run(scratch, compiler, "cmake", &["--build", &self.below("build")]);
        } else {
            run(scratch, compiler, "make", &["-C", self.name, &format!("CC={raddle} cc")]);
        }
    }

    /// A name below its folder.
    pub fn below(&self, name: &str) -> String {
        format!("{}/{name}", self.name)
    }

    /// The program as a target.
    pub fn target(&self) -> String {
        self.below(self.program)
    }

    /// Its sources: names and texts.
    pub fn sources(&self) -> Vec<(String, String)> {
        let folder = samples().join("c-projects").join(self.name);
        let files = std::fs::read_dir(&folder).expect("its folder").flatten().map(|e| e.path());
        let mut files: Vec<_> =
            files.filter(|f| f.extension().is_some_and(|e| e == "c" || e == "h")).collect();
        files.sort();
        let name = |f: &std::path::Path| f.file_name().expect("a name").to_string_lossy().into_owned();
        files.iter().map(|f| (name(f), read(f))).collect()
    }
}

/// Runs a step of a build, which says no more than it would say otherwise: no warnings.
#[track_caller]
fn run(scratch: &Scratch, compiler: &str, program: &str, words: &[&str]) {
    let mut command = Command::new(program);
    command.args(words).current_dir(scratch.root()).env("CC", compiler).env("RADDLE_CACHE", shared_cache());
    // Of a `make` that runs these tests nothing is passed on.
    command.env_remove("MAKEFLAGS").env_remove("MAKELEVEL");
    let output = command.output().unwrap_or_else(|e| panic!("{program}: {e}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {words:?}: {said}");
    assert!(!said.contains("warning"), "{program} {words:?}: {said}");
}
