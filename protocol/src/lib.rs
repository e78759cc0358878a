//! What Raddle says to other programs. Types of the border only: nothing here knows how a
//! search works, and nothing of a search depends on these shapes.

pub mod report;
