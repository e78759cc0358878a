//! CMake projects. Their files are read, never run.

mod interpreter;

use super::{BUILD, Seen};
use interpreter::{Interpreter, Program};
use std::path::Path;

/// The programs of a CMake project: those that it tests, or else all.
pub fn see(folder: &Path) -> Seen {
    let Interpreter { mut programs, tested, .. } = Interpreter::read(folder);
    let is_known = |p: &Program| !p.file.contains('$') && !p.folder.contains('$');
    let (known, unknown): (Vec<Program>, Vec<Program>) = programs.drain(..).partition(is_known);
    let is_tested = |p: &&Program| tested.contains(&p.target);
    let any_tested = known.iter().any(|p| is_tested(&p));
    let path = |folder_of: &str, file: &str| {
        let below = Path::new(folder_of).strip_prefix(folder).ok()?;
        Some(below.join(file).display().to_string()).filter(|path| !path.contains(".."))
    };
    let mut named: Vec<String> = Vec::new();
    for program in known.iter().filter(|p| !any_tested || is_tested(p)) {
        named.extend(path(&program.folder, &program.file).filter(|path| !named.contains(path)));
    }
    let mut notes = Vec::new();
    if !named.is_empty() && !unknown.is_empty() {
        notes.push("CMake makes the names of some programs: they are not in `programs`".to_string());
    } else if named.is_empty() && unknown.is_empty() {
        notes.push(
            "CMakeLists.txt has no add_executable: name the programs that it makes in `programs`".into(),
        );
    } else if named.is_empty() {
        // Every program of these folders.
        for program in &unknown {
            let folder_of =
                if program.folder.contains('$') { folder.join(BUILD) } else { (&program.folder).into() };
            named.extend(path(&folder_of.display().to_string(), "*").filter(|path| !named.contains(path)));
        }
        notes.push(format!(
            "CMake makes the names of the programs; correct `programs` if they do not lie in {BUILD}"
        ));
    }
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
    }

    #[test]
    fn names_are_worked_out() {
        let check = |text: &str, programs: &[&str], notes: usize| {
            let seen = seen(&[("CMakeLists.txt", text), ("test_a.c", ""), ("test_b.c", "")]);
            assert_eq!(
                (seen.programs, seen.notes.len()),
                (programs.iter().map(|p| p.to_string()).collect(), notes),
                "{text}"
            );
        };
        check("set(NAME demo)\nadd_executable(${NAME} ${NAME}.c)\n", &["build-raddle/demo"], 0);
        check("project(demo)\nadd_executable(${PROJECT_NAME} a.c)\n", &["build-raddle/demo"], 0);
        check(
            "project(d)\nset(T \"${CMAKE_PROJECT_NAME}_t\")\nadd_executable(${T} a.c)\n",
            &["build-raddle/d_t"],
            0,
        );
        let two = ["build-raddle/test_a", "build-raddle/test_b"];
        check("foreach(x a b)\nadd_executable(test_${x} ${x}.c)\nendforeach()\n", &two, 0);
        check(
            "set(L a b)\nforeach(x IN LISTS L)\nadd_executable(test_${x} ${x}.c)\nendforeach(x)\n",
            &two,
            0,
        );
        let files = "file(GLOB FILES ${CMAKE_CURRENT_SOURCE_DIR}/test_*.c)\nforeach(f ${FILES})\n\
                     get_filename_component(n ${f} NAME_WE)\nadd_executable(${n} ${f})\nendforeach()\n";
        check(files, &two, 0);
        let function = "function(add_my name)\nadd_executable(test_${name} ${ARGN})\nadd_test(${name} test_${name})\n\
                        endfunction()\nadd_my(a a.c)\nAdd_My(b b.c)\nadd_executable(other o.c)\n";
        check(function, &two, 0);
        let elsewhere = "set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)\nadd_executable(a a.c)\n\
                         set_target_properties(a PROPERTIES OUTPUT_NAME b)\n";
        check(elsewhere, &["build-raddle/bin/b"], 0);
        let system = "option(EXTRA \"\" OFF)\nif(WIN32)\nadd_executable(w w.c)\nelseif(NOT EXTRA)\n\
                      add_executable(u u.c)\nelse()\nadd_executable(e e.c)\nendif()\n";
        check(system, &["build-raddle/u"], 0);
        // What is not known.
        check("add_executable(${FROM_OUTSIDE} a.c)\n", &["build-raddle/*"], 1);
        check("add_library(q q.c)\n", &[], 1);
        check("foreach(x ${x} a)\nfunction(f)\nf()\nadd_executable(", &[], 1);
    }
}
