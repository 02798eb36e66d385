//! `outpace compare`: the regression gate.
//!
//! Two runs are compared cell by cell on what each round says, not on a quotient of averages. Where both runs raced the
//! same version of a rival, the value of a round is the logarithm of our time over that rival's in the same round, so that
//! a machine that was slower on one day cancels out; otherwise it is the logarithm of our core cycles (or of the time,
//! where cycles are not known). A cell got slower if
//!
//! * the difference of the two medians is beyond the threshold, and
//! * the lower end of its 99 % bootstrap interval is beyond the noise floor of both runs, each of which was found by racing
//!   code against itself.
//!
//! A cell that is not measured any more is no pass either: it fails the gate unless `--allow-missing` says that it may.

use std::path::Path;
use std::process::ExitCode;

use crate::fail::{Failure, Outcome};
use crate::model::{Cell, Results, SideResult};
use crate::stats::{self, Shift};

/// What became of one cell.
#[derive(Debug, Clone, PartialEq)]
struct Change {
    id: String,
    /// Natural logarithms: positive is slower.
    shift: Shift,
    /// What ours was measured in.
    unit: String,
    verdict: Verdict,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Slower,
    Faster,
    Same,
}

pub fn run(base: &Path, new: &Path, threshold: f64, allow_missing: bool) -> Outcome<ExitCode> {
    let (old, new_results) = (Results::read(base)?, Results::read(new)?);
    if old.environment.tier != new_results.environment.tier {
        return Err(Failure::new(format!(
            "the runs are of different tiers: {} and {}",
            old.environment.tier, new_results.environment.tier
        )));
    }
    if old.environment.cpu != new_results.environment.cpu {
        println!("different CPUs: {} and {}", old.environment.cpu, new_results.environment.cpu);
    }
    let changes = compare(&old, &new_results, threshold);
    if changes.is_empty() {
        return Err(Failure::new(format!("{} and {} have no cell of ours in common", base.display(), new.display())));
    }
    print(&changes, &old, &new_results, threshold);
    let slower = changes.iter().any(|change| change.verdict == Verdict::Slower);
    let missing: Vec<&str> = old
        .cells
        .iter()
        .filter(|cell| cell.ours().is_some() && !changes.iter().any(|change| change.id == cell.id))
        .map(|cell| cell.id.as_str())
        .collect();
    if let [first, ..] = missing[..] {
        let word = if allow_missing { "not compared" } else { "MISSING" };
        println!("{word}: {} cells of {} are not in {}, such as {first}", missing.len(), base.display(), new.display());
    }
    let passes = !slower && (missing.is_empty() || allow_missing);
    Ok(if passes { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn compare(base: &Results, new: &Results, threshold: f64) -> Vec<Change> {
    let noise = base.noise_floor.p95.max(new.noise_floor.p95).ln_1p();
    let limit = threshold.ln_1p();
    let changes = base.cells.iter().filter_map(|old| {
        let cell = new.cells.iter().find(|cell| cell.id == old.id)?;
        let (before, after, unit) = comparable(base, old, new, cell)?;
        let shift = stats::shift(&before, &after);
        let verdict = if shift.estimate > limit && shift.low > noise {
            Verdict::Slower
        } else if shift.estimate < -limit && shift.high < -noise {
            Verdict::Faster
        } else {
            Verdict::Same
        };
        Some(Change { id: old.id.clone(), shift, unit, verdict })
    });
    changes.collect()
}

/// The rounds of ours in both runs in the same unit, and its name.
fn comparable(base: &Results, old: &Cell, new: &Results, cell: &Cell) -> Option<(Vec<f64>, Vec<f64>, String)> {
    let (ours_before, ours_after) = (old.ours()?, cell.ours()?);
    let logarithms =
        |side: &SideResult, factor: f64| side.rounds_ns.iter().map(|time| (time * factor).ln()).collect::<Vec<_>>();
    if let Some((rival_before, rival_after)) = common_rival(base, old, new, cell) {
        let against = |ours: &SideResult, rival: &SideResult| {
            ours.rounds_ns.iter().zip(&rival.rounds_ns).map(|(ours, rival)| (ours / rival).ln()).collect::<Vec<_>>()
        };
        let unit = format!("against {}", rival_before.library);
        return Some((against(ours_before, rival_before), against(ours_after, rival_after), unit));
    }
    match (old.core_ghz, cell.core_ghz) {
        (Some(before), Some(after)) => {
            Some((logarithms(ours_before, before), logarithms(ours_after, after), "in cycles".into()))
        }
        _ => Some((logarithms(ours_before, 1.0), logarithms(ours_after, 1.0), "in time".into())),
    }
}

/// The fastest rival of `old` that took part in both runs in the same version.
fn common_rival<'a>(
    base: &Results,
    old: &'a Cell,
    new: &Results,
    cell: &'a Cell,
) -> Option<(&'a SideResult, &'a SideResult)> {
    let version = |results: &Results, name: &str| {
        results.environment.libraries.iter().find(|library| library.name == name).map(|library| library.version.clone())
    };
    let mut rivals: Vec<&SideResult> = old.sides.iter().filter(|side| side.library != crate::model::OURS).collect();
    rivals.sort_by(|a, b| a.median_ns.total_cmp(&b.median_ns));
    rivals.into_iter().find_map(|rival| {
        let same = version(base, &rival.library).is_some_and(|known| Some(known) == version(new, &rival.library));
        same.then(|| cell.side(&rival.library)).flatten().map(|other| (rival, other))
    })
}

fn print(changes: &[Change], base: &Results, new: &Results, threshold: f64) {
    let percent = |logarithm: f64| logarithm.exp_m1() * 100.0;
    let mut moved: Vec<&Change> = changes.iter().filter(|change| change.verdict != Verdict::Same).collect();
    moved.sort_by(|a, b| b.shift.estimate.total_cmp(&a.shift.estimate));
    for change in moved {
        let word = if change.verdict == Verdict::Slower { "SLOWER" } else { "faster" };
        println!(
            "{word} {:<46} {:+.1} % ({:+.1} to {:+.1}) {}",
            change.id,
            percent(change.shift.estimate),
            percent(change.shift.low),
            percent(change.shift.high),
            change.unit
        );
    }
    let count = |verdict| changes.iter().filter(|change| change.verdict == verdict).count();
    println!(
        "{} cells compared: {} slower by more than {:.1} %, {} faster, {} the same; noise floors {:.2} % and {:.2} %",
        changes.len(),
        count(Verdict::Slower),
        threshold * 100.0,
        count(Verdict::Faster),
        count(Verdict::Same),
        base.noise_floor.p95 * 100.0,
        new.noise_floor.p95 * 100.0
    );
}
