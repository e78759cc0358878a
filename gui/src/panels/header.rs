//! The top of the window: which test, what became of it, its schedule, and what to do with the
//! search. Below it what went wrong between the window and the host, and what was said last.

use super::link;
use crate::model::{Connection, Deed, Model, headline};
use crate::theme::{self, Palette};
use egui::{Align, Button, Color32, CornerRadius, Frame, Layout, Margin, RichText, Ui, vec2};
use raddle_protocol::session::State;

pub fn show(ui: &mut Ui, model: &Model, deeds: &mut Vec<Deed>) {
    ui.horizontal(|ui| {
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            ui.set_min_height(40.0);
            title(ui, model);
        });
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            buttons(ui, model, deeds);
            schedule(ui, model);
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

fn title(ui: &mut Ui, model: &Model) {
    let p = Palette::of(ui.ctx());
    let Some(session) = model.session() else {
        ui.label(RichText::new("Raddle").font(theme::strong(17.0)));
        let text = model.target_name().unwrap_or("no target: open one with `raddle gui TARGET`");
        ui.label(RichText::new(text).font(theme::plain(12.5)).color(p.dim));
        return;
    };
    let name = if session.test.is_empty() { model.named(&session.target) } else { &session.test };
    ui.label(RichText::new(name).font(theme::strong(17.0)));
    ui.label(RichText::new(headline(session)).font(theme::plain(12.5)).color(p.dim));
}

/// The schedule in a field of its own, since it is what people carry away.
fn schedule(ui: &mut Ui, model: &Model) {
    let Some(trace) = model.trace() else { return };
    let p = Palette::of(ui.ctx());
    let frame = Frame::new().fill(p.raised).corner_radius(CornerRadius::same(5));
    frame.inner_margin(Margin::symmetric(12, 3)).show(ui, |ui| {
        ui.spacing_mut().item_spacing.x = 14.0;
        if link(ui, "copy").on_hover_text("Copy the command that replays it").clicked() {
            ui.ctx().copy_text(trace.interleaving.replay.clone());
        }
        let text = super::tail(&trace.schedule, 44);
        ui.label(RichText::new(text).font(theme::mono(12.5))).on_hover_text(&trace.schedule);
        if model.session().and_then(|s| s.shown.as_ref()).is_some_and(|s| s.steered) {
            ui.label(RichText::new("by hand").font(theme::strong(11.5)).color(p.deciding));
        }
    });
}

fn buttons(ui: &mut Ui, model: &Model, deeds: &mut Vec<Deed>) {
    let Some(session) = model.session() else { return };
    let connected = model.connection == Connection::Connected;
    let mut button = |text: &str, key: &str, deed: Deed| {
        let label = RichText::new(text).font(theme::strong(12.5));
        let button = Button::new(label).min_size(vec2(76.0, 27.0));
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
                    ui.add(egui::Label::new(RichText::new(text).font(theme::plain(13.0))).truncate());
                });
            });
        });
    });
}
