//! The words of the axes, as the command line has them.

use super::{Bound, Order, Reduce, States};

impl Bound {
    /// From the command line's word.
    pub fn parse(s: &str) -> Option<Self> {
        match s {
            "none" => return Some(Bound::None),
            "iterative" => return Some(Bound::Iterative),
            _ => {}
        }
        let (name, number) = s.split_once('=')?;
        let number = parse_number(number)?;
        match name {
            "preemptions" => Some(Bound::Preemptions(number)),
            "depth" => Some(Bound::Depth(number)),
            _ => None,
        }
    }
}

impl core::fmt::Display for Bound {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Bound::None => f.write_str("none"),
            Bound::Preemptions(n) => write!(f, "preemptions={n}"),
            Bound::Iterative => f.write_str("iterative"),
            Bound::Depth(n) => write!(f, "depth={n}"),
        }
    }
}

impl Order {
    /// From the command line's word; lists of priority functions keep their names.
    pub fn parse(s: &str) -> Option<Self> {
        const PRIORITIES: [&str; 8] = ["pb", "dpor", "ss", "mdpor", "rand", "method", "var", "dfs"];
        match s {
            "dfs" => return Some(Order::Dfs),
            "random" => return Some(Order::Random),
            "pos" => return Some(Order::Pos),
            _ => {}
        }
        if let Some(depth) = s.strip_prefix("pct=") {
            return parse_number(depth).map(Order::Pct);
        }
        let names: Vec<String> = s.split(',').map(str::to_string).collect();
        names.iter().all(|n| PRIORITIES.contains(&n.as_str())).then_some(Order::Priorities(names))
    }

    /// The order that heeds what a person selects.
    pub fn focused() -> Order {
        Order::Priorities(vec!["method".into(), "var".into()])
    }

    /// Does it run executions at random, without a promise of completeness?
    pub fn samples(&self) -> bool {
        matches!(self, Order::Random | Order::Pct(_) | Order::Pos)
    }
}

impl Order {
    /// Does it go by the seed?
    pub fn draws(&self) -> bool {
        self.samples() || matches!(self, Order::Priorities(names) if names.iter().any(|n| n == "rand"))
    }
}

impl core::fmt::Display for Order {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Order::Dfs => f.write_str("dfs"),
            Order::Random => f.write_str("random"),
            Order::Pct(depth) => write!(f, "pct={depth}"),
            Order::Pos => f.write_str("pos"),
            Order::Priorities(names) => f.write_str(&names.join(",")),
        }
    }
}

fn parse_number(s: &str) -> Option<u32> {
    s.bytes().all(|b| b.is_ascii_digit()).then(|| s.parse().ok())?
}

impl Reduce {
    const NAMES: [(&'static str, Reduce); 9] = [
        ("none", Reduce::None),
        ("sleep", Reduce::Sleep),
        ("persistent", Reduce::Persistent),
        ("source", Reduce::Source),
        ("optimal", Reduce::Optimal),
        ("bounded", Reduce::Bounded),
        ("rw", Reduce::Rw),
        ("unfolding", Reduce::Unfolding),
        ("contextual", Reduce::Contextual),
    ];

    /// From the command line's word.
    pub fn parse(s: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(n, _)| *n == s).map(|(_, r)| *r)
    }
}

impl core::fmt::Display for Reduce {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let name = Self::NAMES.iter().find(|(_, r)| r == self).map_or("none", |(n, _)| n);
        f.write_str(name)
    }
}

impl States {
    const NAMES: [(&'static str, States); 4] = [
        ("none", States::None),
        ("hb", States::Hb),
        ("counters", States::Counters),
        ("abstract", States::Abstract),
    ];

    /// From the command line's word.
    pub fn parse(s: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(n, _)| *n == s).map(|(_, r)| *r)
    }
}

impl core::fmt::Display for States {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let name = Self::NAMES.iter().find(|(_, r)| r == self).map_or("none", |(n, _)| n);
        f.write_str(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip() {
        for s in ["none", "preemptions=2", "iterative", "depth=40"] {
            assert_eq!(Bound::parse(s).unwrap().to_string(), s);
        }
        for s in ["dfs", "random", "pct=3", "pos", "method,mdpor,pb", "method,var,dfs"] {
            assert_eq!(Order::parse(s).unwrap().to_string(), s);
        }
        for (s, r) in Reduce::NAMES {
            assert_eq!((Reduce::parse(s), r.to_string()), (Some(r), s.to_string()));
        }
        for (s, r) in States::NAMES {
            assert_eq!((States::parse(s), r.to_string()), (Some(r), s.to_string()));
        }
        for s in ["", "preemptions", "preemptions=", "preemptions=-1", "preemptions=+1", "icb"] {
            assert_eq!(Bound::parse(s), None, "{s}");
        }
        assert_eq!(Order::parse("pb,nonsense"), None);
    }
}
