//! The engine beside brute force: one program, so that what the tests share is compiled once.
//!
//! `cargo test -p raddle-engine --release --test all births` runs one file of them; RADDLE_PROGRAMS=5000 compares as many random
//! programs where a file compares some.

mod common;

mod births;
mod bounds;
mod classes;
mod commuting;
mod counts;
mod coverage;
mod deciding;
mod default_search;
mod depth;
mod disciplined;
mod endings;
mod estimate;
mod exit_block;
mod fair_searches;
mod fairness;
mod focus;
mod found;
mod guarantees;
mod lifetimes;
mod lock_order;
mod lockset;
mod minimise;
mod mutants;
mod notifies;
mod orders;
mod polling;
mod portfolio;
mod process_ends;
mod promotion;
mod races;
mod realign;
mod reductions;
mod refusals;
mod rounds;
mod rules;
mod safe_programs;
mod samplers;
mod search;
mod sleeping;
mod spill;
mod spinning;
mod states;
mod wait_cycles;
mod walk;
