//! Published crates with primitives of their own that are modelled: what is inserted, so that they ask the runtime first
//! (`runtime/src/modelled.rs` says what the models are). Sizes, constructors and traits stay as they are.
//!
//! * parking_lot: `Mutex`, all that is made of it, and `Condvar`. Its read-write locks run as they are.
//! * parking_lot_core: a thread that waits goes to sleep at once. How often it looks first makes no difference to what it finds.
//! * crossbeam-utils: the same of whoever asks [`Backoff`] whether to block.
//! * rayon-core: the same of a worker that finds no job. It looks once before and once behind it says that it is sleepy.
//!
//! Each package has tables of [`Insertion`]s, as in [`super::random_crates`]; a version that none fits runs as it is.
//!
//! [`Backoff`]: https://docs.rs/crossbeam-utils/latest/crossbeam_utils/struct.Backoff.html

use super::insertions::{self, Insertion, behind};
use std::path::{Path, PathBuf};

const MUTEX: &str = "src/raw_mutex.rs";
const CONDVAR: &str = "src/condvar.rs";

const BEYOND: &str = "::std::raddle_modelled::beyond();";

const PARKING_LOT: &[Insertion] = &[
    behind(MUTEX, "fn lock(&self) {", "if ::std::raddle_modelled::lock(&self.state){return;}"),
    behind(
        MUTEX,
        "fn try_lock(&self) -> bool {",
        "if let Some(raddle)=::std::raddle_modelled::try_lock(&self.state){return raddle;}",
    ),
    behind(
        MUTEX,
        "fn try_lock_for(&self, timeout: Duration) -> bool {",
        "if let Some(raddle)=::std::raddle_modelled::try_lock_for(&self.state,timeout){return raddle;}",
    ),
    behind(
        MUTEX,
        "fn try_lock_until(&self, timeout: Instant) -> bool {",
        "if let Some(raddle)=::std::raddle_modelled::try_lock_until(&self.state,timeout){return raddle;}",
    ),
    behind(MUTEX, "unsafe fn unlock(&self) {", "if ::std::raddle_modelled::unlock(&self.state){return;}"),
    behind(
        MUTEX,
        "unsafe fn unlock_fair(&self) {",
        "if ::std::raddle_modelled::unlock_fair(&self.state){return;}",
    ),
    behind(MUTEX, "unsafe fn bump(&self) {", BEYOND),
    behind(MUTEX, "fn is_locked(&self) -> bool {", BEYOND),
    behind(MUTEX, "impl RawMutex {", "pub(crate) fn raddle(&self)->&AtomicU8{&self.state}"),
    behind(
        CONDVAR,
        "fn wait_until_internal(&self, mutex: &RawMutex, timeout: Option<Instant>) -> WaitTimeoutResult {",
        "if let Some(raddle)=::std::raddle_modelled::wait(self,mutex.raddle(),timeout){return WaitTimeoutResult(raddle);}",
    ),
    behind(
        CONDVAR,
        "pub fn notify_one(&self) -> bool {",
        "if let Some(raddle)=::std::raddle_modelled::notify_one(self){return raddle;}",
    ),
    behind(
        CONDVAR,
        "pub fn notify_all(&self) -> usize {",
        "if let Some(raddle)=::std::raddle_modelled::notify_all(self){return raddle;}",
    ),
];

const PARKING_LOT_CORE: &[Insertion] = &[behind(
    "src/spinwait.rs",
    "pub fn spin(&mut self) -> bool {",
    "if ::std::raddle_modelled::models(\"parking_lot_core\"){return false;}",
)];

const CROSSBEAM_UTILS: &[Insertion] = &[behind(
    "src/backoff.rs",
    "pub fn is_completed(&self) -> bool {",
    "#[cfg(feature=\"std\")]{if ::std::raddle_modelled::models(\"crossbeam-utils\"){return true;}}",
)];

const RAYON_CORE: &[Insertion] = &[Insertion {
    file: "src/sleep/mod.rs",
    at: "if idle_state.rounds < ROUNDS_UNTIL_SLEEPY {",
    is_before: true,
    times: 1,
    text: "if ::std::raddle_modelled::models(\"rayon-core\"){if idle_state.rounds>ROUNDS_UNTIL_SLEEPY{idle_state.rounds=ROUNDS_UNTIL_SLEEPING;}else{idle_state.rounds=ROUNDS_UNTIL_SLEEPY;}}",
}];

const CRATES: [(&str, &[&[Insertion]]); 4] = [
    ("parking_lot", &[PARKING_LOT]),
    ("parking_lot_core", &[PARKING_LOT_CORE]),
    ("crossbeam-utils", &[CROSSBEAM_UTILS]),
    ("rayon-core", &[RAYON_CORE]),
];

/// The files of this package that are edited, relative to its folder, with their texts; none where nothing of it is modelled, or it
/// is written in another way.
pub(super) fn edited(package: &str, folder: &Path) -> Vec<(PathBuf, String)> {
    let ways = CRATES.iter().find(|(name, _)| *name == package).map_or(&[][..], |(_, ways)| ways);
    let as_it_is = |text: &str| text.to_string();
    ways.iter().find_map(|way| insertions::apply(way, folder, &as_it_is)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(file: &str, text: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        folder
    }

    #[test]
    fn what_is_inserted_adds_no_line() {
        let text = "impl Backoff {\n    pub fn is_completed(&self) -> bool {\n        false\n    }\n}\n";
        let folder = package("src/backoff.rs", text);
        let files = edited("crossbeam-utils", folder.path());
        let [(path, edited)] = &files[..] else { panic!("{files:?}") };
        assert_eq!((path.as_path(), edited.lines().count()), (Path::new("src/backoff.rs"), 5));
        assert!(edited.contains("models(\"crossbeam-utils\")"), "{edited}");
    }

    #[test]
    fn what_is_written_otherwise_runs_as_it_is() {
        let folder = package("src/backoff.rs", "pub fn is_completed(self) -> bool {\n");
        assert!(edited("crossbeam-utils", folder.path()).is_empty());
        assert!(edited("crossbeam-utils", &folder.path().join("src")).is_empty(), "there is no such file");
        assert!(edited("serde", folder.path()).is_empty());
        // Of a crate all fits or nothing does.
        let folder = package("src/raw_mutex.rs", "impl RawMutex {\n    fn lock(&self) {\n    }\n}\n");
        assert!(edited("parking_lot", folder.path()).is_empty());
    }
}
