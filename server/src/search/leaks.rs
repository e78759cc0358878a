//! Blocks of the heap that executions lose, as warnings. Only some executions are looked at; what is lost in some
//! schedules only comes first.

use crate::annotate::annotated_trace::Places;
use crate::annotate::location;
use raddle_engine::summary::{Leak, Leaks};
use raddle_protocol::report::Warning;
use raddle_schedule::leak::Leaked;

/// What was lost. In languages whose programs lose blocks on purpose (`Box::leak`, which they do whatever the
/// schedule) only what is lost in some executions and not in others: `only_some`. Where each loses as many blocks, and only
/// the call that allocated them differs, that is not so.
pub fn told(found: &Leaks, places: &Places, only_some: bool) -> Vec<Warning> {
    let always = |leak: &Leak| leak.executions == found.looked_at && !leak.differs;
    let mut leaks: Vec<Leak> = Vec::new();
    if only_some && !found.total_differs {
        return Vec::new();
    }
    // What other lost blocks always lead to is told with those.
    for leak in found.all.iter().filter(|leak| leak.is_head && !(only_some && always(leak))) {
        let place =
            |l: &Leak| (places.site(l.first.by.site), l.first.by.method, l.executions, l.schedule.clone());
        // Several calls in one line.
        match leaks.iter_mut().find(|known| place(known) == place(leak)) {
            Some(known) => add(known, leak),
            None => leaks.push(leak.clone()),
        }
    }
    leaks.sort_by_key(always);
    let warning = |leak: &Leak| {
        let location = places.site(leak.first.by.site).as_ref().map(location);
        Warning {
            kind: "leak".into(),
            message: message(leak, found.looked_at, places),
            location,
            replay: None,
        }
    };
    leaks.iter().map(warning).collect()
}

fn add(known: &mut Leak, other: &Leak) {
    known.differs |= other.differs;
    known.inner_differs |= other.inner_differs;
    let (sum, more) = (&mut known.first, &other.first);
    sum.blocks += more.blocks;
    sum.bytes += more.bytes;
    sum.inner_blocks += more.inner_blocks;
    sum.inner_bytes += more.inner_bytes;
}

fn message(leak: &Leak, looked_at: u64, places: &Places) -> String {
    let lost = lost(leak, places);
    let schedule = &leak.schedule;
    match leak.executions {
        1 if looked_at == 1 => format!("{lost} in the one passing execution that was looked at"),
        n if n < looked_at => format!(
            "{lost} only in some schedules: in {n} of the {looked_at} passing executions that were looked at, first {schedule}"
        ),
        n if leak.differs => format!(
            "{lost} in {schedule}, and more or fewer in others of the {n} passing executions that were looked at"
        ),
        n => format!("{lost} in each of the {n} passing executions that were looked at"),
    }
}

/// How many blocks are lost, and where they were allocated.
fn lost(leak: &Leak, places: &Places) -> String {
    let Leaked { by, blocks, bytes, inner_blocks, inner_bytes, .. } = leak.first;
    let number = |n: u32| if n == 1 { "a block".to_string() } else { format!("{n} blocks") };
    let within = match places.method(by.method).as_str() {
        "" => String::new(),
        method => format!(" allocated in {method}"),
    };
    let (are, lead) = if blocks == 1 { ("is", "it leads") } else { ("are", "they lead") };
    let inner = match inner_blocks {
        0 => String::new(),
        _ if leak.inner_differs => String::new(),
        n => format!(", with {} ({inner_bytes} bytes) that only {lead} to,", number(n)),
    };
    format!("{} ({bytes} bytes){within} {are} lost{inner}", number(blocks))
}
