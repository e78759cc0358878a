//! How far the search has come: executions by outcome, failures where they were found, the
//! preemption bound, distinct interleavings over time. Counts, and never a share of a guess.

use super::{dim, heading, line};
use crate::model::{Deed, Model, bound_words, plural, state_word, thousands};
use crate::theme::{self, Palette};
use egui::{Align2, Color32, CornerRadius, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};
use raddle_protocol::session::{CoveragePoint, SessionState, State};

pub fn show(ui: &mut Ui, model: &Model, deeds: &mut Vec<Deed>) {
    heading(ui, "Exploration");
    let Some(session) = model.session() else {
        dim(ui, "Nothing has been explored yet.");
        return;
    };
    let (left, middle) = (ui.available_width() * 0.42, ui.available_width() * 0.2);
    let height = ui.available_height();
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 28.0;
        let part = |ui: &mut Ui, width: f32, add: &mut dyn FnMut(&mut Ui)| {
            ui.allocate_ui(vec2(width, height), |ui| {
                ui.set_min_size(vec2(width, height));
                ui.set_max_width(width);
                ui.vertical(|ui| {
                    ui.spacing_mut().item_spacing = vec2(8.0, 5.0);
                    add(ui);
                });
            });
        };
        part(ui, left, &mut |ui| executions(ui, session));
        part(ui, middle, &mut |ui| curve(ui, session));
        let rest = ui.available_width();
        part(ui, rest, &mut |ui| failures(ui, session, deeds));
    });
}

fn executions(ui: &mut Ui, s: &SessionState) {
    let p = Palette::of(ui.ctx());
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 24.0), Sense::hover());
    let c = s.counts;
    let says = format!("{} executions, {} failed, {} waiting", c.executions, c.failed, c.waiting);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &says));
    for (i, color) in cells(p, s, rect.width()).into_iter().enumerate() {
        let total = (c.executions + c.waiting).max(1);
        let width = cell_width(total, rect.width());
        let left = rect.left() + width * i as f32;
        let cell = Rect::from_min_size(pos2(left, rect.top()), vec2(width - 1.5, rect.height()));
        ui.painter().rect_filled(cell, CornerRadius::same(1), color);
    }
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        let mut legend = |name: &str, count: u64, color: Color32, always: bool| {
            if count > 0 || always {
                let (rect, _) = ui.allocate_exact_size(vec2(9.0, 14.0), Sense::hover());
                let square = Rect::from_center_size(rect.center(), vec2(9.0, 9.0));
                ui.painter().rect_filled(square, CornerRadius::same(2), color);
                dim(ui, format!("{} {name}", thousands(count)));
                ui.add_space(8.0);
            }
        };
        legend("passed", c.passed, p.good_quiet, true);
        legend("failed", c.failed, p.alarm, c.deadlocked == 0);
        legend("deadlocked", c.deadlocked, p.alarm, false);
        legend("cut off", c.cut_off, p.faint, false);
        legend("waiting", c.waiting, p.waiting, true);
    });
    dim(ui, pace(s));
}

/// The line of facts.
fn pace(s: &SessionState) -> String {
    let mut parts = vec![state_word(s).to_string()];
    parts.extend(bound_words(s));
    if matches!(s.state, State::Exploring | State::Paused) {
        parts.push(format!("at {}", plural(u64::from(s.bound.current), "preemption")));
        parts.extend(s.estimate.as_ref().map(|e| e.text.clone()));
    }
    if s.rate > 0.0 {
        parts.push(format!("{} executions/s", thousands(s.rate as u64)));
    }
    parts.push(format!("{:.2} s", s.seconds));
    parts.join(" \u{b7} ")
}

fn cell_width(total: u64, width: f32) -> f32 {
    (width / total as f32).clamp(6.5, 44.0)
}

/// The strip: each cell stands for as many executions as any other, and is red where one of them
/// failed.
fn cells(p: &Palette, s: &SessionState, width: f32) -> Vec<Color32> {
    let total = s.counts.executions + s.counts.waiting;
    if total == 0 {
        return Vec::new();
    }
    let fitting = (width / cell_width(total, width)).floor() as u64;
    let count = fitting.min(total).max(1);
    let cell = |k: u64| {
        let (from, to) = (k * total / count, (k + 1) * total / count);
        let failed = s.failures.iter().any(|f| (from..to).contains(&f.found_after.saturating_sub(1)));
        match () {
            () if failed => p.alarm,
            () if from < s.counts.executions => p.good_quiet,
            () => p.waiting,
        }
    };
    (0..count).map(cell).collect()
}

/// Distinct happens-before classes over executions.
fn curve(ui: &mut Ui, s: &SessionState) {
    let p = Palette::of(ui.ctx());
    let last = s.coverage.last().copied().unwrap_or_default();
    let size = vec2(ui.available_width(), (ui.available_height() - 22.0).max(24.0));
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    ui.painter().rect_filled(rect, CornerRadius::same(4), p.raised);
    let points = points(&s.coverage, rect.shrink(5.0));
    if points.len() > 1 {
        ui.painter().line(points, Stroke::new(1.8, p.link));
    } else if let Some(&only) = points.first() {
        ui.painter().circle_filled(only, 2.5, p.link);
    }
    let text = match last.classes {
        0 => "no distinct interleavings counted".to_string(),
        1 => format!("1 distinct in {}", thousands(last.executions)),
        n => format!("{} distinct in {}", thousands(n), thousands(last.executions)),
    };
    dim(ui, text).on_hover_text("Distinct happens-before classes among the executions so far");
}

fn points(coverage: &[CoveragePoint], rect: Rect) -> Vec<egui::Pos2> {
    let Some(last) = coverage.last() else { return Vec::new() };
    let most = coverage.iter().map(|c| c.classes).max().unwrap_or(1).max(1);
    let scale = |c: &CoveragePoint| {
        let x = c.executions as f32 / last.executions.max(1) as f32;
        let y = c.classes as f32 / most as f32;
        pos2(rect.left() + x * rect.width(), rect.bottom() - y * rect.height())
    };
    coverage.iter().map(scale).collect()
}

fn failures(ui: &mut Ui, s: &SessionState, deeds: &mut Vec<Deed>) {
    let p = Palette::of(ui.ctx());
    if !s.error.is_empty() {
        ui.label(egui::RichText::new(&s.error).font(theme::plain(12.5)).color(p.alarm));
        return;
    }
    egui::ScrollArea::vertical().id_salt("failures").auto_shrink(false).show(ui, |ui| {
        if s.failures.is_empty() {
            dim(ui, if s.guarantee.is_empty() { "No failure so far." } else { &s.guarantee });
        }
        for failure in &s.failures {
            let shown = s.shown.as_ref().is_some_and(|shown| shown.schedule == failure.schedule);
            let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 36.0), Sense::click());
            let says = format!("failure {}: {}", failure.kind, failure.message);
            response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &says));
            let fill = if shown {
                p.selected
            } else if response.hovered() {
                p.button
            } else {
                p.raised
            };
            ui.painter().rect_filled(rect, CornerRadius::same(5), fill);
            let bar = Rect::from_min_size(rect.min, vec2(4.0, rect.height()));
            ui.painter().rect_filled(bar, CornerRadius::same(2), p.alarm);
            let text = line(ui, &failure.message, theme::plain(12.5), p.text, rect.width() - 24.0);
            ui.painter().galley(pos2(rect.left() + 14.0, rect.top() + 3.0), text, p.text);
            let below = format!(
                "{} \u{b7} {} \u{b7} after {} \u{b7} {}",
                failure.kind,
                plural(u64::from(failure.preemptions), "preemption"),
                thousands(failure.found_after),
                failure.schedule
            );
            let below = line(ui, &below, theme::plain(11.5), p.dim, rect.width() - 24.0);
            ui.painter().galley(pos2(rect.left() + 14.0, rect.top() + 19.0), below, p.dim);
            if response.clicked() && !shown {
                deeds.push(Deed::ShowSchedule(failure.schedule.clone()));
            }
        }
        for warning in &s.warnings {
            let at = ui.cursor().min;
            ui.painter().text(at, Align2::LEFT_TOP, "!", theme::strong(12.0), p.deciding);
            dim(ui, format!("    {warning}"));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::DARK;
    use raddle_protocol::session::{Counts, SessionFailure};

    fn searched(executions: u64, waiting: u64, found_after: &[u64]) -> SessionState {
        let failure = |&found_after| SessionFailure { found_after, ..SessionFailure::default() };
        SessionState {
            counts: Counts { executions, waiting, ..Counts::default() },
            failures: found_after.iter().map(failure).collect(),
            ..SessionState::default()
        }
    }

    #[test]
    fn few_executions_have_a_cell_each() {
        let cells = cells(&DARK, &searched(5, 3, &[5]), 600.0);
        let (good, bad, wait) = (DARK.good_quiet, DARK.alarm, DARK.waiting);
        assert_eq!(cells, [good, good, good, good, bad, wait, wait, wait]);
    }

    #[test]
    fn many_executions_share_cells_and_a_failure_is_never_lost() {
        let cells = cells(&DARK, &searched(90_000, 10_000, &[45_001]), 650.0);
        assert_eq!(cells.len(), 100);
        assert_eq!(cells.iter().filter(|c| **c == DARK.alarm).count(), 1);
        assert_eq!(cells[45], DARK.alarm);
        assert_eq!((cells[89], cells[90]), (DARK.good_quiet, DARK.waiting));
    }

    #[test]
    fn the_curve_fills_its_field() {
        let at = |executions, classes| CoveragePoint { executions, classes, ..CoveragePoint::default() };
        let rect = Rect::from_min_size(pos2(0.0, 0.0), vec2(100.0, 50.0));
        let points = points(&[at(0, 0), at(10, 4), at(20, 4)], rect);
        assert_eq!(points, [pos2(0.0, 50.0), pos2(50.0, 0.0), pos2(100.0, 0.0)]);
        assert!(super::points(&[], rect).is_empty());
    }
}
