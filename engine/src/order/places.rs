//! Which of the executions that wait differs most from what was chosen, where threads are symmetric.

use super::Symmetry;
use super::symmetry::Place;
use raddle_schedule::Op;
use std::collections::{HashMap, HashSet};

/// See the module's text.
#[derive(Default)]
pub struct Places {
    /// By age: the place that what waits leads to.
    known: HashMap<u32, Option<Place>>,
    /// Views and states of the places that something chosen leads to.
    views: HashSet<u64>,
    states: HashSet<u64>,
}

impl Places {
    /// Of what waits, by name and age, in the order in which it would be chosen: the first whose last thread sees something new,
    /// otherwise the first that leads to a new state, otherwise the first that does not only exchange symmetric threads.
    pub fn most_different<T>(
        &mut self,
        symmetry: &Symmetry,
        waiting: impl Iterator<Item = (T, u32)>,
        mut steps: impl FnMut(&T) -> Vec<(u8, Op)>,
    ) -> Option<T> {
        let mut best: Option<(bool, T)> = None;
        for (one, age) in waiting {
            let place = self.known.entry(age).or_insert_with(|| symmetry.place(steps(&one).iter().copied()));
            let Some(place) = place else { continue };
            if !self.views.contains(&place.view) {
                return Some(one);
            }
            let is_new = !self.states.contains(&place.state);
            if best.as_ref().is_none_or(|(was_new, _)| is_new && !was_new) {
                best = Some((is_new, one));
            }
        }
        best.map(|(_, one)| one)
    }

    /// The one of this age is chosen.
    pub fn choose(&mut self, age: u32) {
        if let Some(place) = self.known.remove(&age).flatten() {
            self.views.insert(place.view);
            self.states.insert(place.state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_views_go_before_new_states_and_these_before_the_rest() {
        let mut places = Places::default();
        let (view, state) = (|n| Place { view: n, state: 0 }, |n| Place { view: 1, state: n });
        let known =
            [(0, Some(view(1))), (1, None), (2, Some(view(1))), (3, Some(state(5))), (4, Some(view(2)))];
        places.known.extend(known);
        places.choose(0);
        let mut next = |ages: std::ops::Range<u32>| {
            let waiting = ages.map(|age| (age, age));
            places.most_different(&Symmetry::default(), waiting, |_| Vec::new())
        };
        assert_eq!([next(1..5), next(1..4), next(1..3), next(1..2)], [Some(4), Some(3), Some(2), None]);
    }
}
