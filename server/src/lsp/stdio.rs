//! What tower-lsp leaves to be done at both ends of standard input. It ends when the input does and
//! every request is answered, and looks at `exit` only with the next message: here both end it at
//! once. And it refuses `"params": null`, which some editors write for no parameters.

use super::server::End;
use serde_json::Value;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};
use tower_lsp::jsonrpc::Request;
use tower_service::Service;

/// A stream whose end is that of the server.
pub struct EndsWithInput<R> {
    inner: R,
    end: Arc<End>,
}

impl<R> EndsWithInput<R> {
    /// Around this stream.
    pub fn new(inner: R, end: Arc<End>) -> Self {
        EndsWithInput { inner, end }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for EndsWithInput<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let result = ready!(Pin::new(&mut self.inner).poll_read(context, buffer));
        if result.is_err() || (buffer.filled().len() == before && buffer.remaining() > 0) {
            self.end.now.notify_one();
        }
        Poll::Ready(result)
    }
}

/// A service whose `exit` is the end of the server, and to which no parameters are none.
pub struct Lenient<S> {
    inner: S,
    end: Arc<End>,
}

impl<S> Lenient<S> {
    /// Around this service.
    pub fn new(inner: S, end: Arc<End>) -> Self {
        Lenient { inner, end }
    }
}

impl<S: Service<Request>> Service<Request> for Lenient<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> S::Future {
        if request.method() == "exit" {
            self.end.now.notify_one();
        }
        self.inner.call(without_null(request))
    }
}

fn without_null(request: Request) -> Request {
    let null = request.params().is_some_and(Value::is_null);
    let (method, id, params) = request.into_parts();
    let mut builder = Request::build(method);
    if let Some(id) = id {
        builder = builder.id(id);
    }
    if let Some(params) = params.filter(|_| !null) {
        builder = builder.params(params);
    }
    builder.finish()
}
