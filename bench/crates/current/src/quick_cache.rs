//! quick_cache.

use quick_cache::sync::Cache;
use std::thread::scope;

#[test]
fn an_insert_beside_a_get() {
    let cache = Cache::new(4);
    scope(|s| {
        s.spawn(|| cache.insert(1, 1));
        assert!(cache.get(&1).is_none_or(|n| n == 1));
    });
}
