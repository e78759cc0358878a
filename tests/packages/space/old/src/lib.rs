//! Edition 2015: paths from the crate's root, trait objects without `dyn`.
#![allow(bare_trait_objects, unexpected_cfgs)]

use std::sync::{Arc, Mutex};

pub mod shelf {
    use super::Mutex;
    use std::collections::HashMap;

    #[derive(Default)]
    pub struct Shelf {
        pub books: Mutex<HashMap<u32, String>>,
    }

    impl Shelf {
        pub fn put(&self, number: u32, title: &str) {
            self.books.lock().unwrap().insert(number, title.to_string());
        }
    }
}

use shelf::Shelf;

pub fn boxed(shelf: Arc<Shelf>) -> Box<Fn(u32) + Send> {
    Box::new(move |number| shelf.put(number, "a book"))
}

#[cfg(by_script)]
pub fn of_the_script() -> &'static str {
    env!("SUM")
}

#[cfg(test)]
mod tests {
    extern crate mid;
    use super::*;
    use std::thread;

    #[test]
    fn both_are_on_the_shelf() {
        let shelf = Arc::new(Shelf::default());
        let put = boxed(shelf.clone());
        let thread = thread::spawn(move || put(1));
        shelf.put(2, "another");
        thread.join().unwrap();
        assert_eq!(shelf.books.lock().unwrap().len(), 2);
        assert_eq!(of_the_script(), "3");
    }

    #[test]
    fn the_cycle_is_there() {
        assert_eq!(mid::on_a_shelf(3), 3);
    }
}
