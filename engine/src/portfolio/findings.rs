//! Findings of the searches: failures by what tells them from each other, each with the
//! executions of all that it took, and with the simplest schedule that any has found.

use super::part::Part;
use crate::mutants::Mutant;
use crate::record::Identity;
use crate::search::Search;
use crate::summary::Failure;

/// Executions, and steps, that are spent at most on finding failures again with fewer preemptions,
/// once there is nothing else to be found.
const EFFORT: (u64, u64) = (10_000, 5_000_000);

/// See the module's text.
#[derive(Default)]
pub struct Findings {
    failures: Vec<Failure>,
    identities: Vec<Identity>,
    /// Failures and sightings of each search when last looked at: most traces change nothing.
    known: [(usize, u64); 3],
    /// Executions and steps of the plain search when the rest had come to its end.
    since: Option<(u64, u64)>,
    /// [`Mutant::FirstFoundIsSimplest`].
    settled_at_once: bool,
}

impl Findings {
    /// Takes over what is new in the search of this number, found after so many executions of all, those that confirm predictions
    /// included: all of it, or all that the first execution with a failure has. Of others only what fails with
    /// fewer preemptions is taken, in the place of that.
    pub fn note(&mut self, number: usize, search: &Search, runs: u64, all: bool) {
        let sightings = search.sightings();
        if std::mem::replace(&mut self.known[number], sightings) == sightings {
            return;
        }
        let mutant = search.config().mutant;
        self.settled_at_once = mutant == Some(Mutant::FirstFoundIsSimplest);
        let runs = match mutant {
            Some(Mutant::FoundAfterOwnRuns) => search.progress().executions,
            _ => runs,
        };
        let known = self.failures.len();
        let mut others: Vec<(&Identity, &Failure)> = Vec::new();
        for (identity, failure) in search.identified() {
            match self.identities.iter().position(|known| known == identity) {
                None if !all && known > 0 => others.push((identity, failure)),
                None => {
                    self.identities.push(identity.clone());
                    self.failures.push(Failure { found_after: runs, ..failure.clone() });
                }
                Some(at) => {
                    let known = &mut self.failures[at];
                    let (found_after, count) = (known.found_after, known.count.max(failure.count));
                    if failure.preemptions < known.preemptions {
                        *known = failure.clone();
                    }
                    (known.found_after, known.count) = (found_after, count);
                }
            }
        }
        // One failure is told, and none may need fewer preemptions than that. The executions that are told with it are
        // those until any was found: looking for the simplest is no part of them.
        let simplest = others.iter().map(|(_, f)| f).min_by_key(|f| f.preemptions).copied();
        let simplest = simplest.filter(|f| self.fewest().is_some_and(|fewest| f.preemptions < fewest));
        if let Some(simplest) = simplest {
            let found_after = self.failures[0].found_after;
            others.retain(|(_, f)| f.schedule == simplest.schedule);
            self.identities = others.iter().map(|(identity, _)| (*identity).clone()).collect();
            self.failures = others.iter().map(|(_, f)| Failure { found_after, ..(*f).clone() }).collect();
        }
    }

    /// The fewest preemptions with which anything failed.
    fn fewest(&self) -> Option<u32> {
        self.failures.iter().map(|f| f.preemptions).min()
    }

    /// The failures, in the order in which they were first found.
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// The same, each with the executions that these searches have kept of it.
    pub fn told<'a>(&self, searches: impl Iterator<Item = &'a Search> + Clone) -> Vec<Failure> {
        let all = self.identities.iter().zip(&self.failures);
        let told = |(identity, failure): (&Identity, &Failure)| {
            let kept = searches.clone().map(|search| search.witnesses(identity));
            let witnesses = kept.reduce(|one, other| one.joined(other));
            Failure { witnesses: witnesses.map(|e| e.schedules()).unwrap_or_default(), ..failure.clone() }
        };
        all.map(told).collect()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.failures.is_empty()
    }

    /// Is it known how few preemptions failures need, as far as the effort goes: every one of them, or
    /// the simplest?
    pub fn are_settled(&mut self, plain: &Part, all: bool) -> bool {
        let most = self.failures.iter().map(|f| f.preemptions).max();
        let Some(most) = (if all { most } else { self.fewest() }) else { return true };
        if self.settled_at_once {
            return true;
        }
        // What waits has as many at least: all with fewer were run, or cannot be.
        let waiting = if plain.is_alive() { plain.search.fewest_waiting() } else { None };
        if waiting.is_none_or(|fewest| fewest >= most) {
            return true;
        }
        let p = plain.search.progress();
        let (executions, steps) = *self.since.get_or_insert((p.executions, p.steps));
        p.executions - executions >= EFFORT.0 || p.steps - steps >= EFFORT.1
    }
}
