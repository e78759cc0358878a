//! The process of a runner: how it is started so that every start is the same, and how it ends
//! with everything it started.

use super::{Entry, Launch};
use crate::parent_death::die_with;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// The channel's descriptor inside the runner: always the same, since it is part of the
/// environment and the environment lies on the stack whose addresses must not move.
const CHANNEL_FD: RawFd = 200;

/// What a program gets of our environment, beside what its build says. The rest is left out: it
/// differs from shell to shell, and with it would differ what the program does.
const INHERITED: [&str; 9] =
    ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH"];

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Death {
    /// By this signal.
    Signal(i32),
    /// With this status.
    Status(i32),
}

impl Death {
    fn from_raw(info: &libc::siginfo_t) -> Death {
        // SAFETY: waitid filled the record in for a child, so this is the field in use.
        let status = unsafe { info.si_status() };
        if info.si_code == libc::CLD_EXITED { Death::Status(status) } else { Death::Signal(status) }
    }
}

/// `SIGSEGV (signal 11)`.
pub fn signal_name(n: i32) -> String {
    let name = match n {
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGBUS => "SIGBUS",
        libc::SIGABRT => "SIGABRT",
        libc::SIGFPE => "SIGFPE",
        libc::SIGILL => "SIGILL",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGKILL => "SIGKILL",
        libc::SIGTERM => "SIGTERM",
        libc::SIGINT => "SIGINT",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGALRM => "SIGALRM",
        libc::SIGSYS => "SIGSYS",
        _ => return format!("signal {n}"),
    };
    format!("{name} (signal {n})")
}

/// A running runner. Killed, with everything in its process group, when dropped.
///
/// Not `Send`: the kernel kills it when the *thread* that started it ends, so it has to stay on
/// that thread.
pub struct Process {
    child: Child,
    /// Its standard error: what the loader or the runtime has to say. The program's own output
    /// is caught inside by the runtime.
    stderr: File,
    on_this_thread: PhantomData<*const ()>,
}

impl Process {
    /// Starts the program on a channel. `tracer`: a process that may attach to it; 0 is nobody.
    pub fn start(launch: &Launch, channel: RawFd, tracer: u32) -> io::Result<Process> {
        let mut command = command(launch);
        command.env("RADDLE_CHANNEL", CHANNEL_FD.to_string());
        let stderr = anonymous_file()?;
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr.try_clone()?);
        let parent = std::process::id();
        // SAFETY: the hook runs in the forked child before exec and makes system calls only; it
        // allocates nothing and takes no lock.
        unsafe { command.pre_exec(move || prepare(channel, parent, tracer)) };
        let process = Process { child: command.spawn()?, stderr, on_this_thread: PhantomData };
        // A program that is replaced stays so: if it is the right one now, it was when it started.
        launch.check()?;
        Ok(process)
    }

    /// Its number.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// How it ended, if it has. It is not collected yet, so that its number stays its own.
    pub fn death(&self) -> Option<Death> {
        // SAFETY: `siginfo_t` is plain data; the call fills it in.
        unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let how = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
            let done = libc::waitid(libc::P_PID, self.child.id(), &mut info, how);
            (done == 0 && info.si_pid() != 0).then(|| Death::from_raw(&info))
        }
    }

    /// What it wrote to standard error, its beginning.
    pub fn complaint(&self) -> String {
        let mut text = vec![0; 4096];
        let n = self.stderr.read_at(&mut text, 0).unwrap_or(0);
        String::from_utf8_lossy(&text[..n]).trim().to_string()
    }

    /// Sends a signal to the process that executes now, if it is one of this runner's. The number
    /// comes from memory that the program can write to, so it is not believed.
    pub fn signal(&self, pid: u32, number: i32) {
        let group = self.child.id() as i32;
        // SAFETY: a plain system call.
        if pid != 0 && unsafe { libc::getpgid(pid as i32) } == group {
            signal(pid as i32, number);
        }
    }

    /// Asks the process that executes now whether it is in a loop that does nothing
    /// (`runtime/src/kernel/empty_loop.rs`).
    pub fn asks_for_a_look(&self, pid: u32, number: i32) {
        let group = self.child.id() as i32;
        let value = libc::sigval { sival_ptr: std::ptr::without_provenance_mut(1) };
        // SAFETY: plain system calls.
        unsafe {
            if pid != 0 && libc::getpgid(pid as i32) == group {
                libc::sigqueue(pid as i32, number, value);
            }
        }
    }

    /// The number of the system call that the process which executes now waits in, where one of its threads does and
    /// none runs. (Threads that wait for their turn do so on futexes.)
    pub fn system_call(&self, pid: u32) -> Option<i64> {
        let group = self.child.id() as i32;
        // SAFETY: a plain system call.
        if pid == 0 || unsafe { libc::getpgid(pid as i32) } != group {
            return None;
        }
        let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten();
        let said = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("syscall")).ok());
        // `running`, or the call's number (-1: in none) with its arguments.
        let numbers: Option<Vec<i64>> = said.map(|s| s.split(' ').next()?.trim().parse().ok()).collect();
        let mut numbers = numbers?.into_iter().filter(|n| *n >= 0);
        let first = numbers.next()?;
        let futex = libc::SYS_futex;
        Some(if first == futex { numbers.find(|n| *n != futex).unwrap_or(futex) } else { first })
    }

    /// Most memory it ever held, in bytes.
    pub fn peak_memory(&self) -> u64 {
        peak_memory(&format!("/proc/{}/status", self.child.id()))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        signal(-(self.child.id() as i32), libc::SIGKILL);
        let _ = self.child.wait();
    }
}

fn anonymous_file() -> io::Result<File> {
    // SAFETY: a plain system call with a literal name.
    let fd = unsafe { libc::memfd_create(c"raddle-stderr".as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was just made and belongs to nobody else.
    Ok(File::from(unsafe { OwnedFd::from_raw_fd(fd) }))
}

fn signal(pid: i32, number: i32) {
    // SAFETY: a plain system call.
    unsafe { libc::kill(pid, number) };
}

/// The resident high-water mark in a `/proc/…/status`.
pub fn peak_memory(status: &str) -> u64 {
    let Ok(text) = std::fs::read_to_string(status) else { return 0 };
    let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let kib = line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

fn command(launch: &Launch) -> Command {
    let mut command = Command::new(&launch.program);
    command.args(&launch.args).current_dir(&launch.cwd);
    command.env_clear();
    // std keeps them sorted, so equal environments lie equally on the stack.
    command.envs(INHERITED.iter().filter_map(|n| Some((n, std::env::var_os(n)?))));
    command.envs(launch.env.iter().map(|(n, v)| (n, v)));
    let more = launch.env.iter().find(|(n, _)| n == "LD_LIBRARY_PATH").map(|(_, v)| v.clone());
    let more = more.or_else(|| std::env::var_os("LD_LIBRARY_PATH")).filter(|m| !m.is_empty());
    let libraries = match &more {
        Some(more) => [launch.library.as_os_str(), more].join(OsStr::new(":")),
        // Not a colon at the end: it would mean the working directory.
        None => launch.library.clone().into_os_string(),
    };
    command.env("LD_BIND_NOW", "1").env("RUST_BACKTRACE", "0").env("LD_LIBRARY_PATH", libraries);
    command.env("RADDLE_ENTRY", if launch.entry == Entry::Main { "main" } else { "harness" });
    command.env("RADDLE_TEST", &launch.test);
    command.process_group(0);
    command
}

/// In the child, before exec.
fn prepare(channel: RawFd, parent: u32, tracer: u32) -> io::Result<()> {
    // SAFETY: plain system calls.
    unsafe {
        let persona = libc::personality(0xffff_ffff);
        if persona >= 0 {
            libc::personality((persona | libc::ADDR_NO_RANDOMIZE) as libc::c_ulong);
        }
        die_with(parent)?;
        // Where Yama lets only parents attach. It is not there everywhere, which is no error.
        if tracer != 0 {
            libc::prctl(libc::PR_SET_PTRACER, libc::c_ulong::from(tracer));
        }
        // A crash is a result here: no core files.
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &none);
        // Without close-on-exec, unlike the original.
        if libc::dup2(channel, CHANNEL_FD) < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Can address randomisation be switched off here? Containers may forbid it.
pub fn randomisation_can_be_switched_off() -> bool {
    // SAFETY: plain system calls; the personality belongs to this thread and is put back.
    unsafe {
        let persona = libc::personality(0xffff_ffff);
        if persona < 0 {
            return false;
        }
        let done = libc::personality((persona | libc::ADDR_NO_RANDOMIZE) as libc::c_ulong) >= 0
            && libc::personality(0xffff_ffff) & libc::ADDR_NO_RANDOMIZE != 0;
        libc::personality(persona as libc::c_ulong);
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn launch(script: &str) -> Launch {
        Launch {
            program: "/bin/sh".into(),
            stamp: None,
            args: vec!["-c".into(), script.into()],
            cwd: "/".into(),
            env: Vec::new(),
            entry: Entry::Harness,
            test: "t".into(),
            library: "/nowhere".into(),
            all_points: false,
            has_unwatched_code: false,
        }
    }

    fn wait(process: &Process) -> Death {
        loop {
            if let Some(death) = process.death() {
                return death;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn deaths_are_told_apart() {
        let memory = crate::runner::memory::Memory::new().unwrap();
        let p = Process::start(&launch("exit 3"), memory.fd(), 0).unwrap();
        assert_eq!(wait(&p), Death::Status(3));
        let p = Process::start(&launch("kill -SEGV $$"), memory.fd(), 0).unwrap();
        assert_eq!(wait(&p), Death::Signal(libc::SIGSEGV));
        let p = Process::start(&launch("test -e /proc/self/fd/$RADDLE_CHANNEL"), memory.fd(), 0).unwrap();
        assert_eq!(wait(&p), Death::Status(0));
    }

    #[test]
    fn children_die_with_the_runner() {
        let memory = crate::runner::memory::Memory::new().unwrap();
        let process = Process::start(&launch("sleep 1000 & echo $! >&2; wait"), memory.fd(), 0).unwrap();
        let child = loop {
            match process.complaint().parse::<u32>() {
                Ok(child) => break child,
                Err(_) => std::thread::sleep(Duration::from_millis(1)),
            }
        };
        drop(process);
        // Gone, or dead and not yet collected by whoever inherited it.
        let gone = || match std::fs::read_to_string(format!("/proc/{child}/status")) {
            Ok(status) => status.contains("State:\tZ"),
            Err(_) => true,
        };
        let gone = (0..200).any(|_| {
            std::thread::sleep(Duration::from_millis(5));
            gone()
        });
        assert!(gone, "process {child} lives on");
    }

    #[test]
    fn a_foreign_process_is_not_signalled() {
        let memory = crate::runner::memory::Memory::new().unwrap();
        let process = Process::start(&launch("sleep 1000"), memory.fd(), 0).unwrap();
        // Would end this test if it were believed.
        process.signal(std::process::id(), libc::SIGKILL);
    }

    #[test]
    fn the_reason_for_not_getting_ready() {
        let memory = crate::runner::memory::Memory::new().unwrap();
        let p = Process::start(&launch("echo broken >&2; exit 1"), memory.fd(), 0).unwrap();
        wait(&p);
        assert_eq!(p.complaint(), "broken");
    }
}
