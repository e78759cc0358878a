//! Progress on standard error: a bar on a terminal, elsewhere a line every few seconds. Work that takes less than a second
//! prints nothing.

use crate::terminal::numbers::group;
use crate::terminal::paint::Paint;
use crate::terminal::wrap;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Time before the first line.
const QUIET: Duration = Duration::from_secs(1);
/// Time between two lines of a search, where there is no terminal.
const LINES: Duration = Duration::from_secs(5);
/// Time between two lines of a phase, where there is no terminal.
const PHASE_LINES: Duration = Duration::from_secs(10);
/// Time between two looks of a terminal's bar.
const TICK: Duration = Duration::from_millis(100);

/// Nothing is said of what goes on, for the rest of the process.
static SILENT: AtomicBool = AtomicBool::new(false);

/// Shows no progress from here on.
pub fn silence() {
    SILENT.store(true, Ordering::Relaxed);
}

/// Is progress shown?
pub fn is_shown() -> bool {
    !SILENT.load(Ordering::Relaxed)
}

/// A span of work that cannot tell how far it is: named once it has taken a second. Within another one it prints nothing.
pub struct Phase {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Phases that have begun.
static BEGUN: AtomicU32 = AtomicU32::new(0);

impl Phase {
    /// From now until it is dropped.
    pub fn new(what: String) -> Phase {
        Phase::begin(what, None)
    }

    /// The same of work that ends after this time at the latest, or by Ctrl-C.
    pub fn within(what: String, limit: Duration) -> Phase {
        Phase::begin(what, Some(limit))
    }

    fn begin(what: String, limit: Option<Duration>) -> Phase {
        let is_inner = BEGUN.fetch_add(1, Ordering::Relaxed) > 0;
        let (end, ended) = channel();
        let tell = || std::thread::Builder::new().spawn(move || tell(&what, limit, &ended)).ok();
        Phase { end: Some(end), thread: if is_inner || !is_shown() { None } else { tell() } }
    }
}

impl Drop for Phase {
    fn drop(&mut self) {
        BEGUN.fetch_sub(1, Ordering::Relaxed);
        self.end = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Columns of the terminal.
fn columns() -> usize {
    terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(width, _)| width.0.into())
}

/// On a narrower terminal a line says the time without a bar.
const WITH_BAR: usize = 110;
/// Columns of a bar and what stands around it.
const BAR: usize = 23;
/// Columns of a test's name beside work of a known length: fewer say nothing.
const LEAST_NAME: usize = 6;
/// Columns of a test's name that stay in the line of a search.
const SHOWN_NAME: usize = 16;

/// Columns for the text of a line, beside its bar or spinner.
fn room(limit: Option<Duration>) -> usize {
    let columns = columns();
    columns
        - columns.min(if limit.is_none() {
            2
        } else if columns < WITH_BAR {
            0
        } else {
            BAR
        })
}

/// A line for something that is not a terminal, in as many columns as reports have.
fn print(text: &str) {
    let lines = wrap::wrap(&format!("raddle: {text}"), Paint::stdout().columns(), 4);
    let _ = writeln!(
        std::io::stderr().lock(),
        "{}",
        lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
    );
}

fn tell(what: &str, limit: Option<Duration>, ended: &Receiver<()>) {
    let (begun, is_terminal) = (Instant::now(), std::io::stderr().is_terminal());
    let mut wait = QUIET;
    let mut bar = None;
    while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
        let elapsed = begun.elapsed();
        if is_terminal {
            let text = phase_line(what, elapsed, limit, room(limit));
            draw(bar.get_or_insert_with(|| new_bar(limit)), elapsed, text);
            wait = TICK;
        } else {
            print(&phase_line(what, elapsed, limit, usize::MAX));
            wait = PHASE_LINES;
        }
    }
    bar.iter().for_each(ProgressBar::finish_and_clear);
}

/// What goes on, for how long, and what Ctrl-C does, in so many columns. The name of the test gives way first.
fn phase_line(what: &str, elapsed: Duration, limit: Option<Duration>, columns: usize) -> String {
    let elapsed = elapsed.as_secs_f64();
    let long = match limit {
        Some(limit) => {
            let limit = limit.as_secs_f64();
            format!(" ({elapsed:.0} s of at most {limit:.0} s; Ctrl-C keeps what is known)")
        }
        None => format!(" ({elapsed:.0} s)"),
    };
    if wrap::width(what) + wrap::width(&long) <= columns {
        return what.to_string() + &long;
    }
    let end = match limit {
        Some(limit) => format!(" ({elapsed:.0} of {:.0} s; Ctrl-C keeps what is known)", limit.as_secs_f64()),
        None => long,
    };
    let left = columns.saturating_sub(wrap::width(&end));
    let (name, doing) = what.rsplit_once(": ").unwrap_or(("", what));
    let for_name = left.saturating_sub(wrap::width(doing) + 2);
    let mut text = match name {
        "" => what.to_string(),
        _ if for_name >= wrap::width(name).min(LEAST_NAME) => {
            format!("{}: {doing}", wrap::tail(name, for_name))
        }
        _ => doing.to_string(),
    };
    wrap::cut(&mut text, left);
    text + &end
}

/// A bar for work with a limit of time: the only share that is known and no guess. A spinner for other work.
fn new_bar(limit: Option<Duration>) -> ProgressBar {
    let target = ProgressDrawTarget::stderr();
    let (bar, template) = match limit {
        Some(limit) => {
            let length = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
            let template = if columns() < WITH_BAR { "{wide_msg}" } else { "[{bar:20}] {wide_msg}" };
            (ProgressBar::with_draw_target(Some(length), target), template)
        }
        None => (ProgressBar::with_draw_target(None, target), "{spinner} {wide_msg}"),
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner());
    bar.set_style(style.progress_chars("=> ").tick_chars("-\\|/ "));
    bar
}

fn draw(bar: &ProgressBar, elapsed: Duration, text: String) {
    bar.set_message(text);
    bar.set_position(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX));
    bar.tick();
}

/// The progress of one search.
pub struct Meter {
    test: String,
    begun: Instant,
    limit: Option<Duration>,
    terminal: bool,
    next: Instant,
    bar: Option<ProgressBar>,
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
        Meter { test: test.to_string(), begun, limit, terminal, next: begun + QUIET, bar: None }
    }

    /// Is it time to?
    pub fn is_due(&self, now: Instant) -> bool {
        is_shown() && now >= self.next
    }

    /// Shows where the search is, if it is time to.
    pub fn show(&mut self, now: Instant, reading: &Reading) {
        if !self.is_due(now) {
            return;
        }
        self.next = now + if self.terminal { TICK } else { LINES };
        if self.terminal {
            let line = self.line(now, reading, room(self.limit));
            let bar = self.bar.get_or_insert_with(|| new_bar(self.limit));
            draw(bar, now - self.begun, line);
        } else {
            print(&self.line(now, reading, usize::MAX));
        }
    }

    /// Where the search is, in so many columns: what matters least is left out first.
    fn line(&self, now: Instant, r: &Reading, columns: usize) -> String {
        let elapsed = (now - self.begun).as_secs_f64();
        let rate = r.executions as f64 / elapsed.max(1e-3);
        // Each part with its rank: the highest goes first. Parts bring the blanks before them.
        let mut parts = vec![
            (0, format!("  {} executions", group(r.executions))),
            (5, format!("  {}/s", group(rate as u64))),
        ];
        if let Some(bound) = r.bound {
            parts.push((if r.of_bound { 2 } else { 3 }, format!("  preemption bound {bound}")));
        }
        match &r.estimate {
            Some(estimate) => {
                let before = match r.bound {
                    Some(_) if r.of_bound => ": ",
                    Some(_) => "  distinct interleavings: ",
                    None => "  ",
                };
                // The share, of how many that is, and how sure.
                let (rest, range) = estimate.split_at(estimate.find(" (").unwrap_or(estimate.len()));
                let (share, of) = rest.split_at(rest.find(" of ").unwrap_or(rest.len()));
                parts.extend([(2, format!("{before}{share}")), (4, of.to_string()), (6, range.to_string())]);
            }
            None => parts.push((4, format!("  {} waiting", group(r.waiting)))),
        }
        if r.failures > 0 {
            parts.push((1, format!("  {} failure{}", r.failures, if r.failures == 1 { "" } else { "s" })));
        }
        if !r.doing.is_empty() {
            parts.push((1, format!("  {}", r.doing)));
        }
        let time = match self.limit {
            Some(limit) => format!("  {elapsed:.0} of {:.0} s", limit.as_secs_f64()),
            None => format!("  {elapsed:.0} s"),
        };
        parts.push((0, time));
        let least = wrap::width(&self.test).min(SHOWN_NAME);
        let width = |parts: &[(u8, String)]| parts.iter().map(|(_, text)| wrap::width(text)).sum::<usize>();
        while least + width(&parts) > columns
            && let Some(at) = (0..parts.len()).max_by_key(|at| parts[*at].0).filter(|at| parts[*at].0 > 0)
        {
            parts.remove(at);
        }
        let name = wrap::tail(&self.test, columns.saturating_sub(width(&parts)));
        parts.into_iter().fold(name, |line, (_, text)| line + &text)
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_says_how_long_it_may_take() {
        let line = |limit| phase_line("queue: explaining", Duration::from_millis(2100), limit, usize::MAX);
        assert_eq!(line(None), "queue: explaining (2 s)");
        let limited = line(Some(Duration::from_secs(9)));
        assert_eq!(limited, "queue: explaining (2 s of at most 9 s; Ctrl-C keeps what is known)");
        // What Ctrl-C does is said on every terminal.
        let what = "a_long_queue_test: simplifying the failing schedule";
        let (elapsed, limit) = (Duration::from_millis(2100), Some(Duration::from_secs(9)));
        for (columns, expected) in [
            (
                95,
                "a_long_queue_test: simplifying the failing schedule (2 of 9 s; Ctrl-C keeps what is known)",
            ),
            (80, "…e_test: simplifying the failing schedule (2 of 9 s; Ctrl-C keeps what is known)"),
            (71, "simplifying the failing schedule (2 of 9 s; Ctrl-C keeps what is known)"),
            (60, "simplifying the fail… (2 of 9 s; Ctrl-C keeps what is known)"),
        ] {
            let line = phase_line(what, elapsed, limit, columns);
            assert!(wrap::width(&line) <= columns, "{line}");
            assert_eq!(line, expected);
        }
    }

    fn reading(failures: usize) -> Reading<'static> {
        let (executions, waiting, bound) = (2000, 12, Some(2));
        Reading { executions, waiting, bound, estimate: None, of_bound: true, failures, doing: "" }
    }

    #[test]
    fn a_line_says_how_far_it_is() {
        let meter = Meter::new("queue", Some(Duration::from_secs(60)));
        let reading = reading(0);
        let line = meter.line(meter.begun + Duration::from_secs(2), &reading, usize::MAX);
        assert!(
            line.contains("queue  2,000 executions  1,000/s  preemption bound 2  12 waiting  2 of 60 s"),
            "{line}"
        );
        let reading =
            Reading { estimate: Some("≈ 4 % of about 45,000 (30,000–80,000)".into()), ..reading };
        let line = meter.line(meter.begun + Duration::from_secs(2), &reading, usize::MAX);
        assert!(
            line.contains("preemption bound 2: ≈ 4 % of about 45,000 (30,000–80,000)  2 of 60 s"),
            "{line}"
        );
        // In the default search one part goes by the bound, and what can be estimated may be the other.
        let line = meter.line(
            meter.begun + Duration::from_secs(2),
            &Reading { of_bound: false, ..reading },
            usize::MAX,
        );
        assert!(line.contains("preemption bound 2  distinct interleavings: ≈ 4 % of about 45,000"), "{line}");
    }

    #[test]
    fn what_matters_least_gives_way() {
        let meter = Meter::new("a_rather_long_name_of_a_test", Some(Duration::from_secs(60)));
        let reading = reading(1);
        let line = |columns| meter.line(meter.begun + Duration::from_secs(2), &reading, columns);
        assert_eq!(
            line(80),
            "…long_name_of_a_test  2,000 executions  preemption bound 2  1 failure  2 of 60 s"
        );
        let estimate = Some("≈ 4 % of about 45,000 (30,000–80,000)".to_string());
        let reading = Reading { estimate, failures: 0, ..reading };
        let line = |columns| meter.line(meter.begun + Duration::from_secs(2), &reading, columns);
        for (columns, expected) in [
            (
                120,
                "…er_long_name_of_a_test  2,000 executions  1,000/s  preemption bound 2: ≈ 4 % of about 45,000 (30,000–80,000)  2 of 60 s",
            ),
            (80, "…her_long_name_of_a_test  2,000 executions  preemption bound 2: ≈ 4 %  2 of 60 s"),
            (60, "a_rather_long_name_of_a_test  2,000 executions  2 of 60 s"),
        ] {
            assert_eq!(line(columns), expected);
        }
    }
}
