//! The engine: decides which plan comes next and what the traces mean.
//!
//! `Search = granularity × reduction × bound × order × memory of states`; each axis is a small
//! trait with one file per value, and [`combination::check`] refuses the unsound combinations.
//! [`search::Search`] is one search that lives: it can be stepped, paused and gone on with;
//! [`search`](search::search) runs one to its end.
//!
//! Invariant: nothing in here knows processes, files or clocks. Plans go out and traces come
//! back through the [`executor::Executor`] trait, which [`simulated`] implements over programs
//! of a few instructions, so that every strategy is tested against brute force.

pub mod analysis;
pub mod bound;
pub mod combination;
pub mod config;
pub mod estimate;
pub mod executor;
pub mod fair;
pub mod focus;
pub mod guarantee;
pub mod happens_before;
pub mod minimise;
#[doc(hidden)]
pub mod mutants;
pub mod naming;
pub mod order;
pub mod points;
pub mod portfolio;
pub mod prefix;
pub mod realign;
mod record;
pub mod reduction;
pub mod search;
pub mod simulated;
pub mod single_trace;
pub mod states;
pub mod summary;
mod threads_without_points;
pub mod tree;

pub use combination::{Refusal, check};
pub use config::{Bound, Config, Order, PointsIn, Reduce, States};
pub use estimate::{Confidence, Estimate};
pub use executor::{Executor, ExecutorError};
pub use focus::{Operation, Selection};
#[doc(hidden)]
pub use mutants::Mutant;
pub use portfolio::Portfolio;
pub use prefix::Prefix;
pub use search::{Control, Error, Levels, Progress, Search, search};
pub use summary::{
    Access, Audit, Blocked, Failure, FailureKind, PossibleWaker, Race, Refused, Round, Share, StopReason,
    Summary, Unprotected, Wait, WaitCycle, Wanted, Warning, WarningKind, Ways,
};
