//! What the programs of the toolchain and built tests said before, kept in the cache as long as it holds: a build in
//! which nothing has changed then starts cargo once and nothing else, as `cargo test` does.
//!
//! An answer is kept with the files that it depends on, those that are not there included, and with the variables of
//! the environment that it depends on in its key. A file that was written while the question was asked may have
//! been seen half: such an answer is not kept. Answers are for their user's eyes alone, since they may hold variables
//! of a configuration, and those of some weeks ago are removed.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

/// Times of files may lag behind the clock by as much.
const LAG: Duration = Duration::from_millis(20);

/// An answer this old is asked for again: programs and environments that are no more leave theirs behind.
const OLD: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// A folder of answers.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    /// `None` remembers nothing.
    folder: Option<PathBuf>,
}

/// An answer, and the files that it depends on; without any it is not kept.
pub(super) type Answer = (String, Vec<PathBuf>);

impl Memory {
    /// In this cache folder.
    pub(super) fn of(cache: &Path) -> Memory {
        // Where answers were kept before, a configuration's tokens were among them.
        let _ = fs::remove_dir_all(cache.join("rust").join("asked"));
        Memory { folder: Some(cache.join("rust").join("answers")) }
    }

    /// None.
    pub(super) fn none() -> Memory {
        Memory { folder: None }
    }

    /// The answer to a question, which is asked where it is not known or does not hold any more.
    pub(super) fn ask<E>(
        &self,
        question: &str,
        ask: impl FnOnce() -> Result<Answer, E>,
    ) -> Result<String, E> {
        let Some(file) = self.folder.as_ref().map(|folder| folder.join(format!("{}.json", key(question))))
        else {
            return ask().map(|(answer, _)| answer);
        };
        if let Some(answer) = known(&file) {
            return Ok(answer);
        }
        let began = SystemTime::now();
        let (answer, files) = ask()?;
        if !files.is_empty() {
            // What cannot be kept is asked again.
            let _ = keep(&file, &answer, &files, began);
        }
        Ok(answer)
    }
}

/// The question, and the variables that cargo, rustup and rustc heed.
fn key(question: &str) -> String {
    let of_toolchain = |name: &str| {
        name.starts_with("CARGO") || name.starts_with("RUST") || name == "PATH" || name == "HOME"
    };
    let mut variables: Vec<_> =
        std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(of_toolchain)).collect();
    variables.sort();
    let mut hasher = Sha256::new();
    hasher.update(question);
    for (name, value) in variables {
        hasher.update([0]);
        hasher.update(name.as_encoded_bytes());
        hasher.update([1]);
        hasher.update(value.as_encoded_bytes());
    }
    hasher.finalize().iter().take(12).map(|byte| format!("{byte:02x}")).collect()
}

/// Length and time of a file; of one that is not there, that.
fn stamp(file: &Path) -> (String, Option<SystemTime>) {
    let Ok(data) = fs::metadata(file) else { return ("none".into(), None) };
    let time = data.modified().ok();
    let since = time.and_then(|t| t.duration_since(SystemTime::UNIX_EPOCH).ok()).unwrap_or_default();
    (format!("{} {}", data.len(), since.as_nanos()), time)
}

fn known(file: &Path) -> Option<String> {
    let kept: Value = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    let files = kept["files"].as_object()?;
    let holds = files.iter().all(|(path, then)| then.as_str() == Some(&stamp(Path::new(path)).0));
    holds.then(|| kept["answer"].as_str().map(str::to_owned))?
}

fn keep(file: &Path, answer: &str, files: &[PathBuf], began: SystemTime) -> Option<()> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let mut stamps = serde_json::Map::new();
    for path in files {
        let (stamp, time) = stamp(path);
        if time.is_some_and(|time| time + LAG >= began) {
            return None;
        }
        stamps.insert(path.to_str()?.to_owned(), stamp.into());
    }
    let folder = file.parent()?;
    // The folders above it have the mode that the user's other files have.
    fs::create_dir_all(folder.parent()?).ok()?;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).ok()?;
    remove_old(folder, began);
    let aside = folder.join(format!(".{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed)));
    let mut own =
        fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&aside).ok()?;
    own.write_all(json!({ "files": stamps, "answer": answer }).to_string().as_bytes()).ok()?;
    fs::rename(&aside, file).ok()
}

fn remove_old(folder: &Path, now: SystemTime) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let written = entry.metadata().and_then(|data| data.modified());
        let age = written.ok().and_then(|written| now.duration_since(written).ok());
        if age.is_some_and(|age| age > OLD) {
            // One that stays is tried again.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A file of this name in a folder and in each above it.
pub(super) fn above(folder: &Path, name: &str) -> Vec<PathBuf> {
    folder.ancestors().map(|above| above.join(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_nobody_elses_and_not_for_ever() {
        use std::os::unix::fs::PermissionsExt;
        let cache = tempfile::tempdir().unwrap();
        let there = cache.path().join("there");
        fs::write(&there, "1").unwrap();
        let before = cache.path().join("rust/asked");
        fs::create_dir_all(&before).unwrap();
        fs::write(before.join("a.json"), "token").unwrap();
        std::thread::sleep(LAG * 2);
        let memory = Memory::of(cache.path());
        assert!(!before.exists());
        let ask = |question| memory.ask::<()>(question, || Ok(("a".into(), vec![there.clone()]))).unwrap();
        let answers = cache.path().join("rust/answers");
        let files = || fs::read_dir(&answers).unwrap().map(|f| f.unwrap().path()).collect::<Vec<_>>();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        ask("one");
        let one = files();
        assert_eq!((mode(&answers), one.iter().map(|f| mode(f)).collect()), (0o700, vec![0o600]));
        ask("two");
        assert_eq!(files().len(), 2);
        let then = SystemTime::now() - OLD * 2;
        fs::File::options().write(true).open(&one[0]).unwrap().set_modified(then).unwrap();
        ask("three");
        assert!(files().len() == 2 && !one[0].exists());
    }

    #[test]
    fn an_answer_holds_until_a_file_changes() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::of(folder.path());
        let (there, missing) = (folder.path().join("there"), folder.path().join("missing"));
        fs::write(&there, "1").unwrap();
        std::thread::sleep(LAG * 2);
        let mut asked = 0;
        let mut ask = |files: &[&PathBuf]| {
            let files = files.iter().map(|f| f.to_path_buf()).collect();
            memory.ask::<()>("what?", || {
                asked += 1;
                Ok((asked.to_string(), files))
            })
        };
        let both = [&there, &missing];
        assert_eq!([ask(&both), ask(&both)], [Ok("1".into()), Ok("1".into())]);
        fs::write(&there, "22").unwrap();
        std::thread::sleep(LAG * 2);
        assert_eq!([ask(&both), ask(&both)], [Ok("2".into()), Ok("2".into())]);
        // One that was not there appears, just now: the answer is asked anew, and not kept yet.
        fs::write(&missing, "").unwrap();
        assert_eq!([ask(&both), ask(&both)], [Ok("3".into()), Ok("4".into())]);
        // Without files nothing is kept.
        fs::remove_file(&missing).unwrap();
        let other = Memory::of(&folder.path().join("other"));
        assert_eq!(other.ask::<()>("?", || Ok(("a".into(), vec![]))), Ok("a".into()));
        assert_eq!(other.ask::<()>("?", || Ok(("b".into(), vec![]))), Ok("b".into()));
    }
}
