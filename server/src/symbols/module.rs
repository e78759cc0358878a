//! One object file: its line table and its variables.

use super::cpp;
use super::data::Data;
use super::{Frame, Line};
use addr2line::Loader;
use object::{Object, ObjectSegment, ObjectSymbol, SymbolKind};
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// An ELF file with what can be asked of it. Addresses are the file's own.
pub struct Module {
    path: PathBuf,
    lines: Loader,
    /// Variables with their types, read when the first is asked for.
    data: OnceCell<Option<Data>>,
    /// Address, size and name of every variable, by address.
    variables: Vec<(u64, u64, String)>,
    /// Address and name of every function, by address.
    functions: Vec<(u64, String)>,
    /// File offset and address of the loaded segments.
    segments: Vec<(u64, u64)>,
    /// One past the last byte that it takes in memory, what is zero at first included.
    end: u64,
    /// It is `libraddle_rt.so`.
    runtime: bool,
}

impl Module {
    /// Reads a file; `None` when it is no object file.
    pub fn open(path: &Path) -> Option<Module> {
        let data = std::fs::read(path).ok()?;
        let file = object::File::parse(&*data).ok()?;
        let segments = file.segments().map(|s| (s.file_range().0, s.address())).collect();
        let end = file.segments().map(|s| s.address().saturating_add(s.size())).max().unwrap_or_default();
        // A library as it is shipped has no names but those that others are linked by: `environ`, `optind`.
        let shipped = file.symbols().next().is_none();
        let mut variables: Vec<(u64, u64, String)> = file
            .symbols()
            .chain(file.dynamic_symbols().filter(|_| shipped))
            .filter(|s| s.kind() == SymbolKind::Data && s.size() > 0)
            // `stderr@GLIBC_2.2.5` has its version with it.
            .filter_map(|s| {
                Some((s.address(), s.size(), stream(demangle(s.name().ok()?.split('@').next()?))))
            })
            .collect();
        variables.sort();
        let code = file.symbols().filter(|s| s.kind() == SymbolKind::Text && s.address() != 0);
        let mut functions: Vec<(u64, String)> =
            code.filter_map(|s| Some((s.address(), demangle(s.name().ok()?)))).collect();
        functions.sort();
        let lines = Loader::new(path).ok()?;
        let runtime = path.file_name().is_some_and(|n| n == "libraddle_rt.so");
        Some(Module {
            path: path.to_owned(),
            lines,
            data: OnceCell::new(),
            variables,
            functions,
            segments,
            end,
            runtime,
        })
    }

    /// One past the last byte that it takes in memory.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Is it our own runtime?
    pub fn is_runtime(&self) -> bool {
        self.runtime
    }

    /// The address that a mapping of this file offset would have if nothing were moved.
    pub fn first_address(&self, offset: u64) -> Option<u64> {
        const PAGE: u64 = 4096;
        let (start, address) =
            self.segments.iter().find(|(start, _)| start / PAGE * PAGE <= offset && offset <= *start)?;
        Some((address - start % PAGE) + (offset - start / PAGE * PAGE))
    }

    /// Functions at an address, innermost first. Without a line table: none.
    pub fn frames(&self, address: u64) -> Vec<Frame> {
        let mut out = Vec::new();
        let Ok(mut frames) = self.lines.find_frames(address) else { return out };
        while let Ok(Some(frame)) = frames.next() {
            let Some(line) = frame.location.and_then(line) else { continue };
            let function = frame.function.as_ref().and_then(|f| {
                // Rust's older names are well-formed in C++, whose last part would be their hash.
                let raw = f.raw_name().ok().filter(|raw| rustc_demangle::try_demangle(raw).is_err());
                let cpp = raw.and_then(|raw| cpp::demangle(&raw));
                cpp.or_else(|| f.demangle().ok().map(|name| name.into_owned()))
            });
            out.push(Frame { function: function.unwrap_or_default(), line, is_users: false });
        }
        out
    }

    /// What lies at an address, where an access of this many bytes is meant (0: any): by DWARF
    /// `a[2].lock`, by the symbol table alone `a+80`.
    pub fn variable(&self, address: u64, size: u64) -> Option<String> {
        let after = self.variables.partition_point(|(a, _, _)| *a <= address);
        let (start, bytes, name) = self.variables.get(after.checked_sub(1)?)?;
        let offset = address - start;
        if offset >= *bytes || is_of_library(name) {
            return None;
        }
        let path = self.data().and_then(|d| d.path(address, size));
        path.or_else(|| Some(if offset == 0 { name.clone() } else { format!("{name}+{offset}") }))
    }

    /// How far an address lies behind the beginning of the variable in which it is.
    pub fn variable_offset(&self, address: u64) -> Option<u64> {
        let after = self.variables.partition_point(|(a, _, _)| *a <= address);
        let (start, bytes, _) = self.variables.get(after.checked_sub(1)?)?;
        let offset = address - start;
        (offset < *bytes).then_some(offset)
    }

    /// The function that begins at an address.
    pub fn function(&self, address: u64) -> Option<String> {
        let at = self.functions.binary_search_by_key(&address, |(a, _)| *a).ok()?;
        Some(self.functions[at].1.clone())
    }

    /// Its debug information, if it has any.
    pub fn data(&self) -> Option<&Data> {
        self.data.get_or_init(|| Data::open(&self.path)).as_ref()
    }

    /// Where what is called so lies: `counter`, `accounts[2].balance`. Of several variables of one
    /// name, all.
    pub fn ranges(&self, name: &str) -> Vec<(u64, u64)> {
        let whole = self.variables.iter().filter(|(_, _, n)| n == name).map(|(a, size, _)| (*a, *a + *size));
        let mut ranges: Vec<(u64, u64)> = whole.collect();
        ranges.extend(self.data().into_iter().flat_map(|d| d.ranges(name)));
        ranges.sort_unstable();
        ranges.dedup();
        ranges
    }

    /// The code that a line of the source became; of files of one name, all.
    pub fn code_of_line(&self, file: &str, line: u32) -> Vec<(u64, u64)> {
        let Ok(rows) = self.lines.find_location_range(0, u64::MAX) else { return Vec::new() };
        let named = |l: &addr2line::Location| {
            let path = l.file.map(Path::new);
            l.line == Some(line) && path.and_then(Path::file_name).is_some_and(|n| n == file)
        };
        rows.filter(|(_, _, l)| named(l)).map(|(start, len, _)| (start, start + len)).collect()
    }
}

/// libc's own name of a stream is not the one that programs know.
fn stream(name: String) -> String {
    match name.strip_prefix("_IO_2_1_").and_then(|n| n.strip_suffix('_')) {
        Some(name) => name.to_string(),
        None => name,
    }
}

/// Is it a variable that C++'s library keeps for itself (what waits on atomics is counted in one)? People have no name for it.
fn is_of_library(name: &str) -> bool {
    ["std::__", "std::_", "__gnu_cxx::"].iter().any(|start| name.starts_with(start))
}

/// A place somebody wrote. Code that a compiler made up (rustc's shims) stands at line 1, column
/// 0 of the file it was made for, or at no line.
fn line(l: addr2line::Location) -> Option<Line> {
    let (line, column) = (l.line.filter(|n| *n > 0)?, l.column.unwrap_or(0));
    (line > 1 || column > 0).then(|| Some(Line { file: clean(l.file?), line, column }))?
}

/// A symbol as it was written, without Rust's hash, without C++'s parameters and without the number that a C compiler
/// appends to a static inside a function.
fn demangle(name: &str) -> String {
    if let Ok(rust) = rustc_demangle::try_demangle(name) {
        return format!("{rust:#}");
    }
    if let Some(cpp) = cpp::demangle(name) {
        return cpp;
    }
    match name.split_once('.') {
        Some((base, number)) if number.bytes().all(|b| b.is_ascii_digit()) => base.to_string(),
        _ => name.to_string(),
    }
}

/// Without `.` and `..` in it, as far as text alone can tell.
fn clean(file: &str) -> PathBuf {
    use std::path::Component;
    let mut out = PathBuf::new();
    for part in Path::new(file).components() {
        match part {
            Component::CurDir if out.parent().is_some() => {}
            Component::ParentDir if out.file_name().is_some() => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths_as_written() {
        assert_eq!(demangle("counter"), "counter");
        assert_eq!(demangle("calls.0"), "calls");
        assert_eq!(demangle("_ZN4bank5TOTAL17h0123456789abcdefE"), "bank::TOTAL");
        assert_eq!(clean("/a/./b/../c.c"), Path::new("/a/c.c"));
        assert_eq!(clean("../c.c"), Path::new("../c.c"));
    }
}
