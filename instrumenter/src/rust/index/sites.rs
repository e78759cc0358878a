//! Which calls of Rust synchronise, told by their names and arguments: without types, `read()`
//! locks and `read(&mut buffer)` does not.

use super::bare;
use syn::Expr;

/// What a method call does, in one word; `None` when it does not synchronise.
pub fn method_kind(name: &str, args: &[&Expr]) -> Option<&'static str> {
    let last_is_order = args.last().is_some_and(|e| is_ordering(e));
    Some(match (name, args.len()) {
        ("lock", 0) => "lock",
        ("try_lock", 0) => "try-lock",
        ("read" | "try_read", 0) => "read-lock",
        ("write" | "try_write", 0) => "write-lock",
        ("wait", 0 | 1) | ("wait_while" | "wait_timeout" | "wait_timeout_ms", 2) => "wait",
        ("wait_timeout_while", 3) => "wait",
        ("notify_one" | "notify_all", 0) => "notify",
        ("load", 1) if last_is_order => "load",
        ("store", 2) if last_is_order => "store",
        ("swap", 2) if last_is_order => "rmw",
        (name, 2) if name.starts_with("fetch_") => "rmw",
        ("fetch_update", 3) => "rmw",
        ("compare_exchange" | "compare_exchange_weak", 4) | ("compare_and_swap", 3) => "rmw",
        ("send" | "try_send", 1) => "send",
        ("recv" | "try_recv", 0) | ("recv_timeout", 1) => "receive",
        ("join", 0) => "join",
        ("spawn" | "spawn_scoped", 1 | 2) => "spawn",
        ("unpark", 0) => "unpark",
        ("call_once" | "call_once_force" | "get_or_init", 1) => "once",
        _ => return None,
    })
}

/// What a call of a function by its path does, and whether its first argument is the object.
pub fn call_kind(path: &syn::Path, args: &[&Expr]) -> Option<(&'static str, bool)> {
    let words: Vec<String> = path.segments.iter().map(|s| bare(&s.ident)).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let std_path = |module: &str| words.len() == 1 || words[words.len() - 2] == module;
    Some(match (*words.last()?, args.len()) {
        ("spawn", 1) if std_path("thread") => ("spawn", false),
        ("park", 0) | ("park_timeout", 1) if std_path("thread") => ("park", false),
        ("yield_now", 0) if std_path("thread") => ("yield", false),
        ("sleep", 1) if std_path("thread") => ("sleep", false),
        ("spin_loop", 0) if std_path("hint") => ("yield", false),
        ("fence", 1) if std_path("atomic") && is_ordering(args[0]) => ("fence", false),
        // `Mutex::lock(&m)`: the type's name, then as a method.
        (name, n) if n > 0 && words.len() > 1 && is_type(words[words.len() - 2]) => {
            (method_kind(name, &args[1..])?, true)
        }
        _ => return None,
    })
}

fn is_type(word: &str) -> bool {
    word.starts_with(|c: char| c.is_uppercase())
}

/// `Ordering::SeqCst`, `SeqCst`, or a variable that holds one.
fn is_ordering(e: &Expr) -> bool {
    let Expr::Path(p) = e else { return false };
    let Some(last) = p.path.segments.last() else { return false };
    let name = last.ident.to_string();
    matches!(name.as_str(), "Relaxed" | "Acquire" | "Release" | "AcqRel" | "SeqCst")
        || name.to_ascii_lowercase().starts_with("ord")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_tell_files_from_locks() {
        let kind = |source: &str| match syn::parse_str::<Expr>(source).unwrap() {
            Expr::MethodCall(c) => {
                method_kind(&c.method.to_string(), &c.args.iter().collect::<Vec<_>>()).unwrap_or("none")
            }
            Expr::Call(c) => match &*c.func {
                Expr::Path(p) => {
                    call_kind(&p.path, &c.args.iter().collect::<Vec<_>>()).map_or("none", |(kind, _)| kind)
                }
                _ => "none",
            },
            _ => "none",
        };
        for (source, expected) in [
            ("m.lock()", "lock"),
            ("file.read(&mut buffer)", "none"),
            ("rw.read()", "read-lock"),
            ("a.swap(1, SeqCst)", "rmw"),
            ("slice.swap(1, 2)", "none"),
            ("a.load(Ordering::Acquire)", "load"),
            ("config.load(path)", "none"),
            ("a.compare_exchange_weak(0, 1, AcqRel, Relaxed)", "rmw"),
            ("a.fetch_add(1, order)", "rmw"),
            ("words.join(\", \")", "none"),
            ("handle.join()", "join"),
            ("std::thread::spawn(|| {})", "spawn"),
            ("Command::new(x).spawn()", "none"),
            ("thread::yield_now()", "yield"),
            ("Mutex::lock(&m)", "lock"),
            ("tokio::time::sleep(x)", "none"),
        ] {
            assert_eq!(kind(source), expected, "{source}");
        }
    }
}
