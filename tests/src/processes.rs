//! Looking at other processes: what `raddle` started and whether it is still there.

use std::path::Path;

/// Processes whose program (`exe`) or working directory (`cwd`) lies below this folder, by id.
fn below(folder: &Path, link: &str) -> Vec<u32> {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|id| std::fs::read_link(format!("/proc/{id}/{link}")).is_ok_and(|to| to.starts_with(&folder)))
        .collect()
}

/// Processes that came from this folder or work in it: runners are built in the cache, and their
/// working directory is the program's.
pub fn left_in(folder: &Path) -> Vec<u32> {
    let mut ids = below(folder, "exe");
    ids.extend(below(folder, "cwd"));
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Children of a process, by id.
pub fn children(id: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|t| std::fs::read_to_string(t.path().join("children")).ok());
    lists.flat_map(|l| l.split_whitespace().filter_map(|w| w.parse().ok()).collect::<Vec<u32>>()).collect()
}

/// Resident memory of a process now, in KiB.
pub fn resident_kib(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}

/// Has the process been stopped by a signal (and not by a debugger)?
pub fn is_stopped(id: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // The state follows the name, which stands in parentheses and may contain anything.
    stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T'))
}
