//! `outpace report`: a run as one self-contained page, or as Markdown.

mod markdown;
mod page;

use std::path::{Path, PathBuf};

use crate::fail::Outcome;
use crate::files::Pending;
use crate::model::{Cell, Results};

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
