//! Programs that do not compile: what is said is what `cargo test` says, word for word, though the types of std that
//! they were compiled against are others.

use raddle_tests::Scratch;
use std::collections::BTreeSet;
use std::process::{Command, Stdio};

/// What `cargo test` says in a package of the scratch folder.
fn cargo_says(scratch: &Scratch, package: &str) -> String {
    let output = Command::new("cargo")
        .args(["test", "--no-run", "--color=never"])
        .current_dir(scratch.path(package))
        .env("CARGO_TARGET_DIR", scratch.path("target"))
        .stdin(Stdio::null())
        .output()
        .expect("cargo starts");
    assert!(!output.status.success(), "{package} compiles");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The compiler's errors in a text: each once, as it says them, without what cargo says of itself.
fn errors(text: &str) -> BTreeSet<String> {
    let mut errors: Vec<String> = Vec::new();
    let mut within = false;
    for line in text.lines() {
        let begins = line.starts_with("error") || line.starts_with("warning");
        let of_rustc =
            line.starts_with("error[E") || line.starts_with("error: ") && !line.contains("compile");
        let of_rustc = of_rustc && !line.ends_with("does not build");
        let ends =
            line.starts_with("For more") || line.starts_with("Some errors") || line.starts_with("raddle: ");
        within = if begins { of_rustc } else { within && !ends };
        match errors.last_mut() {
            _ if !within => {}
            Some(last) if !begins => *last += &format!("\n{}", line.trim_end()),
            _ => errors.push(line.trim_end().to_string()),
        }
    }
    errors.iter().map(|e| e.trim_end().to_string()).collect()
}

fn package(scratch: &Scratch, name: &str, edition: u16, source: &str) {
    let manifest =
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"{edition}\"\n[workspace]\n");
    scratch.write(&format!("{name}/Cargo.toml"), &manifest);
    scratch.write(&format!("{name}/src/lib.rs"), source);
}

/// So many errors, as cargo has them.
#[track_caller]
fn says_the_same(edition: u16, source: &str, count: usize) {
    let scratch = Scratch::new();
    package(&scratch, "wrong", edition, source);
    wrong_says_the_same(&scratch, count);
}

/// The package `wrong`.
#[track_caller]
fn wrong_says_the_same(scratch: &Scratch, count: usize) {
    let wanted = errors(&cargo_says(scratch, "wrong"));
    assert_eq!(wanted.len(), count, "{wanted:#?}");
    let run = scratch.raddle("explore wrong").run().exits(2);
    assert_eq!(errors(&run.stderr), wanted, "{}", run.stderr);
    assert!(!run.stderr.contains("raddle_") && !run.stderr.contains("raddle-std"), "{}", run.stderr);
}

#[test]
fn unknown_names() {
    let source = "use std::sync::Mutx;\nuse std::sink::Mutex;\n\
                  pub fn a() { std::thread::spwan(|| ()); }\n\
                  pub fn b() { let a = AtomicU32::new(1); }\n\
                  pub fn c() { let k = std::thread::Thread(1); }\n";
    says_the_same(2018, source, 5);
}

#[test]
fn types_methods_and_arguments() {
    let source = r#"use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Condvar, LazyLock, Mutex, OnceLock, RwLock, mpsc};
pub fn a() { let m: Mutex<u8> = RwLock::new(1u8); }
pub fn b(x: &AtomicU32) { b(&AtomicUsize::new(1)); }
pub fn c(m: Mutex<u8>) { m.clone(); }
pub fn d(m: Mutex<Vec<u8>>) { m.push(2); }
pub fn e(o: OnceLock<u8>) { let _ = o.get_or_try_init(|| Ok::<u8, ()>(1)); }
pub fn f(m: Mutex<u8>) { let x = m.inner; }
pub fn g(a: &AtomicU32) { a.store(1); }
pub fn h(a: &AtomicU32) { a.compare_exchange(1, 2, Ordering::SeqCst); }
pub fn i(c: Condvar, m: Mutex<u8>) { c.wait(m); }
pub fn j() { let (tx, rx) = mpsc::channel::<u8>(); tx.send("a"); }
pub fn k() { let h: std::thread::JoinHandle<u8> = std::thread::spawn(|| "a"); }
pub fn l() { println!("{}", std::thread::current()); }
pub static L: LazyLock<u8> = LazyLock::new(|x| 1);
pub fn m(m: RwLock<u8>) { std::collections::HashSet::new().insert(m); }
pub fn n() { core::hint::spin_loop(3); }
"#;
    says_the_same(2024, source, 16);
}

#[test]
fn threads_and_what_may_go_there() {
    let source = r#"use std::cell::Cell;
use std::rc::Rc;
use std::sync::{Arc, Mutex, mpsc};
pub fn a() { let r = Rc::new(1); std::thread::spawn(move || println!("{}", r)); }
pub fn b(m: &'static Mutex<u8>) { let g = m.lock().unwrap(); std::thread::spawn(move || drop(g)); }
pub fn c(c: Arc<Cell<u8>>) { std::thread::spawn(move || c.set(2)); }
pub fn d(r: mpsc::Receiver<u8>) { std::thread::scope(|s| { s.spawn(|| r.recv()); }); }
"#;
    says_the_same(2015, source, 4);
}

#[test]
fn borrows() {
    let source = r#"use std::sync::{Mutex, MutexGuard, RwLock};
pub fn a() { let x = 1; std::thread::spawn(|| println!("{x}")).join().unwrap(); }
pub fn b() -> &'static u8 { let m = Mutex::new(1); let g = m.lock().unwrap(); &*g }
pub fn c<'a>() -> MutexGuard<'a, u8> { let m = Mutex::new(1); m.lock().unwrap() }
pub fn d(m: &RwLock<u8>) { let g = m.read().unwrap(); *g = 2; }
"#;
    says_the_same(2021, source, 5);
}

/// In a crate that uses one with access hooks, the compiler says nothing of those.
#[test]
fn a_crate_with_unsafe_code_is_used() {
    let scratch = Scratch::new();
    let source = "pub fn get(p: &u8) -> u8 { unsafe { *std::ptr::from_ref(p) } }\n";
    package(&scratch, "wrong", 2021, source);
    let test = "#[test]\nfn t() {\n    let x: u8 = \"s\";\n    assert_eq!(wrong::get(&x), 1);\n}\n";
    scratch.write("wrong/tests/it.rs", test);
    wrong_says_the_same(&scratch, 1);
}

/// Where another crate was compiled against the facade, the real std does not fit it; then the words are the
/// facade's, at the same place, and name std.
#[test]
fn a_type_of_std_that_another_crate_has() {
    let scratch = Scratch::new();
    scratch.write("two/Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\nresolver = \"2\"\n");
    let manifest =
        |name: &str| format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    scratch.write("two/a/Cargo.toml", &manifest("a"));
    scratch.write("two/a/src/lib.rs", "pub fn of(m: &std::sync::Mutex<u8>) -> u8 { *m.lock().unwrap() }\n");
    scratch.write("two/b/Cargo.toml", &(manifest("b") + "[dependencies]\na = { path = \"../a\" }\n"));
    let source = "use std::sync::{Mutex, RwLock};\npub fn right() -> u8 { a::of(&Mutex::new(1)) }\n\
                  pub fn wrong() -> u8 { a::of(&RwLock::new(1)) }\n";
    scratch.write("two/b/src/lib.rs", source);
    let heads = |text: &str| -> BTreeSet<String> {
        let first = |e: String| e.lines().take(2).collect::<Vec<_>>().join("\n");
        errors(text).into_iter().map(first).collect()
    };
    let wanted = heads(&cargo_says(&scratch, "two"));
    assert_eq!(wanted.len(), 1, "{wanted:?}");
    let run = scratch.raddle("explore two").run().exits(2);
    assert_eq!(heads(&run.stderr), wanted, "{}", run.stderr);
    assert!(!run.stderr.contains("raddle_") && !run.stderr.contains("raddle-std"), "{}", run.stderr);
    // An error that names the crate where the other implementation is.
    let source = "use std::sync::Mutex;\npub struct L;\npub fn right() -> u8 { a::of(&Mutex::new(1)) }\n\
                  impl From<L> for Mutex<L> {\n    fn from(l: L) -> Self {\n        Mutex::new(l)\n    }\n}\n";
    scratch.write("two/b/src/lib.rs", source);
    let own = cargo_says(&scratch, "two");
    assert!(own.contains("in crate `std`"), "{own}");
    let run = scratch.raddle("explore two").run().exits(2);
    assert!(run.stderr.contains("in crate `std`") && !run.stderr.contains("raddle_"), "{}", run.stderr);
}

/// A library with warnings compiles with markers; when its tests do not, nothing of the markers is shown.
#[test]
fn what_compiles_has_no_warnings_of_other_lines() {
    let scratch = Scratch::new();
    let source = "pub fn one() -> u8 { let unused = 2; 1 }\n\
                  #[test]\nfn t() {\n    assert_eq!(one(), missing());\n}\n";
    package(&scratch, "wrong", 2021, source);
    wrong_says_the_same(&scratch, 1);
    scratch.write("wrong/src/lib.rs", "pub fn one() -> u8 { let unused = 2; 1 }\n");
    scratch.write("wrong/tests/it.rs", "#[test]\nfn t() {\n    wrong::two();\n}\n");
    wrong_says_the_same(&scratch, 1);
}
