//! Keys, where nobody is typing text.

use crate::model::Deed;
use egui::{Context, Key, Modifiers};

/// The numbers of threads that a key chooses.
const DIGITS: [Key; 10] = [
    Key::Num0,
    Key::Num1,
    Key::Num2,
    Key::Num3,
    Key::Num4,
    Key::Num5,
    Key::Num6,
    Key::Num7,
    Key::Num8,
    Key::Num9,
];

/// How far Page Up and Page Down go.
const PAGE: i64 = 15;

/// What the keys of this frame ask for.
pub fn deeds(ctx: &Context) -> Vec<Deed> {
    if ctx.text_edit_focused() {
        return Vec::new();
    }
    let mut deeds: Vec<Deed> = Vec::new();
    ctx.input_mut(|input| {
        let mut moved = 0;
        for (key, by) in [
            (Key::ArrowDown, 1),
            (Key::ArrowUp, -1),
            (Key::PageDown, PAGE),
            (Key::PageUp, -PAGE),
            (Key::Home, i64::from(i32::MIN)),
            (Key::End, i64::from(i32::MAX)),
        ] {
            moved += by * input.count_and_consume_key(Modifiers::NONE, key) as i64;
        }
        if moved != 0 {
            deeds.push(Deed::Move(moved));
        }
        let mut on = |key, deed: Deed| {
            if input.consume_key(Modifiers::NONE, key) {
                deeds.push(deed);
            }
        };
        on(Key::N, Deed::NextPreemption(true));
        on(Key::P, Deed::NextPreemption(false));
        on(Key::Space, Deed::PauseOrResume);
        on(Key::U, Deed::Undo);
        on(Key::F, Deed::SearchHere);
        on(Key::C, Deed::Compare);
        on(Key::S, Deed::Save);
        on(Key::E, Deed::Again);
        on(Key::R, Deed::Reconnect);
        on(Key::Escape, Deed::Dismiss);
        for (thread, key) in (0..).zip(DIGITS) {
            on(key, Deed::RunNext(thread));
        }
    });
    deeds
}
