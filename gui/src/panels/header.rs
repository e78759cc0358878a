//! The top of the window: which test, what became of it, its schedule, and what to do with the
//! search. Below it what went wrong between the window and the host, and what was said last.

use super::{elide, link};
use crate::model::{Connection, Deed, Model, headline};
use crate::theme::{self, Palette};
use egui::text::{LayoutJob, TextFormat};
use egui::{
    Align, Button, Color32, CornerRadius, Frame, Label, Layout, Margin, RichText, Role, TextWrapMode, Ui,
    WidgetInfo, vec2,
};
use raddle_protocol::session::State;

/// Between the title and the schedule.
const GAP: f32 = 24.0;
/// More of a schedule is not read.
const SCHEDULE: f32 = 340.0;

/// Buttons take what they need, the schedule what the title leaves it, at least its share; the title
/// has the rest.
pub fn show(ui: &mut Ui, model: &Model, deeds: &mut Vec<Deed>) {
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        buttons(ui, model, deeds);
        let lines = title(ui, model);
        let wanted = lines.iter().map(|job| ui.painter().layout_job(job.clone()).size().x);
        let wanted = wanted.fold(0.0, f32::max) + GAP;
        let room = ui.available_width();
        schedule(ui, model, (room - wanted).max(room * 0.45));
        ui.add_space(GAP - ui.spacing().item_spacing.x);
        let size = vec2(ui.available_width(), 40.0);
        ui.allocate_ui_with_layout(size, Layout::top_down(Align::Min), |ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            for job in lines {
                // What is cut is whole under the pointer.
                ui.add(Label::new(job).truncate());
            }
        });
    });
}

/// What is said right below the header. Each line is a panel of its own with a height of its own: one
/// that grew with its text would show it a frame too late, and no frame may follow.
pub fn lines(ui: &mut Ui, model: &Model, deeds: &mut Vec<Deed>) {
    if model.connection != Connection::Connected {
        line(ui, "banner", |ui| banner(ui, model, deeds));
    }
    if model.notice.is_some() {
        line(ui, "notice", |ui| notice(ui, model, deeds));
    }
}

fn line(ui: &mut Ui, id: &str, add: impl FnOnce(&mut Ui)) {
    let p = Palette::of(ui.ctx());
    let frame = Frame::new().fill(p.panel).inner_margin(Margin { left: 20, right: 20, top: 0, bottom: 10 });
    egui::Panel::top(id)
        .exact_size(52.0)
        .resizable(false)
        .show_separator_line(false)
        .frame(frame)
        .show(ui, add);
}

/// The test, and below it what is shown and what became of the search.
fn title(ui: &Ui, model: &Model) -> [LayoutJob; 2] {
    let p = Palette::of(ui.ctx());
    let title = |name: &str| {
        LayoutJob::single_section(name.to_string(), TextFormat::simple(theme::strong(17.0), p.text))
    };
    let plain = TextFormat::simple(theme::plain(12.5), p.dim);
    let Some(session) = model.session() else {
        let text = model.target_name().unwrap_or("no target: open one with `raddle gui TARGET`");
        return [title("Raddle"), LayoutJob::single_section(text.to_string(), plain)];
    };
    let name = if session.test.is_empty() { model.named(&session.target) } else { &session.test };
    let mut below = LayoutJob::default();
    if let Some(shown) = model.shown_words() {
        let color = match (shown.passes, shown.fails) {
            (true, _) => p.good,
            (_, true) => p.alarm,
            _ => p.text,
        };
        below.append(shown.origin, 0.0, TextFormat::simple(theme::strong(12.5), p.deciding));
        below.append(" \u{b7} ", 0.0, plain.clone());
        below.append(&shown.ending, 0.0, TextFormat::simple(theme::strong(12.5), color));
        below.append(" \u{b7} search: ", 0.0, plain.clone());
    }
    below.append(&headline(session), 0.0, plain);
    [title(name), below]
}

/// The schedule in a field of its own, since it is what people carry away.
fn schedule(ui: &mut Ui, model: &Model, width: f32) {
    let Some(trace) = model.trace() else { return };
    let p = Palette::of(ui.ctx());
    let frame = Frame::new().fill(p.raised).corner_radius(CornerRadius::same(5));
    let end = ui.available_width() - width;
    frame.inner_margin(Margin::symmetric(12, 3)).show(ui, |ui| {
        ui.spacing_mut().item_spacing.x = 14.0;
        if link(ui, "copy").on_hover_text("Copy the command that replays it").clicked() {
            ui.ctx().copy_text(trace.interleaving.replay.clone());
        }
        let room = (ui.available_width() - end).min(SCHEDULE);
        let text = elide::schedule(ui, &trace.schedule, theme::mono(12.5), room);
        let label = Label::new(RichText::new(text).font(theme::mono(12.5))).wrap_mode(TextWrapMode::Extend);
        let response = ui.add(label).on_hover_text(&trace.schedule);
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &trace.schedule));
    });
}

fn buttons(ui: &mut Ui, model: &Model, deeds: &mut Vec<Deed>) {
    let Some(session) = model.session() else { return };
    let connected = model.connection == Connection::Connected;
    let mut button = |text: &str, key: &str, deed: Deed| {
        let label = RichText::new(text).font(theme::strong(12.5));
        let button = Button::new(label).min_size(vec2(76.0, 27.0)).wrap_mode(TextWrapMode::Extend);
        let response = ui.add_enabled(connected, button);
        let response = if key.is_empty() { response } else { response.on_hover_text(key) };
        if response.clicked() {
            deeds.push(deed);
        }
    };
    match session.state {
        State::Done => button("Explore again", "E", Deed::Again),
        State::Building | State::Queued => button("Stop", "", Deed::Stop),
        State::Exploring => {
            button("Stop", "", Deed::Stop);
            button("Pause", "Space", Deed::PauseOrResume);
        }
        State::Paused => {
            button("Stop", "", Deed::Stop);
            button("Resume", "Space", Deed::PauseOrResume);
        }
    }
}

fn banner(ui: &mut Ui, model: &Model, deeds: &mut Vec<Deed>) {
    let (why, other_build) = match &model.connection {
        Connection::Connected => return,
        Connection::Connecting => ("Looking for the host of this workspace\u{2026}", None),
        Connection::Lost { why, other_build } => (why.as_str(), Some(*other_build)),
    };
    let p = Palette::of(ui.ctx());
    let color = if other_build.is_some() { p.alarm } else { p.dim };
    strip(ui, color, why, |ui| {
        let Some(other_build) = other_build else { return };
        let text = if other_build { "Restart host" } else { "Reconnect" };
        let button = ui.add(Button::new(RichText::new(text).font(theme::strong(12.5))));
        if button.on_hover_text("R").clicked() {
            deeds.push(Deed::Reconnect);
        }
    });
}

fn notice(ui: &mut Ui, model: &Model, deeds: &mut Vec<Deed>) {
    let Some(notice) = &model.notice else { return };
    let p = Palette::of(ui.ctx());
    let color = if notice.bad { p.alarm } else { p.good };
    strip(ui, color, &notice.text, |ui| {
        if link(ui, "dismiss").clicked() {
            deeds.push(Deed::Dismiss);
        }
    });
}

/// A line across the window with a colour at its left.
fn strip(ui: &mut Ui, color: Color32, text: &str, add: impl FnOnce(&mut Ui)) {
    let frame = Frame::new().fill(color.gamma_multiply(0.14)).corner_radius(CornerRadius::same(5));
    frame.inner_margin(Margin::symmetric(12, 6)).show(ui, |ui| {
        ui.horizontal(|ui| {
            super::spot(ui, color);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                add(ui);
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    ui.add(Label::new(RichText::new(text).font(theme::plain(13.0))).truncate());
                });
            });
        });
    });
}
