//! Why the program stopped, from what gdb and the runtime say of it.

use super::gdb::mi::{Fields, Kind, Record};
use raddle_schedule::channel::debug::Reason;

/// Why the program stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The runtime stopped it.
    Asked(Reason),
    /// A function of the program was entered.
    Entered,
    /// At these breakpoints of gdb's.
    Breakpoint(Vec<u64>),
    /// A step of gdb's is done.
    Done,
    /// By a signal that nobody expected; empty where it was asked for.
    Signal(String),
    /// The process has ended, in this way.
    Ended(String),
}

impl Stop {
    /// From gdb's news. `stop` is its breakpoint at which the runtime stops, for `reason`; `enter`
    /// are those at the markers of functions.
    pub fn read(fields: &Fields, stop: u64, enter: &[u64], reason: Option<Reason>) -> Stop {
        match fields.text("reason") {
            "breakpoint-hit" => {
                let number = fields.number("bkptno").unwrap_or(0);
                match reason {
                    Some(reason) if number == stop => Stop::Asked(reason),
                    _ if enter.contains(&number) => Stop::Entered,
                    _ => Stop::Breakpoint(vec![number]),
                }
            }
            // Out of a function without debug information it gives no reason.
            "end-stepping-range" | "function-finished" | "location-reached" | "" => Stop::Done,
            "signal-received" => match fields.text("signal-name") {
                "SIGINT" | "0" => Stop::Signal(String::new()),
                other => Stop::Signal(other.to_string()),
            },
            "exited-normally" => Stop::Ended("ended".into()),
            "exited" => Stop::Ended(format!("ended with status {}", fields.text("exit-code"))),
            "exited-signalled" => Stop::Ended(format!("was killed by {}", fields.text("signal-name"))),
            _ => Stop::Signal(String::new()),
        }
    }
}

/// Is it news of a stop?
pub fn is_stop(record: &Record) -> bool {
    record.kind == Kind::Exec && record.class == "stopped"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dap::gdb::mi::parse;

    #[test]
    fn stops_are_told_apart() {
        let read = |line: &str, reason| {
            let record = parse(line.as_bytes()).unwrap();
            assert!(is_stop(&record));
            Stop::read(&record.fields, 1, &[2, 3], reason)
        };
        let at = |n: u32| format!("*stopped,reason=\"breakpoint-hit\",bkptno=\"{n}\",thread-id=\"1\"");
        assert_eq!(read(&at(1), Some(Reason::Panic)), Stop::Asked(Reason::Panic));
        assert_eq!(read(&at(3), Some(Reason::Event)), Stop::Entered);
        assert_eq!(read(&at(7), Some(Reason::Event)), Stop::Breakpoint(vec![7]));
        assert_eq!(read("*stopped,frame={addr=\"0x1\"}", None), Stop::Done);
        let interrupt = "*stopped,reason=\"signal-received\",signal-name=\"SIGINT\"";
        assert_eq!(read(interrupt, None), Stop::Signal(String::new()));
        let killed = "*stopped,reason=\"exited-signalled\",signal-name=\"SIGKILL\"";
        assert_eq!(read(killed, None), Stop::Ended("was killed by SIGKILL".into()));
    }
}
