//! Where what a reduction finds waits: in which round, at which rank, with which context.

use crate::bound::Scope;
use crate::estimate::Estimator;
use crate::order::{Contexts, Focus, Insight, Known, Lookahead, Marks, Recent, Strategy, Switch, Symmetry};
use crate::reduction::{Child, Sink};
use crate::tree::{Bin, Fringe, NodeId, Waiting};
use raddle_schedule::{Choice, Delta, hash};

/// Files what a reduction finds: in scope or not, and where it waits.
pub(super) struct Filing<'a> {
    pub estimator: &'a mut Estimator,
    /// Preemptions of the execution that is read, unless they are not told apart.
    pub parent: u32,
    pub reverses: bool,
    pub fringe: &'a mut Fringe,
    pub contexts: &'a mut Contexts,
    pub scope: &'a dyn Scope,
    pub order: &'a dyn Strategy,
    pub focus: &'a mut Focus,
    /// See [`Search`].
    pub is_focusable: bool,
    /// What threads were about to do, and what partial-order reduction would say, where the order
    /// asks for it.
    pub lookahead: Option<&'a Lookahead>,
    pub insight: Option<&'a Insight>,
    /// Who was filed lately.
    pub recent: Option<&'a mut Recent>,
    /// Children are reversals of races.
    pub only_races: bool,
    /// Which threads are symmetric, where any are and it is heeded.
    pub symmetry: Option<&'a Symmetry>,
    pub beyond: &'a mut Option<u32>,
    pub conservative: &'a mut u64,
}

impl Sink for Filing<'_> {
    fn admits(&mut self, child: &Child) -> bool {
        let admitted = self.scope.admits(child);
        if !admitted {
            *self.beyond = Some(self.beyond.map_or(child.preemptions, |b| b.min(child.preemptions)));
        }
        admitted
    }

    fn push(&mut self, child: &Child, node: NodeId) {
        let delta = Delta { step: child.step, choice: child.choice };
        self.estimator.child(delta, self.parent, if self.reverses { 0 } else { child.preemptions });
        // Of reversals the deepest first: of wakeup trees what lies further left.
        let own = if self.reverses { WITHIN - 1 - child.step.min(WITHIN - 1) } else { 0 };
        let (context, rank) = match self.order.asks().cost {
            true => self.cost(child, node, own),
            false => (self.contexts.hold_plain(child.preemptions), own),
        };
        let bin = Bin::new(self.scope.round(child), rank);
        self.fringe.push(bin, Waiting { prefix_hash: child.prefix_hash, node, context });
    }

    fn conservative(&mut self) {
        *self.conservative += 1;
    }

    fn symmetry(&self) -> Option<&Symmetry> {
        self.symmetry
    }
}

impl Filing<'_> {
    /// What the order says of a child: its context and its rank. `own`: what that would be without an order.
    fn cost(&mut self, child: &Child, node: NodeId, own: u32) -> (u32, u32) {
        let Child { step, choice, preemptions, .. } = *child;
        let blocks = &mut self.focus.blocks;
        let switch = self.lookahead.map_or(Switch::UNKNOWN, |l| l.switch(step, choice, blocks));
        let marks = match self.insight {
            Some(insight) if self.only_races => insight.marks_of_reversal(step, choice),
            Some(insight) => insight.marks(step, choice),
            None => Marks::default(),
        };
        let (order, focus) = (self.order, &*self.focus);
        let known = Known { preemptions, switch, marks };
        let context = self.contexts.hold(known, |known| order.cost(known, focus));
        let key = draw_key(child.prefix_hash, (!self.reverses).then_some(choice));
        if let Some(recent) = &mut self.recent {
            recent.note(key, node, context);
        }
        let rank = self.contexts.cost(context).rank + order.draw(key);
        (context, if self.is_focusable { led(rank, own) } else { rank })
    }
}

/// The number that stands for an execution when something is drawn for it: how it begins. Siblings
/// in a tree of steps are not told apart.
pub(super) fn draw_key(prefix_hash: u64, choice: Option<Choice>) -> u64 {
    hash::mix(prefix_hash, choice.map_or(0, |c| u64::from(c.encode())))
}

/// Ranks without an order are below this, so that there is room above them for those of a focus.
const WITHIN: u32 = 1 << 28;

/// The rank of an execution that a focus ranks so and that would have its own without one.
pub(super) fn led(rank: u32, own: u32) -> u32 {
    rank.saturating_mul(WITHIN).saturating_add(own % WITHIN)
}
