//! The results of a run as they are exported and read back; `schema/results.schema.json` says the same for other readers.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::fail::{Failure, Outcome};
use crate::stats::{Summary, median_interval};

/// The name and version of the format. A change that an old reader would misread gets a new number.
pub const SCHEMA: &str = "outpace-results/1";

/// Our own name among the sides of a cell.
pub const OURS: &str = "outpace";

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Results {
    pub schema: String,
    pub environment: Environment,
    pub settings: Settings,
    pub noise_floor: NoiseFloor,
    pub cells: Vec<Cell>,
    /// Cells that were not timed because the sides did not agree.
    pub disagreements: Vec<Disagreement>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// When the run began, RFC 3339 in UTC.
    pub date: String,
    pub command: String,
    pub commit: String,
    pub version: String,
    pub compiler: String,
    pub cpu: String,
    pub cores: usize,
    pub system: String,
    pub features: Vec<String>,
    pub tier: String,
    pub clock: String,
    /// Core cycles per nanosecond, the median over the run; `null` where unknown.
    pub core_ghz: Option<f64>,
    pub libraries: Vec<LibraryVersion>,
    pub kernels: Vec<PrimitiveKernels>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LibraryVersion {
    pub name: String,
    pub version: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrimitiveKernels {
    pub primitive: String,
    pub used: String,
    pub others: Vec<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub mode: String,
    pub filter: Option<String>,
    pub rounds: usize,
    pub seed: u64,
}

/// How far apart the same code comes out when it races itself: ratios closer to 1 than this mean nothing.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoiseFloor {
    pub races: usize,
    /// |ratio − 1|: the median, the 95th percentile and the worst of all races.
    pub median: f64,
    pub p95: f64,
    pub worst: f64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// `family/algorithm/operation/variant/size`, the text `--filter` matches and `compare` joins on.
    pub id: String,
    pub family: String,
    pub algorithm: String,
    pub operation: String,
    pub variant: String,
    /// Bytes per operation; `null` for public-key operations.
    pub size: Option<usize>,
    /// How the sides were found to do the same work.
    pub agreement: String,
    /// Still uneven after it was repeated.
    pub noisy: bool,
    pub repeats: usize,
    pub core_ghz: Option<f64>,
    /// Cycles per byte below which this machine cannot go.
    pub limit: Option<f64>,
    pub sides: Vec<SideResult>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SideResult {
    pub library: String,
    /// Operations per round.
    pub batch: u64,
    pub median_ns: f64,
    pub q1_ns: f64,
    pub q3_ns: f64,
    pub p95_ns: f64,
    pub variation: f64,
    /// Nanoseconds per operation in each round; the same place in two sides is the same round.
    pub rounds_ns: Vec<f64>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disagreement {
    pub id: String,
    pub why: String,
}

impl SideResult {
    pub fn new(library: &str, batch: u64, rounds_ns: &[f64]) -> Self {
        let summary = Summary::of(rounds_ns);
        Self {
            library: library.to_owned(),
            batch,
            median_ns: significant(summary.median),
            q1_ns: significant(summary.lower_quartile),
            q3_ns: significant(summary.upper_quartile),
            p95_ns: significant(summary.p95),
            variation: significant(summary.variation),
            rounds_ns: rounds_ns.iter().copied().map(significant).collect(),
        }
    }
}

/// A ratio rival/ours over paired rounds with its 95 % interval; above 1, we are faster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// How a cell stands against its best rival.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    Ahead,
    /// The interval of the ratio includes 1, or the ratio is one that code racing itself shows as well.
    Level,
    Behind,
}

impl Standing {
    fn of(ratio: Ratio, noise: f64) -> Self {
        if ratio.low > 1.0 && ratio.value > 1.0 + noise {
            Self::Ahead
        } else if ratio.high < 1.0 && ratio.value < 1.0 / (1.0 + noise) {
            Self::Behind
        } else {
            Self::Level
        }
    }
}

impl Cell {
    pub fn side(&self, library: &str) -> Option<&SideResult> {
        self.sides.iter().find(|side| side.library == library)
    }

    pub fn ours(&self) -> Option<&SideResult> {
        self.side(OURS)
    }

    /// The fastest side that is not ours.
    pub fn best_rival(&self) -> Option<&SideResult> {
        self.sides.iter().filter(|side| side.library != OURS).min_by(|a, b| a.median_ns.total_cmp(&b.median_ns))
    }

    /// Ours against the best rival, round by round.
    pub fn ratio(&self) -> Option<Ratio> {
        self.ratio_to(self.best_rival()?)
    }

    pub fn ratio_to(&self, rival: &SideResult) -> Option<Ratio> {
        let ratios: Vec<f64> =
            self.ours()?.rounds_ns.iter().zip(&rival.rounds_ns).map(|(ours, theirs)| theirs / ours).collect();
        let (value, low, high) = median_interval(&ratios);
        Some(Ratio { value, low, high })
    }

    /// Cycles for one operation of `side`.
    pub fn cycles(&self, side: &SideResult) -> Option<f64> {
        self.core_ghz.map(|ghz| side.median_ns * ghz)
    }

    pub fn cycles_per_byte(&self, side: &SideResult) -> Option<f64> {
        Some(self.cycles(side)? / self.size.filter(|&size| size > 0)? as f64)
    }
}

impl Results {
    pub fn read(path: &Path) -> Outcome<Self> {
        let name = path.display();
        let text = std::fs::read(path).map_err(|error| Failure::new(format!("cannot read {name}: {error}")))?;
        let foreign =
            |why: String| Failure::new(format!("{name} is not a result of `outpace bench --export-json`: {why}"));
        let value: serde_json::Value = serde_json::from_slice(&text).map_err(|error| foreign(error.to_string()))?;
        match value.get("schema").and_then(serde_json::Value::as_str) {
            Some(SCHEMA) => {}
            Some(other) => return Err(foreign(format!("its format is {other:?}, this tool reads {SCHEMA:?}"))),
            None => return Err(foreign("it names no format".into())),
        }
        let results: Self = serde_json::from_value(value).map_err(|error| foreign(error.to_string()))?;
        results.check().map_err(foreign)?;
        Ok(results)
    }

    /// What the types do not say: names are unique, rounds are there, paired and positive.
    fn check(&self) -> Result<(), String> {
        let mut ids = std::collections::BTreeSet::new();
        for cell in &self.cells {
            let id = &cell.id;
            if !ids.insert(id) {
                return Err(format!("cell {id} appears twice"));
            }
            let rounds = cell.sides.first().map_or(0, |side| side.rounds_ns.len());
            for side in &cell.sides {
                if side.rounds_ns.is_empty() || side.rounds_ns.len() != rounds {
                    return Err(format!("cell {id}: {} has {} rounds", side.library, side.rounds_ns.len()));
                }
                if !side.rounds_ns.iter().chain([&side.median_ns]).all(|&time| time.is_finite() && time > 0.0) {
                    return Err(format!("cell {id}: {} has a time that is not positive", side.library));
                }
            }
        }
        Ok(())
    }

    /// How a cell of this run stands, if it has a rival.
    pub fn standing(&self, cell: &Cell) -> Option<Standing> {
        cell.ratio().map(|ratio| Standing::of(ratio, self.noise_floor.p95))
    }

    /// Every cell that has a rival, with the ratio and where that leaves it.
    pub fn standings(&self) -> Vec<(&Cell, Ratio, Standing)> {
        let raced = self.cells.iter().filter_map(|cell| Some((cell, cell.ratio()?, self.standing(cell)?)));
        raced.collect()
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("results are plain data")
    }
}

/// Five significant digits: more than any clock here is good for, and files stay small.
pub fn significant(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    format!("{value:.4e}").parse().expect("a float reads back")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(ours: &[f64], rivals: &[(&str, &[f64])]) -> Cell {
        let mut sides = vec![SideResult::new(OURS, 1, ours)];
        sides.extend(rivals.iter().map(|(name, rounds)| SideResult::new(name, 1, rounds)));
        Cell {
            id: "hash/X/digest/64".into(),
            family: "hash".into(),
            algorithm: "X".into(),
            operation: "digest".into(),
            variant: String::new(),
            size: Some(64),
            agreement: String::new(),
            noisy: false,
            repeats: 0,
            core_ghz: Some(2.0),
            limit: None,
            sides,
        }
    }

    #[test]
    fn the_ratio_is_taken_within_rounds_to_the_fastest_rival() {
        // The machine halves its speed in the last two rounds: the quotient of medians would not be 2.
        let cell =
            cell(&[10.0, 10.0, 20.0, 20.0, 20.0], &[("slow", &[90.0; 5]), ("fast", &[20.0, 20.0, 40.0, 40.0, 40.0])]);
        assert_eq!(cell.best_rival().unwrap().library, "fast");
        let ratio = cell.ratio().unwrap();
        assert_eq!((ratio.value, ratio.low, ratio.high), (2.0, 2.0, 2.0));
        assert_eq!(cell.cycles(cell.ours().unwrap()), Some(40.0));
        assert_eq!(cell.cycles_per_byte(cell.ours().unwrap()), Some(0.625));
    }

    #[test]
    fn a_lead_within_the_noise_is_none() {
        let ratio = |value, low, high| Ratio { value, low, high };
        assert_eq!(Standing::of(ratio(1.02, 1.01, 1.03), 0.01), Standing::Ahead);
        assert_eq!(Standing::of(ratio(1.02, 1.01, 1.03), 0.03), Standing::Level);
        assert_eq!(Standing::of(ratio(1.02, 0.99, 1.05), 0.0), Standing::Level);
        assert_eq!(Standing::of(ratio(0.90, 0.89, 0.91), 0.03), Standing::Behind);
    }

    #[test]
    fn alone_there_is_no_ratio() {
        assert_eq!(cell(&[1.0], &[]).ratio(), None);
    }

    #[test]
    fn five_digits_stay() {
        assert_eq!(significant(123_456.0), 123_460.0);
        assert_eq!(significant(0.012_345_67), 0.012_346);
        assert_eq!(significant(0.0), 0.0);
    }
}
