//! The toolchain that cargo will use for a package, asked from the package's own folder so that a
//! `rust-toolchain.toml` and the configuration files there count.

use super::error::BuildError;
use super::tools;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The facade has the interface of this std.
const OLDEST: (u32, u32) = (1, 95);

/// A Rust compiler, as one package sees it.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// How to call the compiler, from the package's folder.
    pub rustc: OsString,
    /// All that `rustc -vV` says: its identity.
    pub identity: String,
    /// `1.95.0`.
    pub release: String,
    /// The host's triple.
    pub host: String,
    /// The user's own `RUSTC_WRAPPER`, from the environment or cargo's configuration.
    pub wrapper: Option<OsString>,
}

impl Toolchain {
    /// The toolchain of the package in this folder.
    pub fn find(package: &Path) -> Result<Toolchain, BuildError> {
        let config = build_config(package);
        let configured = |key: &str| Some(program(package, config.get(key)?.as_str()?));
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let rustc =
            variable("RUSTC").or_else(|| configured("rustc")).unwrap_or_else(|| tools::find("rustc").into());
        // An empty RUSTC_WRAPPER switches a configured one off.
        let wrapper = match std::env::var_os("RUSTC_WRAPPER") {
            Some(wrapper) => Some(wrapper).filter(|wrapper| !wrapper.is_empty()),
            None => configured("rustc-wrapper"),
        };
        let output = Command::new(&rustc).arg("-vV").current_dir(package).output();
        let output = output.map_err(|error| BuildError::tool(&rustc, &error))?;
        if !output.status.success() {
            let cause = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(BuildError::new(
                format!("`{} -vV` fails in {}", rustc.display(), package.display()),
                cause,
                "install the toolchain that the package asks for",
            ));
        }
        Self::new(rustc, wrapper, String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn new(rustc: OsString, wrapper: Option<OsString>, identity: String) -> Result<Toolchain, BuildError> {
        let line =
            |key: &str| identity.lines().find_map(|line| Some(line.strip_prefix(key)?.trim().to_owned()));
        let (Some(release), Some(host)) = (line("release:"), line("host:")) else {
            return Err(BuildError::new(
                format!("`{} -vV` does not answer like rustc", rustc.display()),
                identity,
                "set RUSTC to a Rust compiler",
            ));
        };
        let mut numbers = release.split(['.', '-']).map_while(|number| number.parse().ok());
        let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        if version < OLDEST {
            return Err(BuildError::new(
                format!("rustc {release} is too old"),
                format!("the std facade has the interface of Rust {}.{}", OLDEST.0, OLDEST.1),
                "update it (`rustup update`), or choose a newer one in rust-toolchain.toml",
            ));
        }
        Ok(Toolchain { rustc, identity, release, host, wrapper })
    }
}

/// The `build` table of cargo's configuration as seen from a folder; empty if there is none. Cargo
/// prints it for programs under a flag that is still unstable, so an error is no answer, not a
/// failure.
fn build_config(folder: &Path) -> serde_json::Value {
    let output = tools::command("cargo")
        .args(["-Zunstable-options", "config", "get", "--format=json", "build"])
        .env("RUSTC_BOOTSTRAP", "1")
        .current_dir(folder)
        .output();
    let config =
        output.ok().and_then(|output| serde_json::from_slice::<serde_json::Value>(&output.stdout).ok());
    config.and_then(|mut config| config.get_mut("build").map(serde_json::Value::take)).unwrap_or_default()
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

    fn check(release: &str) -> Result<Toolchain, BuildError> {
        let identity =
            format!("rustc {release}\nbinary: rustc\nhost: x86_64-unknown-linux-gnu\nrelease: {release}\n");
        Toolchain::new("rustc".into(), None, identity)
    }

    #[test]
    fn old_compilers_are_refused_by_name() {
        assert_eq!(check("1.94.1").unwrap_err().what, "rustc 1.94.1 is too old");
        assert_eq!(check("0.12.0").unwrap_err().what, "rustc 0.12.0 is too old");
        let toolchain = check("1.95.0").unwrap();
        assert_eq!(
            (toolchain.release.as_str(), toolchain.host.as_str()),
            ("1.95.0", "x86_64-unknown-linux-gnu")
        );
        assert!(check("1.97.0-nightly").is_ok());
        assert!(check("2.0.0-beta.1").is_ok());
    }

    #[test]
    fn a_wrapper_of_the_configuration_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("sub/package");
        std::fs::create_dir_all(&package).unwrap();
        std::fs::create_dir_all(folder.path().join(".cargo")).unwrap();
        std::fs::write(folder.path().join(".cargo/config.toml"), "[build]\nrustc-wrapper = \"tools/wrap\"\n")
            .unwrap();
        std::fs::create_dir_all(folder.path().join("tools")).unwrap();
        std::fs::write(folder.path().join("tools/wrap"), "").unwrap();
        let config = build_config(&package);
        let name = config["rustc-wrapper"].as_str().unwrap();
        assert_eq!(program(&package, name), folder.path().join("tools/wrap"));
        assert_eq!(program(&package, "sccache"), "sccache");
    }
}
