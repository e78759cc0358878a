//! The function that a failure's place lies in. What a thread did last, or waits in, may be another one: what was called
//! has returned by then, and main only waits for the others.

use super::annotated_trace::Places;
use crate::annotate::annotated_trace::AnnotatedTrace;
use crate::target::Place;
use std::path::Path;

/// The function around a place: as the source has it, under the name that the trace's events have it by. Where the source does not tell, since a macro wrote
/// it, that of what was done there. Empty where nothing is known.
pub fn function(place: &Place, scene: &AnnotatedTrace, places: &Places) -> String {
    let there = |exact: bool| {
        let same = move |p: &Place| (&p.file, p.line) == (&place.file, place.line);
        let at = move |p: &Place| same(p) && (!exact || p.column == place.column);
        let events = scene.events.iter().rev().filter(move |e| e.place.as_ref().is_some_and(at));
        events.map(|e| e.method.as_str()).filter(|method| !method.is_empty())
    };
    let file = places.paths.absolute(Path::new(&place.file));
    let Some(written) = places.sources.function(&file, place.line, place.column) else {
        return there(true).chain(there(false)).next().unwrap_or_default().to_string();
    };
    // The index of one file knows nothing of the modules around it.
    let is_it = |method: &str| method == written || method.ends_with(&format!("::{written}"));
    if let Some(method) = there(true).chain(there(false)).find(|method| is_it(method)) {
        return method.to_string();
    }
    let table = places.channel.methods();
    let mut known: Vec<&str> = table.all().map(|m| m.name).filter(|name| is_it(name)).collect();
    known.sort_unstable();
    known.dedup();
    match known[..] {
        [one] => one.to_string(),
        _ => written,
    }
}
