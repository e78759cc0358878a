//! Folders with C or C++ sources and nothing that builds them.

use super::{BUILD, Seen};
use crate::shell::quote;
use raddle_instrumenter::c::{Language, index};
use std::path::{Path, PathBuf};

/// One program for each source with a `main`, with those sources that have none.
pub fn see(folder: &Path) -> Option<Seen> {
    let entries = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let mut sources: Vec<PathBuf> =
        entries.filter(|path| path.is_file() && Language::of(path).is_some()).collect();
    sources.sort();
    let (mut programs, mut others, mut tests) = (Vec::new(), Vec::new(), Vec::new());
    for source in &sources {
        let found = index::index(source).ok().unwrap_or_default();
        let has_main = found.functions.iter().any(|function| function.name == "main");
        match (has_main, found.tests.is_empty()) {
            (true, _) => programs.push(source),
            (false, false) => tests.push(source),
            (false, true) => others.push(source),
        }
    }
    let name = |path: &Path| path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let mut notes: Vec<String> = Vec::new();
    for source in &tests {
        let name = quote(&name(source));
        notes.push(format!("{name} has test functions and no `main`: raddle explore {name}"));
    }
    if programs.is_empty() {
        // Settings hold for files that are named alone, too.
        let kind = "C or C++ sources without a `main`";
        return (!sources.is_empty()).then(|| Seen { kind, notes, ..Seen::default() });
    }
    let cpp = |path: &Path| Language::of(path) == Some(Language::Cpp);
    let mut build = vec![format!("mkdir -p {BUILD}")];
    let mut named = Vec::new();
    for program in programs {
        let driver = if cpp(program) || others.iter().any(|o| cpp(o)) { "$CXX" } else { "$CC" };
        let stem = program.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let out = format!("{BUILD}/{stem}");
        let files: Vec<String> =
            std::iter::once(program).chain(others.iter().copied()).map(|f| quote(&name(f))).collect();
        let text = std::fs::read_to_string(program).unwrap_or_default();
        let math = if text.contains("<math.h>") { " -lm" } else { "" };
        build.push(format!("\"{driver}\" -g -pthread -o {} {}{math}", quote(&out), files.join(" ")));
        named.push(out);
    }
    if !others.is_empty() {
        notes.push(
            "sources without `main` go into every program; correct `build` if they do not belong there"
                .into(),
        );
    }
    Some(Seen { kind: "C or C++ sources", build, programs: named, notes })
}

#[cfg(test)]
mod tests {
    use crate::cli::init::tests::seen;

    #[test]
    fn each_main_is_a_program() {
        let main = "#include <math.h>\nint main(void) { return 0; }\n";
        let seen = seen(&[
            ("b.c", main),
            ("a b.cpp", "int main() { return 0; }\n"),
            ("q.c", "int q;\n"),
            ("t.c", "void test_x(void) {}\n"),
        ]);
        assert_eq!(seen.programs, ["build-raddle/a b", "build-raddle/b"]);
        assert_eq!(seen.build[1], "\"$CXX\" -g -pthread -o 'build-raddle/a b' 'a b.cpp' q.c");
        assert_eq!(seen.build[2], "\"$CC\" -g -pthread -o build-raddle/b b.c q.c -lm");
        assert!(seen.notes[0].contains("raddle explore t.c"), "{:?}", seen.notes);
    }
}
