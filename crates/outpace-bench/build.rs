//! Builds the static OpenSSL that the benchmark races against (feature `openssl`) and records the commit.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    commit();
    locked_versions();
    #[cfg(feature = "openssl")]
    openssl::link();
}

/// The commit the tool was built from; empty outside a git checkout.
fn commit() {
    let git = |arguments: &[&str]| -> Option<String> {
        let output = std::process::Command::new("git").args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    // The reflog of HEAD changes with every commit and checkout, also in a worktree.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={log}");
    }
    let commit = git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_default();
    println!("cargo:rustc-env=OUTPACE_BENCH_COMMIT={commit}");
    let compiler = std::process::Command::new(std::env::var_os("RUSTC").expect("cargo sets RUSTC"))
        .arg("--version")
        .output()
        .map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        .unwrap_or_default();
    println!("cargo:rustc-env=OUTPACE_BENCH_RUSTC={compiler}");
}

/// Hands the versions of all dependencies in `Cargo.lock` to the program as `name=version name=version`.
fn locked_versions() {
    let here = std::path::PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let lock = here.ancestors().map(|folder| folder.join("Cargo.lock")).find(|path| path.exists());
    let mut versions = Vec::new();
    if let Some(lock) = lock {
        println!("cargo:rerun-if-changed={}", lock.display());
        let text = std::fs::read_to_string(&lock).expect("Cargo.lock can be read");
        for package in text.split("[[package]]") {
            let field = |name: &str| {
                package.lines().find_map(|line| {
                    line.strip_prefix(name)?.trim().strip_prefix('=')?.trim().strip_prefix('"')?.strip_suffix('"')
                })
            };
            if let (Some(name), Some(version)) = (field("name"), field("version")) {
                versions.push(format!("{name}={version}"));
            }
        }
    }
    println!("cargo:rustc-env=OUTPACE_BENCH_LOCKED={}", versions.join(" "));
}

#[cfg(feature = "openssl")]
mod openssl {
    use std::path::{Path, PathBuf};

    /// Builds libcrypto once per target directory and links it.
    ///
    /// The build takes minutes, and cargo runs a build script again for many small reasons; so it goes to a folder of the
    /// target directory named by the version, and is taken from there when it is complete.
    pub(super) fn link() {
        let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
        let target = out.ancestors().nth(4).expect("OUT_DIR is <target>/<profile>/build/<package>/out");
        let version = openssl_src::version();
        let home = target.join(format!("openssl-{version}"));
        let complete = home.join("complete");
        if !complete.exists() {
            println!("cargo:warning=building OpenSSL {version} from source, once: a few minutes");
            openssl_src::Build::new().out_dir(&home).build();
            let _ = std::fs::remove_dir_all(home.join("build"));
            std::fs::write(&complete, version).expect("the target directory is writable");
        }
        println!("cargo:rustc-link-search=native={}", library_folder(&home).display());
        println!("cargo:rustc-link-lib=static=crypto");
        println!("cargo:rustc-env=OUTPACE_BENCH_OPENSSL={version}");
        println!("cargo:rerun-if-changed={}", complete.display());
    }

    fn library_folder(home: &Path) -> PathBuf {
        let install = home.join("install");
        ["lib64", "lib"]
            .map(|folder| install.join(folder))
            .into_iter()
            .find(|folder| folder.exists())
            .expect("libcrypto was installed")
    }
}
