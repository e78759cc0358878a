//! The two programs of each gap: one that links or does what the gap is about, and one that is close to it and does not.

use raddle_protocol::gap::Gap;

/// How programs are explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// tests/programs/gaps/linked: programs of one build.
    Linked,
    /// tests/programs/gaps/executed.c: tests of one program.
    Executed,
    /// tests/programs/gaps/clang: a file each, compiled by clang.
    Clang,
    /// tests/packages/gaps/watched: programs beside unsafe code.
    Watched,
    /// tests/packages/gaps/safe: programs without unsafe code.
    Safe,
    /// tests/packages/gaps/unhooked: a build without hooks.
    Unhooked,
    /// tests/packages/trust_order and crates: programs with published crates.
    Published,
}

impl Group {
    /// All of them.
    pub const ALL: [Group; 7] = [
        Group::Linked,
        Group::Executed,
        Group::Clang,
        Group::Watched,
        Group::Safe,
        Group::Unhooked,
        Group::Published,
    ];
}

/// A test of a group.
pub type Program = (Group, &'static str);

/// A gap's programs.
pub struct Pair {
    /// It has the gap.
    pub has: Program,
    /// It is close to that, and has it not.
    pub has_not: Program,
    /// The words of the guarantee for it.
    pub words: &'static str,
}

/// The programs of a gap. A new gap does not compile without them.
pub fn pair(gap: Gap) -> Pair {
    use Group::{Clang, Executed, Linked, Published, Safe, Unhooked, Watched};
    let (has, has_not, words) = match gap {
        Gap::LibcAccesses => {
            ((Linked, "libc_accesses"), (Linked, "libc_accesses_not"), "memory that strfry touches")
        }
        Gap::LibcFiles => ((Linked, "libc_files"), (Linked, "libc_files_not"), "what realpath does to files"),
        Gap::StreamLocks => {
            ((Linked, "stream_locks"), (Linked, "stream_locks_not"), "locks of streams that argp_parse takes")
        }
        Gap::LibcBlocks => (
            (Linked, "libc_blocks"),
            (Linked, "libc_blocks_not"),
            "uses of blocks that open_memstream gives, once they are freed",
        ),
        Gap::Libraries => {
            ((Linked, "libraries"), (Linked, "libraries_not"), "what libwithout.so does to memory")
        }
        Gap::Objects => ((Linked, "objects"), (Linked, "objects_not"), "what without.o does to memory"),
        Gap::LinkedElsewhere => (
            (Linked, "linked_elsewhere"),
            (Linked, "linked_elsewhere_not"),
            "what parts without hooks do to memory",
        ),
        Gap::NoDebugInformation => (
            (Linked, "no_debug_information"),
            (Linked, "no_debug_information_not"),
            "what compilers put no hooks at in no_debug_information",
        ),
        Gap::Assembly => ((Linked, "assembly"), (Linked, "assembly_not"), "what assembly does to memory"),
        Gap::StructsByValue => (
            (Linked, "structs_by_value"),
            (Linked, "structs_by_value_not"),
            "the memory of structs that twice takes or returns by value",
        ),
        Gap::PartsOfLocals => (
            (Clang, "parts_of_locals"),
            (Clang, "none"),
            "what functions do themselves to parts of their own arrays and structs",
        ),
        Gap::WideValues => ((Clang, "wide_values"), (Clang, "none"), "long doubles and wide vectors"),
        Gap::MergedAccesses => (
            (Linked, "merged_accesses"),
            (Linked, "merged_accesses_not"),
            "accesses that the compiler merged at -O2",
        ),
        Gap::PointerLocks => (
            (Linked, "pointer_locks"),
            (Linked, "pointer_locks_not"),
            "races that only loads of an atomic<shared_ptr> keep apart",
        ),
        Gap::Formats => (
            (Executed, "test_formats"),
            (Executed, "test_formats_not"),
            "memory that the arguments of formats with numbered or wide arguments name",
        ),
        Gap::PlainAccesses => {
            ((Unhooked, "plain_accesses"), (Watched, "std_accesses"), "plain accesses of all crates")
        }
        Gap::StdAccesses => {
            ((Watched, "std_accesses"), (Watched, "std_accesses_not"), "plain accesses inside std")
        }
        Gap::AuditedCrates => (
            (Published, "waited_for"),
            (Published, "is_ready_at_once"),
            "plain accesses inside crossbeam-utils-",
        ),
        Gap::MacroCode => (
            (Safe, "macro_code"),
            (Safe, "macro_code_not"),
            "unsafe code that only procedural macros put into macro_code",
        ),
        Gap::ReferenceCounts => {
            ((Published, "waited_for"), (Safe, "owned_blocks"), "reference counts inside crossbeam_utils")
        }
        Gap::EnvironmentVariables => (
            (Safe, "environment_variables"),
            (Safe, "environment_variables_not"),
            "in which order threads change and read environment variables",
        ),
        Gap::ThreadKeys => (
            (Watched, "thread_keys"),
            (Watched, "thread_keys_not"),
            "in which order threads make, use and delete thread-specific keys",
        ),
        Gap::StandardStreams => (
            (Safe, "standard_streams"),
            (Safe, "standard_streams_not"),
            "locks of std's standard input, output and error",
        ),
        Gap::ForeignFunctions => {
            ((Watched, "foreign_functions"), (Watched, "foreign_functions_not"), "memory that remquo touches")
        }
        Gap::ClangWeakExchanges => {
            ((Clang, "weak_exchanges"), (Clang, "none"), "failures of weak compare-exchanges, which clang")
        }
        Gap::Readiness => (
            (Executed, "test_readiness"),
            (Executed, "test_readiness_not"),
            "not explored: other answers of poll and ppoll",
        ),
        Gap::FileOrders => (
            (Executed, "test_file_orders"),
            (Executed, "test_file_orders_not"),
            "not explored: other orders of what threads do to files",
        ),
        Gap::ScopeEnds => {
            ((Safe, "scope_ends"), (Safe, "scope_ends_not"), "not explored: ends of thread::scope before")
        }
        Gap::DependencyPoints => (
            (Safe, "dependency_points"),
            (Safe, "dependency_points_not"),
            "in dependencies only the first of a run of atomic operations",
        ),
        Gap::ProcessEnd => (
            (Executed, "test_process_end"),
            (Executed, "test_process_end_not"),
            "not run: more rounds of loops",
        ),
        Gap::ReusedBlocks => (
            (Executed, "test_reused_blocks"),
            (Executed, "test_reused_blocks_not"),
            "use after free of reallocated blocks: checked in",
        ),
        Gap::OwnedBlocks => (
            (Safe, "owned_blocks"),
            (Safe, "owned_blocks_not"),
            "not explored: reuse of blocks that the last owner of an Arc or shared_ptr frees",
        ),
        Gap::SpuriousWakeups => (
            (Executed, "test_spurious_wakeups"),
            (Executed, "test_spurious_wakeups_not"),
            "not explored: spurious wakeups (--spurious-wakeups)",
        ),
        Gap::SpuriousFailures => (
            (Executed, "test_spurious_failures"),
            (Executed, "test_spurious_failures_not"),
            "not explored: spurious failures of weak compare-exchanges (--spurious-failures)",
        ),
        Gap::Inputs => (
            (Executed, "test_inputs"),
            (Executed, "test_inputs_not"),
            "inputs: 0, 1, -1, INT_MIN, INT_MAX of",
        ),
        Gap::SequentialConsistency => (
            (Executed, "test_sequential_consistency"),
            (Executed, "test_sequential_consistency_not"),
            "1 operation weaker than SeqCst was treated as SeqCst",
        ),
        Gap::Primitives => (
            (Published, "primitives"),
            (Published, "primitives_not"),
            "assumed: locks and waits of parking_lot, crossbeam and rayon do what their code does",
        ),
        Gap::Runtimes => (
            (Published, "rayon::right_a_pool_of_one"),
            (Published, "primitives"),
            "assumed atomic: rayon-core, crossbeam-epoch (--points-in",
        ),
        Gap::Fairness => (
            (Executed, "test_fairness"),
            (Executed, "test_fairness_not"),
            "no thread again that yielded to others which have not run since",
        ),
        Gap::Volatile => (
            (Executed, "test_volatile"),
            (Executed, "test_volatile_not"),
            "volatile variables as if they were atomic",
        ),
        Gap::OtherProcesses => (
            (Executed, "test_other_processes"),
            (Executed, "test_other_processes_not"),
            "not explored: what other processes do to named semaphores",
        ),
        Gap::StandardInput => (
            (Executed, "test_standard_input"),
            (Executed, "test_standard_input_not"),
            "with an empty standard input",
        ),
        Gap::LargeBlocks => (
            (Executed, "test_large_blocks"),
            (Executed, "test_large_blocks_not"),
            "with NULL for blocks that Raddle has no room for (executed.c:",
        ),
        Gap::RandomNumbers => (
            (Executed, "test_random_numbers"),
            (Executed, "test_random_numbers_not"),
            "fixed: random numbers",
        ),
        Gap::HashSeed => ((Safe, "hash_seed"), (Safe, "hash_seed_not"), "fixed: hash seed"),
        Gap::ThreadIds => {
            ((Executed, "test_thread_ids"), (Executed, "test_thread_ids_not"), "fixed: thread ids")
        }
        Gap::Clock => ((Executed, "test_clock"), (Executed, "test_clock_not"), "fixed: clock"),
    };
    Pair { has, has_not, words }
}
