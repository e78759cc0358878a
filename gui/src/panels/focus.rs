//! What the search prefers: functions and variables with check boxes, and how often it did.

use super::{caption, dim, heading, line};
use crate::model::{Deed, Model, thousands};
use crate::theme::{self, Palette};
use egui::{Align2, Color32, CornerRadius, Sense, Ui, pos2, vec2};
use raddle_protocol::session::{FocusState, VariableItem};

pub fn show(ui: &mut Ui, model: &Model, deeds: &mut Vec<Deed>) {
    heading(ui, "Focus");
    let nothing = model.focus.methods.is_empty() && model.focus.variables.is_empty();
    let text = if nothing {
        "Tick what the search should prefer."
    } else {
        "The search prefers switches between these."
    };
    dim(ui, text);
    if let Some(session) = model.session().filter(|_| !nothing) {
        bars(ui, &session.focus);
    }
    let tests = model.tests.as_ref();
    let methods: Vec<String> =
        tests.iter().flat_map(|t| &t.methods).filter(|m| m.points > 0).map(|m| m.name.clone()).collect();
    let variables: Vec<String> = tests.iter().flat_map(|t| &t.variables).map(named).collect();
    names(ui, "Functions", &methods, &model.focus.methods, &mut |name, on| {
        deeds.push(Deed::FocusMethod(name, on));
    });
    names(ui, "Variables", &variables, &model.focus.variables, &mut |name, on| {
        deeds.push(Deed::FocusVariable(name, on));
    });
}

/// A variable as reports name it.
fn named(variable: &VariableItem) -> String {
    variable.name.clone()
}

/// Check boxes: what the target has, and what another face named besides.
fn names(ui: &mut Ui, title: &str, known: &[String], on: &[String], toggle: &mut dyn FnMut(String, bool)) {
    let others = on.iter().filter(|n| !known.contains(n));
    let mut all: Vec<&String> = others.chain(known).collect();
    all.dedup();
    if all.is_empty() {
        return;
    }
    ui.add_space(4.0);
    caption(ui, title);
    for name in all {
        let mut ticked = on.contains(name);
        let text = egui::RichText::new(super::tail(name, 27)).font(theme::mono(12.0));
        if ui.checkbox(&mut ticked, text).on_hover_text(name).changed() {
            toggle(name.clone(), ticked);
        }
    }
}

/// High, medium and low, each as a bar of their sum.
fn bars(ui: &mut Ui, focus: &FocusState) {
    let p = Palette::of(ui.ctx());
    let sum = (focus.high + focus.medium + focus.low).max(1);
    bar(ui, "high", focus.high, sum, p.deciding);
    bar(ui, "medium", focus.medium, sum, p.link);
    bar(ui, "low", focus.low, sum, p.waiting);
}

fn bar(ui: &mut Ui, name: &str, count: u64, sum: u64, color: Color32) {
    let p = Palette::of(ui.ctx());
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 16.0), Sense::hover());
    let says = format!("{name} {count}");
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &says));
    let label = line(ui, name, theme::plain(11.5), p.dim, 50.0);
    ui.painter().galley(pos2(rect.left(), rect.top() + 1.0), label, p.dim);
    let track = egui::Rect::from_min_max(
        pos2(rect.left() + 54.0, rect.center().y - 3.0),
        pos2(rect.right() - 56.0, rect.center().y + 3.0),
    );
    ui.painter().rect_filled(track, CornerRadius::same(3), p.raised);
    let full = track.with_max_x(track.left() + track.width() * (count as f32 / sum as f32));
    ui.painter().rect_filled(full, CornerRadius::same(3), color);
    let at = pos2(rect.right(), rect.center().y);
    ui.painter().text(at, Align2::RIGHT_CENTER, thousands(count), theme::mono(11.0), p.text);
}
