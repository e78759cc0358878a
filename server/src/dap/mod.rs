//! `raddle dap`: a debug adapter on standard input and output. It runs one schedule of a test under
//! gdb, on OS threads that pass a token (`runtime/src/carrier`), and knows the whole execution
//! before it begins, since a runner of its own has made it once ([`execution`]).
//!
//! One loop ([`dispatch`]) takes what comes in, a request or a record of gdb ([`inbox`]). Going
//! forwards is gdb's business, with a stop at the next switch where one is wanted ([`stepping`]);
//! backwards is the same execution made again up to an event before ([`backwards`]); choosing
//! another thread is another execution ([`steering`]). gdb's own words stay in [`gdb`], the
//! protocol's in the handlers.

mod arguments;
mod backwards;
mod breakpoints;
mod configured;
mod debuggee;
mod dispatch;
mod execution;
mod frames;
mod gdb;
mod inbox;
mod launch;
mod program;
mod search;
mod session;
mod steering;
mod stepping;
mod stops;
mod threads;
mod transport;
mod variables;
mod wait_deadline;

pub use dispatch::run;
