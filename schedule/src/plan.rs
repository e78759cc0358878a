//! Plans: what the runner is asked to execute.

use crate::block::Footprint;
use crate::decision::Choice;
use crate::delta::Delta;
use crate::hash;
use crate::sampler::Method;
use crate::windows::Windows;
use alloc::vec::Vec;

/// Bits of [`Plan::flags`].
pub mod flags {
    /// Record where each step came from (call stacks), names and every access: for reports.
    pub const DETAIL: u32 = 1;
    /// Keep what the program prints.
    pub const CAPTURE: u32 = 2;
    /// After the last delta choose at random: as [`super::Plan::sampling`] says, from [`super::Plan::seed`].
    pub const SAMPLE: u32 = 4;
    /// Tell what is written ([`crate::OpKind::Stored`]).
    pub const VALUES: u32 = 8;
    /// After the last delta threads take turns: where the running one cannot go on, the next one in cyclic
    /// order does ([`crate::decision::thread_in_turn`]), in the place of the lowest.
    pub const IN_TURN: u32 = 1 << 4;
    /// Where it passes, tell the blocks of the heap that nothing leads to at its end ([`crate::leak`]).
    pub const LEAKS: u32 = 1 << 5;
    /// No block of the heap is given out twice, and what is given back is out of reach: whoever still uses it is found
    /// out, which a block that is in use again would hide.
    pub const QUARANTINE: u32 = 1 << 6;
    /// At lock-exit granularity: cut the execution off (asleep) where the thread that the last delta
    /// names cannot finish its atomic block for want of a lock, and nobody would notice that it had
    /// begun it: what follows is explored without it (paper 004, section 4.4).
    pub const WHOLE_BLOCKS: u32 = 1 << 7;
    /// At lock-exit granularity: the points of this execution are those of `sync`, and its steps are
    /// counted so.
    pub const OPERATIONS: u32 = 1 << 8;
    /// A thread that goes round a loop of reads and comes back in the state in which it was makes no further step: it might
    /// have waited in the place of that round (GenMC's assumption of a spin loop; Kokologiannakis, Vafeiadis, CAV 2021).
    /// Where what it read has changed since, the execution ends as one that shows nothing
    /// ([`crate::trace::STOOD`]).
    pub const ONE_ROUND: u32 = 1 << 9;
}

/// In [`Plan::flags`] with [`flags::ONE_ROUND`]: so many of the loops that the executor has found are looked at from their
/// first round on.
pub const fn loops(known: u8) -> u32 {
    (known as u32) << 24
}

/// The same, back.
pub const fn known_loops(flags: u32) -> u8 {
    (flags >> 24) as u8
}

/// One execution to be made: follow the default behaviour but for the deltas.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Plan {
    /// Number of the plan; its trace carries it back.
    pub sequence: u64,
    /// See [`flags`].
    pub flags: u32,
    /// Cut the execution off after this many steps.
    pub max_steps: u32,
    /// Steps that [`Plan::prefix_hash`] covers; 0 checks nothing.
    pub prefix_steps: u32,
    /// Hash of the first `prefix_steps` steps and the choices at them (algorithms, rule 10).
    pub prefix_hash: u64,
    /// Seed of the sampler.
    pub seed: u64,
    /// How the sampler draws.
    pub sampling: Method,
    /// Threads that are asleep before the step of the last delta, before step 0 in a plan without
    /// deltas: what they would do next was explored elsewhere. The executor wakes them as steps are
    /// made on which their own depend ([`crate::op::wakes`]), and after the deltas it never chooses
    /// one that sleeps. The thread that the last delta names is not among them; samplers have none.
    pub sleep: u64,
    /// At lock-exit granularity, where a step is a whole block: the threads of [`Plan::sleep`], and
    /// what the block that each was about to make did where it was explored. A thread wakes behind a
    /// block that meets its own, and the others not at all.
    pub delayed: Vec<(u8, Footprint)>,
    /// Differences from the default behaviour, by step.
    pub deltas: Vec<Delta>,
    /// With [`flags::DETAIL`]: which events that are no steps are told in detail.
    pub windows: Windows,
}

/// Words before the deltas in the encoded form.
const HEADER: usize = 7;

impl Plan {
    /// A plan that names its deltas and nothing else.
    pub fn new(sequence: u64, deltas: Vec<Delta>, max_steps: u32) -> Self {
        Plan {
            sequence,
            flags: 0,
            max_steps,
            prefix_steps: 0,
            prefix_hash: hash::EMPTY,
            seed: 0,
            sampling: Method::Random,
            sleep: 0,
            delayed: Vec::new(),
            deltas,
            windows: Windows::default(),
        }
    }

    /// Becomes a copy of another plan, in its own memory.
    pub fn copy_from(&mut self, other: &Plan) {
        let mut deltas = core::mem::take(&mut self.deltas);
        deltas.clear();
        deltas.extend_from_slice(&other.deltas);
        *self = Plan { deltas, delayed: other.delayed.clone(), windows: other.windows.clone(), ..*other };
    }

    /// As words for the channel, appended to `out`.
    pub fn encode(&self, out: &mut Vec<u64>) {
        out.extend([
            self.sequence,
            u64::from(self.flags) | u64::from(self.max_steps) << 32,
            u64::from(self.prefix_steps) | (self.deltas.len() as u64) << 32,
            self.prefix_hash,
            self.seed,
            self.sampling.encode(),
            self.sleep,
        ]);
        out.extend(self.deltas.iter().map(|d| u64::from(d.step) | u64::from(d.choice.encode()) << 32));
        self.windows.encode(out);
        for (thread, print) in &self.delayed {
            out.push(u64::from(*thread));
            print.encode(out);
        }
    }

    /// Back from words; `None` when they are not a plan. Reuses the deltas' memory.
    pub fn decode_into(&mut self, words: &[u64]) -> Option<()> {
        let (header, deltas) = words.split_at_checked(HEADER)?;
        self.sequence = header[0];
        self.flags = header[1] as u32;
        self.max_steps = (header[1] >> 32) as u32;
        self.prefix_steps = header[2] as u32;
        self.prefix_hash = header[3];
        self.seed = header[4];
        self.sampling = Method::decode(header[5])?;
        self.sleep = header[6];
        let (deltas, rest) = deltas.split_at_checked((header[2] >> 32) as usize)?;
        let (windows, mut rest) = Windows::decode(rest)?;
        self.windows = windows;
        self.delayed.clear();
        while let Some((thread, print)) = rest.split_first() {
            let (print, after) = Footprint::decode(print)?;
            self.delayed.push((u8::try_from(*thread).ok()?, print));
            rest = after;
        }
        self.deltas.clear();
        for w in deltas {
            self.deltas.push(Delta { step: *w as u32, choice: Choice::decode((w >> 32) as u32)? });
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_cross_the_channel() {
        let mut plan = Plan::new(
            7,
            alloc::vec![
                Delta { step: 3, choice: Choice::Thread(2) },
                Delta { step: 3, choice: Choice::Waiter(1) },
            ],
            20_000,
        );
        plan.flags = flags::DETAIL | flags::CAPTURE;
        plan.prefix_steps = 3;
        plan.prefix_hash = u64::MAX;
        plan.seed = 42;
        plan.sampling = Method::Pct { depth: 3, decisions: 77, blocks: true };
        plan.sleep = 1 << 63 | 0b101;
        let block = [crate::Event::new(crate::OpKind::SemPost, 2, 0x40)];
        plan.delayed = alloc::vec![(2, Footprint::of(&block, false)), (0, Footprint::default())];
        plan.windows = Windows::new(alloc::vec![(3, 9)]);
        let mut words = Vec::new();
        plan.encode(&mut words);
        let mut back = Plan::default();
        back.decode_into(&words).unwrap();
        assert_eq!(back, plan);
        assert!(back.decode_into(&words[..words.len() - 1]).is_none());
    }
}
