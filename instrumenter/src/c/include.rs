//! The `#include "…"` lines of an edited copy.
//!
//! The compiler looks for such a file beside the including one first, and the copy lies elsewhere.
//! A line whose file is beside the original names it there; one whose file is not stays. That
//! makes every search begin and go on exactly as it would have, in the headers too, which a folder
//! added to the search would not: it would count for the lines of all headers as well.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The text with its lines led to `link`, which is a link to `folder`, the original's, or to the copy that `copied` knows of a
/// file in there. Also: must the folder be added to the search, because what is included is only known later?
pub(super) fn redirect(
    text: &[u8],
    folder: &Path,
    link: &Path,
    copied: &mut dyn FnMut(&Path) -> Option<PathBuf>,
) -> (Vec<u8>, bool) {
    let mut out = Vec::with_capacity(text.len() + 256);
    let mut search = false;
    // In a string of several lines a line need not be what it looks like.
    let strings = memchr::memmem::find(text, b"R\"").is_some();
    let mut continued = false;
    for line in text.split_inclusive(|b| *b == b'\n') {
        match directive(line) {
            Some(Directive::Quoted { start, end }) if !strings && !continued => {
                let name = Path::new(OsStr::from_bytes(&line[start..end]));
                if name.is_relative() && folder.join(name).is_file() {
                    let there = copied(name).unwrap_or_else(|| link.join(name));
                    out.extend_from_slice(&line[..start]);
                    out.extend_from_slice(there.as_os_str().as_bytes());
                    out.extend_from_slice(&line[end..]);
                } else {
                    out.extend_from_slice(line);
                }
            }
            found => {
                search |= found.is_some();
                out.extend_from_slice(line);
            }
        }
        let end = line.trim_ascii_end();
        continued = end.ends_with(b"\\");
    }
    (out, search)
}

/// What a line includes.
enum Directive {
    /// A name in quotes, at this place of the line.
    Quoted { start: usize, end: usize },
    /// What a macro stands for, or a question whether there is such a file.
    Unknown,
}

fn directive(line: &[u8]) -> Option<Directive> {
    let rest = line.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start();
    if memchr::memmem::find(rest, b"__has_include").is_some() {
        return Some(Directive::Unknown);
    }
    let rest = ["include", "import"].iter().find_map(|w| rest.strip_prefix(w.as_bytes()))?;
    // `#include_next` means the same in a source.
    let rest = rest.strip_prefix(b"_next").unwrap_or(rest).trim_ascii_start();
    match rest.first()? {
        b'<' => None,
        b'"' => {
            let start = line.len() - rest.len() + 1;
            let len = memchr::memchr(b'"', &line[start..])?;
            Some(Directive::Quoted { start, end: start + len })
        }
        _ => Some(Directive::Unknown),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_beside_the_source_is_led_there() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("x.h"), "").unwrap();
        let check = |line: &str, want: &str, want_search: bool| {
            let (text, search) =
                redirect(line.as_bytes(), folder.path(), Path::new("/s/folder"), &mut |_| None);
            assert_eq!(String::from_utf8(text).unwrap(), want);
            assert_eq!(search, want_search, "{line}");
        };
        check("  # include \"x.h\" // y\n", "  # include \"/s/folder/x.h\" // y\n", false);
        check("#include \"gone.h\"\n#include <x.h>\n", "#include \"gone.h\"\n#include <x.h>\n", false);
        check("#include HEADER\n", "#include HEADER\n", true);
        check("#if __has_include(\"x.h\")\n", "#if __has_include(\"x.h\")\n", true);
        check("s = R\"(\n#include \"x.h\"\n)\";", "s = R\"(\n#include \"x.h\"\n)\";", true);
        check("\"a\\\n#include \"x.h\"\n", "\"a\\\n#include \"x.h\"\n", true);
    }
}
