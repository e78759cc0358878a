//! Numbers that stand in two places, since the facade is compiled apart, with the user's toolchain, and sees none of the
//! workspace's crates: what it says is what the runtime and the reports understand.

use raddle_schedule::memory::Meaning;
use raddle_schedule::{OpKind, Order};
use std::collections::BTreeMap;

const FACADE: &str = concat!(
    include_str!("../../runtime/std/facade/src/raddle_rt.rs"),
    include_str!("../../runtime/std/facade/src/raddle_rt_atomics.rs"),
);
const RUNTIME: &str = include_str!("../../runtime/src/facade/atomics.rs");

/// The lines from the one with this text to the first that closes what it opens.
#[track_caller]
fn block<'a>(source: &'a str, begins: &str) -> impl Iterator<Item = &'a str> {
    let mut lines = source.lines().skip_while(move |line| !line.starts_with(begins));
    assert!(lines.next().is_some(), "{begins} is there");
    lines.take_while(|line| *line != "}").map(str::trim)
}

/// The variants of an enum of the facade, by number.
#[track_caller]
fn variants(name: &str) -> BTreeMap<u8, String> {
    let begins = format!("pub enum {name} {{");
    let all = block(FACADE, &begins).filter_map(|line| {
        let (name, number) = line.trim_end_matches(',').split_once(" = ")?;
        Some((number.parse().expect("a number"), name.to_string()))
    });
    all.collect()
}

#[test]
fn what_operations_mean() {
    let known = (0..=u8::MAX).filter_map(|n| Some((n, format!("{:?}", Meaning::from_u8(n)?))));
    let known: BTreeMap<u8, String> = known.collect();
    let said = variants("Meaning");
    // Those of C's locks are the runtime's own.
    assert!(
        said.len() > 10 && said.iter().all(|(n, name)| known.get(n) == Some(name)),
        "{said:?}, not {known:?}"
    );
}

#[test]
fn what_atomics_do() {
    let kinds = [OpKind::AtomicLoad, OpKind::AtomicStore, OpKind::AtomicRmw];
    let known = kinds.map(|kind| (kind as u8, format!("{kind:?}").replace("Atomic", "")));
    assert_eq!(variants("Access"), known.into());
}

#[test]
fn memory_orderings() {
    let mut seen = 0;
    for line in block(FACADE, "fn c11(") {
        let Some((name, number)) = line.trim_end_matches(',').split_once(" => ") else { continue };
        let order = Order::from_abi(number.parse().expect("a number"));
        let name = name.strip_prefix("Ordering::").unwrap_or("SeqCst");
        assert_eq!(format!("{order:?}"), name);
        seen += 1;
    }
    assert_eq!(seen, 5, "all of them");
}

#[test]
fn what_values_are_and_what_came_of_operations() {
    let values = variants("Value");
    let mut seen = BTreeMap::new();
    for line in block(RUNTIME, "fn value_type(") {
        let Some((class, name)) = line.strip_prefix('(').and_then(|l| l.split_once(") => \"")) else {
            continue;
        };
        let class: u8 = class.split(',').next().and_then(|n| n.parse().ok()).expect("a number");
        let meant = match name.trim_end_matches("\",") {
            "bool" => "Bool",
            "*mut ()" => "Pointer",
            unsigned if unsigned.starts_with('u') => "Unsigned",
            _ => "Signed",
        };
        assert_eq!(values.get(&class).map(String::as_str), Some(meant), "{line}");
        seen.insert(class, ());
    }
    assert!(RUNTIME.contains("const NOBODYS: u32 = 0;") && values[&0] == "Unknown");
    assert!(RUNTIME.contains("const CLEARS_POISON: u32 = 5;") && values[&5] == "ClearedPoison");
    assert_eq!(seen.len() + 2, values.len(), "all of them");
    assert!(RUNTIME.contains("effect == 1 { Effect::Same }"));
    assert_eq!(variants("Effect"), [(0, "Done".to_string()), (1, "Same".to_string())].into());
}
