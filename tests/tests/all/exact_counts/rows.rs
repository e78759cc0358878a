//! The rows: a program of `tests/programs/counts`, its flags, and how many executions it has up to
//! the order of independent steps. The numbers were obtained with two optimal model checkers that
//! agree (Nidhugg, GenMC) and with an explorer of configurations; where there is a formula, the
//! program's first comment derives it.

/// One row.
pub struct Row {
    /// The program's name, without `.c`.
    pub program: &'static str,
    /// Its parameters, as flags of the compiler.
    pub flags: &'static str,
    /// Complete executions, passed or failed.
    pub executions: u64,
    /// Executions that end in a deadlock.
    pub deadlocked: u64,
    /// Failures as `kind` of the report; none for most.
    pub fails: Option<&'static str>,
    /// When it is tested.
    pub when: When,
}

/// When a row is tested, by how long it takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Always, and plain enumeration reaches all of its classes in a moment.
    Tiny,
    /// Always.
    Always,
    /// Always; only `optimal` is up to it, the other reductions are asked where everything is.
    Optimal,
    /// Where everything is tested (`RADDLE_TEST_ALL`).
    All,
    /// There, and only `optimal` is up to it.
    AllOptimal,
}

use When::*;

const fn row(when: When, program: &'static str, flags: &'static str, executions: u64) -> Row {
    Row { program, flags, executions, deadlocked: 0, fails: None, when }
}

/// The row with its one deadlock.
const fn deadlocks(row: Row) -> Row {
    Row { deadlocked: 1, fails: Some("deadlock"), ..row }
}

/// The row of a program that fails like this in some of its executions.
const fn fails(row: Row, kind: &'static str) -> Row {
    Row { fails: Some(kind), ..row }
}

/// All of them.
pub const ROWS: &[Row] = &[
    row(Tiny, "lost", "-DN=1", 4),
    row(Tiny, "lost", "-DN=2", 34),
    row(Tiny, "mutex", "-DT=2 -DN=2", 6),
    row(Always, "mutex", "-DT=3 -DN=1", 6),
    row(Always, "mutex", "-DT=3 -DN=2", 90),
    row(Always, "mutex", "-DT=3 -DN=3", 1680),
    row(Always, "mutex", "-DT=4 -DN=2", 2520),
    row(All, "mutex", "-DT=3 -DN=4", 34650),
    row(Tiny, "fib_join", "-DN=1", 3),
    row(Tiny, "fib_join", "-DN=2", 19),
    row(Always, "fib_join", "-DN=3", 141),
    row(Always, "fib_join", "-DN=4", 1107),
    row(Optimal, "fib_join", "-DN=5", 8953),
    row(All, "fib_join", "-DN=6", 73789),
    row(Always, "fib_read", "-DN=2", 140),
    row(Always, "fib_read", "-DN=3", 1698),
    row(Optimal, "fib_read", "-DN=4", 19605),
    row(All, "fib_read", "-DN=5", 218_243),
    row(Tiny, "writers", "-DN=2", 2),
    row(Tiny, "writers", "-DN=3", 6),
    row(Always, "writers", "-DN=4", 24),
    row(Always, "writers", "-DN=5", 120),
    row(Always, "writers", "-DN=6", 720),
    row(All, "writers", "-DN=8", 40320),
    row(Tiny, "ainc", "-DN=3", 6),
    row(Always, "ainc", "-DN=4", 24),
    row(Always, "ainc", "-DN=5", 120),
    row(Always, "ainc", "-DN=6", 720),
    row(All, "ainc", "-DN=8", 40320),
    row(Tiny, "readers", "-DN=2", 4),
    row(Always, "readers", "-DN=3", 8),
    row(Always, "readers", "-DN=8", 256),
    row(All, "readers", "-DN=13", 8192),
    // (N+3)·2^(N-2)
    row(Tiny, "lastzero", "-DN=2", 5),
    row(Always, "lastzero", "-DN=3", 12),
    row(Always, "lastzero", "-DN=5", 64),
    row(Optimal, "lastzero", "-DN=10", 3328),
    row(All, "lastzero", "-DN=12", 15360),
    row(AllOptimal, "lastzero", "-DN=15", 147_456),
    row(Always, "indexer", "-DN=11", 1),
    row(Always, "indexer", "-DN=12", 8),
    row(Always, "indexer", "-DN=13", 64),
    row(Optimal, "indexer", "-DN=14", 512),
    row(All, "indexer", "-DN=15", 4096),
    row(Always, "filesystem", "-DN=13", 1),
    row(Always, "filesystem", "-DN=14", 2),
    row(Always, "filesystem", "-DN=16", 8),
    row(Optimal, "filesystem", "-DN=17", 16),
    row(All, "filesystem", "-DN=18", 32),
    row(All, "filesystem", "-DN=19", 64),
    deadlocks(row(Always, "philosophers", "-DN=3", 6)),
    deadlocks(row(Always, "philosophers", "-DN=4", 14)),
    deadlocks(row(Always, "philosophers", "-DN=5", 30)),
    deadlocks(row(Always, "philosophers", "-DN=6", 62)),
    deadlocks(row(Always, "philosophers", "-DN=7", 126)),
    deadlocks(row(Always, "philosophers", "-DN=8", 254)),
    deadlocks(row(All, "philosophers", "-DN=9", 510)),
    deadlocks(row(All, "philosophers", "-DN=10", 1022)),
    row(Always, "philosophers", "-DN=3 -DORDERED", 6),
    row(Always, "philosophers", "-DN=4 -DORDERED", 14),
    row(Tiny, "treiber", "-DT=2", 40),
    row(Optimal, "treiber", "-DT=3", 25680),
    row(Tiny, "ticket", "-DT=2 -DN=2", 6),
    row(Always, "ticket", "-DT=3 -DN=1", 6),
    row(Always, "ticket", "-DT=3 -DN=2", 90),
    row(Tiny, "szymanski", "-DR=1 -DB=1", 103),
    row(Always, "szymanski", "-DR=1 -DB=2", 289),
    row(Always, "szymanski", "-DR=1 -DB=3", 703),
    row(Always, "szymanski", "-DR=1 -DB=4", 1507),
    row(Optimal, "szymanski", "-DR=1 -DB=5", 2911),
    row(Optimal, "szymanski", "-DR=1 -DB=6", 5173),
    row(All, "szymanski", "-DR=1 -DB=7", 8599),
    row(All, "szymanski", "-DR=1 -DB=8", 13543),
    row(Always, "szymanski", "-DR=2 -DB=1", 1991),
    row(All, "szymanski", "-DR=2 -DB=2", 22945),
    row(All, "szymanski", "-DR=2 -DB=3", 148_903),
    row(All, "szymanski", "-DR=3 -DB=1", 27951),
    row(Always, "queue", "", 32),
    // With a check at the end: as many, some of which fail there.
    fails(row(Tiny, "lost", "-DN=2 -DCHECK", 34), "assertion"),
    // With `if` in the place of `while`, whoever is started first.
    fails(row(Always, "queue", "-DIF", 32), "assertion"),
    fails(row(Always, "queue", "-DIF -DORDER=1,2,0", 32), "assertion"),
    fails(row(Always, "queue", "-DIF -DORDER=1,0,2", 32), "assertion"),
    fails(row(Tiny, "aba", "", 16), "assertion"),
    fails(row(Tiny, "aba", "-DORDER=1,0", 16), "assertion"),
];

/// The tests of `tests/packages/counts`, with the program and the flags of the row they repeat.
pub const TWINS: &[(&str, &str, &str)] = &[
    ("atomics::lost_1", "lost", "-DN=1"),
    ("atomics::lost_2", "lost", "-DN=2"),
    ("atomics::lost_2_checked", "lost", "-DN=2 -DCHECK"),
    ("atomics::fib_join_1", "fib_join", "-DN=1"),
    ("atomics::fib_join_2", "fib_join", "-DN=2"),
    ("atomics::fib_join_3", "fib_join", "-DN=3"),
    ("atomics::fib_join_4", "fib_join", "-DN=4"),
    ("atomics::fib_read_2", "fib_read", "-DN=2"),
    ("atomics::fib_read_3", "fib_read", "-DN=3"),
    ("atomics::writers_3", "writers", "-DN=3"),
    ("atomics::writers_5", "writers", "-DN=5"),
    ("atomics::ainc_3", "ainc", "-DN=3"),
    ("atomics::ainc_5", "ainc", "-DN=5"),
    ("atomics::readers_2", "readers", "-DN=2"),
    ("atomics::readers_8", "readers", "-DN=8"),
    ("atomics::lastzero_5", "lastzero", "-DN=5"),
    ("atomics::lastzero_10", "lastzero", "-DN=10"),
    ("locks::mutex_2x2", "mutex", "-DT=2 -DN=2"),
    ("locks::mutex_3x2", "mutex", "-DT=3 -DN=2"),
    ("locks::mutex_3x3", "mutex", "-DT=3 -DN=3"),
    ("locks::mutex_4x2", "mutex", "-DT=4 -DN=2"),
    ("locks::indexer_11", "indexer", "-DN=11"),
    ("locks::indexer_12", "indexer", "-DN=12"),
    ("locks::indexer_13", "indexer", "-DN=13"),
    ("locks::filesystem_13", "filesystem", "-DN=13"),
    ("locks::filesystem_14", "filesystem", "-DN=14"),
    ("locks::filesystem_16", "filesystem", "-DN=16"),
    ("locks::philosophers_3", "philosophers", "-DN=3"),
    ("locks::philosophers_5", "philosophers", "-DN=5"),
    ("locks::ordered_philosophers_3", "philosophers", "-DN=3 -DORDERED"),
    ("locks::ordered_philosophers_4", "philosophers", "-DN=4 -DORDERED"),
    ("locks::queue", "queue", ""),
    ("locks::queue_if", "queue", "-DIF"),
    ("locks::queue_if_consumers_first", "queue", "-DIF -DORDER=1,2,0"),
    ("locks::queue_if_producer_between", "queue", "-DIF -DORDER=1,0,2"),
    ("stacks::treiber_2", "treiber", "-DT=2"),
    ("stacks::treiber_3", "treiber", "-DT=3"),
    ("stacks::aba", "aba", ""),
    ("szymanski::szymanski_1_1", "szymanski", "-DR=1 -DB=1"),
    ("szymanski::szymanski_1_2", "szymanski", "-DR=1 -DB=2"),
    ("szymanski::szymanski_1_3", "szymanski", "-DR=1 -DB=3"),
    ("szymanski::szymanski_2_1", "szymanski", "-DR=2 -DB=1"),
];
