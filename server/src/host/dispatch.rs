//! From a message to its handler, and from a worker's word to what it changes.
//!
//! The policy for panics, which is stated and carried out here alone: a panic in one request or in
//! the handling of one word of a worker is a mistake of Raddle's, and never ends the host. It is
//! said in the log, the request is answered with an internal error, and the loop goes on with
//! the state as it is. (Workers catch their own and tell it: [`super::worker::guarded`].)

use super::answers::{Reply, from};
use super::clients::{Ask, ClientId, Greeting};
use super::event_loop::Host;
use super::worker::WorkerEvent;
use super::{executions, requests, session_lifecycle};
use raddle_protocol::session::method;
use raddle_protocol::wire::{RpcError, code};
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Requests of the protocol that are to come.
const TO_COME: [&str; 1] = ["raddle/tree"];

/// Carries out one request of a client.
pub fn request(host: &mut Host, client: ClientId, id: u64, method: &str, params: Value) {
    let ask = Ask { client, id };
    let handled = catch(method, || match permitted(host, client, method) {
        Ok(()) => route(host, ask, method, params),
        Err(e) => Err(e),
    });
    match handled {
        Ok(Reply::Now(value)) => host.clients.answer(ask, Ok(value)),
        Ok(Reply::Later) => {}
        Err(e) => host.clients.answer(ask, Err(e)),
    }
}

/// Takes in what a worker says.
pub fn heard(host: &mut Host, said: WorkerEvent) {
    let taken = catch("a worker's word", || {
        session_lifecycle::on_worker_event(host, said);
        Ok(())
    });
    if let Err(e) = taken {
        eprintln!("raddle host: {e}");
    }
}

/// Runs a handler; its panic becomes an error.
fn catch<T>(what: &str, handler: impl FnOnce() -> Result<T, RpcError>) -> Result<T, RpcError> {
    catch_unwind(AssertUnwindSafe(handler)).unwrap_or_else(|panic| {
        let text = format!("{what}: a mistake in Raddle: {}", message(&*panic));
        Err(RpcError::new(code::INTERNAL, text))
    })
}

/// What a panic said.
pub fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it panicked").to_string()
}

/// Clients of another build may only end this one.
fn permitted(host: &Host, client: ClientId, named: &str) -> Result<(), RpcError> {
    let refused = |text: String| Err(RpcError::new(code::REFUSED, text));
    match host.knows(client) {
        _ if named == method::HELLO || named == method::QUIT => Ok(()),
        Greeting::Same => Ok(()),
        Greeting::None => refused(format!("{named}: {} comes first", method::HELLO)),
        Greeting::Other(build) => refused(format!(
            "{named}: this host is another build of Raddle ({}, you are {build}); end it with {}",
            host.build,
            method::QUIT
        )),
    }
}

fn route(host: &mut Host, ask: Ask, named: &str, params: Value) -> Result<Reply, RpcError> {
    use executions::{explain, nearest_passing, save, show, steer, trace};
    use requests::*;
    match named {
        method::HELLO => hello(host, ask, from(params)?),
        method::TESTS => tests(host, ask, from(params)?),
        method::EXPLORE => explore(host, from(params)?),
        method::PAUSE => pause(host, ask, from(params)?),
        method::RESUME => resume(host, ask, from(params)?),
        method::STOP => stop(host, ask, from(params)?),
        method::FOCUS => focus(host, from(params)?),
        method::SCHEDULES => schedules(host, ask, from(params)?),
        method::TRACE => trace(host, ask, from(params)?),
        method::EXPLAIN => explain(host, ask, from(params)?),
        method::NEAREST_PASSING => nearest_passing(host, ask, from(params)?),
        method::STEER => steer(host, ask, from(params)?),
        method::SHOW => show(host, from(params)?),
        method::SAVE => save(host, ask, from(params)?),
        method::SESSIONS => sessions(host),
        method::QUIT => quit(host),
        other if TO_COME.contains(&other) => {
            Err(RpcError::new(code::METHOD_NOT_FOUND, format!("{other} is not built yet")))
        }
        other => Err(RpcError::new(code::METHOD_NOT_FOUND, format!("there is no request {other}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_of_its_request() {
        let handled = catch::<()>("raddle/x", || panic!("at {}", 7));
        let e = handled.unwrap_err();
        assert_eq!((e.code, e.message.as_str()), (code::INTERNAL, "raddle/x: a mistake in Raddle: at 7"));
        assert_eq!(catch("raddle/x", || Ok(1)), Ok(1));
    }
}
