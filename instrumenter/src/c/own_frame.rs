//! Hooks of accesses that nobody else can see. Without optimisation gcc keeps what `atomic_load`, `x++` on an atomic and their
//! like need in between in variables of the function's frame, and puts hooks at them, though their addresses go nowhere: at
//! `access` granularity each would be a schedule point that the source does not have. In the assembly it is plain
//! that an address goes nowhere: it is computed for the hook and given to it, and that is all.
//!
//! A hook is dropped only where *no* address of the frame goes anywhere in the whole function, but to hooks, to the markers of
//! functions (whose variable is the runtime's own), to `pthread_create` (for the handle, which it writes before the thread is
//! there) and to compare-exchanges (as what they expect, whose accesses the runtime tells itself): one address that a function or a variable is given may lead to all that lies above it. So it must be
//! known what `%rbp` is: a function that does not begin by making it its frame is left alone, as is one that uses
//! it in any other way than this, and one with a part elsewhere.

/// What begins an operand that is a place in the frame, and ends one.
const FRAME: &str = "(%rbp)";

/// The text without these hooks, line by line; nothing if there are none.
pub fn without_hooks(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.split('\n').collect();
    let (mut dropped, mut at) = (vec![false; lines.len()], 0);
    while at < lines.len() {
        let Some(name) = function(lines[at]) else {
            at += 1;
            continue;
        };
        let end = lines[at..].iter().position(|l| ends(l, name)).map_or(lines.len(), |n| at + n);
        if !text.contains(&format!("{name}.cold")) {
            for hook in hooks(&lines[at..end]).unwrap_or_default() {
                dropped[at + hook] = true;
            }
        }
        at = end.max(at + 1);
    }
    // Lines stay where they are: what is dropped leaves an empty one.
    let kept = lines.iter().zip(&dropped).map(|(line, dropped)| if *dropped { "" } else { line });
    dropped.contains(&true).then(|| kept.collect::<Vec<_>>().join("\n"))
}

/// The function that a line says the type of.
fn function(line: &str) -> Option<&str> {
    line.trim().strip_prefix(".type")?.trim().strip_suffix(", @function")
}

fn ends(line: &str, name: &str) -> bool {
    line.trim().strip_prefix(".size").is_some_and(|rest| rest.trim().split(',').next() == Some(name))
}

/// The calls of hooks that a function can do without; `None` if its frame may be known to others.
fn hooks(lines: &[&str]) -> Option<Vec<usize>> {
    // Notes for the debugger and for unwinding are no instructions; labels are, since jumps lead there.
    let is_note = |l: &str| l.is_empty() || l.starts_with(".loc") || l.starts_with(".cfi_");
    let code: Vec<(usize, &str)> =
        lines.iter().enumerate().map(|(n, l)| (n, l.trim())).filter(|(_, l)| !is_note(l)).collect();
    let begin = code.iter().position(|(_, l)| words(l) == ("pushq", "%rbp"))?;
    if words(code.get(begin + 1)?.1) != ("movq", "%rsp, %rbp") {
        return None;
    }
    let (mut hooks, mut at, mut inside) = (Vec::new(), begin + 2, false);
    while at < code.len() {
        let (instruction, operands) = words(code[at].1);
        match instruction {
            "#APP" => inside = true,
            "#NO_APP" => inside = false,
            _ if !operands.contains("%rbp") || is_end(instruction, operands) => {}
            _ if inside => return None,
            "leaq" => match given(&code[at..])? {
                Given::Hook(length) => hooks.push(code[at + length - 1].0),
                Given::Known => {}
            },
            _ if without_places(operands).contains("%rbp") => return None,
            _ => {}
        }
        at += 1;
    }
    Some(hooks)
}

/// Does it give the caller's frame back?
fn is_end(instruction: &str, operands: &str) -> bool {
    matches!((instruction, operands), ("popq", "%rbp") | ("leave", ""))
}

/// What an address of the frame is given to, and nothing else.
enum Given {
    /// A hook, called so many lines from here.
    Hook(usize),
    /// What keeps no address: a marker at a function's beginning or end, whose own the variable is, a compare-exchange, as
    /// what it expects, or `pthread_create`, for the handle.
    Known,
}

/// What takes the address that the first line computes; `None` if it may go elsewhere.
fn given(code: &[(usize, &str)]) -> Option<Given> {
    let (_, operands) = words(code[0].1);
    let (place, register) = operands.rsplit_once(", ")?;
    // Without an index: what that adds is not known.
    let offset = place.strip_suffix(FRAME)?;
    offset.parse::<i64>().ok()?;
    // Where the address is; registers that calls do not keep, so that nobody has it afterwards.
    let mut held = vec![whole(register)?];
    for (length, (_, line)) in code.iter().enumerate().skip(1) {
        let (instruction, operands) = words(line);
        if instruction == "call" {
            let called = operands.strip_suffix("@PLT").unwrap_or(operands);
            held.retain(|register| *register != "%rax");
            let is_only = |registers: &[&str]| held.iter().all(|register| registers.contains(register));
            let is_exchange = called.starts_with("__tsan_atomic") && called.contains("_compare_exchange_");
            return match called {
                "raddle_rt_leave_at" | "raddle_rt_atomic_leave" | "pthread_create" => is_only(&["%rdi"]),
                "raddle_rt_enter_at" => is_only(&["%rsi", "%rdx"]),
                hook if is_access(hook) && length <= 2 && held[..] == ["%rdi"] => {
                    return Some(Given::Hook(length + 1));
                }
                _ => is_exchange && is_only(&["%rsi"]),
            }
            .then_some(Given::Known);
        }
        let (from, to) = operands.rsplit_once(", ")?;
        let to =
            whole(to).filter(|_| matches!(instruction, "movl" | "movq" | "movzbl" | "movzwl" | "leaq"))?;
        if instruction == "movq" && held.contains(&from) {
            held.push(to);
        } else if held.iter().any(|register| from.contains(register) || from.contains(&register[2..])) {
            return None;
        } else {
            held.retain(|register| *register != to);
        }
    }
    None
}

/// The whole register that this is, or is the lower half of, if it is one for arguments or the result.
fn whole(register: &str) -> Option<&'static str> {
    Some(match register {
        "%rax" | "%eax" => "%rax",
        "%rdi" | "%edi" => "%rdi",
        "%rsi" | "%esi" => "%rsi",
        "%rdx" | "%edx" => "%rdx",
        "%rcx" | "%ecx" => "%rcx",
        "%r8" | "%r8d" => "%r8",
        _ => return None,
    })
}

/// Is it a hook of one access?
fn is_access(called: &str) -> bool {
    let Some(kind) = called.strip_prefix("__tsan_") else { return false };
    let kind = kind.strip_prefix("unaligned_").unwrap_or(kind);
    let kind = kind.strip_prefix("volatile_").unwrap_or(kind);
    let size = kind.strip_prefix("read").or_else(|| kind.strip_prefix("write"));
    size.is_some_and(|size| matches!(size, "1" | "2" | "4" | "8" | "16"))
}

/// The operands without the places in the frame that they access.
fn without_places(operands: &str) -> String {
    operands.replace(FRAME, "").replace("(%rbp,", "(")
}

/// An instruction and its operands.
fn words(line: &str) -> (&str, &str) {
    let (instruction, operands) = line.split_once(['\t', ' ']).unwrap_or((line, ""));
    (instruction, operands.trim())
}

#[cfg(test)]
mod tests {
    use super::without_hooks;

    /// A function with this between its beginning and its end.
    fn function(body: &str) -> String {
        format!(
            "\t.type\tf, @function\nf:\n\tpushq\t%rbp\n\tmovq\t%rsp, %rbp\n\tsubq\t$40, %rsp\n{body}\n\tleave\n\tret\n\t.size\tf, .-f\n"
        )
    }

    const HOOK: &str = "\tleaq\t-40(%rbp), %rax\n\tmovq\t%rax, %rdi\n\t.loc 1 5 3\n\tcall\t__tsan_write4@PLT\n\tmovl\t%ebx, -40(%rbp)";
    const MARKED: &str = "\tleaq\t-44(%rbp), %rax\n\tmovq\t%rax, %rsi\n\tleaq\t.LC0(%rip), %rax\n\tmovq\t%rax, %rdi\n\tcall\traddle_rt_enter_at@PLT";

    fn drops(body: &str) -> bool {
        let text = function(body);
        let Some(without) = without_hooks(&text) else { return false };
        assert_eq!(text.lines().count(), without.lines().count());
        assert!(!without.contains("__tsan_write4"), "{without}");
        true
    }

    #[test]
    fn hooks_of_what_no_address_leads_to_are_dropped() {
        assert!(drops(HOOK));
        assert!(drops(&format!(
            "{MARKED}\n{HOOK}\n\tleaq\t-44(%rbp), %rax\n\tmovq\t%rax, %rdi\n\tcall\traddle_rt_leave_at@PLT"
        )));
        let expected = "\tleaq\t-12(%rbp), %rsi\n\tmovq\t-8(%rbp), %rax\n\tmovl\t$5, %ecx\n\tmovq\t%rax, %rdi\n\tcall\t__tsan_atomic32_compare_exchange_strong@PLT";
        assert!(drops(&format!("{HOOK}\n{expected}")));
        let handle =
            "\tleaq\t-8(%rbp), %rax\n\tmovl\t$0, %esi\n\tmovq\t%rax, %rdi\n\tcall\tpthread_create@PLT";
        assert!(drops(&format!("{HOOK}\n{handle}")));
    }

    #[test]
    fn one_address_that_goes_elsewhere_keeps_all() {
        for other in [
            "\tleaq\t-36(%rbp), %rax\n\tmovq\t%rax, %rdi\n\tcall\tuse@PLT",
            "\tleaq\t-36(%rbp), %rax\n\tmovq\t%rax, -8(%rbp)",
            "\tleaq\t-36(%rbp), %rax\n\tmovq\t%rax, %rdi\n\tmovq\t%rax, %rsi\n\tcall\tpthread_create@PLT",
            "\tleaq\t-36(%rbp), %rax\n\tmovq\t%rax, %rcx\n\tmovq\t-8(%rbp), %rdi\n\tcall\tpthread_create@PLT",
            "\tleaq\t-36(%rbp,%rax,4), %rdi\n\tcall\t__tsan_read4@PLT",
            "\tleaq\t-36(%rbp), %rbx\n\tmovq\t%rbx, %rdi\n\tcall\t__tsan_read4@PLT",
            "\tmovq\t%rbp, %rax",
            "\tleaq\t-36(%rbp), %rax\n.L3:\n\tmovq\t%rax, %rdi\n\tcall\t__tsan_read4@PLT",
            "#APP\n\tfoo -36(%rbp)\n#NO_APP",
            "\tmovq\t8(%rax), %rbp",
        ] {
            assert!(!drops(&format!("{HOOK}\n{other}")), "{other}");
        }
    }

    #[test]
    fn a_frame_that_is_none_is_left_alone() {
        // Without a frame pointer, `%rbp` holds anything.
        let text = function(HOOK).replace("\tmovq\t%rsp, %rbp\n", "\tmovq\t%rdi, %rbp\n");
        assert_eq!(without_hooks(&text), None);
        assert_eq!(without_hooks(&format!("{}f.cold:\n", function(HOOK))), None);
    }
}
