//! The level of optimisation where a build names none: one that keeps every access of the source.
//!
//! An optimising compiler makes one access of two that race, or none: what nobody reads, and what is read twice. So C is compiled
//! with `-O0`. At `-O0` C++'s library is calls in calls, whose own accesses hide the program's and take a fifth to almost half of
//! the executions a second. gcc compiles C++ with `-O1` and without the passes that merge, move or drop accesses
//! ([`KEEPS_ACCESSES`]), which takes a tenth to a fifth. Clang's passes cannot be left out one by one: it
//! compiles C++ with `-O1`, and the verdict names the level.

use super::driver::{Family, Tool};

/// gcc's options that leave out of `-O1` what makes fewer accesses than the source has. Where one is missing here, the verdict is
/// silent about what that pass hides; `tests/programs/trust/merged.cpp` has races that plain `-O1` hides.
pub const KEEPS_ACCESSES: &[&str] = &[
    // Two reads become one, and a read of what was just stored none.
    "-fno-tree-fre",
    "-fno-tree-pre",
    "-fno-tree-dominator-opts",
    "-fno-tree-forwprop",
    "-fno-tree-phiprop",
    "-fno-tree-ccp",
    // A read that nobody uses goes, and so does a call that only reads.
    "-fno-tree-dce",
    "-fno-ipa-pure-const",
    // The first of two stores goes.
    "-fno-tree-dse",
    // Accesses leave loops and branches.
    "-fno-tree-loop-optimize",
    "-fno-tree-sink",
    "-fno-tree-cselim",
    "-fno-ssa-phiopt",
    // A copy of a whole becomes accesses of the parts that are used.
    "-fno-tree-sra",
];

/// The options that are added where a build names no level.
pub fn usual(tool: Tool, is_cpp: bool) -> Vec<&'static str> {
    match tool.family {
        _ if !is_cpp => vec!["-O0"],
        Family::Gcc => ["-O1"].into_iter().chain(KEEPS_ACCESSES.iter().copied()).collect(),
        Family::Clang => vec!["-O1"],
    }
}

/// Does a compiler with these options keep every access, though it has this level?
pub fn keeps_accesses(level: &str, options: &str) -> bool {
    let last = |kept: &str| {
        let is_it = |word: &&str| *word == kept || word.strip_prefix("-f") == kept.strip_prefix("-fno-");
        options.split(' ').rfind(is_it) == Some(kept)
    };
    level == "-O0" || level == "-O1" && KEEPS_ACCESSES.iter().all(|kept| last(kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_are_kept_where_every_pass_is_left_out() {
        let all = KEEPS_ACCESSES.join(" ");
        assert!(keeps_accesses("-O0", ""));
        assert!(keeps_accesses("-O1", &format!("GNU C++17 12.2.0 -g -O1 {all} -fPIC")));
        assert!(!keeps_accesses("-O2", &all) && !keeps_accesses("-O1", "GNU C++17 12.2.0 -g -O1"));
        assert!(!keeps_accesses("-O1", &format!("{all} -ftree-dce")), "the last one counts");
        for missing in KEEPS_ACCESSES {
            assert!(!keeps_accesses("-O1", &all.replace(missing, "-g")), "{missing}");
        }
    }

    #[test]
    fn each_language_has_its_level() {
        let tool = |family| Tool { family, cpp: false };
        assert_eq!(usual(tool(Family::Gcc), false), ["-O0"]);
        assert_eq!(usual(tool(Family::Clang), true), ["-O1"]);
        assert!(keeps_accesses("-O1", &usual(tool(Family::Gcc), true).join(" ")));
    }
}
