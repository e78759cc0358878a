pub fn name() -> &'static str { "grandchild" }
