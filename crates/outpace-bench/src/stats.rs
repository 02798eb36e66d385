//! The statistics of a cell: medians and quartiles, intervals of a median, and the bootstrap behind `compare`.
//!
//! Times have long tails (an interrupt, a page fault), so nothing here rests on a mean except the coefficient of variation,
//! which is reported because readers know it.

/// The quantile `q` (0 to 1) of sorted values, interpolated between neighbours.
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    assert!(!sorted.is_empty(), "a quantile of nothing");
    let position = q * (sorted.len() - 1) as f64;
    let below = position.floor() as usize;
    let above = position.ceil() as usize;
    sorted[below] + (sorted[above] - sorted[below]) * (position - below as f64)
}

pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}

pub fn median(values: &[f64]) -> f64 {
    quantile(&sorted(values), 0.5)
}

/// What is said about one side of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    pub median: f64,
    pub lower_quartile: f64,
    pub upper_quartile: f64,
    pub p95: f64,
    /// Standard deviation over mean.
    pub variation: f64,
}

impl Summary {
    pub fn of(values: &[f64]) -> Self {
        let sorted = sorted(values);
        let count = sorted.len() as f64;
        let mean = sorted.iter().sum::<f64>() / count;
        let variance = sorted.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
        Self {
            median: quantile(&sorted, 0.5),
            lower_quartile: quantile(&sorted, 0.25),
            upper_quartile: quantile(&sorted, 0.75),
            p95: quantile(&sorted, 0.95),
            variation: if mean > 0.0 { variance.sqrt() / mean } else { 0.0 },
        }
    }

    /// The interquartile range as a part of the median: the spread that a few interrupted rounds do not move.
    pub fn spread(&self) -> f64 {
        if self.median > 0.0 { (self.upper_quartile - self.lower_quartile) / self.median } else { 0.0 }
    }
}

/// The median and its distribution-free 95 % interval, from order statistics.
///
/// The number of values below the true median is binomial(n, 1/2); the ranks are its 2.5 % and 97.5 % points, taken from
/// the normal approximation and widened to whole ranks.
pub fn median_interval(values: &[f64]) -> (f64, f64, f64) {
    let sorted = sorted(values);
    let count = sorted.len() as f64;
    let reach = 0.98 * count.sqrt();
    let low = (count / 2.0 - reach).floor().max(0.0) as usize;
    let high = ((count / 2.0 + reach).ceil() as usize).min(sorted.len() - 1);
    (quantile(&sorted, 0.5), sorted[low], sorted[high])
}

/// The difference of medians `new − base`, with the bounds between which it lies with 99 % confidence each way, by
/// resampling the rounds of both runs. The same inputs always give the same answer.
pub fn shift(base: &[f64], new: &[f64]) -> Shift {
    const RESAMPLES: usize = 1000;
    let mut random = Random::new(0x6f75_7470_6163_6521);
    let mut resampled = |values: &[f64]| {
        let draw: Vec<f64> = (0..values.len()).map(|_| values[random.below(values.len())]).collect();
        median(&draw)
    };
    let differences: Vec<f64> = (0..RESAMPLES).map(|_| resampled(new) - resampled(base)).collect();
    let differences = sorted(&differences);
    Shift {
        estimate: median(new) - median(base),
        low: quantile(&differences, 0.01),
        high: quantile(&differences, 0.99),
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shift {
    pub estimate: f64,
    pub low: f64,
    pub high: f64,
}

/// A small generator (SplitMix64) for shuffling rounds and resampling; nothing secret comes from it.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        // The bias of a remainder is 2^-50 for the bounds used here.
        (self.next() % bound as u64) as usize
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate() {
        let values = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(quantile(&values, 0.0), 1.0);
        assert_eq!(quantile(&values, 0.5), 2.5);
        assert_eq!(quantile(&values, 1.0), 4.0);
        assert_eq!(median(&[7.0, 1.0, 3.0]), 3.0);
        assert_eq!(median(&[5.0]), 5.0);
    }

    #[test]
    fn a_summary_of_known_values() {
        let summary = Summary::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!(summary.median, 4.5);
        assert_eq!((summary.lower_quartile, summary.upper_quartile), (4.0, 5.5));
        assert!((summary.p95 - 8.3).abs() < 1e-9, "{summary:?}");
        // Mean 5, sum of squares 32: standard deviation √(32/7).
        assert!((summary.variation - (32.0_f64 / 7.0).sqrt() / 5.0).abs() < 1e-12);
        assert!((summary.spread() - 1.5 / 4.5).abs() < 1e-12);
    }

    #[test]
    fn one_wild_round_moves_neither_median_nor_spread() {
        let mut values = vec![100.0; 20];
        values.push(100_000.0);
        let summary = Summary::of(&values);
        assert_eq!((summary.median, summary.spread()), (100.0, 0.0));
        assert!(summary.variation > 1.0);
    }

    #[test]
    fn the_interval_of_a_median_covers_it_about_95_times_in_100() {
        let mut random = Random::new(1);
        let mut covered = 0;
        for _ in 0..1000 {
            let values: Vec<f64> = (0..21).map(|_| random.below(1 << 20) as f64).collect();
            let (_, low, high) = median_interval(&values);
            let truth = f64::from(1 << 19);
            covered += usize::from(low <= truth && truth <= high);
        }
        assert!((930..=999).contains(&covered), "{covered} of 1000");
    }

    #[test]
    fn a_shift_is_seen_and_nothing_is_seen_in_nothing() {
        let mut random = Random::new(2);
        let mut noisy =
            |centre: f64| -> Vec<f64> { (0..21).map(|_| centre + random.below(1000) as f64 / 100_000.0).collect() };
        let (base, same, slower) = (noisy(1.0), noisy(1.0), noisy(1.06));
        let nothing = shift(&base, &same);
        assert!(nothing.low < 0.0 && 0.0 < nothing.high, "{nothing:?}");
        let something = shift(&base, &slower);
        assert!(something.low > 0.05 && something.high < 0.07, "{something:?}");
        assert_eq!(shift(&base, &base).estimate, 0.0);
        assert_eq!(shift(&base, &slower), something, "the same inputs give the same answer");
    }

    #[test]
    fn shuffling_keeps_the_items_and_reaches_every_order() {
        let mut random = Random::new(3);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let mut items = [0, 1, 2];
            random.shuffle(&mut items);
            seen.insert(items);
        }
        assert_eq!(seen.len(), 6);
    }
}
