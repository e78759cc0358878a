// A build script with threads and a lock: those of the real std.
use std::sync::{Arc, Mutex};

fn main() {
    let sum = Arc::new(Mutex::new(0));
    let threads: Vec<_> = (0..3)
        .map(|n| {
            let sum = sum.clone();
            std::thread::spawn(move || *sum.lock().unwrap() += n)
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    println!("cargo:rustc-env=SUM={}", sum.lock().unwrap());
    println!("cargo:rustc-cfg=by_script");
    println!("cargo:rerun-if-changed=build.rs");
}
