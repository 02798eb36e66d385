//! `outpace bench`: a whole run, from the plan to the files.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use indicatif::{ProgressBar, ProgressStyle};

use crate::cases::{self, Case, Plan};
use crate::cli::BenchArguments;
use crate::environment::{self, Cpu};
use crate::fail::{Failure, Outcome};
use crate::files::Pending;
use crate::measure::{self, Effort, Placements};
use crate::model::{
    Cell, Disagreement, Environment, LibraryVersion, NoiseFloor, Results, SCHEMA, Settings, SideResult, Standing,
};
use crate::rivals::{self, Library};
use crate::schedule::Schedule;
use crate::stats::{self, Random};
use crate::{clock, kernels, limits, table, tier};

/// How much a mode spends. The two budgets together stay below what `--help` promises by more than any one cell takes.
struct Mode {
    name: &'static str,
    rounds: usize,
    /// For all cells together, everything included.
    budget: Duration,
    /// At most for one attempt at a cell.
    longest_cell: Duration,
    /// Races of a library against itself, and the time for all of them.
    races: usize,
    races_budget: Duration,
}

const QUICK: Mode = Mode {
    name: "quick",
    rounds: 21,
    budget: Duration::from_secs(96),
    longest_cell: Duration::from_millis(500),
    races: 40,
    races_budget: Duration::from_secs(12),
};
const FULL: Mode = Mode {
    name: "full",
    rounds: 41,
    budget: Duration::from_secs(13 * 60),
    longest_cell: Duration::from_secs(2),
    races: 100,
    races_budget: Duration::from_secs(60),
};

/// Times that the sides of a cell are made, unless they are large.
const PLACEMENTS: usize = 3;
const LARGE: usize = 1 << 16;

pub fn run(arguments: &BenchArguments) -> Outcome<ExitCode> {
    if let Some(status) = tier::apply(arguments.tier)? {
        return Ok(ExitCode::from(u8::try_from(status).unwrap_or(2)));
    }
    let cpu = Cpu::here();
    let tier = arguments.tier.unwrap_or(tier::Tier::Avx512);
    let tier_name = tier.name();
    let libraries = rivals::select(arguments.rivals.as_deref(), tier)?;
    let mode = if arguments.full { FULL } else { QUICK };
    let cases = chosen(arguments)?;
    if arguments.list {
        for case in &cases {
            println!("{}", case.id());
        }
        return Ok(ExitCode::SUCCESS);
    }
    let json = arguments.export_json.as_deref().map(Pending::open).transpose()?;
    let csv = arguments.export_csv.as_deref().map(Pending::open).transpose()?;

    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
    let mut race = Race {
        libraries: &libraries,
        rounds: mode.rounds,
        schedule: Schedule::new(cases.len(), mode.budget, mode.longest_cell),
        random: Random::new(seed),
    };
    let core = limits::Core::of(&cpu, tier_name);
    let mut environment = environment_block(&cpu, tier_name, &libraries);
    eprintln!("{}; {} cells, tier {tier_name}", environment.cpu, cases.len());
    let start = Instant::now();
    let (mut cells, mut disagreements) = (Vec::new(), Vec::new());
    let progress = Progress::new(cases.len());
    for case in &cases {
        progress.begin(&case.id());
        match race.cell(case, core) {
            Ok(Some(cell)) => {
                progress.line(&table::line(&cell));
                cells.push(cell);
            }
            Ok(None) => {}
            Err(why) => {
                progress.line(&format!("{}  NOT TIMED: {why}", case.id()));
                disagreements.push(Disagreement { id: case.id(), why });
            }
        }
    }
    progress.begin("the noise floor");
    let noise_floor = race.noise_floor(&cases, &mode);
    progress.end();

    let rates: Vec<f64> = cells.iter().filter_map(|cell| cell.core_ghz).collect();
    environment.core_ghz = (!rates.is_empty()).then(|| crate::model::significant(stats::median(&rates)));
    let settings = Settings { mode: mode.name.into(), filter: arguments.filter.clone(), rounds: mode.rounds, seed };
    let results = Results { schema: SCHEMA.into(), environment, settings, noise_floor, cells, disagreements };
    println!("{}", table::summary(&results));
    conclude(&results, start.elapsed());
    if let (Some(file), Some(path)) = (json, &arguments.export_json) {
        file.complete(results.to_json().as_bytes())?;
        println!("wrote {}", path.display());
    }
    if let (Some(file), Some(path)) = (csv, &arguments.export_csv) {
        file.complete(table::csv(&results).as_bytes())?;
        println!("wrote {}", path.display());
    }
    Ok(if results.disagreements.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The cases that the arguments ask for; none is a mistake.
fn chosen(arguments: &BenchArguments) -> Outcome<Vec<Case>> {
    if arguments.sizes.as_ref().is_some_and(|sizes| sizes.iter().any(|&size| size == 0 || size > 1 << 30)) {
        return Err(Failure::new("sizes are between 1 byte and 1 GiB"));
    }
    let plan = Plan { quick: !arguments.full, sizes: arguments.sizes.clone() };
    let mut cases = cases::all(&plan);
    if let Some(filter) = &arguments.filter {
        let pattern = regex::Regex::new(&format!("(?i){filter}"))
            .map_err(|error| Failure::new(format!("the filter is not a regular expression: {error}")))?;
        let algorithms: std::collections::BTreeSet<String> = cases.iter().map(|case| case.algorithm.clone()).collect();
        cases.retain(|case| pattern.is_match(&case.id()));
        if cases.is_empty() {
            let algorithms = algorithms.into_iter().collect::<Vec<_>>().join(", ");
            return Err(Failure::new(format!(
                "no cell matches {filter:?}; `--list` shows all; algorithms: {algorithms}"
            )));
        }
    }
    Ok(cases)
}

/// The libraries at the line.
struct Race<'a> {
    libraries: &'a [Box<dyn Library>],
    rounds: usize,
    schedule: Schedule,
    random: Random,
}

impl Race<'_> {
    /// Checks, then measures; `Ok(None)` if nobody takes part, `Err` if the sides do not agree or the time is up.
    fn cell(&mut self, case: &Case, core: Option<limits::Core>) -> Result<Option<Cell>, String> {
        let per_cell = self.schedule.next().ok_or("the time of the run was up")?;
        let mut placements = self.placements(case);
        let names: Vec<String> = placements[0].iter().map(|contender| contender.name.clone()).collect();
        if names.is_empty() {
            return Ok(None);
        }
        for place in &mut placements {
            measure::agree(case.agreement, place)?;
        }
        let effort = Effort { rounds: self.rounds, per_cell };
        let measured = measure::measure(&mut placements, effort, &mut self.random, || self.schedule.early());
        let sides = names.iter().zip(&measured.sides);
        Ok(Some(Cell {
            id: case.id(),
            family: case.family.into(),
            algorithm: case.algorithm.clone(),
            operation: case.operation.into(),
            variant: case.variant.clone(),
            size: case.size,
            agreement: if names.len() > 1 { case.agreement.describe().into() } else { "alone".into() },
            noisy: measured.noisy,
            repeats: measured.repeats,
            core_ghz: measured.core_ghz.map(crate::model::significant),
            limit: core.and_then(|core| core.limit(case)).map(|limit| limit.cycles_per_byte),
            sides: sides.map(|(name, side)| SideResult::new(name, side.batch, &side.times)).collect(),
        }))
    }

    /// The sides of a case, as often as they are to be made; all live at once, so that each lies elsewhere.
    fn placements(&self, case: &Case) -> Placements {
        let count = if case.size.is_some_and(|size| size >= LARGE) { 1 } else { PLACEMENTS };
        (0..count).map(|_| case.contenders(self.libraries)).collect()
    }

    /// Races one side of every few cells against a second copy of itself, taking the libraries in turn.
    fn noise_floor(&mut self, cases: &[Case], mode: &Mode) -> NoiseFloor {
        let step = cases.len().div_ceil(mode.races).max(1);
        let chosen: Vec<&Case> = cases.iter().step_by(step).collect();
        let mut schedule = Schedule::new(chosen.len(), mode.races_budget, mode.longest_cell);
        let mut gaps = Vec::new();
        for (race, case) in chosen.into_iter().enumerate() {
            let Some(per_cell) = schedule.next() else { break };
            let both = self.placements(case).into_iter().zip(self.placements(case));
            let mut twins: Placements = both
                .filter(|(one, _)| !one.is_empty())
                .map(|(mut one, mut other)| {
                    let side = race % one.len();
                    vec![one.swap_remove(side), other.swap_remove(side)]
                })
                .collect();
            if !twins.is_empty() {
                let effort = Effort { rounds: self.rounds, per_cell };
                gaps.push(measure::race_against_itself(&mut twins, effort, &mut self.random));
            }
        }
        if gaps.is_empty() {
            return NoiseFloor::default();
        }
        let sorted = stats::sorted(&gaps);
        let at = |q| crate::model::significant(stats::quantile(&sorted, q));
        NoiseFloor { races: gaps.len(), median: at(0.5), p95: at(0.95), worst: at(1.0) }
    }
}

fn environment_block(cpu: &Cpu, tier: &str, libraries: &[Box<dyn Library>]) -> Environment {
    Environment {
        date: environment::now(),
        command: environment::command(),
        commit: environment::commit(),
        version: env!("CARGO_PKG_VERSION").into(),
        compiler: env!("OUTPACE_BENCH_RUSTC").into(),
        cpu: cpu.describe(),
        cores: environment::cores(),
        system: environment::system(),
        features: cpu.features.clone(),
        tier: tier.into(),
        clock: clock::DESCRIPTION.into(),
        core_ghz: None,
        libraries: libraries
            .iter()
            .map(|library| LibraryVersion { name: library.name().into(), version: library.version() })
            .collect(),
        kernels: kernels::list(),
    }
}

/// The closing lines: who was slower than whom, what is uncertain, how long it took.
fn conclude(results: &Results, elapsed: Duration) {
    let standings = results.standings();
    if !standings.is_empty() {
        let ratios: Vec<f64> = standings.iter().map(|(_, ratio, _)| ratio.value).collect();
        let count = |wanted| standings.iter().filter(|(_, _, standing)| *standing == wanted).count();
        println!(
            "median ratio to the best rival {}; ahead in {} of {} cells, level in {}, behind in {}",
            table::ratio(stats::median(&ratios)),
            count(Standing::Ahead),
            ratios.len(),
            count(Standing::Level),
            count(Standing::Behind)
        );
    }
    let absent = results.cells.iter().filter(|cell| cell.ours().is_none()).count();
    if absent > 0 {
        println!("{absent} cells have no entry of ours yet");
    }
    let noisy = results.cells.iter().filter(|cell| cell.noisy).count();
    if noisy > 0 {
        println!("{noisy} cells stayed uneven after repeats (marked ~)");
    }
    let floor = &results.noise_floor;
    if floor.races > 0 {
        println!(
            "noise floor: the same code against itself differs by {:.2} % (median), {:.2} % (p95), {:.2} % (worst) in {} races",
            floor.median * 100.0,
            floor.p95 * 100.0,
            floor.worst * 100.0,
            floor.races
        );
    }
    for Disagreement { id, why } in &results.disagreements {
        println!("NOT TIMED {id}: {why}");
    }
    println!("{} cells in {:.0} s", results.cells.len(), elapsed.as_secs_f64());
}

/// A bar on a terminal, plain lines elsewhere.
struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    fn new(cells: usize) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} (about {eta} left)")
                .expect("a constant template");
            ProgressBar::new(cells as u64).with_style(style)
        });
        Self { bar }
    }

    fn begin(&self, name: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(name.to_owned());
        }
    }

    fn line(&self, line: &str) {
        match &self.bar {
            Some(bar) => {
                bar.println(line);
                bar.inc(1);
            }
            None => println!("{line}"),
        }
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
