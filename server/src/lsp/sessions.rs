//! The sessions of the host as this server knows them, and what came of the last one of each test.

use super::lenses::ends_with;
use super::roots::Root;
use super::to_proto;
use super::versions::Id;
use raddle_instrumenter::index::Index;
use raddle_protocol::report::Verdict;
use raddle_protocol::session::{SessionState, State};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Sessions that have ended and are remembered.
const REMEMBERED: usize = 100;

/// What a test's lens shows beside its own words.
pub enum Shown<'a> {
    /// It is being explored.
    Running(&'a SessionState, Id),
    /// What came of it last.
    Ended(&'a str, Id),
}

/// A test, by its file without links and its name.
type Place = (PathBuf, String);

/// A session and where its test is.
struct Known {
    state: SessionState,
    place: Option<Place>,
    /// Counts what sessions show: the selection that is its last one.
    selection: u64,
}

/// What a session's state means for what is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is old, or known already.
    Nothing,
    /// Its counts moved.
    Counts,
    /// It does something else than before.
    State,
}

/// All of them.
#[derive(Default)]
pub struct Sessions {
    known: BTreeMap<u32, Known>,
    /// Tests that sessions were asked for, until their states say it.
    asked: BTreeMap<u32, Place>,
    /// What came of a test last.
    ended: BTreeMap<Place, Ended>,
    /// How often a session has shown another execution or event.
    selections: u64,
}

struct Ended {
    words: String,
    /// Of which session.
    id: Id,
}

impl Sessions {
    /// A session was begun for this test.
    pub fn asked(&mut self, session: u32, place: Place) {
        if let Some(known) = self.known.get_mut(&session) {
            known.place.get_or_insert(place.clone());
        }
        self.asked.insert(session, place);
    }

    /// A session of this connection stands so now.
    pub fn set(&mut self, connection: u64, state: SessionState, root: &Root) -> Change {
        let id = state.session;
        let before = self.known.get(&id).map(|k| (k.state.revision, k.state.state));
        if before.is_some_and(|(revision, _)| revision > state.revision) {
            return Change::Nothing;
        }
        let named = state.location.as_ref().filter(|_| !state.test.is_empty());
        let place = named.map(|l| (root.real(&l.file, &state.target), state.test.clone()));
        let place = place.or_else(|| self.asked.get(&id).cloned());
        let change = match before {
            Some((_, s)) if s == state.state => Change::Counts,
            _ => Change::State,
        };
        if change == Change::State
            && let Some(place) = &place
        {
            self.note(place, &state, connection);
        }
        let selection = self.select(&state);
        self.known.insert(id, Known { state, place, selection });
        self.forget();
        change
    }

    /// Counts what a session shows now, if it showed something else before.
    fn select(&mut self, state: &SessionState) -> u64 {
        let before = self.known.get(&state.session);
        let revision = |state: &SessionState| state.shown.as_ref().map(|shown| shown.revision);
        if before.and_then(|k| revision(&k.state)) != revision(state) {
            self.selections += 1;
            return self.selections;
        }
        before.map_or(0, |k| k.selection)
    }

    /// Forgets the oldest that have ended, if they are many: as the host does.
    fn forget(&mut self) {
        let done = |k: &Known| k.state.state == State::Done;
        let ended = self.known.iter().filter(|(_, k)| done(k)).map(|(id, _)| *id);
        if let Some(oldest) = ended.clone().next().filter(|_| ended.count() > REMEMBERED) {
            self.known.remove(&oldest);
            self.asked.remove(&oldest);
        }
    }

    /// Keeps what came of a test; a session that begins takes the last one's place. One below a choice
    /// made by hand runs some of the test's executions: only its failure is the test's.
    fn note(&mut self, place: &Place, state: &SessionState, connection: u64) {
        if state.below.is_some() && state.verdict != Some(Verdict::Failed) {
            return;
        }
        self.ended.remove(place);
        if state.state == State::Done {
            let id = (connection, state.session);
            self.ended.insert(place.clone(), Ended { words: to_proto::outcome(state), id });
        }
    }

    /// This one.
    pub fn get(&self, session: u32) -> Option<&SessionState> {
        self.known.get(&session).map(|k| &k.state)
    }

    /// How often a session has shown something else.
    pub fn selections(&self) -> u64 {
        self.selections
    }

    /// The newest session of each test, if it shows an execution: the one that was selected last comes first. A search
    /// below a choice made by hand is no test's session unless it fails.
    pub fn selected(&self) -> Vec<&SessionState> {
        let mut tests = BTreeSet::new();
        let newest_first = self.known.values().rev();
        let of_tests = newest_first
            .filter(|k| k.state.below.is_none() || k.state.verdict == Some(Verdict::Failed))
            .filter(|k| tests.insert((&k.state.target, &k.state.test)));
        let mut shown: Vec<&Known> = of_tests.filter(|k| k.state.shown.is_some()).collect();
        shown.sort_by_key(|k| std::cmp::Reverse(k.selection));
        shown.into_iter().map(|k| &k.state).collect()
    }

    /// The newest that has not ended.
    pub fn newest_running(&self) -> Option<u32> {
        let mut running = self.known.iter().filter(|(_, k)| k.state.state != State::Done);
        running.next_back().map(|(id, _)| *id)
    }

    /// The newest that has failed.
    pub fn newest_failing(&self) -> Option<&SessionState> {
        self.known.values().map(|k| &k.state).rfind(|s| !s.failures.is_empty())
    }

    /// The host has gone: ends what still ran, for this reason. The states to be told.
    pub fn abandon(&mut self, connection: u64, why: &str) -> Vec<SessionState> {
        let mut ended = Vec::new();
        for (_, known) in std::mem::take(&mut self.known) {
            let mut state = known.state;
            if state.state == State::Done {
                continue;
            }
            state.state = State::Done;
            state.verdict = Some(Verdict::Error);
            state.error = why.to_string();
            state.revision += 1;
            if let Some(place) = &known.place {
                self.note(place, &state, connection);
            }
            ended.push(state);
        }
        self.asked.clear();
        ended
    }

    /// Is something shown of this session?
    pub fn shows(&self, id: Id, connection: u64) -> bool {
        self.ended.values().any(|e| e.id == id) || id.0 == connection && self.known.contains_key(&id.1)
    }

    /// What each test of a file's index shows.
    pub fn of(&self, connection: u64, file: &Path, index: &Index) -> Vec<Option<Shown<'_>>> {
        let mut shown: Vec<Option<Shown>> = index.tests.iter().map(|_| None).collect();
        for ((there, name), ended) in &self.ended {
            if there == file
                && let Some(i) = test(index, name)
            {
                shown[i] = Some(Shown::Ended(&ended.words, ended.id));
            }
        }
        for known in self.known.values().filter(|k| k.state.state != State::Done) {
            let Some((there, name)) = &known.place else { continue };
            if there == file
                && let Some(i) = test(index, name)
            {
                shown[i] = Some(Shown::Running(&known.state, (connection, known.state.session)));
            }
        }
        shown
    }
}

/// The test of this whole name among a file's tests, whose names lack the modules around the file.
fn test(index: &Index, name: &str) -> Option<usize> {
    let fitting = index.tests.iter().enumerate().filter(|(_, t)| ends_with(name, &t.name));
    fitting.max_by_key(|(_, t)| t.name.len()).map(|(i, _)| i)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_protocol::report::Location;
    use raddle_protocol::session::Counts;

    fn state(session: u32, revision: u32, test: &str, state: State) -> SessionState {
        let location = Some(Location { file: "/ws/src/a.rs".into(), line: 3, column: 1 });
        let (target, test) = ("/ws".to_string(), test.to_string());
        let counts = Counts { executions: 7, ..Default::default() };
        SessionState { session, revision, target, test, location, state, counts, ..Default::default() }
    }

    fn shown(sessions: &Sessions) -> Vec<String> {
        let text = "#[test] fn one() {}\nmod tests { #[test] fn one() {} }";
        let file = Path::new("/ws/src/a.rs");
        let index = super::super::sources::index(file, text).unwrap();
        let words = |s: Option<Shown>| match s {
            None => "-".to_string(),
            Some(Shown::Running(s, _)) => format!("running {}", s.session),
            Some(Shown::Ended(words, _)) => words.to_string(),
        };
        sessions.of(1, file, &index).into_iter().map(words).collect()
    }

    #[test]
    fn the_last_session_of_a_test_is_shown() {
        let root = Root::new("/ws".into(), "/ws".into());
        let mut sessions = Sessions::default();
        assert_eq!(sessions.set(1, state(1, 0, "a::tests::one", State::Building), &root), Change::State);
        assert_eq!(shown(&sessions), ["-", "running 1"]);
        assert_eq!(sessions.set(1, state(1, 2, "a::tests::one", State::Exploring), &root), Change::State);
        assert_eq!(sessions.set(1, state(1, 3, "a::tests::one", State::Exploring), &root), Change::Counts);
        assert_eq!(sessions.set(1, state(1, 1, "a::tests::one", State::Queued), &root), Change::Nothing);
        let mut done = state(1, 4, "a::tests::one", State::Done);
        done.verdict = Some(Verdict::Passed);
        sessions.set(1, done, &root);
        assert_eq!(shown(&sessions), ["-", "✓ passed, 7 executions"]);
        sessions.set(1, state(2, 0, "a::one", State::Exploring), &root);
        assert_eq!(shown(&sessions), ["running 2", "✓ passed, 7 executions"]);
        assert!(sessions.shows((1, 1), 1) && sessions.shows((1, 2), 1) && !sessions.shows((1, 3), 1));
        assert!(sessions.shows((1, 1), 2) && !sessions.shows((1, 2), 2), "the next host counts anew");
    }

    #[test]
    fn what_passes_below_a_choice_is_no_result_of_the_test() {
        let root = Root::new("/ws".into(), "/ws".into());
        let mut sessions = Sessions::default();
        let mut failed = state(1, 1, "one", State::Done);
        failed.verdict = Some(Verdict::Failed);
        sessions.set(1, failed, &root);
        let below = |session, revision, state_is, verdict| {
            let below = Some("sync@3:T2".to_string());
            SessionState { below, verdict, ..state(session, revision, "one", state_is) }
        };
        sessions.set(1, below(2, 0, State::Exploring, None), &root);
        assert_eq!(shown(&sessions)[0], "running 2");
        sessions.set(1, below(2, 1, State::Done, Some(Verdict::Passed)), &root);
        assert_eq!(shown(&sessions)[0], "✗ failed after 7 executions");
        let mut passed = state(3, 1, "one", State::Done);
        passed.verdict = Some(Verdict::Passed);
        sessions.set(1, passed, &root);
        sessions.set(1, below(4, 0, State::Exploring, None), &root);
        sessions.set(1, below(4, 1, State::Done, Some(Verdict::Failed)), &root);
        assert_eq!(shown(&sessions)[0], "✗ failed after 7 executions");
    }

    #[test]
    fn the_execution_that_was_selected_last_comes_first() {
        let root = Root::new("/ws".into(), "/ws".into());
        let mut sessions = Sessions::default();
        let mut show = |session, test: &str, revision, below: Option<&str>| {
            let mut state = state(session, revision, test, State::Done);
            state.shown = Some(raddle_protocol::session::Shown { revision, ..Default::default() });
            (state.verdict, state.below) = (Some(Verdict::Passed), below.map(str::to_string));
            sessions.set(1, state, &root);
            sessions.selected().iter().map(|s| s.session).collect::<Vec<_>>()
        };
        assert_eq!(show(1, "one", 1, None), [1]);
        assert_eq!(show(2, "two", 1, None), [2, 1]);
        assert_eq!(show(1, "one", 2, None), [1, 2]);
        assert_eq!(show(3, "two", 1, None), [3, 1], "an older one is history");
        assert_eq!(show(4, "two", 1, Some("sync@3:T2")), [3, 1]);
        assert_eq!(sessions.selections(), 5);
    }

    #[test]
    fn sessions_of_a_host_that_has_gone_end_as_errors() {
        let root = Root::new("/ws".into(), "/ws".into());
        let mut sessions = Sessions::default();
        sessions.set(1, state(1, 5, "one", State::Exploring), &root);
        sessions.set(1, state(2, 5, "tests::one", State::Done), &root);
        let ended = sessions.abandon(1, "killed");
        assert_eq!(ended.len(), 1);
        assert_eq!((ended[0].session, ended[0].revision, ended[0].state), (1, 6, State::Done));
        assert_eq!((ended[0].verdict, ended[0].error.as_str()), (Some(Verdict::Error), "killed"));
        assert_eq!(shown(&sessions), ["could not be run", "ended early, no failure in 7 executions"]);
        // The next host counts from the beginning again.
        assert_eq!(sessions.set(1, state(1, 0, "one", State::Building), &root), Change::State);
    }

    #[test]
    fn what_was_asked_for_is_shown_before_the_host_names_it() {
        let root = Root::new("/ws".into(), "/ws".into());
        let mut sessions = Sessions::default();
        let mut building = state(1, 0, "", State::Building);
        building.location = None;
        sessions.set(1, building.clone(), &root);
        assert_eq!(shown(&sessions), ["-", "-"]);
        sessions.asked(1, ("/ws/src/a.rs".into(), "one".into()));
        assert_eq!(shown(&sessions), ["running 1", "-"]);
        building.revision = 1;
        sessions.set(1, building, &root);
        assert_eq!(shown(&sessions), ["running 1", "-"]);
    }
}
