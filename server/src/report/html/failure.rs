//! One failure: what it says, the picture, why, the source, and how to see it again.

use super::marks::{Marks, operations};
use super::page::place;
use super::source::{Sources, excerpts};
use super::{marks, picture};
use crate::report::run_report::{completed, counted, why};
use crate::terminal::clean::{bounded, first_line, visible};
use crate::terminal::text::circled;
use maud::{Markup, html};
use raddle_protocol::explanation::Explanation;
use raddle_protocol::report::{Event, Failure, Race, Report};

/// Bytes of what the program printed.
const OUTPUT: usize = 64 << 10;
/// Operations that are listed.
const EVENTS: usize = 2_000;

/// A failure; `id` is its address within the page.
pub fn failure(id: &str, report: &Report, f: &Failure, sources: &Sources) -> Markup {
    let marks = Marks::new(f);
    let excerpts = excerpts(&marks, sources);
    html! {
        article id=(id) {
            (head(report, f))
            @let drawn = picture::draw(id, &marks, &excerpts);
            div class={ "columns" @if drawn.is_wide { " wide" } } {
                div.left {
                    div.picture { (drawn.svg) }
                    (again(f))
                    @if !f.output.trim().is_empty() { (output(f)) }
                }
                div.right {
                    (reasons(f))
                    @if let Some(race) = &f.race { (sides(race)) }
                    (excerpts.draw(id, f, sources))
                }
            }
            (listing(f, &marks))
        }
    }
}

fn head(report: &Report, f: &Failure) -> Markup {
    let mut facts = vec![
        format!("found after {}", counted(f.found_after, "execution")),
        counted(f.preemptions, "preemption"),
        counted(f.switches, "switch"),
        counted(f.events.len() as u64, "operation"),
    ];
    if let Some(n) = report.bound.preemptions.completed {
        facts.push(completed(n));
    }
    if let Some(s) = &f.simplified {
        let was = [(s.preemptions, "preemption"), (s.switches, "switch"), (s.steps, "step")];
        facts.push(format!("made simpler: it had {}", was.map(|(n, what)| counted(n, what)).join(", ")));
    }
    let more: Vec<&str> = f.message.trim().lines().skip(1).collect();
    html! {
        h3 { span.kind { (visible(&f.kind)) } " " (visible(&first_line(&f.message, 300))) }
        @if !more.is_empty() { pre.more { (visible(&more.join("\n"))) } }
        p.quiet { (place(f.location.as_ref())) " · " (facts.join(" · ")) }
    }
}

/// Why it fails.
fn reasons(f: &Failure) -> Markup {
    let known = f.explained.as_ref();
    html! {
        div.card.why {
            h4 { "Why it fails" }
            @if let Some(mistake) = known.and_then(|e| e.mistake.as_ref()) {
                p.mistake { b { (visible(&mistake.kind)) } " " (visible(&mistake.text)) }
            }
            @match known.filter(|e| !e.story.is_empty()) {
                Some(e) => { @for sentence in &e.story { p { (visible(sentence)) } } }
                None => pre { (visible(&told(f).join("\n"))) },
            }
            @if let Some(e) = known.filter(|e| !e.deciding.is_empty()) { (deciding(f, e)) }
        }
    }
}

/// What was turned around, with the schedules that pass.
fn deciding(f: &Failure, e: &Explanation) -> Markup {
    html! {
        details open[e.story.is_empty()] {
            summary { "Deciding orders, with schedules that pass" }
            p.quiet { "Each was turned around, and the test passed." }
            ol.deciding {
            @for d in &e.deciding {
                li {
                    @for (n, o) in operations(d).enumerate() {
                        @if n > 0 { " before " }
                        span class={ "note deciding hue" (picture::hue(f, &o.thread)) } {
                            b { (o.thread) } " "
                            @match o.event.and_then(|at| f.events.get(at)) {
                                Some(event) => (visible(&event.text)),
                                None => { (visible(&o.operation)) " " (visible(&o.object)) },
                            }
                        }
                    }
                    @if let Some(c) = &d.choice {
                        " chose " code { (visible(&c.chosen)) } ", not " code { (visible(&c.instead)) }
                    }
                    " " span.quiet { "passes: " code { (visible(&d.passing)) } }
                }
            }
        }
        }
    }
}

/// Both accesses of a race, with the calls that led there.
fn sides(race: &Race) -> Markup {
    html! {
        div.card.sides {
            h4 { "The two accesses" }
            @for side in [&race.first, &race.second] {
                p {
                    b { (visible(&side.thread)) } " " (visible(&side.operation)) " of " code { (visible(&side.object)) }
                    @if let Some(shown) = &side.shown { " " code { (visible(shown)) } }
                    @match side.locks.as_deref() {
                        Some([]) => ", holding no lock",
                        Some(locks) => { ", holding " code { (visible(&locks.join(", "))) } },
                        None => {},
                    }
                }
                ul.stack {
                    @for frame in &side.stack { li { code { (visible(&frame.function)) } " " (place(Some(&frame.location))) } }
                }
            }
        }
    }
}

/// The text of the terminal, up to what the page has elsewhere.
fn told(f: &Failure) -> Vec<String> {
    let has_head = f.explained.as_ref().is_some_and(|e| !e.text.is_empty());
    let elsewhere = ["replay ", "output of this execution"];
    let kept = why(f).iter().skip(usize::from(has_head));
    let kept = kept.take_while(|line| !elsewhere.iter().any(|start| line.trim_start().starts_with(start)));
    let kept: Vec<&str> = kept.map(String::as_str).collect();
    kept.join("\n").trim_matches('\n').lines().map(str::to_string).collect()
}

fn again(f: &Failure) -> Markup {
    html! {
        div.card.again {
            h4 { "See it again" }
            pre.command { (visible(&f.replay)) }
            button.copy type="button" hidden { "copy" }
        }
    }
}

fn output(f: &Failure) -> Markup {
    html! {
        details.card open[f.output.lines().count() <= 12] {
            summary { "Output of this execution" }
            pre { (visible(&bounded(f.output.trim_end(), OUTPUT))) }
        }
    }
}

/// Every operation.
fn listing(f: &Failure, marks: &Marks) -> Markup {
    let left_out = f.events.len().saturating_sub(EVENTS);
    let first = if left_out > 0 { EVENTS / 2 } else { f.events.len() };
    html! {
        details.card.listing {
            summary { "All " (counted(f.events.len() as u64, "operation")) }
            table {
                thead { tr { th.number { "step" } th { "thread" } th { "operation" } th { "function" } th { "place" } } }
                tbody {
                    @for (at, e) in f.events.iter().enumerate().take(first) { (listed(f, marks, at, e)) }
                    @if left_out > 0 {
                        tr { td colspan="5" { "… " (left_out) " operations are left out here …" } }
                        @for (at, e) in f.events.iter().enumerate().skip(first + left_out) { (listed(f, marks, at, e)) }
                    }
                }
            }
        }
    }
}

fn listed(f: &Failure, marks: &marks::Marks, at: usize, e: &Event) -> Markup {
    let class = if marks.deciding.contains(&at) { "deciding" } else { "" };
    html! {
        @if let Some(p) = marks.preemption(at) {
            tr.preempted { td {} td colspan="4" { (circled(p.number)) " " (p.thread) " preempted" } }
        }
        tr class=(class) {
            td.number { @if let Some(step) = e.step { (step) } }
            td { span class={ "thread hue" (picture::hue(f, &e.thread)) } { (visible(&e.thread)) } }
            td { (visible(&picture::words(e))) }
            td { (visible(&e.method)) }
            td { (place(e.location.as_ref())) }
        }
    }
}
