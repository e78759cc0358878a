//! The primitives of pthreads, each used rightly and wrongly (`tests/programs/primitives`): the verdict, the fewest preemptions, and
//! how many executions there are up to reordering, as counted by hand.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{Scratch, assert_rolled_back};

/// Explores a program with these options and compiler flags.
fn explore(program: &str, flags: &str, options: &str) -> Report {
    explore_in(&scratch(program), flags, options)
}

/// The same in a folder with the program, which is compiled once for the same flags.
fn explore_in((scratch, file): &(Scratch, String), flags: &str, options: &str) -> Report {
    let run = scratch.raddle(&format!("explore {file} {options}")).arg("--cflags").arg(flags).json();
    run.report().clone()
}

/// A folder with the program, and its file: of C where nothing else is said.
fn scratch(program: &str) -> (Scratch, String) {
    let file = if program.contains('.') { program.to_string() } else { format!("{program}.c") };
    (Scratch::with(&format!("tests/programs/primitives/{file}")), file)
}

/// The right program: everything passes, with every reduction, which leaves one execution of each class; and without a
/// reduction there are as many classes.
#[track_caller]
fn right(program: &str, flags: &str, classes: u64) {
    right_in(&scratch(program), program, flags, classes);
}

#[track_caller]
fn right_in(folder: &(Scratch, String), program: &str, flags: &str, classes: u64) {
    for reduce in ["optimal", "source", "persistent", "sleep"] {
        let report = explore_in(folder, flags, &format!("--reduce {reduce}"));
        assert!(
            report.verdict == Verdict::Passed && report.complete,
            "{program} {flags} {reduce}: {report:#?}"
        );
        assert_rolled_back(&report);
        assert!(report.warnings.is_empty(), "{program} {flags} {reduce}: {report:#?}");
        assert!(report.executions >= classes, "{program} {flags} {reduce}: {}", report.executions);
        if reduce == "optimal" {
            assert_eq!(report.executions, classes, "{program} {flags}");
        }
    }
}

/// The same where all executions without a reduction are few enough to be run.
#[track_caller]
fn right_in_all(program: &str, flags: &str, classes: u64) {
    let folder = scratch(program);
    right_in(&folder, program, flags, classes);
    let report = explore_in(&folder, flags, "--reduce none --bound none");
    assert!(report.verdict == Verdict::Passed && report.complete, "{program} {flags}: {report:#?}");
    assert_eq!(report.classes, Some(classes), "{program} {flags}");
}

/// The wrong program: a failure of this kind, whose message begins so, with so many preemptions at least, whether
/// everything is run or a reduction leaves out; and the schedule leads there again.
#[track_caller]
fn wrong(program: &str, flags: &str, kind: &str, message: &str, preemptions: u32) {
    let folder = scratch(program);
    let mut schedule = None;
    for options in ["--bound none --reduce none", "--reduce optimal", "--bound iterative"] {
        let report = explore_in(&folder, flags, &format!("{options} --keep-going --executions 20000"));
        let found: Vec<_> =
            report.failures.iter().filter(|f| f.kind == kind && f.message.starts_with(message)).collect();
        assert!(
            !found.is_empty(),
            "{program} {flags} {options}: no {kind} {message:?} in {:#?}",
            report.failures
        );
        let fewest = found.iter().map(|f| f.preemptions).min();
        assert_eq!(fewest, Some(preemptions), "{program} {flags} {options}: {found:#?}");
        schedule = found.iter().find(|f| f.preemptions == preemptions).map(|f| f.schedule.clone());
    }
    let (Some(schedule), (scratch, file)) = (schedule, folder) else { panic!("no schedule") };
    let test = file.split('.').next().unwrap_or_default();
    let words = format!("replay {file} {test} {schedule}");
    let again = scratch.raddle(&words).arg("--cflags").arg(flags).json().exits(1);
    let again = &again.report().failures;
    assert!(again.iter().any(|f| f.kind == kind && f.message.starts_with(message)), "{again:#?}");
}

/// The program is refused, with these words.
#[track_caller]
fn refused(program: &str, flags: &str, words: &str) {
    let (scratch, file) = scratch(program);
    let run = scratch.raddle(&format!("explore {file}")).arg("--cflags").arg(flags).json().exits(2);
    let error = run.report().error.as_ref().expect("an error");
    assert!(error.message.contains(words), "{program} {flags}: {error:#?}");
}

/// Readers commute, a writer with nobody: each writer is before or behind each reader, and writers are in some order.
#[test]
fn read_write_locks() {
    right("rwlock", "-DREADERS=2 -DWRITERS=0", 1);
    right_in_all("rwlock", "-DREADERS=1 -DWRITERS=1", 2);
    right("rwlock", "-DREADERS=2 -DWRITERS=1", 4);
    right("rwlock", "-DREADERS=3 -DWRITERS=1", 8);
    right("rwlock", "-DREADERS=1 -DWRITERS=2", 6);
    // Reading comes first or does not; of four sections two write, and two threads do one of each.
    right_in_all("rwlock", "-DTWO=upgrader", 4);
    right_in_all("rwlock", "-DBODY=stranger", 1);
    // What POSIX and glibc have error numbers for.
    right_in_all("rwlock", "-DALONE", 1);
}

#[test]
fn read_write_locks_used_wrongly() {
    wrong("rwlock", "-DWRONG=1", "data-race", "data race on left", 0);
    wrong(
        "rwlock",
        "-DWRONG=2 -DTWO=upgrader",
        "deadlock",
        "deadlock: T1 waits to write-lock lock, which it holds",
        0,
    );
    let unlock = "unlock of a read-write lock that is not held: T1 unlocks lock, which ";
    wrong("rwlock", "-DWRONG=3 -DBODY=stranger", "crash", &format!("{unlock}nobody holds"), 0);
    wrong("rwlock", "-DWRONG=6 -DALONE", "crash", "use after destroy: T0 locks lock, which T0 destroyed", 0);
    wrong(
        "rwlock",
        "-DWRONG=7 -DALONE",
        "crash",
        "destroy while in use: T0 destroys lock, which it holds itself",
        0,
    );
}

/// One before the other; or the second comes while the first has it, and falls asleep before that gives it back or sees that it did. A
/// thread that tries to read while main does cannot where a writer waits; nor can who gives it back then take it again before that one
/// (49 as counted by running everything).
///
/// A wait with a time limit: the attempt before or behind the reader's section, with the reader before, asleep or awake behind the
/// writer's (1 + 1 + 2); within it, and then woken, too late to fall asleep, or at its end by the time before or behind the reader's
/// unlock (4). A try before the writer comes: that one comes behind main's unlock (1), behind the reader's (asleep before the
/// reader looks for whom to wake, and then as below; behind that; or never: 3 + 1 + 1), or before it (asleep before the reader's unlock; not any more, and then asleep, or not, or trying again behind main's unlock; too late
/// for both: 5); or behind it: asleep before the try, behind it, or never (3).
#[test]
fn read_write_locks_that_let_writers_go_first() {
    right_in_all("writers_first", "", 6);
    right_in_all("writers_first", "-DTIMED", 8);
    right_in_all("writers_first", "-DTRIES", 14);
    right_in_all("writers_first", "-DHANDS", 49);
    right_in_all("writers_first", "-DAGAIN -DKIND=PTHREAD_RWLOCK_PREFER_READER_NP", 1);
    let tried = "assertion `error == 0 || (error == EBUSY && WRONG != 1)` failed in reader";
    wrong("writers_first", "-DTRIES -DWRONG=1", "assertion", tried, 0);
    wrong("writers_first", "-DAGAIN", "deadlock", "deadlock: T0 waits", 1);
    let unlock = "unlock of a read-write lock that is not held: T1 unlocks lock, which nobody holds";
    wrong("writers_first", "-DWRONG=2", "crash", unlock, 0);
    wrong("writers_first", "-DWRONG=3", "data-race", "data race on left", 0);
}

/// They are told as locks, and not as the word that they are made of.
#[test]
fn how_locks_that_let_writers_go_first_are_told() {
    let (scratch, file) = scratch("writers_first");
    let run = scratch.raddle(&format!("explore {file}")).arg("--cflags").arg("-DAGAIN").run().exits(1);
    for told in [
        "T0 preempted before :77, holding lock",
        "begins to wait to write-lock lock",
        "cannot read-lock lock",
    ] {
        assert!(run.stdout.contains(told), "{told}: {}", run.stdout);
    }
}

/// A try sees that it cannot have the lock, or has it before or behind the other: so does a wait with a time limit.
#[test]
fn tries_and_time_limits_of_read_write_locks() {
    right_in_all("rwlock", "-DTWO=trier", 4);
    right_in_all("rwlock", "-DTWO=patient", 4);
    wrong("rwlock", "-DWRONG=4 -DTWO=trier", "assertion", "assertion `left == right` failed in main", 1);
    wrong("rwlock", "-DWRONG=4 -DTWO=trier", "data-race", "data race on left", 1);
    let unlock = "unlock of a read-write lock that is not held: T2 unlocks lock, which T1 holds";
    wrong("rwlock", "-DWRONG=5 -DTWO=patient", "crash", unlock, 1);
}

/// Who comes first to a barrier is the other one's last: of n threads every order of a round is its own class.
#[test]
fn barriers() {
    right_in_all("barrier", "-DTHREADS=2", 2);
    right("barrier", "-DTHREADS=3", 6);
    right("barrier", "-DTHREADS=2 -DROUNDS=2", 8);
    wrong("barrier", "-DWRONG=1 -DROUNDS=2", "data-race", "data race on slots", 0);
    wrong("barrier", "-DWRONG=2", "deadlock", "deadlock: T1 waits at barrier; T2 waits at barrier", 0);
    let early = "destroy while in use: T0 destroys barrier, T1 waits at it, and nothing orders the two";
    wrong("barrier", "-DWRONG=3", "crash", early, 0);
}

#[test]
fn spin_locks() {
    right_in_all("spin", "-DTHREADS=2", 2);
    right("spin", "-DTHREADS=3", 6);
    wrong("spin", "-DWRONG=1", "data-race", "data race on count", 1);
    let unlock = "unlock of a mutex that is not held: T2 unlocks lock, which T1 holds";
    wrong("spin", "-DWRONG=1", "crash", unlock, 1);
    wrong("spin", "-DWRONG=2", "deadlock", "deadlock: T1 waits to lock lock, which it holds itself", 0);
    wrong("spin", "-DWRONG=3", "crash", "use after destroy: T0 locks lock, which T0 destroyed", 0);
}

/// With a time limit a lock is had before or behind the other thread's, or given up while that has it.
#[test]
fn mutexes_with_a_time_limit() {
    right_in_all("timed_mutex", "", 3);
    let unlock = "unlock of a mutex that is not held: T1 unlocks mutex, which T2 holds";
    wrong("timed_mutex", "-DWRONG=1", "crash", unlock, 1);
    wrong("timed_mutex", "-DWRONG=1", "data-race", "data race on count", 1);
}

/// Whoever comes behind the thread that ends with the mutex is told: each order of the sections. A try comes before the lock,
/// while it lasts or behind the end, and a wait with a time limit ends by it while it lasts.
#[test]
fn robust_mutexes() {
    right_in_all("robust", "", 2);
    right("robust", "-DHEIRS=2", 6);
    right_in_all("robust", "-DTRY", 3);
    right_in_all("robust", "-DTIMED", 3);
    right_in_all("robust", "-DTYPE=PTHREAD_MUTEX_RECURSIVE", 2);
    right_in_all("robust", "-DTYPE=PTHREAD_MUTEX_ERRORCHECK", 2);
    right_in_all("robust", "-DWAITS", 2);
    // The main thread ends like any other.
    right_in_all("robust", "-DMAIN", 2);
}

/// Given back without having been set right, by an unlock or a wait, it is lost for whoever comes then.
#[test]
fn robust_mutexes_used_wrongly() {
    let lost = "assertion `error != ENOTRECOVERABLE` failed in main";
    wrong("robust", "-DWRONG=1", "assertion", lost, 0);
    wrong("robust", "-DWRONG=1 -DHEIRS=2", "assertion", lost, 0);
    let timed_out = "assertion `pthread_cond_timedwait(&never, &mutex, &past) == ETIMEDOUT` failed in heir";
    wrong("robust", "-DWRONG=2 -DWAITS", "assertion", timed_out, 0);
    wrong("robust", "-DWRONG=3 -DTRY", "assertion", "assertion `halves[0] == halves[1]` failed in heir", 0);
}

/// The try comes before the end of the thread or behind it; the wait with a time limit comes behind it, ends by it or by its
/// time. Handlers run, the newest first.
#[test]
fn joins_that_do_not_wait_and_cleanup_handlers() {
    right_in_all("joins", "", 2);
    right("joins", "-DTIMED", 3);
    wrong("joins", "-DWRONG=1", "assertion", "assertion `result == 1` failed in main", 0);
    // The thread must have come to its write, and not to its end.
    wrong("joins", "-DWRONG=1", "data-race", "data race on result", 2);
}

/// Each thread opens, waits, posts and closes. The opens and closes of the two come in six orders, the sections in two; who has
/// closed before the other opens was in its section first, so four of the six go with both.
/// With a single creator: whoever it is closes before, between or behind the other one's three calls.
#[test]
fn named_semaphores() {
    right_in_all("named_semaphore", "", 10);
    right_in_all("named_semaphore", "-DEXCLUSIVE", 8);
    right_in_all("named_semaphore", "-DALONE", 1);
    let report = explore("named_semaphore", "", "");
    let term = "not explored: what other processes do to named semaphores";
    assert!(report.guarantee.contains(term), "{}", report.guarantee);
}

#[test]
fn named_semaphores_used_wrongly() {
    wrong("named_semaphore", "-DWRONG=1", "assertion", "assertion `own != SEM_FAILED` failed in turn", 0);
    wrong("named_semaphore", "-DWRONG=2", "deadlock", "deadlock: T1 waits for own", 0);
    wrong("named_semaphore", "-DWRONG=3", "crash", "use after destroy: T1 posts own, which T1 destroyed", 0);
}

/// What is there already may be somebody else's.
#[test]
fn a_semaphore_that_others_have_made_is_refused() {
    let name = format!("raddle_{}", std::process::id());
    let file = format!("/dev/shm/sem.{name}");
    std::fs::write(&file, [0; 32]).expect("a file of shared memory");
    let report = explore("named_semaphore", &format!("-DNAMED={name}"), "");
    std::fs::remove_file(&file).expect("the file is still there");
    let error = report.error.as_ref().expect("an error");
    let words = "`sem_open` of a semaphore that is there before the execution";
    assert!(error.message.contains(words), "{error:#?}");
}

/// Who takes its lock first: functions that the thread's end leaves give it back.
#[test]
fn what_a_thread_leaves_at_its_end_is_cleaned_up() {
    right_in_all("leaving.cpp", "", 2);
    let kept = "SIGABRT (signal 6): FATAL: exception not rethrown";
    wrong("leaving.cpp", "-DKEEPS", "crash", kept, 0);
    wrong("leaving.cpp", "-DFOR_EVER", "deadlock", "deadlock: T0 waits to lock lock, held by T1", 0);
    for flags in ["-fno-exceptions", "-fexceptions"] {
        right_in_all("leaves", flags, 2);
        let flags = format!("{flags} -DWRONG");
        wrong("leaves", &flags, "deadlock", "deadlock: T0 waits to lock lock, held by T1", 0);
    }
}

/// Either thread runs the initialiser first, to its end or not.
/// What orders, and what only looks as if it did.
#[test]
fn what_hands_over_what_was_done_before() {
    for flags in ["-DONCE", "-DCOUNT"] {
        wrong("hands_over", flags, "data-race", "data race on told", 0);
        passes("hands_over", &format!("{flags} -DRIGHT"));
    }
    let (reads, writes) = ("pthread_rwlock_rdlock", "pthread_rwlock_wrlock");
    let taken = |gives, takes| format!("-DREADERS -DGIVES={gives} -DTAKES={takes}");
    wrong("hands_over", &taken(reads, reads), "data-race", "data race on told", 0);
    for (gives, takes) in [(reads, writes), (writes, reads), (writes, writes)] {
        passes("hands_over", &taken(gives, takes));
    }
    wrong("hands_over", "-DSTACK", "data-race", "data race on told", 0);
}

/// Everything passes, without a reduction too.
#[track_caller]
fn passes(program: &str, flags: &str) {
    for options in ["--reduce optimal", "--bound none --reduce none"] {
        let report = explore(program, flags, options);
        assert!(report.verdict == Verdict::Passed && report.complete, "{program} {flags}: {report:#?}");
        assert!(report.warnings.is_empty(), "{program} {flags}: {report:#?}");
    }
}

/// What readers do commutes, so no clock may tell their order.
#[test]
fn readers_learn_no_time_of_each_other() {
    let (read, try_read) = ("pthread_rwlock_rdlock", "pthread_rwlock_tryrdlock");
    for (first, then) in [(read, read), (try_read, read), (read, try_read), (try_read, try_read)] {
        let flags = format!("-DFIRST={first} -DTHEN={then} -DIS_LATER(x)=!(x)");
        passes("readers_time", &flags);
    }
    // A writer does.
    let late = "assertion `IS_LATER(now() - begin >= 5)` failed in main";
    for then in ["pthread_rwlock_wrlock", "pthread_rwlock_trywrlock"] {
        let flags = format!("-DFIRST={read} -DTHEN={then} -DIS_LATER(x)=!(x)");
        wrong("readers_time", &flags, "assertion", late, 1);
    }
}

#[test]
fn initialisers_that_run_once() {
    right_in_all("once", "", 2);
    right_in_all("once", "-DQUITS", 2);
    wrong(
        "once",
        "-DWRONG",
        "deadlock",
        "deadlock: T1 waits for the initialiser of outer, which it runs itself",
        0,
    );
}

/// A key is deleted before its value is set, before its destructor is looked up, or behind.
#[test]
fn keys_and_their_destructors() {
    right_in_all("keys", "", 1);
    right_in_all("keys", "-DDELETES", 3);
    wrong("keys", "-DDELETES -DWRONG", "assertion", "assertion `ran_late == 1` failed in main", 0);
    refused("keys", "-DMANY", "`pthread_key_create` of more than 128 keys");
}

#[test]
fn attributes_and_names_of_threads() {
    right_in_all("attributes", "", 1);
    right_in_all("attributes", "-DNAMED", 2);
    wrong(
        "attributes",
        "-DNAMED -DWRONG",
        "assertion",
        "assertion `strcmp(name, \"worker\") == 0` failed",
        1,
    );
    refused("attributes", "-DDEEP", "a thread needs more than 8 MB of stack");
}

#[test]
fn clocks_and_sleeps() {
    right_in_all("clocks", "", 1);
}

/// A read-write lock and a mutex, or a spin lock, in two orders: the first execution passes and shows it. Two readers do not wait for
/// each other.
#[test]
fn read_write_locks_in_lock_order() {
    let first = |flags| explore("rwlock_order", flags, "--executions 1");
    for flags in ["", "-DSPIN"] {
        let report = first(flags);
        let [found] = &report.failures[..] else { panic!("{flags}: {report:#?}") };
        let words = "deadlock: T1 waits to lock entry, held by T2; T2 waits to write-lock table, held by T1";
        assert_eq!((found.message.as_str(), report.executions), (words, 1), "{flags}: {found:#?}");
    }
    right_in_all("rwlock_order", "-DBOTH_READ", 2);
}

/// A writer comes before all readers that keep the lock, or waits for good.
#[test]
fn a_writer_before_readers_that_keep_the_lock() {
    for flags in ["", "-DTWICE"] {
        for options in ["", "--reduce optimal", "--reduce source", "--reduce none"] {
            let report = explore("readers_keep", flags, &format!("{options} --bound none"));
            let [found] = &report.failures[..] else { panic!("{flags} {options}: {report:#?}") };
            assert_eq!((found.kind.as_str(), found.preemptions), ("assertion", 0), "{flags} {options}");
        }
    }
}

/// A wait gives back one hold of a recursive mutex, and whoever has two keeps it: nobody can make true what it waits for.
#[test]
fn waits_with_recursive_mutexes() {
    right_in_all("recursive_wait", "", 2);
    let kept = "deadlock: T0 waits to lock m, held by T1; T1 waits for a notify of cv";
    wrong("recursive_wait", "-DHOLDS=2", "deadlock", kept, 1);
    let free = "assertion `!atomic_load(&waiting)` failed in main";
    wrong("recursive_wait", "-DTRIED", "assertion", free, 1);
    right_in_all("recursive_wait", "-DTRIED -DHOLDS=2", 7);
}
