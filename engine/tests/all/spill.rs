//! What waits past a limit of memory: the search is the same with every limit, and what cannot be
//! put aside ends it.

use crate::common::focus::{Picked, picked};
use crate::common::{Noting, config, model, programs};
use proptest::prelude::*;
use raddle_engine::search::Turn;
use raddle_engine::simulated::Program;
use raddle_engine::tree::{Spill, Spilling};
use raddle_engine::{Bound, Config, Order, Prefix, Search, StopReason, Summary};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Blocks in a map that the test looks at; at most so many writes succeed.
#[derive(Default)]
struct Kept {
    blocks: HashMap<u64, Vec<u8>>,
    written: u64,
    most: Option<u64>,
}

#[derive(Clone, Default)]
struct Shelf(Arc<Mutex<Kept>>);

impl Spill for Shelf {
    fn write(&mut self, block: &[u8]) -> Result<u64, String> {
        let mut kept = self.0.lock().unwrap();
        if kept.most == Some(kept.written) {
            return Err("no room on the shelf".into());
        }
        kept.written += 1;
        let number = kept.written;
        kept.blocks.insert(number, block.to_vec());
        Ok(number)
    }

    fn read(&mut self, number: u64, block: &mut [u8]) -> Result<(), String> {
        block.copy_from_slice(&self.0.lock().unwrap().blocks[&number]);
        Ok(())
    }

    fn give_up(&mut self, number: u64, length: usize) {
        let block = self.0.lock().unwrap().blocks.remove(&number).expect("a block that is kept");
        assert_eq!(block.len(), length);
    }
}

/// Searches to the end, with so many bytes and executions in a block, if there is a limit.
fn searched(
    config: &Config,
    program: &Program,
    changes: &[(usize, Picked)],
    limit: Option<(usize, usize)>,
) -> (Summary, Noting, Shelf) {
    let mut executor = Noting::new(program, config.granularity);
    let mut search = Search::new(config.clone()).unwrap();
    let shelf = Shelf::default();
    if let Some((bytes, block)) = limit {
        search.limit_memory(Spilling::new(bytes, block, Box::new(shelf.clone())));
    }
    for turn in 0.. {
        for (_, picked) in changes.iter().filter(|(at, _)| *at == turn) {
            search.refocus(Box::new(picked.clone()), true);
        }
        if search.step(&mut executor).unwrap() == Turn::Done {
            break;
        }
    }
    (search.summary(), executor, shelf)
}

fn bounds() -> impl Strategy<Value = Bound> {
    prop_oneof![
        Just(Bound::None),
        Just(Bound::Iterative),
        (0..4u32).prop_map(Bound::Preemptions),
        (0..14u32).prop_map(Bound::Depth)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plans_are_the_same_with_every_limit(
        program in programs::random(), bound in bounds(), w in 1usize..40,
        order in prop_oneof![Just("dfs"), Just("method"), Just("var,method")],
        changes in prop::collection::vec((0..200usize, picked()), 0..5),
        limit in prop_oneof![Just(0usize), 0..600usize, 0..6000usize], block in 1usize..20,
        floor in prop_oneof![3 => Just(None), 1 => (0..6u32).prop_map(Some)], seed in any::<u64>(),
    ) {
        let order = Order::parse(order).unwrap();
        let plain = Config { bound, order, in_flight: w, executions: Some(1_500), ..config() };
        let below = floor.map(|floor| Prefix::of(&model::any_execution(&program, &plain, seed), floor));
        let config = Config { below, ..plain };
        prop_assume!(raddle_engine::check(&config).is_ok());
        let (without, free, _) = searched(&config, &program, &changes, None);
        let (with, limited, shelf) = searched(&config, &program, &changes, Some((limit, block)));
        prop_assert_eq!(&free.plans, &limited.plans);
        prop_assert_eq!(without.executions, with.executions);
        prop_assert_eq!(&without.guarantee, &with.guarantee);
        prop_assert_eq!((without.waiting, without.bound_completed), (with.waiting, with.bound_completed));
        let kept = shelf.0.lock().unwrap();
        prop_assert_eq!(kept.written > 0, with.peaks.spilled > 0);
        prop_assert!(!with.complete || kept.blocks.is_empty(), "{} blocks are left", kept.blocks.len());
    }
}

/// A search whose fringe is far larger than the limit stays within it, apart from what is run next.
#[test]
fn memory_stays_within_the_limit() {
    let program = programs::mutex(4, 6);
    let config = Config { bound: Bound::Iterative, executions: Some(3_000), classes: false, ..config() };
    let (free, all, _) = searched(&config, &program, &[], None);
    let (limited, some, shelf) = searched(&config, &program, &[], Some((32 << 10, 64)));
    assert_eq!(all.plans, some.plans);
    let bytes = |s: &Summary| s.peaks.tree_bytes + s.peaks.fringe_bytes;
    assert!(bytes(&free) > 20 * (32 << 10), "{:?}", free.peaks);
    // An execution's own children are inserted before anything is put aside.
    assert!(bytes(&limited) < 3 * (32 << 10), "{:?}", limited.peaks);
    assert_eq!((free.peaks.spilled, limited.peaks.spilled > 10_000), (0, true), "{:?}", limited.peaks);
    let kept: usize = shelf.0.lock().unwrap().blocks.values().map(Vec::len).sum();
    assert!(limited.peaks.spilled_bytes >= kept as u64 && kept > 0);
    // Fewer than the 32 bytes that a node and its entry take.
    assert!(kept as u64 / limited.waiting < 32);
}

#[test]
fn a_full_disk_ends_the_search_and_is_named() {
    let program = programs::mutex(2, 3);
    let config = Config { bound: Bound::Iterative, ..config() };
    let mut executor = Noting::new(&program, config.granularity);
    let mut search = Search::new(config).unwrap();
    let shelf = Shelf::default();
    shelf.0.lock().unwrap().most = Some(5);
    search.limit_memory(Spilling::new(1024, 4, Box::new(shelf)));
    while search.step(&mut executor).unwrap() != Turn::Done {}
    let summary = search.summary();
    assert_eq!(summary.stopped, Some(StopReason::Spill("no room on the shelf".into())));
    assert!(!summary.complete && summary.executions > 0);
    assert!(summary.guarantee.contains("no room on the shelf"), "{}", summary.guarantee);
}
