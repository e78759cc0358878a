//! The editor that the end-to-end tests drive: code-server, which is the workbench and the extension
//! host of VS Code, served to a browser.
//!
//! It is built from the npm packages of its name, native modules included, once for each version of
//! itself, of node and of this recipe, into a folder outside of the clone (`RADDLE_TEST_TOOLS`, or
//! `raddle-test` in the user's cache folder). [`ensure`] builds aside and renames, so that a build
//! that was interrupted leaves nothing that looks complete.
//!
//! Scripts of packages do not run unless they are named here: some fetch from elsewhere.

use crate::node;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

const VERSION: &str = "4.100.3";

/// Where the workbench itself lies below the folder of the build.
const VSCODE: &str = "node_modules/code-server/lib/vscode";

/// The beginning of the names of folders that are being built; the process's number follows.
const ASIDE: &str = "building-";

/// One call of npm.
#[derive(Hash)]
struct Stage {
    /// What it is for, as the progress says it.
    what: &'static str,
    /// Where it runs, from the folder of the build.
    folder: &'static str,
    /// npm's arguments.
    arguments: &'static str,
    /// A file, from `folder`, that shows the success of a stage whose exit status does not.
    proof: Option<&'static str>,
}

const STAGES: &[Stage] = &[
    Stage { what: "code-server", folder: "", arguments: "install --ignore-scripts", proof: None },
    Stage {
        what: "the password module of code-server",
        folder: "",
        arguments: "rebuild argon2",
        proof: None,
    },
    Stage {
        what: "the workbench's packages",
        folder: VSCODE,
        arguments: "install --omit=dev --omit=optional --ignore-scripts",
        proof: None,
    },
    Stage {
        what: "its file watcher",
        folder: VSCODE,
        arguments: "install --no-save --ignore-scripts @parcel/watcher-linux-x64-glibc@2.5.1",
        proof: None,
    },
    Stage {
        what: "its native modules",
        folder: VSCODE,
        arguments: "rebuild @vscode/spdlog native-watchdog @vscode/deviceid",
        proof: None,
    },
    Stage {
        what: "its terminals",
        folder: VSCODE,
        arguments: "rebuild node-pty",
        // The script that runs after the compilation fails, though the module is complete.
        proof: Some("node_modules/node-pty/build/Release/pty.node"),
    },
    Stage {
        what: "its own extensions' packages",
        folder: "node_modules/code-server/lib/vscode/extensions",
        arguments: "install --omit=dev --ignore-scripts",
        proof: None,
    },
];

/// The folder of the workbench for this node, which need not exist yet.
pub fn folder() -> Result<PathBuf, String> {
    let mut recipe = DefaultHasher::new();
    STAGES.hash(&mut recipe);
    let name = format!("code-server-{VERSION}-node-{}-{:08x}", node::version()?, recipe.finish() as u32);
    Ok(tools()?.join(name))
}

/// Where built tools are kept between runs.
fn tools() -> Result<PathBuf, String> {
    let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    set("RADDLE_TEST_TOOLS")
        .or_else(|| set("XDG_CACHE_HOME").map(|c| c.join("raddle-test")))
        .or_else(|| set("HOME").map(|h| h.join(".cache/raddle-test")))
        .ok_or_else(|| "nowhere to keep the tests' tools: set HOME or RADDLE_TEST_TOOLS".to_owned())
}

/// The workbench, built if it is not there.
pub fn ensure() -> Result<PathBuf, String> {
    let folder = folder()?;
    if folder.is_dir() {
        println!("the workbench is there: {}", folder.display());
        return Ok(folder);
    }
    println!("building the workbench (code-server {VERSION}) into {}; about a minute", folder.display());
    let started = Instant::now();
    let tools = tools()?;
    remove_abandoned(&tools);
    let aside = tools.join(format!("{ASIDE}{}", std::process::id()));
    let built = build(&aside).and_then(|()| move_there(&aside, &folder));
    if let Err(message) = built {
        let _ = std::fs::remove_dir_all(&aside);
        return Err(format!("the workbench could not be built: {message}"));
    }
    println!("the workbench is built, in {:.0} s", started.elapsed().as_secs_f64());
    Ok(folder)
}

/// Builds whose process is gone.
fn remove_abandoned(tools: &Path) {
    for entry in std::fs::read_dir(tools).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.strip_prefix(ASIDE).is_some_and(|pid| !Path::new("/proc").join(pid).exists()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn build(aside: &Path) -> Result<(), String> {
    std::fs::create_dir_all(aside).map_err(|e| format!("{}: {e}", aside.display()))?;
    let own = format!(r#"{{"private":true,"dependencies":{{"code-server":"{VERSION}"}}}}"#);
    let manifest = aside.join("package.json");
    std::fs::write(&manifest, own).map_err(|e| format!("{}: {e}", manifest.display()))?;
    for stage in STAGES {
        let folder = aside.join(stage.folder);
        let result = npm(&folder, stage.what, stage.arguments);
        match stage.proof {
            None => result?,
            Some(file) if folder.join(file).is_file() => {}
            Some(file) => result.and_then(|()| Err(format!("{}: {file} was not made", stage.what)))?,
        }
    }
    let vscode = aside.join(VSCODE);
    // What the scripts that did not run would have put there.
    let ripgrep = find("rg").ok_or("rg is not in PATH; install ripgrep")?;
    link(&ripgrep, &vscode.join("node_modules/@vscode/ripgrep/bin/rg"))?;
    link(Path::new("node_modules"), &vscode.join("node_modules.asar"))
}

/// Runs npm; its output is shown only if it fails.
fn npm(folder: &Path, what: &str, arguments: &str) -> Result<(), String> {
    println!("  {what}: npm {arguments}");
    let mut command = node::npm();
    if let Some(headers) = node::headers()? {
        command.env("npm_config_nodedir", headers);
    }
    command.args(arguments.split_whitespace()).current_dir(folder).stdin(Stdio::null());
    let output = command.output().map_err(|e| format!("npm could not be started: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    Err(format!("{what}: npm {arguments}: {}\n{}", output.status, String::from_utf8_lossy(&said)))
}

fn link(to: &Path, at: &Path) -> Result<(), String> {
    let made = at.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| symlink(to, at));
    made.map_err(|e| format!("{}: {e}", at.display()))
}

fn move_there(aside: &Path, folder: &Path) -> Result<(), String> {
    match std::fs::rename(aside, folder) {
        Ok(()) => Ok(()),
        // Another run was faster; its build is as good.
        Err(_) if folder.is_dir() => {
            let _ = std::fs::remove_dir_all(aside);
            Ok(())
        }
        Err(e) => Err(format!("{}: {e}", folder.display())),
    }
}

fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|f| f.join(program)).find(|p| p.is_file())
}
