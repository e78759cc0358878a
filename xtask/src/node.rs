//! node and npm, which build the extension and run the tests that drive an editor.

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The oldest node that the workbench and the tests run on.
const OLDEST: u32 = 20;

/// The version of the node in PATH, such as `20.19.0`; an error if it is too old.
pub fn version() -> Result<String, String> {
    let said = ask("process.versions.node")?;
    let major = said.split('.').next().and_then(|m| m.parse::<u32>().ok()).unwrap_or(0);
    if major < OLDEST {
        return Err(format!("node in PATH is {said}; the tests need node {OLDEST} or newer"));
    }
    Ok(said)
}

/// npm, without its news and its questions to others.
pub fn npm() -> Command {
    let mut command = Command::new("npm");
    command.env("npm_config_update_notifier", "false").env("npm_config_audit", "false");
    command.env("npm_config_fund", "false").env("npm_config_progress", "false");
    command
}

/// The folder whose `include/node` has the headers of the node in PATH, if they are installed: native modules
/// are compiled against the node that will load them, and nothing is fetched for it.
pub fn headers() -> Result<Option<PathBuf>, String> {
    let prefix = PathBuf::from(ask("require('path').resolve(process.execPath, '../..')")?);
    Ok(prefix.join("include/node/node_version.h").is_file().then_some(prefix))
}

/// What node prints for an expression.
fn ask(expression: &str) -> Result<String, String> {
    let mut command = Command::new("node");
    command.args(["--print", expression]).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = command.output().map_err(|e| format!("node could not be started: {e}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => Err(format!("node --print {expression}: {}", output.status)),
    }
}
