//! Assembly inside of C and C++: no hook stands beside what it does. What compilers hand to the assembler has it
//! between `#APP` and `#NO_APP`, with its operands filled in, so what touches memory can be told there from what does
//! not (pauses, barriers, arithmetic in registers). The places are noted in a section of the object file, which ends
//! up in the program: there is exactly what was compiled and linked, that of headers and archives included.

use std::collections::BTreeSet;

/// The section of objects and programs that lists the places, each a file and a line with [`END`] behind it.
pub const SECTION: &str = ".raddle.assembly";
/// Ends each entry.
pub const END: char = '\n';

/// Words before an instruction that belong to it.
const PREFIXES: [&str; 10] =
    ["lock", "rep", "repe", "repz", "repne", "repnz", "data16", "notrack", "xacquire", "xrelease"];
/// Instructions that touch memory, or run what does, without an operand that says so.
const HIDDEN: [&str; 19] = [
    "int", "syscall", "sysenter", "cmpsb", "cmpsl", "cmpsq", "cmpsw", "lodsb", "lodsl", "lodsq", "lodsw",
    "movsb", "movsl", "movsq", "movsw", "scasb", "stosb", "stosl", "stosq",
];
/// Instructions whose operand looks like memory and is not touched, by their beginnings.
const ADDRESSES: [&str; 5] = ["lea", "nop", "prefetch", "clflush", "clwb"];

/// The places, as `file:line`, of assembly that touches memory in what a compiler hands to the assembler. A file that
/// was written as assembly is one place, as `name` if it has one.
pub fn places(text: &str, name: Option<&str>) -> BTreeSet<String> {
    if !is_compiled(text) {
        let touches = text.lines().any(|line| touches(line, &mut false));
        // The preprocessor says where its text is from; the file it leaves has a name that does not last.
        let origin = text.lines().filter_map(marked).map(|(file, _)| file.to_string());
        let origin = origin.filter(|file| !file.starts_with('<')).chain(name.map(str::to_string)).next();
        return origin.filter(|_| touches).into_iter().collect();
    }
    let (mut found, mut files) = (BTreeSet::new(), Vec::new());
    let (mut inside, mut locked) = (false, false);
    let mut place = String::new();
    for line in text.lines() {
        match line.trim() {
            "#APP" => (inside, locked) = (true, false),
            "#NO_APP" => inside = false,
            line if inside => {
                if let Some(marked) = marker(line) {
                    place = marked;
                } else if touches(line, &mut locked) {
                    found.insert(place.clone());
                }
            }
            line => {
                note_file(line, &mut files);
                if let Some(at) = location(line, &files) {
                    place = at;
                }
            }
        }
    }
    found
}

/// What the assembler is given beside the text: the section with these places.
pub fn note(places: &BTreeSet<String>) -> String {
    let mut text = format!("\t.section {SECTION},\"\",@progbits\n");
    for place in places {
        let quoted = place.replace('\\', "\\\\").replace('"', "\\\"");
        text += &format!("\t.ascii \"{quoted}\\n\"\n");
    }
    text
}

/// Did a compiler write it? What people write says neither who made it nor where assembly begins.
pub(super) fn is_compiled(text: &str) -> bool {
    text.starts_with("\t.file\t") || text.lines().any(|l| l.trim() == "#APP" || l.starts_with("\t.ident\t"))
}

/// Where an instruction is, as gcc writes it: `# 12 "file.c" 1`; it ends each with a line 0.
fn marker(line: &str) -> Option<String> {
    let (file, number) = marked(line)?;
    (number > 0).then(|| format!("{file}:{number}"))
}

/// File and line of a line that says where text is from.
fn marked(line: &str) -> Option<(&str, u32)> {
    let (number, rest) = line.strip_prefix("# ")?.split_once(" \"")?;
    let (file, _) = rest.rsplit_once('"')?;
    Some((file, number.parse().ok()?))
}

/// `.file 1 "folder" "name"`, as clang has it, and gcc without the folder.
fn note_file(line: &str, files: &mut Vec<(u32, String)>) {
    let Some(rest) = line.strip_prefix(".file") else { return };
    let Some((number, names)) = rest.trim().split_once(' ').or_else(|| rest.trim().split_once('\t')) else {
        return;
    };
    let Ok(number) = number.parse() else { return };
    let quoted: Vec<&str> = names.split('"').skip(1).step_by(2).collect();
    let name = match quoted.as_slice() {
        [folder, name, ..] if !name.starts_with('/') => format!("{folder}/{name}"),
        [name] | [_, name, ..] => name.to_string(),
        [] => return,
    };
    files.push((number, name));
}

/// `.loc 1 12 5`: where the instructions that follow are from.
fn location(line: &str, files: &[(u32, String)]) -> Option<String> {
    let mut words = line.strip_prefix(".loc")?.split_whitespace();
    let (file, line): (u32, u32) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let (_, name) = files.iter().rev().find(|(number, _)| *number == file)?;
    Some(format!("{name}:{line}"))
}

/// Does a line of assembly touch memory? `locked` says whether a `lock` stood alone before it.
fn touches(line: &str, locked: &mut bool) -> bool {
    let line = line.split('#').next().unwrap_or_default();
    line.split(';').any(|one| instruction(one, locked))
}

fn instruction(text: &str, locked: &mut bool) -> bool {
    let mut rest = text.trim();
    while let Some((label, behind)) = rest.split_once(':') {
        if label.is_empty() || !label.chars().all(|c| c.is_alphanumeric() || "_.$".contains(c)) {
            break;
        }
        rest = behind.trim();
    }
    let (mut name, mut operands) = word(rest);
    while PREFIXES.contains(&name) {
        *locked |= name == "lock";
        (name, operands) = word(operands);
    }
    if name.is_empty() || name.starts_with('.') || name.starts_with("/*") {
        return false;
    }
    let locked = std::mem::take(locked);
    if name.starts_with('j') || name.starts_with("loop") || name == "xbegin" {
        return operands.starts_with('*');
    }
    if HIDDEN.contains(&name) && (operands.is_empty() || name == "int") {
        return true;
    }
    if ADDRESSES.iter().any(|start| name.starts_with(start)) {
        return false;
    }
    // The barrier of old: it changes nothing, and what it is done to is the thread's own.
    let own = operands.contains("(%rsp)") || operands.contains("(%esp)");
    if locked && own && operands.starts_with("$0") && !operands.starts_with("$0x") {
        return false;
    }
    // Registers of the x87 have brackets in their names.
    let operands = operands.replace("%st(", "%");
    operands.contains(['(', '[']) || operands.split(',').map(str::trim).any(is_address)
}

/// Neither a register nor a number; what a segment register finds is the thread's own.
fn is_address(operand: &str) -> bool {
    !operand.is_empty() && !operand.starts_with(['%', '$', '{'])
}

/// The first word, and what is behind it.
fn word(text: &str) -> (&str, &str) {
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (first, rest.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn does(line: &str) -> bool {
        touches(line, &mut false)
    }

    #[test]
    fn instructions_that_touch_memory() {
        for line in [
            "lock; xaddl %edx, counter(%rip)",
            "lock cmpxchgq %rcx, (%rdi)",
            "1: xchgl %eax, 8(%rbx,%rcx,4)",
            "movl %eax, counter",
            "rep; stosb",
            "syscall",
            "call helper",
            "lock; orl $1, (%rsp)",
            "mov eax, dword ptr [rdi]",
            "incl (%rax) # a comment",
        ] {
            assert!(does(line), "{line}");
        }
        for line in [
            "",
            "# 12 \"x.c\" 1",
            "pause",
            "rep; nop",
            "mfence",
            "lock; addl $0,0(%rsp)",
            "lock; addl $0,-4(%rsp)",
            "cpuid",
            "fxch %st(1)",
            "rdtsc",
            "bsrq %rax, %rcx",
            "addl $5, %eax; setc %al",
            "leaq 8(%rsp), %rax",
            "movq %fs:40, %rax",
            "jne 1b",
            "990: nop",
            ".pushsection .note.x",
        ] {
            assert!(!does(line), "{line}");
        }
    }

    #[test]
    fn a_lock_may_stand_on_a_line_of_its_own() {
        let text = "\t.file\t\"x.c\"\n#APP\n\tlock\n\taddl $0, (%rsp)\n\tlock\n\tincl (%rdi)\n#NO_APP\n";
        assert_eq!(places(text, None).len(), 1);
    }

    #[test]
    fn places_are_those_of_the_source() {
        let gcc = "\t.file\t\"x.c\"\n\tmovl (%rax), %eax\n#APP\n# 4 \"h/x.h\" 1\n\tpause\n# 0 \"\" 2\n# 7 \"x.c\" 1\n\
                   \tlock; incl (%rdi)\n# 0 \"\" 2\n#NO_APP\n\tmovl %eax, (%rax)\n";
        assert_eq!(places(gcc, None).into_iter().collect::<Vec<_>>(), ["x.c:7"]);
        let clang = "\t.text\n\t.file\t\"x.c\"\n\t.file\t1 \"/w\" \"x.h\"\n\t.loc\t1 9 3 prologue_end\n\t#APP\n\
                     \tlock\n\tincl\t(%rdi)\n\t#NO_APP\n";
        assert_eq!(places(clang, None).into_iter().collect::<Vec<_>>(), ["/w/x.h:9"]);
    }

    #[test]
    fn a_file_of_assembly_is_one_place() {
        let text = "# 0 \"copy.S\"\n# 1 \"/usr/include/x.h\"\n.text\ncopy: rep movsb\n ret\n";
        assert_eq!(places(text, Some("ccX.s")).into_iter().collect::<Vec<_>>(), ["copy.S"]);
        assert_eq!(places("copy:\n rep movsb\n", Some("copy.s")).into_iter().collect::<Vec<_>>(), ["copy.s"]);
        assert!(places(".section .note.GNU-stack\n", Some("empty.S")).is_empty());
    }

    #[test]
    fn the_note_is_a_section_of_its_own() {
        let note = note(&BTreeSet::from(["a\"b.c:1".to_string()]));
        assert_eq!(note, "\t.section .raddle.assembly,\"\",@progbits\n\t.ascii \"a\\\"b.c:1\\n\"\n");
    }
}
