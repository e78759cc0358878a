//! The orders and choices that decide about a failure, for clients, which do not know what a report's files are relative
//! to.

use crate::interleaving::absolute_location;
use crate::target::Paths;
use raddle_protocol::explanation::{Choice, Deciding, Explanation, Operation, Order};

/// The decisions, and the two accesses of a data race, with absolute files.
pub fn absolute(explained: Option<&Explanation>, paths: &Paths) -> (Vec<Deciding>, Vec<Order>) {
    let Some(explained) = explained else { return Default::default() };
    let deciding = explained.deciding.iter().map(|d| Deciding {
        order: d.order.as_ref().map(|o| order(o, paths)),
        choice: d.choice.as_ref().map(|c| Choice { at: operation(&c.at, paths), ..c.clone() }),
        ..d.clone()
    });
    let unordered = explained.unordered.iter().map(|o| order(o, paths));
    (deciding.collect(), unordered.collect())
}

fn order(o: &Order, paths: &Paths) -> Order {
    Order { first: operation(&o.first, paths), then: operation(&o.then, paths) }
}

fn operation(o: &Operation, paths: &Paths) -> Operation {
    let absolute = |l: &_| absolute_location(paths, Clone::clone(l));
    Operation {
        location: o.location.as_ref().map(absolute),
        called_on: o.called_on.iter().map(absolute).collect(),
        ..o.clone()
    }
}
