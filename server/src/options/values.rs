//! The values that options take, from the words that were typed.

use super::Variable;
use raddle_engine::{Bound, Order, Reduce, States};
use raddle_schedule::{Granularity, input};
use std::time::Duration;

/// `--env`.
pub fn variable(text: &str) -> std::result::Result<Variable, String> {
    match text.split_once('=') {
        Some((name, _)) if name.starts_with("RADDLE_") => {
            Err("names that begin with RADDLE_ are Raddle's own".into())
        }
        Some((name, value)) if !name.is_empty() => {
            Ok(Variable { name: name.to_string(), value: value.to_string() })
        }
        _ => Err("expected a name and a value, such as LOG=debug".into()),
    }
}

/// `--executions`.
pub fn executions(text: &str) -> std::result::Result<u64, String> {
    match text.parse() {
        Ok(0) => Err("a search without executions finds nothing; name at least 1".into()),
        Ok(n) => Ok(n),
        Err(_) => Err("expected a number of executions".into()),
    }
}

/// `30s`, `500ms`, `2m`, `1h` or a plain number of seconds.
pub fn duration(text: &str) -> std::result::Result<Duration, String> {
    const WHAT: &str = "expected a time such as 30s, 500ms, 2m or 1h";
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().map_err(|_| WHAT)?;
    let factor = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(WHAT.into()),
    };
    match Duration::try_from_secs_f64(number * factor) {
        Ok(d) if !d.is_zero() => Ok(d),
        Ok(_) => Err(format!("no time at all is not enough for anything; {WHAT}")),
        _ => Err(WHAT.into()),
    }
}

/// `512MB`, `2GB`, `64KB` or a plain number of bytes.
pub fn size(text: &str) -> std::result::Result<u64, String> {
    const WHAT: &str = "expected a size such as 512MB, 2GB or 64KB";
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().map_err(|_| WHAT)?;
    let factor = match unit.to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        _ => return Err(WHAT.into()),
    };
    match (number * f64::from(1u32 << factor)) as u64 {
        0 => Err("the search keeps waiting executions in memory; name at least 64KB".into()),
        bytes => Ok(bytes),
    }
}

/// A value that is built, or a refusal that names the option and the value.
fn built<T>(
    option: &str,
    text: &str,
    parsed: Option<T>,
    there: fn(&T) -> bool,
    values: &str,
) -> std::result::Result<T, String> {
    match parsed {
        Some(value) if there(&value) => Ok(value),
        Some(_) => Err(format!("`{option} {text}` is not built yet (there is: {values})")),
        None => Err(format!("expected one of: {values}")),
    }
}

/// `--bound`.
pub fn bound(text: &str) -> std::result::Result<Bound, String> {
    Bound::parse(text).ok_or("expected one of: none, preemptions=N, iterative, depth=N".to_string())
}

/// `--order`.
pub fn order(text: &str) -> std::result::Result<Order, String> {
    const ORDERS: &str =
        "expected one of: dfs, random, pct=D, pos, or a list of pb, dpor, mdpor, ss, rand, method, var";
    let order = Order::parse(text).ok_or(ORDERS)?;
    // What lists may hold, and how deep bugs are, is the engine's to say.
    let config = raddle_engine::Config { order: order.clone(), ..Default::default() };
    raddle_engine::check(&config).map(|()| order).map_err(|refusal| refusal.to_string())
}

/// One name of `--focus-method` or `--focus-var`.
pub fn focused(text: &str) -> std::result::Result<String, String> {
    match text.trim() {
        "" => Err("expected a name".into()),
        name => Ok(name.to_string()),
    }
}

/// `--reduce`.
pub fn reduce(text: &str) -> std::result::Result<Reduce, String> {
    let there = |r: &Reduce| !matches!(r, Reduce::Unfolding | Reduce::Contextual);
    let values = "none, sleep, persistent, source, optimal, bounded, rw";
    built("--reduce", text, Reduce::parse(text), there, values)
}

/// `--states`.
pub fn states(text: &str) -> std::result::Result<States, String> {
    built("--states", text, States::parse(text), |_| true, "none, hb, counters, abstract")
}

/// `--granularity`.
pub fn granularity(text: &str) -> std::result::Result<Granularity, String> {
    Granularity::parse(text).ok_or("expected one of: sync, access, statement, lock-exit".to_string())
}

/// One function of `--points-at`.
pub fn function(text: &str) -> std::result::Result<String, String> {
    match text.trim() {
        "" => Err("expected names of functions, with commas between them".into()),
        name => Ok(name.to_string()),
    }
}

/// `--inputs`.
pub fn inputs(text: &str) -> std::result::Result<String, String> {
    input::Values::parse(text).map(|_| text.to_string())
}

/// One crate of `--points-in`.
pub fn dependency(text: &str) -> std::result::Result<String, String> {
    match text.trim() {
        "" => Err("expected names of dependencies, with commas between them".into()),
        name => Ok(name.to_string()),
    }
}

/// `--jobs`.
pub fn jobs(text: &str) -> std::result::Result<u32, String> {
    match text.parse::<u32>() {
        Ok(1) => Ok(1),
        Ok(n) if n > 1 => Err("a search has 1 runner process so far".into()),
        _ => Err("expected a number from 1".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables() {
        let of = |name: &str, value: &str| Ok(Variable { name: name.into(), value: value.into() });
        assert_eq!(variable("A=b=c"), of("A", "b=c"));
        assert_eq!(variable("A="), of("A", ""));
        for bad in ["A", "=b", "RADDLE_CHANNEL=1"] {
            assert!(variable(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn durations() {
        assert_eq!(duration("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("20"), Ok(Duration::from_secs(20)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        for bad in ["", "s", "0s", "-1s", "1x", "1e400s"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(size("512MB"), Ok(512 << 20));
        assert_eq!(size("1.5g"), Ok(3 << 29));
        assert_eq!((size("64KiB"), size("4096")), (Ok(64 << 10), Ok(4096)));
        for bad in ["", "MB", "-1", "1X", "1e3", "1..2"] {
            assert!(size(bad).is_err(), "{bad}");
        }
        for none in ["0", "0MB", "0.0001KB"] {
            assert!(size(none).unwrap_err().contains("name at least 64KB"), "{none}");
        }
    }

    #[test]
    fn values_not_built_are_named() {
        assert!(reduce("unfolding").unwrap_err().contains("`--reduce unfolding` is not built yet"));
        assert!(reduce("optmal").unwrap_err().contains("persistent, source, optimal"));
        assert!(order("pct=0").unwrap_err().contains("use pct=1 or more"));
        assert!(order("pct=3").is_ok() && order("pos").is_ok());
        assert!(order("method,ss,mdpor,pb,rand,dpor,dfs").is_ok());
        assert!(order("method,var,dfs").is_ok() && order("mehtod").unwrap_err().contains("expected one of"));
        assert!(jobs("4").unwrap_err().contains("1 runner process"));
        assert!(granularity("nonsense").unwrap_err().contains("expected one of"));
    }
}
