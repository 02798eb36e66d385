//! Time, and core cycles where they can be known.
//!
//! Wall time comes from [`std::time::Instant`], read once before and once after a batch of many operations. Cycles do not
//! come from the time-stamp counter, which ticks at a rate of its own: they are wall time multiplied by the rate the core
//! is seen running at, which is found by timing a chain of dependent multiplications. Every x86-64 core of the last fifteen
//! years takes three cycles for each; a chain of additions would not do, because recent cores drop those at rename.

use std::time::{Duration, Instant};

/// How the cycle counts of this process come about, for reports.
pub const DESCRIPTION: &str = if cfg!(target_arch = "x86_64") {
    "monotonic clock; core cycles from a chain of dependent 64-bit multiplications, 3 cycles each, timed in every round"
} else {
    "monotonic clock; core cycles are not known on this architecture"
};

/// The rate of this core right now in cycles per nanosecond, `None` where no instruction of known latency is at hand.
///
/// Takes about 30 µs.
pub fn core_ghz() -> Option<f64> {
    chain::CYCLES.map(|cycles| {
        // Interruptions only lengthen a run, so the shortest of three is the best estimate.
        let shortest = (0..3).map(|_| time(chain::run)).min().unwrap_or_default();
        cycles / shortest.as_nanos().max(1) as f64
    })
}

/// The wall time of one call.
pub fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

#[cfg(target_arch = "x86_64")]
mod chain {
    const ROUNDS: u32 = 1000;
    pub const CYCLES: Option<f64> = Some(ROUNDS as f64 * 10.0 * 3.0);

    pub fn run() {
        // SAFETY: works on two registers it names as outputs, touches no memory and leaves the stack alone.
        unsafe {
            core::arch::asm!(
                "2:",
                "imul {chain}, {chain}", "imul {chain}, {chain}", "imul {chain}, {chain}", "imul {chain}, {chain}",
                "imul {chain}, {chain}", "imul {chain}, {chain}", "imul {chain}, {chain}", "imul {chain}, {chain}",
                "imul {chain}, {chain}", "imul {chain}, {chain}",
                "dec {rounds:e}",
                "jnz 2b",
                chain = inout(reg) 3_u64 => _,
                rounds = inout(reg) ROUNDS => _,
                options(nomem, nostack),
            );
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod chain {
    pub const CYCLES: Option<f64> = None;
    pub fn run() {}
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    #[test]
    fn the_core_runs_at_a_plausible_rate() {
        let ghz = super::core_ghz().unwrap();
        assert!((0.3..9.0).contains(&ghz), "{ghz} GHz");
    }
}
