//! From addresses in a running program to what a person wrote: lines of code, names of variables.

mod bits;
mod by_reference;
pub mod cpp;
mod data;
mod evaluate;
mod expression;
pub mod imports;
mod maps;
mod module;
mod print;
pub mod promoted;
mod scope;
mod typed;
mod types;
pub mod uninstrumented_code;

pub use evaluate::Read;
pub use maps::{Region, parse as regions};
pub use print::{Pointer, Printed, primitive};

use module::Module;
use raddle_schedule::memory;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use typed::Type;

/// A place in a source file, as the debug information has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The file, mostly absolute.
    pub file: PathBuf,
    /// From 1.
    pub line: u32,
    /// From 1; 0 where it is not known.
    pub column: u32,
}

/// One function of a call stack, inlined ones included.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Its name, demangled.
    pub function: String,
    /// Where it was.
    pub line: Line,
    /// Its file is one that the user would call theirs ([`Symbols::is_users`]).
    pub is_users: bool,
}

/// The type of a value, and the file whose debug information describes it.
#[derive(Clone)]
pub struct Typed {
    module: Rc<Module>,
    of: Type,
}

impl Typed {
    /// The value that these bytes are; `None` where it cannot be told. `pointer` names what an address
    /// points to.
    pub fn print(&self, bytes: &[u8], pointer: &Pointer) -> Option<Printed> {
        self.module.data()?.print(self.of, bytes, pointer)
    }

    /// The names of the bit-fields in so many bytes, where it is such: `ready/done`.
    pub fn bit_fields(&self, size: u64) -> Option<String> {
        self.module.data()?.bit_fields(self.of, size)
    }

    /// Is it a pointer?
    pub fn is_pointer(&self) -> bool {
        self.module.data().is_some_and(|d| d.is_pointer(self.of))
    }
}

/// Is it a header of the compiler's, of libc's or of C++'s library? What happens in one is told at the line that called it.
pub fn is_system_header(file: &str) -> bool {
    const FOLDERS: [&str; 4] = ["/usr/include/", "/usr/lib/gcc/", "/usr/lib/llvm-", "/usr/lib/clang/"];
    // Wherever a toolchain is installed, its C++ library lies in `include/c++/VERSION`.
    // Ours before them lie in the cache.
    let ours = || file.contains("/runtime-") && file.contains("/include/first/");
    FOLDERS.iter().any(|folder| file.starts_with(folder)) || file.contains("/include/c++/") || ours()
}

/// Is it code of a crate that Rust's library is made of, such as hashbrown?
pub fn is_dependency_of_std(file: &str) -> bool {
    file.starts_with("/rust/deps/")
}

/// Does a program say which lines and variables it is made of? One that is stripped does not.
pub fn has_debug_information(program: &Path) -> bool {
    data::has_information(program).unwrap_or(false)
}

/// The source files in C and C++ that a program was made of, by its debug information.
pub fn source_files(program: &Path) -> Vec<PathBuf> {
    data::source_files(program).unwrap_or_default()
}

/// The symbols of one program, read as they are needed.
pub struct Symbols {
    regions: Vec<Region>,
    modules: RefCell<BTreeMap<PathBuf, Option<Rc<Module>>>>,
    /// Addresses looked up already: call stacks share most of theirs.
    known: RefCell<BTreeMap<u64, Rc<[Frame]>>>,
    /// Folders whose code is ours, not the user's.
    own: Vec<PathBuf>,
}

impl Symbols {
    /// For a program with this memory map; code from the folders `own` is never shown.
    pub fn new(maps: &str, own: Vec<PathBuf>) -> Symbols {
        Symbols { regions: maps::parse(maps), modules: RefCell::default(), known: RefCell::default(), own }
    }

    /// The object file that is mapped at an address, and the address inside it.
    fn module(&self, address: u64) -> Option<(Rc<Module>, u64)> {
        let at = self.regions.iter().position(|r| r.start <= address && address < r.end)?;
        let path = self.file_at(at)?;
        let mut modules = self.modules.borrow_mut();
        let module =
            modules.entry(path.clone()).or_insert_with(|| Module::open(path).map(Rc::new)).clone()?;
        // The file's first mapping says how far everything was moved.
        let first = self.regions.iter().find(|r| r.path.as_ref() == Some(path))?;
        let moved = first.start.wrapping_sub(module.first_address(first.offset)?);
        let inside = address.wrapping_sub(moved);
        (inside < module.end()).then_some((module, inside))
    }

    /// The file of a region: its own, or that of the nearest one before it without a gap, whose variables that are
    /// zero at first go on here. That may be several regions, since pages are protected to see what is written, and
    /// the last may be called `[heap]`, which begins behind them. How far they go the file says.
    fn file_at(&self, at: usize) -> Option<&PathBuf> {
        let joined = self.regions[..=at].windows(2).rposition(|pair| pair[0].end != pair[1].start);
        self.regions[joined.map_or(0, |gap| gap + 1)..=at].iter().rev().find_map(|r| r.path.as_ref())
    }

    /// Functions and lines at a code address, innermost first; none for the runtime's own code.
    pub fn frames(&self, address: u64) -> Rc<[Frame]> {
        if let Some(frames) = self.known.borrow().get(&address) {
            return frames.clone();
        }
        let frames: Rc<[Frame]> = match self.module(address) {
            Some((module, address)) if !module.is_runtime() => {
                let mut frames = module.frames(address);
                frames.iter_mut().for_each(|f| f.is_users = self.is_users(&f.line.file));
                frames.into()
            }
            _ => Rc::new([]),
        };
        self.known.borrow_mut().insert(address, frames.clone());
        frames
    }

    /// Is this an address of the runtime's own code?
    pub fn is_runtime(&self, address: u64) -> bool {
        self.module(address).is_some_and(|(module, _)| module.is_runtime())
    }

    /// The frame at a code address, or the nearest one it was inlined into, in the user's code.
    pub fn user_code(&self, address: u64) -> Option<Frame> {
        self.frames(address).iter().find(|f| f.is_users).cloned()
    }

    /// The innermost of these return addresses that lies in the user's code.
    pub fn user_frame(&self, return_addresses: &[u64]) -> Option<Frame> {
        // A return address belongs to the line after the call; the byte before it to the call.
        return_addresses.iter().find_map(|a| self.user_code(a.wrapping_sub(1)))
    }

    /// The outermost of these that lies in the user's code: where a thread began.
    pub fn first_user_frame(&self, return_addresses: &[u64]) -> Option<Frame> {
        let outermost = |a: &u64| {
            let frames = self.frames(a.wrapping_sub(1));
            frames.iter().rev().find(|f| f.is_users).cloned()
        };
        return_addresses.iter().rev().find_map(outermost)
    }

    /// Is it a file that the user would call theirs (dependencies included)?
    pub fn is_users(&self, file: &Path) -> bool {
        let text = file.to_string_lossy();
        // Std as it is shipped, our facade, std with the toolchain's sources, glibc's start code.
        !is_system_header(&text)
            && !text.starts_with("/rustc/")
            && !text.contains(raddle_instrumenter::rust::facade::PATH_PREFIX)
            && !text.contains("/rustlib/src/rust/")
            && !is_dependency_of_std(&text)
            && !text.contains("/csu/../")
            && !text.starts_with("./")
            && !self.own.iter().any(|o| file.starts_with(o))
    }

    /// Where the variable begins in which an address lies.
    pub fn variable_start(&self, address: u64) -> Option<u64> {
        let (module, inside) = self.module(address)?;
        let offset = module.variable_offset(inside)?;
        Some(address - offset)
    }

    /// What lies at an address, where an access of this many bytes is meant (0: any): `counter`,
    /// `accounts[2].balance`.
    pub fn variable(&self, address: u64, size: u64) -> Option<String> {
        let (module, address) = self.module(address)?;
        if module.is_runtime() {
            return None;
        }
        module.variable(address, size)
    }

    /// The class of C++ whose virtual table, or a part of it, lies at an address.
    pub fn virtual_table(&self, address: u64) -> Option<String> {
        let name = self.variable(address, 0)?;
        let class = name.strip_prefix(cpp::TABLE)?;
        // With several of one name each has a number.
        let class = class.split(" #").next().unwrap_or(class);
        Some(class.rsplit_once('+').map_or(class, |(class, _)| class).to_string())
    }

    /// The type of the variable, or of the part of one, that lies at an address and has this many bytes.
    pub fn type_at(&self, address: u64, size: u64) -> Option<Typed> {
        let (module, address) = self.module(address).filter(|(m, _)| !m.is_runtime())?;
        let of = module.data()?.type_at(address, size)?;
        Some(Typed { module, of })
    }

    /// The type of an expression of C as it is written where this code is, if it has this many bytes.
    pub fn type_of_expression(&self, code: u64, expression: &str, size: u64) -> Option<Typed> {
        let (module, code) = self.module(code).filter(|(m, _)| !m.is_runtime())?;
        let of = module.data()?.type_of_expression(code, expression, size)?;
        Some(Typed { module, of })
    }

    /// Is an expression of C++ an atomic of its library, as it is written in any function around this code?
    pub fn is_atomic(&self, code: u64, expression: &str) -> bool {
        let module = self.module(code).filter(|(m, _)| !m.is_runtime());
        module.and_then(|(module, code)| Some(module.data()?.is_atomic(code, expression))).unwrap_or(false)
    }

    /// What an expression of C was worth in a frame that was recorded: its type and its bytes. `caller`: the frame
    /// that called it; `read` tells what memory held that was accessed, `stack` what the thread's stack held.
    pub fn worth(
        &self,
        expression: &str,
        (frame, caller): (&memory::Frame, &memory::Frame),
        (read, stack): (&Read, &Read),
    ) -> Option<(Typed, Vec<u8>)> {
        let call = frame.code.wrapping_sub(1);
        let (module, code) = self.module(call).filter(|(m, _)| !m.is_runtime())?;
        let frame = evaluate::Frame { code, moved: call.wrapping_sub(code), base: caller.stack, read, stack };
        let worth = module.data()?.worth(expression, &frame)?;
        Some((Typed { module, of: worth.of }, worth.bytes))
    }

    /// What lies at an offset, and has so many bytes (0: any), in the struct of exactly `whole` bytes that a
    /// pointer of C points to where this code is.
    pub fn member_of(&self, code: u64, pointer: &str, whole: u64, part: (u64, u64)) -> Option<String> {
        let (module, code) = self.module(code).filter(|(m, _)| !m.is_runtime())?;
        module.data()?.member_of(code, pointer, whole, part)
    }

    /// A type of Rust by its full name, in the program's own file.
    pub fn type_named(&self, name: &str) -> Option<Typed> {
        let first = self.regions.iter().find(|r| r.path.is_some())?.start;
        let (module, _) = self.module(first)?;
        let of = module.data()?.type_named(name)?;
        Some(Typed { module, of })
    }

    /// The function that begins at an address.
    pub fn function(&self, address: u64) -> Option<String> {
        let (module, address) = self.module(address)?;
        module.function(address)
    }
}
