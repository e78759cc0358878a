//! What the code behind a load overwrites first with what was loaded: so what is there before has no meaning any more.
//!
//! Two forms are known, both of code without optimisation (Intel's manual, volume 2). clang's is `mov [rbp + n], eax`, where
//! `mov ecx, [rip + m]` may come before, the load itself. gcc's keeps the value in rbx while it tells of the write, which is
//! left out where it is of no interest: `mov ebx, eax`, `lea rax, [rbp + n]`, `mov rdi, rax`, perhaps a call of a hook, and
//! `mov [rbp + n], ebx`.

use super::here::Here;
use crate::memory::modules;
use alloc::vec::Vec;
use core::ops::Range;

/// The longest of the forms, in bytes.
const LONGEST: usize = 32;

/// Places that are remembered.
const MOST: usize = 64;

/// What is overwritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overwritten {
    /// Bytes of the stack.
    pub word: Range<usize>,
    /// rbx as well.
    pub rbx: bool,
}

/// What code does, by place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Form {
    /// Where the word is, from rbp, or from rsp.
    offset: isize,
    of_stack: bool,
    size: usize,
    /// The value is kept in rbx until then.
    kept: bool,
    /// The hook that is called until then, from the beginning, if one is.
    hook: Option<isize>,
}

/// What was found behind loads, by return address.
#[derive(Default)]
pub struct Behind(Vec<(usize, Option<Form>)>);

impl Behind {
    /// What the caller overwrites first when the load returns.
    pub fn find(&mut self, here: &Here) -> Option<Overwritten> {
        let pc = here.caller as usize;
        let known = self.0.iter().find(|(at, _)| *at == pc).map(|(_, form)| *form);
        let form = match known {
            Some(form) => form?,
            None => self.look(pc)?,
        };
        let base = if form.of_stack { here.stack_pointer() } else { here.frame_pointer() };
        let start = base.checked_add_signed(form.offset)?;
        Some(Overwritten { word: start..start + form.size, rbx: form.kept })
    }

    #[cold]
    fn look(&mut self, pc: usize) -> Option<Form> {
        let of_page = |at: usize| 4096 - at % 4096;
        // SAFETY: code that is about to be executed, up to the end of its page.
        let code = unsafe { core::slice::from_raw_parts(pc as *const u8, of_page(pc).min(LONGEST)) };
        let form = form(code).filter(|f| f.hook.is_none_or(|to| is_hook(pc.wrapping_add_signed(to))));
        if self.0.len() == MOST {
            self.0.clear();
        }
        self.0.push((pc, form));
        form
    }
}

/// Does a call of this address lead to the runtime, by an entry of a procedure linkage table that is bound?
fn is_hook(stub: usize) -> bool {
    if 4096 - stub % 4096 < 16 {
        return false;
    }
    // SAFETY: the target of a call in code that is executed, in one page.
    let code = unsafe { core::slice::from_raw_parts(stub as *const u8, 16) };
    // endbr64 and bnd may come before the jump.
    let code = code.strip_prefix(&[0xf3, 0x0f, 0x1e, 0xfa]).unwrap_or(code);
    let code = code.strip_prefix(&[0xf2]).unwrap_or(code);
    let [0xff, 0x25, a, b, c, d, ..] = *code else { return false };
    let next = code.as_ptr() as usize + 6;
    let entry = next.wrapping_add_signed(i32::from_le_bytes([a, b, c, d]) as isize);
    // SAFETY: the word that the jump reads.
    let target = unsafe { *(entry as *const usize) };
    let mut is_ours = false;
    modules::each(|m| {
        if m.is_runtime() {
            m.code(|start, end| is_ours |= (start..end).contains(&target));
        }
    });
    is_ours
}

/// Which form code has.
fn form(code: &[u8]) -> Option<Form> {
    let loaded = match code {
        [0x8a | 0x8b, 0x0d, _, _, _, _, rest @ ..] => rest,
        [0x48 | 0x66, 0x8b, 0x0d, _, _, _, _, rest @ ..] => rest,
        _ => code,
    };
    if let Some((offset, of_stack, size)) = stored(loaded, 0) {
        return Some(Form { offset, of_stack, size, kept: false, hook: None });
    }
    // mov ebx, eax, or the same of rax.
    let rest = code.strip_prefix(&[0x89, 0xc3]).or_else(|| code.strip_prefix(&[0x48, 0x89, 0xc3]))?;
    // lea rax, [rbp + n]
    let rest = match rest {
        [0x48, 0x8d, 0x45, _, rest @ ..] | [0x48, 0x8d, 0x85, _, _, _, _, rest @ ..] => rest,
        _ => return None,
    };
    // mov rdi, rax
    let rest = rest.strip_prefix(&[0x48, 0x89, 0xc7])?;
    let (hook, rest) = match rest {
        [0xe8, a, b, c, d, rest @ ..] => {
            let next = code.len() - rest.len();
            (Some(i32::from_le_bytes([*a, *b, *c, *d]) as isize + next as isize), rest)
        }
        _ => (None, rest),
    };
    let (offset, of_stack, size) = stored(rest, 3)?;
    (!of_stack).then_some(Form { offset, of_stack, size, kept: true, hook })
}

/// Where code stores this register (0 rax, 3 rbx) or its lower part on the stack: offset, from rsp or else rbp, and size in bytes.
fn stored(code: &[u8], register: u8) -> Option<(isize, bool, usize)> {
    let (size, code) = match code {
        [0x88, rest @ ..] => (1, rest),
        [0x66, 0x89, rest @ ..] => (2, rest),
        [0x48, 0x89, rest @ ..] => (8, rest),
        [0x89, rest @ ..] => (4, rest),
        _ => return None,
    };
    let (operands, code) = code.split_first()?;
    if operands >> 3 & 7 != register {
        return None;
    }
    let near = |n: u8| isize::from(n as i8);
    let far = |n: [u8; 4]| i32::from_le_bytes(n) as isize;
    // Base and length of the offset; rsp has a byte of its own.
    match (operands & 0b1100_0111, code) {
        (0x45, [n, ..]) => Some((near(*n), false, size)),
        (0x85, [a, b, c, d, ..]) => Some((far([*a, *b, *c, *d]), false, size)),
        (0x44, [0x24, n, ..]) => Some((near(*n), true, size)),
        (0x84, [0x24, a, b, c, d, ..]) => Some((far([*a, *b, *c, *d]), true, size)),
        (0x04, [0x24, ..]) => Some((0, true, size)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(offset: isize, of_stack: bool, size: usize) -> Option<Form> {
        Some(Form { offset, of_stack, size, kept: false, hook: None })
    }

    #[test]
    fn what_was_read_is_stored_on_the_stack() {
        assert_eq!(form(&[0x89, 0x45, 0xec, 0x90]), plain(-20, false, 4));
        assert_eq!(form(&[0x48, 0x89, 0x85, 0x00, 0xff, 0xff, 0xff]), plain(-256, false, 8));
        assert_eq!(form(&[0x88, 0x44, 0x24, 0x0f]), plain(15, true, 1));
        assert_eq!(form(&[0x66, 0x89, 0x84, 0x24, 0x00, 0x01, 0x00, 0x00]), plain(256, true, 2));
        assert_eq!(form(&[0x89, 0x04, 0x24]), plain(0, true, 4));
        assert_eq!(form(&[0x8b, 0x0d, 1, 2, 3, 4, 0x89, 0x45, 0xec]), plain(-20, false, 4));
        // mov [rbp - 20], ecx; mov [rax], eax; mov eax, [rbp - 20]; add [rbp - 20], eax; with r8; cut off.
        let others: [&[u8]; 6] = [
            &[0x89, 0x4d, 0xec],
            &[0x89, 0x00],
            &[0x8b, 0x45, 0xec],
            &[0x01, 0x45, 0xec],
            &[0x44, 0x89, 0x45, 0xec],
            &[0x89],
        ];
        others.into_iter().for_each(|code| assert_eq!(form(code), None, "{code:x?}"));
    }

    #[test]
    fn what_was_read_is_kept_while_a_hook_is_called() {
        let mut code =
            [0x89, 0xc3, 0x48, 0x8d, 0x45, 0xdc, 0x48, 0x89, 0xc7, 0xe8, 0x10, 0, 0, 0, 0x89, 0x5d, 0xdc];
        let kept = Form { offset: -36, of_stack: false, size: 4, kept: true, hook: Some(14 + 16) };
        assert_eq!(form(&code), Some(kept));
        let without = [&code[..9], &code[14..]].concat();
        assert_eq!(form(&without), Some(Form { hook: None, ..kept }));
        // ecx in the place of ebx; another call.
        code[15] = 0x4d;
        assert_eq!(form(&code), None);
        (code[15], code[9]) = (0x5d, 0xe9);
        assert_eq!(form(&code), None);
    }
}
