//! Published crates with primitives of their own that are modelled: what is inserted, so that they ask the runtime first
//! (`runtime/src/modelled.rs` says what the models are). Sizes, constructors and traits stay as they are.
//!
//! * parking_lot: `Mutex`, all that is made of it, and `Condvar`. Its read-write locks run as they are.
//! * parking_lot_core: a thread that waits looks once more and goes to sleep. How often it looks makes no difference to what it finds.
//! * crossbeam-utils: [`Backoff`] is completed once it was used, so that a thread looks once more and blocks.
//! * rayon-core: the same of a worker that finds no job. It looks once before and once behind it says that it is sleepy.
//! * tokio and blocking: a thread of a pool that waits for work waits as long as it takes. It would end after a while, and each
//!   moment at which it could would be another order.
//!
//! A version that was not compared with its model runs as it is, and so does a copy from elsewhere than crates.io.
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
    "if self.counter>0&&::std::raddle_modelled::models(\"parking_lot_core\"){return false;}",
)];

const CROSSBEAM_UTILS: &[Insertion] = &[behind(
    "src/backoff.rs",
    "pub fn is_completed(&self) -> bool {",
    "#[cfg(feature=\"std\")]{if self.step.get()>0&&::std::raddle_modelled::models(\"crossbeam-utils\"){return true;}}",
)];

const RAYON_CORE: &[Insertion] = &[Insertion {
    file: "src/sleep/mod.rs",
    at: "if idle_state.rounds < ROUNDS_UNTIL_SLEEPY {",
    is_before: true,
    times: 1,
    text: "if ::std::raddle_modelled::models(\"rayon-core\"){if idle_state.rounds>ROUNDS_UNTIL_SLEEPY{idle_state.rounds=ROUNDS_UNTIL_SLEEPING;}else{idle_state.rounds=ROUNDS_UNTIL_SLEEPY;}}",
}];

const POOL: &str = "src/runtime/blocking/pool.rs";

const KEEP_ALIVE: &str = "let keep_alive=if ::std::raddle_modelled::models(\"tokio\"){::std::time::Duration::MAX}else{keep_alive};";

const TOKIO: &[Insertion] = &[
    stays(POOL, "let lock_result = self.condvar.wait_timeout(locked, keep_alive).unwrap();", KEEP_ALIVE),
    stays(
        "src/runtime/blocking/sharded.rs",
        "let lock_result = self.condvar.wait_timeout(coord, keep_alive).unwrap();",
        KEEP_ALIVE,
    ),
];

const TOKIO_1_40: &[Insertion] = &[
    behind(POOL, "self.condvar.wait_timeout(shared, self.keep_alive", "}"),
    stays(
        POOL,
        "self.keep_alive}).unwrap();",
        "if ::std::raddle_modelled::models(\"tokio\"){::std::time::Duration::MAX}else{",
    ),
];

const BLOCKING: &[Insertion] = &[stays(
    "src/lib.rs",
    "let (lock, res) = self.cvar.wait_timeout(inner, timeout).unwrap();",
    "let timeout=if ::std::raddle_modelled::models(\"blocking\"){::std::time::Duration::MAX}else{timeout};",
)];

/// Goes before a wait that has a time limit, to take the limit away.
const fn stays(file: &'static str, wait: &'static str, text: &'static str) -> Insertion {
    Insertion { file, at: wait, is_before: true, times: 1, text }
}

/// Packages with the versions whose code was compared with the model, each written in the one way.
const CRATES: [(&str, &[&str], &[Insertion]); 7] = [
    ("parking_lot", &["0.12.5"], PARKING_LOT),
    ("parking_lot_core", &["0.9.12"], PARKING_LOT_CORE),
    ("crossbeam-utils", &["0.8.23"], CROSSBEAM_UTILS),
    ("rayon-core", &["1.13.0"], RAYON_CORE),
    ("tokio", &["1.54.1"], TOKIO),
    ("tokio", &["1.40.0"], TOKIO_1_40),
    ("blocking", &["1.7.0"], BLOCKING),
];

/// The files of this package that are edited, relative to its folder, with their texts; none where nothing of it is modelled, or
/// this version was not compared.
pub(super) fn edited(package: &str, version: &str, folder: &Path) -> Vec<(PathBuf, String)> {
    let is_known =
        |(name, versions, _): &&(&str, &[&str], _)| *name == package && versions.contains(&version);
    let as_it_is = |text: &str| text.to_string();
    let insertions = CRATES.iter().find(is_known).map(|(.., insertions)| *insertions);
    insertions.and_then(|insertions| insertions::apply(insertions, folder, &as_it_is)).unwrap_or_default()
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
        let files = edited("crossbeam-utils", "0.8.23", folder.path());
        let [(path, edited)] = &files[..] else { panic!("{files:?}") };
        assert_eq!((path.as_path(), edited.lines().count()), (Path::new("src/backoff.rs"), 5));
        assert!(edited.contains("models(\"crossbeam-utils\")"), "{edited}");
        assert!(super::edited("crossbeam-utils", "0.8.21", folder.path()).is_empty(), "it was not compared");
    }

    #[test]
    fn what_is_written_otherwise_runs_as_it_is() {
        let folder = package("src/backoff.rs", "pub fn is_completed(self) -> bool {\n");
        assert!(edited("crossbeam-utils", "0.8.23", folder.path()).is_empty());
        assert!(
            edited("crossbeam-utils", "0.8.23", &folder.path().join("src")).is_empty(),
            "there is no such file"
        );
        assert!(edited("serde", "1.0.229", folder.path()).is_empty());
        // Of a crate all fits or nothing does.
        let folder = package("src/raw_mutex.rs", "impl RawMutex {\n    fn lock(&self) {\n    }\n}\n");
        assert!(edited("parking_lot", "0.12.5", folder.path()).is_empty());
    }
}
