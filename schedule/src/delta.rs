//! Schedules as lists of differences from the default behaviour, and their string form
//! `GRANULARITY@STEP:CHOICE,…#HASH`, with promoted variables `GRANULARITY+NAME+…@…` (GAMBIT's deltas, paper 003 section 3.2), in
//! executions in which no block of the heap is given out twice `GRANULARITY.quarantine@…`, with other random numbers than those of
//! seed 0 `GRANULARITY.seed=N@…`, where the search had to have more operations as points `GRANULARITY.points=NAME,…@…`.

use crate::decision::Choice;
use crate::promoted;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// One difference: at this step, this choice instead of the default one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Delta {
    /// Executed operations before it, forced ones included, from 0.
    pub step: u32,
    /// What is chosen there.
    pub choice: Choice,
}

/// Where a switch may happen. Step numbers mean something only together with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Granularity {
    /// Before every synchronisation operation.
    #[default]
    Sync,
    /// Before every access to shared memory as well.
    Access,
    /// Before every instrumented statement as well.
    Statement,
    /// ExitBlock's atomic blocks, which end at lock exits.
    LockExit,
}

impl Granularity {
    /// The word used on the command line and in schedule strings.
    pub fn name(self) -> &'static str {
        match self {
            Granularity::Sync => "sync",
            Granularity::Access => "access",
            Granularity::Statement => "statement",
            Granularity::LockExit => "lock-exit",
        }
    }

    /// From that word.
    pub fn parse(s: &str) -> Option<Self> {
        [Self::Sync, Self::Access, Self::Statement, Self::LockExit].into_iter().find(|g| g.name() == s)
    }
}

impl core::fmt::Display for Granularity {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

/// What stands behind the granularity where no block is given out twice.
const QUARANTINE: &str = ".quarantine";

/// What stands behind it where random numbers are drawn from another seed than 0.
const SEED: &str = ".seed=";

/// Stands behind it where more operations are points.
const POINTS: &str = ".points=";

/// A schedule with what gives its steps their meaning.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Schedule {
    /// Where a switch may happen.
    pub granularity: Granularity,
    /// The seed that all served random numbers are drawn from.
    pub seed: u64,
    /// No block of the heap is given out twice ([`crate::plan::flags::QUARANTINE`]).
    pub quarantine: bool,
    /// Operations that are points beside those of the options, since the search met what needs them ([`crate::dependency`] has
    /// their names).
    pub points: Vec<String>,
    /// Variables every access to which is a point too; see [`crate::promoted`].
    pub promoted: Vec<String>,
    /// The differences, by step; several at one step with the thread first.
    pub deltas: Vec<Delta>,
    /// Over the program and the options that move schedule points; `None` when left out.
    pub hash: Option<u32>,
}

impl core::fmt::Display for Schedule {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.granularity.name())?;
        if self.seed != 0 {
            write!(f, "{SEED}{}", self.seed)?;
        }
        f.write_str(if self.quarantine { QUARANTINE } else { "" })?;
        for (i, name) in self.points.iter().enumerate() {
            write!(f, "{}{}", if i > 0 { "," } else { POINTS }, promoted::encode(name))?;
        }
        for name in &self.promoted {
            write!(f, "+{}", promoted::encode(name))?;
        }
        f.write_str("@")?;
        if self.deltas.is_empty() {
            f.write_str("default")?;
        }
        for (i, d) in self.deltas.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            write!(f, "{comma}{}:{}", d.step, d.choice)?;
        }
        match self.hash {
            Some(h) => write!(f, "#{h:04x}"),
            None => Ok(()),
        }
    }
}

/// Why a schedule string cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The part that is wrong.
    pub part: String,
    /// What was expected there.
    pub expected: &'static str,
}

impl core::fmt::Display for ParseError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "`{}` is not {}", self.part, self.expected)
    }
}

impl core::error::Error for ParseError {}

fn error<T>(part: &str, expected: &'static str) -> Result<T, ParseError> {
    Err(ParseError { part: part.to_string(), expected })
}

/// Reads a choice, as it stands in schedule strings.
pub fn parse_choice(s: &str) -> Result<Choice, ParseError> {
    const WHAT: &str = "a choice (T2, w3, timeout, spurious, fail, v1 or i7)";
    let known = match s {
        "timeout" => Some(Choice::Timeout),
        "spurious" => Some(Choice::Spurious),
        "fail" => Some(Choice::Fail),
        "usual" => Some(Choice::Usual),
        _ => None,
    };
    if let Some(c) = known {
        return Ok(c);
    }
    let Some((kind, number)) = s.split_at_checked(1) else { return error(s, WHAT) };
    if !number.bytes().all(|b| b.is_ascii_digit()) {
        return error(s, WHAT);
    }
    let Ok(n) = number.parse::<u16>() else { return error(s, WHAT) };
    match kind {
        "T" | "w" if usize::from(n) >= crate::MAX_THREADS => error(s, "a thread from T0 to T63"),
        "T" => Ok(Choice::Thread(n as u8)),
        "w" => Ok(Choice::Waiter(n as u8)),
        "v" => Ok(Choice::Stale(n)),
        "i" => Ok(Choice::Input(n)),
        _ => error(s, WHAT),
    }
}

fn names_of(encoded: Vec<&str>, what: &'static str) -> Result<Vec<String>, ParseError> {
    encoded.into_iter().map(|name| promoted::decode(name).map_or_else(|| error(name, what), Ok)).collect()
}

impl core::str::FromStr for Schedule {
    type Err = ParseError;

    fn from_str(s: &str) -> Result<Self, ParseError> {
        let Some((granularity, rest)) = s.split_once('@') else {
            return error(s, "a schedule: GRANULARITY@STEP:CHOICE,…, for example sync@7:T2 or sync@default");
        };
        let (granularity, names) = match granularity.split_once('+') {
            Some((granularity, names)) => (granularity, names.split('+').collect()),
            None => (granularity, Vec::new()),
        };
        let (granularity, points) = match granularity.split_once(POINTS) {
            Some((granularity, names)) => (granularity, names.split(',').collect()),
            None => (granularity, Vec::new()),
        };
        let (granularity, quarantine) = match granularity.strip_suffix(QUARANTINE) {
            Some(granularity) => (granularity, true),
            None => (granularity, false),
        };
        let (granularity, seed) = match granularity.split_once(SEED) {
            Some((granularity, seed)) => match seed.parse() {
                Ok(n) => (granularity, n),
                Err(_) => return error(seed, "the seed of random numbers, as in sync.seed=3@7:T2"),
            },
            None => (granularity, 0),
        };
        let Some(granularity) = Granularity::parse(granularity) else {
            return error(granularity, "a granularity (sync, access, statement or lock-exit)");
        };
        let variables = names_of(names, "the name of a promoted variable, as in sync+counter@7:T2")?;
        let points =
            names_of(points, "the name of operations that are points, as in sync.points=RwLock@7:T2")?;
        let (list, hash) = match rest.split_once('#') {
            None => (rest, None),
            Some((list, h)) => match u32::from_str_radix(h, 16) {
                Ok(n) if !h.starts_with('+') => (list, Some(n)),
                _ => return error(h, "a hash of up to 8 hexadecimal digits"),
            },
        };
        let mut deltas: Vec<Delta> = Vec::new();
        if list != "default" {
            for part in list.split(',') {
                let Some((step, choice)) = part.split_once(':') else {
                    return error(part, "of the form STEP:CHOICE, for example 7:T2");
                };
                let Ok(step) = step.parse::<u32>() else { return error(step, "a step number") };
                let delta = Delta { step, choice: parse_choice(choice)? };
                if let Some(last) = deltas.last() {
                    let thread_late = last.step == step && matches!(delta.choice, Choice::Thread(_));
                    if step < last.step || thread_late {
                        return error(part, "in order: steps must rise, and a step's thread comes first");
                    }
                }
                deltas.push(delta);
            }
        }
        Ok(Schedule { granularity, seed, quarantine, points, promoted: variables, deltas, hash })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_round_trip() {
        for s in [
            "sync@7:T2,31:T1#3f2a",
            "sync@default",
            "access@3:T1,3:w2,9:timeout,10:fail,11:i7,12:v1,13:spurious",
            "sync+counter+queue.c:20[8..12]@7:T2#3f2a",
            "sync+f(a%2Cb)@default",
            "sync.quarantine@7:T2#3f2a",
            "lock-exit.quarantine+counter@default",
            "sync.seed=3@7:T2#3f2a",
            "sync.points=RwLock,Arc:1580-drops@7:T2#3f2a",
            "access.seed=3.quarantine.points=all+counter@default",
            "access.seed=18446744073709551615.quarantine+counter@default",
        ] {
            assert_eq!(s.parse::<Schedule>().unwrap().to_string(), s);
        }
    }

    #[test]
    fn malformed_strings_name_the_part() {
        for (s, part) in [
            ("", ""),
            ("sync", "sync"),
            ("sink@default", "sink"),
            ("sync@", ""),
            ("sync@7", "7"),
            ("sync+@default", ""),
            ("sync+a%2@default", "a%2"),
            ("sync.seed=@default", ""),
            ("sync.points=@default", ""),
            ("sync.points=a,%@default", "%"),
            ("sync.seed=+3@default", ""),
            ("sync.quarantine.seed=3@default", "sync.quarantine"),
            ("sync@x:T1", "x"),
            ("sync@7:Q1", "Q1"),
            ("sync@7:T99", "T99"),
            ("sync@7:T", "T"),
            ("sync@7:é", "é"),
            ("sync@7:T1,6:T2", "6:T2"),
            ("sync@7:w1,7:T2", "7:T2"),
            ("sync@7:T1#xyz", "xyz"),
        ] {
            assert_eq!(s.parse::<Schedule>().unwrap_err().part, part, "{s}");
        }
    }
}
