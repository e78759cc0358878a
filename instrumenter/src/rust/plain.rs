//! What the compiler itself says of a crate that does not compile. Against the facade it says the same in other words:
//! types have other fields, implementations and places, and its own hints for std's types are missing. So a
//! crate that fails is checked once more, against the real std, and if that fails in the same lines its words are the
//! ones that the user reads.
//!
//! The crates that it uses were compiled against the facade. Where a type of std goes across, the real one does not
//! fit, and there would be errors that the program does not have. They lie in other lines, or name the facade: then
//! what was said against the facade is shown after all, with its paths put right ([`as_written`]).

use super::arguments::has;
use super::watch::MIXED;
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::process::Output;

/// The arguments of a check: those of cargo without what would be written, and the facade for the crates used.
pub(super) fn check(own: &[OsString], facade: &Path, out: &Path) -> Vec<OsString> {
    let mut args = Vec::new();
    let mut rest = own.iter().peekable();
    while let Some(arg) = rest.next() {
        let text = arg.to_string_lossy();
        let next = rest.peek().map(|next| next.to_string_lossy().into_owned()).unwrap_or_default();
        let writes = |codegen: &str| codegen.starts_with("incremental=");
        let pair = matches!(&*text, "--out-dir" | "--emit" | "-o")
            || (matches!(&*text, "-C" | "--codegen") && writes(&next));
        let alone = ["--out-dir=", "--emit="].iter().any(|option| text.starts_with(option))
            || text.strip_prefix("-C").is_some_and(writes);
        if pair {
            rest.next();
        } else if !alone {
            args.push(arg.clone());
        }
    }
    let mut dependencies = OsString::from("dependency=");
    dependencies.push(facade);
    args.extend(["--emit=metadata".into(), "--out-dir".into(), out.into(), "-L".into(), dependencies]);
    // It has no hooks, and what it uses may have.
    args.push(MIXED.into());
    if !has(own, "--cap-lints") {
        // Lints that fail against the real std alone are no reason why this does not compile.
        args.push("--cap-lints=warn".into());
    }
    args
}

/// Is what the real std led to about the program? `with_facade` is what was said otherwise.
pub(super) fn is_its_own(plain: &Output, with_facade: &Output) -> bool {
    let text = String::from_utf8_lossy(&plain.stderr);
    if plain.status.success() || text.contains("raddle_") || text.contains(super::facade::PATH_PREFIX) {
        return false;
    }
    let (Some(ours), Some(theirs)) = (lines(&text), lines(&String::from_utf8_lossy(&with_facade.stderr)))
    else {
        return false;
    };
    !ours.is_empty() && ours.is_subset(&theirs)
}

/// The lines in which errors lie; `None` where one lies in none, but for the one that counts them.
fn lines(stderr: &str) -> Option<BTreeSet<(String, u64)>> {
    let mut found = BTreeSet::new();
    for message in stderr.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let level = message["level"].as_str().unwrap_or_default();
        let text = message["message"].as_str().unwrap_or_default();
        if !level.starts_with("error") || text.starts_with("aborting due to") {
            continue;
        }
        let spans = message["spans"].as_array().into_iter().flatten();
        let primary: Vec<&Value> = spans.filter(|span| span["is_primary"] == true).collect();
        if primary.is_empty() {
            return None;
        }
        found.extend(primary.iter().filter_map(|span| {
            Some((span["file_name"].as_str()?.to_string(), span["line_start"].as_u64()?))
        }));
    }
    Some(found)
}

/// A line of what was said against the facade, as the user wrote it: `std`. `None` for one that only names a
/// place in the facade.
pub(super) fn as_written(line: &str) -> Option<String> {
    let place = line.trim_start();
    let in_facade = ["--> ", "::: "].iter().any(|arrow| {
        place.strip_prefix(arrow).is_some_and(|path| path.starts_with(super::facade::PATH_PREFIX))
    });
    let names = [
        ("raddle_std::", "std::"),
        ("raddle_core::", "core::"),
        ("raddle_facade::atomic::", "std::sync::atomic::"),
        // As the crate where another implementation is.
        ("`raddle_core`", "`core`"),
        ("`raddle_std`", "`std`"),
        ("`raddle_facade`", "`std`"),
    ];
    let other = |line: String| line.replace("raddle_facade::", "std::");
    (!in_facade)
        .then(|| other(names.iter().fold(line.to_string(), |line, (ours, std)| line.replace(ours, std))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    #[test]
    fn a_check_writes_nothing_of_what_cargo_asked_for() {
        let own = "rustc --crate-name a --emit=dep-info,link -C incremental=/t/i -Cincremental=/t/j -C opt-level=1 \
                   --out-dir /t/deps -o x a.rs";
        let own: Vec<OsString> = own.split_whitespace().map(OsString::from).collect();
        let args = check(&own, Path::new("/c/facade"), Path::new("/s")).join(std::ffi::OsStr::new(" "));
        assert_eq!(
            args,
            "rustc --crate-name a -C opt-level=1 a.rs --emit=metadata --out-dir /s -L dependency=/c/facade \
             -Cunsafe-allow-abi-mismatch=sanitizer --cap-lints=warn"
        );
    }

    fn failed(messages: &[(&str, u64)]) -> Output {
        let message = |(text, line): &(&str, u64)| {
            format!(
                "{{\"level\":\"error\",\"message\":\"{text}\",\"spans\":[{{\"is_primary\":true,\"file_name\":\"a.rs\",\"line_start\":{line}}}]}}\n"
            )
        };
        let stderr = messages.iter().map(message).collect::<String>()
            + "{\"level\":\"error\",\"message\":\"aborting due to 1 previous error\",\"spans\":[]}";
        Output { status: ExitStatus::from_raw(256), stdout: Vec::new(), stderr: stderr.into_bytes() }
    }

    #[test]
    fn only_errors_in_the_same_lines_are_the_programs() {
        let with_facade = failed(&[("field `0` is private", 3), ("no method `x`", 5)]);
        assert!(is_its_own(&failed(&[("no field `0`", 3)]), &with_facade));
        assert!(!is_its_own(&failed(&[("no field `0`", 3), ("mismatched types", 4)]), &with_facade));
        assert!(!is_its_own(&failed(&[("expected `raddle_std::sync::Mutex`", 3)]), &with_facade));
        assert!(!is_its_own(&failed(&[]), &with_facade));
        let mut passes = failed(&[("x", 3)]);
        passes.status = ExitStatus::from_raw(0);
        assert!(!is_its_own(&passes, &with_facade));
    }

    #[test]
    fn messages_name_std_and_no_place_of_ours() {
        let line =
            "  = note: expected `raddle_std::sync::Mutex<u8>`, found `raddle_facade::atomic::AtomicU8`";
        let written = "  = note: expected `std::sync::Mutex<u8>`, found `std::sync::atomic::AtomicU8`";
        assert_eq!(as_written(line).as_deref(), Some(written));
        let line = "  = note: conflicting implementation in crate `raddle_std`:";
        assert_eq!(as_written(line).as_deref(), Some("  = note: conflicting implementation in crate `std`:"));
        assert_eq!(as_written("   --> /raddle-std/facade/src/raddle_spawn.rs:22:0"), None);
        assert_eq!(as_written("   --> src/lib.rs:22:0").as_deref(), Some("   --> src/lib.rs:22:0"));
    }
}
