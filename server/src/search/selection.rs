//! The focus by the names of the program: which methods and variables an order prefers.
//!
//! A method is known by the end of its name, as everywhere. A variable is known by the name that
//! reports give it, or any part of that from one boundary to another: `accounts` stands for
//! `bank.accounts[2].balance` as well, being what that is a part of.
//!
//! The engine asks about numbers and addresses while the search runs. The table of methods grows
//! meanwhile, and symbols are slow, so each answer is looked up when it is first needed, and kept.

use super::focus::Names;
use crate::annotate::names::name_of;
use crate::annotate::places::Places;
use crate::annotate::sources::Sources;
use crate::runner::Runner;
use crate::symbols::Symbols;
use crate::target::Target;
use raddle_engine::{Operation, Selection};
use raddle_schedule::channel::Channel;
use raddle_schedule::channel::methods::is_meant;
use std::cell::RefCell;
#[expect(clippy::disallowed_types, reason = "asked for every operation of a search, and never listed")]
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

/// Methods and variables, as a person names them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Functions: whole names, or their ends from a `::` on.
    pub methods: Vec<String>,
    /// Variables.
    pub variables: Vec<String>,
}

/// The variables that were asked about, for telling a person which there are.
pub type Seen = Arc<Mutex<Names>>;

impl Named {
    /// Is nothing named?
    pub fn is_empty(&self) -> bool {
        self.methods.is_empty() && self.variables.is_empty()
    }

    /// For the search over this runner, which is started if it is to be asked for its memory map.
    pub fn selection(
        &self,
        runner: &mut Runner,
        target: &Target,
        own: &[PathBuf],
        seen: &Seen,
    ) -> Box<dyn Selection + Send> {
        if self.is_empty() {
            return Box::new(raddle_engine::focus::Nothing);
        }
        let variables = (!self.variables.is_empty()).then(|| {
            // If it cannot be started, the search's first plan says why.
            let _ = runner.warm();
            Teller::new(runner, target, own)
        });
        Box::new(Asked {
            named: self.clone(),
            channel: runner.channel(),
            methods: RefCell::default(),
            known: RefCell::default(),
            teller: variables,
            seen: seen.clone(),
        })
    }
}

/// Is this variable of the program meant by a name that a person gave?
pub fn is_meant_variable(variable: &str, name: &str) -> bool {
    let parts = |s: &str| -> Vec<String> {
        let s = s.replace("->", ".").replace("::", ".");
        s.split('.').map(|p| p.trim().to_string()).collect()
    };
    // What tells objects of one name apart is no part of it.
    let variable = variable.split([' ', '#']).next().unwrap_or_default();
    let (variable, name) = (parts(variable), parts(name));
    let same = |there: &String, wanted: &String| {
        there == wanted || there.split('[').next().is_some_and(|base| base == wanted)
    };
    let wanted = name.iter().any(|p| !p.is_empty());
    wanted && variable.windows(name.len()).any(|w| w.iter().zip(&name).all(|(a, b)| same(a, b)))
}

/// Answers the engine.
struct Asked {
    named: Named,
    /// Where the table of methods lies.
    channel: Channel,
    /// Answers by method number.
    methods: RefCell<Vec<Option<bool>>>,
    /// Answers by operation.
    #[expect(clippy::disallowed_types, reason = "asked for every operation of a search, and never listed")]
    known: RefCell<HashMap<Operation, bool>>,
    /// `None`: no variable is named.
    teller: Option<Teller>,
    seen: Seen,
}

impl Selection for Asked {
    fn method(&self, number: u16) -> bool {
        let mut methods = self.methods.borrow_mut();
        let at = usize::from(number);
        if at >= methods.len() {
            methods.resize(at + 1, None);
        }
        *methods[at].get_or_insert_with(|| {
            let table = self.channel.methods();
            let meant = |function: &str| self.named.methods.iter().any(|name| is_meant(function, name));
            // What a function's callees do is done on its behalf.
            table.chain(number).filter_map(|n| table.get(n)).any(|m| meant(m.name))
        })
    }

    fn variable(&self, operation: &Operation) -> bool {
        let Some(teller) = &self.teller else { return false };
        // The method makes no difference, the site does.
        let key = Operation { method: 0, ..*operation };
        *self.known.borrow_mut().entry(key).or_insert_with(|| {
            let Some(variable) = teller.name(*operation) else { return false };
            let meant = self.named.variables.iter().any(|name| is_meant_variable(&variable, name));
            if let Ok(mut seen) = self.seen.lock() {
                seen.insert(variable);
            }
            meant
        })
    }
}

/// Names variables, on a thread of its own: symbols and sources stay with the thread that read
/// them, and a search may be handed from thread to thread.
struct Teller {
    ask: Sender<Operation>,
    told: Receiver<Option<String>>,
}

impl Teller {
    fn new(runner: &mut Runner, target: &Target, own: &[PathBuf]) -> Teller {
        let (ask, asked) = channel::<Operation>();
        let (tell, told) = channel();
        let (maps, channel, own) = (runner.maps().to_string(), runner.channel(), own.to_vec());
        let (paths, edits) = (target.paths.clone(), target.edits.clone());
        // Ends with the `ask` of its teller. Where there can be no thread, nothing has a name.
        let _ = std::thread::Builder::new().name("names".into()).spawn(move || {
            let symbols = Symbols::new(&maps, own);
            let places = Places::of(&symbols, &paths, channel, Sources::new(&edits));
            while let Ok(operation) = asked.recv() {
                if tell.send(name_of(&operation, &places)).is_err() {
                    return;
                }
            }
        });
        Teller { ask, told }
    }

    fn name(&self, operation: Operation) -> Option<String> {
        self.ask.send(operation).ok()?;
        self.told.recv().ok()?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_meant_by_their_names_and_by_what_they_are_a_part_of() {
        let names = ["bank.accounts[2].balance", "accounts", "accounts[2]", "bank.accounts", "balance"];
        for name in names {
            assert!(is_meant_variable("bank.accounts[2].balance", name), "{name}");
        }
        for (variable, name) in [
            ("bank::TOTAL", "TOTAL"),
            ("q->lock", "lock"),
            ("q->lock", "q.lock"),
            ("accounts[to] #2", "accounts"),
            ("barrier (condvar)", "barrier"),
            ("accounts[to] #2", "accounts[to]"),
        ] {
            assert!(is_meant_variable(variable, name), "{variable} {name}");
        }
        for (variable, name) in [
            ("accounts[2]", "accounts[1]"),
            ("accounts", "count"),
            ("accounts", ""),
            ("accounts", "accounts.balance"),
            ("a.b.c", "a.c"),
        ] {
            assert!(!is_meant_variable(variable, name), "{variable} {name}");
        }
    }
}
