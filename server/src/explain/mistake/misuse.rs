//! What languages and POSIX leave undefined, which the headline has named: who else has a part in it, and the
//! rule that was broken.

use super::Kind;
use crate::annotate::location;
use crate::explain::case::{Case, Misused, number};
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::Mistake;
use raddle_schedule::misuse::What;

/// Misuse of memory, of a lock or of a thread.
pub struct Misuse;

impl Kind for Misuse {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        let misused = case.ends.misuse.as_ref()?;
        let said = misused.parts.iter().map(|(part, at)| match at {
            Some(at) => format!("{part} ({})", speaker.line(&location(at))),
            None => part.clone(),
        });
        let said: Vec<String> = said.collect();
        let rule = rule(misused.what);
        if let [first, then] = &said[..]
            && misused.early
        {
            let text = format!("{first} before {then}, and nothing makes it wait for that: {rule}.");
            return Some(Mistake {
                kind: "order violation".into(),
                text,
                section: None,
                objects: Vec::new(),
            });
        }
        let text = if said.is_empty() { sentence(rule) } else { format!("{}: {rule}.", said.join(", ")) };
        let text = text + &remedy(case, misused).unwrap_or_default();
        let of_memory = matches!(misused.what, What::UseAfterFree | What::FreeInUse);
        let kind = if of_memory { "use after free" } else { "misuse" };
        Some(Mistake { kind: kind.into(), text, section: None, objects: Vec::new() })
    }
}

/// What helps, where the other side's part says it.
fn remedy(case: &Case, misused: &Misused) -> Option<String> {
    let by = |part: &str| misused.parts.iter().find(|(text, _)| text.contains(part)).map(|(text, _)| text);
    let thread = |text: &String| text.split(' ').next().map(str::to_string);
    match misused.what {
        What::UseOfDestroyed | What::DestroyInUse => {
            let user = by(" notifies ").and_then(thread)?;
            Some(format!(" Notify with the lock held, or wait for the end of {user} before."))
        }
        What::DoubleFree => {
            let other = by(" gave it back").and_then(thread).filter(|other| number(other) != case.thread)?;
            case.thread.map(|own| {
                format!(
                    " {other} and T{own} both decided to: make the decision one step, by exchanging the pointer or by what the \
                     update of a count returns."
                )
            })
        }
        _ => None,
    }
}

fn sentence(rule: &str) -> String {
    let mut text = format!("{rule}.");
    text.get_mut(..1).into_iter().for_each(str::make_ascii_uppercase);
    text
}

fn rule(what: What) -> &'static str {
    match what {
        What::UseAfterFree => "it must be kept until nobody uses it any more",
        What::DoubleFree => "a block may be given back once",
        What::InvalidFree => "only what malloc gave may be given back, by the address that it gave",
        What::MismatchedFree => {
            "what new gives goes back by delete, what new[] gives by delete[], and what malloc gives by free"
        }
        What::FreeInUse => "it must be kept until nobody waits in it any more",
        What::RwUnlock => "only a thread that holds a read-write lock may give it back",
        What::Unlock => "only the thread that holds a mutex may give it back",
        What::Wait => "the waiting thread must hold the mutex",
        What::DestroyInUse | What::UseOfDestroyed => "it may be destroyed once nobody uses it any more",
        What::InitInUse => "it must be initialised before anybody uses it, and not again",
        What::Join => "a thread can be joined once, unless it was detached",
        What::UseAfterReturn => "what is on a function's stack may be used until the function returns",
        What::UseAfterThreadEnd => "a thread's locals and thread-locals may be used until the thread ends",
        What::Uninitialised => "it must be initialised before anybody uses it",
        What::Detach => "a thread can be detached once, unless it was joined",
    }
}
