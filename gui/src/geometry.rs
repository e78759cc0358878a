//! Places of rows and lanes: what [`crate::layout`] has counted, in points from the top left of the
//! drawing.

use crate::layout::Switch;
use egui::{Pos2, Rangef, Rect, pos2, vec2};
use std::ops::Range;

/// Where rows and lanes are, in points from the top left of the drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Geometry {
    /// Width of one lane.
    pub lane: f32,
    /// Number of lanes.
    pub lanes: usize,
}

/// Left of the lanes, for step numbers.
pub const GUTTER: f32 = 46.0;
/// From one row to the next.
pub const ROW: f32 = 34.0;
/// Height of an operation's box.
const BOX: f32 = 26.0;
/// Between a lane's edge and its blocks.
const AIR: f32 = 7.0;
/// Between a block's edge and its boxes.
const INSET: f32 = 6.0;
/// Above the first row.
const TOP: f32 = 6.0;

impl Geometry {
    /// Lanes share the width, within reason.
    pub fn new(width: f32, lanes: usize) -> Geometry {
        let each = (width - GUTTER) / lanes.max(1) as f32;
        Geometry { lane: each.clamp(168.0, 290.0), lanes }
    }

    /// Width of everything.
    pub fn width(&self) -> f32 {
        GUTTER + self.lane * self.lanes as f32
    }

    /// Height of so many rows.
    pub fn height(&self, rows: u32) -> f32 {
        TOP * 2.0 + ROW * rows as f32
    }

    /// Middle of a lane.
    pub fn middle(&self, lane: usize) -> f32 {
        GUTTER + self.lane * (lane as f32 + 0.5)
    }

    /// Upper edge of a row.
    pub fn top(&self, row: u32) -> f32 {
        TOP + ROW * row as f32
    }

    /// Background of a run.
    pub fn block(&self, lane: usize, rows: &Range<u32>) -> Rect {
        let left = GUTTER + self.lane * lane as f32 + AIR;
        let from = pos2(left, self.top(rows.start) - 1.0);
        Rect::from_min_max(from, pos2(left + self.lane - 2.0 * AIR, self.top(rows.end) + 1.0))
    }

    /// Box of an operation.
    pub fn operation(&self, lane: usize, row: u32) -> Rect {
        let left = GUTTER + self.lane * lane as f32 + AIR + INSET;
        let size = vec2(self.lane - 2.0 * (AIR + INSET), BOX);
        Rect::from_min_size(pos2(left, self.top(row) + (ROW - BOX) / 2.0), size)
    }

    /// Box in a row across all lanes, as far as they show.
    pub fn across(&self, row: u32, shown: Rangef) -> Rect {
        let (first, last) = (self.operation(0, row), self.operation(self.lanes.saturating_sub(1), row));
        let left = first.left().max(shown.min + INSET);
        let right = last.right().min(shown.max - INSET).max(left);
        Rect::from_x_y_ranges(left..=right, first.y_range())
    }

    /// Hatched area of a wait.
    pub fn wait(&self, lane: usize, rows: &Range<u32>) -> Rect {
        let half = vec2(13.0, 0.0);
        let (from, to) = (pos2(self.middle(lane), self.top(rows.start)), self.top(rows.end));
        Rect::from_min_max(from - half, pos2(self.middle(lane), to) + half)
    }

    /// Rows that show between two heights.
    pub fn visible(&self, from: f32, to: f32, rows: u32) -> Range<u32> {
        let first = ((from - TOP) / ROW).floor().max(0.0) as u32;
        let last = ((to - TOP) / ROW).ceil().max(0.0) as u32;
        first.min(rows)..last.min(rows)
    }

    /// The mark of a preemption: between the two lanes, where the one run ends and the other begins.
    pub fn mark(&self, switch: &Switch) -> Pos2 {
        let middle = (self.middle(switch.from) + self.middle(switch.to)) / 2.0;
        pos2(middle, self.top(switch.row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let g = Geometry::new(GUTTER + 600.0, 3);
        assert_eq!((g.lane, g.width()), (200.0, GUTTER + 600.0));
        assert_eq!(Geometry::new(GUTTER + 600.0, 20).lane, 168.0, "narrower lanes scroll");
        assert_eq!(g.top(1) - g.top(0), ROW);
        let (block, first, second) = (g.block(1, &(4..6)), g.operation(1, 4), g.operation(1, 5));
        assert!(block.contains_rect(first) && block.contains_rect(second));
        assert!(!first.intersects(second) && !block.intersects(g.block(2, &(4..6))));
        assert_eq!(first.center().x, g.middle(1));
    }

    #[test]
    fn across_all_lanes_that_show() {
        let g = Geometry::new(GUTTER + 600.0, 3);
        let whole = g.across(4, Rangef::new(0.0, 2000.0));
        assert_eq!(whole, g.operation(0, 4).union(g.operation(2, 4)));
        let part = g.across(4, Rangef::new(300.0, 500.0));
        assert_eq!(part.x_range(), Rangef::new(300.0 + INSET, 500.0 - INSET));
        assert!(g.across(4, Rangef::new(300.0, 300.0)).width() >= 0.0);
    }

    #[test]
    fn only_rows_that_show_are_drawn() {
        let g = Geometry::new(900.0, 3);
        assert_eq!(g.visible(0.0, ROW * 10.0, 20_000).start, 0);
        let middle = g.visible(g.top(10_000), g.top(10_020), 20_000);
        assert_eq!(middle, 10_000..10_020);
        assert_eq!(g.visible(g.height(20_000), g.height(20_000) + 500.0, 20_000), 20_000..20_000);
    }
}
