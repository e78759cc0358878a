//! A command line that compiles and links, taken apart: what belongs to the compilations, what to
//! the link.

use super::driver::{Family, Kit, Run, Tool, compile, link};
use super::words::{Word, classify, has};
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// A compilation for each source, and a link of the objects in their places.
pub(super) fn split(tool: Tool, kit: &Kit, args: &[OsString], scratch: &Path) -> Vec<Run> {
    let words = classify(args, tool.cpp);
    let mut options = compile_options(args, &words);
    // What is for one of the two is of no use to the other, and clang would say so.
    let quiet = || OsString::from("-Wno-unused-command-line-argument");
    options.extend((tool.family == Family::Clang).then(quiet));
    let mut runs = Vec::new();
    let mut linked = Vec::new();
    for (n, (arg, word)) in args.iter().zip(&words).enumerate() {
        if !matches!(word, Word::Source(_)) {
            linked.push(arg.clone());
            continue;
        }
        let object = scratch.join(format!("{n}.o"));
        let mut one = options.clone();
        one.extend(["-c".into(), arg.clone(), "-o".into(), object.clone().into()]);
        one.extend(dependencies(args, arg));
        runs.push(Run::new(tool, compile(tool, kit, &one)));
        linked.push(object.into());
    }
    let mut linked = without_language(&linked);
    linked.extend((tool.family == Family::Clang).then(quiet));
    // One object of several is no program yet: what it needs comes with the link that makes one.
    runs.push(match has(args, &["-r"]) {
        true => Run::unedited(linked.into_iter().filter(|a| *a != "-fsanitize=thread").collect()),
        false => Run::linking(link(kit, &linked)),
    });
    runs
}

/// The options without inputs, output, libraries and what is for the linker alone.
fn compile_options(args: &[OsString], words: &[Word]) -> Vec<OsString> {
    let mut out = Vec::new();
    let mut skip = false;
    for (arg, word) in args.iter().zip(words) {
        if std::mem::take(&mut skip) || *word != Word::Option {
            continue;
        }
        let text = arg.to_string_lossy();
        match &*text {
            "-o" | "-l" | "-L" | "-Xlinker" | "-T" | "-u" | "-z" | "-e" => skip = true,
            "-shared" | "-rdynamic" | "-s" | "-pie" | "-no-pie" | "-r" => {}
            t if t.starts_with("-Wl,") || t.starts_with("-l") || t.starts_with("-L") => {}
            t if t.starts_with("-o") && !t.starts_with("-openmp") => {}
            _ => out.push(arg.clone()),
        }
    }
    out
}

/// Where the list of headers goes when the whole command would have written one: the compiler
/// derives its name from an output that is now a scratch file.
fn dependencies(args: &[OsString], source: &OsStr) -> Vec<OsString> {
    if !has(args, &["-MD", "-MMD"]) {
        return Vec::new();
    }
    let output = args.windows(2).find(|w| w[0] == "-o").map(|w| w[1].clone());
    let mut out = Vec::new();
    if !has(args, &["-MF"]) {
        let stem = Path::new(output.as_deref().unwrap_or(source)).with_extension("d");
        out.extend(["-MF".into(), stem.into_os_string()]);
    }
    if !has(args, &["-MT", "-MQ"]) {
        out.extend(["-MT".into(), output.unwrap_or_else(|| "a.out".into())]);
    }
    out
}

/// Without `-x`: it would make C sources of the objects.
fn without_language(args: &[OsString]) -> Vec<OsString> {
    let mut out = Vec::new();
    let mut words = args.iter();
    while let Some(arg) = words.next() {
        if arg == "-x" {
            words.next();
        } else if !arg.to_string_lossy().starts_with("-x") && !is_dependency_option(arg) {
            out.push(arg.clone());
        } else if arg == "-MF" || arg == "-MT" || arg == "-MQ" {
            words.next();
        }
    }
    out
}

pub(super) fn is_dependency_option(arg: &OsStr) -> bool {
    ["-MD", "-MMD", "-MP", "-MF", "-MT", "-MQ"].iter().any(|o| arg == *o)
}
