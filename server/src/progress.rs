//! What goes on, on standard error: a line that renews itself on a terminal, a line a second
//! otherwise. Whatever takes less than a second says nothing.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const QUIET: Duration = Duration::from_secs(1);

/// A span of work that cannot tell how far it is: named once it has taken a second, and again
/// every ten.
pub struct Phase {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Phase {
    /// From now until it is dropped.
    pub fn new(what: String) -> Phase {
        let (end, ended) = channel();
        let thread = std::thread::Builder::new().spawn(move || tell(&what, &ended)).ok();
        Phase { end: Some(end), thread }
    }
}

impl Drop for Phase {
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn tell(what: &str, ended: &Receiver<()>) {
    let begun = Instant::now();
    let mut wait = QUIET;
    while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
        eprintln!("raddle: {what} ({:.0} s)", begun.elapsed().as_secs_f64());
        wait = Duration::from_secs(10);
    }
}

/// The progress of one search.
pub struct Meter {
    test: String,
    begun: Instant,
    limit: Option<Duration>,
    terminal: bool,
    next: Instant,
    drawn: bool,
}

/// What a meter shows.
pub struct Reading<'a> {
    /// Executions so far, of any outcome.
    pub executions: u64,
    /// Known to be waiting.
    pub waiting: u64,
    /// The preemption bound being worked on, if there is one.
    pub bound: Option<u32>,
    /// How much of what there is was run, in words.
    pub estimate: Option<String>,
    /// That is said of the bound, and not of the whole.
    pub of_bound: bool,
    /// Failures so far.
    pub failures: usize,
    /// What is done beside searching.
    pub doing: &'a str,
}

impl Meter {
    /// For the search of a test that begins now.
    pub fn new(test: &str, limit: Option<Duration>) -> Meter {
        let begun = Instant::now();
        let terminal = std::io::stderr().is_terminal();
        Meter { test: test.to_string(), begun, limit, terminal, next: begun + QUIET, drawn: false }
    }

    /// Is it time to?
    pub fn is_due(&self, now: Instant) -> bool {
        now >= self.next
    }

    /// Shows where the search is, if it is time to.
    pub fn show(&mut self, now: Instant, reading: &Reading) {
        if !self.is_due(now) {
            return;
        }
        self.next = now + if self.terminal { QUIET / 10 } else { QUIET };
        let line = self.line(now, reading);
        let mut stderr = std::io::stderr().lock();
        if self.terminal {
            self.drawn = true;
            let _ = write!(stderr, "\r\x1b[K{line}");
            let _ = stderr.flush();
        } else {
            let _ = writeln!(stderr, "raddle: {line}");
        }
    }

    fn line(&self, now: Instant, r: &Reading) -> String {
        let elapsed = (now - self.begun).as_secs_f64();
        let rate = r.executions as f64 / elapsed.max(1e-3);
        let mut line = self.bar(elapsed);
        line += &format!("{}  {} executions  {}/s", self.test, group(r.executions), group(rate as u64));
        if let Some(bound) = r.bound {
            line += &format!("  preemption bound {bound}");
        }
        match &r.estimate {
            Some(estimate) if r.bound.is_some() && r.of_bound => line += &format!(": {estimate}"),
            Some(estimate) if r.bound.is_some() => line += &format!("  distinct interleavings: {estimate}"),
            Some(estimate) => line += &format!("  {estimate}"),
            None => line += &format!("  {} waiting", group(r.waiting)),
        }
        if r.failures > 0 {
            line += &format!("  {} failure{}", r.failures, if r.failures == 1 { "" } else { "s" });
        }
        if !r.doing.is_empty() {
            line += &format!("  {}", r.doing);
        }
        line + &match self.limit {
            Some(limit) => format!("  {elapsed:.0} of {:.0} s", limit.as_secs_f64()),
            None => format!("  {elapsed:.0} s"),
        }
    }

    /// How much of the time is used: the only share that is known and no guess.
    fn bar(&self, elapsed: f64) -> String {
        const WIDTH: usize = 20;
        let Some(limit) = self.limit.filter(|_| self.terminal) else { return String::new() };
        let full = ((elapsed / limit.as_secs_f64()).min(1.0) * WIDTH as f64) as usize;
        format!("[{}{}] ", "=".repeat(full), " ".repeat(WIDTH - full))
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if self.drawn {
            eprint!("\r\x1b[K");
        }
    }
}

/// A number with its thousands apart: 19,605.
pub fn group(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands() {
        assert_eq!(
            ["0", "999", "1,000", "19,605", "1,234,567"],
            [0, 999, 1000, 19605, 1234567].map(group)[..]
        );
    }

    #[test]
    fn a_line_says_how_far_it_is() {
        let meter = Meter::new("queue", Some(Duration::from_secs(60)));
        let reading = Reading {
            executions: 2000,
            waiting: 12,
            bound: Some(2),
            estimate: None,
            of_bound: true,
            failures: 0,
            doing: "",
        };
        let line = meter.line(meter.begun + Duration::from_secs(2), &reading);
        assert!(
            line.contains("queue  2,000 executions  1,000/s  preemption bound 2  12 waiting  2 of 60 s"),
            "{line}"
        );
        let reading =
            Reading { estimate: Some("≈ 4 % of about 45,000 (30,000–80,000)".into()), ..reading };
        let line = meter.line(meter.begun + Duration::from_secs(2), &reading);
        assert!(
            line.contains("preemption bound 2: ≈ 4 % of about 45,000 (30,000–80,000)  2 of 60 s"),
            "{line}"
        );
        // In the default search one part goes by the bound, and what can be estimated may be the other.
        let line = meter.line(meter.begun + Duration::from_secs(2), &Reading { of_bound: false, ..reading });
        assert!(line.contains("preemption bound 2  distinct interleavings: ≈ 4 % of about 45,000"), "{line}");
    }
}
