//! `raddle dap`.

use super::status;
use crate::error::{Error, Result};

const EXAMPLES: &str = "\
Editors start it. A launch configuration, as VS Code writes it:
  { \"type\": \"raddle\", \"request\": \"launch\", \"name\": \"the failing schedule\",
    \"target\": \"queue.c\", \"test\": \"queue\", \"schedule\": \"sync@7:T2#3f2a\",
    \"stopAt\": \"firstPreemption\", \"stepStopsAt\": \"preemption\" }

Without `schedule` it takes the newest stored failing schedule of the test. It needs gdb 13 or newer;
RADDLE_LOG=gdb writes what gdb is told and says to standard error.";

/// Serve a debugger's front end: the Debug Adapter Protocol on standard input and output
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Some clients pass one empty argument
    #[arg(hide = true)]
    unused: Vec<String>,
}

/// Serves until the client has gone.
pub fn run(args: &Args) -> Result<u8> {
    if let Some(word) = args.unused.iter().find(|w| !w.is_empty()) {
        return Err(Error::new(format!("raddle dap takes no argument, and got `{word}`"))
            .next("the target is named in the launch request"));
    }
    crate::dap::run().map_err(|e| Error::new("cannot serve the debug adapter protocol").because(e))?;
    Ok(status::PASSED)
}
