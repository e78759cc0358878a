//! A rule for each kind of failure, and for each kind of warning: what it means and what to do.

use serde_json::{Value, json};

/// The rules that results have named so far.
#[derive(Default)]
pub struct Rules {
    all: Vec<Rule>,
}

/// One rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name in results.
    pub id: String,
    /// Its place among the rules.
    pub index: usize,
    /// How its results weigh.
    pub level: &'static str,
    short: String,
    help: &'static str,
}

impl Rules {
    /// Of a kind of failure.
    pub fn failure(&mut self, kind: &str) -> Rule {
        let (short, help) = failure(kind);
        self.take(kind, "error", short, help)
    }

    /// Of a kind of warning.
    pub fn warning(&mut self, kind: &str) -> Rule {
        let (level, short, help) = warning(kind);
        self.take(&format!("warning/{kind}"), level, short, help)
    }

    fn take(&mut self, id: &str, level: &'static str, short: &str, help: &'static str) -> Rule {
        if let Some(known) = self.all.iter().find(|r| r.id == id) {
            return known.clone();
        }
        let short = if short.is_empty() { format!("Raddle: {id}") } else { short.to_string() };
        let rule = Rule { id: id.to_string(), index: self.all.len(), level, short, help };
        self.all.push(rule.clone());
        rule
    }

    /// All of them, as the tool has them.
    pub fn told(&self) -> Vec<Value> {
        self.all.iter().map(told).collect()
    }
}

/// What holds of every failure: a person who sees only the alert starts here.
const REPLAY: &str = "Raddle ran the failing execution; it is no guess. The alert's steps show what each thread \
     did, in order, and its replay command runs the same schedule again.";

fn told(rule: &Rule) -> Value {
    let help = if rule.level == "error" { format!("{} {REPLAY}", rule.help) } else { rule.help.to_string() };
    let text = if help.is_empty() { rule.short.clone() } else { help };
    json!({
        "id": rule.id,
        "name": name(&rule.id),
        "shortDescription": { "text": rule.short },
        "fullDescription": { "text": text },
        "help": { "text": text, "markdown": format!("**{}**\n\n{text}", rule.short) },
        "defaultConfiguration": { "level": rule.level },
        "properties": { "tags": ["concurrency", "reliability"], "precision": "very-high" },
    })
}

/// `data-race` is `DataRace`.
fn name(id: &str) -> String {
    let words = id.split(|c: char| !c.is_ascii_alphanumeric());
    let upper = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str())
    };
    words.filter_map(upper).collect()
}

fn failure(kind: &str) -> (&'static str, &'static str) {
    match kind {
        "panic" => (
            "A test panics in some order of its threads",
            "In another order of the same operations it may pass.",
        ),
        "assertion" => (
            "An assertion fails in some order of the threads",
            "In another order of the same operations it may hold.",
        ),
        "deadlock" => (
            "Threads wait for each other, and none can go on",
            "Each waiting thread needs something that only another waiting thread can give: a lock, a notify, \
             an end. Take locks in one order everywhere, and check the condition under the lock before waiting.",
        ),
        "livelock" => (
            "Threads loop, and none of them can end a loop",
            "Every thread that could end another's loop is in a loop itself. Let one of them give way for good.",
        ),
        "hang" => (
            "A thread runs on without reaching a schedule point",
            "It is in a loop, or in a call, that synchronises with nobody.",
        ),
        "data-race" => (
            "No happens-before order between two accesses of one variable",
            "At least one of them writes, and neither a lock, an atomic operation nor the start or end of a \
             thread orders them: undefined behaviour in C, C++ and Rust. Protect both with one lock, or make \
             the variable atomic.",
        ),
        "crash" => (
            "The program crashes, or does what is undefined, in some order of its threads",
            "A fatal signal, mostly of memory that is used before it is there or after it has gone; or a lock or a \
             thread that is used as its standard forbids.",
        ),
        "exit" => {
            ("The program ends with a failure in some order of its threads", "Its exit status is not 0.")
        }
        "nondeterminism" => (
            "The program does not repeat itself",
            "The same schedule led to different operations: something outside of it decides too, such as time, \
             randomness, an address or a file.",
        ),
        _ => ("", ""),
    }
}

fn warning(kind: &str) -> (&'static str, &'static str, &'static str) {
    match kind {
        "blocked-after-main" => (
            "warning",
            "Threads are blocked for ever after main has returned",
            "Nobody is left who could wake them.",
        ),
        "truncated" => (
            "note",
            "Executions were cut off at the limit of steps",
            "Steps after the limit were not explored; --max-steps raises it.",
        ),
        "thread-panicked" => (
            "warning",
            "A thread panics and the test passes all the same",
            "Nobody looks at how the thread ended.",
        ),
        "lock-order" => (
            "warning",
            "Locks are taken in different orders",
            "Threads that do so at once can wait for each other.",
        ),
        "lockset" => ("warning", "A variable is not always used under the same lock", ""),
        "volatile" => (
            "warning",
            "volatile is used as synchronisation",
            "C and C++ order nothing by it: make the variable atomic.",
        ),
        "order-dependent" => ("warning", "The outcome depends on the order of the threads", ""),
        "data-race" => ("warning", "A variable raced and was made a synchronisation variable", ""),
        _ => ("note", "", ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_is_there_once() {
        let mut rules = Rules::default();
        assert_eq!((rules.failure("panic").index, rules.warning("panic").index), (0, 1));
        assert_eq!(rules.failure("panic").index, 0);
        let ids: Vec<Value> = rules.told().into_iter().map(|r| r["id"].clone()).collect();
        assert_eq!(ids, ["panic", "warning/panic"]);
        assert_eq!([name("data-race"), name("warning/lock-order")], ["DataRace", "WarningLockOrder"]);
    }
}
