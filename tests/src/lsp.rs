//! A very small editor: starts `raddle lsp` on a folder, speaks to it over its standard input and
//! output, answers what it asks, and keeps everything that it says in order.

use crate::binary::{binary, shared_cache};
use crate::texts::uri;
use raddle_protocol::wire::{read_text, write_text};
use serde_json::{Value, json};
use std::fs::Permissions;
use std::io::{BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Building a package with the facade for the first time takes most of it.
const LIMIT: Duration = Duration::from_secs(240);

/// An editor with one folder open.
pub struct Editor {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// All requests and notifications of the server, in order.
    pub said: Vec<Value>,
    answers: Vec<Value>,
    next: u64,
    /// Answers a question of the server with this button.
    pub button: Option<&'static str>,
    /// Where hosts' sockets are.
    runtime: Arc<tempfile::TempDir>,
}

/// A process that ends with the test.
pub struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Editor {
    /// Starts the server on this folder and says hello.
    #[track_caller]
    pub fn open_folder(folder: &Path) -> Editor {
        let editor = Editor::start(std::process::id());
        editor.opened(folder)
    }

    /// A second editor of this user, with this folder open.
    #[track_caller]
    pub fn beside(&self, folder: &Path) -> Editor {
        Editor::start_in(std::process::id(), self.runtime.clone()).opened(folder)
    }

    #[track_caller]
    fn opened(self, folder: &Path) -> Editor {
        let mut editor = self;
        let uri = uri(folder);
        let folders = json!([{ "uri": uri, "name": "workspace" }]);
        editor.initialize(json!({ "rootUri": uri, "workspaceFolders": folders }));
        editor
    }

    /// Starts the server only. It is told that this process is its editor.
    #[track_caller]
    pub fn start(process: u32) -> Editor {
        let runtime = tempfile::tempdir().expect("a temporary folder");
        Editor::start_in(process, Arc::new(runtime))
    }

    #[track_caller]
    fn start_in(process: u32, runtime: Arc<tempfile::TempDir>) -> Editor {
        let mut command = Command::new(binary());
        // Editors say so, and need not.
        command
            .args(["lsp", "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit());
        command.env("RADDLE_CACHE", shared_cache()).env("XDG_RUNTIME_DIR", runtime.path());
        command.env("RADDLE_HOST_LINGER", "1");
        let mut child = command.spawn().unwrap_or_else(|e| panic!("{command:?}: {e}"));
        let mut output = BufReader::new(child.stdout.take().expect("piped"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Ok(Some(text)) = read_text(&mut output) {
                let message = serde_json::from_slice(&text).expect("the server writes JSON");
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        let (said, answers) = (Vec::new(), vec![json!(process)]);
        Editor { child, stdin, messages, said, answers, next: 1, button: None, runtime }
    }

    /// `initialize` and `initialized` with these parameters, and what this editor can do where they do not say it.
    #[track_caller]
    pub fn initialize(&mut self, mut params: Value) -> Value {
        params["processId"] = self.answers.remove(0);
        if params["capabilities"].is_null() {
            params["capabilities"] = json!({
                "window": { "workDoneProgress": true, "showDocument": { "support": true } },
                "workspace": {
                    "codeLens": { "refreshSupport": true }, "inlayHint": { "refreshSupport": true },
                },
                "textDocument": { "documentSymbol": { "hierarchicalDocumentSymbolSupport": true } },
            });
        }
        let result = self.request("initialize", params).expect("initialize");
        self.notify("initialized", json!({}));
        result
    }

    /// The binary under test, for this user and these hosts.
    pub fn raddle(&self) -> Command {
        let mut command = Command::new(binary());
        command.env("RADDLE_CACHE", shared_cache()).env("XDG_RUNTIME_DIR", self.runtime.path());
        command.env("RADDLE_HOST_LINGER", "1").stdin(Stdio::null());
        command
    }

    /// The server's process.
    pub fn process(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Starts a host of this folder that is another build: the same program with a byte more. Comes
    /// back when it listens.
    #[track_caller]
    pub fn host_of_another_build(&self, folder: &Path) -> Killed {
        let mut program = std::fs::read(binary()).expect("the program");
        program.push(0);
        let copy = self.runtime.path().join("raddle-of-another-build");
        std::fs::write(&copy, program).expect("a copy");
        std::fs::set_permissions(&copy, Permissions::from_mode(0o755)).expect("it can be made executable");
        let mut command = Command::new(copy);
        command.arg("host").arg(folder).env("XDG_RUNTIME_DIR", self.runtime.path());
        command.env("RADDLE_CACHE", shared_cache()).stdin(Stdio::null());
        let host = Killed(command.spawn().unwrap_or_else(|e| panic!("{command:?}: {e}")));
        let sockets = self.runtime.path().join("raddle");
        let listens = || {
            let folders = std::fs::read_dir(&sockets).into_iter().flatten().flatten();
            folders.into_iter().any(|f| UnixStream::connect(f.path().join("socket")).is_ok())
        };
        let until = Instant::now() + Duration::from_secs(20);
        while !listens() {
            assert!(Instant::now() < until, "the host does not listen");
            std::thread::sleep(Duration::from_millis(10));
        }
        host
    }

    fn send(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().expect("standard input is open");
        write_text(stdin, message.to_string().as_bytes()).expect("the server reads");
    }

    /// Writes bytes as they are.
    pub fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("standard input is open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the server reads");
    }

    /// Waits for an answer that does not say to what: its error.
    #[track_caller]
    pub fn refusal(&mut self) -> Value {
        self.answer_to(&Value::Null).expect_err("an error")
    }

    /// Tells the server something.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Asks; the number of the request.
    pub fn ask(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Asks and waits for the answer: its result, or its error.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.ask(method, params);
        self.answer(id)
    }

    /// Waits for the answer to this request.
    #[track_caller]
    pub fn answer(&mut self, id: u64) -> Result<Value, Value> {
        self.answer_to(&json!(id))
    }

    #[track_caller]
    fn answer_to(&mut self, id: &Value) -> Result<Value, Value> {
        let until = Instant::now() + LIMIT;
        loop {
            if let Some(i) = self.answers.iter().position(|a| a.get("id") == Some(id)) {
                let mut answer = self.answers.remove(i);
                return match answer.get_mut("error") {
                    Some(error) => Err(error.take()),
                    None => Ok(answer["result"].take()),
                };
            }
            assert!(self.pump(until), "no answer to request {id}; it said {}", self.heard());
        }
    }

    /// Waits until what the server has said since this point (a length of [`Editor::said`]) has
    /// something.
    #[track_caller]
    pub fn wait<T>(&mut self, since: usize, what: &str, found: impl Fn(&[Value]) -> Option<T>) -> T {
        let until = Instant::now() + LIMIT;
        loop {
            if let Some(found) = found(&self.said[since..]) {
                return found;
            }
            assert!(self.pump(until), "{what} did not come; it said {}", self.heard());
        }
    }

    /// Waits for a notification or request of this name for which this holds.
    #[track_caller]
    pub fn wait_for(&mut self, since: usize, method: &str, holds: impl Fn(&Value) -> bool) -> Value {
        self.wait(since, method, |said| {
            let fitting = said.iter().find(|m| m["method"] == method && holds(&m["params"]));
            fitting.map(|m| m["params"].clone())
        })
    }

    fn heard(&self) -> String {
        let lines: Vec<String> = self.said.iter().map(Value::to_string).collect();
        lines.join("\n")
    }

    /// Takes one message; false when there is none any more.
    fn pump(&mut self, until: Instant) -> bool {
        let message = match self.messages.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(message) => message,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return false,
        };
        if message.get("method").is_none() {
            self.answers.push(message);
            return true;
        }
        if let Some(id) = message.get("id") {
            let button = self.button.map(|title| json!({ "title": title }));
            let asked = message["method"] == "window/showMessageRequest";
            let result = button.filter(|_| asked).unwrap_or(Value::Null);
            self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
        }
        self.said.push(message);
        true
    }

    /// Closes standard input; how the server ended.
    pub fn close(&mut self) -> Option<i32> {
        if let Some(mut stdin) = self.stdin.take() {
            let _ = stdin.flush();
        }
        self.ended()
    }

    /// Waits for the server's end.
    #[track_caller]
    pub fn ended(&mut self) -> Option<i32> {
        let until = Instant::now() + Duration::from_secs(20);
        while Instant::now() < until {
            if let Some(status) = self.child.try_wait().expect("waiting for raddle lsp") {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("raddle lsp does not end");
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
