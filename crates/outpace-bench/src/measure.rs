//! One cell, measured: agreement first, then shuffled, interleaved rounds.

use std::time::Duration;

use crate::clock;
use crate::side::Side;
use crate::stats::{Random, Summary, median};

/// How a cell's sides are known to do the same work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// All put out the same bytes, three operations in a row.
    SameBytes,
    /// Results are random; every side that can judge accepts every other's.
    Accepted,
    /// Random bytes: nothing to agree on but that they change and are not all zero.
    Unpredictable,
}

impl Agreement {
    pub const fn describe(self) -> &'static str {
        match self {
            Self::SameBytes => "same bytes",
            Self::Accepted => "each accepts the other's",
            Self::Unpredictable => "changing, not zero",
        }
    }
}

/// A side with its name.
pub struct Contender {
    pub name: String,
    pub side: Side,
}

/// Runs every side a few times and compares what came out; `Err` says who differs.
pub fn agree(agreement: Agreement, contenders: &mut [Contender]) -> Result<(), String> {
    match agreement {
        Agreement::SameBytes => same_bytes(contenders),
        Agreement::Accepted => accepted(contenders),
        Agreement::Unpredictable => unpredictable(contenders),
    }
}

/// Operations after which outputs are compared: the first, and later ones that show a state not put back in order.
const CHECKED_OPERATIONS: u32 = 3;

fn same_bytes(contenders: &mut [Contender]) -> Result<(), String> {
    for operation in 1..=CHECKED_OPERATIONS {
        let mut groups: Vec<(Vec<u8>, Vec<&str>)> = Vec::new();
        for Contender { name, side } in contenders.iter_mut() {
            side.run(1);
            let output = side.output();
            match groups.iter_mut().find(|(bytes, _)| *bytes == output) {
                Some((_, names)) => names.push(name),
                None => groups.push((output, vec![name])),
            }
        }
        if groups.len() > 1 {
            let parties: Vec<String> =
                groups.iter().map(|(bytes, names)| format!("{} {}", names.join(" and "), abbreviated(bytes))).collect();
            return Err(format!("operation {operation} gave different bytes: {}", parties.join(", ")));
        }
    }
    Ok(())
}

fn accepted(contenders: &mut [Contender]) -> Result<(), String> {
    let mut outputs = Vec::new();
    for Contender { name, side } in contenders.iter_mut() {
        side.run(1);
        outputs.push((name.clone(), side.output()));
    }
    for Contender { name, side } in contenders.iter_mut() {
        for (author, output) in &outputs {
            if side.accepts(output) == Some(false) {
                return Err(format!("{name} does not accept what {author} made"));
            }
        }
    }
    Ok(())
}

fn unpredictable(contenders: &mut [Contender]) -> Result<(), String> {
    for Contender { name, side } in contenders.iter_mut() {
        side.run(1);
        let first = side.output();
        side.run(1);
        if first.iter().all(|&byte| byte == 0) || first == side.output() {
            return Err(format!("{name} gave {} twice", abbreviated(&first)));
        }
    }
    Ok(())
}

fn abbreviated(bytes: &[u8]) -> String {
    let shown: String = bytes.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{shown}… ({} bytes, sum {:08x})", bytes.len(), checksum(bytes))
}

/// FNV-1a, so that two long outputs that begin alike are still told apart in a message.
fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |sum, &byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// How much work goes into a cell.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Odd, so that the median is one of the rounds.
    pub rounds: usize,
    /// What one attempt should take, warm-up included.
    pub per_cell: Duration,
}

/// The sides of a cell, made several times: where memory happens to lie moves short operations by some percent, and
/// rounds that take the places in turn leave that in the spread instead of in the result.
pub type Placements = Vec<Vec<Contender>>;

/// Fewest rounds of a cell whose single operations are long, and of one whose operations are so long that these would take
/// several times the cell's share.
const FEWEST_ROUNDS: usize = 11;
const FEWEST_LONG_ROUNDS: usize = 5;
const LONG: u32 = 3;
/// How often an uneven cell is measured again at most.
const MOST_REPEATS: usize = 2;
/// A batch shorter than this would feel the clock; a longer one only meets more interrupts.
const SHORTEST_BATCH: Duration = Duration::from_micros(40);
const LONGEST_BATCH: Duration = Duration::from_millis(4);
/// Interquartile range over median from which a side counts as uneven.
const UNEVEN: f64 = 0.05;

/// The rounds of a cell: `sides[i].times[r]` is nanoseconds per operation of side `i` in round `r`.
#[derive(Debug)]
pub struct Measured {
    pub sides: Vec<MeasuredSide>,
    pub core_ghz: Option<f64>,
    pub repeats: usize,
    pub noisy: bool,
}

#[derive(Debug)]
pub struct MeasuredSide {
    pub batch: u64,
    pub times: Vec<f64>,
}

/// Measures; repeats while the cell is uneven and `again` allows it, and keeps the evenest attempt.
pub fn measure(placements: &mut Placements, effort: Effort, random: &mut Random, again: impl Fn() -> bool) -> Measured {
    let mut best = attempt(placements, effort, random);
    let mut repeats = 0;
    while best.1 > UNEVEN && repeats < MOST_REPEATS && again() {
        repeats += 1;
        let other = attempt(placements, effort, random);
        if other.1 < best.1 {
            best = other;
        }
    }
    let (mut measured, spread) = best;
    measured.repeats = repeats;
    measured.noisy = spread > UNEVEN;
    measured
}

/// One attempt and the largest spread of its sides.
fn attempt(placements: &mut Placements, effort: Effort, random: &mut Random) -> (Measured, f64) {
    let sides = placements[0].len();
    let share = effort.per_cell.mul_f64(0.8) / (effort.rounds * sides) as u32;
    let target = share.clamp(SHORTEST_BATCH, LONGEST_BATCH);
    let warm_up = (effort.per_cell / (10 * sides * placements.len()) as u32).max(target);
    let batches: Vec<Vec<u64>> = placements
        .iter_mut()
        .map(|place| place.iter_mut().map(|contender| batch(&mut contender.side, target, warm_up)).collect())
        .collect();

    let mut times = vec![Vec::with_capacity(effort.rounds); sides];
    let mut rates = Vec::with_capacity(effort.rounds);
    let mut order: Vec<usize> = (0..sides).collect();
    let mut spent = Duration::ZERO;
    for round in 0..effort.rounds {
        // Only operations far longer than a batch can run past the cell's time.
        let fewest = if spent > effort.per_cell * LONG { FEWEST_LONG_ROUNDS } else { FEWEST_ROUNDS };
        if spent > effort.per_cell && round >= fewest && round % 2 == 1 {
            break;
        }
        rates.extend(clock::core_ghz());
        random.shuffle(&mut order);
        let place = round % placements.len();
        for &side in &order {
            let batch = batches[place][side];
            let elapsed = clock::time(|| placements[place][side].side.run(batch));
            spent += elapsed;
            times[side].push(elapsed.as_nanos().max(1) as f64 / batch as f64);
        }
    }
    let spread = times.iter().map(|times| Summary::of(times).spread()).fold(0.0, f64::max);
    let sides = batches[0].iter().zip(times).map(|(&batch, times)| MeasuredSide { batch, times }).collect();
    let core_ghz = (!rates.is_empty()).then(|| median(&rates));
    (Measured { sides, core_ghz, repeats: 0, noisy: false }, spread)
}

/// Warms a side up and finds how many operations fill `target`.
fn batch(side: &mut Side, target: Duration, warm_up: Duration) -> u64 {
    let mut times = 1;
    let mut spent = Duration::ZERO;
    loop {
        let elapsed = clock::time(|| side.run(times));
        spent += elapsed;
        let per_operation = elapsed.as_secs_f64() / times as f64;
        let fitting = (target.as_secs_f64() / per_operation.max(1e-9)).clamp(1.0, 1e9) as u64;
        if spent >= warm_up {
            return fitting;
        }
        times = fitting.min(times * 8);
    }
}

/// |ratio − 1| of the first two sides, which are the same code, by the same rounds as any cell.
pub fn race_against_itself(twins: &mut Placements, effort: Effort, random: &mut Random) -> f64 {
    let measured = measure(twins, effort, random, || false);
    let ratios: Vec<f64> =
        measured.sides[0].times.iter().zip(&measured.sides[1].times).map(|(one, other)| one / other).collect();
    (median(&ratios) - 1.0).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counting(name: &str, step: u8) -> Contender {
        let side = Side::new(0_u8, move |state| *state = state.wrapping_add(step), |state| vec![*state]);
        Contender { name: name.into(), side }
    }

    const QUICK: Effort = Effort { rounds: 11, per_cell: Duration::from_millis(4) };

    #[test]
    fn equal_sides_agree_and_a_different_one_is_named() {
        assert_eq!(agree(Agreement::SameBytes, &mut [counting("a", 1), counting("b", 1)]), Ok(()));
        let why = agree(Agreement::SameBytes, &mut [counting("a", 1), counting("b", 1), counting("c", 2)]).unwrap_err();
        assert!(why.contains("a and b 01…") && why.contains("c 02…"), "{why}");
    }

    #[test]
    fn a_state_that_is_not_put_back_is_found() {
        let forgetful = Side::new(
            (0_u8, false),
            |state| state.0 += if std::mem::replace(&mut state.1, true) { 2 } else { 1 },
            |state| vec![state.0],
        );
        let why = agree(Agreement::SameBytes, &mut [counting("a", 1), Contender { name: "b".into(), side: forgetful }])
            .unwrap_err();
        assert!(why.starts_with("operation 2"), "{why}");
    }

    #[test]
    fn random_results_are_judged_by_the_other_side() {
        let maker = |output: u8| Side::judging(output, |_| {}, |output| vec![*output], |_, theirs| theirs[0] < 100);
        let side = |name: &str, output| Contender { name: name.into(), side: maker(output) };
        assert_eq!(agree(Agreement::Accepted, &mut [side("a", 1), side("b", 2)]), Ok(()));
        assert_eq!(
            agree(Agreement::Accepted, &mut [side("a", 1), side("b", 200)]),
            Err("a does not accept what b made".into())
        );
    }

    #[test]
    fn a_generator_that_repeats_itself_is_refused() {
        assert_eq!(agree(Agreement::Unpredictable, &mut [counting("a", 1)]), Ok(()));
        assert!(agree(Agreement::Unpredictable, &mut [counting("stuck", 0)]).is_err());
    }

    #[test]
    fn every_side_gets_every_round() {
        let place = || vec![counting("a", 1), counting("b", 1)];
        let measured = measure(&mut vec![place(), place(), place()], QUICK, &mut Random::new(1), || false);
        assert!(measured.sides.iter().all(|side| side.times.len() == QUICK.rounds && side.batch > 1));
        assert!(measured.sides.iter().all(|side| side.times.iter().all(|&time| time > 0.0)));
    }

    #[test]
    fn a_long_operation_is_run_once_a_round_and_stops_early() {
        let rounds = |milliseconds: u64| {
            let sleep = move |(): &mut ()| std::thread::sleep(Duration::from_millis(milliseconds));
            let slow = Contender { name: "slow".into(), side: Side::new((), sleep, |()| Vec::new()) };
            let effort = Effort { rounds: 101, per_cell: Duration::from_millis(8) };
            let measured = measure(&mut vec![vec![slow]], effort, &mut Random::new(1), || false);
            assert_eq!(measured.sides[0].batch, 1);
            measured.sides[0].times.len()
        };
        assert!(rounds(1) >= FEWEST_LONG_ROUNDS);
        assert_eq!(rounds(10), FEWEST_LONG_ROUNDS);
    }

    #[test]
    fn twice_the_work_takes_twice_the_time() {
        let work = |times: u64| {
            Side::new(
                1_u64,
                move |state| {
                    for _ in 0..times {
                        *state = std::hint::black_box(state.wrapping_mul(3))
                    }
                },
                |state| state.to_le_bytes().to_vec(),
            )
        };
        let sides = [100, 200].map(|times| Contender { name: times.to_string(), side: work(times) });
        let effort = Effort { rounds: 31, per_cell: Duration::from_millis(20) };
        let measured = measure(&mut vec![sides.into()], effort, &mut Random::new(1), || true);
        let ratios: Vec<f64> =
            measured.sides[1].times.iter().zip(&measured.sides[0].times).map(|(two, one)| two / one).collect();
        let ratio = median(&ratios);
        assert!((1.7..2.3).contains(&ratio), "{ratio}");
    }
}
