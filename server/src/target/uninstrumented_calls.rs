//! What a program in C or C++ uses whose doings in memory nobody sees: functions of libc without hooks that the
//! runtime does not stand in for (`runtime/src/touches`), objects and libraries that were built without hooks, and
//! assembly. Told by what the program imports, and by what `raddle cc` has noted in it, so that the guarantee names what there is
//! and nothing else.

mod functions;
mod words;

use super::Test;
use super::gaps::Unwatched;
use crate::symbols::imports::{Imports, exports, foreign, notes, section};
use crate::symbols::uninstrumented_code::{self, Unhooked};
use functions::{HARMLESS, is_of_cpp_library, is_writing};
use raddle_instrumenter::c::{assembly, hooks};
use raddle_instrumenter::rust::unseen::Unseen;
use raddle_protocol::gap::Gap;
use raddle_schedule::{calls, files};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What a program imports that has the lock of a `std::atomic<std::shared_ptr>` (`runtime/include/first/bits/shared_ptr_atomic.h`).
const POINTER_LOCK: &str = "__raddle_pointer_lock";

/// Libraries of libc itself, of the compiler, and the runtime: what they do for themselves is no business of the program's.
const OWN: [&str; 9] = [
    "libraddle_rt.so",
    "libc.so.",
    "libm.so.",
    "libpthread.so.",
    "libdl.so.",
    "librt.so.",
    "libgcc_s.so.",
    "libatomic.so.",
    "ld-linux",
];

/// The C++ library. It is in every program in C++, so it is named only where one calls it.
const CPP_LIBRARY: &str = "libstdc++.so.";

/// What makes thread-specific keys: in Rust the runtime cannot tell those of std from those of crates, so that no use of
/// one is a step.
const KEYS: [&str; 2] = ["pthread_key_create", "tss_create"];

/// Functions that give the program a block of libc's own: who frees it, and uses it then, is not seen.
const GIVING: [&str; 2] = ["open_memstream", "open_wmemstream"];

/// Has each of these tests know what is not seen of its own program, with the runtime in that folder.
pub fn note(tests: &mut [Test], runtime: &Path) {
    let known = libc().and_then(|libc| exports(&libc)).zip(exports(&runtime.join("libraddle_rt.so")));
    let (mut of_programs, mut warned) = (BTreeMap::new(), BTreeSet::new());
    for test in tests {
        let program = &test.launch.program;
        let of_program = || known.as_ref().map_or_else(unknown, |(libc, served)| of(program, libc, served));
        test.unwatched = of_programs.entry(program.clone()).or_insert_with(of_program).clone();
        test.launch.has_unwatched_code = !test.unwatched.is_empty();
        test.unwatched.print_warnings(&mut warned);
    }
}

/// Where nothing can be told of a program.
fn unknown() -> Unwatched {
    let mut unwatched = Unwatched::default();
    unwatched.add(Gap::LibcAccesses, "memory that functions of libc touch");
    unwatched
}

/// What is not seen of this program, with what libc exports and the runtime serves of it.
fn of(program: &Path, libc: &BTreeSet<String>, served: &BTreeSet<String>) -> Unwatched {
    let (mut found, mut seen) = (Found::default(), BTreeSet::new());
    let Some(imports) = Imports::of(program) else { return unknown() };
    let is_seen = |f: &str| HARMLESS.contains(&f) || served.contains(f) && calls::leaves_nothing_untold(f);
    let touches = |f: &&String| !is_seen(f) && (libc.contains(*f) || is_writing(f));
    match without_hooks(program) {
        Some(objects) => found.linked(objects),
        None => found.linked_otherwise = true,
    }
    found.places.extend(in_assembly(program));
    found.look(program);
    found.note_imports(&imports.functions);
    found.functions.extend(imports.functions.iter().filter(touches).cloned());
    let mut waiting: Vec<(Imports, PathBuf)> = vec![(imports, program.to_path_buf())];
    while let Some((imports, user)) = waiting.pop() {
        for library in imports.libraries.iter().filter(|l| !OWN.iter().any(|own| l.starts_with(own))) {
            let Some((file, objects)) = hooked(library, &imports, &user) else {
                let mut calls =
                    imports.functions.iter().filter(|f| !libc.contains(*f) && !served.contains(*f));
                if !library.starts_with(CPP_LIBRARY) || calls.any(|f| is_of_cpp_library(f)) {
                    found.libraries.insert(library.clone());
                }
                continue;
            };
            if !seen.insert(file.clone()) {
                continue;
            }
            found.linked(objects);
            found.places.extend(in_assembly(&file));
            found.look(&file);
            let Some(imports) = Imports::of(&file) else { continue };
            found.note_imports(&imports.functions);
            found.functions.extend(imports.functions.iter().filter(touches).cloned());
            waiting.push((imports, file));
        }
    }
    found.told()
}

/// What is not seen of what crates do that were found to have this and are in these programs: functions of libc, whose hooks
/// only programs in C are linked with, foreign ones of other libraries, and assembly.
pub fn of_crates<'a>(
    programs: impl IntoIterator<Item = &'a Path>,
    unseen: &Unseen,
    runtime: &Path,
) -> Unwatched {
    // Most workspaces have nothing, and what libc and a program give and take is many names.
    let found = Found { places: unseen.assembly.clone(), streams: unseen.streams, ..Found::default() };
    if unseen.functions.is_empty() {
        return found.told();
    }
    let file = libc();
    let known = file.as_ref().and_then(|f| exports(f)).zip(exports(&runtime.join("libraddle_rt.so")));
    let Some((libc, served)) = known else { return unknown() };
    let of_libc =
        |f: &str| libc.contains(f) && !(served.contains(f) && calls::leaves_nothing_untold_in_rust(f));
    let mut found = found;
    let others: BTreeSet<&String> =
        unseen.functions.iter().filter(|f| !libc.contains(*f) && !unseen.own.contains(*f)).collect();
    let named = |f: &&String| !HARMLESS.contains(&f.as_str()) && of_libc(f);
    found.functions = unseen.functions.iter().filter(named).cloned().collect();
    found.locking = unseen
        .functions
        .iter()
        .filter(|f| libc.contains(*f) && calls::takes_locks_unseen(f))
        .cloned()
        .collect();
    found.keys = KEYS.iter().any(|name| unseen.functions.contains(*name));
    if others.is_empty() {
        return found.told();
    }
    let libm = file.and_then(|f| exports(&f.with_file_name("libm.so.6"))).unwrap_or_default();
    for program in programs {
        let Some(there) = foreign(program) else {
            found.linked_unseen = true;
            continue;
        };
        let touches = |f: &&&String| there.contains(**f) && (!libm.contains(**f) || is_writing(f));
        found.foreign.extend(others.iter().filter(touches).map(|f| f.to_string()));
    }
    found.told()
}

/// What nobody watches.
#[derive(Default)]
struct Found {
    /// Functions of libc.
    functions: BTreeSet<String>,
    /// Functions of other libraries, that crates call.
    foreign: BTreeSet<String>,
    /// Functions that take locks of streams.
    locking: BTreeSet<String>,
    /// Functions that give blocks of libc's.
    giving: BTreeSet<String>,
    /// Functions of libc that do something to files which nobody follows.
    files: BTreeSet<String>,
    /// Libraries without hooks.
    libraries: BTreeSet<String>,
    /// What is linked into the program or its libraries and has none.
    objects: BTreeSet<String>,
    /// What has hooks and no debug information, which would say where compilers have left some out.
    untold: BTreeSet<String>,
    /// Was a program linked by somebody who did not look?
    linked_otherwise: bool,
    /// Is there a program of which nobody can tell what foreign functions it has?
    linked_unseen: bool,
    /// Assembly that touches memory.
    places: BTreeSet<String>,
    /// What compilers put no hooks at, in each program and library.
    unhooked: Vec<Unhooked>,
    /// Crates have thread-specific keys of pthreads.
    keys: bool,
    /// Crates hold std's standard streams, or may do steps while std does.
    streams: bool,
    /// There are pointers with a lock of libstdc++'s that a load seems to give back in order.
    pointer_locks: bool,
}

impl Found {
    /// What a program or a library asks for by these names.
    fn note_imports(&mut self, functions: &BTreeSet<String>) {
        self.pointer_locks |= functions.contains(POINTER_LOCK);
        // What a function touches is told by one of ours that stands in its place, which does not say what becomes of files.
        let named = functions.iter().map(|f| f.strip_prefix("__wrap_").unwrap_or(f));
        self.files.extend(named.filter(|f| files::is_unfollowed(f)).map(str::to_string));
        self.locking.extend(functions.iter().filter(|f| calls::takes_locks_unseen(f)).cloned());
        self.giving.extend(GIVING.iter().filter(|f| functions.contains(**f)).map(|f| f.to_string()));
    }

    /// The names that a link has noted.
    fn linked(&mut self, names: BTreeSet<String>) {
        for name in names {
            match name.strip_prefix(hooks::UNTOLD) {
                Some(name) => self.untold.insert(name.to_string()),
                None => self.objects.insert(name),
            };
        }
    }

    /// Looks where compilers have put no hooks in this program or library.
    fn look(&mut self, file: &Path) {
        let found = uninstrumented_code::of(file);
        if found.untold {
            self.untold.insert(name(file));
        }
        self.unhooked.push(found);
    }
}

/// Objects and members of archives without hooks in what `raddle cc` has linked; `None` where somebody else did.
fn without_hooks(file: &Path) -> Option<BTreeSet<String>> {
    let text = notes(file, hooks::LINKED, hooks::OWNER)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    Some(text.split(hooks::END).filter(|name| !name.is_empty()).map(str::to_string).collect())
}

/// The name of a program or library.
fn name(file: &Path) -> String {
    file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned()
}

/// Places of assembly that touches memory, in a program or library that `raddle cc` built.
fn in_assembly(file: &Path) -> BTreeSet<String> {
    let text = section(file, assembly::SECTION).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    text.split([assembly::END, '\0']).filter(|place| !place.is_empty()).map(str::to_string).collect()
}

/// Are there compare-exchanges in this program whose hooks do not say which are weak (clang's)?
pub fn takes_weak_for_strong(program: &Path) -> bool {
    Imports::of(program).is_none_or(|i| i.functions.iter().any(|f| f.ends_with("_compare_exchange_val")))
}

/// Where this library is, and what in it has no hooks, if it was linked by `raddle cc`. One that is not found where the
/// program looks first was not.
fn hooked(library: &str, imports: &Imports, user: &Path) -> Option<(PathBuf, BTreeSet<String>)> {
    let origin = user.parent().unwrap_or(Path::new("/"));
    let search = std::env::var("LD_LIBRARY_PATH").unwrap_or_default();
    if library.contains('/') {
        return without_hooks(Path::new(library)).map(|objects| (library.into(), objects));
    }
    let given = search.split(':').chain(imports.search.split(':')).filter(|f| !f.is_empty());
    let given = given.map(|f| {
        PathBuf::from(f.replace("${ORIGIN}", "$ORIGIN").replace("$ORIGIN", &origin.display().to_string()))
    });
    let file = given.map(|f| f.join(library)).find(|f| f.is_file())?;
    let objects = without_hooks(&file)?;
    Some((file, objects))
}

/// The libc that this process has, which is the one that programs started from here get.
fn libc() -> Option<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let files: BTreeSet<&str> = maps.lines().filter_map(|l| l.find('/').map(|at| &l[at..])).collect();
    files
        .into_iter()
        .map(PathBuf::from)
        .find(|f| f.file_name().is_some_and(|n| n.to_string_lossy().starts_with("libc.so.")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of the memory that a function is given is written down for each that the runtime serves.
    #[test]
    fn every_function_that_is_served_is_in_one_list() {
        let served = exports(Path::new(env!("RADDLE_RT_SO"))).unwrap();
        let libc = exports(&libc().unwrap()).unwrap();
        assert!(calls::wrapped().all(|name| served.contains(&format!("__wrap_{name}"))));
        let lists = [
            calls::ITSELF,
            calls::ITSELF_IN_C,
            calls::OF_STREAMS,
            calls::WRAPPED,
            calls::NOTHING,
            calls::REFUSED,
            calls::UNTOLD,
        ];
        for name in served.iter().filter(|name| libc.contains(*name)) {
            let listed =
                lists.iter().filter(|l| l.split_ascii_whitespace().any(|other| other == name)).count();
            assert_eq!(listed + usize::from(calls::told(name.as_bytes()).is_some()), 1, "{name}");
        }
    }
}
