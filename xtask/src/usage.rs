//! Wall and processor time: of a command with all that it started, and of the whole machine, so that
//! a slow suite can be told from a machine that is busy with other things.

use std::fmt;
use std::io;
use std::mem::MaybeUninit;
use std::ops::AddAssign;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// The time that something took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Time {
    /// By the clock.
    pub wall: Duration,
    /// On processors, of the processes that somebody waited for: those that outlive the process which
    /// started them are not in it.
    pub cpu: Duration,
}

impl AddAssign for Time {
    fn add_assign(&mut self, other: Time) {
        self.wall += other.wall;
        self.cpu += other.cpu;
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} s (CPU {:.1} s)", self.wall.as_secs_f64(), self.cpu.as_secs_f64())
    }
}

/// Waits for a child; its status, and the processor time of it and of the descendants that were waited for.
pub fn wait(child: Child) -> io::Result<(ExitStatus, Duration)> {
    let mut status = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    loop {
        // SAFETY: both pointers are to places of the right type, which the call may fill in. The child
        // has not been waited for: whoever waits needs the `Child`, which this function owns.
        if unsafe { libc::wait4(child.id() as libc::pid_t, &raw mut status, 0, usage.as_mut_ptr()) } >= 0 {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    // SAFETY: all zeros are a valid value, and a call that succeeds has filled it in.
    let usage = unsafe { usage.assume_init() };
    let time = |t: libc::timeval| Duration::new(t.tv_sec as u64, t.tv_usec as u32 * 1000);
    Ok((ExitStatus::from_raw(status), time(usage.ru_utime) + time(usage.ru_stime)))
}

/// The machine since a moment.
pub struct Machine {
    started: Instant,
    busy: Duration,
}

impl Machine {
    /// From now on.
    pub fn now() -> Machine {
        Machine { started: Instant::now(), busy: busy().unwrap_or_default() }
    }

    /// How long it has been, and how much of the machine `ours` and everything else took of it.
    pub fn summary(&self, ours: Duration) -> String {
        let wall = self.started.elapsed();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let share =
            |cpu: Duration| 100.0 * cpu.as_secs_f64() / (wall.as_secs_f64() * cores as f64).max(0.001);
        let rest = busy().unwrap_or_default().saturating_sub(self.busy).saturating_sub(ours);
        format!(
            "{} took {:.0} % of {cores} cores; everything else on the machine {:.1} s, {:.0} %",
            Time { wall, cpu: ours },
            share(ours),
            rest.as_secs_f64(),
            share(rest)
        )
    }
}

/// The processor time that the machine has spent since its start, by all processes and the kernel.
fn busy() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/stat").ok()?;
    // SAFETY: sysconf has no preconditions.
    let ticks = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    Some(Duration::from_secs_f64(busy_ticks(&text)? as f64 / u32::try_from(ticks).ok()? as f64))
}

/// Of the line of all processors everything but waiting (idle, iowait), what other machines took (steal),
/// and guests, who are in the first two.
fn busy_ticks(stat: &str) -> Option<u64> {
    let line = stat.lines().find_map(|l| l.strip_prefix("cpu "))?;
    let ticks: Vec<u64> = line.split_whitespace().map_while(|w| w.parse().ok()).collect();
    let is_busy = |at: &usize| matches!(at, 0 | 1 | 2 | 5 | 6);
    (ticks.len() >= 7).then(|| ticks.iter().enumerate().filter(|(at, _)| is_busy(at)).map(|(_, t)| t).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_command_that_computes_differs_from_one_that_waits() {
        let cpu = |script: &str| {
            let (status, cpu) = wait(Command::new("sh").args(["-c", script]).spawn().unwrap()).unwrap();
            assert!(status.success());
            cpu.as_secs_f64()
        };
        // The work is done by a grandchild.
        let computes = cpu("sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'; true");
        let waits = cpu("sleep 0.3");
        assert!(computes > 0.05 && waits < 0.05, "{computes} {waits}");
    }

    #[test]
    fn statuses_and_signals_are_kept() {
        let status = |script: &str| wait(Command::new("sh").args(["-c", script]).spawn().unwrap()).unwrap().0;
        assert_eq!(status("exit 3").code(), Some(3));
        assert_eq!(status("kill -9 $$").signal(), Some(9));
    }

    #[test]
    fn waiting_is_not_busy() {
        assert_eq!(busy_ticks("cpu  10 1 2 1000 500 4 8 700 3 3\ncpu0 1 1 1 1 1 1 1\n"), Some(25));
        assert_eq!(busy_ticks("intr 1\n"), None);
        assert!(busy().unwrap() > Duration::ZERO);
    }
}
