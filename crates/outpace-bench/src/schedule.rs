//! The clock of a whole run: what a cell may take, and whether there is time to repeat one.
//!
//! Every cell has the same share of the run's time. An attempt asks for a part of that share; what cells leave goes to repeats of
//! uneven ones. Whoever overruns takes from those after it, and a run whose time is up measures no more, so that no
//! choice of rows, sizes or machine makes it longer than it says.

use std::time::{Duration, Instant};

/// What one attempt asks for, of a cell's share: the rest is for set-up, checks and repeats.
const ATTEMPT: f64 = 0.7;

pub struct Schedule {
    start: Instant,
    total: Duration,
    cells: usize,
    done: usize,
    longest: Duration,
}

impl Schedule {
    /// For `cells` cells in `total`; `longest` bounds an attempt, so that a filtered run is no longer than it needs to be.
    pub fn new(cells: usize, total: Duration, longest: Duration) -> Self {
        Self { start: Instant::now(), total, cells, done: 0, longest }
    }

    /// The time of the next cell's attempts; `None` when the run's time is up.
    pub fn next(&mut self) -> Option<Duration> {
        let share = self.left(self.start.elapsed())?;
        self.done += 1;
        Some(share)
    }

    fn left(&self, elapsed: Duration) -> Option<Duration> {
        let left = self.total.checked_sub(elapsed).filter(|left| !left.is_zero())?;
        let cells = u32::try_from(self.cells.saturating_sub(self.done).max(1)).unwrap_or(u32::MAX);
        Some(self.share().min(left / cells).mul_f64(ATTEMPT).min(self.longest))
    }

    fn share(&self) -> Duration {
        self.total / u32::try_from(self.cells.max(1)).unwrap_or(u32::MAX)
    }

    /// Whether another attempt keeps the run in time for the cells after it.
    pub fn early(&self) -> bool {
        let due = self.share() * u32::try_from(self.done).unwrap_or(u32::MAX);
        // A tenth of the run may be borrowed: uneven cells come in groups.
        self.start.elapsed() < due + self.total / 10
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_shrink_when_others_overran_and_end_with_the_run() {
        let seconds = Duration::from_secs;
        let mut schedule = Schedule::new(100, seconds(100), seconds(10));
        assert_eq!(schedule.left(seconds(0)), Some(Duration::from_millis(700)));
        schedule.done = 50;
        assert_eq!(schedule.left(seconds(20)), Some(Duration::from_millis(700)), "what was saved is for repeats");
        assert_eq!(schedule.left(seconds(75)), Some(Duration::from_millis(350)));
        assert_eq!(schedule.left(seconds(100)), None);
        assert_eq!(Schedule::new(1, seconds(100), seconds(2)).left(seconds(0)), Some(seconds(2)));
    }

    #[test]
    fn repeats_wait_for_time_saved() {
        let mut schedule = Schedule::new(10, Duration::from_secs(100), Duration::from_secs(1));
        assert!(schedule.next().is_some() && schedule.early());
        schedule.start -= Duration::from_secs(30);
        assert!(!schedule.early());
    }
}
