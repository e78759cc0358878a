//! `cargo xtask pictures`: the pictures of the README and the book, made anew by the tests that see the real thing. Those of the
//! terminal are text, and a test compares them; those of the window and of the editor are screenshots, which differ between
//! machines by a few pixels.

use crate::steps;
use std::path::Path;
use std::process::Command;

/// The screenshots that are shown, by the names that the tests give them.
const SHOWN: [(&str, &str); 2] =
    [("window-bank.png", "window.png"), ("bank-4-first-preemption.png", "editor.png")];

/// Draws all of them; did every test pass that makes one?
pub fn draw() -> Result<bool, String> {
    let tests = "test --package raddle-tests --test all -- pictures:: window::a_killed_host";
    let mut terminal = Command::new("cargo");
    terminal.args(tests.split(' ')).current_dir(steps::root());
    terminal.env("UPDATE_EXPECT", "1").env("RADDLE_SCREENSHOTS", screenshots());
    let status = terminal.status().map_err(|e| format!("cannot run cargo: {e}"))?;
    // The editor is driven with the extension as it is packed.
    let mut passed = status.success();
    for step in ["build", "extension", "editor"] {
        passed = passed && steps::run(false, Some(step))?.totals.failed == 0;
    }
    if passed {
        SHOWN
            .iter()
            .try_for_each(|(from, to)| keep(from, &steps::root().join("docs/src/pictures").join(to)))?;
    }
    Ok(passed)
}

fn screenshots() -> std::path::PathBuf {
    steps::target().join("screenshots")
}

/// Keeps a screenshot with no more colours than a file of that size needs.
fn keep(screenshot: &str, to: &Path) -> Result<(), String> {
    let from = screenshots().join(screenshot);
    let mut convert = Command::new("convert");
    convert.arg(&from).args(["-strip", "-colors", "128", "-define", "png:compression-level=9"]).arg(to);
    let status =
        convert.status().map_err(|e| format!("cannot run convert (Debian package imagemagick): {e}"))?;
    status.success().then_some(()).ok_or(format!("{} cannot be converted", from.display()))
}
