//! `--html`: read with a browser's parser, and looked at in a browser.

use super::{explore, hostile};
use raddle_tests::Scratch;
use scraper::{Html, Selector};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The page: it refers to nothing but itself, and what it refers to is there.
#[track_caller]
pub fn page(scratch: &Scratch) -> Html {
    let text = scratch.read("out.html");
    let page = Html::parse_document(&text);
    let mut ids = BTreeSet::new();
    for e in every(&page, "[id]") {
        let id = e.attr("id").expect("an id");
        assert!(ids.insert(id.to_string()), "{id} is there once");
    }
    for element in every(&page, "*") {
        let name = element.value().name();
        assert!(
            !["img", "link", "iframe", "object", "embed", "base", "form", "use", "image"].contains(&name),
            "{name}"
        );
        for (attribute, value) in element.value().attrs() {
            assert!(!attribute.starts_with("on") && attribute != "style", "{attribute}={value}");
            let is_address = ["href", "xlink:href", "src", "srcset", "action", "data", "background"];
            let target = match value.strip_prefix("url(#") {
                Some(rest) => rest.trim_end_matches(')'),
                None if is_address.contains(&attribute) => {
                    value.strip_prefix('#').unwrap_or_else(|| panic!("{attribute}={value}"))
                }
                None => {
                    assert!(!value.contains("url("), "{attribute}={value}");
                    continue;
                }
            };
            assert!(ids.contains(target), "{attribute}={value} leads nowhere");
        }
    }
    let style = every(&page, "style").map(|e| e.text().collect::<String>()).collect::<String>();
    assert!(!style.contains("url(") && !style.contains("@import"), "a style sheet that needs nothing");
    assert_eq!((every(&page, "style").count(), every(&page, "script").count()), (1, 1));
    let policy = only(&page, "meta[http-equiv]").attr("content").expect("a policy").to_string();
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    page
}

fn every<'a>(page: &'a Html, selector: &str) -> impl Iterator<Item = scraper::ElementRef<'a>> {
    let selector = Selector::parse(selector).expect("a selector");
    page.select(&selector).collect::<Vec<_>>().into_iter()
}

#[track_caller]
fn only<'a>(page: &'a Html, selector: &str) -> scraper::ElementRef<'a> {
    let found: Vec<_> = every(page, selector).collect();
    assert_eq!(found.len(), 1, "{selector}");
    found[0]
}

fn text(e: scraper::ElementRef) -> String {
    e.text().collect::<Vec<_>>().join(" ")
}

/// A picture of it in Chromium, in the folder of the run's pictures; its title afterwards, which a script could
/// have changed.
fn look(scratch: &Scratch, name: &str, width: u32, height: u32) -> PathBuf {
    let folder =
        std::env::var_os("RADDLE_SCREENSHOTS").map_or_else(|| scratch.path("pictures"), PathBuf::from);
    std::fs::create_dir_all(&folder).expect("a folder for pictures");
    let picture = folder.join(format!("report-{name}.png"));
    let _ = std::fs::remove_file(&picture);
    chromium(
        scratch,
        &[&format!("--window-size={width},{height}"), &format!("--screenshot={}", picture.display())],
    );
    picture
}

fn chromium(scratch: &Scratch, options: &[&str]) -> String {
    let mut command = Command::new("timeout");
    command.args(["60", "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]);
    command.arg(format!("--user-data-dir={}", scratch.path("chromium").display())).args(options);
    command.arg(format!("file://{}", scratch.path("out.html").display()));
    let output = command.output().expect("chromium, which the test command installs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// How many colours a picture has: an empty page has one.
fn colours(picture: &Path) -> u32 {
    raddle_tests::screen::colours(picture)
}

#[test]
fn a_failing_execution_is_a_picture() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    let run = explore(&scratch, "lost_update.c").exits(1);
    let page = page(&scratch);
    assert_eq!(every(&page, "svg .name").map(text).filter(|t| t.contains("increment")).count(), 2);
    assert_eq!(text(only(&page, "svg .preemption .number")).trim(), "1");
    assert_eq!(every(&page, "svg .deciding").count(), 4, "two loads and two stores decide");
    assert_eq!(every(&page, "svg .order").count(), 2);
    assert_eq!(every(&page, "svg .fails").count(), 1);
    assert!(every(&page, "svg rect[fill^=url]").count() >= 1, "main waits for the end of the others");
    let replay = run.stdout.lines().find(|l| l.contains("raddle replay")).expect("a replay command");
    assert!(replay.ends_with(text(only(&page, ".command")).trim()), "{replay}");
    // The lines of what decides, each with its thread.
    let lines: Vec<String> = every(&page, ".line.deciding").map(text).collect();
    assert!(
        lines.iter().any(|l| l.contains("atomic_load") && l.contains("T1") && l.contains("T2")),
        "{lines:?}"
    );
    assert!(colours(&look(&scratch, "lost-update", 1400, 900)) > 20);
    assert!(colours(&look(&scratch, "lost-update-narrow", 800, 1400)) > 20);
}

#[test]
fn what_waits_at_the_end_is_shown() {
    let scratch = Scratch::with("samples/c/two_lock_deadlock.c");
    explore(&scratch, "two_lock_deadlock.c").exits(1);
    let page = page(&scratch);
    let waits: Vec<String> = every(&page, "svg .waits .what").map(text).collect();
    assert_eq!(waits.len(), 2, "{waits:?}");
    assert!(waits.iter().any(|w| w.starts_with("waits for left")), "{waits:?}");
}

#[test]
fn both_accesses_of_a_race_are_shown() {
    let scratch = Scratch::with("samples/c/unlocked_sometimes.c");
    explore(&scratch, "unlocked_sometimes.c").exits(1);
    let page = page(&scratch);
    let accesses: Vec<String> = every(&page, "svg .fails .what").map(text).collect();
    assert_eq!(accesses, ["reads total", "writes total"]);
    assert_eq!(every(&page, "svg .unordered").count(), 1);
    let card = text(only(&page, ".sides"));
    for part in ["T1", "holding no lock", "reporter", "T2", "holding", "worker"] {
        assert!(card.contains(part), "{part} in {card}");
    }
}

/// Ten threads of which three matter: the others have narrow lanes.
#[test]
fn many_threads_fit_a_page() {
    let scratch = Scratch::new();
    scratch.write("many.c", MANY);
    explore(&scratch, "many.c --order random --executions 20").exits(1);
    let page = page(&scratch);
    let width: u32 = only(&page, "svg").attr("width").and_then(|w| w.parse().ok()).expect("a width");
    assert!(width < 1_400, "{width}");
    assert_eq!(every(&page, "svg .name").count(), 10);
    assert!(colours(&look(&scratch, "many-threads", 1400, 1400)) > 20);
}

const MANY: &str = r#"#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int tickets;
static void *customer(void *p)
{
    int mine = atomic_load(&tickets);
    atomic_store(&tickets, mine + 1);
    return p;
}
int main(void)
{
    pthread_t threads[9];
    for (int i = 0; i < 9; i++)
        pthread_create(&threads[i], NULL, customer, NULL);
    for (int i = 0; i < 9; i++)
        pthread_join(threads[i], NULL);
    assert(tickets == 9);
    return 0;
}
"#;

#[test]
fn a_long_execution_fits_a_page() {
    let scratch = Scratch::with("samples/rust/job_queue");
    explore(&scratch, "job_queue submit_and_close").exits(1);
    let page = page(&scratch);
    let rows = every(&page, "svg .event").count();
    assert!((10..=60).contains(&rows), "{rows} rows");
    assert!(every(&page, "svg .fold").map(text).any(|t| t.contains("operations")));
    // Every operation is in the list all the same.
    assert!(every(&page, ".listing tbody tr").count() > 500);
    assert!(colours(&look(&scratch, "job-queue", 1400, 1400)) > 20);
}

#[test]
fn every_test_has_its_row() {
    let scratch = Scratch::with("samples/rust/bank");
    explore(&scratch, "bank").exits(1);
    let page = page(&scratch);
    let verdicts: Vec<String> = every(&page, ".tests .verdict").map(text).collect();
    assert_eq!(verdicts.iter().filter(|v| *v == "passed").count(), 4, "{verdicts:?}");
    assert_eq!(verdicts.len(), 5);
    scratch.write("broken.c", "int main(void) { return missing; }\n");
    explore(&scratch, "broken.c").exits(2);
    assert!(text(only(&self::page(&scratch), ".card.error")).contains("missing"));
}

#[test]
fn what_the_program_says_is_text() {
    let scratch = hostile();
    let page = page(&scratch);
    let said = text(only(&page, "article h3"));
    assert!(
        said.contains("\"><script>document.title='owned'</script> ]]> <!-- [a](1) {0} ␛[2J ␁ '"),
        "{said}"
    );
    // In a browser that runs scripts none of it was run.
    let dumped = Html::parse_document(&chromium(&scratch, &["--dump-dom"]));
    assert!(text(only(&dumped, "head > title")).contains("Raddle"));
    assert!(every(&dumped, ".copy").all(|b| b.text().any(|t| t == "copy")));
}
