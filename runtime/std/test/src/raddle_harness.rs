//! What a test program is asked to do: list its tests (`RADDLE_LIST`), hand one of them to the
//! kernel (`RADDLE_CHANNEL` and `RADDLE_TEST`), or run them because a person started it.

use crate::verdict::{self, Failure};
use crate::{ShouldPanic, TestDescAndFn, by_hand};
use raddle_facade::{panics, rt, test_name};
use std::ffi::c_void;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process;

/// By these bytes `raddle` knows a program with this harness from one with a `main` of its own.
#[used]
static MARK: [u8; 24] = *b"raddle-test-harness-v1\0\0";

pub(crate) fn main(tests: &[&TestDescAndFn]) {
    std::hint::black_box(&MARK);
    if std::env::var_os("RADDLE_LIST").is_some_and(|v| v == "1") {
        list(tests);
    } else if std::env::var_os("RADDLE_CHANNEL").is_some() {
        controlled(tests);
    } else {
        by_hand::main(tests);
    }
}

/// One JSON object per test and line.
fn list(tests: &[&TestDescAndFn]) {
    let mut out = String::new();
    for test in tests {
        let desc = &test.desc;
        out.push_str("{\"name\":");
        quote(&mut out, desc.name.as_slice());
        out.push_str(",\"file\":");
        quote(&mut out, desc.source_file);
        let should_panic = desc.should_panic != ShouldPanic::No;
        let (line, ignore) = (desc.start_line, desc.ignore);
        let _ = writeln!(out, ",\"line\":{line},\"ignore\":{ignore},\"should_panic\":{should_panic}}}");
    }
    print!("{out}");
}

/// A JSON string.
fn quote(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Runs the chosen test once for every plan; the kernel does not come back.
fn controlled(tests: &[&TestDescAndFn]) {
    let name = std::env::var("RADDLE_TEST").unwrap_or_default();
    let Some(test) = tests.iter().find(|test| test.desc.name.as_slice() == name) else {
        eprintln!("raddle: this program has no test named `{name}` (RADDLE_TEST)");
        process::exit(2);
    };
    panics::install();
    test_name::set(&name);
    // What std finds out once, at the first thread, it shall know before the executions begin:
    // rolled back, it would find it out in each of them.
    let _ = std::thread::spawn(|| ()).join();
    let _ = std::io::stdout().flush();
    let test: *const TestDescAndFn = *test;
    // SAFETY: `body` takes a pointer to a test, and this one is static.
    unsafe { rt::run(body, test.cast_mut().cast()) };
    eprintln!("raddle: RADDLE_CHANNEL is set, but the kernel found no channel behind it");
    process::exit(2);
}

/// One execution of the test `ctx` points to: 0 if it passed, 1 if it failed.
extern "C" fn body(ctx: *mut c_void) -> i32 {
    // SAFETY: `controlled` passes a test of the program's static list.
    let test = unsafe { &*ctx.cast_const().cast::<TestDescAndFn>() };
    let verdict = verdict::run(test);
    // What was printed without the end of a line is part of this execution, whose memory goes.
    let _ = std::io::stdout().flush();
    match verdict {
        Ok(()) => 0,
        Err(Failure::Panic) => 1,
        Err(Failure::Message(message)) => {
            rt::failed(&message);
            1
        }
    }
}
