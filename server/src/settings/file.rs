//! Reads one settings file, or the table of a `Cargo.toml` that is one. A refusal names the file, the line and the key.

use super::keys::{self, KEYS, Key, PROJECT, Shape, TABLES};
use super::{Origin, Section, Setting, TestSection, Value, Variable};
use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What a file holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// For all tests.
    pub base: Section,
    /// For single tests.
    pub tests: BTreeMap<String, TestSection>,
}

/// A file that is being read.
struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
    /// The keys that are allowed beside options.
    others: Vec<&'static str>,
}

/// Reads the table of these names; nothing where there is none.
pub fn read(path: &Path, names: &[&str]) -> Result<Option<Read>> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(Error::file("read", path, &e)),
    };
    let of_cargo = !names.is_empty();
    let others = TABLES.into_iter().chain(if of_cargo { [].iter() } else { PROJECT.iter() }.copied());
    let reader = Reader { path, text: &text, others: others.collect() };
    let root = match DeTable::parse(&text) {
        Ok(root) => root,
        // Cargo says it better, and does.
        Err(_) if of_cargo => return Ok(None),
        Err(e) => {
            let at = e.span().map_or(0, |span| span.start);
            let what = format!("{}: it is no TOML", reader.origin(at));
            return Err(Error::new(what).because(e.message()).next("correct the line"));
        }
    };
    let mut table = root.get_ref();
    for name in names {
        match table.get(*name).map(Spanned::get_ref) {
            Some(DeValue::Table(inner)) => table = inner,
            _ => return Ok(None),
        }
    }
    reader.file(table).map(Some)
}

/// Does a `raddle.toml` name programs or a build, rather than settings alone? One that cannot be read counts, so that
/// reading it says why.
pub fn is_project(path: &Path) -> bool {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let has = |table: Spanned<DeTable>| PROJECT.iter().any(|key| table.get_ref().contains_key(*key));
    DeTable::parse(&text).map_or(true, has)
}

type Entry<'a, 'i> = (&'a Spanned<toml::de::DeString<'i>>, &'a Spanned<DeValue<'i>>);

impl Reader<'_> {
    fn origin(&self, offset: usize) -> Origin {
        let before = self.text.as_bytes().get(..offset).unwrap_or_default();
        Origin { file: self.path.to_path_buf(), line: 1 + before.iter().filter(|b| **b == b'\n').count() }
    }

    /// The entries of a table as they stand in the file.
    fn entries<'a, 'i>(table: &'a DeTable<'i>) -> Vec<Entry<'a, 'i>> {
        let mut entries: Vec<Entry> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        entries
    }

    fn file(&self, table: &DeTable) -> Result<Read> {
        let mut read = Read::default();
        for entry @ (key, value) in Self::entries(table) {
            match key.get_ref().as_ref() {
                "test" => read.tests = self.tests(value)?,
                // They are read where the project is built (`target/project.rs`).
                name if PROJECT.contains(&name) && self.others.contains(&name) => {}
                _ => self.one(&mut read.base, entry, &self.others)?,
            }
        }
        Ok(read)
    }

    fn tests(&self, value: &Spanned<DeValue>) -> Result<BTreeMap<String, TestSection>> {
        let DeValue::Table(tests) = value.get_ref() else {
            return Err(self.wrong_shape(value, "test", "a table for each test: [test.\"name\"]"));
        };
        let mut read = BTreeMap::new();
        for (name, value) in Self::entries(tests) {
            let DeValue::Table(table) = value.get_ref() else {
                let what = format!("{}: `test` holds a table for each test", self.origin(name.span().start));
                let next = format!("write [test.\"name\"] above `{}`", name.get_ref());
                return Err(Error::new(what).next(next));
            };
            let mut section = Section::default();
            for entry in Self::entries(table) {
                self.one(&mut section, entry, &["env"])?;
            }
            let origin = self.origin(name.span().start);
            read.insert(name.get_ref().to_string(), TestSection { origin, section });
        }
        Ok(read)
    }

    /// One key of a section.
    fn one(&self, section: &mut Section, (key, value): Entry, others: &[&'static str]) -> Result<()> {
        let name = key.get_ref().as_ref();
        let origin = self.origin(key.span().start);
        if name == "env" {
            section.env.extend(self.env(value)?);
            return Ok(());
        }
        let of_one_test = !others.contains(&"test");
        match keys::named(name) {
            Some(known) if known.builds && of_one_test => {
                let what = format!("{origin}: `{name}` is no key of one test");
                Err(Error::new(what)
                    .because("all tests share a build")
                    .next("move it above every [test] table"))
            }
            Some(known) => {
                let value = self.value(known, value)?;
                section.settings.insert(known.name, Setting { key: known, value, origin });
                Ok(())
            }
            None => Err(self.unknown(name, &origin, of_one_test, others)),
        }
    }

    fn unknown(&self, name: &str, origin: &Origin, of_one_test: bool, others: &[&'static str]) -> Error {
        let options = KEYS.iter().filter(|k| !(of_one_test && k.builds)).map(|k| k.name);
        let near = keys::nearest(name, options.chain(others.iter().copied()));
        let next = format!("the nearest key is `{near}`; `raddle config` lists all of them");
        Error::new(format!("{origin}: it has a key `{name}`, which is not known")).next(next)
    }

    fn wrong_shape(&self, value: &Spanned<DeValue>, name: &str, expected: &str) -> Error {
        let origin = self.origin(value.span().start);
        let given = &self.text.get(value.span()).unwrap_or_default();
        let given: String = given.lines().next().unwrap_or_default().chars().take(40).collect();
        Error::new(format!("{origin}: `{name}` is not {expected}")).because(format!("it is {given}"))
    }

    fn value(&self, key: &Key, value: &Spanned<DeValue>) -> Result<Value> {
        let text = |value: &Spanned<DeValue>| value.get_ref().as_str().map(str::to_string);
        let read = match (key.shape, value.get_ref()) {
            (Shape::Text | Shape::Quantity, DeValue::String(text)) => Some(Value::Text(text.to_string())),
            (Shape::Number | Shape::Quantity, DeValue::Integer(number)) => {
                i64::from_str_radix(number.as_str(), number.radix()).ok().map(|n| Value::Text(n.to_string()))
            }
            (Shape::Flag, DeValue::Boolean(on)) => Some(Value::Flag(*on)),
            (Shape::List, DeValue::String(text)) => Some(Value::List(vec![text.to_string()])),
            (Shape::List, DeValue::Array(items)) => {
                items.iter().map(text).collect::<Option<Vec<String>>>().map(Value::List)
            }
            _ => None,
        };
        read.ok_or_else(|| self.wrong_shape(value, key.name, key.shape.expected()))
    }

    fn env(&self, value: &Spanned<DeValue>) -> Result<BTreeMap<String, Variable>> {
        let DeValue::Table(table) = value.get_ref() else {
            return Err(self.wrong_shape(value, "env", "a table of texts"));
        };
        let mut env = BTreeMap::new();
        for (name, value) in Self::entries(table) {
            let origin = self.origin(name.span().start);
            let name = name.get_ref().to_string();
            let Some(text) = value.get_ref().as_str() else {
                return Err(self.wrong_shape(value, &format!("env.{name}"), "a text"));
            };
            if name.starts_with("RADDLE_")
                || name.is_empty()
                || name.contains(['=', '\0'])
                || text.contains('\0')
            {
                let what = format!("{origin}: `env` cannot set `{name}`");
                let cause = match name.starts_with("RADDLE_") {
                    true => "names that begin with RADDLE_ are Raddle's own",
                    false => "it is no name and value of a variable",
                };
                return Err(Error::new(what).because(cause).next("choose another name"));
            }
            env.insert(name, Variable { value: text.to_string(), origin });
        }
        Ok(env)
    }
}

#[cfg(test)]
mod tests {
    use super::super::FILE;
    use super::*;

    fn check(names: &[&str], text: &str) -> std::result::Result<Option<Read>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(if names.is_empty() { FILE } else { "Cargo.toml" });
        std::fs::write(&path, text).unwrap();
        let base = format!("{}/", folder.path().display());
        read(&path, names).map_err(|e| e.render().replace(&base, ""))
    }

    #[test]
    fn keys_have_values_and_lines() {
        let read = check(
            &[],
            "build = \"make\"\n\nbound = \"depth=3\"\ntime = 5\ntrust = [\"a\", \"b\"]\n\
            env.A = \"x\"\n[test.\"q::t\"]\nkeep-going = true\n[test.p]\nenv = { A = \"y\" }\n",
        );
        let read = read.unwrap().unwrap();
        let words: Vec<String> = read.base.settings.values().flat_map(Setting::words).collect();
        assert_eq!(words, ["--bound=depth=3", "--time=5", "--trust=a", "--trust=b"]);
        assert_eq!(read.base.settings["bound"].origin.line, 3);
        assert_eq!(read.base.env["A"].origin.line, 6);
        let test = &read.tests["q::t"];
        assert_eq!((test.origin.line, test.section.settings["keep-going"].origin.line), (7, 8));
        assert_eq!(read.tests["p"].section.env["A"].value, "y");
    }

    #[test]
    fn a_table_of_cargo_is_read_alone() {
        let text = "[package]\nname = \"x\"\n[package.metadata.raddle]\nbound = \"none\"\n";
        let read = check(&["package", "metadata", "raddle"], text).unwrap().unwrap();
        assert_eq!(read.base.settings["bound"].origin.line, 4);
        assert_eq!(check(&["workspace", "metadata", "raddle"], text), Ok(None));
        let e = check(&["package", "metadata", "raddle"], "[package.metadata.raddle]\nprograms = []\n");
        assert!(e.unwrap_err().contains("Cargo.toml:2: it has a key `programs`"));
    }

    #[test]
    fn a_refusal_names_line_key_and_the_nearest_one() {
        for (text, expected) in [
            ("\nbuond = \"none\"", "raddle.toml:2: it has a key `buond`, which is not known"),
            ("points_in = []", "the nearest key is `points-in`"),
            ("programms = []", "the nearest key is `programs`"),
            ("bound = 3", "raddle.toml:1: `bound` is not a text\n  cause: it is 3"),
            ("time = true", "`time` is not a text with a unit or a whole number"),
            ("trust = [1]", "`trust` is not a list of texts"),
            ("keep-going = \"yes\"", "`keep-going` is not true or false"),
            ("[test.a]\nfeatures = []", "raddle.toml:2: `features` is no key of one test"),
            ("[test.a]\nbuild = \"x\"", "raddle.toml:2: it has a key `build`"),
            ("[test]\nbound = \"none\"", "raddle.toml:2: `test` holds a table for each test"),
            ("test = 1", "`test` is not a table for each test"),
            ("env = 1", "`env` is not a table of texts"),
            ("env = { A = 1 }", "`env.A` is not a text"),
            ("env = { RADDLE_X = \"1\" }", "`env` cannot set `RADDLE_X`"),
            ("a = 1\n[", "raddle.toml:2: it is no TOML"),
        ] {
            let said = check(&[], text).unwrap_err();
            assert!(said.contains(expected), "{text}: {said}");
        }
    }
}
