//! The window's panels: one function each, which draws from the model and says what was done. The
//! small things that they share are here.

mod comparing;
mod elide;
mod explanation;
mod focus;
mod header;
mod interleaving;
mod lane_marks;
mod lanes;
mod progress;
mod sessions;
mod source;
mod threads;

use crate::model::{Deed, Model};
use crate::theme::{self, Palette};
use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{
    Button, Color32, CornerRadius, FontId, Frame, Galley, Margin, Response, RichText, Sense, Stroke, Ui, vec2,
};
use std::sync::Arc;

/// The whole window.
pub fn window(ui: &mut Ui, model: &Model, deeds: &mut Vec<Deed>) {
    let p = Palette::of(ui.ctx());
    let air = |left, right, top, bottom| {
        Frame::new().fill(p.ground).inner_margin(Margin { left, right, top, bottom })
    };
    egui::Panel::top("header")
        .exact_size(60.0)
        .resizable(false)
        .show_separator_line(false)
        .frame(Frame::new().fill(p.panel).inner_margin(Margin::symmetric(20, 10)))
        .show(ui, |ui| header::show(ui, model, deeds));
    header::lines(ui, model, deeds);
    egui::Panel::bottom("progress")
        .resizable(false)
        .show_separator_line(false)
        .exact_size(158.0)
        .frame(air(14, 14, 4, 12))
        .show(ui, |ui| card(ui, |ui| progress::show(ui, model, deeds)));
    egui::Panel::left("sessions")
        .default_size(276.0)
        .size_range(190.0..=420.0)
        .show_separator_line(false)
        .frame(air(14, 4, 12, 6))
        .show(ui, |ui| card(ui, |ui| side(ui, model, deeds)));
    egui::Panel::right("details")
        .default_size(ui.available_width() * 0.46)
        .size_range(360.0..=1100.0)
        .show_separator_line(false)
        .frame(air(4, 14, 12, 6))
        .show(ui, |ui| details(ui, model, deeds));
    egui::CentralPanel::default().frame(air(6, 4, 12, 6)).show(ui, |ui| interleaving::show(ui, model, deeds));
}

/// What there is to choose from.
fn side(ui: &mut Ui, model: &Model, deeds: &mut Vec<Deed>) {
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        sessions::tests(ui, model, deeds);
        ui.add_space(14.0);
        sessions::sessions(ui, model, deeds);
        ui.add_space(14.0);
        focus::show(ui, model, deeds);
    });
}

/// Everything about the selected instant.
fn details(ui: &mut Ui, model: &Model, deeds: &mut Vec<Deed>) {
    let gap = 10.0;
    let height = ui.available_height() - 2.0 * gap;
    ui.spacing_mut().item_spacing.y = gap;
    let part = |ui: &mut Ui, height: f32, add: &mut dyn FnMut(&mut Ui)| {
        let size = vec2(ui.available_width(), height);
        ui.allocate_ui(size, |ui| {
            ui.set_min_size(size);
            ui.spacing_mut().item_spacing.y = 6.0;
            card(ui, |ui| add(ui));
        });
    };
    let threads = threads::height(model).min(height * 0.4);
    let rest = height - threads;
    part(ui, rest * 0.56, &mut |ui| source::show(ui, model));
    part(ui, threads, &mut |ui| threads::show(ui, model, deeds));
    part(ui, rest * 0.44, &mut |ui| explanation::show(ui, model, deeds));
}

/// A panel's ground: it takes all the room there is and no more, whatever is put into it. (What asks
/// for more than there is would make a panel of the window wider with every frame.)
fn card(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    let p = Palette::of(ui.ctx());
    let (rect, _) = ui.allocate_exact_size(ui.available_size(), Sense::hover());
    ui.painter().rect_filled(rect, CornerRadius::same(8), p.panel);
    let inner = rect.shrink2(vec2(16.0, 12.0));
    let mut content =
        ui.new_child(egui::UiBuilder::new().max_rect(inner).layout(egui::Layout::top_down(egui::Align::Min)));
    // Tints of rows reach a little beyond their text.
    content.set_clip_rect(rect.shrink2(vec2(8.0, 8.0)).intersect(ui.clip_rect()));
    add(&mut content);
}

/// A panel's heading.
fn heading(ui: &mut Ui, text: impl Into<String>) -> Response {
    ui.label(RichText::new(text).font(theme::strong(13.5)))
}

/// A heading of second rank.
fn caption(ui: &mut Ui, text: &str) {
    let p = Palette::of(ui.ctx());
    ui.label(RichText::new(text).font(theme::strong(11.5)).color(p.dim));
}

/// Text of second rank.
fn dim(ui: &mut Ui, text: impl Into<String>) -> Response {
    let p = Palette::of(ui.ctx());
    ui.label(RichText::new(text).font(theme::plain(12.0)).color(p.dim))
}

/// A round spot in a colour.
fn spot(ui: &mut Ui, color: Color32) {
    let (rect, _) = ui.allocate_exact_size(vec2(10.0, 16.0), Sense::hover());
    ui.painter().circle_filled(rect.center(), 4.5, color);
}

/// Text that leads somewhere.
fn link(ui: &mut Ui, text: &str) -> Response {
    let p = Palette::of(ui.ctx());
    let text = RichText::new(text).font(theme::plain(12.0)).color(p.link);
    ui.add(Button::new(text).fill(Color32::TRANSPARENT).small())
}

/// A rounded button with a thread's colour around it; filled where it is the choice that was made.
fn pill(ui: &mut Ui, text: &str, color: Color32, chosen: bool, enabled: bool) -> Response {
    let p = Palette::of(ui.ctx());
    let fill = if chosen { color.gamma_multiply(0.22) } else { p.panel };
    let button = Button::new(RichText::new(text).font(theme::strong(12.5)).color(color))
        .fill(fill)
        .stroke(Stroke::new(1.5, color))
        .corner_radius(CornerRadius::same(12))
        .min_size(vec2(46.0, 24.0));
    ui.add_enabled(enabled, button)
}

/// One line of text, cut with an ellipsis where there is no room for it.
fn line(ui: &Ui, text: &str, font: FontId, color: Color32, width: f32) -> Arc<Galley> {
    let mut job = LayoutJob::single_section(text.to_string(), TextFormat::simple(font, color));
    job.wrap = TextWrapping::truncate_at_width(width.max(0.0));
    ui.painter().layout_job(job)
}

/// A name that is longer than its place shows its end: paths and qualified names differ there.
fn tail(text: &str, chars: usize) -> String {
    let count = text.chars().count();
    if count <= chars {
        return text.to_string();
    }
    let end: String = text.chars().skip(count + 1 - chars).collect();
    format!("\u{2026}{end}")
}

/// `lost_update.c:16`, without the folders; of a long name the end.
fn short_place(location: &raddle_protocol::report::Location) -> String {
    tail(&place(location), 18)
}

/// `lost_update.c:16`, without the folders.
fn place(location: &raddle_protocol::report::Location) -> String {
    let name = location.file.rsplit('/').next().unwrap_or(&location.file);
    format!("{name}:{}", location.line)
}
