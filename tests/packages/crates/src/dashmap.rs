//! dashmap.

use dashmap::DashMap;
use std::thread;

fn twice(count: fn(&DashMap<&str, u32>)) -> u32 {
    let map = DashMap::with_shard_amount(2);
    thread::scope(|s| {
        s.spawn(|| count(&map));
        s.spawn(|| count(&map));
    });
    *map.get("word").unwrap()
}

/// An entry is held for as long as it is changed.
#[test]
fn right_an_entry_counts() {
    assert_eq!(twice(|map| *map.entry("word").or_insert(0) += 1), 2);
}

/// Between the look and the insertion others may insert.
#[test]
fn wrong_get_then_insert() {
    let count = |map: &DashMap<&str, u32>| {
        let old = map.get("word").map_or(0, |n| *n);
        map.insert("word", old + 1);
    };
    assert_eq!(twice(count), 2);
}
