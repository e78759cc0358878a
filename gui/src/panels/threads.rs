//! Every thread at the selected instant, and the choice that can be made there: who runs next, or
//! a search of everything that begins so.

use super::{dim, heading, line, link, pill};
use crate::model::{Connection, Deed, Model, Trace};
use crate::standing::{self, Doing, Standing};
use crate::theme::{self, Palette};
use egui::{Button, RichText, Role, Sense, Ui, WidgetInfo, pos2, vec2};

/// What it would like to have.
pub fn height(model: &Model) -> f32 {
    let threads = model.trace().map_or(2, |t| t.lanes.threads.len());
    114.0 + 23.0 * threads as f32 + if model.saved.is_some() { 26.0 } else { 0.0 }
}

pub fn show(ui: &mut Ui, model: &Model, deeds: &mut Vec<Deed>) {
    let Some(trace) = model.trace() else {
        heading(ui, "Threads");
        dim(ui, "No execution is shown.");
        return;
    };
    heading(ui, format!("Threads at {}", model.instant()));
    let room = (ui.available_height() - 64.0 - if model.saved.is_some() { 26.0 } else { 0.0 }).max(20.0);
    let names = names(ui, trace);
    egui::ScrollArea::vertical().id_salt("threads").max_height(room).auto_shrink([false, true]).show(
        ui,
        |ui| {
            for (lane, standing) in
                standing::standing(&trace.interleaving, &trace.lanes, model.selected).iter().enumerate()
            {
                let name = trace.interleaving.threads.get(lane).map_or("", |t| t.name.as_str());
                row(ui, standing, name, names);
            }
        },
    );
    ui.add_space(4.0);
    steering(ui, model, deeds);
    others(ui, model, trace, deeds);
    saved(ui, model);
}

/// Width of the column of names.
fn names(ui: &Ui, trace: &Trace) -> f32 {
    let width = |name: &str| line(ui, name, theme::plain(12.5), egui::Color32::WHITE, 130.0).size().x;
    trace.interleaving.threads.iter().map(|t| width(&t.name)).fold(0.0, f32::max)
}

fn row(ui: &mut Ui, s: &Standing, name: &str, names: f32) {
    let p = Palette::of(ui.ctx());
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 17.0), Sense::hover());
    let says = format!("T{} {}", s.thread, s.text);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &says));
    let color = if matches!(s.doing, Doing::Ended | Doing::Unborn) { p.faint } else { p.thread(s.thread) };
    let painter = ui.painter();
    painter.circle_filled(pos2(rect.left() + 5.0, rect.center().y), 4.5, color);
    let mut at = rect.left() + 20.0;
    let mut put = |text: &str, font, color, width: f32, step: f32| {
        let galley = line(ui, text, font, color, width);
        painter.galley(pos2(at, rect.center().y - galley.size().y / 2.0), galley, color);
        at += step;
    };
    put(&format!("T{}", s.thread), theme::strong(12.5), p.text, 40.0, 34.0);
    put(name, theme::plain(12.5), p.dim, names, names + 16.0);
    let color = match s.doing {
        Doing::Runs => p.text,
        Doing::Ended | Doing::Unborn => p.faint,
        _ => p.dim,
    };
    let place = s.location.as_ref().map(super::short_place).unwrap_or_default();
    let galley = line(ui, &place, theme::mono(11.5), p.faint, 140.0);
    let left = rect.left() + 70.0 + names;
    put(&s.text, theme::plain(12.5), color, (rect.right() - left - galley.size().x - 10.0).max(60.0), 0.0);
    let at = pos2(rect.right() - galley.size().x, rect.center().y - galley.size().y / 2.0);
    ui.painter().galley(at, galley, p.faint);
}

fn steering(ui: &mut Ui, model: &Model, deeds: &mut Vec<Deed>) {
    let p = Palette::of(ui.ctx());
    let free = model.connection == Connection::Connected && model.is_settled();
    ui.horizontal(|ui| {
        ui.set_min_height(28.0);
        let Some(point) = model.point() else {
            dim(ui, "No choice is left after this.");
            return;
        };
        dim(ui, "run next:")
            .on_hover_text(format!("The thread that runs at step {}; the digits do the same", point.step));
        for &thread in &point.enabled {
            let chosen = thread == point.thread;
            let text = format!("T{thread}");
            if pill(ui, &text, p.thread(thread), chosen, free).clicked() {
                deeds.push(Deed::RunNext(thread));
            }
        }
        ui.add_space(8.0);
        let anything =
            model.trace().and_then(|t| standing::point_before(&t.interleaving, model.selected)).is_some();
        let here = Button::new(RichText::new("search here").font(theme::strong(12.5)));
        let hint = "Search everything that begins like what lies above this step (F)";
        if ui.add_enabled(free && anything, here).on_hover_text(hint).clicked() {
            deeds.push(Deed::SearchHere);
        }
        if model.steering {
            dim(ui, "running\u{2026}");
        }
    });
}

fn others(ui: &mut Ui, model: &Model, trace: &Trace, deeds: &mut Vec<Deed>) {
    let connected = model.connection == Connection::Connected;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        let mut offer = |text: &str, hint: &str, enabled: bool, deed: Deed| {
            if ui.add_enabled_ui(enabled, |ui| link(ui, text)).inner.on_hover_text(hint).clicked() {
                deeds.push(deed);
            }
        };
        offer("undo", "Take the last choice back (U)", connected && model.can_undo(), Deed::Undo);
        offer("save schedule", "Keep it beside the target (S)", connected, Deed::Save);
        let first = model.session().and_then(|s| s.failures.first()).map(|f| f.schedule.clone());
        if let Some(first) = first.filter(|f| *f != trace.schedule) {
            offer("show the failure", "Back to what the search found", connected, Deed::ShowSchedule(first));
        }
    });
}

/// Where it was kept, and the command that runs it.
fn saved(ui: &mut Ui, model: &Model) {
    let Some(saved) = &model.saved else { return };
    let p = Palette::of(ui.ctx());
    ui.horizontal(|ui| {
        super::spot(ui, p.good);
        ui.label(RichText::new("saved").font(theme::strong(12.0)));
        if link(ui, "copy command").clicked() {
            ui.ctx().copy_text(saved.replay.clone());
        }
        let text = RichText::new(&saved.replay).font(theme::mono(12.0)).color(p.dim);
        ui.add(egui::Label::new(text).truncate()).on_hover_text(model.short(&saved.file));
    });
}
