//! `raddle host`.

use crate::error::Result;
use crate::host;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Editors, windows and `raddle explore --attach` start the host of their workspace by themselves, and
find it there: one for each ROOT, behind a socket that only its owner can reach. It ends 30 s after
the last of them has gone and no search runs (RADDLE_HOST_LINGER=SECONDS: after so long).

Examples:
  raddle host .       in the foreground; ends at once if the workspace has a host already
  RADDLE_HOST_LINGER=3600 raddle host ~/project";

/// Keep the searches of a workspace for its editors and windows
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The workspace's folder
    root: PathBuf,
}

/// Runs until nobody needs it.
pub fn run(args: &Args) -> Result<u8> {
    host::run(&args.root)
}
