//! Curves as SVG: a [`Figure`] has rows of panels, a panel has two axes, lines and marks. It draws
//! what coverage pictures need and nothing else; no file, no font and no style sheet from elsewhere
//! is referred to, and the picture has a background of its own, so that it reads on any page.

mod axis;
mod draw;

pub use axis::{Axis, grouped};

/// A picture.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    /// The heading.
    pub title: String,
    /// Lines below it.
    pub notes: Vec<String>,
    /// Rows of panels.
    pub rows: Vec<Row>,
}

/// Panels beside each other.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// What they are about.
    pub title: String,
    /// Lines below that.
    pub notes: Vec<String>,
    /// The panels.
    pub panels: Vec<Panel>,
}

/// Lines between two axes.
#[derive(Clone, Debug)]
pub struct Panel {
    /// What is seen.
    pub title: String,
    /// To the right.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// The lines, in the order of the legend.
    pub lines: Vec<Line>,
    /// Places on the axis to the right.
    pub marks: Vec<Mark>,
    /// What the marks are; said once, where there are any.
    pub marked: String,
}

/// One line.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// For the legend.
    pub name: String,
    /// From left to right.
    pub points: Vec<(f64, f64)>,
    /// Each point is told apart.
    pub dots: bool,
}

/// A place on the axis to the right.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Where.
    pub x: f64,
    /// Its name, short.
    pub name: String,
}

impl Figure {
    /// The picture's text.
    pub fn svg(&self) -> String {
        draw::figure(self)
    }
}
