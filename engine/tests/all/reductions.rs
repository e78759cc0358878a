//! Reductions against brute force, on random programs: `none`, `sleep`, `persistent`, `source` and
//! `optimal` keep an execution of every class, and `optimal` is to keep exactly one.
//!
//! Some programs as a rule; `RADDLE_PROGRAMS=100000 cargo test -p raddle-engine --release
//! --test all reductions` tries as many. The seeds are fixed, and what fails is made smaller.

use crate::common::many::{compared, each_of, each_program};
use crate::common::{brute, compare, generator};
use raddle_engine::simulated::Program;
use raddle_engine::{Config, Reduce};
use raddle_schedule::Granularity;

/// States that brute force walks of one program, at most.
const MOST: usize = 30_000;
/// The same where threads do the same.
const MOST_ALIKE: usize = 3_000;

/// Every reduction on every program, at both granularities, with different numbers of plans in flight.
/// All but one program in twenty must be small enough to compare.
#[test]
fn reductions_keep_every_class() {
    compared(each_program(1, reduced), 0.95);
}

/// The same with read-write locks, barriers and locks with a time limit.
#[test]
fn locks_of_many_and_barriers_keep_every_class() {
    compared(each_of(5, generator::sharing, reduced), 0.9);
}

/// The same with read-write locks that readers keep: a writer that waits for several comes before all of them.
#[test]
fn locks_that_readers_keep_keep_every_class() {
    compared(each_of(13, generator::keeping, reduced), 0.8);
}

/// The same with locks that are poisoned, and whose poison is cleared.
#[test]
fn poisoned_locks_keep_every_class() {
    compared(each_of(6, generator::poisoning, reduced), 0.9);
}

/// The same with loads that block until a variable is set.
#[test]
fn blocking_loads_keep_every_class() {
    compared(each_of(8, generator::awaiting, reduced), 0.9);
}

/// The same where steps have several operations, but that what a step will do is predicted wrongly now and then.
#[test]
fn steps_of_several_operations_keep_every_class() {
    compared(each_of(9, generator::composite, composite), 0.9);
}

/// The same where they take locks and give them back.
#[test]
fn steps_that_take_locks_keep_every_class() {
    compared(each_of(11, generator::sections, composite), 0.8);
}

/// The same where they take read-write locks, or try to.
#[test]
fn steps_that_take_read_write_locks_keep_every_class() {
    compared(each_of(14, generator::shared_sections, composite), 0.8);
}

/// The same where some steps come to have several operations by what others did, while executors are told who sleeps.
#[test]
fn steps_that_come_to_have_several_operations_keep_every_class() {
    compared(each_of(12, generator::seldom, |program| parts_keep_every_class(program, [2, 32])), 0.8);
}

fn composite(program: &Program) -> Result<bool, String> {
    parts_keep_every_class(program, [1, 32])
}

fn parts_keep_every_class(program: &Program, numbers_in_flight: [usize; 2]) -> Result<bool, String> {
    let Some(expected) = compare::expected(program, Granularity::Sync, MOST) else { return Ok(false) };
    compare::equivalence_is_sound(&expected)?;
    for reduce in [Reduce::Sleep, Reduce::Persistent, Reduce::Source, Reduce::Optimal] {
        for in_flight in numbers_in_flight {
            let config = Config { reduce, in_flight, ..crate::common::config() };
            compare::keeps_every_class(&expected, config, false)
                .map_err(|e| format!("{reduce}, {in_flight} in flight: {e}"))?;
        }
    }
    Ok(true)
}

/// Where threads do the same, `optimal` runs those that differ first, and what goes ahead of what was found before; it keeps
/// every class once all the same.
#[test]
fn executions_that_exchange_threads_are_only_put_off() {
    // Of many programs 53 % are small enough. In one of fifty draws, 40 programs had fewer than 40 % of them.
    compared(each_of(7, generator::alike, put_off), 0.25);
}

/// Does `optimal` keep every class once, whatever it puts off? `false` if the program is too large.
fn put_off(program: &Program) -> Result<bool, String> {
    let Some(expected) = compare::expected(program, Granularity::Sync, MOST_ALIKE) else { return Ok(false) };
    for (in_flight, opening) in [(1, u64::MAX), (32, u64::MAX), (3, 4)] {
        let config = Config { reduce: Reduce::Optimal, in_flight, opening, ..crate::common::config() };
        compare::keeps_every_class(&expected, config, true)
            .map_err(|e| format!("{in_flight} in flight, an opening of {opening}: {e}"))?;
    }
    Ok(true)
}

/// Does every reduction keep every class of this program? `false` if it is too large.
fn reduced(program: &Program) -> Result<bool, String> {
    for granularity in [Granularity::Access, Granularity::Sync] {
        let Some(expected) = compare::expected(program, granularity, MOST) else { return Ok(false) };
        compare::equivalence_is_sound(&expected)?;
        for reduce in [Reduce::Sleep, Reduce::Persistent, Reduce::Source, Reduce::Optimal] {
            for in_flight in [1, 3, 32] {
                let config = Config { reduce, in_flight, ..crate::common::config() };
                compare::keeps_every_class(&expected, config, reduce == Reduce::Optimal)
                    .map_err(|e| format!("{reduce}, {granularity:?}, {in_flight} in flight: {e}"))?;
            }
        }
    }
    Ok(true)
}

/// Without a reduction nothing but the classes' independence of the order can go wrong. Three programs in
/// ten have so few executions that all of them can be run.
#[test]
fn all_executions_are_of_every_class() {
    let all = each_program(2, |program| {
        for granularity in [Granularity::Access, Granularity::Sync] {
            if brute::enumerate_at(program, granularity, 1_000).is_none() {
                return Ok(false);
            }
            let Some(expected) = compare::expected(program, granularity, MOST) else { return Ok(false) };
            compare::keeps_every_class(&expected, crate::common::config(), false)?;
        }
        Ok(true)
    });
    compared(all, 0.3);
}
