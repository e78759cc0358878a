//! What the tests need beyond a Rust toolchain: programs and headers, as Debian packages.

use crate::node;
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
    // The other compiler of both, and what builds of samples use.
    Need { package: "clang", probe: "clang" },
    Need { package: "clang", probe: "clang++" },
    // Programs are linked by each linker.
    Need { package: "lld", probe: "ld.lld" },
    Need { package: "binutils", probe: "ld.gold" },
    Need { package: "cmake", probe: "cmake" },
    Need { package: "ccache", probe: "ccache" },
    Need { package: "git", probe: "git" },
    // What a debugger sees of a runner, beside what the runtime says.
    Need { package: "gdb", probe: "gdb" },
    // An editor's language client that nobody here wrote.
    Need { package: "neovim", probe: "nvim" },
    // Holds JUnit files to their schema.
    Need { package: "libxml2-utils", probe: "xmllint" },
    // Builds of the C programs in tests/published, and of node's native modules.
    Need { package: "make", probe: "make" },
    Need { package: "python3", probe: "python3" },
    // The extension, and the tests that drive an editor.
    Need { package: "nodejs", probe: "node" },
    Need { package: "npm", probe: "npm" },
    // The workbench in a browser. setpriv ends what a test started when the test dies.
    Need { package: "chromium", probe: "chromium" },
    Need { package: "ripgrep", probe: "rg" },
    Need { package: "fonts-dejavu-core", probe: "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf" },
    Need { package: "util-linux", probe: "setpriv" },
    // A screen for the window, OpenGL by software, and the hands and eyes of its tests.
    Need { package: "xvfb", probe: "Xvfb" },
    Need { package: "libgl1-mesa-dri", probe: "/usr/lib/x86_64-linux-gnu/dri/swrast_dri.so" },
    Need { package: "libgl1", probe: "/usr/lib/x86_64-linux-gnu/libGL.so.1" },
    Need { package: "libegl1", probe: "/usr/lib/x86_64-linux-gnu/libEGL.so.1" },
    Need { package: "libx11-xcb1", probe: "/usr/lib/x86_64-linux-gnu/libX11-xcb.so.1" },
    Need { package: "libxkbcommon-x11-0", probe: "/usr/lib/x86_64-linux-gnu/libxkbcommon-x11.so.0" },
    Need { package: "libxcursor1", probe: "/usr/lib/x86_64-linux-gnu/libXcursor.so.1" },
    Need { package: "libxi6", probe: "/usr/lib/x86_64-linux-gnu/libXi.so.6" },
    Need { package: "imagemagick", probe: "import" },
    Need { package: "x11-utils", probe: "xwininfo" },
    Need { package: "xdotool", probe: "xdotool" },
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
    if !missing.is_empty() {
        install(&missing)?;
    }
    // A distribution's own node may be too old.
    node::version().map(|_| ())
}

/// Installs Debian packages.
fn install(missing: &[&str]) -> Result<(), String> {
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
        // Another installation may be running.
        command.args(["-o", "DPkg::Lock::Timeout=500"]).args(arguments);
        command
            .env("DEBIAN_FRONTEND", "noninteractive")
            .stdin(Stdio::null())
            .status()
            .is_ok_and(|s| s.success())
    };
    let mut install = vec!["install", "-y", "--no-install-recommends"];
    install.extend(missing);
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
