//! What "passed" and "failed" promise: each kind of wrong verdict that strangers met, with its right value.

mod await_loops;
mod build_order;
mod compare_exchanges;
mod endless_loops;
mod fairness;
mod futures;
mod helpers;
mod included_files;
mod limits;
mod optimisation;
mod owners;
mod plain_spins;
mod process_end;
mod random_owners;
mod randomness;
mod reference_counts;
mod refusals;
mod release_sequences;
mod reported;
mod reported_rust;
mod shared_pointers;
mod stack_lifetimes;
mod static_lifetimes;
mod symmetry;
mod thread_births;
mod watched_dependencies;
