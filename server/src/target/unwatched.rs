//! What a program in C or C++ uses whose doings in memory nobody sees: functions of libc without hooks that the
//! runtime does not stand in for (`runtime/src/touches`), objects and libraries that were built without hooks, and
//! assembly. Told by what the program imports, and by what `raddle cc` has noted in it, so that the guarantee names what there is
//! and nothing else.

use super::Test;
use super::gaps::Unwatched;
use crate::symbols::imports::{Imports, exports, foreign, notes, section};
use crate::symbols::unhooked::{self, Unhooked};
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

/// Functions of libc that touch no memory of the program's: they take numbers, give back what is their own, or leave it to a
/// function of the program's.
const HARMLESS: &[&str] = &[
    "__ctype_b_loc",
    "__ctype_get_mb_cur_max",
    "__ctype_tolower_loc",
    "__ctype_toupper_loc",
    "__cxa_finalize",
    "__errno_location",
    "__gmon_start__",
    "__h_errno_location",
    "__stack_chk_fail",
    "_tolower",
    "_toupper",
    "abs",
    "bsearch",
    "btowc",
    "difftime",
    "div",
    "dysize",
    "errno",
    "ffs",
    "ffsl",
    "ffsll",
    "fileno",
    "fileno_unlocked",
    "get_nprocs",
    "get_nprocs_conf",
    "getegid",
    "geteuid",
    "getgid",
    "getpagesize",
    "getpgid",
    "getpgrp",
    "getpriority",
    "getsid",
    "getuid",
    "gnu_dev_major",
    "gnu_dev_makedev",
    "gnu_dev_minor",
    "gnu_get_libc_version",
    "imaxabs",
    "imaxdiv",
    "isalnum",
    "isalpha",
    "isascii",
    "isatty",
    "isblank",
    "iscntrl",
    "isctype",
    "isdigit",
    "isgraph",
    "islower",
    "isprint",
    "ispunct",
    "isspace",
    "isupper",
    "iswalnum",
    "iswalpha",
    "iswblank",
    "iswcntrl",
    "iswctype",
    "iswdigit",
    "iswgraph",
    "iswlower",
    "iswprint",
    "iswpunct",
    "iswspace",
    "iswupper",
    "iswxdigit",
    "isxdigit",
    "labs",
    "ldiv",
    "llabs",
    "lldiv",
    "nice",
    "pthread_equal",
    "pthread_getconcurrency",
    "pthread_self",
    "pthread_setconcurrency",
    "pthread_setschedprio",
    "pthread_testcancel",
    "sched_get_priority_max",
    "sched_get_priority_min",
    "sched_getscheduler",
    "setpriority",
    "sigabbrev_np",
    "sigdescr_np",
    "strerror",
    "strerrordesc_np",
    "strerrorname_np",
    "strsignal",
    "sysconf",
    "thrd_current",
    "thrd_equal",
    "toascii",
    "tolower",
    "toupper",
    "towctrans",
    "towlower",
    "towupper",
    "ungetc",
    "wctob",
    "wcwidth",
];

/// What makes thread-specific keys: in Rust the runtime cannot tell those of std from those of crates, so that no use of
/// one is a step.
const KEYS: [&str; 2] = ["pthread_key_create", "tss_create"];

/// Functions of libm that write where they are told to, or (those without `_r`) to `signgam`.
const OF_LIBM: [&str; 8] = ["frexp", "modf", "remquo", "sincos", "lgamma_r", "gamma_r", "lgamma", "gamma"];

/// Functions that give the program a block of libc's own: who frees it, and uses it then, is not seen.
const GIVING: [&str; 2] = ["open_memstream", "open_wmemstream"];

/// Is it one of them?
fn is_writing(f: &str) -> bool {
    OF_LIBM.iter().any(|name| f.strip_suffix(['f', 'l']).unwrap_or(f) == *name || f == *name)
}

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
                found.libraries.insert(library.clone());
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
        let found = unhooked::of(file);
        if found.untold {
            self.untold.insert(name(file));
        }
        self.unhooked.push(found);
    }

    /// In words, with warnings of what may be mended.
    fn told(&self) -> Unwatched {
        let mut told = Unwatched::default();
        let mut add = |gap, names: &BTreeSet<String>, words: [&str; 4]| {
            let [before, one, several, behind] = words;
            let verb = if names.len() == 1 { one } else { several };
            if !names.is_empty() {
                told.add(gap, format!("{before} {} {verb}{behind}", list(names)));
            }
        };
        add(Gap::LibcAccesses, &self.functions, ["memory that", "touches", "touch", ""]);
        add(Gap::LibcFiles, &self.files, ["what", "does", "do", " to files"]);
        add(Gap::StreamLocks, &self.locking, ["locks of streams that", "takes", "take", ""]);
        add(Gap::LibcBlocks, &self.giving, ["uses of blocks that", "gives", "give", ", once they are freed"]);
        add(Gap::Libraries, &self.libraries, ["what", "does", "do", " to memory"]);
        if !self.objects.is_empty() {
            let objects = by_archive(&self.objects);
            let verb = if objects.len() == 1 { "does" } else { "do" };
            let objects = shown(&objects, "object");
            told.warn(format!(
                "{objects}: compiled without `raddle cc`, so Raddle does not see its memory accesses: they are no schedule points and order nothing (compile it with `raddle cc`)"
            ));
            told.add(Gap::Objects, format!("what {objects} {verb} to memory"));
        }
        if self.keys {
            told.add(Gap::ThreadKeys, "in which order threads make, use and delete thread-specific keys");
        }
        if self.streams {
            told.add(Gap::StandardStreams, "locks of std's standard input, output and error");
        }
        if self.pointer_locks {
            told.add(Gap::PointerLocks, "races that only loads of an atomic<shared_ptr> keep apart");
        }
        if self.linked_otherwise {
            let words = "what parts without hooks do to memory (it was not linked by this `raddle cc`)";
            told.add(Gap::LinkedElsewhere, words);
        }
        if !self.foreign.is_empty() {
            let verb = if self.foreign.len() == 1 { "touches" } else { "touch" };
            told.add(Gap::ForeignFunctions, format!("memory that {} {verb}", list(&self.foreign)));
        }
        if self.linked_unseen {
            told.add(Gap::ForeignFunctions, "memory that functions of other languages touch");
        }
        if !self.places.is_empty() {
            let places = shown(&self.places, "place");
            told.warn(format!(
                "Raddle does not see memory accesses of assembly ({places}): they order nothing, so a reported race may be none"
            ));
            told.add(Gap::Assembly, format!("what assembly does to memory ({places})"));
        }
        told.extend(self.by_compilers());
        told
    }

    /// What compilers have put no hooks at.
    fn by_compilers(&self) -> Unwatched {
        let by_value: BTreeSet<String> = self.unhooked.iter().flat_map(|u| u.by_value.clone()).collect();
        let mut told = Unwatched::default();
        if !by_value.is_empty() {
            let verbs = if by_value.len() == 1 { "takes or returns" } else { "take or return" };
            let functions = shown(&by_value, "function");
            let words = format!("the memory of structs that {functions} {verbs} by value");
            told.add(Gap::StructsByValue, words);
        }
        if self.unhooked.iter().any(|u| u.own_variables) {
            let words = "what functions do themselves to parts of their own arrays and structs (clang)";
            told.add(Gap::PartsOfLocals, words);
        }
        if self.unhooked.iter().any(|u| u.sizes) {
            told.add(Gap::WideValues, "long doubles and wide vectors (clang)");
        }
        let levels: BTreeSet<&str> =
            self.unhooked.iter().flat_map(|u| u.levels.iter().map(String::as_str)).collect();
        if let Some(level) = levels.last() {
            told.add(Gap::MergedAccesses, format!("{}{level}", crate::report::MERGED));
        }
        if !self.untold.is_empty() {
            let untold = shown(&by_archive(&self.untold), "object");
            let words = format!("what compilers put no hooks at in {untold} (no debug information)");
            told.add(Gap::NoDebugInformation, words);
        }
        told
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

/// Of archives with many such members the archives alone.
fn by_archive(objects: &BTreeSet<String>) -> BTreeSet<String> {
    const MOST: usize = 2;
    let archive =
        |name: &str| name.strip_suffix(')')?.split_once('(').map(|(archive, _)| archive.to_string());
    let of = |archive: &str| objects.iter().filter(|o| o.starts_with(&format!("{archive}("))).count();
    let short = |name: &String| match archive(name) {
        Some(archive) if of(&archive) > MOST => archive,
        _ => name.clone(),
    };
    objects.iter().map(short).collect()
}

/// Places of assembly that touches memory, in a program or library that `raddle cc` built.
fn in_assembly(file: &Path) -> BTreeSet<String> {
    let text = section(file, assembly::SECTION).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    text.split([assembly::END, '\0']).filter(|place| !place.is_empty()).map(str::to_string).collect()
}

/// Some of these places or objects, by the names of their files alone.
fn shown(places: &BTreeSet<String>, what: &str) -> String {
    const MOST: usize = 4;
    let name =
        |place: &String| place.rsplit('/').next().filter(|n| !n.is_empty()).unwrap_or(place).to_string();
    let short: BTreeSet<String> = places.iter().map(name).collect();
    let first: Vec<String> = short.iter().take(MOST).cloned().collect();
    match short.len().saturating_sub(MOST) {
        0 => first.join(", "),
        1 => format!("{} and one other {what}", first.join(", ")),
        more => format!("{} and {more} other {what}s", first.join(", ")),
    }
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

/// `a, b and c`.
fn list(all: &BTreeSet<String>) -> String {
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    match all.as_slice() {
        [] => String::new(),
        [one] => one.to_string(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
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
