//! Promoted variables in the string form of schedules (algorithms, rule 8): `sync+counter@2:T1`.
//!
//! A name says which variable is meant whatever its address is:
//! * a variable of the program as reports name it, or a part of one: `counter`, `accounts[2].balance`;
//! * bytes of the blocks that are allocated in a line of the source: `queue.c:20[8..12]`, or all of
//!   them: `queue.c:20[..]`;
//! * bytes of the blocks that a function allocates where no line is known (C++'s `new`): `make()[8..12]`;
//! * bytes of a function's stack frame: `main:frame[24..28]`.

use alloc::string::String;
use alloc::vec::Vec;

/// Bytes in a name that mean something in a schedule's string, or to those that read it.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"+@#%,".contains(&byte)
}

/// A name as it stands in a schedule's string: bytes with a meaning there as `%2B`.
pub fn encode(name: &str) -> String {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut out = String::new();
    for byte in name.bytes() {
        match is_plain(byte) {
            true => out.push(byte as char),
            false => {
                out.push('%');
                out.push(DIGITS[usize::from(byte >> 4)] as char);
                out.push(DIGITS[usize::from(byte & 15)] as char);
            }
        }
    }
    out
}

/// Back from there; `None` when it is no such name.
pub fn decode(text: &str) -> Option<String> {
    let mut out = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'%' => {
                let digit = |b: Option<u8>| char::from(b?).to_digit(16);
                (digit(bytes.next())? << 4 | digit(bytes.next())?) as u8
            }
            plain if is_plain(plain) => plain,
            _ => return None,
        });
    }
    String::from_utf8(out).ok().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for name in ["counter", "accounts[2].balance", "queue.c:20[8..12]", "operator+<a, b>@%", "größe"] {
            let text = encode(name);
            assert!(!text.contains(['+', '@', '#', ',', ' ']), "{text}");
            assert_eq!(decode(&text).as_deref(), Some(name));
        }
        for wrong in ["", "a+b", "%", "%2", "%GG", "a b", "%FF"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}
