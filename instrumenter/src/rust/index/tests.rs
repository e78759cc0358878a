//! Source files and packages with their expected index.

use super::*;
use expect_test::{Expect, expect};
use std::fmt::Write;

fn print(index: &Index, root: &Path) -> String {
    let mut out = String::new();
    let short = |p: &Path| p.strip_prefix(root).unwrap_or(p).display().to_string();
    for t in &index.tests {
        let marks = [(t.ignore, " ignored"), (t.should_panic, " should_panic")];
        let marks: String = marks.iter().filter(|m| m.0).map(|m| m.1).collect();
        writeln!(out, "test {} {}:{}:{}{marks} [{}]", t.name, short(&t.file), t.line, t.column, t.target)
            .unwrap();
    }
    for f in &index.functions {
        writeln!(out, "fn {} {}:{}:{}-{}", f.name, short(&f.file), f.line, f.column, f.end_line).unwrap();
    }
    for s in &index.sites {
        let object =
            if s.object.is_empty() { String::new() } else { format!(" {} ({:?})", s.object, s.reach) };
        writeln!(out, "{} {}:{}:{}{object} in {}", s.kind, short(&s.file), s.line, s.column, s.function)
            .unwrap();
    }
    for v in &index.variables {
        let place = format!("{}:{}:{}", short(&v.file), v.line, v.column);
        let (kind, within, name, ty) = (v.kind.word(), &v.within, &v.name, &v.type_name);
        writeln!(out, "{kind} {within}/{name}: {ty} {place}, {}", v.why).unwrap();
    }
    for p in &index.problems {
        writeln!(out, "problem {}: {}", short(&p.file), p.message).unwrap();
    }
    out
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&print(&index_source(Path::new("lib.rs"), text), Path::new("")));
}

fn check_package(files: &[(&str, &str)], expected: Expect) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let root = folder.path().canonicalize().unwrap();
    expected.assert_eq(&print(&index(&root).unwrap(), &root));
}

#[test]
fn tests_are_named_as_libtest_prints_them() {
    check(
        "fn helper() {}\n#[test]\nfn top() {}\nmod a {\n  mod r#in {\n    #[test]\n    #[ignore = \"slow\"]\n    fn deep() {\n    }\n  }\n}\n#[cfg(test)]\nmod tests {\n  #[test] #[should_panic(expected = \"x\")] fn panics() { fn inner() {} }\n  #[tokio::test] async fn awaits() {}\n}\n",
        expect![[r#"
            test top lib.rs:3:4 []
            test a::r#in::deep lib.rs:8:8 ignored []
            test tests::panics lib.rs:14:46 should_panic []
            test tests::awaits lib.rs:15:27 []
            fn helper lib.rs:1:4-1
            fn top lib.rs:3:4-3
            fn a::r#in::deep lib.rs:8:8-9
            fn tests::panics lib.rs:14:46-14
            fn tests::panics::inner lib.rs:14:60-14
            fn tests::awaits lib.rs:15:27-15
        "#]],
    );
}

#[test]
fn functions_are_qualified_by_module_and_type() {
    check(
        "struct S<T>(T);\nimpl<T> S<T> {\n  fn new() -> Self { todo!() }\n}\nimpl<T> Drop for S<T> {\n  fn drop(&mut self) {}\n}\ntrait Tr { fn required(); fn provided() {} }\nfn é() {}\nfn outer() { #[test] fn not_collected() {} }\n",
        expect![[r#"
            fn S::new lib.rs:3:6-3
            fn S::drop lib.rs:6:6-6
            fn Tr::provided lib.rs:8:30-8
            fn é lib.rs:9:4-9
            fn outer lib.rs:10:4-10
            fn outer::not_collected lib.rs:10:25-10
        "#]],
    );
}

#[test]
fn a_broken_file_is_a_problem_not_the_end() {
    check(
        "fn a() {}\nfn b( {}\n",
        expect![[r#"
        problem lib.rs: line 2: cannot parse string into token stream
    "#]],
    );
}

#[test]
fn synchronisation_and_what_it_works_on() {
    check(
        r#"use std::sync::*;
static TOTAL: AtomicU32 = AtomicU32::new(0);
static NAME: &str = "x";
static mut RAW: u32 = 0;
static BANK: Bank = Bank::new();
struct Bank { accounts: Vec<Mutex<u32>>, name: String, ready: (Mutex<bool>, Condvar) }
impl Bank {
    fn move_all(&self, from: usize, to: &Mutex<u32>) {
        let guard = self.accounts[from].lock().unwrap();
        *to.lock().unwrap() += TOTAL.load(SeqCst);
        let é = self.ready.1.wait(guard); let x = self.ready.0.lock();
        fs.read(&mut buffer);
    }
}
#[test]
fn threads() {
    let bank = Arc::new(Bank::default());
    let (mut hits, mut plain, other) = (0, 1, 2);
    let handle = { let bank = Arc::clone(&bank); thread::spawn(move || bank.accounts[0].lock()) };
    thread::scope(|s| { s.spawn(|| { hits += 1; assert_eq!(*bank.accounts[1].lock().unwrap(), plain); }); });
    let values: Vec<_> = handles.into_iter().map(|h| h.join()).collect();
    handle.join().unwrap();
    loop { std::hint::spin_loop(); println!("{}", vec![TOTAL.swap(1, Ordering::AcqRel); 2][0]); }
}
"#,
        expect![[r#"
            test threads lib.rs:16:4 []
            fn Bank::move_all lib.rs:8:8-13
            fn threads lib.rs:16:4-24
            fn threads::{closure} lib.rs:19:64-19
            fn threads::{closure} lib.rs:20:33-20
            lock lib.rs:9:41 accounts[from] (Field) in Bank::move_all
            lock lib.rs:10:13 to (Parameter) in Bank::move_all
            load lib.rs:10:38 TOTAL (Global) in Bank::move_all
            wait lib.rs:11:31 ready.1 (Field) in Bank::move_all
            lock lib.rs:11:65 ready.0 (Field) in Bank::move_all
            spawn lib.rs:19:50 in threads
            lock lib.rs:19:89 bank.accounts[0] (Field) in threads::{closure}
            spawn lib.rs:20:27 in threads
            lock lib.rs:20:78 bank.accounts[1] (Field) in threads::{closure}
            join lib.rs:21:56 h (Parameter) in threads
            join lib.rs:22:12 handle (Local) in threads
            yield lib.rs:23:12 in threads
            rmw lib.rs:23:62 TOTAL (Global) in threads
            static /TOTAL: AtomicU32 lib.rs:2:8, AtomicU32
            static /RAW: u32 lib.rs:4:12, static mut
            static /BANK: Bank lib.rs:5:8, static
            field Bank/accounts: Vec<Mutex<u32>> lib.rs:6:15, Mutex
            field Bank/ready: (Mutex<bool>, Condvar) lib.rs:6:56, Mutex
            parameter Bank::move_all/to: &Mutex<u32> lib.rs:8:37, Mutex
            let threads/bank:  lib.rs:17:9, Arc
            let threads/hits:  lib.rs:18:14, captured by a thread
            let threads/plain:  lib.rs:18:24, captured by a thread
        "#]],
    );
}

#[test]
fn a_package_with_every_kind_of_target() {
    check_package(
        &[
            (
                "Cargo.toml",
                "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[[test]]\nname = \"own\"\nharness = false\n[workspace]\n",
            ),
            (
                "src/lib.rs",
                "mod flat;\nmod folder;\n#[path = \"odd/place.rs\"] mod renamed;\n#[cfg(windows)] mod absent;\nmod lost;\nmod inline { mod nested; }\n",
            ),
            ("src/flat.rs", "mod child;\n#[test] fn t() {}\n"),
            ("src/flat/child.rs", "#[test] fn t() {}\n"),
            ("src/folder/mod.rs", "mod child;\n"),
            ("src/folder/child.rs", "#[test] fn t() {}\n"),
            ("src/odd/place.rs", "#[test] fn t() {}\n"),
            ("src/inline/nested.rs", "#[test] fn t() {}\n"),
            ("src/main.rs", "fn main() {}\n#[test] fn in_program() {}\n"),
            ("tests/integration.rs", "mod common;\n#[test] fn t() {}\n"),
            ("tests/common/mod.rs", "pub fn shared() {}\n"),
            ("tests/own.rs", "\nfn main() {}\n"),
        ],
        expect![[r#"
            test flat::child::t src/flat/child.rs:1:12 [lib]
            test flat::t src/flat.rs:2:12 [lib]
            test folder::child::t src/folder/child.rs:1:12 [lib]
            test renamed::t src/odd/place.rs:1:12 [lib]
            test inline::nested::t src/inline/nested.rs:1:12 [lib]
            test in_program src/main.rs:2:12 [bin/p]
            test t tests/integration.rs:2:12 [tests/integration]
            test own tests/own.rs:2:4 [tests/own]
            fn flat::child::t src/flat/child.rs:1:12-1
            fn flat::t src/flat.rs:2:12-2
            fn folder::child::t src/folder/child.rs:1:12-1
            fn renamed::t src/odd/place.rs:1:12-1
            fn inline::nested::t src/inline/nested.rs:1:12-1
            fn main src/main.rs:1:4-1
            fn in_program src/main.rs:2:12-2
            fn common::shared tests/common/mod.rs:1:8-1
            fn t tests/integration.rs:2:12-2
            fn main tests/own.rs:2:4-2
            problem src/lib.rs: no file for `mod lost;`
        "#]],
    );
}

#[test]
fn no_package_there() {
    let folder = tempfile::tempdir().unwrap();
    let error = index(folder.path()).unwrap_err().to_string();
    assert!(error.ends_with(": no Cargo.toml there; name a package's folder or its Cargo.toml"), "{error}");
}

/// Words that became keywords after edition 2015 are names there.
#[test]
fn a_file_of_the_oldest_edition_is_read() {
    check(
        "fn async() {}\nfn f() { try!(g()); async() }\n",
        expect![[r#"
            fn r#async lib.rs:1:4-1
            fn f lib.rs:2:4-2
        "#]],
    );
}
