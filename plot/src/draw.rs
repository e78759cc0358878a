//! The drawing: where everything stands, and in which colours.

use crate::axis::short;
use crate::{Axis, Figure, Line, Panel, Row};
use std::fmt::Write;

/// Colours that differ in brightness too, and for all kinds of sight (Okabe and Ito).
const INKS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#8f4a86", "#a67c00", "#4d4d4d"];
/// The same lines told apart where colours are not.
const DASHES: [&str; 6] = ["", "7 3", "2 2.5", "9 3 2 3", "4 4", "1 3"];

/// Around everything.
const MARGIN: f64 = 24.0;
/// From the top of one line of text to the next.
const LINE: f64 = 18.0;
/// A panel's field.
const FIELD: (f64, f64) = (372.0, 232.0);
/// What stands left of a field and above it: numbers and a label; title, legend and names of marks.
const BEFORE: (f64, f64) = (76.0, 64.0);
/// What stands right of a field and below it.
const BEHIND: (f64, f64) = (22.0, 50.0);

/// The whole picture.
pub fn figure(figure: &Figure) -> String {
    let panel = |n: usize| n as f64 * (BEFORE.0 + FIELD.0 + BEHIND.0);
    let widest = figure.rows.iter().map(|r| r.panels.len()).max().unwrap_or(0).max(1);
    let width = 2.0 * MARGIN + panel(widest);
    let mut out = String::new();
    let mut y = MARGIN + 8.0;
    text(&mut out, (MARGIN, y), "class=\"head\"", &figure.title);
    y += LINE + 2.0;
    y = notes(&mut out, y, &figure.notes);
    for row in &figure.rows {
        y = heading(&mut out, y, row);
        for (n, one) in row.panels.iter().enumerate() {
            draw(&mut out, (MARGIN + panel(n) + BEFORE.0, y + BEFORE.1), one);
        }
        y += if row.panels.is_empty() { 8.0 } else { BEFORE.1 + FIELD.1 + BEHIND.1 };
    }
    let height = y + MARGIN - 12.0;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">\n\
         <style>\
         text{{font:12px system-ui,'DejaVu Sans',Verdana,sans-serif;fill:#333}}\
         .head{{font-size:17px;font-weight:600;fill:#111}}\
         .row{{font-size:14px;font-weight:600;fill:#111}}\
         .title{{font-size:13px;font-weight:600;fill:#222}}\
         .note{{fill:#555}}\
         .mark{{font-size:11px;fill:#666}}\
         .middle{{text-anchor:middle}}\
         .end{{text-anchor:end}}\
         .grid{{stroke:#e3e3e3;fill:none}}\
         .faint{{stroke:#f2f2f2;fill:none}}\
         .axis{{stroke:#888;fill:none}}\
         .bound{{stroke:#9a9a9a;stroke-dasharray:3 3;fill:none}}\
         .line{{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}}\
         </style>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#ffffff\" stroke=\"#d0d0d0\"/>\n\
         {out}</svg>\n",
        escaped(&figure.title)
    )
}

fn heading(out: &mut String, y: f64, row: &Row) -> f64 {
    let mut y = y;
    if !row.title.is_empty() {
        text(out, (MARGIN, y + 12.0), "class=\"row\"", &row.title);
        y += LINE + 12.0;
    }
    notes(out, y, &row.notes)
}

fn notes(out: &mut String, y: f64, notes: &[String]) -> f64 {
    notes.iter().fold(y, |y, note| {
        text(out, (MARGIN, y), "class=\"note\"", note);
        y + LINE
    })
}

/// A panel, whose field begins here.
fn draw(out: &mut String, (left, top): (f64, f64), panel: &Panel) {
    text(out, (left, top - 44.0), "class=\"title\"", &panel.title);
    legend(out, (left, top - 24.0), &panel.lines);
    let x = |value: f64| left + panel.x.at(value) * FIELD.0;
    let y = |value: f64| top + FIELD.1 - panel.y.at(value) * FIELD.1;
    let (right, bottom) = (left + FIELD.0, top + FIELD.1);
    for (value, written) in panel.y.ticks() {
        let at = y(value);
        path(out, if written { "grid" } else { "faint" }, &format!("M{left:.1} {at:.1}H{right:.1}"));
        if written {
            text(out, (left - 8.0, at + 4.0), "class=\"end\"", &short(value));
        }
    }
    for (value, written) in panel.x.ticks().into_iter().filter(|(_, written)| *written) {
        let at = x(value);
        path(out, "grid", &format!("M{at:.1} {top:.1}V{bottom:.1}"));
        if written {
            text(out, (at, bottom + 17.0), "class=\"middle\"", &short(value));
        }
    }
    labels(out, (left, top), &panel.x, &panel.y);
    marks(out, (left, top), panel);
    path(out, "axis", &format!("M{left:.1} {top:.1}V{bottom:.1}H{right:.1}"));
    for (n, line) in panel.lines.iter().enumerate() {
        let at = |p: &(f64, f64)| format!("{:.1},{:.1}", x(p.0), y(p.1));
        let points: Vec<String> = line.points.iter().map(at).collect();
        let _ = writeln!(out, "<polyline {} points=\"{}\"/>", stroke(n), points.join(" "));
        let alone = line.points.len() == 1;
        for (cx, cy) in line.points.iter().filter(|_| line.dots || alone) {
            let (cx, cy, ink) = (x(*cx), y(*cy), INKS[n % INKS.len()]);
            let _ = writeln!(out, "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"3\" fill=\"{ink}\"/>");
        }
    }
}

fn labels(out: &mut String, (left, top): (f64, f64), x: &Axis, y: &Axis) {
    text(out, (left + FIELD.0 / 2.0, top + FIELD.1 + 36.0), "class=\"middle\"", &x.label);
    let (across, down) = (left - 60.0, top + FIELD.1 / 2.0);
    let turned = format!("class=\"middle\" transform=\"rotate(-90 {across:.1} {down:.1})\"");
    text(out, (across, down), &turned, &y.label);
}

/// Names of the lines, each with a piece of it.
fn legend(out: &mut String, (left, y): (f64, f64), lines: &[Line]) {
    let mut x = left;
    for (n, line) in lines.iter().enumerate() {
        let _ = writeln!(out, "<path {} d=\"M{x:.1} {:.1}h22\"/>", stroke(n), y - 4.0);
        text(out, (x + 27.0, y), "", &line.name);
        x += 27.0 + 6.9 * line.name.chars().count() as f64 + 18.0;
    }
}

/// Marks with their names above the field, as far as there is room.
fn marks(out: &mut String, (left, top): (f64, f64), panel: &Panel) {
    let mut free = f64::MIN;
    for mark in &panel.marks {
        let at = left + panel.x.at(mark.x) * FIELD.0;
        path(out, "bound", &format!("M{at:.1} {top:.1}v{:.1}", FIELD.1));
        let half = 3.5 * mark.name.chars().count() as f64 + 2.0;
        if at - half >= free {
            text(out, (at, top - 5.0), "class=\"mark middle\"", &mark.name);
            free = at + half;
        }
    }
    if !panel.marks.is_empty() {
        text(out, (left + FIELD.0, top - 44.0), "class=\"mark end\"", &panel.marked);
    }
}

fn stroke(n: usize) -> String {
    let (ink, dash) = (INKS[n % INKS.len()], DASHES[n % DASHES.len()]);
    let dash = if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
    format!("class=\"line\" stroke=\"{ink}\"{dash}")
}

fn path(out: &mut String, class: &str, d: &str) {
    let _ = writeln!(out, "<path class=\"{class}\" d=\"{d}\"/>");
}

fn text(out: &mut String, (x, y): (f64, f64), attributes: &str, text: &str) {
    let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" {attributes}>{}</text>", escaped(text));
}

/// As XML has it; control characters, which it cannot have, become blanks.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mark;
    use expect_test::expect;

    #[test]
    fn a_line_its_marks_and_names() {
        let panel = Panel {
            title: "a < b".into(),
            x: Axis::linear("executions", 10.0),
            y: Axis::linear("states", 4.0),
            lines: vec![Line { name: "icb".into(), points: vec![(0.0, 0.0), (10.0, 4.0)], dots: false }],
            marks: vec![
                Mark { x: 5.0, name: "0".into() },
                Mark { x: 5.1, name: "1".into() },
                Mark { x: 10.0, name: "2".into() },
            ],
            marked: "completed".into(),
        };
        let (mut out, mut told) = (String::new(), String::new());
        draw(&mut out, (0.0, 0.0), &panel);
        for line in out.lines().filter(|l| ["poly", "mark", "bound", "title"].iter().any(|w| l.contains(w))) {
            told += &format!("{line}\n");
        }
        // The second mark has no room for its name.
        expect![[r##"
            <text x="0.0" y="-44.0" class="title">a &lt; b</text>
            <path class="bound" d="M186.0 0.0v232.0"/>
            <text x="186.0" y="-5.0" class="mark middle">0</text>
            <path class="bound" d="M189.7 0.0v232.0"/>
            <path class="bound" d="M372.0 0.0v232.0"/>
            <text x="372.0" y="-5.0" class="mark middle">2</text>
            <text x="372.0" y="-44.0" class="mark end">completed</text>
            <polyline class="line" stroke="#0072b2" points="0.0,232.0 372.0,0.0"/>
        "##]]
        .assert_eq(&told);
    }

    #[test]
    fn nothing_from_outside_is_referred_to() {
        let text = Figure { title: "a\u{1}\"b\"".into(), ..Figure::default() }.svg();
        assert!(text.contains("a &quot;b&quot;"), "{text}");
        assert_eq!(text.matches("http").count(), 1, "the namespace alone: {text}");
    }
}
