// Written from the types in protocol/: UPDATE_EXPECT=1 cargo test -p raddle-protocol

/**
 * [`VERSION`], unless the other side said otherwise.
 */
export type Version = number;

/**
 * Nothing but the version.
 */
export type Empty = { 
/**
 * The version of this protocol.
 */
version: Version, };

/**
 * A place in the sources, from 1.
 */
export type Location = { 
/**
 * As the compiler recorded it, relative to the target's folder where it lies below it.
 */
file: string, 
/**
 * Line.
 */
line: number, 
/**
 * Column; 0 where it is not known.
 */
column: number, };

/**
 * The outcome in one word.
 */
export type Verdict = "passed" | "failed" | "incomplete" | "error";

/**
 * Who speaks.
 */
export type Hello = { 
/**
 * The version of this protocol.
 */
version: Version, 
/**
 * [`crate::PROTOCOL`] of the client.
 */
protocol: number, 
/**
 * Which build of Raddle the client is.
 */
build: string, 
/**
 * `lsp`, `dap`, `gui` or `cli`.
 */
face: string, 
/**
 * Variables of its environment that say how is built ([`ENVIRONMENT`]).
 */
environment: { [key in string]: string }, };

/**
 * Who answers. A client of another protocol or build is answered too, so that it can offer a
 * restart; anything but `raddle/quit` is then refused.
 */
export type HelloResult = { 
/**
 * The version of this protocol.
 */
version: Version, 
/**
 * [`crate::PROTOCOL`] of the host.
 */
protocol: number, 
/**
 * Which build of Raddle the host is.
 */
build: string, 
/**
 * Process of the host.
 */
pid: number, 
/**
 * The workspace's root.
 */
root: string, 
/**
 * What is prioritised.
 */
focus: Focus, 
/**
 * Variables that are otherwise in the client's environment, in sentences: the host's count.
 */
otherwise: Array<string>, };

/**
 * The tests of a target, from its sources, without building.
 */
export type TestsParams = { 
/**
 * The version of this protocol.
 */
version: Version, 
/**
 * As on the command line; relative to the workspace's root.
 */
target: string, };

/**
 * What a target has.
 */
export type TestsResult = { 
/**
 * The version of this protocol.
 */
version: Version, 
/**
 * The target as it was named.
 */
target: string, 
/**
 * Its tests.
 */
tests: Array<TestItem>, 
/**
 * Its functions: what can be prioritised.
 */
methods: Array<MethodItem>, 
/**
 * Its variables that look shared.
 */
variables: Array<VariableItem>, };

/**
 * One test.
 */
export type TestItem = { 
/**
 * Its name.
 */
name: string, 
/**
 * Where it is written.
 */
location: Location | null, 
/**
 * Not run unless asked for by its whole name.
 */
ignore: boolean, };

/**
 * One function.
 */
export type MethodItem = { 
/**
 * Qualified name.
 */
name: string, 
/**
 * Where it is written.
 */
location: Location, 
/**
 * Its last line.
 */
end_line: number, 
/**
 * Its schedule points.
 */
points: number, };

/**
 * One variable.
 */
export type VariableItem = { 
/**
 * Its name.
 */
name: string, 
/**
 * The function or type it belongs to; empty for a global.
 */
within: string, 
/**
 * Where it is written.
 */
location: Location, };

/**
 * A test as its file alone names it: `tests::moves_money`, without the modules around the file. It is looked for in the
 * saved text.
 */
export type TestInFile = { 
/**
 * Where it is written.
 */
file: string, 
/**
 * Its name there.
 */
test: string, };

/**
 * Which tests to explore, and how.
 */
export type ExploreParams = { 
/**
 * The version of this protocol.
 */
version: Version, 
/**
 * As on the command line; relative to the workspace's root.
 */
target: string, 
/**
 * Substring filters as on the command line; empty for all tests.
 */
tests: Array<string>, 
/**
 * `tests` are whole names.
 */
exact: boolean, 
/**
 * Take the tests that are written at this line of the saved text instead of naming them. The language server
 * takes the line for one of the text that its editor has.
 */
at?: Location, 
/**
 * Take the test of this name in a file instead of naming it whole; `at` says nothing then.
 */
in_file?: TestInFile, 
/**
 * More words of `raddle explore`'s command line: `--bound`, `preemptions=2`, …
 */
options: Array<string>, 
/**
 * What the session is called until it knows its tests' names.
 */
label?: string, };

/**
 * A session has begun.
 */
export type ExploreResult = { 
/**
 * The version of this protocol.
 */
version: Version, 
/**
 * The session of the first test. Further tests of the request get sessions of their own, told
 * by notifications that have this number as their [`SessionState::request`].
 */
session: number, };

/**
 * A session that is meant.
 */
export type SessionParams = { 
/**
 * The version of this protocol.
 */
version: Version, 
/**
 * Its number.
 */
session: number, };

/**
 * What to prioritise from now on, in running searches and in those to come. It replaces what was
 * prioritised before.
 */
export type FocusParams = { 
/**
 * The version of this protocol.
 */
version: Version, 
/**
 * Functions, by the ends of their names.
 */
methods: Array<string>, 
/**
 * Variables, as reports name them.
 */
variables: Array<string>, };

/**
 * What is prioritised in the workspace.
 */
export type Focus = { 
/**
 * The version of this protocol.
 */
version: Version, 
/**
 * Functions.
 */
methods: Array<string>, 
/**
 * Variables.
 */
variables: Array<string>, };

/**
 * Whose stored schedules are asked for.
 */
export type SchedulesParams = { 
/**
 * The version of this protocol.
 */
version: Version, 
/**
 * The target; relative to the workspace's root.
 */
target: string, 
/**
 * Only those of this test, if one is named.
 */
test?: string, };

/**
 * Stored schedules, the newest first.
 */
export type SchedulesResult = { 
/**
 * The version of this protocol.
 */
version: Version, 
/**
 * Each with its file.
 */
schedules: Array<StoredSchedule>, };

/**
 * One stored schedule.
 */
export type StoredSchedule = { 
/**
 * Its file.
 */
file: string, 
/**
 * The test.
 */
test: string, 
/**
 * The schedule.
 */
schedule: string, 
/**
 * Kind and message of its failure; empty for one that was saved by hand and passes.
 */
failure: string, };

/**
 * The execution that is asked for: of a session, or of a target and a test.
 */
export type TraceParams = { 
/**
 * The version of this protocol.
 */
version: Version, 
/**
 * The session whose test is meant.
 */
session?: number, 
/**
 * The target, where no session is named.
 */
target?: string, 
/**
 * The test's whole name, where no session is named.
 */
test?: string, 
/**
 * The schedule, or a file with one.
 */
schedule: string, };

/**
 * What to do after a choice was made by hand.
 */
export type Then = "pause" | "search";

/**
 * Why a schedule of a session's test fails: that of one of its failures, or any other. It takes executions, up to ten
 * seconds of them. Lines are named as in reports.
 */
export type ExplainParams = { 
/**
 * The version of this protocol.
 */
version: Version, 
/**
 * The session whose test is meant.
 */
session: number, 
/**
 * The schedule, or a file with one.
 */
schedule?: string, 
/**
 * Where no schedule is named: which of the session's failures, from 0.
 */
failure?: number, };

/**
 * The execution that passes and is nearest to one that fails: it gives up the fewest orders of its operations (and choices). It
 * takes executions, up to ten seconds of them.
 */
export type NearestPassing = { 
/**
 * The version of this protocol.
 */
version: Version, 
/**
 * The failing schedule.
 */
failing: string, 
/**
 * The one that passes; null if none was found.
 */
passing: string | null, 
/**
 * How many orders of two operations, and choices, are otherwise in it.
 */
distance: number, 
/**
 * No other one that passes is nearer, or, where none was found, none passes: all that could be were run, but for those that
 * take turns unfairly.
 */
nearest: boolean, 
/**
 * What is otherwise in it, in sentences: those that say most, the first ones first.
 */
otherwise: Array<string>, 
/**
 * Executions that were run for this.
 */
executions: number, };

/**
 * Why one execution fails.
 */
export type Explanation = { 
/**
 * The kind of mistake, where it is known.
 */
mistake: Mistake | null, 
/**
 * What decides, in the order of the failing execution. Each was turned around with all others kept, as far as they still
 * happened, and the test passed (where the program races anyway, but for that).
 */
deciding: Array<Deciding>, 
/**
 * The two accesses of a data race, which nothing orders.
 */
unordered?: Array<Order>, 
/**
 * No execution passes in which all of `deciding` happens as it did: all that could be one were run.
 */
enough: boolean, 
/**
 * An execution that passes, as `raddle replay` takes it: the nearest of those that `deciding` names.
 */
passing: string | null, 
/**
 * The same word for failures of one cause: the same orders and choices decide about them, by functions, lines and
 * objects, whichever of threads that run the same function it is. None where what decides is not known for certain.
 */
cause?: string, 
/**
 * The first of the report's failures with that cause, from 0, if it is another one. That one is shown.
 */
same_cause_as?: number, 
/**
 * Executions that were run for this.
 */
executions: number, 
/**
 * Every execution that was run for this fails the same way: so many.
 */
always?: number, 
/**
 * No execution passes, though they may fail in several ways: nothing decides that this one fails.
 */
none_passes?: boolean, 
/**
 * What ended the search for it early, where `enough` is not known: `10 s`, `20,000 executions`, `Ctrl-C`.
 */
cut_short?: string, 
/**
 * A schedule that fails the same way and is simpler, where one was looked for and found (`raddle explain`).
 */
simpler?: string, 
/**
 * What is shown beside what decides, the most telling first: what the end was judged by, who had made that, where
 * sections ended in between.
 */
context?: Array<Operation>, 
/**
 * What the variables of a failed assertion were when it failed, as far as that is known; of `assert_eq!` and `assert_ne!` `left` and `right`.
 */
saw?: Array<Value>, 
/**
 * What happens, in sentences.
 */
story: Array<string>, 
/**
 * The whole text as it is shown: at most 24 lines of at most 100 columns.
 */
text: Array<string>, };

/**
 * What a variable was.
 */
export type Value = { 
/**
 * The variable, as the source writes it: `q->head->n`.
 */
name: string, 
/**
 * Its value, as the language writes it.
 */
value: string, };

/**
 * The kind of mistake, and what is meant in this program.
 */
export type Mistake = { 
/**
 * `atomicity violation`, `order violation`, `missed notification` (it comes too early, or wakes another one),
 * `missing notification` (nobody gives one), `lock order`, `lock upgrade` (a reader wants to write), `lock taken twice`,
 * `lock not released` (its thread has ended), `thread not joined` (a `std::thread` of C++), `try given up`, `time-out ignored`, `join under lock`, `wait under lock`, `initialisation cycle`, `recursive read lock`,
 * `barrier` (fewer come than it waits for), `channel cycle`, `sender kept`, `receiver kept`, `receiver dropped` (while others send), `check then act` (two calls of a
 * library), `object lifetime` (a use during construction or destruction), `stale flag` (what it was set for has
 * changed), `unprotected access`, `use after free`, `misuse` (what POSIX leaves undefined) or `other`.
 */
kind: string, 
/**
 * One sentence that says what to do about it, with the program's names.
 */
text: string, 
/**
 * What should be one step.
 */
section?: Section, 
/**
 * The variables and locks it is about.
 */
objects?: Array<string>, };

/**
 * A stretch of one thread that should be one step.
 */
export type Section = { 
/**
 * The thread, `T1`.
 */
thread: string, 
/**
 * The function that both ends are in; the innermost such.
 */
method: string, 
/**
 * Its first line.
 */
from: Location, 
/**
 * Its last line.
 */
to: Location, };

/**
 * Something that decides. Of its two forms exactly one is there.
 */
export type Deciding = { 
/**
 * An order of two operations.
 */
order?: Order, 
/**
 * A choice.
 */
choice?: Choice, 
/**
 * An execution in which it is otherwise, as `raddle replay` takes it; it passes, but for the races of `but_races`.
 */
passing: string, 
/**
 * What is accessed there by two threads in no order: the failure happens without that. Empty where nothing races.
 */
but_races?: Array<string>, 
/**
 * How many orders and choices that one gives up, this one included.
 */
distance: number, };

/**
 * Two operations of different threads that conflict, in the order in which they came.
 */
export type Order = { 
/**
 * Came first.
 */
first: Operation, 
/**
 * Came after it.
 */
then: Operation, };

/**
 * A choice that was made.
 */
export type Choice = { 
/**
 * At which operation.
 */
at: Operation, 
/**
 * What was chosen, as in schedules: `w3`, `i7`, `timeout`.
 */
chosen: string, 
/**
 * What passes. Of `timeout` it is empty: the wait ends before its time is over.
 */
instead: string, };

/**
 * One operation of the failing execution.
 */
export type Operation = { 
/**
 * Its place among the failure's `events`; null if the test failed before the thread made it.
 */
event: number | null, 
/**
 * Step number, as in schedules; null for what is not a schedule point, or was not made.
 */
step: number | null, 
/**
 * `T1`.
 */
thread: string, 
/**
 * The function that the thread runs; its name where it has one.
 */
role: string, 
/**
 * What it does, as `events` say it: `load`, `lock`, `notify one`, `wait`, …
 */
operation: string, 
/**
 * To what.
 */
object: string, 
/**
 * The value read or written, as the language writes it, where it is known.
 */
value?: string, 
/**
 * The innermost function it is done in.
 */
method: string, 
/**
 * Where.
 */
location: Location | null, 
/**
 * The lines that called the function, innermost first, as far as the test's own sources go.
 */
called_on?: Array<Location>, 
/**
 * The locks that its thread held when it came, but for those that it takes; null where it was not made.
 */
holding?: Array<string>, 
/**
 * How often its thread had come to this place by these calls, this time counted, if that is more than once; of steps only.
 */
time?: number, };

/**
 * A choice made by hand.
 */
export type SteerParams = { 
/**
 * The version of this protocol.
 */
version: Version, 
/**
 * The session.
 */
session: number, 
/**
 * The schedule up to the choice; differences at or after `step` are left out.
 */
prefix: string, 
/**
 * The step at which the choice is made.
 */
step: number, 
/**
 * What is chosen: `T2`, `w3`, `timeout`, …
 */
choice: string, 
/**
 * What to do then.
 */
then: Then, };

/**
 * Where the choice led.
 */
export type SteerResult = { 
/**
 * The version of this protocol.
 */
version: Version, 
/**
 * The schedule that was made.
 */
schedule: string, 
/**
 * The event at which it stands: the first step after the choice was carried out, where the next
 * choice can be made; one past the last event when the execution is over.
 */
event: number, 
/**
 * How the execution ends by default behaviour.
 */
outcome: string, 
/**
 * The session: the same one, or with [`Then::Search`] that of the new search.
 */
session: number, };

/**
 * Which execution and which of its events the faces of a session show.
 */
export type ShowParams = { 
/**
 * The version of this protocol.
 */
version: Version, 
/**
 * The session.
 */
session: number, 
/**
 * The schedule.
 */
schedule: string, 
/**
 * The selected event.
 */
event: number, };

/**
 * What to keep.
 */
export type SaveParams = { 
/**
 * The version of this protocol.
 */
version: Version, 
/**
 * The session.
 */
session: number, 
/**
 * The schedule.
 */
schedule: string, };

/**
 * Where it is kept.
 */
export type SaveResult = { 
/**
 * The version of this protocol.
 */
version: Version, 
/**
 * The file.
 */
file: string, 
/**
 * The command that runs it.
 */
replay: string, };

/**
 * Every session of the host.
 */
export type SessionsResult = { 
/**
 * The version of this protocol.
 */
version: Version, 
/**
 * By number.
 */
sessions: Array<SessionState>, };

/**
 * What a session does now.
 */
export type State = "building" | "queued" | "exploring" | "paused" | "done";

/**
 * How bad what a compiler says is.
 */
export type Severity = "error" | "warning";

/**
 * A compiler's message about a place of a source.
 */
export type Problem = { 
/**
 * How bad it is.
 */
severity: Severity, 
/**
 * Its first line.
 */
message: string, 
/**
 * Where; columns count bytes from 1.
 */
location: Location, 
/**
 * The column behind what is meant.
 */
end_column: number, };

/**
 * A session as it stands, whole, in every notification.
 */
export type SessionState = { 
/**
 * The version of this protocol.
 */
version: Version, 
/**
 * Its number.
 */
session: number, 
/**
 * The number of the first session of the same request.
 */
request: number, 
/**
 * Counts the notifications of this session.
 */
revision: number, 
/**
 * The target as it was named.
 */
target: string, 
/**
 * The test; while building, the request's label, or else what was asked for.
 */
test: string, 
/**
 * Where the test is written.
 */
location: Location | null, 
/**
 * When it was asked for, in milliseconds since 1970: what was saved later is not in what it builds.
 */
begun: number, 
/**
 * What it does now.
 */
state: State, 
/**
 * How it ended, once it has.
 */
verdict: Verdict | null, 
/**
 * How many executions.
 */
counts: Counts, 
/**
 * The preemption bound.
 */
bound: BoundState, 
/**
 * How many executions there are in all, where something can be said.
 */
estimate?: Estimate, 
/**
 * Executions a second, lately.
 */
rate: number, 
/**
 * Seconds searched, pauses left out.
 */
seconds: number, 
/**
 * Executions, and what was distinct among them, over time.
 */
coverage: Array<CoveragePoint>, 
/**
 * Failures so far; whole once the session is done.
 */
failures: Array<SessionFailure>, 
/**
 * Warnings, once the session is done.
 */
warnings: Array<string>, 
/**
 * What holds, in one sentence, once the session is done.
 */
guarantee: string, 
/**
 * Why it could not be run.
 */
error: string, 
/**
 * The compiler's messages where it could not be built.
 */
problems: Array<Problem>, 
/**
 * What it prefers, and how often it did.
 */
focus: FocusState, 
/**
 * What its faces show.
 */
shown: Shown | null, 
/**
 * The schedule that all its executions begin with, where it searches below a choice made by
 * hand.
 */
below: string | null, 
/**
 * Where switches may happen, once it is built: what all its schedules begin with, as
 * `sync@default` does.
 */
granularity?: string, };

/**
 * How many executions.
 */
export type Counts = { 
/**
 * Of any outcome.
 */
executions: number, 
/**
 * Passed.
 */
passed: number, 
/**
 * Failed.
 */
failed: number, 
/**
 * Ended with no thread able to run.
 */
deadlocked: number, 
/**
 * Cut off in any way.
 */
cut_off: number, 
/**
 * Known and not yet run.
 */
waiting: number, };

/**
 * The preemption bound.
 */
export type BoundState = { 
/**
 * Preemptions of the execution run last.
 */
current: number, 
/**
 * The highest number of preemptions whose executions have all been run.
 */
completed: number | null, };

/**
 * How many executions there are in all.
 */
export type Estimate = { 
/**
 * Probably so many, those that were run included.
 */
executions: number, 
/**
 * Hardly fewer.
 */
low: number, 
/**
 * Hardly more.
 */
high: number, 
/**
 * `high`: the range is a third to both sides; `medium`: a factor of two; `low`: up to ten.
 */
confidence: string, 
/**
 * Share of them that was run, from 0 to 1.
 */
share: number, 
/**
 * Those with at most so many preemptions are meant; null for all within the bound.
 */
preemptions: number | null, 
/**
 * `≈ 12 % of about 45,000 (30,000–80,000)`.
 */
text: string, };

/**
 * A point of the coverage curve.
 */
export type CoveragePoint = { 
/**
 * Executions by then.
 */
executions: number, 
/**
 * Distinct happens-before classes among them.
 */
classes: number, 
/**
 * Distinct states, where they are counted.
 */
states?: number, 
/**
 * All executions with at most so many preemptions had been run, and not yet at the point before.
 */
bound?: number, };

/**
 * What a search prefers, and how often it did.
 */
export type FocusState = { 
/**
 * Functions.
 */
methods: Array<string>, 
/**
 * Variables.
 */
variables: Array<string>, 
/**
 * Executions run since the focus last changed whose last difference switches between two of
 * them.
 */
high: number, 
/**
 * … that concerns one of them.
 */
medium: number, 
/**
 * … that concerns none.
 */
low: number, };

/**
 * What the faces of a session show.
 */
export type Shown = { 
/**
 * The schedule; ask for it with `raddle/trace`.
 */
schedule: string, 
/**
 * The selected event.
 */
event: number, 
/**
 * Counts the changes.
 */
revision: number, 
/**
 * It was made by hand.
 */
steered: boolean, };

/**
 * A failure, with what an editor shows of it.
 */
export type SessionFailure = { 
/**
 * As in the `--json` report.
 */
kind: string, 
/**
 * What it says.
 */
message: string, 
/**
 * Where; its file is absolute.
 */
location: Location | null, 
/**
 * As `raddle replay` takes it.
 */
schedule: string, 
/**
 * Preemptions of its schedule.
 */
preemptions: number, 
/**
 * Executions up to and with this one.
 */
found_after: number, 
/**
 * The kind of mistake, where it is known.
 */
mistake?: Mistake, 
/**
 * Why it fails, line by line.
 */
explanation: Array<string>, 
/**
 * The command that shows it again.
 */
replay: string, 
/**
 * Its preemptions: before which place which thread was stopped.
 */
related: Array<Related>, 
/**
 * The orders and choices that decide about it, once the session is done. Events are those of the execution that
 * `raddle/trace` gives of the schedule; files are absolute.
 */
deciding?: Array<Deciding>, 
/**
 * The two accesses of a data race, in the same way.
 */
unordered?: Array<Order>, };

/**
 * One preemption of a failing schedule.
 */
export type Related = { 
/**
 * From 1, as in the text.
 */
number: number, 
/**
 * `① T1 transfer is preempted here, T2 audit runs`.
 */
message: string, 
/**
 * Where the preempted thread stood; its file is absolute.
 */
location: Location | null, };

/**
 * One execution.
 */
export type Interleaving = { 
/**
 * The version of this protocol.
 */
version: Version, 
/**
 * The target as it was named.
 */
target: string, 
/**
 * The test.
 */
test: string, 
/**
 * The schedule, as `raddle replay` takes it.
 */
schedule: string, 
/**
 * How it ended: `passed`, or the kind of its failure as in the `--json` report, or
 * `truncated`, `assume-blocked`, `diverged`.
 */
outcome: string, 
/**
 * What the failure says; empty where there is none.
 */
message: string, 
/**
 * Where it failed.
 */
location: Location | null, 
/**
 * Preemptions.
 */
preemptions: number, 
/**
 * Its threads by number.
 */
threads: Array<Lane>, 
/**
 * Its operations in order. All of them: schedule points, and where they were recorded plain
 * accesses too.
 */
events: Array<Step>, 
/**
 * What unfinished threads were about to do when it ended.
 */
pending: Array<Pending>, 
/**
 * What the program printed.
 */
output: string, 
/**
 * Why it fails, line by line.
 */
explanation: Array<string>, 
/**
 * The command that runs it.
 */
replay: string, 
/**
 * The schedule that was given is of another build or other options: its steps may mean
 * something else now.
 */
stale: boolean, };

/**
 * One thread.
 */
export type Lane = { 
/**
 * Its number: 2 for T2.
 */
thread: number, 
/**
 * Its name, or the function it began with; empty where neither is known.
 */
name: string, 
/**
 * Where it was spawned.
 */
spawned: Location | null, 
/**
 * Its first event.
 */
first: number, 
/**
 * Its last event.
 */
last: number, };

/**
 * One operation. Places have absolute files.
 */
export type Step = { 
/**
 * Its index in [`Interleaving::events`].
 */
event: number, 
/**
 * Its step, as in schedules; absent for what is no schedule point.
 */
step: number | null, 
/**
 * Who.
 */
thread: number, 
/**
 * What, in one word: `lock`, `store`, …
 */
operation: string, 
/**
 * To what; empty where there is no object.
 */
object: string, 
/**
 * The mutex that a wait releases, or that its thread takes again; empty elsewhere.
 */
other?: string, 
/**
 * Value read, written or returned, where it is known; as text, since it may need 64 bits.
 */
value: string | null, 
/**
 * In words: `locks accounts[0]`.
 */
text: string, 
/**
 * The innermost function with a marker; empty where there is none.
 */
method: string, 
/**
 * The locks that its thread held when it came, without those that it takes itself.
 */
holding?: Array<string>, 
/**
 * Where.
 */
location: Location | null, 
/**
 * It changed nothing.
 */
failed: boolean, 
/**
 * It concerns an object that another thread works with as well.
 */
matters: boolean, 
/**
 * The preemption right before it.
 */
preemption: Preempted | null, 
/**
 * Threads that could have run at this step, its own included; empty for what is no step.
 */
enabled: Array<number>, 
/**
 * Threads that exist, have not ended and could not run.
 */
waiting: Array<number>, };

/**
 * A switch away from a thread that could have gone on.
 */
export type Preempted = { 
/**
 * From 1.
 */
number: number, 
/**
 * Who was preempted.
 */
thread: number, 
/**
 * Before which place of theirs.
 */
before: Location | null, 
/**
 * The locks it held.
 */
holding: Array<string>, };

/**
 * What a thread was about to do when the execution ended.
 */
export type Pending = { 
/**
 * Who.
 */
thread: number, 
/**
 * What, in words: `locks a`.
 */
text: string, 
/**
 * Where.
 */
location: Location | null, };
