//! `raddle config`: the options that hold for a target, and where each was set.

use super::{out, status};
use crate::error::Result;
use crate::options::configured::option;
use crate::options::explore;
use crate::settings::keys::{KEYS, Key};
use crate::settings::{FILE, Origin, Section, Settings, shown};
use crate::terminal::paint::{Ink, Paint};
use crate::terminal::wrap;
use clap::Command;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const EXAMPLES: &str = "\
Examples:
  raddle config                          what holds for the current folder
  raddle config tests/queue.c            for one program
  raddle config . --bound none --json    beside an option of the command line, as data

The options are those of `raddle explore`; each may be a key of raddle.toml, of [package.metadata.raddle] or of
[workspace.metadata.raddle], and of a [test.\"name\"] table in them, if this command lists it.";

/// Print the options that hold for a target, and where each was set
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[group(skip)]
pub struct Args {
    #[command(flatten)]
    pub explore: explore::Args,
}

/// Where a value is from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum From {
    Default,
    File(Origin),
    CommandLine,
}

/// One line.
struct Row {
    /// Empty for all tests.
    test: String,
    key: String,
    value: String,
    from: From,
}

/// Prints them.
pub fn run(args: Args, typed: &[String]) -> Result<u8> {
    let (target, is_json) = (args.explore.target().to_string(), args.explore.is_json());
    crate::target::kind(std::path::Path::new(&target))?;
    let args = args.explore.configured(typed)?;
    args.check()?;
    let settings = args.settings();
    let rows = rows(settings, typed);
    let text = match is_json {
        true => rows.iter().map(|row| format!("{}\n", object(row))).collect(),
        false => text(&target, settings, &rows, Paint::stdout()),
    };
    out(&text).map(|()| status::PASSED)
}

fn rows(settings: &Settings, typed: &[String]) -> Vec<Row> {
    let mut said: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for word in typed {
        let value = word.split_once('=').map_or("true", |(_, value)| value);
        said.entry(option(word)).or_default().push(value);
    }
    let command = <explore::Args as clap::Args>::augment_args(Command::new("raddle"));
    let row =
        |key: &str, value: String, from: From| Row { test: String::new(), key: key.into(), value, from };
    let mut rows = Vec::new();
    for key in KEYS {
        rows.push(match (said.get(key.name), settings.base.settings.get(key.name)) {
            (Some(values), _) => row(key.name, values.join(", "), From::CommandLine),
            (None, Some(set)) => row(key.name, set.value.to_string(), From::File(set.origin.clone())),
            (None, None) => row(key.name, default(&command, key), From::Default),
        });
    }
    rows.extend(variables(&settings.base, &said));
    for (name, test) in &settings.tests {
        let own = test.section.settings.values().filter(|set| !said.contains_key(set.key.name));
        let own = own.map(|set| row(set.key.name, set.value.to_string(), From::File(set.origin.clone())));
        let own = own.chain(variables(&test.section, &BTreeMap::new()));
        rows.extend(own.map(|row| Row { test: name.clone(), ..row }));
    }
    rows
}

fn default(command: &Command, key: &Key) -> String {
    let arg = command.get_arguments().find(|arg| arg.get_long() == Some(key.name));
    let values = arg.map(|arg| arg.get_default_values()).unwrap_or_default();
    values.first().map_or(key.unset.to_string(), |value| value.to_string_lossy().into_owned())
}

/// The variables of the environment; of those that were typed, too.
fn variables(section: &Section, said: &BTreeMap<&str, Vec<&str>>) -> Vec<Row> {
    let mut env: BTreeMap<&str, (&str, From)> = BTreeMap::new();
    for (name, variable) in &section.env {
        env.insert(name, (&variable.value, From::File(variable.origin.clone())));
    }
    for (name, value) in said.get("env").into_iter().flatten().filter_map(|word| word.split_once('=')) {
        env.insert(name, (value, From::CommandLine));
    }
    let row = |(name, (value, from)): (&str, (&str, From))| Row {
        test: String::new(),
        key: format!("env.{name}"),
        value: value.to_string(),
        from,
    };
    env.into_iter().map(row).collect()
}

fn object(row: &Row) -> Value {
    let (origin, place) = match &row.from {
        From::Default => ("default", None),
        From::File(origin) => ("file", Some(origin)),
        From::CommandLine => ("command-line", None),
    };
    json!({
        "version": 1,
        "kind": "setting",
        "test": row.test,
        "key": row.key,
        "value": row.value,
        "origin": origin,
        "file": place.map(|origin| shown(&origin.file)),
        "line": place.map(|origin| origin.line),
    })
}

/// Columns that values have at least.
const VALUES: usize = 16;

fn text(target: &str, settings: &Settings, rows: &[Row], paint: Paint) -> String {
    let mut text = format!("\n  {}\n\n", paint.ink(Ink::Strong, target));
    let keys = rows.iter().map(|row| row.key.chars().count()).max().unwrap_or(0);
    let from = |row: &Row| match &row.from {
        From::Default => "default".to_string(),
        From::File(origin) => origin.to_string(),
        From::CommandLine => "command line".to_string(),
    };
    let columns = paint.columns();
    let origins = rows.iter().map(|row| from(row).chars().count()).max().unwrap_or(0);
    // A path that leaves too little for the values is cut at its beginning.
    let origins = origins.min(columns.saturating_sub(keys + 6 + VALUES)).max(VALUES.min(origins));
    let mut test = "";
    for row in rows {
        if row.test != test {
            test = &row.test;
            text += &format!("\n  {}\n\n", paint.ink(Ink::Strong, &format!("test {test}")));
        }
        let origin = wrap::tail(&from(row), origins);
        let line = format!("{:keys$}  {origin:origins$}  {}", row.key, row.value);
        for line in wrap::below(line.trim_end(), keys + origins + 4, columns - 2) {
            let line = line.trim_end();
            let line = if row.from == From::Default { paint.ink(Ink::Quiet, line) } else { line.to_string() };
            text += &format!("  {line}\n");
        }
    }
    let files: Vec<String> = settings.files.iter().map(|file| shown(file)).collect();
    let note = match files.is_empty() {
        true => format!("No settings file holds for it; `raddle init` writes a {FILE}."),
        false => format!("Read: {}", files.join(", ")),
    };
    text.push('\n');
    for line in wrap::wrap(&note, columns - 2, 0) {
        text += &format!("  {}\n", paint.ink(Ink::Quiet, &line));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_has_its_origin() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let file =
            "bound = \"none\"\ntime = 3\nenv = { A = \"1\", B = \"2\" }\n[test.t]\nseed = 4\ntime = \"1m\"\n";
        std::fs::write(root.join(FILE), file).unwrap();
        let settings = Settings::of(&root.display().to_string()).unwrap();
        let typed = ["--time=9s", "--trust=a,b", "--keep-going", "--env=A=5"].map(String::from);
        let rows = rows(&settings, &typed);
        let told = rows.iter().filter(|row| row.from != From::Default).map(|row| {
            let from = if let From::File(origin) = &row.from { origin.line } else { 0 };
            format!("{} {} {} {from}", row.test, row.key, row.value)
        });
        let expected = [
            " bound none 1",
            " time 9s 0",
            " keep-going true 0",
            " trust a,b 0",
            " env.A 5 0",
            " env.B 2 3",
            "t seed 4 5",
        ];
        assert_eq!(told.collect::<Vec<_>>(), expected);
        let of = |key: &str| rows.iter().find(|row| row.key == key).map(|row| row.value.as_str());
        assert_eq!(
            (of("states"), of("hang"), of("inputs")),
            (Some("none"), Some("5s"), Some("0,1,-1,min,max"))
        );
    }
}
