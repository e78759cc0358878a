//! Builds `libraddle_rt.so`, which the binary carries and unpacks into its cache.
//!
//! It is a build of its own (own lock file, own folder in the target folder, `panic = "abort"`, no std), so
//! nothing of the outer one may leak into it: flags and wrappers are taken out of its environment.

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Variables of the outer build that would change the inner one.
const FOREIGN: [&str; 12] = [
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_BUILD_RUSTFLAGS",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "CARGO_TARGET_DIR",
    "CARGO_BUILD_TARGET_DIR",
    "CARGO_BUILD_TARGET",
    "CARGO_INCREMENTAL",
    "CLIPPY_ARGS",
    "CLIPPY_CONF_DIR",
];

fn main() {
    let root = path("CARGO_MANIFEST_DIR").join("..");
    for part in ["runtime/src", "runtime/so/src", "runtime/include", "schedule/src"] {
        println!("cargo:rerun-if-changed={}", root.join(part).display());
    }
    for file in
        ["runtime/Cargo.toml", "runtime/so/Cargo.toml", "runtime/so/Cargo.lock", "runtime/so/build.rs"]
    {
        println!("cargo:rerun-if-changed={}", root.join(file).display());
    }
    let library = build(&root.join("runtime/so/Cargo.toml"), &shared(&path("OUT_DIR")).join("runtime-so"));
    // What another build does in the shared folder meanwhile changes nothing here.
    let own = path("OUT_DIR").join("libraddle_rt.so");
    std::fs::copy(&library, &own).unwrap_or_else(|e| panic!("cannot copy {}: {e}", library.display()));
    let library = own;
    println!("cargo:rustc-env=RADDLE_RT_SO={}", library.display());
    println!("cargo:rustc-env=RADDLE_RT_PACKED={}", pack(&library, &path("OUT_DIR")).display());
    // Hashing it takes longer than all else that a start does.
    println!("cargo:rustc-env=RADDLE_RT_HASH={}", hash(&library));
    println!("cargo:rustc-env=RADDLE_H={}", root.join("runtime/include/raddle.h").display());
    println!("cargo:rustc-env=RADDLE_POINTS_H={}", root.join("runtime/include/raddle_points.h").display());
    // Headers of ours that come before others, by their places in `runtime/include/first`.
    for (name, file) in [
        ("FEATURES", "features.h"),
        ("FUTURE", "future"),
        ("ATOMIC_FUTEX", "bits/atomic_futex.h"),
        ("ATOMIC_WAIT", "bits/atomic_wait.h"),
        ("SHARED_PTR_ATOMIC", "bits/shared_ptr_atomic.h"),
        ("BASIC_STRING", "bits/basic_string.tcc"),
        ("SHARED_PTR_BASE", "bits/shared_ptr_base.h"),
        ("STOP_TOKEN", "stop_token"),
    ] {
        let header = root.join("runtime/include/first").join(file);
        println!("cargo:rustc-env=RADDLE_{name}_H={}", header.display());
    }
}

fn path(variable: &str) -> PathBuf {
    PathBuf::from(std::env::var_os(variable).unwrap_or_else(|| panic!("cargo sets {variable}")))
}

/// The target folder, which every profile of the outer build shares: the library is the same in each and compiled
/// once. The folder of this script is `<target>/<profile>/build/<package>/out`.
fn shared(out: &Path) -> PathBuf {
    out.ancestors().nth(4).unwrap_or(out).to_path_buf()
}

fn hash(file: &Path) -> String {
    let bytes = std::fs::read(file).unwrap_or_else(|e| panic!("cannot read {}: {e}", file.display()));
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Packs a file by gzip into this folder.
fn pack(file: &Path, folder: &Path) -> PathBuf {
    let bytes = std::fs::read(file).unwrap_or_else(|e| panic!("cannot read {}: {e}", file.display()));
    let packed = folder.join("libraddle_rt.so.gz");
    let out =
        std::fs::File::create(&packed).unwrap_or_else(|e| panic!("cannot write {}: {e}", packed.display()));
    let mut encoder = GzEncoder::new(out, Compression::best());
    encoder
        .write_all(&bytes)
        .and_then(|()| encoder.finish())
        .unwrap_or_else(|e| panic!("cannot write {}: {e}", packed.display()));
    packed
}

fn build(manifest: &Path, target: &Path) -> PathBuf {
    let mut cargo = Command::new(path("CARGO"));
    cargo.args(["build", "--release", "--quiet", "--manifest-path"]).arg(manifest);
    cargo.arg("--target-dir").arg(target);
    for variable in FOREIGN {
        cargo.env_remove(variable);
    }
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CARGO_PROFILE_") {
            cargo.env_remove(name);
        }
    }
    let status =
        cargo.status().unwrap_or_else(|e| panic!("cannot run cargo for {}: {e}", manifest.display()));
    assert!(status.success(), "{} does not build: see above", manifest.display());
    target.join("release/libraddle_rt.so")
}
