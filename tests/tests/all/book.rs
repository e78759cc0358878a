//! The book (`docs/`) and the README say what is so: every command in a `console` block runs and prints what is shown, every link leads
//! somewhere, and mdBook renders all pages.
//!
//! The commands of a page share one folder, which has the samples and the book's examples. `$ cd FOLDER` holds until the page ends. A
//! block with `exit=1` has only `raddle explore` and `raddle replay` commands that find a failure; all other commands succeed. A line `…`
//! of a block stands for any lines. A `diff` block is applied where it stands.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use raddle_tests::binary::{binary, root, shared_cache};
use raddle_tests::scratch::Scratch;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A fenced block: its info string and its text.
struct Block {
    info: String,
    text: String,
}

/// One command of a block and the lines shown below it.
struct Shown {
    command: String,
    output: Vec<String>,
}

/// The pages of the book, and the README.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    let mut folders = vec![root().join("docs/src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the book").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

fn events(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES)
}

/// The fenced blocks of a page.
fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut inside = false;
    for event in events(text) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                inside = true;
                blocks.push(Block { info: info.to_string(), text: String::new() });
            }
            Event::End(TagEnd::CodeBlock) => inside = false,
            Event::Text(text) if inside => blocks.last_mut().expect("an open block").text.push_str(&text),
            _ => {}
        }
    }
    blocks
}

/// The commands of a `console` block.
fn commands(block: &Block) -> Vec<Shown> {
    let mut commands: Vec<Shown> = Vec::new();
    for line in block.text.lines() {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push(Shown { command: command.into(), output: Vec::new() }),
            (None, Some(last)) => last.output.push(line.into()),
            (None, None) => panic!("a console block begins with a command, not with {line:?}"),
        }
    }
    commands
}

/// A line without what differs between machines and runs: the hash of a build, and how long something took.
fn comparable(line: &str) -> String {
    let without_hash = |word: &str| word.split_once('#').map_or(word, |(schedule, _)| schedule).to_string();
    let words: Vec<String> = line
        .trim_end()
        .split(' ')
        .map(|word| if word.contains('@') { without_hash(word) } else { word.to_string() })
        .collect();
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    if words.len() > 1 && words[words.len() - 1] == "s" && words[words.len() - 2].parse::<f64>().is_ok() {
        words.truncate(words.len() - 2);
    }
    words.join(" ").trim_end().to_string()
}

/// Are these lines shown as they were printed? `…` alone stands for any lines, at the end too.
fn is_shown(shown: &[String], printed: &[String]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((dots, rest)) if dots == "…" => (0..=printed.len()).any(|n| is_shown(rest, &printed[n..])),
        Some((line, rest)) => printed.first() == Some(line) && is_shown(rest, &printed[1..]),
    }
}

/// The folder that the commands of one page are run in.
struct Page {
    scratch: Scratch,
    folder: PathBuf,
}

impl Page {
    fn new() -> Self {
        let scratch = Scratch::new();
        let links = scratch.path("bin");
        std::fs::create_dir(&links).expect("a folder for the program");
        std::os::unix::fs::symlink(binary(), links.join("raddle")).expect("a link to the program");
        let copy = |from: &str, to: &str| {
            let to = scratch.path(to);
            std::fs::create_dir_all(to.parent().expect("a parent")).expect("a folder");
            let copied = Command::new("cp").arg("-r").arg(root().join(from)).arg(&to).status();
            assert!(copied.is_ok_and(|s| s.success()), "{from} cannot be copied");
        };
        for folder in ["samples", "tests/programs/counts"] {
            copy(folder, folder);
        }
        copy("docs/examples/advisories", "advisories");
        copy("docs/examples/visitors", "visitors");
        copy("docs/examples/queue", "queue");
        let folder = scratch.root().to_path_buf();
        Page { scratch, folder }
    }

    fn shell(&self, command: &str) -> Output {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut shell = Command::new("sh");
        for (name, _) in std::env::vars_os() {
            let name_text = name.to_string_lossy();
            if name_text.starts_with("CARGO_PKG")
                || name_text.starts_with("NEXTEST")
                || name == "RUST_BACKTRACE"
            {
                shell.env_remove(name);
            }
        }
        shell
            .args(["-c", command])
            .current_dir(&self.folder)
            .env("PATH", format!("{}:{path}", self.scratch.path("bin").display()))
            .env("RADDLE_CACHE", shared_cache())
            .env("LC_ALL", "C.UTF-8")
            .env_remove("COLUMNS")
            .stdin(Stdio::null())
            .output()
            .expect("a shell")
    }

    /// Runs one command, and says where it does not do as shown.
    fn run(&mut self, shown: &Shown, fails: bool) -> Result<(), String> {
        if let Some(folder) = shown.command.strip_prefix("cd ") {
            self.folder.push(folder);
            return if self.folder.is_dir() { Ok(()) } else { Err(format!("no folder {folder}")) };
        }
        let output = self.shell(&shown.command);
        let text = String::from_utf8_lossy(&output.stdout);
        let searches = ["raddle explore ", "raddle replay "].iter().any(|c| shown.command.starts_with(c));
        let status = i32::from(fails && searches);
        if output.status.code() != Some(status) {
            let errors = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{} for exit status {status}\n{text}{errors}", output.status));
        }
        let mut expected: Vec<String> = shown.output.iter().map(|l| comparable(l)).collect();
        while expected.last().is_some_and(String::is_empty) {
            expected.pop();
        }
        let mut printed: Vec<String> = text.lines().map(comparable).collect();
        while printed.last().is_some_and(String::is_empty) {
            printed.pop();
        }
        if expected.is_empty() || is_shown(&expected, &printed) {
            return Ok(());
        }
        Err(format!("the page shows\n{}\n\nand this was printed\n{text}", shown.output.join("\n")))
    }

    fn patch(&self, diff: &str) -> Result<(), String> {
        let file = self.scratch.write("shown.diff", diff);
        let output = self.shell(&format!("git apply {}", file.display()));
        if output.status.success() {
            return Ok(());
        }
        Err(format!("the diff does not apply: {}", String::from_utf8_lossy(&output.stderr)))
    }
}

/// The commands of these pages that do not do as shown.
fn wrong_commands(pages: &[PathBuf]) -> Vec<String> {
    let mut wrong = Vec::new();
    for path in pages {
        let blocks = blocks(&std::fs::read_to_string(path).expect("a page"));
        if !blocks.iter().any(|b| b.info.starts_with("console")) {
            continue;
        }
        let mut page = Page::new();
        for block in &blocks {
            let words: Vec<&str> = block.info.split(',').collect();
            let results = match words[0] {
                "diff" => vec![page.patch(&block.text)],
                "console" => {
                    let fails = words.contains(&"exit=1");
                    let commands = commands(block);
                    commands
                        .iter()
                        .map(|c| page.run(c, fails).map_err(|e| format!("$ {}: {e}", c.command)))
                        .collect()
                }
                _ => continue,
            };
            wrong.extend(
                results.into_iter().filter_map(Result::err).map(|e| format!("{}: {e}", path.display())),
            );
        }
    }
    wrong
}

#[test]
fn every_command_of_the_guide_does_as_shown() {
    let pages: Vec<PathBuf> =
        pages().into_iter().filter(|p| p.components().any(|c| c.as_os_str() == "guide")).collect();
    assert!(pages.len() >= 8, "the guide has {} pages", pages.len());
    let wrong = wrong_commands(&pages);
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_other_command_of_the_book_does_as_shown() {
    let pages: Vec<PathBuf> =
        pages().into_iter().filter(|p| !p.components().any(|c| c.as_os_str() == "guide")).collect();
    let wrong = wrong_commands(&pages);
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The anchors that mdBook gives to the headings of a page.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut heading: Option<String> = None;
    for event in events(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let text = heading.take().unwrap_or_default();
                let text = text.trim().to_lowercase();
                let kept = text.chars().filter_map(|c| match c {
                    ' ' => Some('-'),
                    c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c),
                    _ => None,
                });
                anchors.insert(kept.collect());
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            _ => {}
        }
    }
    anchors
}

#[test]
fn every_link_leads_somewhere() {
    let mut wrong = Vec::new();
    let mut pages = pages();
    pages.push(root().join("ARCHITECTURE.md"));
    for path in pages {
        let text = std::fs::read_to_string(&path).expect("a page");
        let folder = path.parent().expect("a folder");
        for event in events(&text) {
            let (Event::Start(Tag::Link { dest_url, .. }) | Event::Start(Tag::Image { dest_url, .. })) =
                event
            else {
                continue;
            };
            if dest_url.contains("://") {
                continue;
            }
            let (file, anchor) = dest_url.split_once('#').unwrap_or((&dest_url, ""));
            let to = if file.is_empty() { path.clone() } else { folder.join(file) };
            if !to.exists() {
                wrong.push(format!("{}: {dest_url} is not there", path.display()));
            } else if !anchor.is_empty()
                && !anchors(&std::fs::read_to_string(&to).expect("a page")).contains(anchor)
            {
                wrong.push(format!("{}: {dest_url} has no such heading", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_summary_names_every_page_and_mdbook_renders_them() {
    let out = Scratch::new();
    let mut book = mdbook_driver::MDBook::load(root().join("docs")).expect("the book loads");
    book.config.build.build_dir = out.path("book");
    book.build().expect("the book builds");
    let docs = root().join("docs/src");
    for page in pages().iter().filter_map(|p| p.strip_prefix(&docs).ok()) {
        if page != Path::new("SUMMARY.md") {
            let html = out.path("book").join(page.with_extension("html"));
            assert!(html.exists(), "SUMMARY.md does not name {}", page.display());
        }
    }
}

/// The README is one screen after another of what a newcomer needs, not the reference.
#[test]
fn the_readme_stays_short() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("the README");
    let lines = readme.lines().count();
    assert!(lines <= 120, "README.md has {lines} lines, 120 at most");
}

/// The table of commands has every subcommand of `raddle --help`, and no other.
#[test]
fn the_table_has_every_command() {
    let text = std::fs::read_to_string(root().join("docs/src/reference/commands.md")).expect("the page");
    let table = text.lines().skip_while(|line| !line.starts_with("| command")).skip(2);
    let cells = table.take_while(|line| line.starts_with('|')).filter_map(|line| line.split(" | ").next());
    let commands = |cell: &str| -> Vec<String> {
        let after = cell.split("`raddle ").skip(1);
        after.filter_map(|rest| rest.split([' ', '`']).next()).map(str::to_string).collect()
    };
    let told: BTreeSet<String> = cells.flat_map(commands).collect();
    let help = Command::new(binary()).arg("--help").output().expect("raddle starts");
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let listed =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // A line that goes on with a description is indented further.
    let named = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = named.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    assert_eq!(told, names.map(str::to_string).collect::<BTreeSet<_>>());
}
