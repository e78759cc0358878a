//! What is no target is told for what it is, with the next step: programs that Raddle has not built, of other machines
//! and kinds, scripts, and what is no file at all. Nothing of it is run or waited for.

use raddle_protocol::report::Verdict;
use raddle_tests::Scratch;
use std::process::Command;

/// Refused with status 2 by every command that takes a target, with each of these; with `--json` as data too.
#[track_caller]
fn check(scratch: &Scratch, named: &str, parts: &[&str]) {
    for words in
        [format!("explore {named}"), format!("list {named}"), format!("replay {named} main sync@default")]
    {
        let run = scratch.raddle(&words).run().exits(2).says(parts);
        assert!(run.stderr.starts_with("error: "), "{words}: {}", run.text());
        assert!(
            run.stderr.contains("\n  cause: ") && run.stderr.contains("\n  next: "),
            "{words}: {}",
            run.text()
        );
        assert!(run.stdout.is_empty(), "{words}: {}", run.text());
    }
    let run = scratch.raddle(&format!("explore {named}")).json().exits(2);
    let report = run.report();
    assert_eq!((report.verdict, report.target.as_str()), (Verdict::Error, named), "{report:#?}");
    let error = report.error.as_ref().expect("an error");
    let (cause, next) = (error.cause.clone().unwrap_or_default(), error.next.clone().unwrap_or_default());
    let told = format!("{}\n{cause}\n{next}", error.message);
    assert!(parts.iter().all(|part| told.contains(part)), "{parts:?} in {error:#?}");
}

/// Runs a compiler in the folder.
#[track_caller]
fn compile(scratch: &Scratch, words: &str) {
    let mut words = words.split(' ');
    let program = words.next().expect("a program");
    let status = Command::new(program).args(words).current_dir(scratch.root()).status();
    assert!(
        status.unwrap_or_else(|e| panic!("{program}: {e}")).success(),
        "{program} in {:?}",
        scratch.root()
    );
}

/// A folder with a program in C.
fn with_program() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("main.c", "int main(void)\n{\n    return 0;\n}\n");
    scratch
}

const BUILD: &str = "make CC='raddle cc'";

#[test]
fn programs_that_were_not_built_by_raddle() {
    let scratch = with_program();
    compile(&scratch, "cc main.c -o plain");
    let what = "it is a program that was not built by Raddle (it is not linked with libraddle_rt.so)";
    check(&scratch, "plain", &["plain is not a target", what, BUILD]);
    scratch.write("main.rs", "fn main() {}\n");
    compile(&scratch, "rustc main.rs -o rusty");
    check(&scratch, "rusty", &["it is a Rust program that was not built", "raddle explore FOLDER TEST"]);
}

#[test]
fn programs_that_no_library_can_be_loaded_into() {
    let scratch = with_program();
    for flag in ["-static", "-static-pie"] {
        compile(&scratch, &format!("cc {flag} main.c -o fixed"));
        check(&scratch, "fixed", &["it is a statically linked program", "link it without -static", BUILD]);
    }
}

#[test]
fn programs_of_other_machines() {
    let scratch = with_program();
    compile(&scratch, "cc -m32 -nostdlib -static -Wl,-e,main main.c -o narrow");
    check(&scratch, "narrow", &["it is a 32-bit program for x86", "without -m32"]);
    compile(&scratch, "cc main.c -o plain");
    let mut bytes = std::fs::read(scratch.path("plain")).expect("the program");
    // The machine, in the header.
    bytes[18] = 183;
    std::fs::write(scratch.path("foreign"), &bytes).expect("a file");
    check(&scratch, "foreign", &["it is a 64-bit program for aarch64", "x86-64 Linux"]);
    std::fs::write(scratch.path("windows.exe"), b"MZ\x90\0").expect("a file");
    check(&scratch, "windows.exe", &["it is a program for Windows"]);
}

#[test]
fn parts_of_programs() {
    let scratch = with_program();
    compile(&scratch, "cc -c main.c -o part.o");
    check(&scratch, "part.o", &["it is an object file, not a program", "raddle cc -o PROGRAM"]);
    compile(&scratch, "cc -shared -fPIC main.c -o part.so");
    check(&scratch, "part.so", &["it is a shared library, not a program", "a program that uses it"]);
    compile(&scratch, "ar rc part.a part.o");
    check(&scratch, "part.a", &["it is a static library", "a program that is linked with it"]);
    compile(&scratch, "cc main.c -o plain");
    let bytes = std::fs::read(scratch.path("plain")).expect("the program");
    for len in [4, 17, 40, 64, 100] {
        std::fs::write(scratch.path("cut"), &bytes[..len]).expect("a file");
        check(&scratch, "cut", &["cut is not a target", "it is a"]);
    }
}

#[test]
fn scripts_and_texts() {
    let scratch = Scratch::new();
    scratch.write("run", "#!/bin/sh -e\nexec true\n");
    check(&scratch, "run", &["it is a script (#!/bin/sh -e)", "the program that it starts", "raddle.toml"]);
    scratch.write("empty", "");
    check(&scratch, "empty", &["it is an empty file", "a Cargo package"]);
    scratch.write("notes.txt", "nothing to explore\n");
    check(&scratch, "notes.txt", &["it is neither a source file nor a program", BUILD]);
    scratch.write("queue.h", "int pop(void);\n");
    check(&scratch, "queue.h", &["it is a header", "that includes it"]);
}

#[test]
fn folders() {
    let scratch = Scratch::new();
    let cause = "the folder has no Cargo.toml, no raddle.toml and no compile_commands.json";
    std::fs::create_dir(scratch.path("nothing")).expect("a folder");
    check(&scratch, "nothing", &[cause, "a Cargo package"]);
    scratch.write("made/Makefile", "all:\n");
    let next = "`raddle init made` writes a raddle.toml from Makefile";
    check(&scratch, "made", &[cause, next, "make CC='raddle cc' CXX='raddle c++'"]);
    scratch.write("configured/CMakeLists.txt", "");
    let next = "`raddle init configured` writes a raddle.toml from CMakeLists.txt";
    check(&scratch, "configured", &[cause, next, "cmake -DCMAKE_C_COMPILER=raddle-cc"]);
    // Sources alone are named, those that can be started first.
    scratch.write("plain/help.c", "int help;\n");
    scratch.write("plain/t.c", "int main(void) { return 0; }\n");
    check(
        &scratch,
        "plain",
        &[cause, "raddle explore plain/t.c or plain/help.c; or `raddle init plain` for"],
    );
    // The current folder, named or not.
    let run = scratch.raddle("explore").current_dir(&scratch.path("made")).run().exits(2);
    run.says(&["next: `raddle init` writes a raddle.toml from Makefile"]);
    let run = scratch.raddle("").current_dir(&scratch.path("plain")).run().exits(2);
    run.says(&["next: raddle explore t.c or help.c; or `raddle init` for"]);
}

/// Reading them could wait for ever.
#[test]
fn what_is_no_file() {
    let scratch = Scratch::new();
    compile(&scratch, "mkfifo pipe pipe.c");
    check(&scratch, "pipe", &["it is a named pipe (FIFO)"]);
    check(&scratch, "pipe.c", &["it is a named pipe (FIFO)"]);
    check(&scratch, "/dev/zero", &["it is a device"]);
    let _socket = std::os::unix::net::UnixListener::bind(scratch.path("socket")).expect("a socket");
    check(&scratch, "socket", &["it is a socket"]);
}
