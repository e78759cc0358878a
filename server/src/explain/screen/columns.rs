//! Rows of operations in columns that fit the page: who, what, where.

use super::{Line, Span, bare, span};
use crate::annotate::short_names::ShortNames;
use crate::annotate::story;
use crate::explain::case::Case;
use crate::target::Place;
use crate::terminal::paint::{Ink, Paint};
use crate::terminal::text::circled;
use crate::terminal::wrap;

/// A row before its columns are laid out.
pub enum Row {
    /// Who, what, where, in which function, what else; does it decide, and does its place always have a file?
    Step { who: String, what: String, place: Option<Place>, more: [String; 2], decides: bool, is_named: bool },
    /// One text.
    Whole(Ink, String),
}

impl Row {
    /// Of a line of the story.
    pub fn new(line: &story::Line, is_known: bool, paint: Paint) -> Row {
        let text = |text: &str| paint.symbols(text).into_owned();
        match line {
            story::Line::Step { who, what, place, method, note, marked } => Row::Step {
                who: text(who),
                what: text(what),
                place: place.clone(),
                more: [text(method), text(note)],
                decides: *marked && is_known,
                is_named: false,
            },
            story::Line::Preempted { number, text: said } => {
                Row::Whole(Ink::Bad, text(&format!("  {}  {said}", circled(*number))))
            }
            story::Line::Note(said) => Row::Whole(Ink::Quiet, text(&format!("     {said}"))),
        }
    }
}

/// Where the headline does not name the file of which lines go without a name, the first of these has it.
pub fn name_first(rows: &mut [Row], case: &Case, file: &str) {
    if case.failed.is_some_and(|l| l.file == file) {
        return;
    }
    let name = &case.scene.names.name(file);
    for row in rows {
        match row {
            Row::Whole(_, text) if text.contains(" before :") => {
                *text = text.replacen(" before :", &format!(" before {name}:"), 1);
                return;
            }
            Row::Step { place: Some(place), is_named, .. } if place.file == file => {
                *is_named = true;
                return;
            }
            _ => {}
        }
    }
}

/// What is given up to fit: paths first, then what spawned a thread; then, in the lines that are too long, functions and
/// notes.
const STYLES: [Style; 3] = [
    Style { paths: true, spawned: true },
    Style { paths: false, spawned: true },
    Style { paths: false, spawned: false },
];

#[derive(Clone, Copy)]
struct Style {
    paths: bool,
    spawned: bool,
}

/// Where everything is too long: in several lines, if there is room for them, and otherwise cut.
pub fn layout(rows: &[Row], (file, names): (&str, &ShortNames), room: usize, paint: Paint) -> Vec<Line> {
    let (columns, mark) = (paint.columns(), paint.symbols("  ▸  "));
    let of = (file, names, &*mark);
    let fits = |lines: &Vec<Line>| lines.iter().all(|l| wrap::width(&super::plain(l)) <= columns);
    let mut whole = STYLES.iter().map(|style| Columns::new(rows, of, *style, None).lines(rows));
    if let Some(lines) = whole.find(fits) {
        return lines;
    }
    let narrow = Columns::new(rows, of, STYLES[STYLES.len() - 1], Some(columns));
    let lines = narrow.wrapped(rows);
    if lines.len() <= room {
        return lines;
    }
    let mut lines = narrow.lines(rows);
    lines.iter_mut().for_each(|line| shorten_line(line, columns));
    lines
}

/// Lines of a story, laid out.
#[cfg(test)]
pub fn laid_out(lines: &[story::Line], file: &str, room: usize, paint: Paint) -> Vec<String> {
    let rows: Vec<Row> = lines.iter().map(|l| Row::new(l, true, paint)).collect();
    layout(&rows, (file, &ShortNames::default()), room, paint).iter().map(super::plain).collect()
}

/// What there is of these.
fn join(parts: &[&str]) -> String {
    parts.iter().filter(|p| !p.is_empty()).copied().collect::<Vec<_>>().join(", ")
}

/// Cuts the longest piece of a line that is too long.
fn shorten_line(line: &mut Line, columns: usize) {
    let over = wrap::width(&super::plain(line)).saturating_sub(columns);
    if over == 0 {
        return;
    }
    if let Some(longest) = line.iter_mut().max_by_key(|s| wrap::width(&s.text)) {
        let width = wrap::width(longest.text.trim_end());
        wrap::cut(&mut longest.text, width.saturating_sub(over));
    }
}

/// How wide the columns are.
struct Columns<'a> {
    file: &'a str,
    /// What files are called.
    names: &'a ShortNames,
    style: Style,
    /// Columns of the page, where what is too long is cut.
    page: Option<usize>,
    /// What stands before an operation that decides.
    mark: &'a str,
    who: usize,
    what: usize,
    place: usize,
}

impl<'a> Columns<'a> {
    fn new(
        rows: &[Row],
        (file, names, mark): (&'a str, &'a ShortNames, &'a str),
        style: Style,
        page: Option<usize>,
    ) -> Self {
        let mut columns = Columns { file, names, style, page, mark, who: 0, what: 0, place: 0 };
        for row in rows {
            let Row::Step { who, what, place, is_named, .. } = row else { continue };
            columns.who = columns.who.max(wrap::width(&columns.named(who)));
            columns.what = columns.what.max(wrap::width(what));
            columns.place = columns.place.max(wrap::width(&columns.shown(place, *is_named)));
        }
        // Only what is too long itself is cut.
        if let Some(page) = page {
            columns.what = columns.what.min(page.saturating_sub(columns.who + columns.place + 9));
        }
        columns
    }

    /// A place, in a narrow page by its end.
    fn shown(&self, place: &Option<Place>, is_named: bool) -> String {
        let Some(p) = place else { return String::new() };
        let name = || self.names.name(&p.file);
        let shown = match self.style.paths {
            true => format!("{}:{}", p.file, p.line),
            false if p.file == self.file && !is_named => format!(":{}", p.line),
            false => format!("{}:{}", name(), p.line),
        };
        self.page.map_or_else(|| shown.clone(), |page| wrap::tail(&shown, page / 3))
    }

    fn named(&self, who: &str) -> String {
        let mut who = match who.split_once(" (spawned at ") {
            Some((name, _)) if !self.style.spawned => name.to_string(),
            _ => who.to_string(),
        };
        self.page.iter().for_each(|page| wrap::cut(&mut who, page / 4));
        who
    }

    /// A line for each row.
    fn lines(&self, rows: &[Row]) -> Vec<Line> {
        rows.iter().map(|row| self.row(row, usize::MAX).swap_remove(0)).collect()
    }

    /// As many lines as it takes.
    fn wrapped(&self, rows: &[Row]) -> Vec<Line> {
        rows.iter().flat_map(|row| self.row(row, self.what)).collect()
    }

    /// A row, in which what is wider than this is wrapped.
    fn row(&self, row: &Row, most: usize) -> Vec<Line> {
        let (who, what, place, more, decides) = match row {
            Row::Whole(ink, text) if most == usize::MAX => return vec![vec![span(*ink, text.clone())]],
            Row::Whole(ink, text) => {
                let lines = wrap::below(text, 5, self.page.unwrap_or(most));
                return lines.into_iter().map(|text| vec![span(*ink, text)]).collect();
            }
            Row::Step { who, what, place, more, decides, is_named } => {
                (self.named(who), what, self.shown(place, *is_named), more, *decides)
            }
        };
        let (mark, ink) = if decides { (self.mark, Some(Ink::Strong)) } else { ("     ", None) };
        let texts = if wrap::width(what) <= most { vec![what.clone()] } else { wrap::wrap(what, most, 2) };
        let mut texts = texts.into_iter();
        let mut first = texts.next().unwrap_or_default();
        if self.page.is_some() {
            wrap::cut(&mut first, self.what);
        }
        let pad = crate::terminal::text::pad;
        let room = self.page.map(|page| page.saturating_sub(self.who + self.what + self.place + 11));
        let [method, note] = more.each_ref().map(String::as_str);
        let helper = method.find("via ").map_or("", |at| &method[at..]);
        let more = [[method, note], [helper, note], ["", note], [method, ""], [helper, ""]];
        let more = more.map(|parts| join(&parts));
        let more = more.iter().find(|m| !m.is_empty() && room.is_none_or(|room| wrap::width(m) <= room));
        let place = more.map_or_else(|| place.clone(), |m| format!("{}  {m}", pad(&place, self.place)));
        let first = Span { ink, text: pad(&first, self.what) };
        let who = bare(format!("{mark}{}  ", pad(&who, self.who)));
        let mut lines = vec![vec![who, first, bare("  "), span(Ink::Quiet, place)]];
        let indent = " ".repeat(self.who + 7);
        lines.extend(texts.map(|text| vec![bare(indent.clone()), Span { ink, text }]));
        lines
    }
}
