//! Steering by hand: an execution up to a step, there another choice than the execution made, and
//! from then on the default behaviour.

use crate::error::{Error, Result};
use crate::interleaving::Traced;
use raddle_engine::prefix::Prefix;
use raddle_schedule::{Choice, Schedule};

/// Where a choice led.
pub struct Steered {
    /// The schedule that was made.
    pub schedule: String,
    /// The first event after the choice was carried out: a step at which the next choice can be
    /// made, or one past the last event when the execution is over.
    pub event: u32,
    /// How the execution ends by default behaviour.
    pub outcome: String,
    /// Its beginning up to and with the choice.
    pub below: Prefix,
}

/// The schedule with this choice at this step, and none of its own from there on.
pub fn choose(prefix: &Schedule, step: u32, choice: &str) -> Result<Schedule> {
    let text = format!("{}@{step}:{choice}", prefix.granularity);
    let parsed = text.parse::<Schedule>().ok().filter(|s| s.deltas.len() == 1 && s.hash.is_none());
    let Some(chosen) = parsed.and_then(|s| s.deltas.first().copied()) else {
        return Err(
            Error::new(format!("`{choice}` is not a choice")).next("give T2, w3, timeout or the like")
        );
    };
    let mut schedule = prefix.clone();
    // Who makes a step is chosen before what is chosen at it.
    let thread = matches!(chosen.choice, Choice::Thread(_));
    schedule
        .deltas
        .retain(|d| d.step < step || (!thread && d.step == step && matches!(d.choice, Choice::Thread(_))));
    schedule.deltas.push(chosen);
    Ok(schedule)
}

/// Reads off an execution where it stands after the choice at this step.
pub fn steered(traced: &Traced, step: u32) -> Steered {
    let events = &traced.interleaving.events;
    let next = events.iter().find(|e| e.step == Some(step + 1)).map_or(events.len() as u32, |e| e.event);
    Steered {
        schedule: traced.schedule.to_string(),
        event: next,
        outcome: traced.interleaving.outcome.clone(),
        below: Prefix {
            promoted: traced.schedule.promoted.clone(),
            points: traced.schedule.points.clone(),
            seed: traced.schedule.seed,
            ..Prefix::of(&traced.trace, step + 1)
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_takes_the_place_of_what_comes_after_it() {
        let check = |prefix: &str, step, choice: &str| {
            let prefix: Schedule = prefix.parse().unwrap();
            choose(&prefix, step, choice).map(|s| s.to_string()).map_err(|e| e.what)
        };
        assert_eq!(check("sync@default", 3, "T2").unwrap(), "sync@3:T2");
        assert_eq!(check("sync@2:T1,3:T0,7:T2#3f2a", 3, "T2").unwrap(), "sync@2:T1,3:T2#3f2a");
        assert_eq!(check("sync@3:T1,3:w0,4:T2", 3, "w2").unwrap(), "sync@3:T1,3:w2");
        for wrong in ["", "T64", "T1,4:T2", "T1#00", "x"] {
            assert_eq!(check("sync@default", 3, wrong).unwrap_err(), format!("`{wrong}` is not a choice"));
        }
    }
}
