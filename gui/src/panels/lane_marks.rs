//! The marks in the lanes: hatching for waits, a red curve with a number for a preemption.

use crate::geometry::Geometry;
use crate::layout::Switch;
use crate::theme::{self, Palette};
use egui::epaint::CubicBezierShape;
use egui::{Align2, Color32, Painter, Pos2, Rect, Stroke, Vec2, pos2, vec2};

/// Between two lines of a hatch.
const HATCH: f32 = 7.0;

/// Hatches an area with lines at half a right angle. They hang on the absolute height, so that a
/// part of an area looks like that part of the whole.
pub fn hatch(painter: &Painter, p: &Palette, area: Rect) {
    let painter = painter.with_clip_rect(painter.clip_rect().intersect(area));
    let stroke = Stroke::new(1.0, p.faint.gamma_multiply(0.75));
    let width = area.width();
    let first = ((area.top() - area.left() % HATCH) / HATCH).floor() * HATCH;
    let mut y = first;
    while y < area.bottom() + width {
        painter.line_segment([pos2(area.left(), y), pos2(area.right(), y - width)], stroke);
        y += HATCH;
    }
}

/// The way of a preemption from lane to lane.
pub fn curve(painter: &Painter, geometry: &Geometry, origin: Vec2, switch: &Switch) {
    let p = Palette::of(painter.ctx());
    let y = geometry.top(switch.row) + origin.y;
    let (from, to) = (geometry.middle(switch.from) + origin.x, geometry.middle(switch.to) + origin.x);
    let points = [pos2(from, y - 1.0), pos2(from, y + 8.0), pos2(to, y - 9.0), pos2(to, y + 2.0)];
    let stroke = Stroke::new(2.4, p.alarm);
    painter.add(CubicBezierShape::from_points_stroke(points, false, Color32::TRANSPARENT, stroke));
}

/// The number of a preemption in the middle of its curve, and what it is.
pub fn mark(painter: &Painter, geometry: &Geometry, origin: Vec2, switch: &Switch) {
    let p = Palette::of(painter.ctx());
    let at = geometry.mark(switch) + origin;
    number(painter, p, at, switch.number, 10.5);
    let holding = if switch.holding.is_empty() {
        "preempted".to_string()
    } else {
        format!("preempted holding {}", switch.holding.join(", "))
    };
    // On the side of the lane that was left, which is free below the switch.
    let (align, shift) =
        if switch.from < switch.to { (Align2::RIGHT_TOP, -16.0) } else { (Align2::LEFT_TOP, 16.0) };
    painter.text(at + vec2(shift, 8.0), align, holding, theme::strong(11.5), p.alarm);
}

/// A number in a red disc.
pub fn number(painter: &Painter, p: &Palette, at: Pos2, number: u32, radius: f32) {
    painter.circle_filled(at, radius, p.alarm);
    painter.text(at, Align2::CENTER_CENTER, number, theme::strong(radius + 1.5), p.on_alarm);
}
