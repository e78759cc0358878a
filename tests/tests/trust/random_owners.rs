//! Random programs of Rust with `Arc`, `Weak` and objects on stacks: every search finds the same ones to fail.

use raddle_protocol::report::Verdict;
use raddle_tests::Scratch;
use std::collections::BTreeMap;

/// Each runs everything. The first is compared with the others: with points at all counts, nothing is left out for their sake.
const SEARCHES: [&str; 5] = [
    "--points-in Arc --bound none --reduce optimal",
    "",
    "--bound none --reduce none",
    "--bound none --reduce source",
    "--bound iterative --reduce none",
];

/// Programs of one build.
const AT_ONCE: usize = 40;

#[test]
fn random_owners_fail_the_same_in_every_search() {
    let programs: usize = std::env::var("RADDLE_PROGRAMS").map_or(8, |n| n.parse().expect("a number"));
    let mut draw = Draw(0x5eed);
    let mut outcomes = [0; 2];
    for first in (0..programs).step_by(AT_ONCE) {
        let scratch = Scratch::with("tests/packages/trust_random_owners");
        let mut text = scratch.read("trust_random_owners/src/lib.rs");
        let drawn: Vec<String> = (first..programs.min(first + AT_ONCE)).map(|_| program(&mut draw)).collect();
        for (n, words) in drawn.iter().enumerate() {
            text += &format!("#[test]\nfn p{n}() {{ check({words}) }}\n");
        }
        scratch.write("trust_random_owners/src/lib.rs", &text);
        let explore = |options: &str| -> BTreeMap<String, bool> {
            let run = scratch.raddle("explore trust_random_owners").args(options).json();
            let told = |r: &raddle_protocol::report::Report| {
                let fails = r.verdict == Verdict::Failed;
                assert!(fails || r.complete, "{options}: {r:#?}");
                (r.test.clone(), fails)
            };
            run.reports.iter().map(told).collect()
        };
        let [every, others @ ..] = SEARCHES;
        let expected = explore(every);
        assert_eq!(expected.len(), drawn.len());
        for options in others {
            let found = explore(options);
            for (n, words) in drawn.iter().enumerate() {
                let test = format!("p{n}");
                assert_eq!(found.get(&test), expected.get(&test), "{words}: `{options}` and `{every}`");
            }
        }
        expected.values().for_each(|fails| outcomes[usize::from(*fails)] += 1);
    }
    println!("{} pass, {} fail", outcomes[0], outcomes[1]);
    assert!(outcomes.iter().all(|n| *n > 0), "{outcomes:?}");
}

/// Numbers that look like random ones (xorshift).
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }

    fn of(&mut self, letters: &str) -> char {
        letters.as_bytes()[self.below(letters.len())].into()
    }
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
