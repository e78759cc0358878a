//! Standard input, before tower-lsp reads it. tower-lsp ends with the first message that it cannot read; here a thread
//! reads what comes, and only messages that can be read go on. Others are answered with an error, or logged where there
//! is nobody to be answered, and what follows is read as if they had not come ([`Frames`]).
//!
//! And tower-lsp ends when the input does and every request is answered, and looks at `exit` only with the next
//! message: here both end it at once.

use super::event::{Event, Events};
use super::message::{self, Read};
use super::server::End;
use raddle_protocol::wire::{Frame, Frames, write_text};
use serde_json::Value;
use std::future::Future;
use std::io::{self, BufRead};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::mpsc;
use tower_lsp::jsonrpc::{Error, ErrorCode, Request, Response};
use tower_service::Service;

/// Messages that may wait to be taken.
const WAITING: usize = 16;

/// Messages that can be read, framed as tower-lsp wants them.
pub struct Input {
    messages: mpsc::Receiver<Vec<u8>>,
    /// The one that is being taken, and how much of it was.
    current: Vec<u8>,
    taken: usize,
}

impl Input {
    /// Reads this stream on a thread of its own. Its end is that of the server.
    pub fn new(stream: impl BufRead + Send + 'static, events: Events, end: Arc<End>) -> io::Result<Input> {
        let (sender, messages) = mpsc::channel(WAITING);
        let read = move || {
            read(stream, &sender, &events);
            end.now.notify_one();
        };
        // Texts are nested, and reading them is recursive.
        let thread = std::thread::Builder::new().name("raddle-lsp-input".into()).stack_size(crate::STACK);
        thread.spawn(read)?;
        Ok(Input { messages, current: Vec::new(), taken: 0 })
    }
}

/// Until the stream or the server ends.
fn read(stream: impl BufRead, sender: &mpsc::Sender<Vec<u8>>, events: &Events) {
    let mut frames = Frames::new(stream);
    while let Ok(Some(frame)) = frames.read() {
        let read = match frame {
            Frame::Text(text) => message::read(&text),
            Frame::Garbage(what) => message::malformed(Value::Null, ErrorCode::ParseError, what),
        };
        let message = match read {
            Read::Message(message) => message,
            Read::Dropped(why) => {
                let _ = events.send(Event::Dropped(why));
                continue;
            }
        };
        let mut framed = Vec::new();
        // Into memory: this cannot fail.
        let _ = write_text(&mut framed, message.to_string().as_bytes());
        if sender.blocking_send(framed).is_err() {
            return;
        }
    }
}

impl AsyncRead for Input {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.taken == self.current.len() {
            match ready!(self.messages.poll_recv(context)) {
                Some(message) => (self.current, self.taken) = (message, 0),
                None => return Poll::Ready(Ok(())),
            }
        }
        let n = buffer.remaining().min(self.current.len() - self.taken);
        buffer.put_slice(&self.current[self.taken..self.taken + n]);
        self.taken += n;
        Poll::Ready(Ok(()))
    }
}

/// A service whose `exit` is the end of the server, and which answers for messages that were malformed.
pub struct Front<S> {
    inner: S,
    end: Arc<End>,
}

impl<S> Front<S> {
    /// Before this service.
    pub fn new(inner: S, end: Arc<End>) -> Self {
        Front { inner, end }
    }
}

impl<S> Service<Request> for Front<S>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = Option<Response>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Option<Response>, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        match request.method() {
            "exit" => self.end.now.notify_one(),
            message::MALFORMED => {
                let answer = refused(request);
                return Box::pin(async { Ok(answer) });
            }
            _ => {}
        }
        Box::pin(self.inner.call(request))
    }
}

fn refused(request: Request) -> Option<Response> {
    let (_, id, params) = request.into_parts();
    let params = params.unwrap_or_default();
    let error = Error {
        code: ErrorCode::from(params["code"].as_i64().unwrap_or_default()),
        message: params["message"].as_str().unwrap_or_default().to_string().into(),
        data: None,
    };
    id.map(|id| Response::from_error(id, error))
}
