//! A launch configuration with what the settings files say where it says nothing.

use super::arguments::Arguments;
use crate::error::Result;
use crate::settings::{self, Section, Settings};
use serde_json::{Map, Value, json};

/// Settings that are arguments of `launch`, and what they are called there.
const NAMES: [(&str, &str); 11] = [
    ("cflags", "cflags"),
    ("points-at", "pointsAt"),
    ("trust", "trust"),
    ("points-in", "pointsIn"),
    ("main-exit", "mainExit"),
    ("spurious-wakeups", "spuriousWakeups"),
    ("spurious-failures", "spuriousFailures"),
    ("max-threads", "maxThreads"),
    ("inputs", "inputs"),
    ("random-choices", "randomChoices"),
    ("max-steps", "maxSteps"),
];

/// Settings that are options of cargo.
const CARGO: [&str; 9] = [
    "features",
    "all-features",
    "no-default-features",
    "release",
    "profile",
    "locked",
    "offline",
    "frozen",
    "watch-all",
];

/// The arguments that were given, of a target that is met by now, with the settings of it and of its test.
pub fn configured(given: &Value, arguments: Arguments) -> Result<Arguments> {
    let settings = Settings::of(&arguments.target)?;
    if settings.is_empty() {
        return Ok(arguments);
    }
    crate::options::configured::check(&settings)?;
    let mut section = settings.base;
    if let Some(test) = settings.tests.get(&arguments.test) {
        section.cover(test.section.clone());
    }
    let Arguments { target, cwd, .. } = arguments;
    Ok(Arguments { target, cwd, ..Arguments::read(&filled(given, &section)?)? })
}

/// The same with settings for what is left out.
fn filled(given: &Value, section: &Section) -> Result<Value> {
    let mut all = given.as_object().cloned().unwrap_or_default();
    let is_free = |all: &Map<String, Value>, name: &str| all.get(name).is_none_or(Value::is_null);
    for (key, name) in NAMES {
        let Some(setting) = section.settings.get(key).filter(|_| is_free(&all, name)) else { continue };
        let value = match &setting.value {
            settings::Value::Text(text) if ["maxThreads", "maxSteps"].contains(&name) => {
                text.parse::<u64>().map_or(json!(text), |number| json!(number))
            }
            settings::Value::Text(text) => json!(text),
            settings::Value::Flag(on) => json!(on),
            settings::Value::List(items) => json!(items),
        };
        all.insert(name.to_string(), value);
    }
    if let Some(setting) = section.settings.get("args").filter(|_| is_free(&all, "args")) {
        let words = crate::shell::words("args", &setting.value.to_string())?;
        let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        all.insert("args".into(), json!(words));
    }
    if is_free(&all, "cargo") {
        let words = CARGO.iter().filter_map(|key| section.settings.get(key)).flat_map(|set| set.words());
        all.insert("cargo".into(), json!(words.collect::<Vec<_>>()));
    }
    let mut env: Map<String, Value> = section.env.iter().map(|(n, v)| (n.clone(), json!(v.value))).collect();
    match all.get("env") {
        Some(Value::Object(own)) => env.extend(own.clone()),
        // What it is instead is refused where it is read.
        Some(other) if !other.is_null() => return Ok(Value::Object(all)),
        _ => {}
    }
    all.insert("env".into(), Value::Object(env));
    Ok(Value::Object(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_launch_configuration_wins_over_the_files() {
        let folder = tempfile::tempdir().unwrap();
        let file = "trust = [\"a\"]\nmax-steps = 7\nargs = \"1 'b c'\"\nfeatures = [\"f\"]\nrelease = true\n\
            env = { A = \"1\", B = \"2\" }\n[test.t]\nmain-exit = \"kill\"\n";
        std::fs::write(folder.path().join("raddle.toml"), file).unwrap();
        let target = folder.path().display().to_string();
        let read = |given: Value| configured(&given, Arguments::read(&given).unwrap()).unwrap();
        let told = read(json!({ "target": target, "test": "t", "env": { "A": "3" } }));
        assert_eq!(
            (told.trusted, told.max_steps, told.args),
            (vec!["a".into()], 7, vec!["1".into(), "b c".into()])
        );
        assert_eq!(told.cargo, ["--features=f", "--release"]);
        assert_eq!(told.env, [("A".to_string(), "3".to_string()), ("B".to_string(), "2".to_string())]);
        assert_eq!(told.main_exit, crate::runner::MainExit::Kill);
        let told =
            read(json!({ "target": target, "test": "u", "trust": [], "cargo": ["--lib"], "args": ["2"] }));
        assert_eq!((told.trusted.len(), told.cargo, told.args), (0, vec!["--lib".into()], vec!["2".into()]));
        assert_eq!(told.main_exit, crate::runner::MainExit::Wait);
    }
}
