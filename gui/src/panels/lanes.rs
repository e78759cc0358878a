//! One frame of the lanes: the grounds first, then the operations of the rows that show, then the
//! marks of preemptions.

use super::{elide, lane_marks, line};
use crate::geometry::{Geometry, ROW};
use crate::layout::End;
use crate::model::{Deed, Model, Trace};
use crate::theme::{self, Palette};
use egui::{
    Align2, CornerRadius, Painter, Rect, Role, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, pos2, vec2,
};
use raddle_protocol::interleaving::Step;
use std::ops::Range;

/// One frame of the lanes.
pub struct Drawing<'a> {
    /// What is selected.
    pub model: &'a Model,
    /// The execution.
    pub trace: &'a Trace,
    /// Places from the top left.
    pub geometry: Geometry,
    /// Where the top left is.
    pub origin: Vec2,
}

impl Drawing<'_> {
    /// Draws what lies in the viewport; clicks become deeds.
    pub fn draw(&self, ui: &mut Ui, viewport: Rect, deeds: &mut Vec<Deed>) {
        let lanes = &self.trace.lanes;
        let rows = self.geometry.visible(viewport.top(), viewport.bottom(), lanes.rows());
        self.grounds(ui, &rows);
        for switch in lanes.switches.iter().filter(|s| rows.start <= s.row && s.row <= rows.end) {
            lane_marks::curve(ui.painter(), &self.geometry, self.origin, switch);
        }
        for row in rows.start..rows.end.min(lanes.operations) {
            if self.row(ui, row) {
                deeds.push(Deed::Select(row));
            }
        }
        for end in lanes.ends.iter().filter(|e| rows.contains(&e.row)) {
            if self.end(ui, viewport, end) {
                deeds.push(Deed::Select(lanes.operations));
            }
        }
        for switch in lanes.switches.iter().filter(|s| rows.start <= s.row && s.row <= rows.end) {
            lane_marks::mark(ui.painter(), &self.geometry, self.origin, switch);
        }
    }

    /// What lies behind the operations: lanes, waits, runs.
    fn grounds(&self, ui: &Ui, rows: &Range<u32>) {
        let (p, lanes, painter) = (Palette::of(ui.ctx()), &self.trace.lanes, ui.painter());
        for lane in 0..lanes.threads.len() {
            let life = lanes.lives[lane].start.max(rows.start)..lanes.lives[lane].end.min(rows.end);
            if !life.is_empty() {
                let x = self.geometry.middle(lane) + self.origin.x;
                let y = (self.geometry.top(life.start) + self.origin.y)
                    ..=(self.geometry.top(life.end) + self.origin.y);
                painter.vline(x, y, Stroke::new(2.0, p.line));
            }
            for wait in overlapping(&lanes.waits[lane], rows) {
                let shown = wait.start.max(rows.start)..wait.end.min(rows.end);
                lane_marks::hatch(painter, p, self.geometry.wait(lane, &shown).translate(self.origin));
            }
        }
        let first = lanes.blocks.partition_point(|b| b.rows.end <= rows.start);
        for block in lanes.blocks[first..].iter().take_while(|b| b.rows.start < rows.end) {
            let color = p.thread(lanes.threads[block.lane]).gamma_multiply(0.085);
            let rect = self.geometry.block(block.lane, &block.rows).translate(self.origin);
            painter.rect_filled(rect, CornerRadius::same(8), color);
        }
    }

    /// Draws an operation; whether its row was clicked.
    fn row(&self, ui: &mut Ui, row: u32) -> bool {
        let Some(event) = self.trace.interleaving.events.get(row as usize) else { return false };
        let Some(lane) = self.trace.lanes.lane(event.thread) else { return false };
        let p = Palette::of(ui.ctx());
        let top = pos2(self.origin.x, self.geometry.top(row) + self.origin.y);
        let across = Rect::from_min_size(top, vec2(self.geometry.width(), ROW));
        let response = ui.interact(across, ui.scope_id().with(("row", row)), Sense::click());
        let says = match event.step {
            Some(step) => format!("step {step}: T{} {}", event.thread, event.text),
            None => format!("T{} {}", event.thread, event.text),
        };
        let selected = self.model.selected == row;
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, selected, &says));
        let painter = ui.painter();
        if selected {
            painter.rect_filled(across, CornerRadius::same(5), p.selected.gamma_multiply(0.35));
        }
        let number = event.step.map_or_else(|| "\u{b7}".to_string(), |s| s.to_string());
        let color = if selected { p.text } else { p.faint };
        let at = pos2(across.left() + 30.0, across.center().y);
        painter.text(at, Align2::RIGHT_CENTER, number, theme::mono(11.0), color);
        self.operation(ui, painter, lane, row, event, selected, response.hovered());
        let clicked = response.clicked();
        if response.hovered() {
            response.on_hover_text(about(event));
        }
        clicked
    }

    #[expect(clippy::too_many_arguments, reason = "all of it is how one box looks")]
    fn operation(
        &self,
        ui: &Ui,
        painter: &Painter,
        lane: usize,
        row: u32,
        event: &Step,
        selected: bool,
        hovered: bool,
    ) {
        let p = Palette::of(ui.ctx());
        let rect = self.geometry.operation(lane, row).translate(self.origin);
        let fill = match () {
            () if selected => p.selected,
            () if hovered => p.button,
            () => p.raised,
        };
        let quiet = event.step.is_none();
        painter.rect_filled(rect, CornerRadius::same(5), if quiet && !selected { p.ground } else { fill });
        let bar = Rect::from_min_size(rect.min, vec2(4.0, rect.height()));
        let color = p.thread(event.thread);
        painter.rect_filled(
            bar,
            CornerRadius::same(2),
            if quiet { color.gamma_multiply(0.4) } else { color },
        );
        if self.trace.lanes.deciding.get(row as usize) == Some(&true) {
            painter.rect_stroke(
                rect,
                CornerRadius::same(5),
                Stroke::new(1.6, p.deciding),
                StrokeKind::Inside,
            );
        }
        let aside = aside(event);
        let value = line(ui, &aside, theme::mono(11.5), p.dim, rect.width() * 0.45);
        let room = rect.width() - 24.0 - value.size().x;
        let text = deed(event);
        let color = if quiet || !event.matters && event.operation == "read" { p.dim } else { p.text };
        let text = elide::operation(ui, &text, theme::mono(12.0), color, room);
        let middle = rect.center().y;
        painter.galley(pos2(rect.left() + 12.0, middle - text.size().y / 2.0), text, color);
        let at = pos2(rect.right() - 8.0 - value.size().x, middle - value.size().y / 2.0);
        painter.galley(at, value, p.dim);
    }

    /// Draws what is said once nothing runs any more; whether it was clicked. In its lane if there is
    /// room; else, where the row has no other, across all lanes that show, never over one neighbour.
    fn end(&self, ui: &mut Ui, viewport: Rect, end: &End) -> bool {
        let p = Palette::of(ui.ctx());
        let (font, text) = (theme::mono(12.0), end.text.as_str());
        let lane = self.geometry.operation(end.lane, end.row);
        let wide = ui.painter().layout_no_wrap(text.to_string(), font.clone(), p.text).size().x + 22.0;
        let alone = self.trace.lanes.ends.len() == 1;
        let across = alone && wide > lane.width();
        let place = if across { self.geometry.across(end.row, viewport.x_range()) } else { lane };
        let rect = place.translate(self.origin);
        let response = ui.interact(rect, ui.scope_id().with(("end", end.lane)), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, text));
        let painter = ui.painter();
        let fill = if self.model.selected >= end.row { p.selected } else { p.raised };
        painter.rect_filled(rect, CornerRadius::same(5), fill);
        let bar = Rect::from_min_size(rect.min, vec2(6.0, rect.height()));
        painter.rect_filled(bar, CornerRadius::same(2), p.thread(self.trace.lanes.threads[end.lane]));
        painter.rect_stroke(rect, CornerRadius::same(5), Stroke::new(1.8, p.alarm), StrokeKind::Inside);
        let room = rect.width() - 22.0;
        // A message begins with what matters; what a thread waits for may end with it.
        let galley = if alone {
            line(ui, text, font, p.text, room)
        } else {
            elide::operation(ui, text, font, p.text, room)
        };
        painter.galley(pos2(rect.left() + 14.0, rect.center().y - galley.size().y / 2.0), galley, p.text);
        response.on_hover_text(text).clicked()
    }
}

/// What stands at the right of an operation.
fn aside(event: &Step) -> String {
    let value = event.value.clone().unwrap_or_default();
    match (event.failed, value.is_empty()) {
        (true, true) => "fails".to_string(),
        (true, false) => format!("{value} fails"),
        _ => value,
    }
}

/// What an operation is; a thread's start and end are in its lane anyhow.
fn deed(event: &Step) -> String {
    match event.operation.as_str() {
        "start" | "exit" => event.operation.clone(),
        operation => format!("{operation} {}", event.object).trim_end().to_string(),
    }
}

/// Everything about an operation.
fn about(event: &Step) -> String {
    let mut text = format!("T{} {}", event.thread, event.text);
    if !event.method.is_empty() {
        text.push_str(&format!("\nin {}", event.method));
    }
    if let Some(at) = &event.location {
        text.push_str(&format!("\n{}:{}", at.file, at.line));
    }
    text
}

/// The ranges, in order and apart, that share a row with this one.
fn overlapping<'a>(ranges: &'a [Range<u32>], rows: &Range<u32>) -> impl Iterator<Item = &'a Range<u32>> {
    let first = ranges.partition_point(|r| r.end <= rows.start);
    let end = rows.end;
    ranges[first..].iter().take_while(move |r| r.start < end)
}
