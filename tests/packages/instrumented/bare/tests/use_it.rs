//! The crate as others see it.

#[test]
fn it_adds_up() {
    assert_eq!(bare::sum([1, 2, bare::constant()].iter()), Some(6));
    assert_eq!(bare::sum([].iter()), None);
    assert_eq!(bare::evens().sum::<u32>(), bare::Made.one() + 1);
    assert_eq!(bare::Made.five(), 3);
    assert_eq!(bare::adder(&[1, 2])(&1), 2);
}
