//! gdb on a runner: the call stack as a debugger sees it, beside the runtime's own.
//!
//! A runner that is started with RADDLE_DEBUG_STOP_AT stops itself at that event of an execution
//! (`runtime/src/debug.rs`). gdb is attached there, and leads it from one to the next by the
//! breakpoint that is there for it: which thread takes a signal, and when, is not certain enough.

use crate::processes::{children, is_stopped};
use crate::run::Raddle;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// One stop.
#[derive(Debug)]
pub struct Stop {
    /// The shadow call stack, outermost first.
    pub shadow: Vec<String>,
    /// gdb's frames, innermost first, inlined ones included.
    pub frames: Vec<Frame>,
}

/// One frame.
#[derive(Debug, PartialEq, Eq)]
pub struct Frame {
    /// The function, as gdb calls it.
    pub function: String,
    /// File and line, where gdb knows them.
    pub place: Option<(String, u32)>,
}

/// Stops this replay at each of these events (in ascending order).
#[track_caller]
pub fn stops(replay: Raddle, events: &[usize]) -> Vec<Stop> {
    let replay = replay.env("RADDLE_DEBUG_STOP_AT", events[0].to_string());
    let mut child = replay.start();
    let deadline = Instant::now() + Duration::from_secs(120);
    let runner = loop {
        if let Some(pid) = children(child.id()).into_iter().find(|pid| is_stopped(*pid)) {
            break pid;
        }
        if let Some(status) = child.try_wait().expect("waiting for raddle") {
            panic!("raddle ended with {status} before event {}", events[0]);
        }
        assert!(Instant::now() < deadline, "the runner did not stop at event {}", events[0]);
        std::thread::sleep(Duration::from_millis(5));
    };
    let said = gdb(&script(runner, events));
    // What it still had to do is nobody's interest now.
    let _ = child.kill();
    let _ = child.wait();
    let stops: Vec<Stop> = said.split("@@stop\n").skip(1).map(stop).collect();
    assert_eq!(stops.len(), events.len(), "stops in:\n{said}");
    stops
}

fn script(runner: u32, events: &[usize]) -> String {
    let mut script = format!(
        "set pagination off\nset width 0\nset confirm off\nset print elements 0\n\
         set print frame-arguments none\nset print thread-events off\nset debuginfod enabled off\nset language c\n\
         handle SIGSTOP nostop noprint nopass\nhandle SIGSEGV nostop noprint pass\nattach {runner}\nbreak raddle_debug_stop\n"
    );
    // The number is the event's, plus one; 0 is none.
    for next in events[1..].iter().map(|e| e + 1).chain([0]) {
        script += "echo @@stop\\n\n";
        // All threads of the program run on the main one; the others lend their stacks.
        script += "thread 1\n";
        script += "x/s (char *) &raddle_debug_stack\n";
        script += "bt 80\n";
        script += &format!("set var **(unsigned long **) &raddle_debug = {next}\n");
        script += if next == 0 { "kill\n" } else { "continue\n" };
    }
    script
}

fn gdb(script: &str) -> String {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(script.as_bytes()).expect("a script");
    // No configuration of the user's or the folder's is read.
    let output = Command::new("gdb")
        .args(["-nx", "-batch", "-x"])
        .arg(file.path())
        .current_dir("/")
        .stdin(Stdio::null())
        .output()
        .expect("gdb starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    println!("{}\n{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

fn stop(said: &str) -> Stop {
    let shadow = said.lines().find_map(|l| l.split_once('"')?.1.strip_suffix('"')).unwrap_or_default();
    let shadow = shadow.split("\\n").filter(|n| !n.is_empty()).map(str::to_string).collect();
    Stop { shadow, frames: said.lines().filter_map(frame).collect() }
}

/// `#1  0x0000555555555200 in worker (p=...) at queue.c:21`, without the address for an inlined one.
fn frame(line: &str) -> Option<Frame> {
    let rest = line.strip_prefix('#')?.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    let rest = match rest.strip_prefix("0x") {
        Some(address) => address.split_once(" in ")?.1,
        None => rest,
    };
    // A Rust name may itself contain parentheses, but none after a blank before the arguments.
    let (function, after) = rest.split_once(" (")?;
    let place = after.rsplit_once(" at ").and_then(|(_, place)| {
        let (file, line) = place.rsplit_once(':')?;
        Some((file.to_string(), line.trim().parse().ok()?))
    });
    Some(Frame { function: function.to_string(), place })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read() {
        let want = |function: &str, place: Option<(&str, u32)>| {
            Some(Frame { function: function.into(), place: place.map(|(f, l)| (f.into(), l)) })
        };
        assert_eq!(
            frame("#1  0x0000555555555200 in add (n=...) at /tmp/a b.c:21"),
            want("add", Some(("/tmp/a b.c", 21)))
        );
        assert_eq!(
            frame("#0  stacks::{impl#2}::drop (self=...) at src/lib.rs:5"),
            want("stacks::{impl#2}::drop", Some(("src/lib.rs", 5)))
        );
        assert_eq!(frame("#12 0x00007f in ?? () from /lib/libc.so.6"), want("??", None));
        assert_eq!(frame("Thread 1 hit"), None);
    }
}
