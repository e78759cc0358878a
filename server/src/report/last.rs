//! The guarantees of the last search of a target, kept in the cache folder for `raddle explain --guarantee`.

use crate::cache::{Cache, Key};
use crate::error::{Error, Result};
use crate::target::{self, sources};
use raddle_protocol::report::{Report, Search, Verdict};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// How the files are called.
const PREFIX: &str = "guarantee-";

/// What is kept of a search.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// The target's path, from the root.
    target: PathBuf,
    /// Of each test its name and verdict, and what was covered.
    tests: Vec<(String, Verdict, String)>,
}

/// The last search of a target.
pub struct Last {
    /// The target, seen from the current folder.
    pub target: String,
    /// Its tests, each with its verdict and guarantee only.
    pub reports: Vec<Report>,
}

/// The folder or file of a target, however it is spelt; of several files all of them.
fn path(target: &str) -> PathBuf {
    let path = target::whole(target).unwrap_or_else(|_| PathBuf::from(target));
    path.canonicalize().unwrap_or(path)
}

/// The file of a target.
fn file(cache: &Cache, target: &Path) -> PathBuf {
    cache.root().join(format!("{PREFIX}{}.json", Key::new().add_os(target.as_os_str()).hex(16)))
}

/// Keeps them.
pub fn keep(cache: &Cache, target: &str, reports: &[&Report]) -> Result<()> {
    let kept = reports.iter().filter(|r| !r.guarantee.is_empty());
    let tests: Vec<_> = kept.map(|r| (r.test.clone(), r.verdict, r.guarantee.clone())).collect();
    if tests.is_empty() {
        return Ok(());
    }
    let target = path(target);
    let path = file(cache, &target);
    let text = serde_json::to_string(&Kept { target, tests })
        .map_err(|e| Error::new("cannot keep the guarantee").because(e))?;
    let done = tempfile::NamedTempFile::new_in(cache.root())
        .and_then(|mut f| f.write_all(text.as_bytes()).map(|()| f))
        .and_then(|f| f.persist(&path).map(drop).map_err(|e| e.error));
    done.map_err(|e| Error::file("write", &path, &e))
}

/// The last search of a target. Where none is named: of the one that was explored last, of those in this folder.
pub fn read(cache: &Cache, target: Option<&str>, folder: &Path) -> Result<Last> {
    let named = target.unwrap_or(".");
    let unknown = |cause: String| {
        let explore = target.map(|target| format!(" {}", crate::shell::quote(target))).unwrap_or_default();
        Error::new(format!("no guarantee of {named} is known"))
            .because(cause)
            .next(format!("run `raddle explore{explore}` first"))
    };
    let none = || unknown("the cache folder keeps that of the last search, and there was none".into());
    let kept = match target {
        None => newest(cache, folder).ok_or_else(none)?,
        Some(target) => {
            let path = file(cache, &path(target));
            let text = match fs::read_to_string(&path) {
                Ok(text) => text,
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Err(none()),
                Err(e) => return Err(unknown(format!("cannot read {}: {e}", path.display()))),
            };
            serde_json::from_str(&text)
                .map_err(|e| unknown(format!("{} is of another version: {e}", path.display())))?
        }
    };
    let shown = target.map_or_else(|| seen_from(folder, &kept.target), str::to_string);
    let report = |(test, verdict, guarantee): (String, Verdict, String)| {
        let mut report = Report::new(&shown, &test, Search::default());
        (report.verdict, report.guarantee) = (verdict, guarantee);
        report
    };
    let reports = kept.tests.into_iter().map(report).collect();
    Ok(Last { target: shown, reports })
}

/// How a target is spelt in this folder; of several files each.
fn seen_from(folder: &Path, target: &Path) -> String {
    let one = |path: &Path| match path.strip_prefix(folder) {
        Ok(inside) if inside == Path::new("") => ".".to_string(),
        Ok(inside) => inside.display().to_string(),
        Err(_) => path.display().to_string(),
    };
    let files = sources::several(&target.to_string_lossy()).unwrap_or_else(|| vec![target.to_path_buf()]);
    files.iter().map(|file| one(file)).collect::<Vec<_>>().join(",")
}

/// The search that ended last, of those of targets in this folder.
fn newest(cache: &Cache, folder: &Path) -> Option<Kept> {
    let entries = fs::read_dir(cache.root()).ok()?.flatten();
    let kept = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    let read = kept.filter_map(|entry| {
        let written = entry.metadata().ok()?.modified().ok()?;
        let kept: Kept = serde_json::from_str(&fs::read_to_string(entry.path()).ok()?).ok()?;
        kept.target.starts_with(folder).then_some((written, kept))
    });
    read.max_by(|a, b| (a.0, &a.1.target).cmp(&(b.0, &b.1.target))).map(|(_, kept)| kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::report;

    #[test]
    fn the_last_search_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().to_path_buf());
        let here = folder.path().canonicalize().unwrap();
        let (target, file) = (here.to_str().unwrap(), here.join("a.c"));
        let file = file.to_str().unwrap();
        for named in [Some(target), None] {
            let error = read(&cache, named, &here).err().unwrap().render();
            assert!(error.contains("there was none") && error.contains("raddle explore"), "{error}");
        }
        let mut one = report(Verdict::Passed);
        one.guarantee = "all 6 interleavings pass (sync points)".into();
        keep(&cache, target, &[&one, &report(Verdict::Error)]).unwrap();
        let last = read(&cache, Some(target), &here).unwrap();
        assert_eq!((last.reports.len(), last.target.as_str()), (1, target));
        assert_eq!((last.reports[0].verdict, &last.reports[0].guarantee), (Verdict::Passed, &one.guarantee));
        assert_eq!(read(&cache, None, &here).unwrap().target, ".");
        let both = PathBuf::from(format!("{file},{target}/b.c"));
        for name in ["a.c", "b.c"] {
            fs::write(here.join(name), "").unwrap();
        }
        assert_eq!(seen_from(&here, &both), "a.c,b.c");
        // Another target of the folder, explored later; and one that lies elsewhere.
        let other = Report { guarantee: "none".into(), ..one.clone() };
        keep(&cache, file, &[&other]).unwrap();
        let written = std::time::SystemTime::now() + std::time::Duration::from_secs(1);
        let kept = super::file(&cache, &path(file));
        fs::File::options().write(true).open(kept).unwrap().set_modified(written).unwrap();
        keep(&cache, "/elsewhere/b.c", &[&other]).unwrap();
        let last = read(&cache, None, &here).unwrap();
        assert_eq!((last.target.as_str(), &last.reports[0].guarantee), ("a.c", &other.guarantee));
        assert_eq!(read(&cache, Some(target), &here).unwrap().reports[0].guarantee, one.guarantee);
    }
}
