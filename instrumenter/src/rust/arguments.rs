//! What the wrapper reads from a compiler's command line.

use super::functions::Crate;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Cargo puts arguments that are too long for a command line into a file, one to a line.
pub(super) fn expanded(args: &[OsString]) -> Vec<OsString> {
    let mut all = Vec::new();
    for arg in args {
        match arg.to_str().and_then(|arg| arg.strip_prefix('@')).map(std::fs::read_to_string) {
            Some(Ok(text)) => all.extend(text.lines().map(OsString::from)),
            _ => all.push(arg.clone()),
        }
    }
    all
}

/// Is the option there, alone or with `=`?
pub(super) fn has(args: &[OsString], option: &str) -> bool {
    args.iter().any(|arg| {
        arg == option
            || arg.to_str().and_then(|arg| arg.strip_prefix(option)).is_some_and(|rest| rest.starts_with('='))
    })
}

/// The values of an option that may be given several times, as `--option value` or `--option=value`.
pub(super) fn values<'a>(args: &'a [OsString], option: &str) -> Vec<&'a str> {
    let mut values = Vec::new();
    let mut follows = false;
    for arg in args.iter().filter_map(|arg| arg.to_str()) {
        if std::mem::take(&mut follows) {
            values.push(arg);
        } else if arg == option {
            follows = true;
        } else if let Some(value) = arg.strip_prefix(option).and_then(|rest| rest.strip_prefix('=')) {
            values.push(value);
        }
    }
    values
}

/// The last value of a `-C` option, however it is written.
pub(super) fn codegen<'a>(args: &'a [OsString], option: &str) -> Option<&'a str> {
    let value = |setting: &'a str| setting.strip_prefix(option)?.strip_prefix('=');
    let mut last = None;
    let mut codegen_follows = false;
    for arg in args.iter().filter_map(|arg| arg.to_str()) {
        let setting = if codegen_follows {
            Some(arg)
        } else {
            arg.strip_prefix("-C").or_else(|| arg.strip_prefix("--codegen="))
        };
        last = setting.and_then(value).or(last);
        codegen_follows = arg == "-C" || arg == "--codegen";
    }
    last
}

/// Does the debug information asked for have lines?
pub(super) fn has_lines(args: &[OsString]) -> bool {
    match codegen(args, "debuginfo") {
        Some(level) => matches!(level, "1" | "2" | "limited" | "full" | "line-tables-only"),
        None => args.iter().any(|arg| arg == OsStr::new("-g")),
    }
}

/// Which argument is the crate's root: the one that ends in `.rs` and is no option's value.
pub(super) fn root(args: &[OsString]) -> Option<usize> {
    let is_root = |i: &usize| {
        let after_option = *i > 0 && args[i - 1].to_str().is_some_and(takes_a_value);
        Path::new(&args[*i]).extension().is_some_and(|e| e == "rs")
            && !args[*i].to_string_lossy().starts_with('-')
            && !after_option
    };
    // The first argument is the compiler.
    (1..args.len()).find(is_root)
}

fn takes_a_value(option: &str) -> bool {
    let options = [
        "--cfg",
        "--check-cfg",
        "-L",
        "-l",
        "--crate-type",
        "--crate-name",
        "--edition",
        "--emit",
        "--print",
        "-o",
        "--out-dir",
        "--explain",
        "--target",
        "-A",
        "-W",
        "-D",
        "-F",
        "--allow",
        "--warn",
        "--deny",
        "--forbid",
        "--cap-lints",
        "-C",
        "--codegen",
        "--extern",
        "--sysroot",
        "--error-format",
        "--json",
        "--color",
        "--diagnostic-width",
        "--remap-path-prefix",
        "-Z",
    ];
    options.contains(&option)
}

/// The file that lists what the crate is made of, if the compiler is asked to write one.
pub(super) fn dependency_file(args: &[OsString]) -> Option<PathBuf> {
    let emit: Vec<&str> = values(args, "--emit").into_iter().flat_map(|list| list.split(',')).collect();
    if let Some(file) = emit.iter().find_map(|kind| kind.strip_prefix("dep-info=")) {
        return Some(file.into());
    }
    if !emit.contains(&"dep-info") {
        return None;
    }
    let name = values(args, "--crate-name").pop()?;
    let extra = codegen(args, "extra-filename").unwrap_or_default();
    let folder = values(args, "--out-dir").pop().unwrap_or_default();
    Some(Path::new(folder).join(format!("{name}{extra}.d")))
}

/// What the command line and the root's text say about the crate.
pub(super) fn crate_of(args: &[OsString], root: &str) -> Crate {
    let edition = values(args, "--edition").pop().and_then(|e| e.parse().ok()).unwrap_or(2015);
    let mut cfg: Vec<String> = values(args, "--cfg").into_iter().map(|c| c.replace(' ', "")).collect();
    if has(args, "--test") {
        cfg.push("test".to_string());
    }
    let attributes = super::parse::file(root).map(|file| file.attrs).unwrap_or_default();
    Crate { edition, no_std: attributes.iter().any(|a| is_no_std(&a.meta, &cfg)) }
}

fn is_no_std(meta: &syn::Meta, cfg: &[String]) -> bool {
    match meta {
        syn::Meta::Path(path) => path.is_ident("no_std"),
        syn::Meta::List(list) if list.path.is_ident("cfg_attr") => {
            let metas = metas(list);
            metas.split_first().is_some_and(|(condition, then)| {
                holds(condition, cfg) && then.iter().any(|meta| is_no_std(meta, cfg))
            })
        }
        _ => false,
    }
}

/// Does a condition hold? Those on the target, which are not on the command line, do not.
fn holds(condition: &syn::Meta, cfg: &[String]) -> bool {
    match condition {
        syn::Meta::List(list) if list.path.is_ident("not") => !metas(list).iter().all(|m| holds(m, cfg)),
        syn::Meta::List(list) if list.path.is_ident("all") => metas(list).iter().all(|m| holds(m, cfg)),
        syn::Meta::List(list) if list.path.is_ident("any") => metas(list).iter().any(|m| holds(m, cfg)),
        syn::Meta::List(_) => false,
        syn::Meta::Path(path) => path.get_ident().is_some_and(|name| cfg.iter().any(|c| name == c)),
        syn::Meta::NameValue(pair) => match (pair.path.get_ident(), &pair.value) {
            (Some(name), syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(value), .. })) => {
                cfg.contains(&format!("{name}={:?}", value.value()))
            }
            _ => false,
        },
    }
}

fn metas(list: &syn::MetaList) -> Vec<syn::Meta> {
    let parser = syn::punctuated::Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated;
    list.parse_args_with(parser).map(|metas| metas.into_iter().collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn the_root_and_the_dependency_file_are_found() {
        let args = line(
            "rustc --crate-name a --edition=2021 --cfg x.rs a/src/lib.rs --emit=dep-info,link \
             -C extra-filename=-12 --out-dir /t/deps",
        );
        assert_eq!(root(&args).map(|i| args[i].to_str().unwrap()), Some("a/src/lib.rs"));
        assert_eq!(dependency_file(&args), Some("/t/deps/a-12.d".into()));
        assert_eq!(root(&line("rustc -vV")), None);
        assert_eq!(dependency_file(&line("rustc a.rs --crate-name a --emit=link")), None);
    }

    #[test]
    fn crates_without_std_are_known() {
        let check = |args: &str, text: &str| crate_of(&line(args), text);
        assert_eq!(check("rustc a.rs", "#![no_std]"), Crate { edition: 2015, no_std: true });
        assert_eq!(check("rustc --edition=2024 a.rs", ""), Crate { edition: 2024, no_std: false });
        let text = "#![cfg_attr(not(any(test, feature = \"std\")), no_std)]";
        assert!(check("rustc a.rs", text).no_std);
        assert!(!check("rustc a.rs --test", text).no_std);
        assert!(!check("rustc a.rs --cfg feature=\"std\"", text).no_std);
    }
}
