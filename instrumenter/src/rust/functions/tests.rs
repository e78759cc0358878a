//! Snippets with what is inserted into them, generated programs, and every Rust file of this
//! repository.

use super::*;
use expect_test::{Expect, expect};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

fn with(text: &str, statements: &Statements) -> Instrumented {
    instrument(text, &["m".to_string()], Crate::default(), statements).unwrap()
}

/// The edited text, with the insertions abbreviated: `<"name"|`, `|>` and `^`.
fn check(text: &str, statements: &Statements, expected: Expect) {
    let done = with(text, statements);
    checked(text, &done);
    let mut short = Edits::new();
    for i in done.edits.insertions() {
        let text =
            i.text.replace("match ::std::raddle_closure!(", "<~").replace("match ::std::raddle_fn!(", "<");
        let text = text.replace("){_raddle=>{", "|");
        let text = text.replace("}}", "|>").replace("::std::raddle_point!();", "^");
        short.insert(i.at, text.replace("::std::raddle_again!();", "@"));
    }
    let short = short.apply(text);
    expected.assert_eq(&short);
}

fn markers(text: &str, expected: Expect) {
    check(text, &Statements::None, expected);
}

fn points(text: &str, expected: Expect) {
    check(&format!("fn f() {{{text}}}"), &Statements::All, expected);
}

/// What must hold of every file; the edited text.
#[track_caller]
fn checked(text: &str, done: &Instrumented) -> String {
    let edited = done.edits.apply(text);
    assert_eq!(done.edits.remove(&edited).as_deref(), Some(text));
    assert_eq!(edited.matches('\n').count(), text.matches('\n').count());
    if let Err(e) = crate::rust::parse::file(&edited) {
        panic!("{e} at {:?} in\n{edited}", e.span().start());
    }
    edited
}

#[test]
fn functions_methods_and_nested_functions_are_marked() {
    markers(
        "fn a() -> u8 { 1 }\nstruct S;\nimpl<T> Tr<T> for &S { fn b(&self) { fn c() {} } }\n\
         trait Tr<T> { fn b(&self); fn d(&self) {} }\nmod n { pub(crate) unsafe extern \"C\" fn e() {} }\n\
         const X: fn() = { fn g() {} g };",
        expect![[r#"
            fn a() -> u8 {<"m::a"| 1 |>}
            struct S;
            impl<T> Tr<T> for &S { fn b(&self) {<"m::S::b"| fn c() {<"m::S::b::c"||>} |>} }
            trait Tr<T> { fn b(&self); fn d(&self) {<"m::Tr::d"||>} }
            mod n { pub(crate) unsafe extern "C" fn e() {<"m::n::e"||>} }
            const X: fn() = { fn g() {<"m::g"||>} g };"#]],
    );
}

#[test]
fn what_returns_impl_trait_keeps_its_types() {
    markers(
        "fn a(x: impl T) -> u8 { 1 } fn b() -> Option<impl Fn(&u8) -> u8> { #![x] Some(|y| *y) }\n\
         macro_rules! m { () => { fn c() -> impl T { d } } }",
        expect![[r#"
            fn a(x: impl T) -> u8 {<"m::a"| 1 |>} fn b() -> Option<impl Fn(&u8) -> u8> { #![x] let _raddle=::std::raddle_fn!("m::b");Some(|y| *y) }
            macro_rules! m { () => { fn c() -> impl T {let _raddle=::std::raddle_fn!("c"); d } } }"#]],
    );
}

#[test]
fn what_cannot_be_marked_is_left_with_a_reason() {
    let text = "const fn a() { fn b() {} }\nasync fn c() { select!(x => spawn(|| 1)) }\n#[unsafe(naked)]\nfn d() {}\n\
                fn e() { async { join!(x); spawn(|| 1) }; const { spawn(|| 1) }; [spawn(|| 1); { fn g() {} 3 }]; }";
    markers(
        text,
        expect![[r#"
            const fn a() { fn b() {<"m::a::b"||>} }
            async fn c() { select!(x => spawn(|| 1)) }
            #[unsafe(naked)]
            fn d() {}
            fn e() {<"m::e"| async { join!(x); spawn(|| 1) }; const { spawn(|| 1) }; [spawn(|| {<"m::e::{closure}"|1|>}); { fn g() {<"m::e::g"||>} 3 }]; |>}"#]],
    );
    let left = with(text, &Statements::None).left;
    let left: Vec<_> =
        left.iter().map(|l| (l.name.as_str(), l.line, l.reason.split(',').next().unwrap())).collect();
    assert_eq!(
        left,
        [("m::a", 1, "it is a const fn"), ("m::c", 2, "it is async"), ("m::d", 4, "it is naked")]
    );
}

#[test]
fn closures_passed_to_a_spawn_are_marked() {
    markers(
        "fn f() { std::thread::spawn(move || x.y()); s.spawn(|_| { 1 }); b.spawn_scoped(s, || 2)?; \
         each(|| 3); vec![1, spawn(|| 4)]; assert!(spawn(|| 5).join().is_ok(), \"{}\", 6); }",
        expect![[
            r#"fn f() {<"m::f"| std::thread::spawn(move || {<"m::f::{closure}"|x.y()|>}); s.spawn(|_| {<"m::f::{closure}"| 1 |>}); b.spawn_scoped(s, || {<"m::f::{closure}"|2|>})?; each(|| {<~"m::f::{closure}"|3|>}); vec![1, spawn(|| {<"m::f::{closure}"|4|>})]; assert!(spawn(|| {<"m::f::{closure}"|5|>}).join().is_ok(), "{}", 6); |>}"#
        ]],
    );
}

/// `assert!` without a message and `dbg!` print what they were given.
#[test]
fn what_is_printed_as_it_is_written_stays() {
    markers(
        "fn f() { assert!(spawn(|| 1).join()); debug_assert!(spawn(|| 2).x(),); dbg!(spawn(|| 3), spawn(|| 4)); \
         debug_assert!(spawn(|| 5).x(), \"{}\", spawn(|| 6)); assert_eq!(spawn(|| 7), 8); }",
        expect![[
            r#"fn f() {<"m::f"| assert!(spawn(|| 1).join()); debug_assert!(spawn(|| 2).x(),); dbg!(spawn(|| 3), spawn(|| 4)); debug_assert!(spawn(|| {<"m::f::{closure}"|5|>}).x(), "{}", spawn(|| {<"m::f::{closure}"|6|>})); assert_eq!(spawn(|| {<"m::f::{closure}"|7|>}), 8); |>}"#
        ]],
    );
}

#[test]
fn attributes_and_comments_in_a_body_stay_where_they_are() {
    markers(
        "\u{feff}#!/usr/bin/env x\nfn f() {\n    //! Text.\n    #![allow(unused)]\n    /// Item.\n    fn g() {}\n    // Last.\n}\n\
         fn ä() { #![x] }",
        expect![[r#"
            ﻿#!/usr/bin/env x
            fn f() {
                //! Text.
                #![allow(unused)]
                <"m::f"|/// Item.
                fn g() {<"m::f::g"||>}
                // Last.
            |>}
            fn ä() { #![x] <"m::\u{e4}"||>}"#]],
    );
}

#[test]
fn functions_in_rules_are_marked_where_that_is_safe() {
    markers(
        "macro_rules! a {\n\
         ($name:ident, $v:vis, $c:tt, $b:block) => {\n\
         $v fn $name(x: u8) -> [u8; {1}] where u8: Copy { fn inner() {} }\n\
         $c fn may_be_const() {}\nconst fn is_const() {}\n$(#[doc = \"x\"])* fn attributed() {}\n\
         fn given() $b\nother! { fn passed_on() {} }\nimpl T for S { fn method(&self) {} }\n\
         type F = fn(u8) -> u8; struct X {}\n};\n}",
        expect![[r#"
            macro_rules! a {
            ($name:ident, $v:vis, $c:tt, $b:block) => {
            $v fn $name(x: u8) -> [u8; {1}] where u8: Copy {<"" $name| fn inner() {<"inner"||>} |>}
            $c fn may_be_const() {}
            const fn is_const() {}
            $(#[doc = "x"])* fn attributed() {<"attributed"||>}
            fn given() $b
            other! { fn passed_on() {} }
            impl T for S { fn method(&self) {<"method"||>} }
            type F = fn(u8) -> u8; struct X {}
            };
            }"#]],
    );
}

#[test]
fn items_in_cfg_if_are_marked() {
    markers(
        "cfg_if::cfg_if! { if #[cfg(unix)] { fn a() {} } else { fn b() {} } }",
        expect![[
            r#"cfg_if::cfg_if! { if #[cfg(unix)] { fn a() {<"m::a"||>} } else { fn b() {<"m::b"||>} } }"#
        ]],
    );
}

#[test]
fn points_stand_before_statements() {
    points(
        "let a; a = 1; let b = x.load(); let Some(c) = y() else { z(); return };\n\
         if a.b() { c() } else if d { e(); }\nmatch f() { 1 => g(), _ => { h() } }\n\
         for i in 0..n { j(i); }\nloop { k(); break; }\nunsafe { *p = 1; X += 1 }\n\
         let q = || { r() };\nprintln!(\"{}\", { s(); 1 });\nuse a::b;\nt()",
        expect![[r#"
            fn f() {<"m::f"|let a; ^a = 1; ^let b = x.load(); ^let Some(c) = y() else { ^z(); return };
            ^if a.b() { ^c() } else if d { ^e(); }
            ^match f() { 1 => {^g()}, _ => { ^h() } }
            for i in 0..n { ^j(i); }
            loop { ^k(); break; }
            unsafe { ^*p = 1; ^X += 1 }
            let q = || {<~"m::f::{closure}"|{ ^r() }|>};
            ^println!("{}", { ^s(); 1 });
            use a::b;
            ^t()|>}"#]],
    );
}

#[test]
fn what_touches_only_locals_has_no_point() {
    points(
        "let _ = p; let a = (1, b as u8, [c; 2], &mut d, X, m::Y, -e, !f); Ok(()); Some(S { a, b: 1 });\n\
         ; x += 1; continue; break 'l a; return Err(E::F(g)); { } loop {} if let Some(x) = y {} 1",
        expect![[r#"
            fn f() {<"m::f"|let _ = p; let a = (1, b as u8, [c; 2], &mut d, X, m::Y, -e, !f); Ok(()); Some(S { a, b: 1 });
            ; x += 1; continue; break 'l a; return Err(E::F(g)); { } loop {} if let Some(x) = y {} 1|>}"#]],
    );
}

#[test]
fn the_condition_of_a_loop_has_its_point() {
    points(
        "while !x.load() {}\nwhile i < n { y() }\nwhile let Some(a) = z.pop() { a(); }",
        expect![[r#"
            fn f() {<"m::f"|while {^!x.load()} {}
            while i < n { ^y() }
            ^while let Some(a) = z.pop() { ^a(); @}|>}"#]],
    );
}

/// What is evaluated again behind a body has a point there.
#[test]
fn headers_have_points_behind_the_bodies() {
    points(
        "while let Some(a) = z.pop() {} for a in rx { if a { continue } else { a.b() } }\n\
         for a in rx { let b = c(); a.d(b) } for a in rx { let b = c; b }\n\
         for a in (0..n).rev() { continue; } for a in &[1, 2] { e() }\n\
         for a in v { match a { 1 => continue, 2 => (), 3 => f(), _ => { g() } } h() }\n\
         for a in v { for b in 0..3 { continue } return } for a in v { m!() } for a in v { j(); }\n\
         for a in v { println!(); println!() } for a in v { break; } 'l: for a in v { for i in 0..3 { continue 'l; } }",
        expect![[r#"
            fn f() {<"m::f"|^while let Some(a) = z.pop() {@} ^for a in rx { if a { ^continue } else { ^a.b() } @}
            ^for a in rx { ^let b = c(); ^a.d(b) } ^for a in rx {^ let b = c; b }
            for a in (0..n).rev() { continue; } for a in &[1, 2] { ^e() }
            ^for a in v { match a { 1 => {^continue}, 2 => (), 3 => {^f()}, _ => { ^g() } } ^h(); @}
            ^for a in v { for b in 0..3 { ^continue } return } ^for a in v { ^m!(); @} ^for a in v { ^j(); @}
            ^for a in v { ^println!(); ^println!(); @} ^for a in v { break; } ^'l: for a in v { for i in 0..3 { ^continue 'l; } @}|>}"#]],
    );
}

#[test]
fn arms_and_closures_without_braces_have_points() {
    points(
        "match a { 1 => b(), 2 => { c() } 3 => 1, 4 if d => if e { g() } else { h() }, x => x.y()? }\n\
         let f = |x| x + 1; let g = |x: u8| x.y(); let h = || -> u8 { 1 }; v.map(|x| x.z());",
        expect![[r#"
            fn f() {<"m::f"|match a { 1 => {^b()}, 2 => { ^c() } 3 => 1, 4 if d => if e { ^g() } else { ^h() }, x => {^x.y()?} }
            let f = |x| x + 1; let g = |x: u8| {<~"m::f::{closure}"|{^x.y()}|>}; let h = || -> u8 {<~"m::f::{closure}"|{ 1 }|>}; ^v.map(|x| {<~"m::f::{closure}"|{^x.z()}|>});|>}"#]],
    );
}

/// Behind a brace, `unsafe { a() } == 0` would be a statement and nonsense.
#[test]
fn bodies_that_go_on_behind_a_block_are_bracketed() {
    points(
        "let f = |x| unsafe { g(x) } == 0; v.map(|x| if x { c() } else { 1 } + 1);\n\
         spawn(|| match d() { 0 => 1, n => n } * 2); let h = || { e() }.i();",
        expect![[r#"
            fn f() {<"m::f"|let f = |x| {<~"m::f::{closure}"|(unsafe { ^g(x) } == 0)|>}; ^v.map(|x| {<~"m::f::{closure}"|(if x { ^c() } else { 1 } + 1)|>});
            ^spawn(|| {<"m::f::{closure}"|^(match d() { 0 => 1, n => n } * 2)|>}); let h = || {<~"m::f::{closure}"|({^({ ^e() }.i())})|>};|>}"#]],
    );
}

/// A `static mut` may be called anything.
#[test]
fn unknown_names_in_unsafe_code_have_points() {
    check(
        "fn f(p: u8) { let a = y; unsafe { let r = y; let s = r; let t = (p, None, E::A, i8::MAX); \
         let u = m::z; let w = |q| { let v = q; }; } }\n\
         unsafe fn g(&self, S { a, .. }: S) { static mut c: u8 = 0; let b = a; let d = c; { let c = 1; } self }",
        &Statements::All,
        expect![[r#"
            fn f(p: u8) {<"m::f"| let a = y; unsafe { ^let r = y; let s = r; ^let t = (p, None, E::A, i8::MAX); ^let u = m::z; let w = |q| { let v = q; }; } |>}
            unsafe fn g(&self, S { a, .. }: S) {<"m::g"| static mut c: u8 = 0; let b = a; ^let d = c; { let c = 1; } self |>}"#]],
    );
}

#[test]
fn conditional_statements_have_conditional_points() {
    points(
        "#[cfg(unix)] a(); #[cfg_attr(x, y)] b(); #[allow(z)] #[cfg(w)] let c = d.e();",
        expect![[
            r#"fn f() {<"m::f"|#[cfg(unix)]^#[cfg(unix)] a(); #[cfg_attr(x, y)] b(); #[cfg(w)]^#[allow(z)] #[cfg(w)] let c = d.e();|>}"#
        ]],
    );
}

#[test]
fn points_are_put_into_chosen_functions_and_their_threads_only() {
    check(
        "fn f() { a(); spawn(|| b()); async { c() }; } fn g() { a() } const fn h() { a() }",
        &Statements::In(vec!["f".into()]),
        expect![[
            r#"fn f() {<"m::f"| ^a(); ^spawn(|| {<"m::f::{closure}"|^b()|>}); async {match ::std::raddle_async!("m::f::{async}"){_raddle_task=>{ ^c() |>}; |>} fn g() {<"m::g"| a() |>} const fn h() { a() }"#
        ]],
    );
}

#[test]
fn old_crates_without_std_name_core() {
    let of = |edition, no_std| {
        let done = instrument("fn f() { a() }", &[], Crate { edition, no_std }, &Statements::All).unwrap();
        done.edits.apply("fn f() { a() }")
    };
    assert!(
        of(2015, true).contains("::core::raddle_fn!") && of(2015, true).contains("::core::raddle_point!")
    );
    assert!(of(2015, false).contains("::std::") && of(2018, true).contains("::std::"));
}

#[test]
fn what_syn_cannot_read_is_an_error() {
    let error = instrument("fn f() {\n let = }", &[], Crate::default(), &Statements::None).unwrap_err();
    assert!(error.starts_with("line 2: "), "{error}");
}

fn rust_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            if !path.is_symlink() && entry.file_name() != "target" && entry.file_name() != ".git" {
                rust_files(&path, into);
            }
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push(path);
        }
    }
}

/// Every file of this repository: with markers alone and with every point in turn, or with `cargo xtask test --all`
/// each file with both.
#[test]
fn our_own_files_keep_their_lines_and_parse() {
    let mut files = Vec::new();
    rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), &mut files);
    assert!(files.len() > 150, "{} files", files.len());
    files.sort();
    let everything = std::env::var_os("RADDLE_TEST_ALL").is_some();
    for (turn, file) in files.into_iter().enumerate() {
        let text = std::fs::read_to_string(&file).unwrap();
        let both = [Statements::None, Statements::All];
        for statements in if everything { &both[..] } else { &both[turn % 2..][..1] } {
            if let Ok(done) = instrument(&text, &[], Crate::default(), statements) {
                checked(&text, &done);
            } else {
                assert!(syn::parse_file(&text).is_err(), "{}", file.display());
            }
        }
    }
}

/// Statements and expressions, nested to a depth.
fn statement() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "x.y();",
        "let é = 1;",
        "let a: u8 = b.c()?;",
        ";",
        "return;",
        "// é\n",
        "*p += 1;",
        "/* { */",
        "m!{ a } let s = \"}}}\";",
        "fn g() {}",
        "println!(\"{}\", spawn(|| x()));",
        "#[cfg(test)]\nlet q = r();",
        "'l: loop { break 'l; }",
        "let c = |x| x + 1;",
        "spawn(move || é);",
    ])
    .prop_map(str::to_string);
    leaf.prop_recursive(4, 24, 4, |inner| {
        let block = prop::collection::vec(inner, 0..4).prop_map(|s| format!("{{ {} }}", s.join("\n")));
        (
            prop::sample::select(vec![
                "if x.y() @ else @",
                "while z() @",
                "for i in a.b() @",
                "match x { 1 => @ _ => y(), }",
                "unsafe @",
                "fn h() -> T @",
                "s.spawn(|| @);",
                "let f = move |x: u8| @;",
                "async @;",
                "let v = vec![1, { @; 2 }];",
                "impl A<B> for C { fn d(&self) @ const fn e() @ }",
                "@",
            ]),
            block,
        )
            .prop_map(|(shape, block)| shape.replace('@', &block))
    })
}

proptest! {
    #[test]
    fn generated_functions_keep_their_lines_and_parse(
        statements in prop::collection::vec(statement(), 0..6),
        all: bool,
    ) {
        let text = format!("fn f() {{ {} }}\n", statements.join(" "));
        prop_assume!(syn::parse_file(&text).is_ok());
        let statements = if all { Statements::All } else { Statements::None };
        let done = with(&text, &statements);
        prop_assert!(!done.marked.is_empty());
        checked(&text, &done);
    }
}
