//! The `outpace` command: measures Outpace against its rivals, compares runs, writes reports, shows kernels.
//!
//! [`cases`] says what is measured, [`rivals`] holds the libraries, [`measure`] one cell's rounds, [`mod@bench`] a whole run;
//! [`model`] is the file format in between, and [`compare`] and [`report`] read it.
#![allow(unreachable_pub, reason = "a program has no outside; `pub` marks what other modules use")]

mod bench;
mod buffer;
mod cases;
mod cli;
mod clock;
mod compare;
mod environment;
mod fail;
mod files;
mod job;
mod kernels;
mod limits;
mod measure;
mod model;
mod report;
mod rivals;
mod schedule;
mod selftest;
mod side;
mod stats;
mod table;
mod tier;

use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::run() {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("outpace: {failure}");
            ExitCode::from(2)
        }
    }
}
