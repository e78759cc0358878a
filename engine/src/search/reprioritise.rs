//! What an execution says of those that were filed before it (`dpor`, `mdpor`): they go to their new
//! place at once, as the most recent there. Executions are permuted within their rounds and nothing
//! else happens. One that is put aside past a limit of memory stays where it is.

use super::Search;
use super::enqueue::draw_key;
use crate::order::{Earlier, Known, Marks};
use crate::reduction::Child;
use crate::tree::{Bin, Waiting};

impl Search {
    /// Heeds what the execution that was read last says of others.
    pub(super) fn reprioritise(&mut self) {
        for i in 0..self.insight.earlier().len() {
            let earlier = self.insight.earlier()[i];
            self.raise_one(&earlier);
        }
    }

    fn raise_one(&mut self, earlier: &Earlier) -> Option<()> {
        let key = draw_key(earlier.prefix_hash, Some(earlier.choice));
        let filed = self.recent.get(key)?;
        let known = self.contexts.known(filed.context)?;
        let (was, says) = (known.marks, earlier.marks);
        let marks = Marks { reverses: was.reverses || says.reverses, backtracks: true, ..was };
        if marks == was {
            return None;
        }
        let Earlier { step, choice, prefix_hash, .. } = *earlier;
        let round = self.scope.round(&Child { step, choice, preemptions: known.preemptions, prefix_hash });
        let draw = self.order.draw(key);
        let bin = |cost: u32| Bin::new(round, cost + draw);
        // It may have run since, and the numbers be another's.
        let found = Waiting { prefix_hash, node: filed.node, context: filed.context };
        let was = bin(self.contexts.cost(filed.context).rank);
        let tree = &self.tree;
        if !self.fringe.remove(was, &found, |node| tree.age(node)) {
            return None;
        }
        let (order, focus) = (&self.order, &self.focus);
        let context = self.contexts.hold(Known { marks, ..known }, |known| order.cost(known, focus));
        self.contexts.release(filed.context);
        self.recent.note(key, found.node, context);
        self.tree.rejuvenate(found.node);
        self.fringe.push(bin(self.contexts.cost(context).rank), Waiting { context, ..found });
        Some(())
    }
}
