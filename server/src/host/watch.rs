//! The watch over one search of the host: carries out what clients ask for between two executions,
//! and tells how far the search is, at most ten times a second and at once when it changes.

use super::event_loop::Event;
use super::state::Snapshot;
use super::worker::WorkerEvent;
use crate::search::selection::Named;
use crate::search::{Running, Watch};
use raddle_engine::Portfolio;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

/// Between two notifications.
const EVERY: Duration = Duration::from_millis(100);
/// What the rate is measured over.
const LATELY: Duration = Duration::from_secs(1);

/// What a running search can be asked for.
#[derive(Debug)]
pub enum Command {
    /// Stand still.
    Pause,
    /// Go on.
    Resume,
    /// Prefer these.
    Focus(Named),
    /// The interrupt was raised: look at it.
    Stop,
}

/// See the module's text.
pub struct Directed {
    session: u32,
    commands: Receiver<Command>,
    events: Sender<Event>,
    begun: Instant,
    paused: Duration,
    told: Instant,
    /// Since when the rate is measured, the executions then, and the rate before that.
    lately: (Instant, u64, f64),
}

impl Directed {
    /// For the search that begins now.
    pub fn new(session: u32, commands: Receiver<Command>, events: Sender<Event>) -> Directed {
        let now = Instant::now();
        Directed {
            session,
            commands,
            events,
            begun: now,
            paused: Duration::ZERO,
            told: now,
            lately: (now, 0, 0.0),
        }
    }

    fn obey(&mut self, command: Command, running: &mut Running) {
        match command {
            Command::Pause => self.pause(running),
            Command::Focus(named) => {
                running.focus(&named);
                self.tell(running.search, false);
            }
            // A search that does not stand still goes on by itself; the interrupt is looked at by
            // the observer.
            Command::Resume | Command::Stop => {}
        }
    }

    /// Stands still until somebody wants it otherwise.
    fn pause(&mut self, running: &mut Running) {
        let since = Instant::now();
        self.tell(running.search, true);
        loop {
            match self.commands.recv() {
                Ok(Command::Pause) => {}
                Ok(Command::Focus(named)) => {
                    running.focus(&named);
                    self.tell(running.search, true);
                }
                // Without a loop there is nobody to wait for.
                Ok(Command::Resume | Command::Stop) | Err(_) => break,
            }
        }
        self.paused += since.elapsed();
        self.lately = (Instant::now(), running.search.progress().executions, self.lately.2);
        self.tell(running.search, false);
    }

    fn tell(&mut self, search: &Portfolio, paused: bool) {
        let progress = search.progress();
        self.told = Instant::now();
        let (since, then, _) = self.lately;
        let measured = self.told - since;
        if measured >= LATELY || self.lately.2 == 0.0 {
            let rate = (progress.executions - then) as f64 / measured.as_secs_f64().max(1e-3);
            self.lately.2 = rate;
        }
        if measured >= LATELY {
            (self.lately.0, self.lately.1) = (self.told, progress.executions);
        }
        let seconds = (self.begun.elapsed().saturating_sub(self.paused)).as_secs_f64();
        let snapshot = Snapshot::new(&progress, &search.summary(), self.lately.2, seconds);
        let said = WorkerEvent::Searching { session: self.session, snapshot: Box::new(snapshot), paused };
        let _ = self.events.send(Event::Worker(said));
    }
}

impl Watch for Directed {
    fn begun(&mut self, running: &mut Running) {
        self.lately = (Instant::now(), 0, 0.0);
        self.tell(running.search, false);
    }

    fn between(&mut self, running: &mut Running) -> Duration {
        let before = self.paused;
        while let Ok(command) = self.commands.try_recv() {
            self.obey(command, running);
        }
        if self.told.elapsed() >= EVERY {
            self.tell(running.search, false);
        }
        self.paused - before
    }

    fn ended(&mut self, search: &Portfolio) {
        self.tell(search, false);
    }
}
