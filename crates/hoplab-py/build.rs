//! Passes the profile of the build to the module: Cargo has no variable for it, and names a folder after it.

use std::env;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // `target/[TRIPLE/]PROFILE/build/PACKAGE/out`; `debug` is the folder of the profile `dev`.
    let out = env::var("OUT_DIR").expect("Cargo names a folder for build scripts");
    let folder = Path::new(&out).ancestors().nth(3).and_then(Path::file_name).expect("the folder of a profile");
    println!("cargo::rustc-env=HOPLAB_PROFILE={}", folder.to_string_lossy());
}
