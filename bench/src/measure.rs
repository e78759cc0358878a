//! Running one command and counting what it cost.

use std::io::Read;
use std::mem::MaybeUninit;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// What one tool did.
pub struct Measured {
    /// Its name and version.
    pub tool: String,
    /// Complete executions.
    pub executions: u64,
    /// Was that all there are?
    pub complete: bool,
    /// From the start of the first execution to the end of the last.
    pub searching: Duration,
    /// What the whole command cost.
    pub cost: Cost,
    /// Most memory of all processes of the tool together, in bytes.
    pub peak_memory: u64,
    /// Where the tool puts schedule points.
    pub rule: &'static str,
}

/// What a command cost, as the kernel counted it for the process and all it waited for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// From start to end.
    pub wall: Duration,
    /// User and system time.
    pub cpu: Duration,
}

impl Measured {
    /// One row of the table.
    pub fn row(&self) -> String {
        let per = |time: Duration| self.executions as f64 / time.as_secs_f64().max(1e-9);
        format!(
            "| {} | {} | {} | {:.2} | {} | {} | {:.2} | {:.1} |",
            self.tool,
            group(self.executions),
            if self.complete { "all" } else { "not all" },
            self.searching.as_secs_f64(),
            group(per(self.searching) as u64),
            group(per(self.cost.cpu) as u64),
            self.cost.wall.as_secs_f64(),
            self.peak_memory as f64 / f64::from(1 << 20),
        )
    }

    /// The tool and its point rule.
    pub fn rule(&self) -> String {
        format!("{}: {}", self.tool, self.rule)
    }
}

/// A number with a comma after each three digits.
pub fn group(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Most memory that this process ever held, in bytes: the kernel's high-water mark.
pub fn own_peak_memory() -> Result<u64, String> {
    let text = std::fs::read_to_string("/proc/self/status").map_err(|e| format!("/proc/self/status: {e}"))?;
    let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let kib = line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kib.map(|kib| kib * 1024).ok_or_else(|| "/proc/self/status has no VmHWM".to_string())
}

/// Runs a command to its end and gives its standard output.
pub fn run(command: &mut Command) -> Result<(String, ExitStatus, Cost), String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let started = Instant::now();
    let mut child = command.spawn().map_err(|e| format!("{command:?} could not be started: {e}"))?;
    let mut output = String::new();
    if let Some(mut pipe) = child.stdout.take() {
        pipe.read_to_string(&mut output).map_err(|e| format!("{command:?}: {e}"))?;
    }
    let (status, cpu) = wait(child.id())?;
    Ok((output, status, Cost { wall: started.elapsed(), cpu }))
}

/// Waits for a child, with the CPU time of it and of all it waited for.
fn wait(id: u32) -> Result<(ExitStatus, Duration), String> {
    let mut status = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    loop {
        // SAFETY: both pointers are to live locals of the right type; the id is that of our own
        // child, which nothing else waits for.
        let done = unsafe { libc::wait4(id as libc::pid_t, &mut status, 0, usage.as_mut_ptr()) };
        if done >= 0 {
            break;
        }
        let error = std::io::Error::last_os_error();
        if error.kind() != std::io::ErrorKind::Interrupted {
            return Err(format!("waiting for process {id}: {error}"));
        }
    }
    // SAFETY: zeroed is a valid rusage, and wait4 has filled it in.
    let usage = unsafe { usage.assume_init() };
    let time = |t: libc::timeval| Duration::from_micros(t.tv_sec as u64 * 1_000_000 + t.tv_usec as u64);
    Ok((ExitStatus::from_raw(status), time(usage.ru_utime) + time(usage.ru_stime)))
}
