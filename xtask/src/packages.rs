//! What the tests need beyond a Rust toolchain: programs and headers, as Debian packages.

use std::path::Path;
use std::process::{Command, Stdio};

/// Something the tests use, how to see that it is there, and the Debian package that has it.
struct Need {
    package: &'static str,
    /// A program in `PATH`, or an absolute path.
    probe: &'static str,
}

const NEEDS: &[Need] = &[
    Need { package: "gcc", probe: "gcc" },
    Need { package: "gcc", probe: "cc" },
    Need { package: "libc6-dev", probe: "/usr/include/pthread.h" },
    // C++ programs as targets.
    Need { package: "g++", probe: "c++" },
    Need { package: "git", probe: "git" },
    // What a debugger sees of a runner, beside what the runtime says.
    Need { package: "gdb", probe: "gdb" },
    // Builds of the C programs in tests/published.
    Need { package: "make", probe: "make" },
];

/// Installs what is missing; without root, says which line would.
pub fn ensure() -> Result<(), String> {
    let mut missing: Vec<&str> = NEEDS.iter().filter(|n| !present(n.probe)).map(|n| n.package).collect();
    missing.dedup();
    for tool in ["fmt", "clippy"] {
        if !runs(Command::new("cargo").args([tool, "--version"])) {
            let component = if tool == "fmt" { "rustfmt" } else { tool };
            return Err(format!(
                "cargo {tool} is missing; install it with: rustup component add {component}"
            ));
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    // SAFETY: geteuid has no preconditions and cannot fail.
    let root = unsafe { libc::geteuid() } == 0;
    if !root || !present("apt-get") {
        return Err(format!(
            "the tests need programs that are missing; install them with:\n\n    \
             sudo apt-get update && sudo apt-get install -y --no-install-recommends {list}\n"
        ));
    }
    println!("installing {list}");
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
        command.status().is_ok_and(|s| s.success())
    };
    let mut install = vec!["install", "-y", "--no-install-recommends"];
    install.extend(&missing);
    // A stale list of packages is refreshed only when the install needs it.
    if apt(&install) || (apt(&["update"]) && apt(&install)) {
        Ok(())
    } else {
        Err(format!("apt-get could not install {list}; see its messages above"))
    }
}

fn present(probe: &str) -> bool {
    if probe.starts_with('/') {
        return Path::new(probe).exists();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(probe).is_file())
}

/// Does this command exist and succeed?
pub fn runs(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
}
