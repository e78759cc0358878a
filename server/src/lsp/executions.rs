//! The executions that sessions show, operation by operation. The host is asked for one when the editor first wants to
//! know of it; whoever asked waits.

use super::documents::{Document, Waiting};
use super::main_loop::MainLoop;
use super::roots::{self, Root};
use super::versions::{Id, same};
use raddle_protocol::interleaving::Interleaving;
use raddle_protocol::session::{SessionFailure, SessionState, TraceParams, method};
use raddle_protocol::wire::RpcError;
use serde_json::{Value, from_value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// An execution: of a session, by its schedule.
pub type Key = (Id, String);

/// Executions that are kept, and sessions that are asked about a text.
const MOST: usize = 8;

/// Those that were asked for.
#[derive(Default)]
pub struct Executions {
    /// The newest, in the order in which they came; `None` where the host shows none.
    known: Vec<(Key, Option<Interleaving>)>,
    /// The requests that wait for each execution that the host was asked for: a file, and what was wanted of it.
    waiting: BTreeMap<Key, Vec<(PathBuf, Waiting)>>,
}

impl Executions {
    /// This one, if it has come.
    fn get(&self, key: &Key) -> Option<&Option<Interleaving>> {
        self.known.iter().find(|(known, _)| known == key).map(|(_, shown)| shown)
    }

    /// Waits for one; is it to be asked for?
    fn wait(&mut self, key: Key, file: &Path, waiting: Waiting) -> bool {
        let is_new = !self.waiting.contains_key(&key);
        self.waiting.entry(key).or_default().push((file.to_owned(), waiting));
        is_new
    }

    /// It has come, or will not; what waited for it.
    fn arrived(&mut self, key: Key, shown: Option<Interleaving>) -> Vec<(PathBuf, Waiting)> {
        let waiting = self.waiting.remove(&key).unwrap_or_default();
        self.known.push((key, shown));
        // Requests that still wait may need several executions at once.
        if self.waiting.is_empty() {
            self.known.drain(..self.known.len().saturating_sub(MOST));
        }
        waiting
    }
}

/// An execution that the session of a text shows.
pub struct Selected<'a> {
    /// Its operations; their files are without links.
    pub execution: &'a Interleaving,
    /// The failure that it is, if it is one that the search found.
    pub failure: Option<&'a SessionFailure>,
}

impl MainLoop {
    /// Asks the executions shown of tests whose search explored this text, the one that was selected last first, and gives
    /// back the first answer. `Err`: the host must show that one before.
    pub(super) fn of_selected<T>(
        &self,
        document: &Document,
        tell: impl Fn(&Selected) -> Option<T>,
    ) -> Result<Option<T>, Key> {
        let (open, edited) = (self.documents.texts(), self.documents.edited());
        let connection = self.bridge.connection();
        let of_this_text = |state: &&SessionState| {
            let id = (connection, state.session);
            let explored = self.versions.texts(id);
            let is_same = explored.get(&document.real).is_some_and(|text| same(text, &document.text));
            is_same && !self.versions.changed(id, &open, &edited)
        };
        for state in self.sessions.selected().into_iter().filter(of_this_text).take(MOST) {
            let Some(key) = key((connection, state.session), state) else { continue };
            let Some(known) = self.executions.get(&key) else { return Err(key) };
            let Some(execution) = known else { continue };
            let failure = state.failures.iter().find(|f| f.schedule == key.1);
            if let Some(told) = tell(&Selected { execution, failure }) {
                return Ok(Some(told));
            }
        }
        Ok(None)
    }

    /// Goes on with what is wanted of a file when the host has shown an execution.
    pub(super) fn wait_for_execution(&mut self, key: Key, file: &Path, waiting: Waiting) {
        let ((_, session), schedule) = key.clone();
        if self.executions.wait(key, file, waiting) {
            let params = TraceParams { session: Some(session), schedule, ..TraceParams::default() };
            self.ask_ourselves(method::TRACE, json!(params));
        }
    }

    /// The host has answered a request of ours for an execution.
    pub(super) fn execution(&mut self, connection: u64, params: &Value, result: Result<Value, RpcError>) {
        let Ok(params) = from_value::<TraceParams>(params.clone()) else { return };
        let Some(session) = params.session else { return };
        let shown = result.ok().and_then(|value| self.read(method::TRACE, from_value::<Interleaving>(value)));
        // Steps of another build may mean something else.
        let shown = shown.filter(|s| !s.stale);
        let root = self.root.as_ref();
        let shown = shown.zip(root).map(|(shown, root)| without_links(shown, root));
        for (file, waiting) in self.executions.arrived(((connection, session), params.schedule), shown) {
            self.read_text(&file, waiting);
        }
    }

    /// No host is there that would show what is waited for.
    pub(super) fn give_up_executions(&mut self) {
        for (file, waiting) in std::mem::take(&mut self.executions.waiting).into_values().flatten() {
            self.read_text(&file, waiting);
        }
    }
}

/// The execution that a session shows.
fn key(id: Id, state: &SessionState) -> Option<Key> {
    Some((id, state.shown.as_ref()?.schedule.clone()))
}

/// The same with the names of files that documents are compared by.
fn without_links(mut shown: Interleaving, root: &Root) -> Interleaving {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    let target = shown.target.clone();
    let steps = shown.events.iter_mut();
    let places =
        steps.flat_map(|s| [s.location.as_mut(), s.preemption.as_mut().and_then(|p| p.before.as_mut())]);
    for place in places.flatten() {
        let real = known
            .entry(std::mem::take(&mut place.file))
            .or_insert_with_key(|file| root.real(file, &target).display().to_string());
        place.file.clone_from(real);
    }
    shown
}

/// Is this the name of the file that is so without links?
pub fn is_file(named: &str, real: &Path) -> bool {
    Path::new(named) == real || roots::real(Path::new(named)) == real
}

#[cfg(test)]
pub mod sample;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_kept_and_each_is_asked_for_once() {
        let mut executions = Executions::default();
        let key = |session| ((1, session), "sync@default".to_string());
        let mut wait = |session| {
            let waiting = Waiting::Hover(Default::default(), tokio::sync::oneshot::channel().0);
            executions.wait(key(session), Path::new("/ws/a.c"), waiting)
        };
        assert_eq!((wait(0), wait(0), wait(99)), (true, false, true));
        assert_eq!(executions.arrived(key(0), None).len(), 2);
        (1..20).for_each(|session| drop(executions.arrived(key(session), None)));
        assert!(executions.get(&key(0)).is_some(), "session 99 is still awaited");
        executions.arrived(key(99), None);
        let known: Vec<u32> = executions.known.iter().map(|((id, _), _)| id.1).collect();
        assert_eq!(known, [13, 14, 15, 16, 17, 18, 19, 99]);
    }
}
