//! The command line.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand};

use crate::fail::{Failure, Outcome};
use crate::{bench, compare, kernels, report, selftest, tier};

#[derive(Debug, Parser)]
#[command(name = "outpace", version, about = "Outpace against its rivals: checked, measured, compared, reported")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure every row against the rivals built in
    Bench(BenchArguments),
    /// Fail if a cell of NEW is slower than in BASE beyond the threshold and the noise of both, or missing
    Compare {
        base: PathBuf,
        new: PathBuf,
        /// Slow-down that counts, such as 5% or 0.05
        #[arg(long, default_value = "5%", value_parser = parse_share)]
        threshold: f64,
        /// Pass although cells of BASE are not in NEW, as after a filtered run
        #[arg(long)]
        allow_missing: bool,
    },
    /// Write a run as one self-contained page, or as Markdown
    Report {
        results: PathBuf,
        /// Where to; if not given, RESULTS with the ending html for a page, standard output for Markdown
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Markdown instead of a page, as in docs/performance.md
        #[arg(long)]
        markdown: bool,
    },
    /// Which kernel each primitive uses on this CPU, and which others could run
    Kernels {
        /// Answer as a smaller CPU would
        #[arg(long)]
        tier: Option<tier::Tier>,
    },
    /// Known answers of every algorithm on every kernel that this CPU can run
    Selftest {
        /// Only under the features of one kernel; how the command starts itself
        #[arg(long, hide = true, value_parser = parse_place)]
        only: Option<selftest::Place>,
    },
}

#[derive(Debug, Args)]
pub struct BenchArguments {
    /// The most telling rows (the default); ends within 2 minutes, whatever the machine: cells share that time
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// Every row and size; ends within 15 minutes likewise
    #[arg(long)]
    pub full: bool,
    /// Only cells whose name matches this regular expression, such as 'AES-256-GCM/seal'
    #[arg(long, value_name = "RE")]
    pub filter: Option<String>,
    /// Only these sizes in bytes, in every row that has sizes
    #[arg(long, value_delimiter = ',', value_name = "BYTES")]
    pub sizes: Option<Vec<usize>>,
    /// Let nobody use more than this class of CPU has
    #[arg(long)]
    pub tier: Option<tier::Tier>,
    /// Only these rivals; `none` for us alone
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub rivals: Option<Vec<String>>,
    #[arg(long, value_name = "FILE")]
    pub export_json: Option<PathBuf>,
    #[arg(long, value_name = "FILE")]
    pub export_csv: Option<PathBuf>,
    /// List the cells this would measure, and measure nothing
    #[arg(long)]
    pub list: bool,
}

pub fn run() -> Outcome<ExitCode> {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => match error.kind() {
            // Answers, the last of them with exit status 2.
            ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => error.exit(),
            // What is wrong, without the usage below it.
            _ => {
                let said = error.to_string();
                let wrong = said.split("\n\n").next().unwrap_or_default();
                return Err(Failure::new(wrong.strip_prefix("error: ").unwrap_or(wrong)));
            }
        },
    };
    match cli.command {
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Compare { base, new, threshold, allow_missing } => compare::run(&base, &new, threshold, allow_missing),
        Command::Report { results, output, markdown } => {
            report::run(&results, output, markdown).map(|()| ExitCode::SUCCESS)
        }
        Command::Kernels { tier } => kernels::run(tier).map(|()| ExitCode::SUCCESS),
        Command::Selftest { only } => selftest::run(only),
    }
}

fn parse_share(text: &str) -> Result<f64, String> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|share| share.is_finite() && *share >= 0.0);
    match text.strip_suffix('%') {
        Some(percent) => number(percent).map(|share| share / 100.0),
        None => number(text),
    }
    .filter(|&share| share < 10.0)
    .ok_or_else(|| Failure::new("a share such as 5% or 0.05").to_string())
}

fn parse_place(text: &str) -> Result<selftest::Place, String> {
    let place =
        text.split_once(':').and_then(|(primitive, kernel)| Some((primitive.parse().ok()?, kernel.parse().ok()?)));
    place.ok_or_else(|| "a place such as 0:1".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares() {
        assert_eq!(parse_share("5%"), Ok(0.05));
        assert_eq!(parse_share("0.05"), Ok(0.05));
        assert_eq!(parse_share("0"), Ok(0.0));
        for bad in ["", "x", "-1%", "NaN", "inf", "2000%"] {
            assert!(parse_share(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_definition_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
