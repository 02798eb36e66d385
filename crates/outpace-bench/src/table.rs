//! The tables a run prints, and the words for times, sizes and ratios that every report uses.

use std::fmt::Write;

use crate::model::{Cell, Results};

/// Three significant digits and a unit.
pub fn duration(ns: f64) -> String {
    let (value, unit) = match ns {
        _ if ns < 1e3 => (ns, "ns"),
        _ if ns < 1e6 => (ns / 1e3, "µs"),
        _ if ns < 1e9 => (ns / 1e6, "ms"),
        _ => (ns / 1e9, "s"),
    };
    format!("{} {unit}", three_digits(value))
}

pub fn three_digits(value: f64) -> String {
    let decimals = match value {
        _ if value >= 99.95 => 0,
        _ if value >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}")
}

pub fn size(bytes: usize) -> String {
    match bytes {
        _ if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ if bytes >= 1 << 10 && bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        _ => format!("{bytes} B"),
    }
}

/// How a ratio is written everywhere: two digits after the point are more than most runs are good for.
pub fn ratio(value: f64) -> String {
    format!("{value:.2}×")
}

/// One line for one cell, as it is measured.
pub fn line(cell: &Cell) -> String {
    let mut line = format!("{:<46}", cell.id);
    for side in &cell.sides {
        let _ = write!(line, "  {} {}", side.library, duration(side.median_ns));
    }
    if let (Some(ratio), Some(rival)) = (cell.ratio(), cell.best_rival()) {
        let _ = write!(line, "  → {} over {}", self::ratio(ratio.value), rival.library);
    } else if cell.ours().is_none() {
        line.push_str("  (no entry of ours yet)");
    }
    if cell.noisy {
        line.push_str("  (noisy)");
    }
    line
}

/// A row of cells that differ only in size.
pub struct Row<'a> {
    pub family: &'a str,
    pub title: String,
    pub cells: Vec<&'a Cell>,
}

impl Row<'_> {
    pub fn at(&self, size: Option<usize>) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.size == size).copied()
    }
}

/// The rows of a run in its own order.
pub fn rows(results: &Results) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for cell in &results.cells {
        let title = title(cell);
        match rows.iter_mut().find(|row| row.family == cell.family && row.title == title) {
            Some(row) => row.cells.push(cell),
            None => rows.push(Row { family: &cell.family, title, cells: vec![cell] }),
        }
    }
    rows
}

/// What a row is called: the algorithm, and what is done with it.
pub fn title(cell: &Cell) -> String {
    let mut title = format!("{} {}", cell.algorithm, cell.operation);
    if !cell.variant.is_empty() {
        let _ = write!(title, ", {}", cell.variant);
    }
    title
}

/// The sizes that occur in rows of one family, ascending; `None` first where there are rows without.
pub fn sizes(rows: &[&Row<'_>]) -> Vec<Option<usize>> {
    let sizes: std::collections::BTreeSet<Option<usize>> =
        rows.iter().flat_map(|row| row.cells.iter().map(|cell| cell.size)).collect();
    sizes.into_iter().collect()
}

/// The families of a run in its own order, with their rows.
pub fn families<'a, 'b>(rows: &'b [Row<'a>]) -> Vec<(&'a str, Vec<&'b Row<'a>>)> {
    let mut families: Vec<(&str, Vec<&Row<'_>>)> = Vec::new();
    for row in rows {
        match families.iter_mut().find(|(family, _)| *family == row.family) {
            Some((_, rows)) => rows.push(row),
            None => families.push((row.family, vec![row])),
        }
    }
    families
}

/// The summary of a run: the ratio to the best rival, row × size; without rivals, our times.
pub fn summary(results: &Results) -> String {
    let rows = rows(results);
    let mut text = String::new();
    for (family, rows) in families(&rows) {
        let sizes = sizes(&rows);
        let width = rows.iter().map(|row| row.title.chars().count()).max().unwrap_or(0).max(family.len());
        let _ = write!(text, "\n{family:width$}");
        for size in &sizes {
            let _ = write!(text, " {:>10}", size.map_or("one".into(), self::size));
        }
        text.push('\n');
        for row in rows {
            let padding = width - row.title.chars().count();
            let _ = write!(text, "{}{:padding$}", row.title, "");
            for &size in &sizes {
                let entry = row.at(size).map(entry).unwrap_or_default();
                let padding = 10_usize.saturating_sub(entry.chars().count());
                let _ = write!(text, " {:padding$}{entry}", "");
            }
            text.push('\n');
        }
    }
    text
}

fn entry(cell: &Cell) -> String {
    let value = match (cell.ratio(), cell.ours()) {
        (Some(ratio), _) => self::ratio(ratio.value),
        (None, Some(side)) => duration(side.median_ns),
        (None, None) => return "no entry".into(),
    };
    if cell.noisy { format!("{value}~") } else { value }
}

/// Every side of every cell as comma-separated values.
pub fn csv(results: &Results) -> String {
    let mut text = String::from(
        "id,family,algorithm,operation,variant,size,library,median_ns,q1_ns,q3_ns,p95_ns,variation,rounds,batch,\
         cycles,cycles_per_byte,mib_per_s,ratio_to_ours,ratio_low,ratio_high,noisy\n",
    );
    for cell in &results.cells {
        for side in &cell.sides {
            let optional =
                |value: Option<f64>| value.map_or(String::new(), |value| crate::model::significant(value).to_string());
            let ratio = cell.ratio_to(side).filter(|_| side.library != crate::model::OURS);
            let speed = cell.size.map(|size| size as f64 / f64::from(1 << 20) / (side.median_ns * 1e-9));
            let fields = [
                quoted(&cell.id),
                quoted(&cell.family),
                quoted(&cell.algorithm),
                quoted(&cell.operation),
                quoted(&cell.variant),
                cell.size.map_or(String::new(), |size| size.to_string()),
                quoted(&side.library),
                side.median_ns.to_string(),
                side.q1_ns.to_string(),
                side.q3_ns.to_string(),
                side.p95_ns.to_string(),
                side.variation.to_string(),
                side.rounds_ns.len().to_string(),
                side.batch.to_string(),
                optional(cell.cycles(side)),
                optional(cell.cycles_per_byte(side)),
                optional(speed),
                optional(ratio.map(|ratio| ratio.value)),
                optional(ratio.map(|ratio| ratio.low)),
                optional(ratio.map(|ratio| ratio.high)),
                cell.noisy.to_string(),
            ];
            text.push_str(&fields.join(","));
            text.push('\n');
        }
    }
    text
}

fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_numbers() {
        assert_eq!([0.5, 9.994, 9.996, 99.96, 1234.0].map(three_digits), ["0.50", "9.99", "10.0", "100", "1234"]);
        assert_eq!([21.34, 1428.0, 45_374_000.0, 2.5e9].map(duration), ["21.3 ns", "1.43 µs", "45.4 ms", "2.50 s"]);
        assert_eq!([16, 1350, 4096, 10 << 20].map(size), ["16 B", "1350 B", "4 KiB", "10 MiB"]);
        assert_eq!(quoted("a, \"b\""), "\"a, \"\"b\"\"\"");
    }
}
