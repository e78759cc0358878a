//! Tells the kernel of panics where they happen, before the hook that was there does with them what it does.

use crate::rt;
use std::any::Any;
use std::panic::{self, PanicHookInfo};

/// Puts the hook before the one that is there.
pub fn install() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        report(info);
        usual(info);
    }));
}

/// The same before `main`, in a program that the kernel runs as a whole: nothing else of ours is called there.
pub(crate) fn install_for_main() {
    if std::env::var_os("RADDLE_ENTRY").is_some_and(|entry| entry == "main") {
        install();
    }
}

fn report(info: &PanicHookInfo<'_>) {
    let message = text(info.payload()).unwrap_or("Box<dyn Any>");
    match info.location() {
        Some(place) => rt::thread_panicked(message, place.file(), place.line(), place.column()),
        None => rt::thread_panicked(message, "", 0, 0),
    }
}

/// The words of a panic.
pub fn text(payload: &(dyn Any + Send)) -> Option<&str> {
    let string = payload.downcast_ref::<String>().map(String::as_str);
    string.or_else(|| payload.downcast_ref::<&'static str>().copied())
}
