//! `raddle watch`: explores again whenever a source file is saved.

mod notification;
mod round;

use super::status;
use crate::error::{Error, Result};
use crate::interrupt::Interrupt;
use crate::options::explore;
use crate::sources::Sources;
use crate::target::Hold;
use round::{Known, Round, Seen};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Ctrl-C is looked for this often.
const TICK: Duration = Duration::from_millis(50);
/// Editors write several files, or one in several steps: a change is over when nothing happens for this long.
const SETTLED: Duration = Duration::from_millis(30);

const EXAMPLES: &str = "\
Examples:
  raddle watch                          the tests of the current folder, again after each save
  raddle watch queue.c --notify         with a bell and a desktop notification at each verdict
  raddle watch . transfers --time 10s   tests whose names contain `transfers`, 10 s each

Ctrl-C ends it. Exit status: that of the last verdict, as for `raddle explore`.";

/// Explore again whenever a source file is saved
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[group(id = "watch")]
pub struct Args {
    #[command(flatten)]
    explore: explore::Args,
    /// Ring the terminal's bell at each verdict, and show a desktop notification where `notify-send` is installed
    #[arg(long)]
    notify: bool,
}

/// What the loop hears of.
enum Message {
    /// Something happened on this path.
    Path(PathBuf),
    /// The target is built of these files, and its search begins.
    Built(BTreeSet<PathBuf>),
    /// The round has ended, with the tests that it knows of.
    Done(Known),
}

impl Args {
    /// Further files of a program become part of its target.
    pub fn merge(&mut self) {
        self.explore.merge();
    }

    /// With what the settings files of the target say where nothing was typed.
    pub fn configured(self, typed: &[String]) -> Result<Args> {
        let typed: Vec<String> = typed.iter().filter(|word| *word != "--notify").cloned().collect();
        Ok(Args { explore: self.explore.configured(&typed)?, ..self })
    }
}

/// Explores until Ctrl-C; the status of the last verdict.
pub fn run(args: &Args) -> Result<u8> {
    args.explore.check_watched()?;
    let interrupt = Interrupt::catch();
    let (send, messages) = channel();
    let paths = send.clone();
    let sources = Sources::watch(args.explore.target(), move |path| drop(paths.send(Message::Path(path))))?;
    let mut watch = Watch { args, interrupt, sources, messages };
    let mut known = Known::default();
    loop {
        let (interrupt, hold) = (Interrupt::by_hand(), Hold::new());
        let is_building = AtomicBool::new(true);
        let round = Round { args: &args.explore, before: &known, interrupt: &interrupt, hold: &hold };
        let (mut after, changed) = std::thread::scope(|scope| {
            let send = send.clone();
            let is_building = &is_building;
            let work = move || {
                let built = |files| {
                    is_building.store(false, Ordering::Relaxed);
                    drop(send.send(Message::Built(files)));
                };
                let after = round.run(&built);
                drop(send.send(Message::Done(after)));
            };
            let thread = std::thread::Builder::new().stack_size(crate::STACK).spawn_scoped(scope, work);
            thread.map_err(|e| Error::new("cannot start a thread").because(e))?;
            watch.during(is_building, &interrupt, &hold)
        })?;
        // Without any verdict nothing has passed.
        let status = if after.is_empty() { status::INCOMPLETE } else { after.status() };
        if watch.interrupt.seen() {
            return Ok(status);
        }
        if args.notify && changed.is_none() && after.seen != Seen::Nothing {
            notification::send(args.explore.target(), &after);
        }
        after.seen = Seen::Nothing;
        known = after;
        let changed = match changed {
            Some(path) => path,
            None => {
                eprintln!("raddle: waiting for a change; Ctrl-C ends");
                let Some(path) = watch.next(None) else { return Ok(status) };
                path
            }
        };
        watch.settle();
        if watch.interrupt.seen() {
            return Ok(status);
        }
        eprintln!("raddle: {} changed; exploring again", watch.sources.show(&changed));
    }
}

struct Watch<'a> {
    args: &'a Args,
    interrupt: Interrupt,
    sources: Sources,
    messages: Receiver<Message>,
}

impl Watch<'_> {
    /// Waits for the end of a round. Ctrl-C and a change end it early; returns the first change.
    fn during(
        &mut self,
        is_building: &AtomicBool,
        interrupt: &Interrupt,
        hold: &Hold,
    ) -> Result<(Known, Option<PathBuf>)> {
        let mut changed = None;
        loop {
            match self.messages.recv_timeout(TICK) {
                Ok(Message::Done(after)) => return Ok((after, changed)),
                Ok(Message::Built(files)) => self.sources.add_dependencies(files)?,
                Ok(Message::Path(path)) => {
                    let own = self.sources.builds_in_place() && is_building.load(Ordering::Relaxed);
                    if !own && self.sources.concern(&path) {
                        changed.get_or_insert(path);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::new(format!("cannot watch {} any more", self.args.explore.target())));
                }
            }
            if self.interrupt.seen() {
                interrupt.raise();
                hold.end();
            } else if changed.is_some() {
                interrupt.raise_for_change();
                hold.end();
            }
        }
    }

    /// The next change, or none where Ctrl-C or the end of this time came first.
    fn next(&mut self, time: Option<Duration>) -> Option<PathBuf> {
        loop {
            match self.messages.recv_timeout(time.unwrap_or(TICK)) {
                Ok(Message::Path(path)) if self.sources.concern(&path) => return Some(path),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) if time.is_none() && !self.interrupt.seen() => {}
                Err(_) => return None,
            }
        }
    }

    /// Waits until nothing changes for a moment.
    fn settle(&mut self) {
        while !self.interrupt.seen() && self.next(Some(SETTLED)).is_some() {}
    }
}

/// The gravest of these exit statuses.
fn worst(statuses: impl Iterator<Item = u8> + Clone) -> u8 {
    let order = [status::FAILED, status::ERROR, status::INCOMPLETE];
    order.into_iter().find(|s| statuses.clone().any(|other| other == *s)).unwrap_or(status::PASSED)
}
