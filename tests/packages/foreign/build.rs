//! A library in C.

use std::process::Command;

fn main() {
    let out = std::env::var("OUT_DIR").unwrap();
    let object = format!("{out}/theirs.o");
    let done = |command: &mut Command| assert!(command.status().unwrap().success());
    done(Command::new("cc").args(["-c", "theirs.c", "-o", &object]));
    done(Command::new("ar").args(["crs", &format!("{out}/libtheirs.a"), &object]));
    println!("cargo:rustc-link-search=native={out}");
    println!("cargo:rustc-link-lib=static=theirs");
    println!("cargo:rerun-if-changed=theirs.c");
}
