//! From a started process to one that is ready for plans, or the reason why it never was.

use super::Launch;
use super::process::{Death, Process, signal_name};
use raddle_engine::ExecutorError;
use raddle_schedule::channel::Header;
use std::sync::atomic::Ordering::Acquire;
use std::time::{Duration, Instant};

/// A program that takes longer than this to its first execution is given up.
const READY: Duration = Duration::from_secs(60);

/// Waits until the program has reached its test.
pub fn wait(process: &Process, header: &Header, launch: &Launch) -> Result<(), ExecutorError> {
    let begun = Instant::now();
    while header.ready.load(Acquire) == 0 {
        if let Some(death) = process.death() {
            return Err(unready(launch, death, &process.complaint()));
        }
        if begun.elapsed() > READY {
            let (program, limit) = (launch.program.display(), READY.as_secs());
            return Err(ExecutorError(format!("{program} did not reach its test within {limit} s")));
        }
        std::thread::sleep(Duration::from_micros(100));
    }
    Ok(())
}

/// Why a program that died before its first execution did so, with what to do.
pub fn unready(launch: &Launch, death: Death, complaint: &str) -> ExecutorError {
    let how = match death {
        Death::Signal(n) => format!("was killed by {}", signal_name(n)),
        Death::Status(n) => format!("ended with status {n}"),
    };
    let said = if complaint.is_empty() { String::new() } else { format!(": {complaint}") };
    ExecutorError(format!("{} {how} before the test began{said}", launch.program.display()))
}
