//! `runtime/std/surface.txt`: for each item of std what becomes of it in an explored program.

use std::collections::BTreeMap;

/// What becomes of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// The facade has its own, whose operations are steps.
    Modelled,
    /// std's own: it neither blocks nor tells the time, nor does it tell threads of each other.
    Plain,
    /// std's own: what it does of that kind it does through these libc functions, which the runtime serves.
    Libc,
    /// std's own, and the runtime ends the execution by the name of the libc function that it calls.
    Refused,
    /// std's own: it waits for what is outside of the program, so an execution may hang there, which is reported
    /// with its place.
    Outside,
    /// std's own, and not controlled: what it tells threads of each other is no step, and the guarantee's gap.
    Unseen,
    /// Unstable: the facade has the name with nothing in it, so that the compiler refuses a program that uses it.
    Absent,
}

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    /// What becomes of it.
    pub how: How,
    /// What that rests on.
    pub why: String,
}

/// Every line, by the path it speaks of.
#[track_caller]
pub fn table() -> BTreeMap<String, Line> {
    let text = include_str!("../../../../runtime/std/surface.txt");
    let mut table = BTreeMap::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let (Some(path), Some(how)) = (words.next(), words.next()) else { panic!("not a line: {line:?}") };
        let how = match how {
            "modelled" => How::Modelled,
            "plain" => How::Plain,
            "libc" => How::Libc,
            "refused" => How::Refused,
            "outside" => How::Outside,
            "unseen" => How::Unseen,
            "absent" => How::Absent,
            _ => panic!("no such treatment: {line:?}"),
        };
        let why = words.collect::<Vec<_>>().join(" ");
        assert!(how == How::Modelled || !why.is_empty(), "no reason: {line:?}");
        assert!(table.insert(path.to_owned(), Line { how, why }).is_none(), "twice: {line:?}");
    }
    table
}
