//! The execution as lanes: one for each thread, runs as blocks, waits hatched, preemptions red
//! and numbered, deciding operations outlined. Only rows that show are drawn, so that twenty
//! thousand events scroll like twenty.

use super::lanes::Drawing;
use super::line;
use crate::geometry::{GUTTER, Geometry, ROW};
use crate::model::{Connection, Deed, Model, Trace, state_word};
use crate::theme::{self, Palette};
use egui::{Align2, Button, Id, Rect, RichText, ScrollArea, Sense, Ui, pos2, vec2};
use raddle_protocol::session::State;

/// Height of the lanes' names.
const NAMES: f32 = 44.0;

pub fn show(ui: &mut Ui, model: &Model, deeds: &mut Vec<Deed>) {
    let Some(trace) = model.trace() else {
        empty(ui, model, deeds);
        return;
    };
    let lanes = &trace.lanes;
    egui::Panel::bottom("keys").show_separator_line(false).frame(egui::Frame::new()).show(ui, hints);
    let names = ui.allocate_space(vec2(ui.available_width(), NAMES)).1;
    let geometry = Geometry::new(names.width() - 8.0, lanes.threads.len());
    let size = vec2(geometry.width(), geometry.height(lanes.rows()));
    let output = ScrollArea::both().id_salt("lanes").auto_shrink(false).show_viewport(ui, |ui, viewport| {
        let (whole, _) = ui.allocate_exact_size(size.max(viewport.size()), Sense::hover());
        let drawing = Drawing { model, trace, geometry, origin: whole.min.to_vec2() };
        drawing.draw(ui, viewport, deeds);
        follow_selection(ui, model, trace, &drawing, viewport);
    });
    heads(ui, trace, &geometry, names, output.state.clamped_offset().x);
}

/// The keys, for those who like them.
fn hints(ui: &mut Ui) {
    let p = Palette::of(ui.ctx());
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 5.0;
        ui.add_space(10.0);
        for (key, does) in [
            ("\u{2191}\u{2193}", "step"),
            ("n p", "preemption"),
            ("0\u{2013}9", "run thread"),
            ("f", "search here"),
            ("u", "undo"),
            ("c", "nearest passing"),
            ("s", "save"),
        ] {
            ui.label(RichText::new(key).font(theme::mono(11.0)).color(p.dim));
            ui.label(RichText::new(does).font(theme::plain(11.0)).color(p.faint));
            ui.add_space(9.0);
        }
    });
}

/// Scrolls to the selected row when the selection moves out of sight.
fn follow_selection(ui: &Ui, model: &Model, trace: &Trace, drawing: &Drawing<'_>, viewport: Rect) {
    let id = Id::unique("lanes-selection");
    let now = (trace.session, trace.schedule.clone(), model.selected);
    if ui.data(|d| d.get_temp::<(u32, String, u32)>(id)).as_ref() == Some(&now) {
        return;
    }
    let top = drawing.geometry.top(model.selected);
    if top < viewport.top() + ROW || top + 2.0 * ROW > viewport.bottom() {
        let left = viewport.left() + drawing.origin.x;
        let row = Rect::from_min_size(pos2(left, top + drawing.origin.y), vec2(1.0, ROW));
        ui.scroll_to_rect(row, Some(egui::Align::Center));
    }
    ui.data_mut(|d| d.insert_temp(id, now));
}

/// The lanes' names, above what scrolls.
fn heads(ui: &Ui, trace: &Trace, geometry: &Geometry, area: Rect, offset: f32) {
    let p = Palette::of(ui.ctx());
    let painter = ui.painter().with_clip_rect(area);
    painter.text(
        area.left_bottom() - vec2(-8.0, 4.0),
        Align2::LEFT_BOTTOM,
        "step",
        theme::plain(11.0),
        p.faint,
    );
    for (lane, thread) in trace.interleaving.threads.iter().enumerate() {
        let left = area.left() - offset + GUTTER + geometry.lane * lane as f32 + 14.0;
        painter.circle_filled(pos2(left + 5.0, area.top() + 12.0), 5.5, p.thread(thread.thread));
        let name = format!("T{} {}", thread.thread, thread.name);
        let name = line(ui, name.trim_end(), theme::strong(13.0), p.text, geometry.lane - 40.0);
        painter.galley(pos2(left + 18.0, area.top() + 3.0), name, p.text);
        if let Some(at) = &thread.spawned {
            // In a narrow lane the line says more than half of a file's name.
            let whole = format!("spawned {}", super::place(at));
            let fits = whole.len() as f32 * 6.0 < geometry.lane - 40.0;
            let text = if fits { whole } else { format!("spawned :{}", at.line) };
            let text = line(ui, &text, theme::plain(11.0), p.dim, geometry.lane - 40.0);
            painter.galley(pos2(left + 18.0, area.top() + 21.0), text, p.dim);
        }
    }
}

/// What is said where there is no execution to show.
fn empty(ui: &mut Ui, model: &Model, deeds: &mut Vec<Deed>) {
    let p = Palette::of(ui.ctx());
    let (title, text) = words(model);
    ui.vertical_centered(|ui| {
        ui.add_space(ui.available_height() * 0.36);
        ui.label(RichText::new(title).font(theme::strong(16.0)));
        ui.add_space(2.0);
        ui.label(RichText::new(text).font(theme::plain(13.0)).color(p.dim));
        let done = model.session().is_some_and(|s| s.state == State::Done && s.error.is_empty());
        if done && !model.waits_for_trace() && model.connection == Connection::Connected {
            ui.add_space(10.0);
            let show = Button::new(RichText::new("Show the default execution").font(theme::strong(12.5)));
            if ui.add(show).clicked() {
                deeds.push(Deed::ShowSchedule("sync@default".to_string()));
            }
        }
    });
}

fn words(model: &Model) -> (String, String) {
    let Some(s) = model.session() else {
        let text = "Choose a test on the left, or explore one in the editor: it shows here too.";
        return ("Nothing explored yet".to_string(), text.to_string());
    };
    if !model.trace_error.is_empty() {
        return ("The execution cannot be shown".to_string(), model.trace_error.clone());
    }
    if model.waits_for_trace() {
        return ("Fetching the execution\u{2026}".to_string(), String::new());
    }
    match s.state {
        State::Building => (
            format!("Building {}\u{2026}", model.named(&s.target)),
            "The search starts by itself.".to_string(),
        ),
        State::Done if !s.error.is_empty() => ("It could not be run".to_string(), s.error.clone()),
        State::Done => (format!("{} {}", s.test, state_word(s)), s.guarantee.clone()),
        _ => ("No failure so far".to_string(), "The first one shows here at once.".to_string()),
    }
}
