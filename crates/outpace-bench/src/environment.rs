//! What a run must say about where it was made.

use std::time::{SystemTime, UNIX_EPOCH};

/// The processor, as it names itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cpu {
    pub vendor: String,
    pub name: String,
    pub family: u32,
    pub model: u32,
    pub stepping: u32,
    pub features: Vec<String>,
}

impl Cpu {
    pub fn here() -> Self {
        Self::parse(&std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default())
    }

    /// Reads the first processor of Linux's /proc/cpuinfo; what is missing stays empty.
    fn parse(cpuinfo: &str) -> Self {
        let first = cpuinfo.split("\n\n").next().unwrap_or_default();
        let fields: Vec<(&str, &str)> = first
            .lines()
            .filter_map(|line| line.split_once(':'))
            .map(|(key, value)| (key.trim(), value.trim()))
            .collect();
        let field = |name: &str| fields.iter().find(|(key, _)| *key == name).map_or("", |(_, value)| value);
        let number = |name: &str| field(name).parse().unwrap_or(0);
        // What the kernels here can use; the full list would bury it.
        const TOLD: [&str; 16] = [
            "ssse3",
            "sse4_1",
            "aes",
            "pclmulqdq",
            "sha_ni",
            "avx2",
            "bmi2",
            "adx",
            "vaes",
            "vpclmulqdq",
            "gfni",
            "avx512f",
            "avx512bw",
            "avx512vl",
            "avx512ifma",
            "avx512vbmi",
        ];
        let has: Vec<&str> = field("flags").split_whitespace().collect();
        Self {
            vendor: field("vendor_id").to_owned(),
            name: field("model name").to_owned(),
            family: number("cpu family"),
            model: number("model"),
            stepping: number("stepping"),
            features: TOLD.iter().filter(|feature| has.contains(feature)).map(|&feature| feature.to_owned()).collect(),
        }
    }

    pub fn describe(&self) -> String {
        if self.name.is_empty() {
            return std::env::consts::ARCH.to_owned();
        }
        format!("{}, family {} model {} stepping {}", self.name, self.family, self.model, self.stepping)
    }
}

pub fn system() -> String {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{} {} {}", std::env::consts::OS, release.trim(), std::env::consts::ARCH).replace("  ", " ")
}

pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The commit this was built from, and whether the checkout it came from has changed since.
pub fn commit() -> String {
    let built = env!("OUTPACE_BENCH_COMMIT");
    let git = |arguments: &[&str]| {
        let output = std::process::Command::new("git")
            .arg("-C")
            .arg(env!("CARGO_MANIFEST_DIR"))
            .args(arguments)
            .output()
            .ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    match git(&["status", "--porcelain"]) {
        _ if built.is_empty() => "unknown".to_owned(),
        Some(changes) if !changes.is_empty() => format!("{built} with changes"),
        _ => built.to_owned(),
    }
}

/// The command line, without the folder the program lies in.
pub fn command() -> String {
    let arguments = std::env::args().skip(1).map(|argument| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,%+:".contains(c);
        if !argument.is_empty() && argument.chars().all(plain) {
            argument
        } else {
            format!("'{}'", argument.replace('\'', r"'\''"))
        }
    });
    ["outpace".to_owned()].into_iter().chain(arguments).collect::<Vec<_>>().join(" ")
}

/// Now, as RFC 3339 in UTC.
pub fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    rfc3339(seconds)
}

fn rfc3339(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Days to year, month, day by counting in 400-year eras that begin on 1 March (Hinnant, "chrono-compatible low-level
    // date algorithms", civil_from_days).
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(rfc3339(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(rfc3339(4_102_444_800), "2100-01-01T00:00:00Z");
    }

    #[test]
    fn a_processor_is_read_and_a_missing_one_is_not_invented() {
        let text = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 207\nmodel name\t: X\nstepping\t: 2\nflags\t\t: fpu aes sha_ni\n\nprocessor\t: 1\nmodel name\t: Y\n";
        let cpu = Cpu::parse(text);
        assert_eq!((cpu.name.as_str(), cpu.family, cpu.model, cpu.stepping), ("X", 6, 207, 2));
        assert_eq!(cpu.features, ["aes", "sha_ni"]);
        assert_eq!(cpu.describe(), "X, family 6 model 207 stepping 2");
        assert_eq!(Cpu::parse(""), Cpu::default());
    }
}
