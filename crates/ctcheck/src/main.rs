//! `ctcheck`: runs each leak check of the library in a process of its own, under the engine it was built for.
//!
//! `tools/ct` builds it twice, with `--cfg outpace_ct="msan"` (and the sanitizer) and with `--cfg outpace_ct="valgrind"`.
//! A planted leak must be reported and every other check must be silent; anything else is a failure.

#[cfg(not(outpace_ct))]
fn main() {
    eprintln!("ctcheck: build it through `make ct`, which sets the taint engine");
    std::process::exit(2);
}

#[cfg(outpace_ct)]
fn main() {
    let mut arguments = std::env::args().skip(1);
    let checks = outpace::leaks::all();
    match arguments.next() {
        // The child: run one check. The engine ends the process if it leaks.
        Some(name) => match checks.iter().find(|c| c.name == name) {
            Some(check) => (check.run)(),
            None => std::process::exit(2),
        },
        None => std::process::exit(i32::from(!run_all(&checks))),
    }
}

#[cfg(outpace_ct)]
fn run_all(checks: &[outpace::leaks::Check]) -> bool {
    use std::process::Command;

    let (mut passed, mut failed) = (0, 0);
    for check in checks {
        let own = std::env::current_exe().expect("the path of this program");
        let mut command = if cfg!(outpace_ct = "valgrind") {
            let mut valgrind = Command::new("valgrind");
            valgrind.args(["-q", "--error-exitcode=99"]).arg(own);
            valgrind
        } else {
            Command::new(own)
        };
        let output = command.arg(check.name).output().expect("starting the check");
        let report = String::from_utf8_lossy(&output.stderr);
        // A leak, and not some other way to die: the engines say what they found.
        let leaked = ["use-of-uninitialized-value", "ninitialised value"].iter().any(|text| report.contains(text));
        let good = if check.planted { leaked && !output.status.success() } else { !leaked && output.status.success() };
        let verdict = match (check.planted, good) {
            (true, true) => "found, as planted",
            (true, false) => "NOT FOUND: the check is blind",
            (false, true) => "no leak",
            (false, false) => "LEAK",
        };
        println!("{:<40} {verdict}", check.name);
        if good {
            passed += 1;
        } else {
            failed += 1;
            println!("{}\n{report}", output.status);
        }
    }
    println!("{passed} passed, {failed} failed");
    failed == 0
}
