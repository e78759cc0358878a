//! Random programs of sound Rust with owners of owners: what one thread drops last, another could have, with all that it owned. No
//! search may tell that they race or use what has gone.

use raddle_protocol::report::Verdict;
use raddle_tests::{Draw, Scratch};

/// Programs of one build.
const AT_ONCE: usize = 40;

#[test]
fn safe_owners_of_owners_never_fail() {
    let programs: usize = std::env::var("RADDLE_PROGRAMS").map_or(40, |n| n.parse().expect("a number"));
    let mut draw = Draw(0xace);
    let mut ended = 0;
    for first in (0..programs).step_by(AT_ONCE) {
        let scratch = Scratch::with("tests/packages/trust_safe_owners");
        let mut text = scratch.read("trust_safe_owners/src/lib.rs");
        let drawn: Vec<String> = (first..programs.min(first + AT_ONCE)).map(|_| program(&mut draw)).collect();
        for (n, body) in drawn.iter().enumerate() {
            text += &format!("#[test]\nfn p{n}() {{\n{body}}}\n");
        }
        scratch.write("trust_safe_owners/src/lib.rs", &text);
        for options in ["", "--bound none --reduce source"] {
            let run = scratch.raddle("explore trust_safe_owners --executions 2000").args(options).json();
            assert_eq!(run.reports.len(), drawn.len());
            for report in &run.reports {
                let body = &drawn[report.test[1..].parse::<usize>().expect("its number")];
                assert!(report.error.is_none() && report.verdict != Verdict::Failed, "{body}: {report:#?}");
                ended += usize::from(report.complete);
            }
        }
    }
    println!("{ended} of {} searches came to their end", 2 * programs);
    assert!(ended >= programs, "{ended}");
}

/// Nodes that own earlier ones, and threads that own some of them.
fn program(draw: &mut Draw) -> String {
    let mut text = String::new();
    let nodes = 2 + draw.below(3);
    for n in 0..nodes {
        let owned: Vec<String> = (0..n).filter(|_| draw.below(2) == 0).map(|o| format!("&v{o}")).collect();
        text += &format!("    let v{n} = node(&[{}]);\n", owned.join(", "));
    }
    let threads = 1 + draw.below(2);
    let mut joined = Vec::new();
    for t in 0..threads {
        let own: Vec<usize> = (0..nodes).filter(|_| draw.below(3) < 2).collect();
        for n in &own {
            text += &format!("    let t{t}v{n} = v{n}.clone();\n");
        }
        let names: Vec<String> = own.iter().map(|n| format!("t{t}v{n}")).collect();
        text += &format!("    let t{t} = spawn(move || {{\n{}    }});\n", steps(draw, names));
        if draw.below(2) == 0 {
            joined.push(t);
        }
    }
    text += &steps(draw, (0..nodes).map(|n| format!("v{n}")).collect());
    for t in joined {
        text += &format!("    t{t}.join().unwrap();\n");
    }
    text
}

/// Steps of a thread that owns these, the later ones perhaps owners of earlier ones: mostly it drops those first.
fn steps(draw: &mut Draw, mut own: Vec<String>) -> String {
    let mut text = String::new();
    for _ in 0..3 + draw.below(4) {
        let at = if draw.below(3) > 0 { own.len().saturating_sub(1) } else { draw.below(own.len().max(1)) };
        let Some(name) = own.get(at).cloned() else { break };
        text += &match draw.below(10) {
            0 | 1 => format!("        GO[{}].store(1, SeqCst);\n", draw.below(2)),
            2 | 3 => format!("        GO[{}].load(SeqCst);\n", draw.below(2)),
            4 => format!("        {name}.load();\n"),
            5 | 6 => format!("        {name}.owned().for_each(|node| drop(node.load()));\n"),
            7 => {
                own.remove(at);
                format!("        Waker::from({name}).wake();\n")
            }
            _ => {
                own.remove(at);
                format!("        drop({name});\n")
            }
        };
    }
    text
}
