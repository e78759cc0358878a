//! What tests of `raddle lsp` do with searches: begin them by their lens, and wait for what the server
//! says of them.

use crate::lsp::Editor;
use crate::texts::uri;
use serde_json::{Value, json};
use std::path::Path;

/// A search that nobody waits for to end.
pub const LONG: &str = "\
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *work(void *unused)
{
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&lock);
        n++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
void test_long(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
}
";

/// `test_lost` fails and `test_kept`, which begins seven lines above it, passes.
pub const TWO: &str = "\
#include <assert.h>
#include <pthread.h>
static int n;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *unused)
{
    pthread_mutex_lock(&lock);
    int before = n;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    n = before + 1;
    pthread_mutex_unlock(&lock);
    return unused;
}
static void two(void)
{
    pthread_t other;
    pthread_create(&other, 0, add, 0);
    add(0);
    pthread_join(other, 0);
}
void test_kept(void)
{
    two();
    assert(n > 0);


}
void test_lost(void)
{
    two();
    /* 🦀 */ assert(n == 2);
}
";

/// Clicks the lens that explores the test at this line; the session.
#[track_caller]
pub fn explore(editor: &mut Editor, file: &Path, line: u32, options: &[&str]) -> u64 {
    let lens = editor.lens(file, line, "Explore interleavings");
    let params = json!({
        "version": 1,
        "target": lens.argument["target"],
        "at": lens.argument["at"],
        "options": options,
    });
    let result = editor.request("raddle/explore", params).expect("a session");
    result["session"].as_u64().expect("a number")
}

/// Waits until a session is in this state.
#[track_caller]
pub fn wait_state(editor: &mut Editor, since: usize, session: u64, state: &str) -> Value {
    editor.wait_for(since, "raddle/session", |p| p["session"] == session && p["state"] == state)
}

/// Waits until a running session has run something.
#[track_caller]
pub fn wait_running(editor: &mut Editor, since: usize, session: u64) {
    editor.wait_for(since, "raddle/session", |p| {
        p["session"] == session && p["counts"]["executions"].as_u64() > Some(100)
    });
}

/// The last diagnostics of a file.
#[track_caller]
pub fn wait_diagnostics(editor: &mut Editor, since: usize, file: &Path, how_many: usize) -> Vec<Value> {
    let uri = uri(file);
    let fitting = |p: &Value| p["uri"] == uri && p["diagnostics"].as_array().map(Vec::len) == Some(how_many);
    let params = editor.wait_for(since, "textDocument/publishDiagnostics", fitting);
    params["diagnostics"].as_array().expect("a list").clone()
}

/// The token of the first progress since then.
#[track_caller]
pub fn wait_token(editor: &mut Editor, since: usize) -> Value {
    editor.wait_for(since, "window/workDoneProgress/create", |_| true)["token"].clone()
}
