//! The default search: searches side by side over one executor.
//!
//! One goes through everything with the fewest preemptions first and leaves nothing out (paper
//! 000): what it finds is as simple as can be, and what it has finished of each round of
//! preemptions is a guarantee at any time. The other runs one execution of each class (`optimal`,
//! [`crate::reduction`]): no two of its executions are alike, so that it finds failures after few
//! of them, and it comes to an end where the first one has no hope to. In a long search a third one takes a share
//! of the turns, which draws every choice; it promises nothing. Told in the order in which it happens:
//!
//! 1. [`Portfolio::step`] keeps plans in flight. Whose turn it is follows from the number of plans so
//!    far alone (`turns`), and traces come back in the order of the plans, so every run is the same.
//!    In the opening all are the reduced one's, which begins with executions that differ much from each
//!    other ([`Config::opening`]); few are in flight, so that what was seen counts for what comes next.
//! 2. A failure of either is noted with the executions that both have run by then (`findings`). The
//!    search then goes on for a while below its preemptions, until it is known how few are needed.
//! 3. The reduced one leaves rounds in vain out ([`crate::search::rounds`]). Where they may tell, or the executor has found a
//!    loop, it begins anew (`anew`).
//! 4. When either has run everything, everything was run, and that is the end. When the reduced one
//!    cannot go on (an atomic block, executions that go round for ever, the limit of memory), the
//!    other goes on alone, as it does from the beginning where only one is asked for.

mod anew;
mod findings;
mod part;
mod result;
mod turns;

use crate::combination::{Refusal, check};
use crate::config::{Bound, Config, Order, Reduce};
use crate::executor::Executor;
use crate::focus::Selection;
use crate::search::{Error, Search, Turn};
use crate::summary::StopReason;
use crate::tree::Spill;
use anew::{Retired, Shelves};
use findings::Findings;
use part::Part;
use raddle_schedule::Trace;
use std::collections::VecDeque;
use turns::Turns;

/// Which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    /// The one that leaves nothing out, or the only one.
    Plain,
    /// The one with a reduction.
    Reduced,
    /// The one that draws.
    Drawn,
}

/// One search, or several side by side.
pub struct Portfolio {
    plain: Part,
    reduced: Option<Part>,
    /// Only beside a reduced one.
    drawn: Option<Part>,
    /// Whose plans are in flight, the oldest first.
    flying: VecDeque<Which>,
    /// So many of them, the oldest of the reduced search, are of one that has begun anew since.
    stale: usize,
    /// Executions of reduced searches that were replaced.
    retired: Retired,
    /// Where what waits is put aside.
    shelves: Option<Shelves>,
    /// Plans submitted so far.
    sequence: u64,
    turns: Turns,
    findings: Findings,
    /// Most executions of both together, and how many of them were used before.
    executions: Option<u64>,
    spent: u64,
    /// Plans in flight, later.
    in_flight: usize,
    keep_going: bool,
    stopped: Option<StopReason>,
    /// The reduced one went on when the other had come to its end.
    outlived: bool,
    over: bool,
    /// Reused memory, for traces that nobody wants any more.
    unwanted: Trace,
}

impl Portfolio {
    /// The search that is asked for, and nothing beside it.
    pub fn single(config: Config) -> Result<Portfolio, Refusal> {
        Portfolio::of(config, None, None)
    }

    /// The default search of what this configuration describes, whose bound and reduction do not count:
    /// only the plain one where the reduction is refused.
    pub fn chosen(config: Config) -> Result<Portfolio, Refusal> {
        let plain = Config { bound: Bound::Iterative, reduce: Reduce::None, ..config };
        let order = Order::Dfs;
        let opening = turns::OPENING;
        let (bound, reduce) = (Bound::None, Reduce::Optimal);
        let reduced = Config { bound, reduce, order, opening, ..plain.clone() };
        if check(&reduced).is_err() || plain.below.is_some() || plain.audit > 0 {
            return Portfolio::of(plain, None, None);
        }
        let drawn = Config { bound: Bound::None, order: Order::Random, ..plain.clone() };
        let drawn = check(&drawn).is_ok().then_some(drawn);
        Portfolio::of(plain, Some(reduced), drawn)
    }

    fn of(plain: Config, reduced: Option<Config>, drawn: Option<Config>) -> Result<Portfolio, Refusal> {
        let (executions, spent) = (plain.executions, plain.spent);
        let (in_flight, keep_going) = (plain.in_flight, plain.keep_going);
        // With two, the limit is that of both together.
        let alone = |config: Config| Config { executions: None, ..config };
        let both = reduced.is_some();
        let beside = |config: Option<Config>| config.map(|config| Search::new(alone(config))).transpose();
        let (reduced, drawn) = (beside(reduced)?, beside(drawn)?);
        // It goes on until its failure is known to be simplest.
        let plain = Search::new(if both { Config { keep_going: true, ..alone(plain) } } else { plain })?;
        Ok(Portfolio {
            plain: Part::new(plain),
            reduced: reduced.map(Part::new),
            drawn: drawn.map(Part::new),
            flying: VecDeque::new(),
            stale: 0,
            retired: Retired::default(),
            shelves: None,
            sequence: 0,
            turns: Turns::default(),
            findings: Findings::default(),
            executions,
            spent,
            in_flight,
            keep_going,
            stopped: None,
            outlived: false,
            over: false,
            unwanted: Trace::default(),
        })
    }

    /// Keeps what waits within a limit of memory from now on; `spill` makes a place for what is
    /// put aside, in blocks of so many executions.
    pub fn limit_memory(
        &mut self,
        limit: usize,
        block: usize,
        spill: impl FnMut() -> Box<dyn Spill + Send> + Send + 'static,
    ) {
        let each = if self.reduced.is_some() { limit / 2 } else { limit };
        let mut shelves = Shelves::new(each, block, spill);
        for part in [Some(&mut self.plain), self.reduced.as_mut()].into_iter().flatten() {
            part.search.limit_memory(shelves.one_more());
        }
        self.shelves = Some(shelves);
    }

    /// From now on this is preferred; `wanted`: something is. Only the plain search can be led, so it
    /// has all turns then.
    pub fn refocus(&mut self, focus: Box<dyn Selection + Send>, wanted: bool) {
        self.turns.led = wanted;
        self.plain.search.refocus(focus, wanted);
    }

    /// One turn; see the module's text.
    pub fn step(&mut self, executor: &mut dyn Executor) -> Result<Turn, Error> {
        if self.reduced.is_none() {
            return self.plain.search.step(executor);
        }
        if self.over {
            return Ok(Turn::Done);
        }
        self.fill(executor)?;
        let Some(which) = self.flying.front().copied() else {
            self.conclude();
            return Ok(Turn::Done);
        };
        let turn = self.receive(which, executor)?;
        if turn == Turn::Applied {
            self.flying.pop_front();
            match which {
                Which::Reduced if self.stale > 0 => self.stale -= 1,
                _ => self.look(which),
            }
        }
        Ok(if self.over { Turn::Done } else { turn })
    }

    /// Ends the search. A paused one is simply not stepped.
    pub fn stop(&mut self, reason: StopReason) {
        if self.reduced.is_none() {
            return self.plain.search.stop(reason);
        }
        self.stopped.get_or_insert(reason);
        self.over = true;
    }

    /// Submits plans until enough are in flight or none can be chosen now.
    fn fill(&mut self, executor: &mut dyn Executor) -> Result<(), Error> {
        while self.flying.len() < self.turns.in_flight(self.in_flight) {
            let chosen = self.begun();
            let Some(which) = self.submit(executor)? else { break };
            // What only repeats an execution takes nobody's turn.
            if self.begun() > chosen {
                self.turns.taken(which);
            }
            self.flying.push_back(which);
            self.sequence += 1;
        }
        Ok(())
    }

    /// Submits a plan of whose turn it is, or else of the next who has one.
    fn submit(&mut self, executor: &mut dyn Executor) -> Result<Option<Which>, Error> {
        let (sequence, spent) = (self.sequence, self.is_spent());
        for which in self.turns.next() {
            let Some(part) = self.part(which).filter(|part| part.is_alive()) else { continue };
            if part.search.submit_next(executor, sequence, spent)? {
                return Ok(Some(which));
            }
        }
        Ok(None)
    }

    /// Waits for the oldest trace, which one of the two has asked for.
    fn receive(&mut self, which: Which, executor: &mut dyn Executor) -> Result<Turn, Error> {
        let is_stale = which == Which::Reduced && self.stale > 0;
        match self.part(which).filter(|part| part.is_alive() && !is_stale) {
            Some(part) => match part.search.take(executor) {
                Err(_) if part.search.is_irreducible() => {
                    // Otherwise another one takes its place.
                    if part.search.begins_anew().is_none() {
                        part.give_up();
                    }
                    Ok(Turn::Applied)
                }
                turn => turn,
            },
            None => {
                self.unwanted.clear();
                let received = executor.receive(&mut self.unwanted)?;
                Ok(if received { Turn::Applied } else { Turn::Idle })
            }
        }
    }

    /// Looks at what the last trace has changed: what was found, and whether it is the end.
    fn look(&mut self, which: Which) {
        let beside = [&self.reduced, &self.drawn].into_iter().flatten();
        let runs = self.retired.executions + self.plain.shown() + beside.map(Part::shown).sum::<u64>();
        let Some(part) = (match which {
            Which::Plain => Some(&self.plain),
            Which::Reduced => self.reduced.as_ref(),
            Which::Drawn => self.drawn.as_ref(),
        }) else {
            return;
        };
        self.findings.note(which as usize, &part.search, runs, self.keep_going);
        self.consider_anew();
        if !self.keep_going && !self.findings.is_empty() {
            // What is to be found has been; what is left is to find it simpler.
            self.stopped.get_or_insert(StopReason::Failure);
            self.reduced.iter_mut().chain(&mut self.drawn).for_each(Part::give_up);
        }
        self.plain.look();
        self.drawn.iter_mut().for_each(Part::look);
        let is_alive = |part: Option<&Part>| part.is_some_and(Part::is_alive);
        self.outlived |= !self.plain.is_alive() && is_alive(self.reduced.as_ref());
        self.reduced.iter_mut().for_each(Part::look);
        let is_whole = |part: Option<&Part>| part.is_some_and(|p| !p.is_alive() && p.is_through());
        let searched =
            is_whole(Some(&self.plain)) || is_whole(self.reduced.as_ref()) || self.stopped.is_some();
        let alive = is_alive(Some(&self.plain)) || is_alive(self.reduced.as_ref());
        self.over = !alive || searched && self.findings.are_settled(&self.plain, self.keep_going);
    }

    /// Nothing is in flight, and nothing can be chosen.
    fn conclude(&mut self) {
        self.over = true;
        if self.is_spent() {
            let limit = self.executions.map(StopReason::Executions);
            self.stopped = self.stopped.take().or(limit);
        }
    }

    /// Were so many executions chosen as there may be?
    fn is_spent(&self) -> bool {
        self.executions.is_some_and(|limit| self.spent + self.begun() >= limit)
    }

    /// Executions of all that were chosen so far, less those that nobody reads any more.
    fn begun(&self) -> u64 {
        let beside = [&self.reduced, &self.drawn].into_iter().flatten();
        self.retired.executions + self.plain.begun() + beside.map(Part::begun).sum::<u64>()
    }

    fn part(&mut self, which: Which) -> Option<&mut Part> {
        match which {
            Which::Plain => Some(&mut self.plain),
            Which::Reduced => self.reduced.as_mut(),
            Which::Drawn => self.drawn.as_mut(),
        }
    }
}
