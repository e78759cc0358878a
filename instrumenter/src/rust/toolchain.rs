//! The toolchain that cargo will use for a package, asked from the package's own folder so that a
//! `rust-toolchain.toml` and the configuration files there count.

use super::configuration::Configuration;
use super::error::BuildError;
use super::remembered::{Memory, above};
use super::tools;
use std::ffi::{OsStr, OsString};
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
    /// What cargo's configuration gives to the programs that cargo starts.
    pub env: Vec<(String, OsString)>,
    /// What cargo's configuration says and explored programs do not heed, in words.
    pub unheeded: Vec<String>,
}

impl Toolchain {
    /// The toolchain of the package in this folder.
    pub fn find(package: &Path) -> Result<Toolchain, BuildError> {
        Toolchain::remembered(package, &Memory::none())
    }

    /// The same, with what was known before.
    pub(super) fn remembered(package: &Path, memory: &Memory) -> Result<Toolchain, BuildError> {
        let config = Configuration::of(package, memory);
        let rustc = config.program(&["RUSTC", "CARGO_BUILD_RUSTC"], "rustc");
        let rustc = rustc.unwrap_or_else(|| tools::find("rustc").into());
        let question = format!("{} -vV in {}", rustc.display(), package.display());
        let identity = memory.ask(&question, || {
            let identity = said(&rustc, &["-vV"], package)?;
            let root = said(&rustc, &["--print", "sysroot"], package)?;
            Ok((identity, deciding(&rustc, Path::new(root.trim()), package)))
        })?;
        Self::new(rustc, &config, identity)
    }

    /// Does it take unstable options by itself?
    pub fn is_nightly(&self) -> bool {
        self.release.contains("nightly") || self.release.contains("dev")
    }

    fn new(rustc: OsString, config: &Configuration, identity: String) -> Result<Toolchain, BuildError> {
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
        let wrapper = config.program(&["RUSTC_WRAPPER", "CARGO_BUILD_RUSTC_WRAPPER"], "rustc-wrapper");
        let (env, unheeded) = (config.env(), config.unheeded(&host));
        Ok(Toolchain { rustc, identity, release, host, wrapper, env, unheeded })
    }
}

/// What the compiler says.
fn said(rustc: &OsStr, words: &[&str], package: &Path) -> Result<String, BuildError> {
    let output = Command::new(rustc).args(words).current_dir(package).output();
    let output = output.map_err(|error| BuildError::tool(rustc, &error))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let cause = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(BuildError::new(
        format!("`{} {}` fails in {}", rustc.display(), words.join(" "), package.display()),
        cause,
        "install the toolchain that the package asks for",
    ))
}

/// The files that decide which compiler this is: the program that is called (which may be rustup's), the compiler
/// itself, and what rustup goes by. None where the compiler is not where its sysroot says: then it is asked each time.
fn deciding(rustc: &OsStr, sysroot: &Path, package: &Path) -> Vec<PathBuf> {
    let compiler = sysroot.join("bin/rustc");
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    let called = match Path::new(rustc).components().count() {
        1 => std::env::split_paths(&on_path).map(|folder| folder.join(rustc)).find(|file| file.is_file()),
        _ => Some(package.join(rustc)),
    };
    let (true, Some(called)) = (compiler.is_file(), called) else { return Vec::new() };
    let rustup = std::env::var_os("RUSTUP_HOME").map(PathBuf::from);
    let rustup = rustup.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".rustup")));
    let chosen = ["rust-toolchain", "rust-toolchain.toml"].into_iter().flat_map(|name| above(package, name));
    let settings = rustup.map(|folder| folder.join("settings.toml"));
    chosen.chain(settings).chain([called, compiler]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(release: &str) -> Result<Toolchain, BuildError> {
        let identity =
            format!("rustc {release}\nbinary: rustc\nhost: x86_64-unknown-linux-gnu\nrelease: {release}\n");
        Toolchain::new("rustc".into(), &Configuration::default(), identity)
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
}
