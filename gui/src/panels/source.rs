//! The source at the selected instant: the line of every thread tinted in its colour and tagged
//! with its name. Where threads stand in several files, each file is a tab.

use super::{dim, line};
use crate::model::{Model, Trace};
use crate::standing::{self, Doing, Standing};
use crate::theme::{self, Palette};
use egui::{
    Align, Align2, Button, Color32, CornerRadius, Id, Layout, Rect, RichText, ScrollArea, Ui, pos2, vec2,
};

const ROW: f32 = 21.0;

/// No line is laid out further: no panel is as wide, and generated files have lines of megabytes.
const LONGEST: usize = 1000;

/// What the panel remembers: which instant it scrolled to, and a tab chosen by hand for it.
#[derive(Clone, Default, PartialEq)]
struct Scrolled {
    instant: (u32, String, u32),
    file: Option<String>,
    place: (String, u32),
}

pub fn show(ui: &mut Ui, model: &Model) {
    let Some(trace) = model.trace() else {
        super::heading(ui, "Source");
        dim(ui, "No execution is shown.");
        return;
    };
    let standing = standing::standing(&trace.interleaving, &trace.lanes, model.selected);
    let id = Id::unique("source");
    let mut memory: Scrolled = ui.data(|d| d.get_temp(id)).unwrap_or_default();
    let instant = (trace.session, trace.schedule.clone(), model.selected);
    if memory.instant != instant {
        (memory.instant, memory.file) = (instant, None);
    }
    let own = running_place(trace, &standing, model.selected);
    let files = files(&standing, own.as_ref());
    let file = memory.file.clone().filter(|f| files.contains(f)).or_else(|| own.map(|(file, _)| file));
    let Some(file) = file else {
        super::heading(ui, "Source");
        dim(ui, "No thread stands in a source file here.");
        return;
    };
    header(ui, model, &files, &file, &mut memory);
    match model.sources.get(&file) {
        Some(Ok(text)) => text_of(ui, &file, text, trace, model.selected, &standing, &mut memory),
        Some(Err(why)) => drop(dim(ui, why.clone())),
        None => drop(dim(ui, "reading\u{2026}")),
    }
    ui.data_mut(|d| d.insert_temp(id, memory));
}

/// Where the running thread is: at the instant, or where it was last.
fn running_place(trace: &Trace, standing: &[Standing], selected: u32) -> Option<(String, u32)> {
    let runs = standing.iter().find(|s| s.doing == Doing::Runs);
    let here = runs.and_then(|s| s.location.clone());
    let before = || {
        let events = &trace.interleaving.events;
        let events = events.get(..=selected as usize).unwrap_or(events);
        let thread = events.last()?.thread;
        events.iter().rev().filter(|e| e.thread == thread).find_map(|e| e.location.clone())
    };
    let any = || standing.iter().find_map(|s| s.location.clone());
    here.or_else(before).or_else(any).map(|l| (l.file, l.line))
}

/// Files in which threads stand, that of the running one first.
fn files(standing: &[Standing], own: Option<&(String, u32)>) -> Vec<String> {
    let mut files: Vec<String> = own.iter().map(|(file, _)| file.clone()).collect();
    for location in standing.iter().filter_map(|s| s.location.as_ref()) {
        if !files.contains(&location.file) {
            files.push(location.file.clone());
        }
    }
    files
}

fn header(ui: &mut Ui, model: &Model, files: &[String], file: &str, memory: &mut Scrolled) {
    let p = Palette::of(ui.ctx());
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for name in files {
            let shown = name == file;
            let text = RichText::new(super::tail(model.short(name), 40));
            let text = if shown {
                text.font(theme::strong(13.5))
            } else {
                text.font(theme::plain(12.5)).color(p.dim)
            };
            let fill = if shown && files.len() > 1 { p.raised } else { Color32::TRANSPARENT };
            if files.len() == 1 {
                ui.label(text).on_hover_text(name);
            } else if ui.add(Button::new(text).fill(fill)).on_hover_text(name).clicked() {
                memory.file = Some(name.clone());
            }
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            dim(ui, format!("every thread at {}", model.instant()));
        });
    });
}

fn text_of(
    ui: &mut Ui,
    file: &str,
    text: &str,
    trace: &Trace,
    selected: u32,
    standing: &[Standing],
    memory: &mut Scrolled,
) {
    let lines: Vec<&str> = text.lines().collect();
    let running = running_place(trace, standing, selected).filter(|(f, _)| f == file).map(|(_, line)| line);
    let target = running.or_else(|| here(standing, file).next().map(|(_, line)| line)).unwrap_or(1);
    let target =
        centre(target, here(standing, file).map(|(_, line)| line), (ui.available_height() / ROW) as u32);
    let mut area = ScrollArea::vertical().id_salt(("source", file)).auto_shrink(false);
    let place = (file.to_string(), target);
    if memory.place != place {
        // The line goes to the middle, unless that would show nothing beyond an end of the text.
        let room = ui.available_height();
        let middle = ROW * target as f32 - room / 2.0;
        area = area.vertical_scroll_offset(middle.min(ROW * lines.len() as f32 - room).max(0.0));
        memory.place = place;
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    area.show_rows(ui, ROW, lines.len(), |ui, rows| {
        for row in rows {
            let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), egui::Sense::hover());
            let number = row as u32 + 1;
            let tags: Vec<u32> = here(standing, file).filter(|(_, l)| *l == number).map(|(t, _)| t).collect();
            let runs = standing.iter().find(|s| s.doing == Doing::Runs).map(|s| s.thread);
            source_row(ui, rect, number, lines[row], &tags, runs);
        }
    });
}

/// The line to show in the middle: that between all threads where they fit into one view, else that
/// of the running one.
fn centre(running: u32, all: impl Iterator<Item = u32>, rows: u32) -> u32 {
    let (mut first, mut last) = (running, running);
    for line in all {
        (first, last) = (first.min(line), last.max(line));
    }
    if (last - first).saturating_add(3) <= rows { first.midpoint(last) } else { running }
}

/// Threads that stand in this file, with their lines.
fn here<'a>(standing: &'a [Standing], file: &'a str) -> impl Iterator<Item = (u32, u32)> + 'a {
    let place =
        move |s: &'a Standing| s.location.as_ref().filter(|l| l.file == file).map(|l| (s.thread, l.line));
    standing.iter().filter_map(place)
}

fn source_row(ui: &Ui, rect: Rect, number: u32, text: &str, tags: &[u32], runs: Option<u32>) {
    let p = Palette::of(ui.ctx());
    let painter = ui.painter();
    if let Some(&first) = tags.iter().find(|t| Some(**t) == runs).or(tags.first()) {
        let strength = if Some(first) == runs { 0.26 } else { 0.13 };
        let tint = p.thread(first).gamma_multiply(strength);
        painter.rect_filled(rect.expand2(vec2(6.0, 0.0)), CornerRadius::same(4), tint);
    }
    let color = if tags.is_empty() { p.faint } else { p.text };
    let at = pos2(rect.left() + 30.0, rect.center().y);
    painter.text(at, Align2::RIGHT_CENTER, number, theme::mono(11.5), color);
    let mut right = rect.right() - 4.0;
    for &thread in tags.iter().rev() {
        right = tag(ui, right, rect.center().y, thread);
    }
    let text: String = text.chars().take(LONGEST).collect::<String>().replace('\t', "    ");
    let comment = matches!(text.trim_start().get(..2), Some("//" | "/*" | "* " | "*/"));
    let color = if comment { p.dim } else { p.text };
    let galley = line(ui, &text, theme::mono(12.5), color, right - rect.left() - 46.0);
    painter.galley(pos2(rect.left() + 42.0, rect.center().y - galley.size().y / 2.0), galley, color);
}

/// A thread's name at the right of a line; where the next one may end.
fn tag(ui: &Ui, right: f32, middle: f32, thread: u32) -> f32 {
    let p = Palette::of(ui.ctx());
    let name = format!("T{thread}");
    let galley = ui.painter().layout_no_wrap(name, theme::strong(11.5), p.on_thread);
    let size = galley.size() + vec2(13.0, 3.0);
    let rect = Rect::from_min_size(pos2(right - size.x, middle - size.y / 2.0), size);
    ui.painter().rect_filled(rect, CornerRadius::same(4), p.thread(thread));
    ui.painter().galley(rect.center() - galley.size() / 2.0, galley, p.on_thread);
    rect.left() - 5.0
}

#[cfg(test)]
mod tests {
    use super::centre;

    #[test]
    fn all_threads_show_where_they_fit() {
        assert_eq!(centre(26, [17, 16].into_iter(), 20), 21);
        assert_eq!(centre(260, [17].into_iter(), 20), 260);
    }
}
