//! CMake projects.

use super::words::{Call, calls};
use super::{BUILD, Seen};
use std::path::Path;

/// Most folders that are read.
const MOST: usize = 200;

/// The programs of a CMake project: those that it tests, or else all.
pub fn see(folder: &Path) -> Seen {
    let mut programs = Vec::new();
    let mut tested = Vec::new();
    let mut unknown = false;
    let mut folders = vec![String::new()];
    let mut at = 0;
    while let Some(below) = folders.get(at).filter(|_| at < MOST).cloned() {
        at += 1;
        let text = std::fs::read_to_string(folder.join(&below).join("CMakeLists.txt")).unwrap_or_default();
        let mut project = None;
        for Call { name, words } in calls(&text) {
            let Some(first) = words.first() else { continue };
            let named = |word: &str| {
                project.as_deref().map_or(word.to_string(), |p| word.replace("${PROJECT_NAME}", p))
            };
            match name.as_str() {
                "project" => project = Some(first.clone()),
                "add_subdirectory" if !first.contains('$') && !first.contains("..") => {
                    folders.push(format!("{below}{first}/"));
                }
                "add_executable" if !words.iter().any(|w| w == "IMPORTED" || w == "ALIAS") => {
                    let program = named(first);
                    unknown |= program.contains('$');
                    programs.push((program, below.clone()));
                }
                "add_test" => tested.extend(words.iter().map(|word| named(word))),
                _ => {}
            }
        }
    }
    programs.retain(|(name, _)| !name.contains('$'));
    if programs.iter().any(|(name, _)| tested.contains(name)) {
        programs.retain(|(name, _)| tested.contains(name));
    }
    let mut named: Vec<String> =
        programs.iter().map(|(name, below)| format!("{BUILD}/{below}{name}")).collect();
    let mut notes = Vec::new();
    if named.is_empty() {
        named.push(format!("{BUILD}/*"));
        notes.push(format!(
            "no program is named in CMakeLists.txt; correct `programs` if they do not lie in {BUILD}"
        ));
    } else if unknown {
        notes.push("some names of programs are made by CMake and not in `programs`".to_string());
    }
    named.dedup();
    Seen {
        kind: "a CMake project",
        build: vec![
            format!("cmake -S . -B {BUILD} -DCMAKE_BUILD_TYPE=Debug"),
            format!("cmake --build {BUILD}"),
        ],
        programs: named,
        notes,
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::init::tests::seen;

    #[test]
    fn programs_that_are_tested_or_all() {
        let root = "project(q C)\nadd_executable(${PROJECT_NAME}_demo demo.c)\nadd_subdirectory(tests)\n";
        let tests = "add_executable(t1 t1.c)\nadd_executable(tool tool.c)\n";
        let all = seen(&[("CMakeLists.txt", root), ("tests/CMakeLists.txt", tests)]);
        let expected = ["build-raddle/q_demo", "build-raddle/tests/t1", "build-raddle/tests/tool"];
        assert_eq!(all.programs, expected);
        let tests = format!("{tests}add_test(NAME first COMMAND t1)\n");
        let tested = seen(&[("CMakeLists.txt", root), ("tests/CMakeLists.txt", &tests)]);
        assert_eq!((tested.programs, tested.notes.len()), (vec!["build-raddle/tests/t1".to_string()], 0));
        let made = seen(&[("CMakeLists.txt", "foreach(x a b)\nadd_executable(${x} ${x}.c)\nendforeach()\n")]);
        assert_eq!((made.programs, made.notes.len()), (vec!["build-raddle/*".to_string()], 1));
    }
}
