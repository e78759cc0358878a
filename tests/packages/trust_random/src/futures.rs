//! The `select!` of futures, which shuffles its branches.

use futures_util::future::{FutureExt, ready};
use futures_util::select;

fn chosen() -> u32 {
    let (mut first, mut second) = (ready(1), ready(2));
    let future = async { select! { n = first => n, n = second => n } };
    future.now_or_never().unwrap()
}

#[test]
fn futures_first() {
    assert_eq!(chosen(), 1);
}

#[test]
fn futures_last() {
    assert_eq!(chosen(), 2);
}
