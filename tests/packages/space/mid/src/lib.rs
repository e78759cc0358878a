//! Edition 2018: a renamed dependency, and features.
use library::shelf::Shelf;
use std::sync::Arc;

pub fn on_a_shelf(count: u32) -> usize {
    let shelf = Arc::new(Shelf::default());
    (0..count).for_each(|number| shelf.put(number, "x"));
    let books = shelf.books.lock().unwrap();
    books.len()
}

/// Without the feature `careful` an update is lost.
pub struct Hits(std::sync::atomic::AtomicU32);

impl Hits {
    pub const fn new() -> Self {
        Hits(std::sync::atomic::AtomicU32::new(0))
    }

    pub fn one_more(&self) {
        use std::sync::atomic::Ordering::SeqCst;
        if cfg!(feature = "careful") {
            self.0.fetch_add(1, SeqCst);
        } else {
            let seen = self.0.load(SeqCst);
            self.0.store(seen + 1, SeqCst);
        }
    }

    pub fn get(&self) -> u32 {
        self.0.load(std::sync::atomic::Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_hit_is_lost() {
        let hits = Hits::new();
        std::thread::scope(|s| {
            s.spawn(|| hits.one_more());
            hits.one_more();
        });
        assert_eq!(hits.get(), 2);
    }

    #[cfg(feature = "counter")]
    #[test]
    fn with_the_counter() {
        assert_eq!(counter::count_to(2), 2);
    }
}
