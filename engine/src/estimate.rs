//! How many executions there are in all: an estimate, and how far it can be trusted.
//!
//! The executions are the leaves of the tree of decisions, and the size of a search tree is
//! estimated from the branching of what was seen of it (Knuth 1975, "Estimating the efficiency of
//! backtrack programs"). His product of branchings along one path is a bad guess for a search that
//! begins in one corner, so decisions are counted by *strata*, nodes that are expected to be alike
//! (Chen 1992, "Heterogeneous sampling"): those of the same step after the same number of
//! preemptions. [`Estimator::child`] counts the alternatives found at a stratum,
//! [`Estimator::ran`] the nodes that an execution adds to it: all steps behind its own difference,
//! since what lies before belongs to its ancestors. [`Estimator::total`] then walks down the
//! steps: so many nodes are expected at a stratum, each with its average of alternatives, which
//! are so many nodes of the next step. When everything was run the averages are those of the whole
//! tree, and the walk gives the exact number.
//!
//! Where races are reversed, alternatives are inserted at nodes that were run long before, so what is
//! seen of the tree grows with what is run; the estimate goes on with that growth
//! ([`Estimator::of_reversals`]) and is rough. At the end it is exact there too.
//!
//! What has not been seen need not be like what has. The range that is told comes from how the
//! estimate moved while the search became four times as long, and from the share that is missing;
//! where little was seen, or the estimate moves much, nothing is told at all.

use crate::config::{Bound, Reduce};
use raddle_schedule::{Choice, Delta};

/// How far an estimate can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// The order of magnitude.
    Low,
    /// Within a factor of about two.
    Medium,
    /// Within about a third.
    High,
}

impl Confidence {
    /// The word for people and programs.
    pub fn name(self) -> &'static str {
        match self {
            Confidence::Low => "low",
            Confidence::Medium => "medium",
            Confidence::High => "high",
        }
    }
}

/// How many executions there are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// In all, those run included.
    pub executions: u64,
    /// Hardly fewer; never fewer than are known.
    pub low: u64,
    /// Hardly more.
    pub high: u64,
    /// The width of that range in a word.
    pub confidence: Confidence,
    /// Share of the executions that was run, from 0 to 1.
    pub share: f64,
    /// Only those with at most so many preemptions are meant: the round that is being run.
    pub preemptions: Option<u32>,
}

/// Executions of a round before anything is told.
const FEWEST: u64 = 64;
/// Readings that the range is taken from.
const READINGS: usize = 9;
/// A round grows by this from one reading to the next: eight readings make it four times as long.
const GROWTH: f64 = 1.189_207;
/// Up to which factor on both sides confidence is high, medium and low; beyond, nothing is told.
const WIDTHS: [f64; 3] = [1.35, 2.25, 10.0];
/// More strata than these are not kept, and nothing is told.
const MOST: (u32, u32) = (64, 4096);

/// The nodes of one stratum that were seen.
#[derive(Clone, Copy, Default)]
struct Stratum {
    /// Executions whose own nodes begin at this step, and those that were over before it.
    begun: u64,
    ended: u64,
    /// Threads found at its nodes that add no preemption, and those that add one.
    free: u64,
    preempting: u64,
    /// Other choices made on the way to its nodes: those that were found, and of the executions
    /// that begun those that differ in one.
    split: u64,
    chosen: u64,
}

/// Sums over strata of one step.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// Executions that came here, those of them that differ in a choice on the way, the choices
    /// that were found there, and those of them that were over.
    came: u64,
    chosen: u64,
    split: u64,
    ended: u64,
    free: u64,
    /// Alternatives with a preemption, and the nodes that could have had some.
    preempting: u64,
    preemptible: u64,
}

/// Watches a search.
pub struct Estimator {
    bound: Bound,
    /// Step and preemptions at which the tree begins.
    root: (u32, u32),
    /// Races are reversed, and preemptions not told apart.
    reverses: bool,
    /// Alternatives are found also at nodes that were run long ago.
    grows: bool,
    /// By preemptions, then by step.
    strata: Vec<Vec<Stratum>>,
    /// There were more strata than are kept.
    overflown: bool,
    /// Preemptions of the round that is being run, and executions run before it.
    round: u32,
    before: u64,
    /// Executions run.
    runs: u64,
    /// The latest estimates, how many were made, and the executions at which the next one is.
    readings: [f64; READINGS],
    made: usize,
    next: f64,
}

impl Estimator {
    /// For a search with this bound, below a beginning of so many steps with so many preemptions.
    pub fn new(bound: Bound, floor: u32, preemptions: u32) -> Estimator {
        Estimator {
            bound,
            root: (floor, preemptions),
            reverses: false,
            grows: false,
            strata: Vec::new(),
            overflown: false,
            round: preemptions,
            before: 0,
            runs: 0,
            readings: [0.0; READINGS],
            made: 0,
            next: 16.0,
        }
    }

    /// The same where alternatives are found by reversing races: preemptions are not told apart
    /// then. But for sleep sets what is known of a node grows as others are run.
    pub fn of_reversals(self, reduce: Reduce) -> Estimator {
        Estimator { reverses: true, grows: reduce != Reduce::Sleep, ..self }
    }

    fn stratum(&mut self, preemptions: u32, step: u32) -> &mut Stratum {
        self.overflown |= preemptions >= MOST.0 || step >= MOST.1;
        let (row, step) = (preemptions.min(MOST.0) as usize, step.min(MOST.1) as usize);
        if row >= self.strata.len() {
            self.strata.resize_with(row + 1, Vec::new);
        }
        let row = &mut self.strata[row];
        if step >= row.len() {
            row.resize(step + 1, Stratum::default());
        }
        &mut row[step]
    }

    /// An execution in scope was found: it differs so from one with `parent` preemptions, and has
    /// so many itself.
    pub fn child(&mut self, delta: Delta, parent: u32, preemptions: u32) {
        match delta.choice {
            Choice::Thread(_) if preemptions > parent => self.stratum(parent, delta.step).preempting += 1,
            Choice::Thread(_) => self.stratum(parent, delta.step).free += 1,
            _ => self.stratum(parent, delta.step + 1).split += 1,
        }
    }

    /// An execution of so many steps was run that differs so from its parent; the root has none.
    pub fn ran(&mut self, delta: Option<Delta>, preemptions: u32, steps: u32) {
        if self.bound == Bound::Iterative && preemptions > self.round {
            (self.round, self.before) = (preemptions, self.runs);
            (self.made, self.next) = (0, 16.0);
        }
        let from = delta.map_or(self.root.0, |d| d.step + 1);
        let chosen = delta.is_some_and(|d| !matches!(d.choice, Choice::Thread(_)));
        let stratum = self.stratum(preemptions, from);
        stratum.begun += 1;
        stratum.chosen += u64::from(chosen);
        self.stratum(preemptions, steps.max(from)).ended += 1;
        self.runs += 1;
        let runs = (self.runs - self.before) as f64;
        if runs >= self.next {
            self.readings[self.made % READINGS] = self.total();
            self.made += 1;
            self.next = runs * GROWTH;
        }
    }

    /// Most preemptions of what is estimated.
    fn most(&self) -> u32 {
        match self.bound {
            Bound::Iterative => self.round,
            Bound::Preemptions(most) => most,
            _ => u32::MAX,
        }
    }

    /// How many executions there are, those of the rounds so far, if averages are to be believed.
    pub fn total(&self) -> f64 {
        let most = self.most();
        let rows = (most.min(MOST.0) as usize + 1).max(self.root.1 as usize + 1).min(MOST.0 as usize + 1);
        let longest = self.strata.iter().map(Vec::len).max().unwrap_or(0);
        // Of each row: nodes seen that are not over, and nodes expected at this step.
        let (mut open, mut expected) = (vec![0; self.strata.len()], vec![0.0; rows]);
        if let Some(root) = expected.get_mut(self.root.1 as usize) {
            *root = 1.0;
        }
        let mut total = 0.0;
        for step in 0..longest {
            let mut seen = vec![Seen::default(); self.strata.len()];
            let mut all = Seen::default();
            for (row, strata) in self.strata.iter().enumerate() {
                let Some(s) = strata.get(step).copied() else { continue };
                let came = open[row] + s.begun;
                open[row] = came.saturating_sub(s.ended);
                let preemptible = if (row as u32) < most { open[row] } else { 0 };
                let Stratum { ended, free, preempting, split, chosen, .. } = s;
                seen[row] = Seen { came, chosen, split, ended, free, preempting, preemptible };
                all.add(&seen[row]);
            }
            if (step as u32) < self.root.0 {
                continue;
            }
            let mut next = vec![0.0; rows];
            for row in 0..rows {
                // A stratum that nothing was seen of is taken for the average of its step.
                let seen = seen.get(row).filter(|s| s.came > 0).unwrap_or(&all);
                let (split, ended, free, preempting) = seen.averages();
                let here = std::mem::take(&mut expected[row]) * (1.0 + split);
                total += here * ended;
                next[row] += here * (1.0 - ended) * (1.0 + free);
                if let Some(more) = next.get_mut(row + 1).filter(|_| (row as u32) < most) {
                    *more += here * (1.0 - ended) * preempting;
                }
            }
            expected = next;
        }
        total + expected.iter().sum::<f64>()
    }

    /// The estimate, if there is one. `waiting`: executions with at most so many preemptions that
    /// are known and have not been run.
    pub fn now(&self, waiting: impl Fn(u32) -> u64) -> Option<Estimate> {
        if self.runs - self.before < FEWEST || self.made < READINGS || self.overflown {
            return None;
        }
        let seen = self.total();
        let known = self.runs + waiting(self.most());
        // What the reversals of rounds to come will be, nothing tells.
        if self.reverses && self.bound == Bound::Iterative {
            return None;
        }
        let ends = self.readings.iter().fold((seen, seen), |(l, m), r| (l.min(*r), m.max(*r)));
        let moved = ends.1 / ends.0;
        let total = if self.grows { seen * self.to_come(seen, seen / ends.0) } else { seen };
        let share = (self.runs as f64 / total).min(1.0);
        // Where preemptions are limited every stratum is soon met; otherwise the corner that is run
        // first says little of the rest.
        let (least, apart) = match self.bound {
            Bound::Iterative | Bound::Preemptions(_) if !self.reverses => (1.0 / 2048.0, 0.45),
            _ => (1.0 / 256.0, 1.5),
        };
        if share < least || !total.is_finite() {
            return None;
        }
        let width = moved * (1.0 + apart * (1.0 - share));
        let confidence = match WIDTHS.iter().position(|w| width < *w)? {
            0 => Confidence::High,
            1 => Confidence::Medium,
            _ => Confidence::Low,
        };
        let at_least_known = |n: f64| (n.round() as u64).max(known);
        Some(Estimate {
            executions: at_least_known(total),
            low: at_least_known(total / width),
            high: at_least_known(total * width),
            confidence,
            share,
            preemptions: (self.bound == Bound::Iterative).then_some(self.round),
        })
    }

    /// By how much what is seen of a tree of reversals will still grow: it goes on growing as it did
    /// while the search became four times as long, until the search has caught up with it.
    fn to_come(&self, seen: f64, grown: f64) -> f64 {
        const MOST: f64 = 4.0;
        let (missing, gain) = ((seen / self.runs as f64).max(1.0), 4.0 / grown);
        if gain <= 1.0 {
            return MOST;
        }
        let more = (missing.ln() / gain.ln()).min(2.0);
        grown.powf(more).min(MOST)
    }

    /// Bytes taken.
    pub fn bytes(&self) -> usize {
        self.strata.iter().map(|row| row.capacity() * size_of::<Stratum>()).sum()
    }
}

impl Seen {
    fn add(&mut self, other: &Seen) {
        self.came += other.came;
        self.chosen += other.chosen;
        self.split += other.split;
        self.ended += other.ended;
        self.free += other.free;
        self.preempting += other.preempting;
        self.preemptible += other.preemptible;
    }

    /// Choices on the way here, for each that came; of those that came, the share that was over; of
    /// the others, the alternatives of each.
    fn averages(&self) -> (f64, f64, f64, f64) {
        let per = |n: u64, of: u64| if of == 0 { 0.0 } else { n as f64 / of as f64 };
        let ended = if self.came == 0 { 1.0 } else { per(self.ended, self.came) };
        let open = self.came - self.ended.min(self.came);
        let split = per(self.split, self.came - self.chosen.min(self.came));
        (split, ended, per(self.free, open), per(self.preempting, self.preemptible))
    }
}
