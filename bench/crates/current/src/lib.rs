//! Small tests of published crates, as people write them: at most three threads or tasks with at most four operations each. All
//! are right, but those whose names begin with `wrong`. `raddle-bench crates` explores them.

#[cfg(test)]
mod arc_swap;
#[cfg(test)]
mod async_channel;
#[cfg(test)]
mod crossbeam_channel;
#[cfg(test)]
mod crossbeam_deque;
#[cfg(test)]
mod crossbeam_epoch;
#[cfg(test)]
mod crossbeam_queue;
#[cfg(test)]
mod crossbeam_utils;
#[cfg(test)]
mod dashmap;
#[cfg(test)]
mod event_listener;
#[cfg(test)]
mod flume;
#[cfg(test)]
mod futures;
#[cfg(test)]
mod once_cell;
#[cfg(test)]
mod parking_lot;
#[cfg(test)]
mod quick_cache;
#[cfg(test)]
mod rayon;
#[cfg(test)]
mod smol;
#[cfg(test)]
mod spin;
#[cfg(test)]
mod tokio;
