//! Optimisation over the whole program, which is left out.
//!
//! gcc inserts the hooks of accesses behind that optimisation, so with it while linking, where they must not be
//! asked for (it would add its own runtime library): the program would have none, and every guarantee about it would
//! be wrong. A program means the same without.

use super::words::WITH_ARGUMENT;
use std::ffi::OsString;

/// Options that ask for it, or mean something beside it alone (clang refuses some of these otherwise).
const OPTIONS: [&str; 11] = [
    "-flto",
    "-ffat-lto-objects",
    "-fno-fat-lto-objects",
    "-fuse-linker-plugin",
    "-fwhole-program",
    "-fwhole-program-vtables",
    "-fvirtual-function-elimination",
    "-fsplit-lto-unit",
    "-fno-split-lto-unit",
    "-fthin-link-bitcode",
    "-funified-lto",
];

/// The words without these options.
pub(super) fn without(args: Vec<OsString>) -> Vec<OsString> {
    let mut argument = false;
    let keeps = |arg: &OsString| {
        let text = arg.to_string_lossy();
        if std::mem::take(&mut argument) {
            return true;
        }
        argument = WITH_ARGUMENT.contains(&&*text);
        let name = text.split('=').next().unwrap_or(&text);
        !OPTIONS.contains(&name) && !name.starts_with("-flto-")
    };
    args.into_iter().filter(keeps).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_these_options_are_left_out() {
        let words = |line: &str| line.split_whitespace().map(OsString::from).collect::<Vec<_>>();
        let line =
            "-O2 -flto=auto -flto -fno-lto -D -flto -flto-partition=none -ffat-lto-objects a.c -o -flto";
        assert_eq!(without(words(line)), words("-O2 -fno-lto -D -flto a.c -o -flto"));
    }
}
