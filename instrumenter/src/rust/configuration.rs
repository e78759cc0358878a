//! What cargo's configuration files say about building and starting tests, as seen from a package's folder.

use super::remembered::{Memory, above};
use super::tools;
use serde_json::{Map, Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The configuration of a folder; empty where there is none.
#[derive(Clone, Debug, Default)]
pub(super) struct Configuration {
    /// What is [`used`] of it, merged as cargo does.
    merged: Value,
    /// The folder.
    folder: PathBuf,
}

impl Configuration {
    /// Asks cargo. It prints its configuration for programs under a flag that is still unstable, so an error is no
    /// answer, not a failure.
    pub(super) fn of(folder: &Path, memory: &Memory) -> Configuration {
        let text = memory.ask(&format!("configuration of {}", folder.display()), || {
            let output = tools::command("cargo")
                .args(["-Zunstable-options", "config", "get", "--format=json"])
                .env("RUSTC_BOOTSTRAP", "1")
                .current_dir(folder)
                .output()?;
            let merged = serde_json::from_slice(&output.stdout).unwrap_or_default();
            std::io::Result::Ok((used(&merged).to_string(), files(folder)))
        });
        let merged = text.ok().and_then(|text| serde_json::from_str(&text).ok());
        Configuration { merged: merged.unwrap_or_default(), folder: folder.to_owned() }
    }

    /// A program that is set by these variables (the first one counts; an empty one switches a configured program
    /// off), or by this key of `[build]`.
    pub(super) fn program(&self, variables: &[&str], key: &str) -> Option<OsString> {
        match variables.iter().find_map(std::env::var_os) {
            Some(program) => Some(program).filter(|program| !program.is_empty()),
            None => Some(program(&self.folder, self.merged["build"][key].as_str()?)),
        }
    }

    /// What `[env]` gives to the programs that cargo starts.
    pub(super) fn env(&self) -> Vec<(String, OsString)> {
        let entries = self.merged["env"].as_object().into_iter().flatten();
        entries.filter_map(|(name, entry)| Some((name.clone(), self.value(name, entry)?))).collect()
    }

    fn value(&self, name: &str, entry: &Value) -> Option<OsString> {
        let text = entry.as_str().or_else(|| entry["value"].as_str())?;
        let set = std::env::var_os(name).filter(|_| entry["force"] != true);
        Some(set.unwrap_or_else(|| match entry["relative"] == true {
            true => self.base(name).join(text).into(),
            false => text.into(),
        }))
    }

    /// What a relative path of `[env]` is relative to: the folder above the `.cargo` that names it first.
    fn base(&self, name: &str) -> PathBuf {
        let names_it = |above: &&Path| {
            let files = ["config.toml", "config"].map(|file| above.join(".cargo").join(file));
            let texts = files.iter().filter_map(|file| std::fs::read_to_string(file).ok());
            texts.filter_map(|text| text.parse::<toml::Table>().ok()).any(|t| {
                t.get("env").and_then(|env| env.get(name)).is_some_and(|entry| entry.get("value").is_some())
            })
        };
        self.folder.ancestors().find(names_it).unwrap_or(&self.folder).to_owned()
    }

    /// What is configured and does not hold for explored programs, in words.
    pub(super) fn unheeded(&self, host: &str) -> Vec<String> {
        let mut said = Vec::new();
        let target = std::env::var("CARGO_BUILD_TARGET").ok();
        let target = target.or_else(|| Some(self.merged["build"]["target"].as_str()?.to_owned()));
        if let Some(target) = target.filter(|target| target != host) {
            said.push(format!(
                "cargo's configuration asks for the target {target}; tests are explored on {host}"
            ));
        }
        let variable = format!("CARGO_TARGET_{}_RUNNER", host.to_uppercase().replace('-', "_"));
        let tables = self.merged["target"].as_object();
        let mut tables =
            tables.into_iter().flatten().filter(|(name, _)| *name == host || name.starts_with("cfg("));
        if std::env::var_os(variable).is_some() || tables.any(|(_, table)| !table["runner"].is_null()) {
            said.push(
                "cargo's configuration has a `runner` for tests, which explored tests are not started with"
                    .into(),
            );
        }
        said
    }
}

/// The keys of `[build]` that are asked for.
const BUILD: [&str; 3] = ["rustc", "rustc-wrapper", "target"];

/// What is asked for here, and nothing else: the answer is kept, and registries have tokens.
fn used(merged: &Value) -> Value {
    let some = |value: &Value| Some(value.clone()).filter(|value| !value.is_null());
    let build = BUILD.iter().filter_map(|key| Some((key.to_string(), some(&merged["build"][key])?)));
    let targets = merged["target"].as_object().into_iter().flatten();
    let targets = targets.filter(|(_, table)| !table["runner"].is_null());
    // That there is a runner is enough.
    let targets = targets.map(|(name, _)| (name.clone(), json!({ "runner": true })));
    let (build, targets): (Map<_, _>, Map<_, _>) = (build.collect(), targets.collect());
    json!({ "build": build, "env": merged["env"], "target": targets })
}

/// The files that cargo reads, there or not; none where one of them includes others, which are not known here.
fn files(folder: &Path) -> Vec<PathBuf> {
    let names = ["config.toml", "config"];
    let own = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let own = own.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let own = own.into_iter().flat_map(|home| names.map(|name| home.join(name)));
    let files = names.into_iter().flat_map(|name| above(folder, &format!(".cargo/{name}"))).chain(own);
    let files: Vec<PathBuf> = files.collect();
    let includes = |file: &PathBuf| std::fs::read_to_string(file).is_ok_and(|text| text.contains("include"));
    if files.iter().any(includes) { Vec::new() } else { files }
}

/// A program named in a configuration file: a name to be found on PATH, or a path relative to the
/// folder that holds `.cargo`, which is the package's or one above it.
fn program(package: &Path, name: &str) -> OsString {
    let path = Path::new(name);
    if path.is_absolute() || path.components().count() < 2 {
        return name.into();
    }
    let found: Option<PathBuf> =
        package.ancestors().map(|above| above.join(path)).find(|path| path.is_file());
    found.map_or_else(|| name.into(), PathBuf::into_os_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(file: &Path, text: &str) {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    #[test]
    fn a_wrapper_of_the_configuration_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("sub/package");
        std::fs::create_dir_all(&package).unwrap();
        write(&folder.path().join(".cargo/config.toml"), "[build]\nrustc-wrapper = \"tools/wrap\"\n");
        write(&folder.path().join("tools/wrap"), "");
        let found = Configuration::of(&package, &Memory::none()).program(&[], "rustc-wrapper").unwrap();
        assert!(Path::new(&found).is_file() && Path::new(&found).ends_with("tools/wrap"), "{found:?}");
        assert_eq!(program(&package, "sccache"), "sccache");
    }

    #[test]
    fn variables_are_those_that_cargo_gives() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let package = root.join("a/b");
        std::fs::create_dir_all(&package).unwrap();
        let text = "[env]\nRADDLE_T1 = \"x y\"\nRADDLE_T2 = { value = \"data\", relative = true }\n\
                    PATH = \"z\"\nHOME = { value = \"h\", force = true }\n";
        write(&root.join("a/.cargo/config.toml"), text);
        let env = Configuration::of(&package, &Memory::none()).env();
        let of = |name: &str| env.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone()).unwrap();
        assert_eq!((of("RADDLE_T1"), of("HOME")), ("x y".into(), "h".into()));
        assert_eq!(of("RADDLE_T2"), root.join("a/data"));
        assert_eq!(Some(of("PATH")), std::env::var_os("PATH"));
    }

    #[test]
    fn tokens_are_not_kept() {
        let [folder, cache] = [(), ()].map(|()| tempfile::tempdir().unwrap());
        let text = "[env]\nRADDLE_T3 = \"kept\"\n[registry]\ntoken = \"secret-1\"\n[registries.mine]\ntoken = \"secret-2\"\n\
                    [http]\nproxy = \"secret-3\"\n[target.'cfg(unix)']\nrunner = \"run secret-4\"\n";
        write(&folder.path().join(".cargo/config.toml"), text);
        std::thread::sleep(std::time::Duration::from_millis(50));
        let memory = Memory::of(cache.path());
        let config = || Configuration::of(folder.path(), &memory);
        assert_eq!(config().env(), [("RADDLE_T3".to_string(), "kept".into())]);
        let kept: Vec<String> = std::fs::read_dir(cache.path().join("rust/answers"))
            .unwrap()
            .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
            .collect();
        assert!(kept.len() == 1 && kept[0].contains("RADDLE_T3") && !kept[0].contains("secret"), "{kept:?}");
        // What is known from there says the same.
        assert_eq!(config().unheeded("x86_64-unknown-linux-gnu").len(), 1);
    }

    #[test]
    fn what_does_not_hold_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let said = || Configuration::of(folder.path(), &Memory::none()).unheeded("x86_64-unknown-linux-gnu");
        assert_eq!(said(), Vec::<String>::new());
        let text = "[build]\ntarget = \"wasm32-wasip1\"\n[target.'cfg(unix)']\nrunner = \"sudo\"\n";
        write(&folder.path().join(".cargo/config.toml"), text);
        assert!(said()[0].contains("wasm32-wasip1") && said()[1].contains("`runner`"), "{:?}", said());
    }
}
