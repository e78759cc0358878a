//! By what a build can be ended from another thread: the processes that it has started.
//!
//! On the command line nothing is held: Ctrl-C reaches compilers through the terminal. A build that
//! is held has each of its processes lead a group of its own, and die with the thread that
//! started it.

use crate::parent_death::die_with;
use raddle_instrumenter::rust::cargo::Children;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// See the module's text. The default holds nothing.
#[derive(Clone, Debug, Default)]
pub struct Hold(Option<Arc<Mutex<Held>>>);

#[derive(Debug, Default)]
struct Held {
    ended: bool,
    /// Processes that run, each the leader of its group.
    groups: Vec<u32>,
}

impl Hold {
    /// One that can be ended.
    pub fn new() -> Hold {
        Hold(Some(Arc::default()))
    }

    /// Ends what runs, and starts nothing any more.
    pub fn end(&self) {
        if let Some(mut held) = self.lock() {
            held.ended = true;
            for group in &held.groups {
                // SAFETY: a plain system call; the group is there until its leader is collected.
                unsafe { libc::kill(-(*group as i32), libc::SIGKILL) };
            }
        }
    }

    /// Runs a command to its end.
    pub fn output(&self, command: &mut Command) -> io::Result<Output> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        self.prepare(command);
        let child = command.spawn()?;
        let id = child.id();
        self.started(id);
        let output = child.wait_with_output();
        self.ended(id);
        output
    }

    fn lock(&self) -> Option<MutexGuard<'_, Held>> {
        // Numbers are put in and taken out: nothing is left half done.
        self.0.as_ref().map(|held| held.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Children for Hold {
    fn prepare(&self, command: &mut Command) {
        if self.0.is_none() {
            return;
        }
        command.process_group(0);
        let parent = std::process::id();
        // SAFETY: the hook runs in the forked child before exec and makes plain system calls.
        unsafe { command.pre_exec(move || die_with(parent)) };
    }

    fn started(&self, id: u32) {
        let Some(mut held) = self.lock() else { return };
        held.groups.push(id);
        if held.ended {
            // SAFETY: a plain system call; the child is not collected yet.
            unsafe { libc::kill(-(id as i32), libc::SIGKILL) };
        }
    }

    fn ended(&self, id: u32) {
        if let Some(mut held) = self.lock() {
            held.groups.retain(|group| *group != id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_ends() {
        let hold = Hold::new();
        let run = || hold.output(Command::new("sh").args(["-c", "sleep 1000 & wait"])).unwrap();
        std::thread::scope(|s| {
            let runs = s.spawn(run);
            while hold.lock().unwrap().groups.is_empty() {
                std::thread::yield_now();
            }
            hold.end();
            assert!(!runs.join().unwrap().status.success());
        });
        assert!(!run().status.success(), "nothing is started any more");
        assert!(Hold::default().output(&mut Command::new("true")).unwrap().status.success());
    }
}
