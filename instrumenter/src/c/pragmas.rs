//! Pragmas that are about the statement behind them. A point between the two would become that
//! statement: the one that is in the critical section, or the loop that is unrolled.

use tree_sitter::Node;

/// How a statement hangs on the pragma before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// It is a loop that is to be compiled in some way; what is in its head stays a loop's head.
    Loop,
    /// It is part of a construct with rules for its head; what is in its blocks is free.
    Construct,
    /// It has to be exactly what it is.
    Exact,
}

/// Is a node of a block a pragma, and what does it do to the statement behind it?
pub(super) fn of(node: Node, text: &str) -> Option<Option<Bound>> {
    let whole = text[node.byte_range()].trim();
    match node.kind() {
        "preproc_call" => {
            let directive = whole.strip_prefix('#')?.trim_start().strip_prefix("pragma")?;
            Some(binding(directive))
        }
        // The grammar takes the operator for a call, mostly one whose `;` is missing.
        "expression_statement" => {
            let call = whole.strip_prefix("_Pragma")?.trim_start().strip_prefix('(')?;
            let is_all = whole.trim_end_matches(';').trim_end().ends_with(')');
            let said = call.split('"').nth(1).unwrap_or_default();
            is_all.then(|| binding(said))
        }
        _ => None,
    }
}

/// The same, of the pragma's own words.
fn binding(said: &str) -> Option<Bound> {
    let mut words = said.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty());
    let (first, second) = (words.next()?, words.next().unwrap_or_default());
    match (first, second) {
        ("omp", second) if STANDALONE.contains(&second) => None,
        ("omp" | "acc", "atomic" | "sections") => Some(Bound::Exact),
        ("omp", "parallel") if words.next() == Some("sections") => Some(Bound::Exact),
        ("omp" | "acc", _) => Some(Bound::Construct),
        ("GCC", "ivdep" | "unroll" | "novector") | ("clang", "loop") => Some(Bound::Loop),
        ("ivdep" | "simd" | "vector" | "loop", _) => Some(Bound::Loop),
        (word, _) if word.starts_with("unroll") || word.starts_with("nounroll") => Some(Bound::Loop),
        _ => None,
    }
}

/// Directives of OpenMP that are statements themselves, or about declarations.
const STANDALONE: [&str; 15] = [
    "barrier",
    "taskwait",
    "taskyield",
    "flush",
    "cancel",
    "cancellation",
    "threadprivate",
    "declare",
    "begin",
    "end",
    "requires",
    "depobj",
    "error",
    "nothing",
    "allocate",
];
