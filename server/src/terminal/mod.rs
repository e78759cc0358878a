//! Text on a terminal: colours, columns, line breaks, and what may be printed of a program's own text.

pub mod clean;
pub mod numbers;
pub mod paint;
mod symbols;
pub mod text;
pub mod wrap;
