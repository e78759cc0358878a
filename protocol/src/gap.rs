//! Gaps: everything that a search neither watches nor varies and that could change its verdict.
//!
//! The verdict line of a test names a gap if its program links, or its executions do, what the gap is about, and of no other
//! test (`tests/tests/all/gaps` has a program of either kind for each).

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How a search treats what the gap is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Treatment {
    /// It happens, and the runtime does not see it.
    NotWatched,
    /// Executions that differ in it are left out.
    NotExplored,
    /// It is taken to hold.
    Assumed,
    /// It has one value in all executions.
    Fixed,
}

impl Treatment {
    /// Before the names of its gaps.
    pub const fn head(self) -> &'static str {
        match self {
            Treatment::NotWatched => "not watched",
            Treatment::NotExplored => "not explored",
            Treatment::Assumed => "assumed",
            Treatment::Fixed => "fixed",
        }
    }
}

/// Defines [`Gap`]; its list is the one place where a gap is named.
macro_rules! gaps {
    ($($(#[doc = $doc:literal])+ $name:ident: $treatment:ident, $words:literal;)*) => {
        /// One gap.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Gap {
            $($(#[doc = $doc])+ $name,)*
        }

        impl Gap {
            /// Every gap, in the order of the verdict line.
            pub const ALL: &[Gap] = &[$(Gap::$name),*];

            /// How a search treats it.
            pub const fn treatment(self) -> Treatment {
                match self { $(Gap::$name => Treatment::$treatment,)* }
            }

            /// Its name in the verdict line.
            pub const fn words(self) -> &'static str {
                match self { $(Gap::$name => $words,)* }
            }
        }
    };
}

gaps! {
    /// Accesses of libc's functions to the program's memory.
    LibcAccesses: NotWatched, "accesses inside libc";
    /// Functions of libc that change files and that the runtime does not follow.
    LibcFiles: NotWatched, "file operations inside libc";
    /// Locks of streams that functions of libc take.
    StreamLocks: NotWatched, "stream locks inside libc";
    /// Uses of blocks that libc allocated, after the program freed them.
    LibcBlocks: NotWatched, "blocks that libc allocates";
    /// Memory that libraries without hooks access.
    Libraries: NotWatched, "libraries without hooks";
    /// Memory that objects without hooks access.
    Objects: NotWatched, "objects without hooks";
    /// Objects of a program that `raddle cc` did not link.
    LinkedElsewhere: NotWatched, "objects that raddle cc did not link";
    /// Accesses without hooks in objects whose debug information is missing.
    NoDebugInformation: NotWatched, "accesses without hooks (no debug information)";
    /// Memory that assembly accesses.
    Assembly: NotWatched, "assembly";
    /// Structs that calls take or return by value.
    StructsByValue: NotWatched, "structs by value";
    /// Accesses of functions to parts of their own arrays and structs, which clang gives no hooks.
    PartsOfLocals: NotWatched, "parts of local variables";
    /// Accesses to long doubles and wide vectors, which clang gives no hooks.
    WideValues: NotWatched, "wide values";
    /// Accesses that the compiler merged or removed.
    MergedAccesses: NotWatched, "merged accesses";
    /// Races that only loads of an `atomic<shared_ptr>` order.
    PointerLocks: NotWatched, "races that loads of atomic<shared_ptr> order";
    /// Arguments of formats that the runtime cannot follow.
    Formats: NotWatched, "arguments of numbered formats";
    /// Plain accesses of a Rust program whose crates do not compile with hooks.
    PlainAccesses: NotWatched, "all plain accesses";
    /// Plain accesses inside std, in a program with unsafe code.
    StdAccesses: NotWatched, "plain accesses inside std";
    /// Plain accesses inside audited crates.
    AuditedCrates: NotWatched, "plain accesses inside audited crates";
    /// Unsafe code that only procedural macros put into a crate.
    MacroCode: NotWatched, "unsafe code of procedural macros";
    /// Reference counts that are no schedule points.
    ReferenceCounts: NotWatched, "reference counts";
    /// Environment variables that threads change.
    EnvironmentVariables: NotWatched, "environment variables";
    /// Thread-specific keys of Rust crates.
    ThreadKeys: NotWatched, "thread-specific keys";
    /// Locks of Rust's standard input, output and error.
    StandardStreams: NotWatched, "locks of std's streams";
    /// Memory that foreign functions of a Rust program access.
    ForeignFunctions: NotWatched, "foreign functions";
    /// Weak compare-exchanges of clang, which its hooks do not tell from strong ones.
    ClangWeakExchanges: NotWatched, "weak compare-exchanges (clang)";
    /// Answers of `poll` and the like.
    Readiness: NotExplored, "other answers of poll";
    /// Orders of what threads do to files.
    FileOrders: NotExplored, "other orders of file operations";
    /// Ends of scopes before the destructors of their threads' thread-locals.
    ScopeEnds: NotExplored, "early ends of thread::scope";
    /// Atomic operations of dependencies behind the first of a run.
    DependencyPoints: NotExplored, "switches inside dependencies";
    /// Further rounds of loops at the end of the process.
    ProcessEnd: NotExplored, "loops cut off where the process ends";
    /// Uses of freed blocks whose memory is in use again.
    ReusedBlocks: NotExplored, "some uses of reused blocks";
    /// Reuse of blocks that the last owner of an `Arc` or `shared_ptr` frees.
    OwnedBlocks: NotExplored, "reuse of blocks of Arc or shared_ptr";
    /// Waits that end without a notification.
    SpuriousWakeups: NotExplored, "spurious wakeups";
    /// Weak compare-exchanges that fail by themselves.
    SpuriousFailures: NotExplored, "spurious failures";
    /// Inputs other than those that were asked for.
    Inputs: NotExplored, "other inputs";
    /// Weak memory orders.
    SequentialConsistency: Assumed, "sequential consistency";
    /// Primitives of crates, which are modelled.
    Primitives: Assumed, "primitives of crates";
    /// The insides of runtimes, which are taken to be right, and whose steps go on until they wait.
    Runtimes: Assumed, "atomic runtime code";
    /// Schedules in which a thread overtakes those that it yielded to.
    Fairness: Assumed, "fair schedules";
    /// Volatile variables, as if they were atomic.
    Volatile: Assumed, "volatile variables are atomic";
    /// Named semaphores, which other processes could use.
    OtherProcesses: Assumed, "no other process uses named semaphores";
    /// Standard input, which is empty.
    StandardInput: Assumed, "empty standard input";
    /// Large allocations, which fail.
    LargeBlocks: Assumed, "no room for large blocks";
    /// Random numbers.
    RandomNumbers: Fixed, "random numbers";
    /// Keys of std's hash maps.
    HashSeed: Fixed, "hash seed";
    /// Numbers of threads.
    ThreadIds: Fixed, "thread ids";
    /// The time.
    Clock: Fixed, "clock";
}

/// The gaps as the verdict line tells them: `not watched: assembly`, `fixed: thread ids, clock`.
pub fn told(gaps: &BTreeSet<Gap>) -> Vec<String> {
    use Treatment::{Assumed, Fixed, NotExplored, NotWatched};
    let told = |treatment: Treatment| {
        let names = gaps.iter().filter(|gap| gap.treatment() == treatment).map(|gap| gap.words());
        (treatment, names.collect::<Vec<_>>())
    };
    [NotWatched, NotExplored, Assumed, Fixed]
        .map(told)
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(treatment, names)| format!("{}: {}", treatment.head(), names.join(", ")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_told_by_treatment() {
        let gaps = BTreeSet::from([Gap::Clock, Gap::Assembly, Gap::ThreadIds, Gap::StructsByValue]);
        assert_eq!(told(&gaps), ["not watched: assembly, structs by value", "fixed: thread ids, clock"]);
        assert!(told(&BTreeSet::new()).is_empty());
    }

    /// No name is part of another: else a line with the one would seem to have the other.
    #[test]
    fn names_are_distinct() {
        for (i, gap) in Gap::ALL.iter().enumerate() {
            let is_part = |other: &Gap| other.words().contains(gap.words());
            assert!(!Gap::ALL[i + 1..].iter().chain(&Gap::ALL[..i]).any(is_part), "{gap:?}");
        }
    }
}
