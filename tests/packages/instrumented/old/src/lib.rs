//! Edition 2015, without std unless it is tested.
#![cfg_attr(not(test), no_std)]
#![deny(warnings)]
#![forbid(unsafe_code)]

macro_rules! makes {
    ($($name:ident = $value:expr),*) => { $(pub fn $name() -> u32 { $value })* };
}

makes!(one = 1, two = 2);

pub mod inner {
    pub struct S<T>(pub T);

    impl<T: Copy> S<T> {
        pub fn get(&self) -> T { self.0 }
    }

    pub trait Both { fn both(&self) -> u32 { ::one() + ::two() } }

    impl Both for S<u32> {}
}

#[test]
fn it_works() {
    use inner::Both;
    assert_eq!(inner::S(3).get(), inner::S(0).both());
}
