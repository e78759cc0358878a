//! Getting a pinned package through cargo, which downloads it or has it already, and checks it
//! against its lock file; the checksum there must be the pinned one. Nothing of it is committed.

use crate::command::{command, run};
use crate::list::Pin;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The unpacked package, below this folder of the cache. It is there from an earlier run, or
/// fetched.
pub fn fetch(pin: &Pin, cache: &Path) -> Result<PathBuf, String> {
    let package = cache.join("source").join(format!("{}-{}-{}", pin.name, pin.version, &pin.sha256[..8]));
    if !package.is_dir() {
        println!("fetching {} {}", pin.name, pin.version);
        let aside = cache.join("source").join(format!(".{}", pin.name));
        let _ = fs::remove_dir_all(&aside);
        let unpacked = download(pin, &aside.join("fetch"))?;
        let copied = copy(&unpacked, &aside.join("package"));
        // Which toolchain its authors build it with is not the question here.
        for file in ["rust-toolchain", "rust-toolchain.toml"] {
            let _ = fs::remove_file(aside.join("package").join(file));
        }
        // A package that another run has put there meanwhile is the same one.
        let placed = copied.and_then(|()| fs::rename(aside.join("package"), &package));
        let _ = fs::remove_dir_all(&aside);
        if !package.is_dir() {
            placed.map_err(|e| format!("cannot keep {} in {}: {e}", pin.name, cache.display()))?;
        }
    }
    Ok(package)
}

/// Makes cargo unpack it, as the only dependency of a package made for this.
fn download(pin: &Pin, folder: &Path) -> Result<PathBuf, String> {
    let Pin { name, version, sha256 } = pin;
    let failed = |why: String| {
        format!("cannot fetch {name} {version} from the registry of crates:\n{why}\nis the network there?")
    };
    let manifest = format!(
        "[package]\nname = \"fetch\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n\
         [dependencies]\n{name} = {{ version = \"={version}\", default-features = false }}\n\n[workspace]\n"
    );
    let written = fs::create_dir_all(folder.join("src"))
        .and_then(|()| fs::write(folder.join("Cargo.toml"), manifest))
        .and_then(|()| fs::write(folder.join("src/lib.rs"), ""));
    written.map_err(|e| failed(format!("{}: {e}", folder.display())))?;
    let mut cargo = command("cargo", folder);
    let said = run(cargo.args(["metadata", "--format-version=1"]), Duration::from_secs(300))
        .map_err(|e| failed(format!("cargo does not start: {e}")))?;
    if !said.good() {
        return Err(failed(said.tail()));
    }
    let found = fs::read_to_string(folder.join("Cargo.lock")).ok().and_then(|l| checksum(&l, pin));
    if found.as_deref() != Some(sha256) {
        let found = found.unwrap_or_else(|| "none".to_string());
        return Err(format!("{name} {version}: the pinned checksum is {sha256}, the registry has {found}"));
    }
    let metadata: Value = serde_json::from_slice(&said.stdout).map_err(|e| failed(e.to_string()))?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let manifest = packages.filter(|p| p["name"] == **name).find_map(|p| p["manifest_path"].as_str());
    let manifest = manifest.ok_or_else(|| failed("cargo does not say where it is".into()))?;
    Ok(Path::new(manifest).parent().unwrap_or(Path::new("/")).to_owned())
}

/// The checksum of a package in the text of a lock file.
fn checksum(lock: &str, pin: &Pin) -> Option<String> {
    let lock: toml::Table = toml::from_str(lock).ok()?;
    let packages = lock.get("package")?.as_array()?;
    let is = |p: &&toml::Value| {
        let text = |key| p.get(key).and_then(toml::Value::as_str);
        text("name") == Some(&pin.name) && text("version") == Some(&pin.version)
    };
    Some(packages.iter().find(is)?.get("checksum")?.as_str()?.to_owned())
}

/// Copies a folder with everything in it.
pub fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_package_and_version() {
        let lock = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nchecksum = \"x\"\n\
                    [[package]]\nname = \"a\"\nversion = \"2.0.0\"\nchecksum = \"y\"\n";
        let pin = |version: &str| Pin { name: "a".into(), version: version.into(), sha256: String::new() };
        assert_eq!(checksum(lock, &pin("2.0.0")).as_deref(), Some("y"));
        assert_eq!(checksum(lock, &pin("3.0.0")), None);
    }
}
