//! The keys of settings files: options of `raddle explore`, by the names that they have there.

use strsim::levenshtein;

/// What a value may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A text.
    Text,
    /// A whole number.
    Number,
    /// A text such as `30s`, or a whole number.
    Quantity,
    /// true or false.
    Flag,
    /// A list of texts, or one text.
    List,
}

impl Shape {
    /// For a refusal.
    pub fn expected(self) -> &'static str {
        match self {
            Shape::Text => "a text",
            Shape::Number => "a whole number",
            Shape::Quantity => "a text with a unit or a whole number",
            Shape::Flag => "true or false",
            Shape::List => "a list of texts",
        }
    }
}

/// One key.
#[derive(Debug, PartialEq, Eq)]
pub struct Key {
    /// The option's name without its dashes.
    pub name: &'static str,
    /// What its value may be.
    pub shape: Shape,
    /// What holds where nobody sets it and the option itself names no default.
    pub unset: &'static str,
    /// It says how the program is built, so all tests of it share it.
    pub builds: bool,
}

const fn key(name: &'static str, shape: Shape, unset: &'static str) -> Key {
    Key { name, shape, unset, builds: false }
}

const fn build(name: &'static str, shape: Shape, unset: &'static str) -> Key {
    Key { name, shape, unset, builds: true }
}

/// All of them, in the order in which `raddle config` shows them.
pub const KEYS: &[Key] = &[
    key("bound", Shape::Text, "iterative, beside a search by classes"),
    key("reduce", Shape::Text, "none, beside optimal"),
    key("states", Shape::Text, "none"),
    key("order", Shape::Text, "dfs"),
    key("granularity", Shape::Text, "sync"),
    key("time", Shape::Quantity, "60s, where the bound does not end the search soon"),
    key("executions", Shape::Number, "no limit"),
    key("memory", Shape::Quantity, "a quarter of the machine's, 2GB at most"),
    key("max-steps", Shape::Number, "20000, more where that cuts every execution off"),
    key("hang", Shape::Quantity, "5s"),
    key("jobs", Shape::Number, "1"),
    key("keep-going", Shape::Flag, "false"),
    key("promote-races", Shape::Flag, "false"),
    key("focus-method", Shape::List, ""),
    key("focus-var", Shape::List, ""),
    key("points-at", Shape::List, ""),
    key("trust", Shape::List, ""),
    key("points-in", Shape::List, ""),
    key("inputs", Shape::Text, ""),
    key("random-choices", Shape::Flag, "false"),
    key("seed", Shape::Number, "0"),
    key("seeds", Shape::Number, "1"),
    key("spurious-wakeups", Shape::Flag, "false"),
    key("spurious-failures", Shape::Flag, "false"),
    key("max-threads", Shape::Number, "no limit"),
    key("main-exit", Shape::Text, "wait"),
    key("carriers", Shape::Text, "fibers"),
    key("isolation", Shape::Text, "memory, or fork where a program needs it"),
    key("args", Shape::Text, ""),
    build("cflags", Shape::Text, ""),
    build("features", Shape::List, ""),
    build("all-features", Shape::Flag, "false"),
    build("no-default-features", Shape::Flag, "false"),
    build("release", Shape::Flag, "false"),
    build("profile", Shape::Text, "test"),
    build("locked", Shape::Flag, "false"),
    build("offline", Shape::Flag, "false"),
    build("frozen", Shape::Flag, "false"),
    build("watch-all", Shape::Flag, "false"),
];

/// Keys that are no options: variables of the environment, the settings of single tests, and what a build of its own is.
pub const TABLES: [&str; 2] = ["env", "test"];

/// Keys of a `raddle.toml` with a build of its own.
pub const PROJECT: [&str; 2] = ["build", "programs"];

/// The key of this name.
pub fn named(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// Keys that a key takes the place of, since options refuse to stand beside each other.
pub fn rivals(name: &str) -> &'static [&'static str] {
    match name {
        "release" => &["profile"],
        "profile" => &["release"],
        _ => &[],
    }
}

/// The key that is nearest to what was written.
pub fn nearest(written: &str, of: impl Iterator<Item = &'static str>) -> &'static str {
    let plain = written.to_lowercase().replace('_', "-");
    of.min_by_key(|name| (levenshtein(&plain, name), *name)).unwrap_or("bound")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_key_is_named() {
        let near = |written| nearest(written, KEYS.iter().map(|k| k.name));
        assert_eq!(
            [near("points_in"), near("Bound"), near("granularty"), near("tme")],
            ["points-in", "bound", "granularity", "time"]
        );
    }
}
