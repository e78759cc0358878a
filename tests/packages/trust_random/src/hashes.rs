//! The order in which a hash map is walked, by its keys.

use std::collections::HashMap;

fn walked() -> Vec<u32> {
    let map: HashMap<u32, ()> = (0..2).map(|n| (n, ())).collect();
    map.into_keys().collect()
}

#[test]
fn hash_first() {
    assert_eq!(walked(), [0, 1]);
}

#[test]
fn hash_last() {
    assert_eq!(walked(), [1, 0]);
}
