//! Variables of the environment that a program asks for and that are not set: a test may need one that the user's shell has and
//! Raddle's does not.

use super::places::Places;
use raddle_schedule::Trace;
use raddle_schedule::memory::Unset;

/// A sentence for each that the program's own code asks for. A crate from elsewhere does without those that it asks for.
pub fn unset(trace: &Trace, places: &Places) -> Vec<String> {
    let sentence = |unset: &Unset| {
        let name = &unset.name;
        let asked = places.symbols.user_frame(&unset.frames)?;
        let is_published = asked.line.file.to_string_lossy().contains("/registry/src/");
        if is_published || name.starts_with("RUST_") {
            return None;
        }
        let file = asked.line.file.file_name()?.to_string_lossy();
        let line = asked.line.line;
        Some(format!("{name} is not set ({file}:{line} reads it); --env {name}=VALUE sets it."))
    };
    trace.memory.unset.iter().filter_map(sentence).collect()
}
