//! What the source says at the places of a trace: the expression that an operation works on, and
//! the column as it was written before anything was inserted.

use super::shared_lines::Meeting;
use raddle_instrumenter::c::index::arguments::Calls;
use raddle_instrumenter::c::index::conditions::{self, Operand};
use raddle_instrumenter::c::index::lambdas;
use raddle_instrumenter::c::index::macros::{self, Behind, Written};
use raddle_instrumenter::c::index::receivers::Receiver;
use raddle_instrumenter::edits::{Columns, Unit};
use raddle_instrumenter::index::loops::{At, Loops};
use raddle_instrumenter::index::{Access, Index, Reach, Touch};
use raddle_instrumenter::instrument::{Compiled, Store, digest};
use raddle_instrumenter::rust::index::calls::{MethodCall, calls};
use raddle_instrumenter::{c, rust};
use raddle_schedule::OpKind;
use raddle_schedule::calls::TOLD;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A place in a file, with the unit of its column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The file, absolute.
    pub file: PathBuf,
    /// From 1.
    pub line: u32,
    /// From 1, in the file as it was written; 0 where it is not known.
    pub column: u32,
    /// What the column counts.
    pub unit: Unit,
    /// Is its code that of a lambda of C++? `None` if that is not known. Operations of a function may have the place of a
    /// lambda in it.
    pub of_lambda: Option<bool>,
}

/// The source files that were asked for so far.
pub struct Sources {
    edits: Store,
    files: RefCell<BTreeMap<PathBuf, Rc<Source>>>,
}

/// One file.
#[derive(Default)]
struct Source {
    text: String,
    /// How its columns shifted, where they did and it is still the file that was built.
    columns: Columns,
    index: OnceCell<Index>,
    accesses: OnceCell<Vec<Access>>,
    receivers: OnceCell<Vec<Receiver>>,
    calls: OnceCell<Option<Calls>>,
    /// How it was compiled, which is what its macros are.
    compiled: Vec<Compiled>,
    behind: OnceCell<Vec<Behind>>,
    methods: OnceCell<Vec<MethodCall>>,
    loops: OnceCell<Loops>,
    lambdas: OnceCell<Vec<Range<At>>>,
}

impl Sources {
    /// With the records of what the build inserted.
    pub fn new(edits: &Store) -> Sources {
        Sources { edits: edits.clone(), files: RefCell::default() }
    }

    fn file(&self, path: &Path) -> Rc<Source> {
        if let Some(source) = self.files.borrow().get(path) {
            return source.clone();
        }
        let source = Rc::new(self.read(path));
        self.files.borrow_mut().insert(path.to_owned(), source.clone());
        source
    }

    fn read(&self, path: &Path) -> Source {
        // What a `#line` names need not be there; its columns are known all the same.
        let bytes = std::fs::read(path).unwrap_or_default();
        let now = digest(&bytes);
        let by_real_path = || self.edits.of(&path.canonicalize().ok()?, &now);
        let record = self.edits.of(path, &now).or_else(by_real_path);
        let (columns, compiled) = record.map(|r| (r.columns, r.compiled)).unwrap_or_default();
        Source { text: String::from_utf8_lossy(&bytes).into_owned(), columns, compiled, ..Source::default() }
    }

    /// A file as it is.
    pub fn text(&self, file: &Path) -> String {
        self.file(file).text.clone()
    }

    /// A place that a compiler recorded, as it was written.
    pub fn spot(&self, file: PathBuf, line: u32, column: u32, unit: Unit) -> Spot {
        let column = self.file(&file).columns.original(line, column, unit);
        Spot { file, line, column, unit, of_lambda: None }
    }

    /// What stands in a line of a file, from 1, without the blanks at its ends; empty if it is not there.
    pub fn line(&self, file: &Path, line: u32) -> String {
        let text = (line as usize)
            .checked_sub(1)
            .and_then(|n| Some(self.file(file).text.lines().nth(n)?.trim().to_string()));
        text.unwrap_or_default()
    }

    /// The innermost function around a place, as far as the source says it.
    pub fn function(&self, file: &Path, line: u32, column: u32) -> Option<String> {
        let at = Spot { file: file.to_owned(), line, column, unit: Unit::Chars, of_lambda: None };
        let source = self.file(file);
        let functions = source.index(&at).functions.iter();
        let around = functions.filter(|f| (f.line..=f.end_line).contains(&line));
        // One that only begins behind it in its line, as what a thread runs does, is not around it.
        let around = around.filter(|f| f.line < line || column == 0 || f.column <= column);
        around.max_by_key(|f| (f.line, f.column)).map(|f| f.name.clone())
    }

    /// Where the loops begin that a place lies in, the outermost first, as far as the call that the place is in runs them.
    pub fn loops(&self, file: &Path, at: At) -> Vec<At> {
        let source = self.file(file);
        source.loops.get_or_init(|| Loops::of(file, &source.text)).around(at)
    }

    /// The function of C around a place, and which of its parameters has this name there.
    pub fn parameter(&self, at: &Spot, name: &str) -> Option<(String, usize)> {
        self.file(&at.file).calls(at)?.parameter(at.line, name)
    }

    /// What is passed as this argument to a function that is called at a place.
    pub fn argument(&self, at: &Spot, function: &str, number: usize) -> Option<(String, Reach)> {
        let file = self.file(&at.file);
        if let Some(passed) = file.calls(at)?.argument(at.line, function, number) {
            return Some((passed.name, passed.reach));
        }
        let of_line = file.behind(at).iter().filter(|b| b.line == at.line);
        let mut all = of_line.filter_map(|b| b.passed(function, number));
        let first = all.next()?;
        all.all(|other| other == first).then(|| file.reached(first, at))
    }

    /// What a function of libc writes to that is called at this place.
    pub fn written_by_call(&self, at: &Spot) -> Option<(String, Reach)> {
        let file = self.file(&at.file);
        let passed = file.calls(at)?.argument_at((at.line, at.column), &written_argument)?;
        Some((passed.name, passed.reach))
    }

    /// What a method of Rust is called on at this place: by the column of its name, or the only thing of the line.
    pub fn called_on(&self, at: &Spot) -> Option<(String, Reach)> {
        let source = self.file(&at.file);
        let all = source.methods.get_or_init(|| match extension(&at.file) {
            "rs" => calls(&source.text),
            _ => Vec::new(),
        });
        let on_line = || all.iter().filter(|c| c.line == at.line);
        let only = || {
            let first = on_line().next()?;
            on_line().all(|c| c.on == first.on).then_some(first)
        };
        let found = on_line().find(|c| c.column == at.column && at.unit == Unit::Bytes).or_else(only)?;
        Some((found.on.clone(), found.reach))
    }

    /// The variables in an expression of C.
    pub fn operands(&self, expression: &str) -> Vec<Operand> {
        conditions::operands(expression)
    }

    /// The condition of the `if` of C that a place stands in.
    pub fn guard(&self, at: &Spot) -> Option<String> {
        conditions::guard(&at.file, &self.file(&at.file).text, at.line)
    }

    /// What an operation of this kind at this place works on, in the source's words. Where several
    /// meet, none is called what one of them may be: a field is what it is a field of.
    pub fn object(&self, at: &Spot, kind: OpKind, meeting: Meeting) -> Option<(String, Reach)> {
        use OpKind::*;
        let source = self.file(&at.file);
        let is_data = matches!(kind, Read | Write | Free);
        // In Rust the hooks tell what std does inside of a call as well.
        let site = if is_data && extension(&at.file) == "rs" { None } else { source.site(at, kind) };
        if !is_data && let Some(found) = source.of_macro(at, kind) {
            return found;
        }
        site.or_else(|| match kind {
            Read | Write | Free | AtomicLoad | AtomicStore | AtomicRmw => source.access(at, kind, meeting),
            _ => None,
        })
    }

    /// The variable of the program that a call into C++'s library at this place is made on; of a `plain` access the
    /// variable that is there alone.
    pub fn receiver(&self, at: &Spot, plain: bool) -> Option<(String, Reach)> {
        let source = self.file(&at.file);
        let is_here = |a: &Receiver| a.line == at.line && source.is_of_code(at, (a.line, a.column));
        let on_line = || source.receivers(at).iter().filter(|a| !a.arrow && is_here(a));
        let marked = || on_line().find(|a| a.marks.contains(&at.column));
        if plain {
            return marked().filter(|a| a.alone).map(|a| (a.name.clone(), a.reach));
        }
        let around = || {
            let around = on_line().filter(|a| a.column <= at.column && at.column < a.end);
            around.min_by_key(|a| a.end - a.column)
        };
        let only = || {
            let first = on_line().next()?;
            on_line().all(|a| a.name == first.name).then_some(first)
        };
        marked().or_else(around).or_else(only).map(|a| (a.name.clone(), a.reach))
    }

    /// What a pointer of C++'s library is called whose `->` is called at this place.
    pub fn before_arrow(&self, at: &Spot) -> Option<(String, Reach)> {
        let source = self.file(&at.file);
        let is_here = |a: &Receiver| a.line == at.line && source.is_of_code(at, (a.line, a.column));
        let on_line = || source.receivers(at).iter().filter(|a| a.arrow && is_here(a));
        let only = || on_line().next().filter(|_| on_line().count() == 1);
        let found = on_line().find(|a| a.marks.contains(&at.column)).or_else(only)?;
        Some((found.name.clone(), found.reach))
    }
}

/// Which argument of a function of libc points to what it writes, if one does.
fn written_argument(function: &str) -> Option<usize> {
    const OTHERS: [(&str, usize); 14] = [
        ("pthread_join", 1),
        ("thrd_join", 1),
        ("memcpy", 0),
        ("memmove", 0),
        ("memset", 0),
        ("strcpy", 0),
        ("strncpy", 0),
        ("strcat", 0),
        ("strncat", 0),
        ("stpcpy", 0),
        ("sprintf", 0),
        ("snprintf", 0),
        ("fgets", 0),
        ("fread", 0),
    ];
    let told = || {
        let call = TOLD.iter().find(|call| call.name == function)?;
        let mut written = call.touches.iter().filter(|t| t.writes);
        written.next().filter(|_| written.next().is_none()).map(|t| usize::from(t.argument))
    };
    OTHERS.iter().find(|(name, _)| *name == function).map(|(_, number)| *number).or_else(told)
}

impl Source {
    /// What calls are made on in a file of C++.
    fn receivers(&self, at: &Spot) -> &[Receiver] {
        self.receivers.get_or_init(|| match extension(&at.file) {
            "rs" | "" => Vec::new(),
            _ => c::index::receivers::receivers(&at.file, &self.text),
        })
    }

    /// The calls of a file of C.
    fn calls(&self, at: &Spot) -> Option<&Calls> {
        let of_c = || !matches!(extension(&at.file), "rs" | "");
        self.calls.get_or_init(|| of_c().then(|| Calls::new(&at.file, &self.text)).flatten()).as_ref()
    }

    /// What stands behind the macros of a file of C.
    fn behind(&self, at: &Spot) -> &[Behind] {
        self.behind.get_or_init(|| super::macros::behind(&at.file, &self.text, &self.compiled))
    }

    /// What an operation works on where a macro is used: `None` where none is, `Some(None)` where it does not say. What else
    /// stands on the line is not what it works on.
    fn of_macro(&self, at: &Spot, kind: OpKind) -> Option<Option<(String, Reach)>> {
        let of_c = !matches!(extension(&at.file), "rs" | "");
        let (word, after) = if of_c { self.word(at)? } else { return None };
        let sites = &self.index(at).sites;
        if sites.iter().any(|s| s.line == at.line && s.column == at.column) {
            return None;
        }
        // Expanding C++'s headers takes its time, and there a variable that is declared has its column.
        if extension(&at.file) != "c" && !macros::is_loud(word) {
            return None;
        }
        let behind = self.behind(at).iter().find(|b| (b.line, b.column) == (at.line, at.column));
        match behind {
            Some(behind) => Some(behind.object(words(kind)).map(|written| self.reached(written, at))),
            None => macros::may_be_use(word, after, extension(&at.file) == "c").then_some(None),
        }
    }

    /// The word at a place, if one begins there, and what follows it.
    fn word(&self, at: &Spot) -> Option<(&str, &str)> {
        let line = self.text.lines().nth(at.line.checked_sub(1)? as usize)?;
        let rest = line.get(at.column.checked_sub(1)? as usize..)?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        (end > 0).then(|| rest.split_at(end))
    }

    /// A name from behind a macro, with how it reaches its object in the function around.
    fn reached(&self, written: Written, at: &Spot) -> (String, Reach) {
        let of = |root: &str| {
            let Some(calls) = self.calls(at) else { return Reach::Other };
            if calls.parameter(at.line, root).is_some() {
                return Reach::Parameter;
            }
            if calls.is_local(at.line, root) { Reach::Local } else { Reach::Global }
        };
        let reach = match written.root.as_deref().map(of) {
            Some(Reach::Global) => Reach::Global,
            _ if written.field => Reach::Field,
            Some(reach) => reach,
            None => Reach::Other,
        };
        (written.name, reach)
    }

    /// Does an expression of a file of C++ belong to the code of this place? It lies inside of a lambda's body if the code is a
    /// lambda's, and outside of all of them otherwise.
    fn is_of_code(&self, at: &Spot, expression: At) -> bool {
        let Some(of_lambda) = at.of_lambda.filter(|_| !matches!(extension(&at.file), "rs" | "" | "c")) else {
            return true;
        };
        let bodies = self.lambdas.get_or_init(|| lambdas::bodies(&at.file, &self.text));
        bodies.iter().any(|body| body.contains(&expression)) == of_lambda
    }

    fn index(&self, at: &Spot) -> &Index {
        self.index.get_or_init(|| match extension(&at.file) {
            "rs" => rust::index::index_source(&at.file, &self.text),
            "" => Index::default(),
            _ => c::index::index_source(&at.file, &self.text),
        })
    }

    fn site(&self, at: &Spot, kind: OpKind) -> Option<(String, Reach)> {
        let index = self.index(at);
        let words = words(kind);
        let first = index.sites.partition_point(|s| s.line < at.line);
        let on_line = index.sites[first..].iter().take_while(|s| s.line == at.line);
        let on_line = on_line.filter(|s| self.is_of_code(at, (s.line, s.column)));
        let column = |s: &raddle_instrumenter::index::Site| match at.unit {
            Unit::Bytes => s.column,
            Unit::Chars => s.chars,
        };
        // Compilers differ in which column of a call they record: the nearest of the right kind,
        // or, at exactly this column, of any kind (a `OnceLock` is a lock inside). What calls of C read and write besides
        // (a moment, a handle) is not what they work on.
        let besides = matches!(kind, OpKind::Read | OpKind::Write) && extension(&at.file) == "c";
        let of_kind = on_line.filter(|s| words.contains(&s.kind) || column(s) == at.column && !besides);
        let best = of_kind.min_by_key(|s| (!words.contains(&s.kind), column(s).abs_diff(at.column)))?;
        (!best.object.is_empty() && best.object != "…").then(|| (best.object.clone(), best.reach))
    }

    /// The access through a pointer at a place: the one whose column compilers say, the smallest
    /// around the column, or the only one of the line.
    fn access(&self, at: &Spot, kind: OpKind, meeting: Meeting) -> Option<(String, Reach)> {
        let is_mixed = matches!(meeting, Meeting::Mixed { .. });
        let (freed, unclear) = (kind == OpKind::Free, kind == OpKind::Read && is_mixed);
        let is_rust = extension(&at.file) == "rs";
        // In Rust a destructor gives back, wherever it is called.
        if unclear || extension(&at.file).is_empty() || (is_rust && freed) {
            return None;
        }
        let all = self.accesses.get_or_init(|| match is_rust {
            true => rust::index::accesses::accesses(&self.text),
            false => c::index::accesses::accesses(&at.file, &self.text),
        });
        let is_here = |a: &Access| a.line == at.line && self.is_of_code(at, (a.line, a.column));
        let on_line = || all.iter().filter(|a| a.freed == freed && is_here(a));
        if on_line().any(|a| a.reach == Reach::Itself) {
            return beside_locals(&on_line().collect::<Vec<_>>(), at, kind, meeting);
        }
        let on_line = || on_line().filter(|a| !a.name.is_empty());
        let marked = on_line().find(|a| a.marks.contains(&at.column) && fits(a, kind));
        let around = || on_line().filter(|a| a.column <= at.column && at.column < a.end);
        // One that a line names twice (`assert(n->v == 1 || n->v == 2)`) is one.
        let only = || on_line().next().filter(|first| on_line().all(|a| a.name == first.name));
        // A member of `this` by its own name: that is what is accessed there.
        let is_member = || {
            let here = |r: &Receiver| r.alone && r.line == at.line && r.marks.contains(&at.column);
            self.receivers(at).iter().any(|r| here(r) && self.is_of_code(at, (r.line, r.column)))
        };
        // Its compiler gives other accesses of a line other columns, and those are mostly of locals.
        let best = match is_rust {
            true => marked,
            false => marked
                .or_else(|| around().min_by_key(|a| a.end - a.column))
                .or_else(|| if is_member() { None } else { only() }),
        };
        // The pointer to a field is read in its place too, and not written.
        let one_written = kind == OpKind::Write && meeting == Meeting::Mixed { one_written: true };
        let is_changed = |a: &Access| is_rust && one_written && a.touch != Touch::Read;
        let is_one = |a: &Access| meeting == Meeting::One || freed || is_changed(a);
        let name = |a: &Access| if is_one(a) { a.name.clone() } else { a.base.clone() };
        best.map(|a| (name(a), a.reach)).filter(|(name, _)| !name.is_empty())
    }
}

/// May an operation of this kind be this access?
fn fits(a: &Access, kind: OpKind) -> bool {
    use OpKind::*;
    match a.touch {
        Touch::Read => !matches!(kind, Write | AtomicStore),
        Touch::Write => !matches!(kind, Read | AtomicLoad),
        Touch::Both => true,
    }
}

/// What an access is to in a line of C in which locals are accessed that others have the address of. Compilers give reads of
/// these the column of any expression around, so nothing is taken for what only has that column: it is the one thing
/// that the line reads or writes, or its own column says so, or it has no name.
fn beside_locals(on_line: &[&Access], at: &Spot, kind: OpKind, meeting: Meeting) -> Option<(String, Reach)> {
    use OpKind::*;
    let writes = matches!(kind, Write | AtomicStore);
    let fitting: Vec<&Access> = on_line.iter().filter(|a| fits(a, kind)).copied().collect();
    let marked: Vec<&Access> = fitting.iter().filter(|a| a.marks.contains(&at.column)).copied().collect();
    let one = |all: &[&Access]| {
        let first = *all.first()?;
        all.iter()
            .all(|a| a.name == first.name && !a.name.is_empty())
            .then_some((first.name.clone(), first.reach))
    };
    // In C++ a plain name may be a member of `this` too.
    let only = || one(&fitting).filter(|_| extension(&at.file) == "c");
    let is_certain = |a: &&Access| writes || a.reach == Reach::Itself || !a.beside_local;
    let by_column = || one(&marked).filter(|_| meeting == Meeting::One && marked.iter().all(is_certain));
    only().or_else(by_column)
}

fn extension(file: &Path) -> &str {
    file.extension().and_then(|e| e.to_str()).unwrap_or_default()
}

/// The words of the source index for an operation.
fn words(kind: OpKind) -> &'static [&'static str] {
    use OpKind::*;
    match kind {
        Lock => &["lock"],
        TryLock => &["try-lock", "read-lock", "write-lock"],
        ReadLock | TryReadLock => &["read-lock"],
        WriteLock | TryWriteLock => &["write-lock"],
        ReadUnlock | WriteUnlock => &["unlock"],
        Unlock => &["unlock"],
        CondEnqueue | CondWake | Timeout | Barrier | SemWait | SemTryWait | FutexWait => &["wait"],
        NotifyOne | NotifyAll => &["notify"],
        SemPost => &["post"],
        AtomicLoad => &["load"],
        AtomicStore => &["store"],
        AtomicRmw => &["rmw"],
        _ => &[],
    }
}
