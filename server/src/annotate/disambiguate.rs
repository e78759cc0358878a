//! Telling objects apart that one expression of the source names: by their indices, by what points to what, by what
//! they are, or by numbers.

use super::elements::{Elements, with_index};
use super::places::Places;
use raddle_instrumenter::index::Reach;
use raddle_schedule::Trace;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What an object may be called.
pub struct Candidate {
    /// In the source, or by its symbol.
    pub name: String,
    /// How the expression reaches it.
    pub reach: Reach,
    /// What it is: `mutex`.
    pub class: &'static str,
    /// The file whose expression it is; none for a symbol's.
    pub file: Option<PathBuf>,
    /// Where what it is a part of begins; parts of one thing share its name.
    pub whole: Option<u64>,
}

/// [`Candidate::whole`] of what C++'s library keeps for an object of the program's.
pub const INSIDE: u64 = 0;

/// Which object was seen to hold the address of which other one, and nothing else but null.
pub type Pointers = BTreeMap<u64, u64>;

/// The pointers among what an execution worked with.
pub fn pointers(trace: &Trace) -> Pointers {
    let mut seen: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for held in &trace.memory.held {
        let Some(event) = trace.events.get(held.event as usize) else { continue };
        // What has another size is no pointer.
        let value = <[u8; 8]>::try_from(held.bytes.as_slice()).map_or(u64::MAX, u64::from_le_bytes);
        if value != 0 {
            seen.entry(event.object()).or_default().insert(value);
        }
    }
    let only = |(object, values): (u64, BTreeSet<u64>)| {
        let value = values.iter().next().copied().filter(|_| values.len() == 1);
        value.map(|value| (object, value))
    };
    seen.into_iter().filter_map(only).collect()
}

/// The names of all objects, in the order in which they were found.
pub fn apart(order: &[u64], found: &BTreeMap<u64, Candidate>, pointers: &Pointers) -> BTreeMap<u64, String> {
    let mut same: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for object in order {
        same.entry(&found[object].name).or_default().push(*object);
    }
    let mut given = BTreeMap::new();
    for (name, mut objects) in same {
        // What the library keeps for it, and references to it, have its name and are not told apart.
        let all = objects.clone();
        objects.retain(|object| match (found[object].whole, is_reference(found, &all, *object, pointers)) {
            (Some(INSIDE), _) => given.insert(*object, name.to_string()).is_some(),
            (_, true) => given.insert(*object, format!("&{name}")).is_some(),
            _ => true,
        });
        let class = |o: &u64| found[o].class;
        let whole = |o: &u64| found[o].whole.map_or((*o, class(o)), |whole| (whole, class(o)));
        let mut wholes: BTreeMap<(u64, &str), usize> = BTreeMap::new();
        for object in &objects {
            let next = wholes.len();
            wholes.entry(whole(object)).or_insert(next);
        }
        let distinct = objects.iter().map(class).collect::<BTreeSet<_>>().len();
        for object in &objects {
            let i = wholes.get(&whole(object)).copied().unwrap_or_default();
            let name = match wholes.len() {
                1 => name.to_string(),
                2 if is_pointer(found, &objects, *object, pointers) => name.to_string(),
                2 if is_pointee(found, &objects, *object, pointers) => format!("*{name}"),
                // A barrier is a mutex and a condition variable.
                n if n == distinct && i == 0 => name.to_string(),
                n if n == distinct => format!("{name} ({})", class(object)),
                _ => format!("{name} #{}", i + 1),
            };
            given.insert(*object, name);
        }
    }
    given
}

/// Is this how a function of C++ reaches another object of that name, which it has by reference (a lambda's capture)?
fn is_reference(found: &BTreeMap<u64, Candidate>, objects: &[u64], object: u64, pointers: &Pointers) -> bool {
    let of_cpp = |o: &u64| {
        let file = found[o].file.as_deref().and_then(Path::extension);
        file.is_some_and(|e| e != "rs" && e != "c")
    };
    let to = pointers.get(&object).filter(|to| **to != object && objects.contains(to));
    of_cpp(&object) && found[&object].class == "memory" && to.is_some()
}

/// Is this a variable of C, or a field, and the other of the two a lock of that name, to which it points?
fn is_pointer(found: &BTreeMap<u64, Candidate>, objects: &[u64], object: u64, pointers: &Pointers) -> bool {
    let is_of_c = |o: &u64| {
        let file = found[o].file.as_deref().and_then(Path::extension);
        file.is_some_and(|e| e != "rs")
    };
    let locks = |o: &u64| matches!(found[o].class, "mutex" | "rwlock" | "condvar" | "semaphore");
    let [a, b] = objects else { return false };
    let other = if *a == object { b } else { a };
    let points = pointers.get(&object) == Some(other);
    points && found[&object].class == "memory" && locks(other) && is_of_c(other)
}

/// Does the other of the two point to it?
fn is_pointee(found: &BTreeMap<u64, Candidate>, objects: &[u64], object: u64, pointers: &Pointers) -> bool {
    objects.iter().any(|o| *o != object && is_pointer(found, objects, *o, pointers))
}

/// Names elements of Rust's collections by their indices, where these are certain.
pub fn index(order: &[u64], found: &mut BTreeMap<u64, Candidate>, trace: &Trace, places: &Places) {
    let mut same: BTreeMap<(&str, &Path), Vec<u64>> = BTreeMap::new();
    for object in order {
        let c = &found[object];
        if let Some(file) = c.file.as_deref().filter(|f| f.extension().is_some_and(|e| e == "rs")) {
            same.entry((&c.name, file)).or_default().push(*object);
        }
    }
    let elements = Elements::new(trace);
    let certain = same.into_iter().filter_map(|((name, file), objects)| {
        let indices = elements.indices(name, &objects, &places.sources.text(file))?;
        let named = objects.into_iter().zip(indices);
        Some(named.map(|(o, i)| (o, with_index(name, i))).collect::<Vec<_>>())
    });
    for (object, name) in certain.flatten().collect::<Vec<_>>() {
        if let Some(c) = found.get_mut(&object) {
            c.name = name;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_with_one_expression_are_told_apart() {
        let candidate = |name: &str, class| Candidate {
            name: name.to_string(),
            reach: Reach::Field,
            class,
            file: None,
            whole: None,
        };
        let found = BTreeMap::from([
            (1, candidate("accounts[to]", "mutex")),
            (2, candidate("accounts[to]", "mutex")),
            (3, candidate("barrier", "mutex")),
            (4, candidate("barrier", "condvar")),
            (5, candidate("total", "atomic")),
        ]);
        let given = apart(&[2, 1, 3, 4, 5], &found, &Pointers::new());
        let named = [1, 2, 3, 4, 5].map(|o| given[&o].as_str());
        assert_eq!(named, ["accounts[to] #2", "accounts[to] #1", "barrier", "barrier (condvar)", "total"]);
    }

    #[test]
    fn parts_of_one_thing_share_its_name() {
        let part = |whole| {
            let (name, reach) = ("box.letters_".to_string(), Reach::Global);
            Candidate { name, reach, class: "memory", file: None, whole }
        };
        let found = BTreeMap::from([(1, part(Some(1))), (2, part(Some(1)))]);
        let given = apart(&[1, 2], &found, &Pointers::new());
        assert_eq!([&given[&1], &given[&2]], ["box.letters_"; 2]);
        let found = BTreeMap::from([(1, part(Some(1))), (2, part(Some(1))), (9, part(Some(9)))]);
        let given = apart(&[1, 2, 9], &found, &Pointers::new());
        assert_eq!(
            [&given[&1], &given[&2], &given[&9]],
            ["box.letters_ #1", "box.letters_ #1", "box.letters_ #2"]
        );
    }

    #[test]
    fn what_a_pointer_points_to() {
        let candidate = |class, file: Option<&str>| Candidate {
            name: "lock".to_string(),
            reach: Reach::Global,
            class,
            file: file.map(PathBuf::from),
            whole: None,
        };
        let given = |a, b, pointers: &[(u64, u64)]| {
            let pointers = pointers.iter().copied().collect();
            let given = apart(&[1, 2], &BTreeMap::from([(1, a), (2, b)]), &pointers);
            [given[&1].clone(), given[&2].clone()]
        };
        let (pointer, mutex) = (candidate("memory", None), candidate("mutex", Some("a.c")));
        assert_eq!(given(pointer, mutex, &[(1, 2)]), ["lock", "*lock"]);
        let (number, mutex) = (candidate("memory", Some("a.c")), candidate("mutex", Some("a.c")));
        assert_eq!(given(number, mutex, &[(1, 7)]), ["lock", "lock (mutex)"], "of two structs");
        let (field, mutex) = (candidate("memory", Some("a.c")), candidate("mutex", Some("a.c")));
        assert_eq!(given(mutex, field, &[(2, 1)]), ["*lock", "lock"]);
        let (word, atomic) = (candidate("memory", Some("a.c")), candidate("atomic", Some("a.c")));
        assert_eq!(given(word, atomic, &[(1, 2)]), ["lock", "lock (atomic)"], "two of one kind");
        // In Rust the expression may be of something else.
        let (pointer, mutex) = (candidate("memory", None), candidate("mutex", Some("a.rs")));
        assert_eq!(given(pointer, mutex, &[(1, 2)]), ["lock", "lock (mutex)"]);
    }
}
