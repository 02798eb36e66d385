//! `outpace report`: a run as one self-contained page, or as Markdown.

mod markdown;
mod page;

use std::path::{Path, PathBuf};

use crate::fail::Outcome;
use crate::files::Pending;
use crate::model::{Cell, Ratio, Results};

pub fn run(results: &Path, output: Option<PathBuf>, markdown: bool) -> Outcome<()> {
    let run = Results::read(results)?;
    let text = if markdown { markdown::write(&run) } else { page::write(&run) };
    let output = match output {
        Some(path) => path,
        None if markdown => {
            print!("{text}");
            return Ok(());
        }
        None => results.with_extension("html"),
    };
    Pending::open(&output)?.complete(text.as_bytes())?;
    println!("wrote {}", output.display());
    Ok(())
}

/// How a cell stands against its best rival.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
enum Standing {
    Ahead,
    /// The interval of the ratio includes 1, or the noise floor does.
    Level,
    Behind,
}

fn standing(ratio: Ratio, noise: f64) -> Standing {
    if ratio.low > 1.0 && ratio.value > 1.0 + noise {
        Standing::Ahead
    } else if ratio.high < 1.0 && ratio.value < 1.0 / (1.0 + noise) {
        Standing::Behind
    } else {
        Standing::Level
    }
}

/// Every cell that has a rival, with the ratio and where that leaves it.
fn standings(results: &Results) -> Vec<(&Cell, Ratio, Standing)> {
    let noise = results.noise_floor.p95;
    let raced = results.cells.iter().filter_map(|cell| Some((cell, cell.ratio()?)));
    raced.map(|(cell, ratio)| (cell, ratio, standing(ratio, noise))).collect()
}

/// The cells that say most about how near bulk work is to what the machine can do: of each row with a limit, the size
/// at which we need the fewest cycles per byte.
fn nearest_to_limit(results: &Results) -> Vec<&Cell> {
    let mut nearest: Vec<&Cell> = Vec::new();
    for cell in results.cells.iter().filter(|cell| cell.limit.is_some()) {
        let cost = |cell: &Cell| cell.ours().and_then(|ours| cell.cycles_per_byte(ours)).unwrap_or(f64::INFINITY);
        let same_row = |other: &&mut &Cell| other.algorithm == cell.algorithm && other.operation == cell.operation;
        match nearest.iter_mut().find(same_row) {
            Some(best) if cost(cell) < cost(best) => *best = cell,
            Some(_) => {}
            None => nearest.push(cell),
        }
    }
    nearest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_within_the_noise_is_none() {
        let ratio = |value, low, high| Ratio { value, low, high };
        assert_eq!(standing(ratio(1.02, 1.01, 1.03), 0.01), Standing::Ahead);
        assert_eq!(standing(ratio(1.02, 1.01, 1.03), 0.03), Standing::Level);
        assert_eq!(standing(ratio(1.02, 0.99, 1.05), 0.0), Standing::Level);
        assert_eq!(standing(ratio(0.90, 0.89, 0.91), 0.03), Standing::Behind);
    }
}
