//! What Raddle says to other programs. Types of the border only: nothing here knows how a
//! search works, and nothing of a search depends on these shapes.
//!
//! * [`report`]: the `--json` report; [`explanation`]: why an execution fails.
//! * [`gap`]: what a search neither watches nor varies, as the verdict line names it.
//! * [`session`]: requests and notifications between the host of a workspace and its faces;
//!   [`interleaving`]: one execution as faces show it.
//! * [`wire`]: JSON-RPC 2.0 messages with `Content-Length` framing, as on the host's socket.
//! * [`place`]: where the socket of a workspace is; [`client`]: a face's end of it.

pub mod client;
pub mod explanation;
pub mod gap;
pub mod interleaving;
pub mod place;
pub mod report;
pub mod session;
#[cfg(test)]
mod typescript;
pub mod wire;

/// Version of the session protocol. Faces and host must have the same.
pub const PROTOCOL: u32 = 1;
