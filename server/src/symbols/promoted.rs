//! Names of promoted variables (algorithms, rule 8), both ways: from the bytes that raced to a name
//! that holds in every run of the same program, and from the name to where the runtime looks for it.
//! `schedule::promoted` says which names there are.

use super::Symbols;
use super::module::Module;
use raddle_schedule::channel::{Channel, Origin};
use std::fmt::Write;
use std::path::Path;

/// From the first to before the second.
pub type Range = (u64, u64);

/// Every byte there is of a block, written `[..]`.
const ALL: Range = (0, u32::MAX as u64);

/// A name, taken apart.
enum Named<'a> {
    /// Static data.
    Data(&'a str),
    /// What a line of a file allocates.
    Site(&'a str, u32, Range),
    /// What a function allocates.
    Made(&'a str, Range),
    /// The stack frame of a function.
    Frame(&'a str, Range),
}

impl<'a> Named<'a> {
    fn parse(name: &'a str) -> Named<'a> {
        let parts = || {
            let (head, bytes) = name.strip_suffix(']')?.rsplit_once('[')?;
            let (from, to) = bytes.split_once("..")?;
            let bytes = match (from, to) {
                ("", "") => ALL,
                _ => (from.parse().ok()?, to.parse().ok()?),
            };
            if let Some(function) = head.strip_suffix("()") {
                return Some(Named::Made(function, bytes));
            }
            if let Some(function) = head.strip_suffix(":frame") {
                return Some(Named::Frame(function, bytes));
            }
            let (file, line) = head.rsplit_once(':')?;
            Some(Named::Site(file, line.parse().ok()?, bytes))
        };
        parts().unwrap_or(Named::Data(name))
    }
}

/// The name of the whole that this is a part of: the array, the block. `None` where it is the whole, and
/// for stack frames, which hold all that a function has.
pub fn whole(name: &str) -> Option<String> {
    match Named::parse(name) {
        Named::Data(part) => Some(part.split_once('[')?.0.to_string()),
        Named::Site(_, _, ALL) | Named::Made(_, ALL) | Named::Frame(..) => None,
        Named::Site(file, line, _) => Some(format!("{file}:{line}[..]")),
        Named::Made(function, _) => Some(format!("{function}()[..]")),
    }
}

/// Where the named variables lie in a program, as [`Channel::set_promoted`] wants it; or the name of
/// which it has none.
pub fn lines(program: &Path, names: &[String]) -> Result<String, String> {
    let mut lines = String::new();
    if names.is_empty() {
        return Ok(lines);
    }
    let module = Module::open(program).ok_or_else(|| format!("{} cannot be read", program.display()))?;
    for name in names {
        let mut found = true;
        // Writing to a string does not fail.
        match Named::parse(name) {
            Named::Data(name) => {
                let ranges = module.ranges(name);
                found = !ranges.is_empty();
                for (start, end) in ranges {
                    let _ = writeln!(lines, "static {start:x} {end:x}");
                }
            }
            Named::Site(file, line, (from, to)) => {
                let code = module.code_of_line(file, line);
                found = !code.is_empty();
                for (start, end) in code {
                    let _ = writeln!(lines, "site {start:x} {end:x} {from:x} {to:x}");
                }
            }
            Named::Made(function, (from, to)) => {
                let _ = writeln!(lines, "made {from:x} {to:x} {function}");
            }
            Named::Frame(function, (from, to)) => {
                let _ = writeln!(lines, "frame {from:x} {to:x} {function}");
            }
        }
        if !found {
            return Err(format!("there is no variable `{name}` in {} to promote", program.display()));
        }
    }
    Ok(lines)
}

/// The name of what lies at an address of the running program, where so many bytes raced; `origin` is
/// what the runtime said of it. Otherwise why it has none.
pub fn name(
    symbols: &Symbols,
    channel: &Channel,
    program: &Path,
    (address, size): (u64, u64),
    origin: Option<Origin>,
) -> Result<String, String> {
    let function = |method: u16| channel.methods().get(method).map(|m| m.name.to_string());
    match origin {
        Some(Origin::Block { caller, method, offset }) => {
            let bytes = format!("[{offset}..{}]", offset + size);
            let line = symbols.allocating_line(program, caller.wrapping_sub(1));
            if let Some((file, line)) = line {
                return Ok(format!("{file}:{line}{bytes}"));
            }
            let made = function(method).map(|name| format!("{name}(){bytes}"));
            made.ok_or("it lies in a block that was allocated outside of the source's functions".into())
        }
        Some(Origin::Frame { method, offset }) => {
            let framed = function(method).map(|name| format!("{name}:frame[{offset}..{}]", offset + size));
            framed.ok_or("it lies on the stack of a function without a name".into())
        }
        None => match symbols.static_name(program, address, size) {
            Some(name) => Ok(name),
            None => Err("it is no variable of the program's own file, no block that it allocated while it \
                         ran, and in no stack frame of a function that is known"
                .into()),
        },
    }
}

impl Symbols {
    /// The module at an address, if it is the program's own file.
    fn of_program(&self, program: &Path, address: u64) -> Option<(std::rc::Rc<Module>, u64)> {
        let region = self.regions.iter().find(|r| r.start <= address && address < r.end);
        // What follows the file's last mapping is its zeroed data.
        let path = region.and_then(|r| r.path.clone());
        let same = |a: &Path, b: &Path| a == b || a.canonicalize().ok() == b.canonicalize().ok();
        match path {
            Some(path) if !same(&path, program) => None,
            Some(_) => self.module(address),
            None => {
                let last =
                    self.regions.iter().rfind(|r| r.path.as_deref().is_some_and(|p| same(p, program)))?;
                (last.end <= address)
                    .then(|| self.module(last.start))
                    .flatten()
                    .map(|(module, there)| (module, there.wrapping_add(address.wrapping_sub(last.start))))
            }
        }
    }

    /// The variable of the program's own file that these bytes belong to, or the part of it.
    fn static_name(&self, program: &Path, address: u64, size: u64) -> Option<String> {
        let (module, address) = self.of_program(program, address)?;
        let name = module.variable(address, size)?;
        let whole = name.split(['.', '[', '+']).next().unwrap_or_default();
        let covers = |name: &&str| {
            let ranges = module.ranges(name);
            ranges.iter().any(|(start, end)| *start <= address && address + size.max(1) <= *end)
        };
        [&name, whole].into_iter().find(covers).map(str::to_string)
    }

    /// The line of the user's source that makes this call, if that line can be found again.
    fn allocating_line(&self, program: &Path, call: u64) -> Option<(String, u32)> {
        let (module, address) = self.of_program(program, call)?;
        let frames = self.frames(call);
        // Containers of C++ allocate in lines of their headers.
        let told = |file: &Path| {
            let text = file.to_string_lossy();
            self.is_users(file) || super::is_system_header(&text) || super::is_dependency_of_std(&text)
        };
        let frame = frames.first().filter(|f| told(&f.line.file))?;
        let file = frame.line.file.file_name()?.to_str()?.to_string();
        let code = module.code_of_line(&file, frame.line.line);
        let found = code.iter().any(|(start, end)| *start <= address && address < *end);
        found.then_some((file, frame.line.line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    const PROGRAM: &str = "#include <stdlib.h>
struct account { int balance; char owner[4]; };
struct account accounts[3];
static int total;
void *make(void) {
    return malloc(16);
}
int main(void) { return total + accounts[1].balance + (make() == 0); }
";

    /// The program, compiled.
    fn program() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let (source, out) = (folder.path().join("p.c"), folder.path().join("p"));
        std::fs::write(&source, PROGRAM).unwrap();
        let status = Command::new("cc").args(["-g", "-O0", "-o"]).arg(&out).arg(&source).status().unwrap();
        assert!(status.success());
        (folder, out)
    }

    #[test]
    fn parts_of_variables_are_found_by_name() {
        let (_folder, path) = program();
        let module = Module::open(&path).unwrap();
        let all = module.ranges("accounts");
        let [(start, end)] = all[..] else { panic!("{all:?}") };
        assert_eq!(end - start, 24);
        assert_eq!(module.ranges("accounts[1]"), [(start + 8, start + 16)]);
        assert_eq!(module.ranges("accounts[1].balance"), [(start + 8, start + 12)]);
        assert_eq!(module.ranges("accounts[2].owner"), [(start + 20, start + 24)]);
        assert_eq!(module.ranges("accounts[2].owner[3]"), [(start + 23, start + 24)]);
        assert_eq!(module.ranges("total").len(), 1);
        for wrong in ["account", "accounts[3]", "accounts[1].bal", "nothing"] {
            assert_eq!(module.ranges(wrong), [], "{wrong}");
        }
    }

    #[test]
    fn lines_say_where_to_look() {
        let (_folder, path) = program();
        let names = ["p.c:6[4..8]", "make()[..]", "main:frame[8..12]"].map(String::from);
        let lines = lines(&path, &names).unwrap();
        assert!(lines.lines().any(|l| l.starts_with("site ") && l.ends_with(" 4 8")), "{lines}");
        assert!(lines.contains("made 0 ffffffff make\n") && lines.contains("frame 8 c main\n"), "{lines}");
        for wrong in ["nothing", "p.c:700[0..4]", "q.c:6[0..4]"] {
            let error = super::lines(&path, &[wrong.to_string()]).unwrap_err();
            assert!(error.contains(&format!("`{wrong}`")), "{error}");
        }
    }
}
