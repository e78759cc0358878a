//! Names of what a function of C works on through a parameter: what its caller passes, by the caller's name for it.

use super::places::Places;
use super::sources::Spot;
use raddle_instrumenter::index::Reach;
use std::path::PathBuf;

/// Callers that are asked.
const DEPTH: usize = 4;

/// What the innermost caller that does not only pass on its own parameter calls what the function at a place calls
/// `name`. `stack`: return addresses, innermost first.
pub fn passed(name: &str, at: &Spot, stack: &[u64], places: &Places) -> Option<(String, Reach, PathBuf)> {
    let frames = places.spots(stack);
    // The frame of the operation itself, and its callers.
    let own = frames.iter().position(|(spot, _)| (&spot.file, spot.line) == (&at.file, at.line))?;
    let (mut name, mut found) = (name.to_string(), None);
    for pair in frames[own..].windows(2).take(DEPTH) {
        let [(callee, _), (caller, _)] = pair else { break };
        let Some((function, number)) = places.sources.parameter(callee, &name) else { break };
        let Some((passed, reach)) = places.sources.argument(caller, &function, number) else { break };
        name.clone_from(&passed);
        let own = places.sources.parameter(caller, &passed).is_none();
        found = Some((passed, reach, caller.file.clone()));
        if own {
            break;
        }
    }
    found
}
