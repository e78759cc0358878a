//! The past of each object: the steps that worked on it, and the objects that an operation is about.

use super::{Causality, Entered, Past, Step};
use crate::analysis::{Table, pieces};
use crate::reduction::op_table::OpTable;
use raddle_schedule::{Op, OpKind, world};

impl Causality {
    /// The objects that an operation is about, as indices of their pasts.
    pub(super) fn find_keys(&mut self, op: &Op) {
        self.keys.clear();
        self.find_more_keys(op);
    }

    pub(super) fn find_more_keys(&mut self, op: &Op) {
        let mut key = |objects: &mut Table, key: u64| {
            let index = objects.index(key);
            if index == self.used {
                self.used += 1;
                if self.pasts.len() < self.used {
                    self.pasts.push(Past::default());
                }
                self.pasts[index].steps.clear();
                self.pasts[index].bytes = None;
            }
            self.keys.push(index);
        };
        const MEMORY: u64 = 1 << 63;
        const BIRTHS: u64 = 1 << 62;
        use OpKind::*;
        match op.kind {
            AtomicLoad | AtomicStore | AtomicRmw | Read | Write | Free | FutexWait => {
                for (address, _) in pieces(op.object, u64::from(op.size)) {
                    key(&mut self.objects, address >> 3 | MEMORY);
                }
                if op.kind == FutexWait || op.kind == AtomicStore && op.other != 0 {
                    key(&mut self.objects, op.object);
                }
            }
            Spawn => key(&mut self.objects, BIRTHS),
            _ if op.channels().is_some() => {
                key(&mut self.objects, op.object);
                for shared in world::shared(op.channels().unwrap_or(0)) {
                    key(&mut self.objects, shared);
                }
            }
            Join | ThreadStart | Exit | Yield | Sleep | Statement | Input | Point | Fence => {}
            // Nothing that came before it could have come after it, and the end by itself shows nothing new.
            End => {}
            Choice | Timeouts | Pending | Expected | Stored | Overwrote => {}
            _ => {
                key(&mut self.objects, op.object);
                if op.other != 0 && op.other != op.object {
                    key(&mut self.objects, op.other);
                }
            }
        }
    }

    /// Makes a step part of the past.
    pub(super) fn enter(&mut self, number: usize, step: &Step, op: &Op, op_table: &OpTable) {
        self.clock[usize::from(step.thread)] = step.index;
        self.clocks.extend_from_slice(&self.clock);
        for i in 0..self.keys.len() {
            let key = self.keys[i];
            let past = &mut self.pasts[key];
            let mut entered = Entered { step: number as u32, key, instead: None, bytes: past.bytes };
            let bytes = Some((op.object, op.size)).filter(|_| op_table.parts(step.op_id).is_empty());
            past.bytes = if past.steps.is_empty() || past.bytes == bytes { bytes } else { None };
            let past = &mut past.steps;
            // Of a thread's equal operations with only others between that commute with them the
            // last one stands for all, or loops of reads would make long lists. But each notify has
            // woken somebody else, and who reads under a lock twice has it from the first time on.
            let each_counts = {
                use OpKind::{Barrier, FutexWake, NotifyAll, NotifyOne};
                matches!(op.kind, NotifyOne | NotifyAll | FutexWake | Barrier)
                    || op.takes_rwlock() == Some(false) && !op.failed
            };
            let mut at = if each_counts { 0 } else { past.len() };
            while at > 0 {
                at -= 1;
                let other = &self.steps[past[at] as usize];
                if other.thread == step.thread && other.op_id == step.op_id {
                    entered.instead = Some((at, past.remove(at)));
                    break;
                }
                if op_table.dependent(other.op_id, step.op_id) {
                    break;
                }
            }
            past.push(number as u32);
            self.entered.push(entered);
        }
        self.waking.step(number, op, step);
    }
}
