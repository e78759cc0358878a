//! Primitives of crates that are modelled: threads that do what their words say, which
//! `tests/tests/all/primitives.rs` draws, and uses that need one thing each.

#![cfg(test)]

mod uses;

use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::thread::spawn;
use std::time::Duration;

#[derive(Default)]
struct World {
    value: Mutex<u32>,
    other: Mutex<u32>,
    changed: Condvar,
}

impl World {
    /// Does what a letter says, and tells what came of it.
    fn does(&self, letter: char, me: u32) -> u32 {
        match letter {
            'a' => {
                let mut value = self.value.lock();
                *value = *value * 3 + me;
                *value
            }
            'b' => {
                let value = self.value.lock();
                *self.other.lock() += *value + me;
                0
            }
            'c' => {
                let other = self.other.lock();
                *self.value.lock() += *other + me;
                0
            }
            't' => self.value.try_lock().map_or(7, |mut value| {
                *value += me;
                1
            }),
            'T' => self.value.try_lock_for(Duration::from_millis(1)).map_or(5, |value| *value),
            'h' => {
                let _other = self.other.lock();
                self.value.try_lock().is_some().into()
            }
            'w' => {
                let mut value = self.value.lock();
                if *value == 0 {
                    self.changed.wait(&mut value);
                }
                *value += me;
                *value
            }
            'W' => {
                let mut value = self.value.lock();
                let timed_out = self.changed.wait_for(&mut value, Duration::from_millis(1)).timed_out();
                u32::from(timed_out) + 2 * *value
            }
            'n' => self.changed.notify_one().into(),
            'N' => self.changed.notify_all() as u32,
            's' => {
                *self.value.lock() += 1;
                self.changed.notify_one().into()
            }
            _ => unreachable!("{letter}"),
        }
    }
}

/// Each way in which the threads can end fails with words of its own, but for one.
fn check(words: &[&str]) {
    let world = Arc::new(World::default());
    let threads: Vec<_> = (1..)
        .zip(words)
        .map(|(me, word)| {
            let (world, word) = (world.clone(), word.to_string());
            spawn(move || word.chars().fold(0, |told, letter| (told * 5 + world.does(letter, me)) % 101))
        })
        .collect();
    let told = threads.into_iter().fold(0, |told, thread| told * 7 + thread.join().unwrap());
    let end = told + 3 * *world.value.lock() + *world.other.lock();
    match end % 4 {
        0 => {}
        1 => panic!("ends with one left"),
        2 => panic!("ends with two left"),
        _ => panic!("ends with three left"),
    }
}
