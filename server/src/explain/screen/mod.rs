//! A failure on one screen: at most [`LINES`] lines (more where they are narrow), from its headline to the
//! command that replays it. First comes what must be there, then the operations get what is left, and
//! what the program printed what they leave.

mod columns;
mod table;

use super::case::Case;
use super::sentence::Speaker;
use crate::explain::present::Told;
use crate::terminal::clean::visible;
use crate::terminal::numbers::group;
use crate::terminal::paint::{COLUMNS, Ink, Paint};
use crate::terminal::wrap::{self, wrap};
use raddle_protocol::explanation::{Explanation, Mistake};
use raddle_protocol::report::{Failure, RaceSide};

/// Most lines of the usual width.
pub const LINES: usize = 24;
/// Most lines of the headline and of the output.
const FEW: usize = 3;

/// What stands before the command after a race.
const NEXT: &str = "  next     ";
/// What the command after a race shows.
const WHAT_NEXT: &str = "   what it may lead to";

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// What it is; nothing in particular.
    pub ink: Option<Ink>,
    /// The text.
    pub text: String,
}

/// A line.
pub type Line = Vec<Span>;

/// What is shown.
pub struct Shown<'a> {
    /// The test's name.
    pub test: &'a str,
    /// The failure, as programs get it.
    pub failure: &'a Failure,
    /// Its execution, and what decides.
    pub case: &'a Case<'a>,
    /// How it ended, in words.
    pub told: &'a Told,
    /// The kind of mistake.
    pub mistake: Option<&'a Mistake>,
    /// For which columns and symbols.
    pub paint: Paint,
}

/// Most lines: a narrow page is longer.
fn lines(paint: Paint) -> usize {
    LINES + COLUMNS.saturating_sub(paint.columns()) / 5
}

/// Lays it out.
pub fn screen(shown: &Shown) -> Vec<Line> {
    let most = lines(shown.paint);
    let head = head(shown);
    let replay = [replay(&shown.failure.replay, shown.paint), next(shown.failure, shown.paint)].concat();
    let verdict = verdict(shown, most.saturating_sub(head.len() + replay.len() + 8));
    let spaced = |part: Vec<Line>| if part.is_empty() { part } else { [vec![Line::new()], part].concat() };
    let verdict = spaced(verdict);
    let room = most.saturating_sub(head.len() + verdict.len() + replay.len() + 2);
    let until = shown.failure.forms_at.map_or(usize::MAX, |at| at as usize + 1);
    let table = table::table(shown.case, shown.told, until, room, shown.paint);
    let output = output(shown.failure, room.saturating_sub(table.len()), shown.paint);
    let mut page = [head, spaced(table), verdict, output, spaced(replay)].concat();
    let paint = shown.paint;
    page.iter_mut().flatten().for_each(|span| span.text = paint.cut_mark(std::mem::take(&mut span.text)));
    page
}

/// Of a race of which it is known by now what it leads to: says that above the command that replays, if there is room, and
/// no longer how to find out.
pub fn known(note: &str, screen: &mut Vec<Line>, text: Option<&mut Vec<String>>) {
    add_known(note, screen, Paint::stdout());
    if let Some(text) = text {
        let mut lines: Vec<Line> = text.iter().map(|line| vec![bare(line.as_str())]).collect();
        add_known(note, &mut lines, Paint::none());
        *text = lines.iter().map(plain).collect();
    }
}

fn add_known(note: &str, screen: &mut Vec<Line>, paint: Paint) {
    if let Some(next) = screen.iter().rposition(|line| plain(line).starts_with(NEXT)) {
        screen.truncate(next);
    }
    let wrapped = wrap(&paint.symbols(note), paint.columns() - 2, 0);
    let at = screen.iter().rposition(|line| plain(line).is_empty());
    if let Some(at) = at.filter(|_| screen.len() + wrapped.len() <= lines(paint)) {
        screen.splice(at..at, wrapped.into_iter().map(|text| vec![bare(format!("  {text}"))]));
    }
}

/// A line without colours.
pub fn plain(line: &Line) -> String {
    line.iter().map(|s| s.text.as_str()).collect::<String>().trim_end().to_string()
}

/// A line as it is printed.
pub fn painted(line: &Line, paint: Paint) -> String {
    line.iter().map(|s| s.ink.map_or_else(|| s.text.clone(), |ink| paint.ink(ink, &s.text))).collect()
}

fn span(ink: Ink, text: impl Into<String>) -> Span {
    Span { ink: Some(ink), text: text.into() }
}

fn bare(text: impl Into<String>) -> Span {
    Span { ink: None, text: text.into() }
}

/// What failed, and where.
fn head(shown: &Shown) -> Vec<Line> {
    let f = shown.failure;
    let message = visible(&crate::terminal::text::one_line(&f.message));
    let (paint, columns) = (shown.paint, shown.paint.columns());
    let mut lines = wrap(&paint.symbols(&format!("{}: {message}", shown.test)), columns, 4);
    if lines.len() > FEW {
        lines.truncate(FEW);
        wrap::cut(&mut lines[FEW - 1], columns);
    }
    let mut lines: Vec<Line> = lines.into_iter().map(|text| vec![span(Ink::Strong, text)]).collect();
    if let Some(l) = &f.location {
        let place = format!("{}:{}", l.file, l.line);
        let last = lines.last().map_or(0, |l| wrap::width(&plain(l)));
        if last + 4 + wrap::width(&place) > columns || last == 0 {
            lines.push(vec![bare("    "), span(Ink::Quiet, wrap::tail(&place, columns - 4))]);
        } else if let Some(line) = lines.last_mut() {
            line.extend([bare("    "), span(Ink::Quiet, place)]);
        }
    }
    lines
}

/// The mistake in one sentence, and what passes. What does not fit is counted.
fn verdict(shown: &Shown, room: usize) -> Vec<Line> {
    let speaker = Speaker::new(shown.case);
    let said = |text: &str| {
        let lines = wrap(&shown.paint.symbols(text), shown.paint.columns() - 2, 0);
        lines.into_iter().map(|t| vec![bare(format!("  {t}"))])
    };
    let mut lines: Vec<Line> = Vec::new();
    if let Some(mistake) = shown.mistake {
        lines.extend(said(&mistake.sentence()));
        if let Some(Span { ink, .. }) = lines.first_mut().and_then(|l| l.first_mut()) {
            *ink = Some(Ink::Strong);
        }
    }
    let passes: Vec<Vec<Line>> =
        shown.case.deciding.iter().filter_map(|d| speaker.passes(d)).map(|t| said(&t).collect()).collect();
    let all = passes.len();
    for (i, sentence) in passes.into_iter().enumerate() {
        let is_last = i + 1 == all;
        if lines.len() + sentence.len() + usize::from(!is_last) > room {
            lines.push(vec![span(Ink::Quiet, format!("  ({} more of these in --json)", all - i))]);
            break;
        }
        lines.extend(sentence);
    }
    // What a missed or missing notification is, is said above; and who keeps a lock, where nobody waits for anything else.
    let alone = shown.case.ends.waits.len() == 1;
    let said_above = |m: &Mistake| {
        m.kind.ends_with(" notification")
            || m.kind == "initialisation cycle"
            || m.kind == "lock not released" && alone
    };
    let is_said = shown.mistake.is_some_and(said_above);
    for note in shown.told.notes.iter().filter(|_| !is_said) {
        let note: Vec<Line> = said(note).collect();
        if lines.len() + note.len() <= room {
            lines.extend(note);
        }
    }
    let always = always(shown.failure);
    lines.extend(always.iter().flat_map(|t| said(t)));
    // Of a race no order decides: that nothing orders the two is what is wrong.
    let races = shown.failure.kind == "data-race";
    // It was tried, and without what comes in between the test passes.
    let between = all == 0 && shown.mistake.is_some_and(|m| m.kind == "check then act");
    let unknown = |e: &&Explanation| !e.enough && !races && !between && always.is_none();
    if let Some(explained) = shown.failure.explained.as_ref().filter(unknown) {
        let known =
            if all == 0 { "The deciding order is not known" } else { "Other orders may decide as well" };
        let ended = explained.cut_short.as_ref().map(|why| format!(": the analysis stopped after {why}"));
        lines.extend(said(&format!("{known}{}.", ended.unwrap_or_default())));
    }
    lines
}

/// Every execution fails so, or each of many that were run; or none passes.
fn always(failure: &Failure) -> Option<String> {
    let explained = failure.explained.as_ref().filter(|e| e.deciding.is_empty())?;
    let points = failure.schedule.split(['@', '#']).next().unwrap_or_default();
    let Some(n) = explained.always else {
        let which = match points {
            "access" => "",
            "sync" => " that switches at synchronisation",
            _ => return None,
        };
        let none =
            format!("No schedule{which} passes: which operation comes first decides only how it fails.");
        return explained.none_passes.then_some(none);
    };
    let so = if failure.kind == "data-race" { "has this race" } else { "fails so" };
    match (explained.enough, points, n) {
        (true, "access", _) => Some(format!("Every schedule {so}.")),
        (true, "sync", _) => Some(format!("Every schedule that switches at synchronisation {so}.")),
        (_, _, ..10) => None,
        (_, _, n) => Some(format!("Each of {} schedules that were tried {so}.", group(n))),
    }
}

/// The last lines of what the program printed, but for what the headline says.
fn output(f: &Failure, room: usize, paint: Paint) -> Vec<Line> {
    let said: Vec<&str> = f.message.lines().map(str::trim).collect();
    let of_panic = |l: &str| {
        let l = l.trim();
        l.is_empty()
            || said.contains(&l)
            || said.last().is_some_and(|s| s.strip_prefix(l).is_some_and(|rest| rest.starts_with("; T")))
            || l.contains("PoisonError { .. }")
            || l.contains("on an `Err` value: Any { .. }")
            || l.starts_with("note: run with `RUST_BACKTRACE=1`")
            || l.starts_with("thread '") && l.contains("' panicked at ") | l.contains(") panicked at ")
    };
    let printed: Vec<&str> = f.output.lines().filter(|l| !of_panic(l)).collect();
    let most = room.saturating_sub(2).min(FEW);
    if printed.is_empty() || most == 0 {
        return Vec::new();
    }
    let last = &printed[printed.len().saturating_sub(most)..];
    let head = match printed.len() - last.len() {
        0 => "  output of this execution".to_string(),
        n => format!("  output of this execution, after {n} more line{}", if n == 1 { "" } else { "s" }),
    };
    let mut lines = vec![Line::new(), vec![span(Ink::Quiet, head)]];
    for text in last {
        let mut text = format!("    | {}", visible(&text.replace('\t', "    ")));
        wrap::cut(&mut text, paint.columns());
        lines.push(vec![bare(text)]);
    }
    lines
}

/// The command that runs it again.
pub fn replay(text: &str, paint: Paint) -> Vec<Line> {
    command("replay   ", text, paint)
}

/// Of plain accesses that race where switches between them are not explored: the command that does, and so shows what the
/// race leads to.
fn next(f: &Failure, paint: Paint) -> Vec<Line> {
    let is_plain = |side: &RaceSide| matches!(side.operation.as_str(), "read" | "write");
    let asked = f.schedule.starts_with("sync@")
        && f.race.as_ref().is_some_and(|r| is_plain(&r.first) && is_plain(&r.second));
    let schedule = format!(" {}", crate::shell::quote(&f.schedule));
    let rest =
        f.replay.strip_prefix("raddle replay").filter(|_| asked).and_then(|rest| rest.split_once(&schedule));
    let Some((target, options)) = rest else { return Vec::new() };
    let text = format!("raddle explore{target}{options} --granularity access --keep-going");
    let mut lines = command(NEXT.trim_start(), &text, paint);
    if let [line] = &mut lines[..]
        && wrap::width(&plain(line)) + WHAT_NEXT.len() <= paint.columns()
    {
        line.push(span(Ink::Quiet, WHAT_NEXT));
    }
    lines
}

/// A command, which can be copied from any number of lines.
fn command(head: &'static str, text: &str, paint: Paint) -> Vec<Line> {
    let mut lines = wrap::command(text, paint.columns() - 11).into_iter();
    let first = vec![bare("  "), span(Ink::Quiet, head), bare(lines.next().unwrap_or_default())];
    std::iter::once(first).chain(lines.map(|l| vec![bare(l)])).collect()
}

#[cfg(test)]
mod tests;
