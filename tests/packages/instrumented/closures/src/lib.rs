//! Closures without parameters, which may be jobs: whatever their bodies are, they compile with markers, with every warning an error.
#![cfg(test)]
#![deny(warnings)]

use std::collections::HashMap;
use std::future::Future;
use std::sync::{LazyLock, OnceLock};

trait Number {
    fn number(&self) -> u32;
}

impl Number for u32 {
    fn number(&self) -> u32 {
        *self
    }
}

struct Owner {
    x: u32,
    v: Vec<u32>,
}

fn made(make: impl Fn() -> Box<dyn Number>) -> u32 {
    make().number()
}

#[test]
fn what_is_expected_of_the_body_is_known() {
    let none: Option<&[u32]> = None;
    assert_eq!(none.unwrap_or_else(|| &[]), &[] as &[u32]);
    let owner = Owner { x: 1, v: vec![1] };
    assert_eq!(none.unwrap_or_else(|| &owner.v), &[1]);
    let nothing: Option<Option<u32>> = None;
    assert_eq!(nothing.unwrap_or_else(|| None), None);
    let text: Box<dyn Fn() -> &'static str> = Box::new(|| "a");
    assert_eq!(text(), "a");
    let pointer: fn() -> u8 = || 1;
    assert_eq!(pointer(), 1);
    let cell: OnceLock<&dyn Number> = OnceLock::new();
    assert_eq!(cell.get_or_init(|| &4u32).number(), 4);
    let boxed = made(|| {
        let number: Box<dyn Number> = Box::new(1u32);
        number
    });
    assert_eq!(boxed, 1);
    static LAZY: LazyLock<u32> = LazyLock::new(|| 7);
    assert_eq!(*LAZY, 7);
    assert_eq!([0; 3].map(|_| 1i64), [1; 3]);
}

#[test]
fn what_it_takes_is_taken() {
    let owner = Owner { x: 1, v: vec![1] };
    let all = move || owner;
    let Owner { x, v } = all();
    assert_eq!((x, v.len()), (1, 1));
    let mut count = 0u64;
    let mut set = || count = 5;
    set();
    assert_eq!(count, 5);
    let mut hold = Some(3);
    let place = &mut hold;
    let get = || place;
    assert!(get().is_some());
    let mut map: HashMap<u32, Vec<u32>> = HashMap::new();
    map.entry(1).or_insert_with(|| vec![]);
    assert!(map[&1].is_empty());
}

#[test]
fn any_expression_may_be_a_body() {
    let x = 5;
    let nested = || || 2;
    assert_eq!(nested()(), 2);
    let unit = |_: u32| ();
    unit(1);
    let failed: Result<u32, ()> = Err(());
    assert_eq!(failed.unwrap_or_else(|_| 3), 3);
    let which = || if x > 3 { "big" } else { "small" };
    assert_eq!(which(), "big");
    let several = || (1, "a", x);
    assert_eq!(several().2, 5);
    let range = || 0..x;
    assert_eq!(range().end, 5);
    let unchecked = || unsafe { *(&raw const x) };
    assert_eq!(unchecked(), 5);
    let narrow = || x as u8;
    assert_eq!(narrow(), 5);
    let less = || -x;
    assert_eq!(less(), -5);
    let round = || loop {
        break 4;
    };
    assert_eq!(round(), 4);
    let early = || {
        if x > 3 {
            return 1u8;
        }
        2
    };
    assert_eq!(early(), 1);
}

async fn awaited(make: impl AsyncFn() -> u32) -> u32 {
    make().await
}

#[test]
fn futures() {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let make = || async { 1u32 };
    assert!(std::pin::pin!(make()).as_mut().poll(&mut context).is_ready());
    assert!(std::pin::pin!(awaited(async || 2)).as_mut().poll(&mut context).is_ready());
    assert!(std::pin::pin!(awaited(|| async { 2 })).as_mut().poll(&mut context).is_ready());
}
