//! Tells in a few lines of Markdown how an execution works with objects, or in a function: which thread does what at which
//! line under which locks, and whether that decides or races.

use crate::lsp::executions::is_file;
use crate::terminal::text::circled;
use raddle_protocol::explanation::{Operation, Order};
use raddle_protocol::interleaving::{Interleaving, Preempted, Step};
use raddle_protocol::report::Location;
use raddle_protocol::session::SessionFailure;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;

/// Objects that are told of at once.
const MOST_OBJECTS: usize = 3;

/// Operations of a thread that are told.
const MOST_OPERATIONS: usize = 6;

/// Accesses to data: the locks that are held count, or that none is.
const ACCESSES: [&str; 6] = ["load", "store", "rmw", "read", "write", "free"];

/// Operations whose objects are threads.
const OF_THREADS: [&str; 4] = ["start", "spawn", "join", "exit"];

/// An execution, and where it is looked at.
pub struct About<'a> {
    /// The execution.
    pub execution: &'a Interleaving,
    /// The failure that it is.
    pub failure: Option<&'a SessionFailure>,
    /// The file that is looked at, without links.
    pub file: &'a Path,
}

/// The operations of one thread while it holds the same locks.
#[derive(Default)]
struct Operations {
    /// Each with its place, and how often it happens, in the order of their first times.
    all: Vec<(String, usize)>,
}

impl About<'_> {
    /// Does it lie in these lines of the file?
    pub fn is_in(&self, at: Option<&Location>, lines: &RangeInclusive<u32>) -> bool {
        at.is_some_and(|at| lines.contains(&at.line) && Path::new(&at.file) == self.file)
    }

    /// Of these objects.
    pub fn objects(&self, objects: &[&str]) -> Option<String> {
        let shown = objects.iter().take(MOST_OBJECTS).map(|object| self.object(object));
        let mut text = shown.collect::<Vec<_>>().join("\n\n");
        if let Some(rest) = objects.get(MOST_OBJECTS..).filter(|rest| !rest.is_empty()) {
            let rest: Vec<String> = rest.iter().map(|object| code(object)).collect();
            text += &format!("\n\nThe same line also works with {}.", rest.join(", "));
        }
        (!objects.is_empty()).then_some(text)
    }

    fn object(&self, object: &str) -> String {
        let of_it = self.execution.events.iter().filter(|step| step.object == object || step.other == object);
        let locks = |step: &Step| {
            let others: Vec<&str> =
                step.holding.iter().map(String::as_str).filter(|l| *l != object).collect();
            held(&others, ACCESSES.contains(&step.operation.as_str()))
        };
        let does = |step: &Step| match step.operation.as_str() {
            _ if step.object == object => format!("{} it", before_object(step)),
            "wait" => format!("releases it to wait on {}", code(&step.object)),
            _ => format!("locks it again after the wait on {}", code(&step.object)),
        };
        let mut lines = self.by_thread(of_it, does, locks);
        lines.extend(self.deciding(|o| o.object == object, |_| String::new()));
        self.section(object, &lines)
    }

    /// Of the function in these lines of the file.
    pub fn function(&self, name: &str, lines: RangeInclusive<u32>) -> Option<String> {
        let steps = self.execution.events.iter();
        let of_it = steps.clone().filter(|step| self.is_in(step.location.as_ref(), &lines));
        let does = |step: &Step| match step.object.as_str() {
            object if is_variable(step) => format!("{} {}", before_object(step), code(object)),
            _ => step.text.clone(),
        };
        let mut told = self.by_thread(of_it, does, |_| String::new());
        let preempted = steps.filter_map(|step| step.preemption.as_ref());
        let here = preempted.filter(|p| self.is_in(p.before.as_ref(), &lines));
        told.extend(here.map(|p| self.preempted(p)));
        let is_here = |o: &Operation| {
            o.location.as_ref().is_some_and(|at| lines.contains(&at.line) && is_file(&at.file, self.file))
        };
        told.extend(
            self.deciding(is_here, |o| format!(" {} {}", preposition(&o.operation), code(&o.object))),
        );
        (!told.is_empty()).then(|| self.section(name, &told))
    }

    fn section(&self, name: &str, lines: &[String]) -> String {
        let what = match (self.failure, self.execution.outcome.as_str()) {
            (Some(_), _) => "failing schedule",
            (None, "passed") => "passing schedule",
            _ => "schedule",
        };
        let schedule = code(&self.execution.schedule);
        let lines: String = lines.iter().map(|line| format!("\n- {line}")).collect();
        format!("**{}** in the {what} {schedule}:\n{lines}", code(name))
    }

    /// A line for each thread and what it holds meanwhile, by the threads' numbers.
    fn by_thread<'s>(
        &self,
        steps: impl Iterator<Item = &'s Step>,
        does: impl Fn(&Step) -> String,
        locks: impl Fn(&Step) -> String,
    ) -> Vec<String> {
        let mut of_threads: BTreeMap<u32, Vec<(String, Operations)>> = BTreeMap::new();
        for step in steps {
            let of_thread = of_threads.entry(step.thread).or_default();
            let (does, locks) = (does(step) + &self.place(step.location.as_ref()), locks(step));
            let known = of_thread.iter().position(|(l, _)| *l == locks).unwrap_or_else(|| {
                of_thread.push((locks, Operations::default()));
                of_thread.len() - 1
            });
            let all = &mut of_thread[known].1.all;
            match all.iter_mut().find(|(d, _)| *d == does) {
                Some((_, times)) => *times += 1,
                None => all.push((does, 1)),
            }
        }
        let one = |(thread, operations): (u32, Vec<(String, Operations)>)| {
            let name = self.name(thread);
            operations
                .into_iter()
                .map(move |(locks, operations)| format!("{name} {}{locks}", operations.text()))
        };
        of_threads.into_iter().flat_map(one).collect()
    }

    /// The orders and choices that decide, and the races, that have such an operation.
    fn deciding(
        &self,
        is_meant: impl Fn(&Operation) -> bool,
        object: impl Fn(&Operation) -> String,
    ) -> Vec<String> {
        let Some(failure) = self.failure else { return Vec::new() };
        let told = |o: &Operation| {
            format!("{}'s {}{}{}", o.thread, noun(&o.operation), object(o), self.place(o.location.as_ref()))
        };
        let both = |o: &Order| is_meant(&o.first) || is_meant(&o.then);
        let mut lines = Vec::new();
        for deciding in &failure.deciding {
            if let Some(order) = deciding.order.as_ref().filter(|o| both(o)) {
                lines.push(format!(
                    "Deciding order: {} comes before {}.",
                    told(&order.first),
                    told(&order.then)
                ));
            }
            if let Some(choice) = deciding.choice.as_ref().filter(|c| is_meant(&c.at)) {
                lines.push(format!("Deciding choice: {} at {}.", code(&choice.chosen), told(&choice.at)));
            }
        }
        for race in failure.unordered.iter().filter(|o| both(o)) {
            let (first, then) = (told(&race.first), told(&race.then));
            lines.push(format!("Data race: {first} and {then} have no happens-before order."));
        }
        lines
    }

    fn preempted(&self, p: &Preempted) -> String {
        let holding: Vec<&str> = p.holding.iter().map(String::as_str).collect();
        let place = p.before.as_ref().map(|at| format!(" before {}", self.line(at))).unwrap_or_default();
        format!("{} T{} is preempted{place}{}", circled(p.number), p.thread, held(&holding, true))
    }

    /// T1 `increment`
    fn name(&self, thread: u32) -> String {
        match self.execution.threads.iter().find(|lane| lane.thread == thread) {
            Some(lane) if !lane.name.is_empty() => format!("T{thread} {}", code(&lane.name)),
            _ => format!("T{thread}"),
        }
    }

    fn place(&self, at: Option<&Location>) -> String {
        at.map(|at| format!(" ({})", self.line(at))).unwrap_or_default()
    }

    /// The line, with the name of its file where that is another one.
    fn line(&self, at: &Location) -> String {
        if is_file(&at.file, self.file) {
            return format!(":{}", at.line);
        }
        let name = Path::new(&at.file).file_name().unwrap_or_default().to_string_lossy();
        format!("{}:{}", plain(&name), at.line)
    }
}

impl Operations {
    fn text(&self) -> String {
        let one = |(does, times): &(String, usize)| match times {
            1 => does.clone(),
            n => format!("{does} {n} times"),
        };
        let shown: Vec<String> = self.all.iter().take(MOST_OPERATIONS).map(one).collect();
        match self.all.len().saturating_sub(MOST_OPERATIONS) {
            0 => shown.join(", "),
            more => format!("{} and {more} more", shown.join(", ")),
        }
    }
}

/// Is its object one of the program's variables? Threads are no variables.
pub fn is_variable(step: &Step) -> bool {
    !step.object.is_empty() && !OF_THREADS.contains(&step.operation.as_str())
}

/// `loads` of `loads counter = 0`.
fn before_object(step: &Step) -> &str {
    match step.text.find(&format!(" {}", step.object)) {
        Some(at) => &step.text[..at],
        None => &step.operation,
    }
}

/// The noun for an operation.
fn noun(operation: &str) -> &str {
    if operation == "rmw" { "update" } else { operation }
}

fn preposition(operation: &str) -> &str {
    let is_on = ["wait", "wake", "notify", "timeout"].iter().any(|word| operation.starts_with(word));
    if is_on { "on" } else { "of" }
}

fn held(locks: &[&str], is_access: bool) -> String {
    match locks {
        [] if is_access => ", holding no lock".to_string(),
        [] => String::new(),
        locks => {
            let locks: Vec<String> = locks.iter().map(|l| code(l)).collect();
            format!(", holding {}", locks.join(" and "))
        }
    }
}

/// A name of the program, as it is.
pub fn code(name: &str) -> String {
    format!("`{}`", name.replace('`', "'"))
}

/// Words of ours with names of the program among them, which are no Markdown.
pub fn plain(text: &str) -> String {
    let escape = |c: char| match c {
        '\\' | '`' | '*' | '_' | '<' | '[' | ']' | '#' | '|' | '~' | '&' => format!("\\{c}"),
        '\n' => " ".to_string(),
        c => c.to_string(),
    };
    text.chars().map(escape).collect()
}

#[cfg(test)]
mod tests;
