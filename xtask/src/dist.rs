//! `cargo xtask dist`: one archive for a release, and its checksum beside it.
//!
//! The programs need nothing but the C library of the machine; the library that runs inside tests, and the headers, are in
//! `raddle` itself. Every file in the archive has a line in `SHA256SUMS`.

use crate::{node, steps};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The files of an archive, below its folder.
const CONTENTS: [&str; 12] = [
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "bin/cargo-raddle",
    "bin/raddle",
    "bin/raddle-gui",
    "raddle.vsix",
    "share/bash-completion/completions/raddle",
    "share/fish/vendor_completions.d/raddle.fish",
    "share/man/man1/raddle.1",
    "share/zsh/site-functions/_raddle",
    "SHA256SUMS",
];

/// What is built for an archive.
struct Built {
    /// The folder of `raddle`, `cargo-raddle` and `raddle-gui`.
    programs: PathBuf,
    vsix: PathBuf,
}

/// Builds everything and packs it into `target/dist`; the path of the archive.
pub fn make() -> Result<PathBuf, String> {
    let root = steps::root();
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let programs = target.join("release");
    let mut build = Command::new("cargo");
    build.args(["build", "--release", "--locked", "--package", "raddle", "--package", "raddle-gui"]);
    run(build.current_dir(&root))?;
    let extension = root.join("vscode-extension");
    let vsix = target.join("raddle.vsix");
    run(node::npm().arg("ci").current_dir(&extension))?;
    let mut package = node::npm();
    package.args(["run", "package", "--"]).arg(&vsix).env("RADDLE_BIN", programs.join("raddle"));
    run(package.current_dir(&extension))?;
    pack(&root, &Built { programs, vsix }, &target.join("dist"), env!("CARGO_PKG_VERSION"))
}

/// Lays out the files and packs them; the path of the archive.
fn pack(root: &Path, built: &Built, out: &Path, version: &str) -> Result<PathBuf, String> {
    let name = format!("raddle-{version}-x86_64-linux");
    let folder = out.join(&name);
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|e| format!("cannot remove {}: {e}", folder.display()))?;
    }
    let raddle = built.programs.join("raddle");
    let (sums, files) = CONTENTS.split_last().ok_or("no contents")?;
    for file in files {
        let to = folder.join(file);
        let parent = to.parent().unwrap_or(&folder);
        fs::create_dir_all(parent).map_err(|e| format!("cannot make {}: {e}", parent.display()))?;
        let copied = match file.rsplit_once('/') {
            Some(("bin", program)) => fs::copy(built.programs.join(program), &to).map(drop),
            Some((_, "raddle.1")) => fs::write(&to, said(&raddle, &["man"])?),
            Some((_, "raddle")) => fs::write(&to, said(&raddle, &["completions", "bash"])?),
            Some((_, "raddle.fish")) => fs::write(&to, said(&raddle, &["completions", "fish"])?),
            Some((_, "_raddle")) => fs::write(&to, said(&raddle, &["completions", "zsh"])?),
            None if *file == "raddle.vsix" => fs::copy(&built.vsix, &to).map(drop),
            _ => fs::copy(root.join(file), &to).map(drop),
        };
        copied.map_err(|e| format!("cannot make {}: {e}", to.display()))?;
    }
    let mut checked = Command::new("sha256sum");
    write(&folder.join(sums), &output(checked.args(files).current_dir(&folder))?)?;
    let archive = format!("{name}.tar.gz");
    let mut tar = Command::new("tar");
    // The same files give the same archive.
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=2000-01-01T00:00Z"]);
    run(tar.arg("--use-compress-program=gzip -n").arg("-cf").args([&archive, &name]).current_dir(out))?;
    let mut checked = Command::new("sha256sum");
    write(&out.join(format!("{archive}.sha256")), &output(checked.arg(&archive).current_dir(out))?)?;
    Ok(out.join(archive))
}

fn write(file: &Path, contents: &[u8]) -> Result<(), String> {
    fs::write(file, contents).map_err(|e| format!("cannot write {}: {e}", file.display()))
}

fn said(raddle: &Path, words: &[&str]) -> Result<Vec<u8>, String> {
    output(Command::new(raddle).args(words))
}

fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.map_err(|e| format!("{command:?} could not be started: {e}"))?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(format!("{command:?} ended with {}", output.status)),
    }
}

fn run(command: &mut Command) -> Result<(), String> {
    match command.stdin(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?} ended with {status}")),
        Err(e) => Err(format!("{command:?} could not be started: {e}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// With programs that only say how they were called: nothing is built for this.
    #[test]
    fn an_archive_has_its_contents_and_their_checksums() {
        let dir = tempfile::tempdir().unwrap();
        let programs = dir.path().join("release");
        fs::create_dir(&programs).unwrap();
        for program in ["raddle", "cargo-raddle", "raddle-gui"] {
            fs::write(programs.join(program), "#!/bin/sh\necho \"$@\"\n").unwrap();
            fs::set_permissions(programs.join(program), fs::Permissions::from_mode(0o755)).unwrap();
        }
        let vsix = dir.path().join("x.vsix");
        fs::write(&vsix, "vsix").unwrap();
        let out = dir.path().join("dist");
        let built = Built { programs, vsix };
        let archive = pack(&steps::root(), &built, &out, "1.2.3").unwrap();
        let first = fs::read(&archive).unwrap();
        assert_eq!(fs::read(pack(&steps::root(), &built, &out, "1.2.3").unwrap()).unwrap(), first);

        fs::remove_dir_all(out.join("raddle-1.2.3-x86_64-linux")).unwrap();
        output(
            Command::new("sha256sum").arg("-c").arg(archive.with_extension("gz.sha256")).current_dir(&out),
        )
        .unwrap();
        output(Command::new("tar").arg("-xf").arg(&archive).current_dir(&out)).unwrap();
        let folder = out.join("raddle-1.2.3-x86_64-linux");
        output(Command::new("sha256sum").args(["--strict", "-c", "SHA256SUMS"]).current_dir(&folder))
            .unwrap();
        let listed =
            String::from_utf8(output(Command::new("tar").arg("-tf").arg(&archive)).unwrap()).unwrap();
        let mut files: Vec<&str> = listed.lines().filter(|l| !l.ends_with('/')).collect();
        files.iter_mut().for_each(|f| *f = f.split_once('/').unwrap().1);
        let mut expected = CONTENTS.to_vec();
        expected.sort_unstable();
        files.sort_unstable();
        assert_eq!(files, expected);
        assert_eq!(fs::read_to_string(folder.join("share/man/man1/raddle.1")).unwrap(), "man\n");
        let zsh = fs::read_to_string(folder.join("share/zsh/site-functions/_raddle")).unwrap();
        assert_eq!(zsh, "completions zsh\n");
        let mode = fs::metadata(folder.join("bin/raddle")).unwrap().permissions().mode();
        assert_eq!(mode & 0o111, 0o111);
    }
}
