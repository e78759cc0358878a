//! Threads that keep each other waiting by an initialiser or by their end: one runs an initialiser, or holds a lock, and waits for a
//! thread that needs it.

use super::Kind;
use crate::annotate::annotated_trace::AnnotatedOp;
use crate::annotate::initialisers::initialised;
use crate::annotate::location;
use crate::explain::case::{Case, Wait, given_back, taken};
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::Mistake;
use raddle_schedule::OpKind;
use raddle_schedule::memory::Meaning;

/// How a library's call that waits for an initialiser says so.
const INITIALISES: &str = "for the initialisation of";

/// A cycle of waits with an initialiser, or with a join, in it.
pub struct InitialisationCycle;

/// The thread that keeps another one waiting, and how.
pub(super) struct Kept<'a> {
    pub by: u8,
    pub how: How,
    /// The event at which it began to.
    pub since: Option<&'a AnnotatedOp>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// It runs the initialiser.
    Runs,
    /// It holds the lock.
    Holds,
    /// It has not ended.
    Lives,
    /// Nobody is known to: it waits for something that a thread would have to do.
    Open,
}

impl Kind for InitialisationCycle {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        let waits = &case.ends.waits;
        if !waits.is_empty() && waits.iter().all(|w| w.to == Some(INITIALISES)) {
            return Some(of_library(waits, speaker));
        }
        let each = |w| kept(case, w).map(|(object, kept)| (w, object, kept));
        let mut links: Vec<(&Wait, String, Kept)> = waits.iter().filter_map(each).collect();
        // The thread that runs an initialiser may wait for something else, which all others can only do behind that initialiser.
        let open: Vec<&Wait> =
            waits.iter().filter(|w| links.iter().all(|l| l.0.thread != w.thread)).collect();
        if let [inside] = open[..] {
            waits_inside(case, inside, &links).then(|| {
                let object = inside.objects.first().cloned().unwrap_or_default();
                links.insert(0, (inside, object, Kept { by: inside.thread, how: How::Open, since: None }));
            })?;
        } else if !open.is_empty() {
            return None;
        }
        let closes = links.iter().all(|(_, _, k)| waits.iter().any(|w| w.thread == k.by));
        let is = |how: How| links.iter().any(|l| l.2.how == how);
        if !closes || !is(How::Runs) && !is(How::Lives) {
            return None;
        }
        let parts: Vec<String> = links.iter().map(|(w, object, k)| part(w, object, k, speaker)).collect();
        let are_joins = links.iter().all(|l| l.2.how == How::Lives);
        let remedy = match links.len() {
            _ if are_joins => "leave one of these joins out, since none of them can end.",
            1 => "an initialiser must not need its own result.",
            _ if is(How::Open) => "an initialiser must not wait for a thread that needs its result.",
            _ if is(How::Lives) && is(How::Runs) => {
                "an initialiser must not wait for a thread that needs its result."
            }
            _ if is(How::Lives) => {
                "unlock it before joining, or do not lock it in the thread that is joined."
            }
            _ if is(How::Holds) => {
                "take the lock inside the initialiser only, or run the initialiser before taking it."
            }
            _ => "initialisers must not need each other.",
        };
        let kind = match is(How::Runs) {
            true => "initialisation cycle",
            false if are_joins => "join cycle",
            false => "join under lock",
        };
        let text = format!("{}: {remedy}", parts.join(", "));
        let objects = links.iter().filter(|l| l.2.how != How::Lives).map(|(_, o, _)| o.clone()).collect();
        Some(Mistake { kind: kind.into(), text, section: None, objects })
    }
}

/// Initialisers of a library, of which nobody is known to run them but those that wait.
fn of_library(waits: &[Wait], speaker: &Speaker) -> Mistake {
    let one = |w: &Wait| {
        let at = w.place.as_ref().map(|p| format!(" ({})", speaker.line(&location(p)))).unwrap_or_default();
        format!("T{} waits for the initialiser of {}{at}", w.thread, w.objects.join(" or "))
    };
    let remedy = match waits.len() {
        1 => "an initialiser must not need its own result, nor wait for a thread that does.",
        _ => "initialisers must not need each other.",
    };
    let text = format!("{}: {remedy}", waits.iter().map(one).collect::<Vec<_>>().join(", "));
    let objects = waits.iter().flat_map(|w| w.objects.clone()).collect();
    Mistake { kind: "initialisation cycle".into(), text, section: None, objects }
}

/// `T0 waits for the initialiser of a, which T1 runs (:9)`.
fn part(wait: &Wait, object: &str, kept: &Kept, speaker: &Speaker) -> String {
    let line = |l: Option<String>| l.map(|l| format!(" ({l})")).unwrap_or_default();
    let at = line(kept.since.and_then(|e| e.place.as_ref()).map(|p| speaker.line(&location(p))));
    let stands = line(wait.place.as_ref().map(|p| speaker.line(&location(p))));
    let who = if kept.by == wait.thread { "it".to_string() } else { format!("T{}", kept.by) };
    let itself = if kept.by == wait.thread { " itself" } else { "" };
    let thread = wait.thread;
    match kept.how {
        How::Runs => {
            let object = initialised(object);
            format!("T{thread} waits for the initialiser of {object}, which {who} runs{itself}{at}")
        }
        How::Holds => format!("T{thread} waits for {object}, which {who} holds{itself}{at}"),
        How::Lives => format!("T{thread} waits for the end of T{}{stands}", kept.by),
        How::Open => format!("T{thread} waits inside of an initialiser{stands}"),
    }
}

/// What keeps a thread waiting: by a thread that runs the object's initialiser, that holds it, or that has not ended.
pub(super) fn kept<'a>(case: &Case<'a>, wait: &Wait) -> Option<(String, Kept<'a>)> {
    if wait.kind == OpKind::Join {
        let thread = wait.objects.first()?;
        let by = crate::explain::case::number(thread)?;
        return Some((thread.clone(), Kept { by, how: How::Lives, since: None }));
    }
    wait.objects.iter().find_map(|object| Some((object.clone(), kept_by(case, object)?)))
}

/// The thread that runs the object's initialiser, or holds it, at the end.
fn kept_by<'a>(case: &Case<'a>, object: &str) -> Option<Kept<'a>> {
    let of_it = case.scene.events.iter().filter(|e| e.object == object);
    let begun = of_it.clone().rfind(|e| e.told.meaning == Some(Meaning::Runs) || e.kind == OpKind::Once);
    if let Some(since) = begun {
        let ends = |e: &&AnnotatedOp| matches!(e.told.meaning, Some(Meaning::Completes | Meaning::Poisons));
        let ended = of_it.filter(|e| e.index > since.index).any(|e| ends(&e));
        return (!ended).then_some(Kept { by: since.thread, how: How::Runs, since: Some(since) });
    }
    let on_lock = |e: &&AnnotatedOp| taken(e) == Some(object) || given_back(e) == Some(object);
    let since = case.scene.events.iter().rfind(on_lock).filter(|e| taken(e) == Some(object))?;
    Some(Kept { by: since.thread, how: How::Holds, since: Some(since) })
}

/// Does every other thread that waits come, by whom it waits for, to an initialiser that this one runs? It began to wait in that, and
/// nobody has notified it since.
fn waits_inside(case: &Case, inside: &Wait, links: &[(&Wait, String, Kept)]) -> bool {
    let events = &case.scene.events;
    let runs = links.iter().find(|l| l.2.how == How::Runs && l.2.by == inside.thread);
    let Some(since) = runs.and_then(|l| l.2.since) else { return false };
    let notifies = |e: &AnnotatedOp| {
        matches!(e.kind, OpKind::NotifyOne | OpKind::NotifyAll | OpKind::Unpark | OpKind::FutexWake)
            && inside.objects.contains(&e.object)
    };
    let leads = |from: u8| {
        let mut at = from;
        (0..=links.len()).any(|_| {
            at = links.iter().find(|l| l.0.thread == at).map_or(at, |l| l.2.by);
            at == inside.thread
        })
    };
    !events.iter().any(|e| e.index > since.index && notifies(e)) && links.iter().all(|l| leads(l.0.thread))
}
