//! The page: what it shows is computed here, how it looks is in `page.css`, how it is drawn in `page.js`.

use serde::Serialize;

use super::nearest_to_limit;
use crate::limits;
use crate::model::{Cell, Disagreement, Environment, NoiseFloor, Results, Settings, Standing};
use crate::table;

#[derive(Serialize)]
struct Page<'a> {
    environment: &'a Environment,
    settings: &'a Settings,
    noise_floor: &'a NoiseFloor,
    disagreements: &'a [Disagreement],
    cells: Vec<PageCell<'a>>,
    limits: Vec<PageLimit<'a>>,
}

#[derive(Serialize)]
struct PageCell<'a> {
    id: &'a str,
    family: &'a str,
    row: String,
    algorithm: &'a str,
    operation: &'a str,
    variant: &'a str,
    size: Option<usize>,
    noisy: bool,
    agreement: &'a str,
    /// MiB/s that the machine's limit allows.
    limit: Option<f64>,
    rival: Option<&'a str>,
    /// Value, and the ends of its interval.
    ratio: Option<[f64; 3]>,
    standing: Option<Standing>,
    sides: Vec<PageSide<'a>>,
}

#[derive(Serialize)]
struct PageSide<'a> {
    library: &'a str,
    median: f64,
    q1: f64,
    q3: f64,
    p95: f64,
    variation: f64,
    rounds: usize,
    cycles: Option<f64>,
    cycles_per_byte: Option<f64>,
}

#[derive(Serialize)]
struct PageLimit<'a> {
    row: String,
    size: Option<usize>,
    limit: f64,
    reason: &'static str,
    ours: Option<f64>,
    rival: Option<&'a str>,
    theirs: Option<f64>,
}

pub fn write(results: &Results) -> String {
    let page = Page {
        environment: &results.environment,
        settings: &results.settings,
        noise_floor: &results.noise_floor,
        disagreements: &results.disagreements,
        cells: results.cells.iter().map(|cell| page_cell(cell, results.standing(cell))).collect(),
        limits: nearest_to_limit(results).into_iter().filter_map(page_limit).collect(),
    };
    // Inside a script element only `<` could end it early; JSON lets it be written otherwise.
    let data = serde_json::to_string(&page).expect("plain data").replace('<', "\\u003c");
    include_str!("page.html")
        .replace("/*style*/", include_str!("page.css"))
        .replace("/*script*/", include_str!("page.js"))
        .replace("/*data*/", &data)
}

fn page_cell(cell: &Cell, standing: Option<Standing>) -> PageCell<'_> {
    let ratio = cell.ratio();
    let speed = |cycles_per_byte: f64| cell.core_ghz.map(|ghz| ghz * 1e9 / cycles_per_byte / f64::from(1 << 20));
    let side = |side| {
        let (cycles, cycles_per_byte) = (cell.cycles(side), cell.cycles_per_byte(side));
        PageSide {
            library: &side.library,
            median: side.median_ns,
            q1: side.q1_ns,
            q3: side.q3_ns,
            p95: side.p95_ns,
            variation: side.variation,
            rounds: side.rounds_ns.len(),
            cycles,
            cycles_per_byte,
        }
    };
    PageCell {
        id: &cell.id,
        family: &cell.family,
        row: table::title(cell),
        algorithm: &cell.algorithm,
        operation: &cell.operation,
        variant: &cell.variant,
        size: cell.size,
        noisy: cell.noisy,
        agreement: &cell.agreement,
        limit: cell.limit.and_then(speed),
        rival: ratio.and(cell.best_rival()).map(|rival| rival.library.as_str()),
        ratio: ratio.map(|ratio| [ratio.value, ratio.low, ratio.high]),
        standing,
        sides: cell.sides.iter().map(side).collect(),
    }
}

fn page_limit(cell: &Cell) -> Option<PageLimit<'_>> {
    let rival = cell.best_rival();
    Some(PageLimit {
        row: format!("{} {}", cell.algorithm, cell.operation),
        size: cell.size,
        limit: cell.limit?,
        reason: limits::reason(&cell.algorithm, cell.limit?),
        ours: cell.ours().and_then(|ours| cell.cycles_per_byte(ours)),
        rival: rival.map(|rival| rival.library.as_str()),
        theirs: rival.and_then(|rival| cell.cycles_per_byte(rival)),
    })
}
