//! Threads that wait for initialisers which cannot end: each is run by a thread that waits for another one of them, or for a lock
//! that one of the others holds.

use super::Kind;
use crate::explain::case::{Case, Wait, given_back, taken};
use crate::explain::sentence::Speaker;
use crate::report::location;
use crate::report::scene::Shown;
use raddle_protocol::explanation::Mistake;
use raddle_schedule::OpKind;
use raddle_schedule::memory::Meaning;

/// How a compiler of C++ calls what guards a static variable of a function while that is initialised.
const GUARD: &str = "guard variable for ";

/// A cycle of waits with an initialiser in it.
pub struct InitialisationCycle;

/// The thread that keeps another one waiting, and the event by which it does.
struct Kept<'a> {
    by: u8,
    /// The event at which it began to.
    since: &'a Shown,
    initialises: bool,
}

impl Kind for InitialisationCycle {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        let waits = &case.ends.waits;
        let kept: Vec<(&Wait, &String, Kept)> = waits
            .iter()
            .filter_map(|w| w.objects.iter().find_map(|o| Some((w, o, kept(case, o)?))))
            .collect();
        let closes = kept.iter().all(|(_, _, k)| waits.iter().any(|w| w.thread == k.by));
        if kept.len() != waits.len() || !closes || !kept.iter().any(|(_, _, k)| k.initialises) {
            return None;
        }
        let parts: Vec<String> = kept.iter().map(|(w, object, k)| part(w, object, k, speaker)).collect();
        let remedy = match kept.len() {
            1 => "an initialiser must not need its own result.",
            _ if kept.iter().all(|(_, _, k)| k.initialises) => "initialisers must not need each other.",
            _ => "take the lock inside the initialiser only, or run the initialiser before taking it.",
        };
        let text = format!("{}: {remedy}", parts.join(", "));
        let objects = kept.iter().map(|(_, object, _)| (*object).clone()).collect();
        Some(Mistake { kind: "initialisation cycle".into(), text, section: None, objects })
    }
}

/// `T0 waits for the initialiser of a, which T1 runs (:9)`.
fn part(wait: &Wait, object: &str, kept: &Kept, speaker: &Speaker) -> String {
    let at =
        kept.since.place.iter().map(|p| format!(" ({})", speaker.line(&location(p)))).collect::<String>();
    let who = if kept.by == wait.thread { "it".to_string() } else { format!("T{}", kept.by) };
    let itself = if kept.by == wait.thread { " itself" } else { "" };
    let object = object.strip_prefix(GUARD).unwrap_or(object);
    match kept.initialises {
        true => {
            format!("T{} waits for the initialiser of {object}, which {who} runs{itself}{at}", wait.thread)
        }
        false => format!("T{} waits for {object}, which {who} holds{itself}{at}", wait.thread),
    }
}

/// The thread that runs the object's initialiser, or holds it, at the end.
fn kept<'a>(case: &Case<'a>, object: &str) -> Option<Kept<'a>> {
    let of_it = case.scene.events.iter().filter(|e| e.object == object);
    let begun = of_it.clone().rfind(|e| e.told.meaning == Some(Meaning::Runs) || e.kind == OpKind::Once);
    if let Some(since) = begun {
        let ends = |e: &&Shown| matches!(e.told.meaning, Some(Meaning::Completes | Meaning::Poisons));
        let ended = of_it.filter(|e| e.index > since.index).any(|e| ends(&e));
        return (!ended).then_some(Kept { by: since.thread, since, initialises: true });
    }
    let on_lock = |e: &&Shown| taken(e) == Some(object) || given_back(e) == Some(object);
    let since = case.scene.events.iter().rfind(on_lock).filter(|e| taken(e) == Some(object))?;
    Some(Kept { by: since.thread, since, initialises: object.starts_with(GUARD) })
}
