//! Threads that wait for ever at channels.

use super::Kind;
use crate::annotate::annotated_trace::AnnotatedOp;
use crate::annotate::location;
use crate::explain::case::{Case, Wait, number, operation};
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::{Mistake, Operation};
use raddle_schedule::OpKind;
use std::collections::BTreeSet;

/// How a call that waits for a message says so, and one that waits for room.
const RECEIVES: &str = "to receive from";
const SENDS: &str = "to send on";

/// A receiver that nobody ends, or threads that wait for each other to take or to give.
pub struct Channels;

impl Kind for Channels {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        let waits = &case.ends.waits;
        let (kind, text) = match &waits[..] {
            [one] if one.to == Some(RECEIVES) => ("sender kept", sender_kept(case, speaker, one)),
            [one] if one.to == Some(SENDS) => match receives_itself(case, one) {
                Some(receives) => ("channel cycle", to_itself(speaker, one, &receives)),
                None => ("receiver kept", receiver_kept(case, speaker, one)),
            },
            [_, _, ..] if waits.iter().all(|w| matches!(w.to, Some(RECEIVES | SENDS))) => {
                ("channel cycle", each_other(waits, speaker))
            }
            _ => return None,
        };
        let objects = waits.iter().flat_map(|w| w.objects.clone()).collect();
        Some(Mistake { kind: kind.into(), text, section: None, objects })
    }
}

/// A receiver that is dropped while somebody may still send.
pub struct ReceiverDropped;

impl Kind for ReceiverDropped {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        let call = |op: &Operation| case.shown(op).and_then(|e| e.told.call.clone());
        let is_drop = |op: &Operation| call(op).is_some_and(|c| c.function.ends_with("Receiver::drop"));
        let sends =
            |op: &Operation| call(op).and_then(|c| c.says.clone()).is_some_and(|says| says.to == SENDS);
        let (drops, comes) = case.orders().find(|(drops, comes)| is_drop(drops) && sends(comes))?;
        // The sender fails by it, or hands the error on.
        if !case.ends.waits.is_empty() || number(&comes.thread) != case.cause {
            return None;
        }
        let text = format!(
            "{} drops the receiver{} before {} {}, so that sending fails. Keep the receiver until every sender is done, or let the \
             sender go on without it.",
            drops.thread,
            speaker.at(drops),
            comes.thread,
            speaker.does(comes)
        );
        Some(Mistake {
            kind: "receiver dropped".into(),
            text,
            section: None,
            objects: vec![comes.object.clone()],
        })
    }
}

/// `T0 waits to receive from rx (:37)`.
fn waits_there(w: &Wait, speaker: &Speaker) -> String {
    let at = w.place.as_ref().map(|p| format!(" ({})", speaker.line(&location(p)))).unwrap_or_default();
    format!("T{} waits {} {}{at}", w.thread, w.to.unwrap_or_default(), w.objects.join(" or "))
}

/// The threads that have not ended: `T0 or T2`.
fn left(case: &Case) -> String {
    let has_ended = |t: u8| case.scene.events.iter().any(|e| e.thread == t && e.kind == OpKind::Exit);
    let mut left: Vec<u8> = case.scene.threads.keys().copied().filter(|t| !has_ended(*t)).collect();
    left.sort_unstable();
    let left: Vec<String> = left.iter().map(|t| format!("T{t}")).collect();
    left.join(" or ")
}

/// The last call by which the thread that waits for room has received from the same channel: one that works on an atomic of it.
fn receives_itself(case: &Case, w: &Wait) -> Option<Operation> {
    let own = || case.scene.events.iter().enumerate().filter(|(_, e)| e.thread == w.thread);
    let waits = own().rev().find_map(|(_, e)| e.told.call.clone())?;
    let within = |e: &AnnotatedOp| e.told.call.as_ref() == Some(&waits) && e.kind.is_atomic();
    let channel: BTreeSet<&str> = own().filter(|(_, e)| within(e)).map(|(_, e)| e.object.as_str()).collect();
    let says = |e: &AnnotatedOp| e.told.call.as_ref().and_then(|c| c.says.as_ref()).map(|says| says.to);
    let receives = |e: &AnnotatedOp| {
        says(e) == Some(RECEIVES) && e.kind == OpKind::AtomicRmw && channel.contains(e.object.as_str())
    };
    let at = own().rev().find(|(_, e)| receives(e)).map(|(at, _)| at)?;
    Some(operation(case.scene, at))
}

/// Nobody else can make room for it.
fn to_itself(speaker: &Speaker, w: &Wait, receives: &Operation) -> String {
    format!(
        "{}, and the channel is full; T{} itself is the one that makes room there, by receiving{}. Give the channel room for all that \
         may wait in it, or let another thread receive.",
        waits_there(w, speaker),
        w.thread,
        speaker.at(receives)
    )
}

/// It waits alone, so the channel is full and not closed.
fn receiver_kept(case: &Case, speaker: &Speaker, w: &Wait) -> String {
    format!(
        "{}: the channel is full, and nobody is left that receives, but a receiver is still alive. Receive all that is sent \
         before waiting for the thread that sends, or drop the receiver, also one that {} keeps.",
        waits_there(w, speaker),
        left(case)
    )
}

/// It waits alone, so the channel is empty and not closed: a sender is left, in a thread that has not ended or in memory that stays.
fn sender_kept(case: &Case, speaker: &Speaker, w: &Wait) -> String {
    format!(
        "{}: nobody is left that sends, but a sender of the channel is still alive, so it does not end. Drop every sender \
         before that, also one that {} keeps.",
        waits_there(w, speaker),
        left(case)
    )
}

fn each_other(waits: &[Wait], speaker: &Speaker) -> String {
    let all: Vec<String> = waits.iter().map(|w| waits_there(w, speaker)).collect();
    let sends = waits.iter().any(|w| w.to != Some(RECEIVES));
    let remedy = match sends {
        true => {
            "receive what is there before sending more, or give a channel room for all that may wait in it."
        }
        false => "one of them must send first, or drop its sender.",
    };
    format!("{}, and each waits for another one of them: {remedy}", all.join(", "))
}
