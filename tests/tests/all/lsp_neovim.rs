//! `raddle lsp` in neovim, by its own language client and with the configuration of the book's page.

use raddle_tests::binary::{binary, root, shared_cache};
use raddle_tests::texts::real;
use raddle_tests::{Scratch, line_of};
use serde_json::{Value, json};
use std::process::{Command, Stdio};

/// The configuration that the page shows.
fn configuration() -> String {
    let page = std::fs::read_to_string(root().join("docs/src/guide/other-editors.md")).expect("the page");
    let behind = page.split_once("```lua\n").expect("a block of Lua").1;
    behind.split_once("```").expect("its end").0.to_string()
}

/// Runs the script in a folder with `lost_update.c`; what it saw.
fn drive(scratch: &Scratch) -> Value {
    let folder = real(scratch, "");
    let driver = root().join("tests/tests/all/lsp_neovim/drive.lua");
    let own = Scratch::new();
    let init = own.write("init.lua", &configuration());
    let programs = own.path("programs");
    std::fs::create_dir(&programs).expect("a folder");
    std::os::unix::fs::symlink(binary(), programs.join("raddle")).expect("a link");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut editor = Command::new("nvim");
    editor.args(["--headless", "-n", "-i", "NONE", "-u"]).arg(init);
    editor.arg("-c").arg(format!("luafile {}", driver.display()));
    editor.current_dir(&folder).env("PATH", format!("{}:{path}", programs.display()));
    for name in
        ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"]
    {
        editor.env(name, own.root());
    }
    editor.env("RADDLE_CACHE", shared_cache()).env("RADDLE_HOST_LINGER", "1");
    editor.stdin(Stdio::null());
    // Its script gives up by itself where it waits in vain.
    let output = editor.output().unwrap_or_else(|e| panic!("nvim (Debian package neovim): {e}"));
    let said = String::from_utf8_lossy(&output.stderr);
    let seen = std::fs::read_to_string(folder.join("seen.json"));
    let seen = seen.unwrap_or_else(|e| panic!("nvim {}: {e}: {said}", output.status));
    assert!(output.status.success(), "{seen}\n{said}");
    serde_json::from_str(&seen).expect("JSON")
}

#[test]
fn neovim_explores_and_shows_a_failure_by_its_own_client() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    let text = scratch.read("lost_update.c");
    let line = |marker: &str| line_of(&text, marker);
    let seen = drive(&scratch);
    assert_eq!(seen["before"], "Explore interleavings");
    assert_eq!(seen["after"], "Explore interleavings — ✗ failed after 2 executions");
    let diagnostic = &seen["diagnostic"];
    assert_eq!(
        (&diagnostic["lnum"], &diagnostic["severity"]),
        (&json!(line("assert(counter") - 1), &json!(1))
    );
    assert!(
        diagnostic["message"].as_str().expect("a text").contains("Atomicity violation: "),
        "{diagnostic}"
    );
    let hover: Vec<&str> =
        seen["hover"].as_array().expect("lines").iter().filter_map(Value::as_str).collect();
    let hover = hover.join("\n");
    let (loads, stores) = (line("atomic_load("), line("atomic_store("));
    for part in [
        "**`counter`** in the failing schedule `sync@4:T2",
        &format!("- T1 `increment` loads it (:{loads}), stores it (:{stores}), holding no lock"),
        &format!("- Deciding order: T1's load (:{loads}) comes before T2's store (:{stores})."),
    ] {
        assert!(hover.contains(part), "{part:?} in {hover}");
    }
    assert_eq!(seen["symbols"], json!([{ "line": line("int main"), "text": "[Function] lost_update" }]));
    assert_eq!(
        seen["actions"],
        json!(["Explain this failure", "Replay this schedule", "Keep as regression test"])
    );
    let messages = seen["messages"].as_array().expect("a list");
    let explained = messages.last().and_then(Value::as_str).expect("an explanation");
    assert!(explained.contains("The test can pass if T2 stores counter"), "{explained}");
}
