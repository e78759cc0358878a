//! Which objects have hooks. Each compilation of ours leaves a mark in its object, from where the linker drops it; what
//! is linked and has code and no such mark was compiled by somebody else, and nobody sees what it does to memory. What
//! linking has found of that is noted in the program.

use super::assembly::is_compiled;
use std::collections::BTreeSet;

/// The section of an object with a line for each compilation in it (`ld -r` makes one object of several).
pub const SECTION: &str = ".raddle.hooks";
/// The section of a program or library that the drivers have linked: a note with the names of what has no hooks.
pub const LINKED: &str = ".note.raddle";
/// Whose note it is.
pub const OWNER: &str = "Raddle";
/// Ends each name.
pub const END: char = '\n';

/// Stands before the name of what has hooks, but no debug information: what its compiler left out is not known.
pub const UNTOLD: char = '?';

/// What the assembler is given beside a text that has hooks, or that is looked at as assembly: `1` where the object has
/// the name of a source among its symbols for it, which tells how many texts an object was made of. Nothing for what a
/// compiler made without them.
pub fn mark(text: &str) -> String {
    if is_compiled(text) && !text.contains("__tsan_init") {
        return String::new();
    }
    let named = text.lines().any(|line| {
        let rest = line.trim_start().strip_prefix(".file").map(str::trim_start);
        rest.is_some_and(|rest| rest.starts_with('"'))
    });
    format!("\t.section {SECTION},\"e\",@progbits\n\t.ascii \"{}\\n\"\n", u8::from(named))
}

/// The same in C, for what is Raddle's own and needs no hooks.
pub const OWN: &str =
    "__asm__(\".pushsection .raddle.hooks,\\\"e\\\",@progbits\\n.ascii \\\"1\\\\n\\\"\\n.popsection\");\n";

/// How many sources with names a section of marks stands for.
pub fn marked(section: &[u8]) -> usize {
    section.iter().filter(|byte| **byte == b'1').count()
}

/// A text of assembly with the note that goes into what is linked.
pub fn note(names: &BTreeSet<String>) -> String {
    let mut all = String::new();
    for name in names {
        all += name;
        all.push(END);
    }
    let bytes: String = all.bytes().map(|byte| format!("\t.byte {byte}\n")).collect();
    let (owner, length) = (OWNER.len() + 1, all.len());
    format!(
        "\t.section {LINKED},\"\",@note\n\t.balign 4\n\t.long {owner}, {length}, 1\n\t.asciz \"{OWNER}\"\n\t.balign 4\n\
         {bytes}\t.balign 4\n\t.section .note.GNU-stack,\"\",@progbits\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_name_their_source_are_told_from_others() {
        let has = |text: &str| mark(text).contains("1\\n");
        assert!(has("\t.file\t\"x.c\"\n call __tsan_init\n") && has(".text\n.file \"x.s\"\n"));
        assert!(!has("\t.file 1 \"x.c\"\nf:\n ret\n") && !has(""));
        assert_eq!(mark("\t.file\t\"x.c\"\n\t.ident \"made without\"\n"), "");
        assert_eq!((marked(b"1\n0\n1\n"), marked(b"0\n")), (2, 0));
    }

    #[test]
    fn the_note_has_every_byte_of_the_names() {
        let text = note(&BTreeSet::from(["a\"b.o".to_string()]));
        assert!(text.contains(".long 7, 6, 1\n") && text.contains("\t.byte 34\n"), "{text}");
    }
}
