//! `ctcheck LEAK-CHECK [ENGINE…]`: runs each leak check of the library in a process of its own, under its taint engine.
//!
//! `LEAK-CHECK` is the other binary of this crate, built for the engine; `ENGINE` is the command to start it with, such
//! as `valgrind -q --error-exitcode=99`. A planted leak must be reported and every other check must be silent; anything
//! else is a failure.

use std::process::{Command, ExitCode, Output};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(program) = arguments.next() else {
        eprintln!("usage: ctcheck LEAK-CHECK [ENGINE…]");
        return ExitCode::from(2);
    };
    let engine: Vec<String> = arguments.collect();
    let list = Command::new(&program).output().expect("listing the checks");
    assert!(list.status.success(), "{program} does not list its checks: {}", String::from_utf8_lossy(&list.stderr));
    let list = String::from_utf8(list.stdout).expect("names are text");

    let (mut passed, mut failed) = (0, 0);
    for (number, line) in list.lines().enumerate() {
        let (kind, name) = line.split_once(' ').expect("a kind and a name");
        let planted = kind == "planted";
        let output = run(&engine, &program, number);
        let report = String::from_utf8_lossy(&output.stderr);
        // A leak, and not some other way to die: the engines say what they found.
        let leaked = ["use-of-uninitialized-value", "ninitialised value"].iter().any(|text| report.contains(text));
        let good = if planted { leaked && !output.status.success() } else { !leaked && output.status.success() };
        let verdict = match (planted, good) {
            (true, true) => "found, as planted",
            (true, false) => "NOT FOUND: the engine is blind",
            (false, true) => "no leak",
            (false, false) => "LEAK",
        };
        println!("{name:<40} {verdict}");
        if good {
            passed += 1;
        } else {
            failed += 1;
            println!("{}\n{report}", output.status);
        }
    }
    println!("{passed} passed, {failed} failed");
    ExitCode::from(u8::from(failed > 0 || passed == 0))
}

fn run(engine: &[String], program: &str, number: usize) -> Output {
    let words: Vec<&str> = engine.iter().map(String::as_str).chain([program]).collect();
    Command::new(words[0]).args(&words[1..]).arg(number.to_string()).output().expect("starting the check")
}
