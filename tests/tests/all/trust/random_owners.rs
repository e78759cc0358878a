//! Random programs of Rust with `Arc`, `Weak` and objects on stacks: every search finds the same ones to fail.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{Draw, Scratch};
use std::collections::BTreeMap;

/// The first is compared with the others: with points at all counts, nothing is left out for their sake.
const SEARCHES: [&str; 5] = [
    "--points-in Arc --bound none --reduce optimal",
    "",
    "--bound none --reduce source",
    "--bound none --reduce none --executions 20000",
    "--bound iterative --reduce none --executions 20000",
];

/// Programs of one build.
const AT_ONCE: usize = 40;

/// Does each test fail? A search without a reduction may not come to an end.
fn explore(scratch: &Scratch, options: &str) -> BTreeMap<String, Option<bool>> {
    let run = scratch.raddle("explore trust_random_owners").args(options).json();
    let fails = |r: &Report| match r.verdict {
        Verdict::Failed => Some(true),
        _ if r.complete => Some(false),
        _ => {
            assert!(options.contains("--executions") && r.error.is_none(), "{options}: {r:#?}");
            None
        }
    };
    run.reports.iter().map(|r| (r.test.clone(), fails(r))).collect()
}

#[test]
fn random_owners_fail_the_same_in_every_search() {
    let programs: usize = std::env::var("RADDLE_PROGRAMS").map_or(6, |n| n.parse().expect("a number"));
    let mut draw = Draw(0x5eed);
    let (mut outcomes, mut ended) = ([0; 2], [0; SEARCHES.len()]);
    for first in (0..programs).step_by(AT_ONCE) {
        let scratch = Scratch::with("tests/packages/trust_random_owners");
        let mut text = scratch.read("trust_random_owners/src/lib.rs");
        let drawn: Vec<String> = (first..programs.min(first + AT_ONCE)).map(|_| program(&mut draw)).collect();
        for (n, words) in drawn.iter().enumerate() {
            text += &format!("#[test]\nfn p{n}() {{ check({words}) }}\n");
        }
        scratch.write("trust_random_owners/src/lib.rs", &text);
        let expected = explore(&scratch, SEARCHES[0]);
        for (i, (options, ended)) in SEARCHES.iter().zip(&mut ended).enumerate() {
            let found = if i == 0 { expected.clone() } else { explore(&scratch, options) };
            for (n, words) in drawn.iter().enumerate() {
                let test = format!("p{n}");
                if let Some(fails) = found[&test] {
                    assert_eq!(Some(fails), expected[&test], "{words}: `{options}` and `{}`", SEARCHES[0]);
                    *ended += 1;
                }
            }
        }
        expected.values().for_each(|fails| outcomes[usize::from(*fails == Some(true))] += 1);
    }
    println!("{} pass, {} fail; ended by search: {ended:?}", outcomes[0], outcomes[1]);
    assert!(outcomes.iter().all(|n| *n > 0), "{outcomes:?}");
    assert!(
        ended[..3].iter().all(|n| *n == programs) && ended[3..].iter().all(|n| *n > programs / 2),
        "{ended:?}"
    );
}

/// Arguments of `check`: two threads, or three with fewer operations each. Few lend objects on their stacks, or race.
fn program(draw: &mut Draw) -> String {
    let ends: String = [draw.of("natm"), draw.of("i-"), draw.of("ab")].iter().collect();
    let counts = "cCdDxwWvlLnNguiMsfkM";
    let letters = match draw.below(10) {
        0 => format!("{counts}p"),
        1 | 2 => "oqOoOsfd".to_string(),
        _ => counts.to_string(),
    };
    let (threads, most) = if draw.below(4) == 0 { (3, 2) } else { (2, 4) };
    let mut words = Vec::new();
    for _ in 0..threads {
        let length = 1 + draw.below(most);
        words.push(format!("{:?}", (0..length).map(|_| draw.of(&letters)).collect::<String>()));
    }
    let kinds = 2 + draw.below(6);
    format!("{ends:?}, &[{}], {kinds}, {}", words.join(", "), draw.below(kinds))
}
