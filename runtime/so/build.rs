//! Links the library so that programs find it by its plain name and so that nothing is bound lazily.

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libraddle_rt.so");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,relro,-z,now");
    // Its unwinder reads call stacks for reports.
    println!("cargo:rustc-cdylib-link-arg=-lgcc_s");
    println!("cargo:rustc-cdylib-link-arg=-lc");
}
