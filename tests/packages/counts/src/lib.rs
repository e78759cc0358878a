//! The programs of known counts in Rust: the same accesses in the same order as in
//! `tests/programs/counts`, through std alone. One test for a row, named by its numbers.
//! (`ticket` is missing: nothing in std gives up an execution.)
//!
//! Every access that a definition names is a sequentially consistent atomic load or store of its
//! own, since their number and order decide the count.

#[cfg(test)]
mod atomics;
#[cfg(test)]
mod locks;
#[cfg(test)]
mod stacks;
#[cfg(test)]
mod szymanski;

#[cfg(test)]
mod threads {
    use std::sync::Arc;
    use std::thread;

    /// Threads 0 to count-1 with the same body over what they share, and waits for all of them.
    pub fn run_all<S: Send + Sync + 'static>(count: usize, shared: S, body: fn(&S, usize)) -> Arc<S> {
        run_in_order(0..count, shared, body)
    }

    /// The same, started in this order.
    pub fn run_in_order<S: Send + Sync + 'static>(
        order: impl IntoIterator<Item = usize>,
        shared: S,
        body: fn(&S, usize),
    ) -> Arc<S> {
        let shared = Arc::new(shared);
        let threads: Vec<_> = order
            .into_iter()
            .map(|id| {
                let shared = shared.clone();
                thread::spawn(move || body(&shared, id))
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        shared
    }
}
