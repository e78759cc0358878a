//! What C++'s library says when it ends a program, put into the failure's message: only the output says it.

/// How GNU's library says that nothing was thrown.
const NOTHING: &str = "terminate called without an active exception";
/// What is told of a pure virtual call.
const PURE_CALL: &str = "pure virtual method called: the object is not constructed yet, or destroyed already";

/// What ended a program that was aborted with this output: `uncaught exception NoPrice: no price for tea`. Nothing where the
/// library has not said anything last.
pub fn said(output: &str) -> Option<String> {
    let output = output.trim_end();
    if is_pure_call(output) {
        return Some(PURE_CALL.to_string());
    }
    by_libstdcxx(output).or_else(|| by_libcxx(output))
}

/// Did a call of a function end it that no class has given a body, as the library says last?
pub fn is_pure_call(output: &str) -> bool {
    let output = output.trim_end();
    let output = output.strip_suffix(NOTHING).unwrap_or(output).trim_end();
    output.ends_with("pure virtual method called")
        || output.ends_with("libc++abi: Pure virtual function called!")
}

/// `terminate called after throwing an instance of 'NoPrice'`, and what it says in the next line if it can.
fn by_libstdcxx(output: &str) -> Option<String> {
    const THREW: &str = "terminate called after throwing an instance of '";
    if output.ends_with(NOTHING) {
        return Some(without_exception());
    }
    let (_, rest) = output.rsplit_once(THREW)?;
    let (kind, rest) = rest.split_once('\'')?;
    match rest.strip_prefix("\n  what():  ") {
        Some(what) => Some(format!("uncaught exception {kind}: {what}")),
        None => rest.is_empty().then(|| format!("uncaught exception {kind}")),
    }
}

/// `libc++abi: terminating due to uncaught exception of type NoPrice: no price for tea`; `with` in older ones.
fn by_libcxx(output: &str) -> Option<String> {
    let said = output.lines().next_back()?.strip_prefix("libc++abi: terminating")?;
    match said.split_once("uncaught exception of type ") {
        Some((_, rest)) => Some(format!("uncaught exception {rest}")),
        None => said.is_empty().then(without_exception),
    }
}

fn without_exception() -> String {
    "std::terminate was called, and nothing was thrown: as when a std::thread is destroyed that was not joined".to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_libraries_say() {
        let gnu = "some output\nterminate called after throwing an instance of 'NoPrice'\n  what():  no price\nfor tea\n";
        assert_eq!(said(gnu).as_deref(), Some("uncaught exception NoPrice: no price\nfor tea"));
        let pure = "pure virtual method called\nterminate called without an active exception\n";
        assert_eq!(said(pure).as_deref(), Some(PURE_CALL));
        assert_eq!(said("libc++abi: Pure virtual function called!\n").as_deref(), Some(PURE_CALL));
        let number = "terminate called after throwing an instance of 'int'\n";
        assert_eq!(said(number).as_deref(), Some("uncaught exception int"));
        assert!(said("terminate called without an active exception\n").is_some_and(|s| s.contains("joined")));
        let llvm = "libc++abi: terminating with uncaught exception of type NoPrice: no price for tea\n";
        assert_eq!(said(llvm).as_deref(), Some("uncaught exception NoPrice: no price for tea"));
        assert_eq!(said("terminate called after throwing an instance of 'int'\nand then more\n"), None);
        assert_eq!(said(""), None);
    }
}
