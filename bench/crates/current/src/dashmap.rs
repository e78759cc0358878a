//! dashmap.

use dashmap::DashMap;
use std::thread::scope;

#[test]
fn two_threads_count_in_one_entry() {
    let map = DashMap::new();
    scope(|s| (0..2).for_each(|_| drop(s.spawn(|| *map.entry(1).or_insert(0) += 1))));
    assert_eq!(*map.get(&1).unwrap(), 2);
}

#[test]
fn an_insert_beside_a_remove() {
    let map = DashMap::new();
    scope(|s| {
        s.spawn(|| drop(map.insert(1, 1)));
        map.remove(&1);
    });
    assert!(map.len() < 2);
}

#[test]
fn wrong_two_look_before_they_insert() {
    let map = DashMap::new();
    let add = || {
        let read = map.get(&1).map_or(0, |n| *n);
        map.insert(1, read + 1);
    };
    scope(|s| (0..2).for_each(|_| drop(s.spawn(add))));
    assert_eq!(*map.get(&1).unwrap(), 2);
}
