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
