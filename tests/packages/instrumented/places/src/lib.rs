//! What the source says about itself, in every way in which a program can ask.

#[path = "elsewhere/named.rs"]
mod by_path;
mod child;

use std::panic::Location;

#[track_caller]
fn caller() -> u32 { Location::caller().line() }

/// The frames of this package: function, file and line.
fn frames() -> Vec<String> {
    let all = std::backtrace::Backtrace::force_capture().to_string();
    let lines: Vec<&str> = all.lines().map(str::trim).collect();
    let of = |pair: &[&str]| {
        let function = pair[0].split_once(": ")?.1;
        let (place, _column) = pair[1].strip_prefix("at ")?.rsplit_once(':')?;
        // The main function of a test program is not the same everywhere.
        (function.starts_with("places::") && function != "places::main").then(|| format!("{function} {place}"))
    };
    lines.windows(2).filter_map(of).collect()
}

fn deeper(by: u32) -> Vec<String> { if by > 0 { let f = deeper(by - 1); return f } frames() }

fn é(x: u32) -> u32 { /* é */ x + caller() }

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn says_where_it_is() {
        let f = frames();
        let thread = std::thread::spawn(|| { let f = deeper(1); f }).join().unwrap();
        let path = module_path!();
        panic!("{} {} {path} {} {} {:?} {f:?} {thread:?}", file!(), line!(), caller(), é(1), child::place());
    }

    #[test]
    fn panics_in_a_method() {
        struct S(Option<u8>);
        impl S { fn get(&self) -> u8 { /* é */ self.0.expect("nothing there") } }
        let s = S(None); s.get();
    }

    #[test]
    fn fails_to_compare() {
        let m = Mutex::new(1); { *m.lock().unwrap() += 1; }
        assert_eq!(*m.lock().unwrap(), 1, "é {}", caller());
    }

    #[test]
    fn fails_to_assert() {
        assert!(std::thread::spawn(|| { let two = 2; 1 == two }).join().unwrap());
    }

    #[test]
    fn finds_its_files() {
        assert_eq!(include_str!("../text/included.txt"), "original text\n");
        assert_eq!((by_path::name(), child::grandchild::name()), ("by path", "grandchild"));
        assert_eq!(child::hidden::name(), "hidden");
    }
}
