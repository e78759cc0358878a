//! rand: what is drawn from the thread's generator, and from one that the test seeds.

use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

#[test]
fn rand_range() {
    assert_ne!(rand::rng().random_range(10..=14u8), 14);
}

#[test]
fn rand_shuffle() {
    let mut numbers = [1, 2, 3];
    numbers.shuffle(&mut rand::rng());
    assert_ne!(numbers, [3, 2, 1]);
}

#[test]
fn rand_rarely() {
    assert!(!rand::rng().random_bool(0.000_001));
}

#[test]
fn rand_certain() {
    assert!(rand::rng().random_bool(1.0) && !rand::rng().random_bool(0.0));
}

#[test]
fn rand_seeded() {
    let drawn = || Xoshiro256PlusPlus::seed_from_u64(3).random_range(0..5);
    assert_eq!(drawn(), drawn());
}
