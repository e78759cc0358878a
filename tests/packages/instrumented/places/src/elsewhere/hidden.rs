pub fn name() -> &'static str { include_str!("hidden.txt") }
