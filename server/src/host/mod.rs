//! `raddle host`: the sessions of one workspace, for all of its faces.
//!
//! A host is one loop ([`event_loop`]) over one closed enum of events, and the loop alone owns what
//! changes: clients, sessions, the focus. In order of a click's way through it:
//!
//! 1. A face connects to the workspace's socket ([`life`] has claimed it). The accepting thread
//!    gives the connection to the loop, which gives it a reading and a writing thread
//!    ([`clients`]).
//! 2. A message arrives as an event; [`dispatch`] finds the request's handler. What takes no time
//!    is answered there. What takes time goes to a worker and is answered when the worker's word
//!    arrives, as an event again.
//! 3. `raddle/explore` makes a session ([`sessions`]) and a worker ([`worker`]) that builds the
//!    target ([`session_lifecycle`] has the way from there); for each test that is meant a further worker searches. A search and its runner live
//!    on that worker's thread; [`watch`] is called between any two executions, carries out pause,
//!    resume, stop and refocus there, and tells how far it is.
//! 4. What workers tell becomes the session's state ([`state`], [`deciding`]), and every change of a state goes
//!    to all clients. A client that reads slowly misses states in between, never the newest.
//! 5. `raddle/trace` and `raddle/steer` ([`executions`]) run single schedules in a process that the session keeps
//!    for a while ([`tracer`], [`steer`]), beside whatever is searched.
//! 6. When the last client has gone and no search runs, the host lingers for half a minute and
//!    ends.
//!
//! Nothing of the workspace is built or run before a client asks for it by a request whose
//! purpose that is: explore, trace, steer, save.

mod answers;
mod build_id;
mod clients;
mod deciding;
mod dispatch;
mod event_loop;
mod executions;
mod life;
mod listing;
mod located;
mod requests;
pub mod root;
mod session_lifecycle;
mod sessions;
mod state;
mod steer;
mod tracer;
mod watch;
mod worker;

pub use build_id::build_id;
pub use event_loop::run;
