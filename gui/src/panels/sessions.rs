//! The left side: the tests of the target, each with a button that explores it, and the sessions
//! of the host, whoever began them.

use super::{dim, heading, line, link};
use crate::model::{Connection, Deed, Model, plural, state_word};
use crate::theme::{self, Palette};
use egui::{Align, Align2, Color32, CornerRadius, Layout, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use raddle_protocol::report::Verdict;
use raddle_protocol::session::{SessionState, State};

pub fn tests(ui: &mut Ui, model: &Model, deeds: &mut Vec<Deed>) {
    heading(ui, "Tests");
    if let Some(target) = model.target_name() {
        dim(ui, super::tail(target, 34));
    }
    if !model.tests_error.is_empty() {
        let p = Palette::of(ui.ctx());
        ui.label(egui::RichText::new(&model.tests_error).font(theme::plain(12.0)).color(p.alarm));
        return;
    }
    let Some(tests) = &model.tests else {
        let text = if model.target.is_some() { "looking\u{2026}" } else { "No target was named." };
        dim(ui, text);
        return;
    };
    if tests.tests.is_empty() {
        dim(ui, "It has no tests.");
    }
    for test in &tests.tests {
        // The newest session of a test says how it stands.
        let session = model.sessions.values().rev().find(|s| s.test == test.name);
        test_row(ui, model, &test.name, session, deeds);
    }
}

fn test_row(ui: &mut Ui, model: &Model, name: &str, s: Option<&SessionState>, deeds: &mut Vec<Deed>) {
    let p = Palette::of(ui.ctx());
    let enabled = model.connection == Connection::Connected;
    ui.horizontal(|ui| {
        super::spot(ui, s.map_or(p.waiting, |s| color(p, s)));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let response =
                ui.add_enabled_ui(enabled, |ui| link(ui, "\u{25b6}")).inner.on_hover_text("Explore");
            let says = format!("Explore {name}");
            response.widget_info(|| WidgetInfo::labeled(Role::Button, enabled, &says));
            if response.clicked() {
                deeds.push(Deed::Explore(name.to_string()));
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let text = egui::RichText::new(short_name(name)).font(theme::plain(12.5));
                ui.add(egui::Label::new(text).truncate()).on_hover_text(name);
            });
        });
    });
}

/// What of a qualified name tells tests apart.
fn short_name(name: &str) -> String {
    super::tail(name, 40)
}

pub fn sessions(ui: &mut Ui, model: &Model, deeds: &mut Vec<Deed>) {
    heading(ui, "Sessions");
    if model.sessions.is_empty() {
        dim(ui, "None yet.");
        return;
    }
    for session in model.sessions.values().rev() {
        if session_row(ui, session, model.current == Some(session.session)) {
            deeds.push(Deed::Look(session.session));
        }
    }
}

/// Draws a session; whether it was clicked.
fn session_row(ui: &mut Ui, s: &SessionState, current: bool) -> bool {
    let p = Palette::of(ui.ctx());
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 40.0), Sense::click());
    let says = format!("session {} {} {}", s.session, s.test, state_word(s));
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &says));
    let fill = match (current, response.hovered()) {
        (true, _) => p.selected,
        (false, true) => p.raised,
        _ => Color32::TRANSPARENT,
    };
    let painter = ui.painter();
    painter.rect_filled(rect.expand2(vec2(6.0, 0.0)), CornerRadius::same(5), fill);
    painter.circle_filled(pos2(rect.left() + 5.0, rect.top() + 14.0), 4.5, color(p, s));
    let left = rect.left() + 18.0;
    let name = if s.test.is_empty() { &s.target } else { &s.test };
    let name = line(ui, name, theme::strong(12.5), p.text, rect.right() - left - 26.0);
    painter.galley(pos2(left, rect.top() + 5.0), name, p.text);
    let number = format!("#{}", s.session);
    painter.text(pos2(rect.right(), rect.top() + 6.0), Align2::RIGHT_TOP, number, theme::mono(11.0), p.faint);
    let below = line(ui, &status(s), theme::plain(11.5), p.dim, rect.right() - left);
    painter.galley(pos2(left, rect.top() + 22.0), below, p.dim);
    response.clicked()
}

fn status(s: &SessionState) -> String {
    let mut text = format!("{} \u{b7} {}", state_word(s), plural(s.counts.executions, "execution"));
    if let Some(below) = &s.below {
        text.push_str(&format!(" \u{b7} below {below}"));
    }
    text
}

/// A session's state as a colour. Red is for failures alone.
fn color(p: &Palette, s: &SessionState) -> Color32 {
    match (s.state, s.verdict) {
        _ if !s.failures.is_empty() => p.alarm,
        (State::Done, Some(Verdict::Passed)) => p.good,
        (State::Done, Some(Verdict::Failed | Verdict::Error)) => p.alarm,
        (State::Done, _) => p.faint,
        (State::Paused, _) => p.deciding,
        _ => p.link,
    }
}
