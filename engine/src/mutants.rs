//! Mistakes on purpose. Each rule that keeps the search sound (algorithms.md, "Rules"), and each promise of
//! minimising, is a place where a plausible program is wrong; a variant here is that plausible program, so
//! that tests can show that the suite notices.
//!
//! [`Config::mutant`](crate::Config::mutant) is `None` in all real use, and no command line sets it.

/// One rule, broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mutant {
    /// Rule 1: a thread is its number, not (parent, n-th child): what is kept about T3 is used where T3 is somebody else.
    ThreadsByNumber,
    /// Rule 2: a failed try_lock is taken to commute with everything, though it shows who held the
    /// mutex.
    FailedTriesCommute,
    /// Rule 2: two failed try_locks are taken to depend on each other.
    FailedTriesDepend,
    /// Rule 2: a notify is taken to commute with the enqueues of its condition variable.
    NotifiesCommuteWithEnqueues,
    /// Rule 2: two enqueues are taken to depend on each other.
    EnqueuesDepend,
    /// Rule 2: a time-out is taken to commute with what would have ended the wait.
    TimeoutsCommute,
    /// Rule 2, executor: a time-out is decided at the wait, and cannot come later.
    TimeoutsAtTheWait,
    /// Rule 2: a lock races with the unlock before it, which cannot be put behind it, in the place
    /// of the lock before that.
    LocksRaceWithUnlocks,
    /// Rule 2: what unfinished threads were about to do takes no part in race reversal.
    PendingIgnored,
    /// Rule 2: what unfinished threads were about to do takes part after deadlocks, and after no
    /// other end.
    PendingOfDeadlocksOnly,
    /// Rule 2: a step that ends the execution is taken to commute with what others do.
    EndsCommute,
    /// Rule 2, executor: decrements of a count are taken to commute though the last owner's drop can be noticed.
    NoticedOwnersCommute,
    /// Rule 2: an operation that sleeps is never woken up by a dependent one.
    NobodyWakes,
    /// Rule 2: of the operations of a step only the first one counts.
    PartsCommute,
    /// Rule 2: what follows a step of a thread that sleeps counts like any other.
    SleepersHide,
    /// Rule 2: where a thread that sleeps made a step, one awake thread is explored in its place though every one is to be.
    OneStandsIn,
    /// Rule 2: of steps of several operations too, no more belongs to a reversal than was done before its last step.
    ReversalsEndEarly,
    /// Rule 2: a writer that waits for readers comes before one of them, and never before several.
    OneReaderAside,
    /// Rule 2: of a step of several operations only the first one takes a read-write lock or gives it back.
    FirstOfLocks,
    /// Rule 3: only the outcome that the executor took is explored of a choice that a reversal
    /// brought about.
    OneOutcome,
    /// Rule 3: sleeping on one outcome of an operation puts its other outcomes to sleep.
    OutcomesSleepTogether,
    /// Rule 3: a reversal keeps the outcome that the moved event had, and looks for no others.
    OutcomesKept,
    /// Rule 4: the race detector orders accesses by the search's happens-before.
    DetectorOrdersAllDependent,
    /// Rule 4: the search takes only what synchronises for dependent.
    SearchOrdersSynchronisingOnly,
    /// Rule 4, executor: the last owner is not told to know what the others did.
    LastOwnerKnowsNothing,
    /// Rule 4, executor: an owner that another one could have dropped for goes on knowing what the others did.
    DropsNeverEnd,
    /// Rule 4, executor: what goes with its stack is not told, only used.
    ReturnsUntold,
    /// Rule 5: a sibling counts as explored once it was run, not from its insertion on.
    SiblingsCountWhenRun,
    /// Rule 5: siblings inserted later count as explored too.
    LaterSiblingsCount,
    /// Rule 5: a node forgets its siblings when its own execution was run, though others in
    /// flight may still insert at it.
    ClosedEarly,
    /// Rule 5: races before a node's own delta are left to its ancestors, which never see them.
    OnlyBelowOwnDelta,
    /// Rule 6: memory of states is accepted together with race reversal.
    StatesWithReversal,
    /// Rule 6: a state is not explored again although fewer preemptions were left the first time.
    StatesWithoutBudget,
    /// Rule 6: who is running is not part of the key, although a switch away from it is a preemption.
    StatesWithoutRunning,
    /// Rule 6: the key has no values that threads have read.
    KeyWithoutValues,
    /// Rule 6: of a walk through states, those in which nobody can go on are not run.
    WalkWithoutEnds,
    /// Rule 6: of a walk through states, accesses that race in one are not run.
    WalkWithoutRaces,
    /// Rule 7: a reduction that is unsound under a preemption bound is accepted with it.
    ReductionUnderBound,
    /// Rule 7: bounded reduction without the backtrack points that the bound makes necessary.
    NoBoundedPoints,
    /// Rule 8: failures are named as if the points were those of synchronisation.
    NamedWithoutGranularity,
    /// Rule 9, executor: a thread waits for a write although a value that it has read has changed
    /// since.
    WaitsThoughChanged,
    /// Rule 10: a prefix that did not repeat is followed silently.
    PrefixUnchecked,
    /// Minimising: any failure is taken for the one that is to be shown.
    AnyFailureWillDo,
    /// Minimising: what is below an execution is taken to cost what the whole execution does.
    WholeExecutionsBound,
    /// Minimising: a state is not explored again although another thread is running, to which no switch is needed.
    WhoRunsDoesNotMatter,
    /// Nearest passing execution: steps that do not depend on each other count as orders too.
    IndependentStepsCount,
    /// Rule 12, default search: a failure that was found with some preemptions is said to need as many, and
    /// nobody looks whether fewer do.
    FirstFoundIsSimplest,
    /// Rule 12, default search: a failure is said to be found after the executions of the part that found it.
    FoundAfterOwnRuns,
}

impl Mutant {
    /// The number of the rule; 0 for what minimising promises, which is none of them.
    pub fn rule(self) -> u32 {
        use Mutant::*;
        match self {
            ThreadsByNumber => 1,
            FailedTriesCommute
            | FailedTriesDepend
            | NotifiesCommuteWithEnqueues
            | EnqueuesDepend
            | TimeoutsCommute
            | TimeoutsAtTheWait
            | LocksRaceWithUnlocks
            | PendingIgnored
            | PendingOfDeadlocksOnly
            | EndsCommute
            | NoticedOwnersCommute
            | NobodyWakes
            | PartsCommute
            | SleepersHide
            | OneStandsIn
            | ReversalsEndEarly
            | OneReaderAside
            | FirstOfLocks => 2,
            OneOutcome | OutcomesSleepTogether | OutcomesKept => 3,
            DetectorOrdersAllDependent
            | SearchOrdersSynchronisingOnly
            | LastOwnerKnowsNothing
            | DropsNeverEnd
            | ReturnsUntold => 4,
            SiblingsCountWhenRun | LaterSiblingsCount | ClosedEarly | OnlyBelowOwnDelta => 5,
            StatesWithReversal | StatesWithoutBudget | StatesWithoutRunning | KeyWithoutValues
            | WalkWithoutEnds | WalkWithoutRaces => 6,
            ReductionUnderBound | NoBoundedPoints => 7,
            NamedWithoutGranularity => 8,
            WaitsThoughChanged => 9,
            PrefixUnchecked => 10,
            AnyFailureWillDo | WholeExecutionsBound | WhoRunsDoesNotMatter | IndependentStepsCount => 0,
            FirstFoundIsSimplest | FoundAfterOwnRuns => 12,
        }
    }
}
