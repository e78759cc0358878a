//! Names of functions as people write them: compilers name a method by the path of its type, in angle brackets or
//! not, with type arguments or not.

use crate::symbols::cpp;

/// `bank::Bank::transfer` and `<bank::Bank>::transfer` are `Bank::transfer`, `<bank::Log<T> as bank::Sink>::put` is `Log::put`,
/// `bank::audit` is `audit`. A closure is told by the function that it stands in, a lambda of C++ by its operator.
pub fn short(function: &str) -> String {
    if cpp::is_lambda(function) {
        return "operator()".to_string();
    }
    let function = function.split("::{").next().unwrap_or(function);
    let (of, rest) = match own_type(function) {
        Some((of, rest)) => (Some(of), rest),
        None => (None, function),
    };
    let plain = without_arguments(rest);
    let mut parts = plain.trim_end_matches(':').rsplit("::");
    let last = parts.next().unwrap_or_default().to_string();
    let of = of.or_else(|| parts.next().map(str::to_string));
    match of.filter(|of| of.starts_with(char::is_uppercase)) {
        Some(of) => format!("{of}::{last}"),
        None => last,
    }
}

/// `Pool::Pool` of C++.
pub fn is_constructor(function: &str) -> bool {
    let plain = without_arguments(function);
    let mut names = plain.rsplit("::");
    names.next().is_some_and(|name| names.next() == Some(name))
}

/// `Pool::~Pool` of C++.
pub fn is_destructor(function: &str) -> bool {
    without_arguments(function).rsplit("::").next().is_some_and(|name| name.starts_with('~'))
}

/// `std::atomic::load` and the like of C++, each of which is one operation of the program's. Waits are more than one.
pub fn is_of_atomic(function: &str) -> bool {
    let classes = [
        "std::atomic",
        "std::__atomic_base",
        "std::__atomic_ref",
        "std::__atomic_float",
        "std::__atomic_flag",
    ];
    let waits = ["wait", "notify_one", "notify_all"];
    classes.iter().any(|class| function.starts_with(class))
        && !waits.iter().any(|method| function.ends_with(method))
}

/// A function by its whole path, without type arguments: `<core::cell::Cell<u32>>::set` is `core::cell::Cell::set`.
pub fn path(function: &str) -> String {
    let inside = function.strip_prefix('<').and_then(|inside| Some((inside, closing(inside)?)));
    match inside {
        Some((inside, end)) => {
            let of = inside[..end].split(" as ").next().unwrap_or_default();
            format!("{}{}", without_arguments(of), without_arguments(&inside[end + 1..]))
        }
        None => without_arguments(function),
    }
}

/// Of `<bank::Log<T> as bank::Sink>::put` the type, `Log`, and what is behind it.
fn own_type(function: &str) -> Option<(String, &str)> {
    let inside = function.strip_prefix('<')?;
    let end = closing(inside)?;
    let (path, rest) = (&inside[..end], inside[end + 1..].strip_prefix("::")?);
    let path = path.split(" as ").next().unwrap_or(path);
    let path = without_arguments(path);
    let path = path.trim_start_matches(['&', '*']).trim_start_matches("mut ").trim_start_matches("const ");
    Some((path.trim_end_matches(':').rsplit("::").next().unwrap_or(path).to_string(), rest))
}

/// Where the bracket ends that was open before this.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1;
    text.char_indices().find_map(|(at, c)| {
        open += i32::from(c == '<') - i32::from(c == '>' && !text[..at].ends_with('-'));
        (open == 0).then_some(at)
    })
}

/// `Log<T>::put::<u32>` without its arguments: `Log::put::`. An operator of C++ stays as it is.
fn without_arguments(path: &str) -> String {
    if path.contains("operator") {
        return path.to_string();
    }
    let mut open = 0;
    let mut out = String::new();
    for (at, c) in path.char_indices() {
        let closes = c == '>' && !path[..at].ends_with('-');
        open += i32::from(c == '<');
        if open == 0 {
            out.push(c);
        }
        open -= i32::from(closes);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_the_whole_path() {
        assert_eq!(path("<core::cell::Cell<u32>>::set"), "core::cell::Cell::set");
        assert_eq!(path("<*mut u32>::write"), "*mut u32::write");
        assert_eq!(path("core::ptr::write::<u32>"), "core::ptr::write::");
        assert_eq!(path("<alloc::vec::Vec<core::cell::Cell<u8>>>::push"), "alloc::vec::Vec::push");
    }

    #[test]
    fn as_people_write_them() {
        let all = [
            ("bank::Bank::transfer", "Bank::transfer"),
            ("<bank::Bank>::transfer", "Bank::transfer"),
            ("<bank::Bank<T>>::transfer::<u32>", "Bank::transfer"),
            ("bank::Bank<T>::transfer", "Bank::transfer"),
            ("<bank::Log<bank::Entry> as bank::Sink<u8>>::put", "Log::put"),
            ("<&mut bank::Log as bank::Sink>::put", "Log::put"),
            ("<bank::Call<fn() -> u32>>::now", "Call::now"),
            ("bank::audit::{closure#0}", "audit"),
            ("<bank::Bank>::transfer::{closure#0}", "Bank::transfer"),
            ("bank::audit::<u32>", "audit"),
            ("transfer", "transfer"),
            ("Queue<int, std::allocator<int> >::push", "Queue::push"),
            ("Queue<int>::operator<<", "Queue<int>::operator<<"),
        ];
        for (full, wanted) in all {
            assert_eq!(short(full), wanted, "{full}");
        }
    }
}
