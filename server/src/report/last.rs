//! The guarantees of the last search of a target, kept in the cache folder for `raddle explain --guarantee`.

use crate::cache::{Cache, Key};
use crate::error::{Error, Result};
use raddle_protocol::report::{Report, Search, Verdict};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What is kept of one test: its name and verdict, and what was covered.
type Kept = (String, Verdict, String);

/// The file of a target: of the folder or file, however it is spelt.
fn file(cache: &Cache, target: &Path) -> PathBuf {
    let target = target.canonicalize().unwrap_or_else(|_| target.to_path_buf());
    cache.root().join(format!("guarantee-{}.json", Key::new().add_os(target.as_os_str()).hex(16)))
}

/// Keeps them.
pub fn keep(cache: &Cache, target: &Path, reports: &[&Report]) -> Result<()> {
    let kept = reports.iter().filter(|r| !r.guarantee.is_empty());
    let kept: Vec<Kept> = kept.map(|r| (r.test.clone(), r.verdict, r.guarantee.clone())).collect();
    if kept.is_empty() {
        return Ok(());
    }
    let path = file(cache, target);
    let text =
        serde_json::to_string(&kept).map_err(|e| Error::new("cannot keep the guarantee").because(e))?;
    let done = tempfile::NamedTempFile::new_in(cache.root())
        .and_then(|mut f| f.write_all(text.as_bytes()).map(|()| f))
        .and_then(|f| f.persist(&path).map(drop).map_err(|e| e.error));
    done.map_err(|e| Error::file("write", &path, &e))
}

/// The tests of the last search of a target, each with its verdict and guarantee only.
pub fn read(cache: &Cache, target: &str) -> Result<Vec<Report>> {
    let path = file(cache, Path::new(target));
    let unknown = |cause: String| {
        let explore = if target == "." { String::new() } else { format!(" {}", crate::shell::quote(target)) };
        Error::new(format!("no guarantee of {target} is known"))
            .because(cause)
            .next(format!("run `raddle explore{explore}` first"))
    };
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            return Err(unknown("the cache folder keeps that of the last search, and there was none".into()));
        }
        Err(e) => return Err(unknown(format!("cannot read {}: {e}", path.display()))),
    };
    let kept: Vec<Kept> = serde_json::from_str(&text)
        .map_err(|e| unknown(format!("{} is of another version: {e}", path.display())))?;
    let report = |(test, verdict, guarantee): Kept| {
        let mut report = Report::new(target, &test, Search::default());
        (report.verdict, report.guarantee) = (verdict, guarantee);
        report
    };
    Ok(kept.into_iter().map(report).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::report;

    #[test]
    fn the_last_search_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().to_path_buf());
        let target = folder.path().to_str().unwrap();
        let error = read(&cache, target).unwrap_err().render();
        assert!(error.contains("there was none") && error.contains("raddle explore"), "{error}");
        let mut one = report(Verdict::Passed);
        one.guarantee = "all 6 interleavings pass (sync points)".into();
        keep(&cache, folder.path(), &[&one, &report(Verdict::Error)]).unwrap();
        let read = read(&cache, target).unwrap();
        assert_eq!(read.len(), 1);
        assert_eq!((read[0].verdict, &read[0].guarantee), (Verdict::Passed, &one.guarantee));
    }
}
