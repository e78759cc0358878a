//! The bell and the desktop notification of `raddle watch --notify`.

use super::round::Known;
use crate::exit_status as status;
use std::io::Write;
use std::process::{Command, Stdio};

/// Rings the bell and calls `notify-send`, where the desktop has one.
pub fn send(target: &str, known: &Known) {
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(b"\x07").and_then(|()| stderr.flush());
    let urgency = if known.status() == status::PASSED { "normal" } else { "critical" };
    let mut command = Command::new("notify-send");
    command.args(["--app-name=raddle", "--urgency", urgency, "--", &format!("Raddle: {target}")]);
    command.arg(known.summary()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Without one the bell is what there is. The notification may stay for as long as it likes.
    if let Ok(mut child) = command.spawn() {
        let _ = std::thread::Builder::new().spawn(move || child.wait());
    }
}
