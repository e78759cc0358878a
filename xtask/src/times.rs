//! How long each test took, read from what the test runners print and kept for `cargo xtask slowest`.

use crate::totals::without_colours;
use std::cmp::Reverse;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

/// How many tests `cargo xtask slowest` lists.
const LISTED: usize = 30;

/// One test of the last run that had it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Took {
    /// The step it belongs to.
    pub step: String,
    /// Its name.
    pub test: String,
    /// By the clock.
    pub wall: Duration,
    /// On processors, where it was measured (`measure.rs`).
    pub cpu: Option<Duration>,
}

/// The test that a line says to be over, and how long it took: nextest's
/// `PASS [   1.203s] ( 12/2145) raddle-tests::all options::a_time_limit`, node's `✔ a name (12.3ms)`,
/// or a crate or program of `tests/published`: `  bytes 1.12.1: ok in 9.1 s`.
pub fn read(line: &str) -> Option<(String, Duration)> {
    let plain = without_colours(line);
    let plain = plain.trim();
    of_nextest(plain).or_else(|| of_node(plain)).or_else(|| of_published(plain))
}

fn of_nextest(plain: &str) -> Option<(String, Duration)> {
    let (word, rest) = plain.split_once(" [")?;
    // `SLOW` is a test that still runs, `TRY 1 FAIL` one that runs again.
    let is_over = ["PASS", "FAIL", "LEAK", "TIMEOUT"].contains(&word) || word.starts_with("SIG");
    let (seconds, rest) = rest.split_once("s]")?;
    let wall = Duration::try_from_secs_f64(seconds.trim().parse().ok()?).ok()?;
    let rest = rest.trim_start();
    // How many have been run, of how many.
    let counted = rest.strip_prefix('(').and_then(|r| r.split_once(") "));
    let name = counted.map_or(rest, |(_, name)| name).trim();
    (is_over && !name.is_empty()).then(|| (name.to_owned(), wall))
}

fn of_node(plain: &str) -> Option<(String, Duration)> {
    let rest = plain.strip_prefix("✔ ").or_else(|| plain.strip_prefix("✖ "))?;
    let (name, time) = rest.rsplit_once(" (")?;
    let milliseconds = time.strip_suffix("ms)")?.parse::<f64>().ok()?;
    Some((name.to_owned(), Duration::try_from_secs_f64(milliseconds / 1000.0).ok()?))
}

fn of_published(plain: &str) -> Option<(String, Duration)> {
    let (name, outcome) = plain.rsplit_once(": ")?;
    let seconds = outcome.strip_prefix("ok in ").or_else(|| outcome.strip_prefix("FAILED in "))?;
    let wall = Duration::try_from_secs_f64(seconds.strip_suffix(" s")?.parse().ok()?).ok()?;
    Some((name.to_owned(), wall))
}

/// Keeps the times of these steps in the place of those that their last run had.
pub fn keep(file: &Path, steps: &[&str], took: &[Took]) -> std::io::Result<()> {
    let mut all = kept(file);
    all.retain(|t| !steps.contains(&t.step.as_str()));
    for t in took {
        // Nextest repeats at its end which tests failed.
        if !all.iter().any(|a| a.step == t.step && a.test == t.test) {
            all.push(t.clone());
        }
    }
    let mut text = String::new();
    for t in &all {
        let cpu = t.cpu.map_or("-".to_owned(), |cpu| format!("{:.3}", cpu.as_secs_f64()));
        let test = t.test.replace('\t', " ");
        let _ = writeln!(text, "{}\t{:.3}\t{cpu}\t{test}", t.step, t.wall.as_secs_f64());
    }
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(file, text)
}

/// The times that are kept.
pub fn kept(file: &Path) -> Vec<Took> {
    let one = |line: &str| {
        let mut parts = line.splitn(4, '\t');
        let (step, wall, cpu, test) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let seconds = |text: &str| Duration::try_from_secs_f64(text.parse().ok()?).ok();
        Some(Took { step: step.to_owned(), test: test.to_owned(), wall: seconds(wall)?, cpu: seconds(cpu) })
    };
    std::fs::read_to_string(file).unwrap_or_default().lines().filter_map(one).collect()
}

/// The slowest of them, a line each with wall and processor time, and how many there are.
pub fn slowest(mut took: Vec<Took>) -> String {
    took.sort_by(|a, b| (Reverse(a.wall), &a.test).cmp(&(Reverse(b.wall), &b.test)));
    let (all, sum) = (took.len(), took.iter().map(|t| t.wall).sum::<Duration>());
    let mut text = String::new();
    for t in took.iter().take(LISTED) {
        let cpu = t.cpu.map_or(String::new(), |cpu| format!("CPU {:.1} s", cpu.as_secs_f64()));
        let _ = writeln!(text, "{:8.1} s  {cpu:<12}  {:<10}  {}", t.wall.as_secs_f64(), t.step, t.test);
    }
    let _ =
        write!(text, "the slowest {} of {all} tests, which took {:.1} s", LISTED.min(all), sum.as_secs_f64());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, want: Option<(&str, u64)>) {
        let want = want.map(|(name, ms)| (name.to_owned(), Duration::from_millis(ms)));
        assert_eq!(read(line), want, "{line}");
    }

    #[test]
    fn lines_of_nextest() {
        let name = "raddle-tests::all options::a_time_limit";
        check(&format!("        PASS [   1.203s] ( 12/2145) {name}"), Some((name, 1203)));
        check(&format!("        FAIL [ 601.000s] (2145/2145) {name}"), Some((name, 601_000)));
        check(&format!("     SIGABRT [   0.010s] {name}"), Some((name, 10)));
        check(&format!("     TIMEOUT [   2.5s] (1/1) {name}"), Some((name, 2500)));
        check(&format!("\x1b[32;1m        PASS\x1b[0m [   1.203s] ( 12/2145) {name}"), Some((name, 1203)));
        check(&format!("        SLOW [> 60.000s] (─────────) {name}"), None);
        check("     Summary [1928.524s] 2145 tests run: 2137 passed (2 slow), 8 failed, 0 skipped", None);
    }

    #[test]
    fn lines_of_node_and_of_published_crates() {
        check("✔ steps (back too) (1250ms)", Some(("steps (back too)", 1250)));
        check("  ✖ a window (12ms)", Some(("a window", 12)));
        check("ℹ duration_ms 1250", None);
        check("  bytes 1.12.1: ok in 9.1 s", Some(("bytes 1.12.1", 9100)));
        check("  lua 5.4: FAILED in 0.5 s", Some(("lua 5.4", 500)));
    }

    #[test]
    fn the_slowest_of_the_last_runs_of_all_steps() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("kept/times.tsv");
        let took = |step: &str, test: String, ms: u64| Took {
            step: step.into(),
            test,
            wall: Duration::from_millis(ms),
            cpu: (step == "tests").then(|| Duration::from_millis(ms / 2)),
        };
        let many: Vec<Took> = (1..=40).map(|n| took("tests", format!("t{n}"), n * 100)).collect();
        keep(&file, &["tests", "editor"], &many).unwrap();
        // A step that is run alone takes the place of its own times, and of no others.
        keep(&file, &["editor"], &[took("editor", "e".into(), 9000)]).unwrap();
        let f = took("editor", "f".into(), 3950);
        keep(&file, &["editor"], &[f.clone(), f]).unwrap();
        let text = slowest(kept(&file));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "     4.0 s  CPU 2.0 s     tests       t40");
        assert_eq!(lines[1], "     4.0 s                editor      f");
        assert_eq!(lines[29], "     1.2 s  CPU 0.6 s     tests       t12");
        assert_eq!(lines[30], "the slowest 30 of 41 tests, which took 86.0 s");
        assert_eq!(lines.len(), 31);
    }
}
