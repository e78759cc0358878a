//! Why the execution ends as it does, in the words of the report. A line that the report sets in
//! columns keeps them; its preemptions are red as in the lanes, and lead to them.

use super::{dim, heading, line};
use crate::model::{Deed, Model, Trace};
use crate::theme::{self, Palette};
use egui::{Galley, RichText, Role, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};
use std::sync::Arc;

pub fn show(ui: &mut Ui, model: &Model, deeds: &mut Vec<Deed>) {
    let Some(trace) = model.trace() else {
        heading(ui, "Outcome");
        let text = model.session().map_or(String::new(), |s| s.guarantee.clone());
        dim(ui, if text.is_empty() { "Nothing to explain yet.".to_string() } else { text });
        return;
    };
    let passed = matches!(trace.interleaving.outcome.as_str(), "passed" | "");
    heading(ui, if passed { "It passes" } else { "Why it fails" });
    ScrollArea::vertical().id_salt("explanation").auto_shrink(false).show(ui, |ui| {
        message(ui, trace, passed);
        super::comparing::show(ui, model, deeds);
        let failure = model.session().and_then(|s| s.failures.iter().find(|f| f.schedule == trace.schedule));
        let lines = match failure {
            Some(f) if trace.interleaving.explanation.is_empty() => &f.explanation,
            _ => &trace.interleaving.explanation,
        };
        ui.spacing_mut().item_spacing.y = 3.0;
        for text in lines {
            explained(ui, trace, text, deeds);
        }
        output(ui, trace);
        let guarantee = model.session().map_or("", |s| s.guarantee.as_str());
        if !guarantee.is_empty() {
            ui.add_space(4.0);
            dim(ui, guarantee);
        }
    });
}

fn message(ui: &mut Ui, trace: &Trace, passed: bool) {
    let p = Palette::of(ui.ctx());
    let i = &trace.interleaving;
    if i.stale {
        let text = "The program has changed since this schedule was made; this is what it does now.";
        ui.label(RichText::new(text).font(theme::plain(12.5)).color(p.deciding));
    }
    if passed {
        dim(ui, "This execution ends as the test wants it.");
        return;
    }
    let text = if i.message.is_empty() { &i.outcome } else { &i.message };
    let text = match &i.location {
        Some(at) if !text.contains(&super::place(at)) => format!("{text}    {}", super::place(at)),
        _ => text.clone(),
    };
    ui.label(RichText::new(text).font(theme::plain(13.0)).color(p.text));
    ui.add_space(4.0);
}

/// The columns of a line: who, what, where.
fn columns(text: &str) -> Vec<&str> {
    text.split("  ").map(str::trim).filter(|c| !c.is_empty()).collect()
}

/// The number of the preemption that a line is about.
fn preemption(text: &str) -> Option<u32> {
    let first = text.trim_start().chars().next()?;
    (0x2460..=0x2473).contains(&(first as u32)).then(|| first as u32 - 0x245f)
}

fn explained(ui: &mut Ui, trace: &Trace, text: &str, deeds: &mut Vec<Deed>) {
    let p = Palette::of(ui.ctx());
    if let Some(number) = preemption(text) {
        let switch = trace.lanes.switches.iter().find(|s| s.number == number);
        if preempted(ui, number, columns(text).get(1).copied().unwrap_or_default()) {
            deeds.extend(switch.map(|s| Deed::Select(s.row)));
        }
        return;
    }
    let columns = columns(text);
    if columns.len() < 2 || is_sentence(&columns) {
        ui.label(RichText::new(columns.join("   ")).font(theme::plain(12.5)));
        return;
    }
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 18.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text.trim()));
    let (who, rest) = match thread_of(columns[0]) {
        Some(_) => (columns[0], &columns[1..]),
        None => ("", &columns[..]),
    };
    let what = rest.first().copied().unwrap_or_default();
    let place = rest.iter().skip(1).copied().find(|c| is_place(c)).unwrap_or_default();
    let color = thread_of(who).map_or(p.text, |t| p.thread(t));
    let put = |x: f32, galley: Arc<Galley>| {
        let at = pos2(x, rect.center().y - galley.size().y / 2.0);
        ui.painter().galley(at, galley, p.text);
    };
    let split = (rect.width() * 0.38).min(210.0);
    let place = line(ui, &super::tail(place, 19), theme::mono(11.5), p.faint, 140.0);
    let room = rect.width() - split - place.size().x - 22.0;
    put(rect.left(), line(ui, who, theme::strong(12.0), color, split - 10.0));
    put(rect.left() + split, line(ui, what, theme::mono(12.0), p.text, room));
    put(rect.right() - place.size().x - 8.0, place);
    response.on_hover_text(columns.join("\n"));
}

/// `lost_update.c:16`
fn is_place(text: &str) -> bool {
    let line = text.rsplit_once(':').map(|(_, line)| line);
    line.is_some_and(|line| !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit()))
}

/// `T0 waits for the end of T1   a.c:39`: a thread and all that is said of it in one column.
fn is_sentence(columns: &[&str]) -> bool {
    columns.len() == 2 && thread_of(columns[0]).is_some() && is_place(columns[1])
}

fn thread_of(who: &str) -> Option<u32> {
    let digits: String = who.strip_prefix('T')?.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// Draws a preemption as in the lanes; whether it was clicked.
fn preempted(ui: &mut Ui, number: u32, text: &str) -> bool {
    let p = Palette::of(ui.ctx());
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 22.0), Sense::click());
    let says = format!("preemption {number}: {text}");
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &says));
    let at = pos2(rect.left() + 9.0, rect.center().y);
    super::lane_marks::number(ui.painter(), p, at, number, 8.5);
    let color = if response.hovered() { p.text } else { p.alarm };
    let galley = line(ui, text, theme::strong(12.0), color, rect.width() - 26.0);
    ui.painter().galley(pos2(rect.left() + 24.0, rect.center().y - galley.size().y / 2.0), galley, color);
    response.clicked()
}

fn output(ui: &mut Ui, trace: &Trace) {
    let p = Palette::of(ui.ctx());
    let output = trace.interleaving.output.trim();
    if output.is_empty() {
        return;
    }
    ui.add_space(6.0);
    super::caption(ui, "Output");
    ui.label(RichText::new(output).font(theme::mono(11.5)).color(p.dim));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fall_into_columns() {
        assert_eq!(
            columns("T2 increment (spawned at :25)  loads counter = 0    lost_update.c:16"),
            ["T2 increment (spawned at :25)", "loads counter = 0", "lost_update.c:16"]
        );
        assert_eq!(preemption("\u{2460}  T2 preempted before :17, holding no lock"), Some(1));
        assert_eq!(preemption("  \u{2473}  T2 preempted"), Some(20));
        assert_eq!(preemption("T2 runs"), None);
        assert_eq!(thread_of("T12 main"), Some(12));
        assert!(is_place("src/lib.rs:53") && !is_place("Bank::lock") && !is_place("T1"));
        assert!(is_sentence(&columns("T0 waits for the end of T1          a.c:39")));
        assert!(!is_sentence(&columns("spawns T2     a.c:25")));
    }
}
