pub fn name() -> &'static str { "by path" }
