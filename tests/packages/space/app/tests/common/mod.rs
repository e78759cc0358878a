pub fn doubled(n: u32) -> u32 {
    2 * app::sum_of(n)
}
