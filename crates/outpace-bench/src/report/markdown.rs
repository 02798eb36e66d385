//! A run as Markdown: the text of `docs/performance.md`.

use std::fmt::Write;

use super::nearest_to_limit;
use crate::limits;
use crate::model::{Cell, Results, Standing};
use crate::table::{self, Row};

pub fn write(results: &Results) -> String {
    let mut text = String::new();
    head(&mut text, results);
    verdict(&mut text, results);
    let rows = table::rows(results);
    for (family, rows) in table::families(&rows) {
        family_table(&mut text, results, family, &rows);
    }
    limit_table(&mut text, results);
    environment(&mut text, results);
    text
}

fn line(text: &mut String, line: impl std::fmt::Display) {
    let _ = writeln!(text, "{line}");
}

fn head(text: &mut String, results: &Results) {
    let environment = &results.environment;
    line(text, "# Performance\n");
    line(
        text,
        "Written by `outpace report --markdown`; edits are lost with the next run. The same run as a page with curves: `make bench`.\n",
    );
    line(text, "| | |\n| --- | --- |");
    line(text, format_args!("| machine | {}; {} cores; {} |", environment.cpu, environment.cores, environment.system));
    line(text, format_args!("| date | {} |", environment.date));
    line(text, format_args!("| commit | {} ({}) |", environment.commit, environment.compiler));
    line(text, format_args!("| command | `{}` |", environment.command));
    let rate = environment.core_ghz.map_or(String::new(), |ghz| format!(", {ghz:.2} GHz"));
    line(text, format_args!("| tier | {}{rate} |", environment.tier));
    let floor = &results.noise_floor;
    line(
        text,
        format_args!(
            "| noise floor | {:.2} % median, {:.2} % at the 95th percentile of {} races of a library against itself |\n",
            floor.median * 100.0,
            floor.p95 * 100.0,
            floor.races
        ),
    );
    line(
        text,
        "Each entry is our time for one operation and, in bold, how many times as long the fastest rival takes in the same \
         rounds. Every side gave the same bytes before it was timed (or accepted the other's, where results are random); \
         rounds of all sides are interleaved in random order. `~` marks what stayed uneven after repeats, `=` a difference \
         within the noise.\n",
    );
}

fn verdict(text: &mut String, results: &Results) {
    let standings = results.standings();
    let count = |wanted| standings.iter().filter(|(_, _, standing)| *standing == wanted).count();
    if standings.is_empty() {
        line(text, "No rival took part in this run.\n");
        return;
    }
    line(
        text,
        format_args!(
            "**Ahead in {} of {} cells, level in {}, behind in {}.**\n",
            count(Standing::Ahead),
            standings.len(),
            count(Standing::Level),
            count(Standing::Behind)
        ),
    );
    let absent = results.cells.iter().filter(|cell| cell.ours().is_none()).count();
    if absent > 0 {
        line(text, format_args!("{absent} more cells have no entry of ours yet; they show the fastest rival.\n"));
    }
    let mut behind: Vec<_> = standings.iter().filter(|(_, _, standing)| *standing == Standing::Behind).collect();
    if behind.is_empty() {
        return;
    }
    behind.sort_by(|a, b| a.1.value.total_cmp(&b.1.value));
    line(text, "Behind:\n\n| | size | ours | best rival | ratio |\n| --- | --- | --- | --- | --- |");
    for (cell, ratio, _) in behind {
        if let (Some(ours), Some(rival)) = (cell.ours(), cell.best_rival()) {
            let size = cell.size.map_or(String::new(), table::size);
            let (title, time) = (table::title(cell), table::duration(ours.median_ns));
            let theirs = table::duration(rival.median_ns);
            line(text, format_args!("| {title} | {size} | {time} | {} {theirs} | {:.2} |", rival.library, ratio.value));
        }
    }
    line(text, "");
}

fn family_table(text: &mut String, results: &Results, family: &str, rows: &[&Row<'_>]) {
    let sizes = table::sizes(rows);
    line(text, format_args!("## {family}\n"));
    let heads: Vec<String> = sizes.iter().map(|size| size.map_or("one operation".into(), table::size)).collect();
    line(text, format_args!("| | {} |", heads.join(" | ")));
    line(text, format_args!("| --- |{}", " --- |".repeat(sizes.len())));
    for row in rows {
        let entries: Vec<String> = sizes
            .iter()
            .map(|&size| row.at(size).map(|cell| entry(cell, results.standing(cell))).unwrap_or_default())
            .collect();
        line(text, format_args!("| {} | {} |", row.title, entries.join(" | ")));
    }
    line(text, "");
}

fn entry(cell: &Cell, standing: Option<Standing>) -> String {
    let Some(ours) = cell.ours() else {
        let rival = cell.best_rival().map(|rival| format!("; {} {}", rival.library, table::duration(rival.median_ns)));
        return format!("no entry yet{}", rival.unwrap_or_default());
    };
    let mut entry = table::duration(ours.median_ns);
    if let (Some(ratio), Some(rival)) = (cell.ratio(), cell.best_rival()) {
        let sign = if standing == Some(Standing::Level) { "=" } else { "" };
        let _ = write!(entry, " **{:.2}**{sign} {}", ratio.value, rival.library);
    }
    if cell.noisy {
        entry.push_str(" ~");
    }
    entry
}

fn limit_table(text: &mut String, results: &Results) {
    let nearest = nearest_to_limit(results);
    if nearest.is_empty() {
        return;
    }
    line(text, "## Against the machine's limit\n");
    line(
        text,
        "Cycles per byte that one resource of this core alone dictates, by its port counts and latencies, and the size at \
         which we come nearest. Chains bound one message after another, not many at once.\n",
    );
    line(text, "| | limit | ours | at | best rival | what limits |\n| --- | --- | --- | --- | --- | --- |");
    let number = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.3}"));
    for cell in nearest {
        let ours = number(cell.ours().and_then(|ours| cell.cycles_per_byte(ours)));
        let rival = cell
            .best_rival()
            .map_or("–".into(), |rival| format!("{} {}", number(cell.cycles_per_byte(rival)), rival.library));
        line(
            text,
            format_args!(
                "| {} {} | {} | {ours} | {} | {rival} | {} |",
                cell.algorithm,
                cell.operation,
                number(cell.limit),
                cell.size.map_or(String::new(), table::size),
                limits::reason(&cell.algorithm, cell.limit.unwrap_or_default())
            ),
        );
    }
    line(text, "");
}

fn environment(text: &mut String, results: &Results) {
    line(text, "## Who took part\n");
    line(text, "| library | version |\n| --- | --- |");
    for library in &results.environment.libraries {
        line(text, format_args!("| {} | {} |", library.name, library.version));
    }
    line(text, "\nOur kernels in this run:\n\n| primitive | kernel | also runs here |\n| --- | --- | --- |");
    for row in &results.environment.kernels {
        line(text, format_args!("| {} | {} | {} |", row.primitive, row.used, row.others.join(", ")));
    }
    line(
        text,
        format_args!("\nClock: {}. Seed of the rounds' order: {}.", results.environment.clock, results.settings.seed),
    );
    for disagreement in &results.disagreements {
        line(text, format_args!("\nNot timed: `{}`: {}", disagreement.id, disagreement.why));
    }
}
