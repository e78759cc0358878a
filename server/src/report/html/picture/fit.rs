//! Words that fit into a box.

use crate::terminal::clean::{shortened, visible};
use raddle_protocol::report::Event;

/// What is written into a box.
pub struct Words {
    /// What was done.
    pub left: String,
    /// The value, which has a place of its own.
    pub right: String,
}

impl Words {
    /// What was done, and the value that it ends with, which has a place of its own.
    pub fn of(e: &Event, text: &str) -> Words {
        let apart = |value: &str| {
            let left = text.strip_suffix(value).filter(|_| !value.is_empty())?;
            let left = left.strip_suffix(" = ").or_else(|| left.strip_suffix(": "))?;
            Some(Words { left: left.to_string(), right: value.to_string() })
        };
        let shown = visible(e.shown.as_deref().unwrap_or_default());
        let number = e.value.map(|v| v.to_string()).unwrap_or_default();
        apart(&shown)
            .or_else(|| apart(&number))
            .unwrap_or_else(|| Words { left: text.to_string(), right: String::new() })
    }

    /// At most so many letters. Of a change the new value is kept, and of a long value its beginning.
    pub fn fitting(&self, room: usize) -> (String, String) {
        let (left, right) = (self.left.chars().count(), self.right.chars().count());
        if right == 0 || left + right + 2 <= room {
            return (shortened(&self.left, room), self.right.clone());
        }
        // Within a structure an arrow is that of a field.
        let change = self.right.split_once(" → ").filter(|_| !self.right.contains(['{', '[', '(']));
        let new = change.map_or(self.right.clone(), |(_, new)| format!("→ {new}"));
        let value = shortened(&new, room.saturating_sub(left + 2).max(room / 3));
        (shortened(&self.left, room.saturating_sub(value.chars().count() + 2)), value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_give_way_to_what_is_new() {
        let fitting = |left: &str, right: &str, room| {
            let (left, right) = Words { left: left.into(), right: right.into() }.fitting(room);
            format!("{left}|{right}")
        };
        assert_eq!(fitting("stores open", "false → true", 25), "stores open|false → true");
        assert_eq!(fitting("stores open", "false → true", 24), "stores open|→ true");
        assert_eq!(fitting("locks state", "State { waiting: 2 }", 24), "locks state|State { wa…");
        assert_eq!(fitting("stores something long", "1 → 2", 16), "stores som…|→ 2");
        assert_eq!(fitting("unlocks s", "S { open: false → true }", 22), "unlocks s|S { open: …");
        assert_eq!(fitting("locks lock", "", 4), "loc…|");
    }
}
