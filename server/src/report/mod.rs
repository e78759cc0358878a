//! Reports: one run as text, pages and files for people and programs.

pub mod coverage;
pub mod details;
pub mod diff;
pub mod files;
pub mod guarantees;
pub mod html;
pub mod human;
pub mod junit;
pub mod kept;
pub mod last;
pub mod run_report;
#[cfg(test)]
mod sample;
pub mod sarif;
