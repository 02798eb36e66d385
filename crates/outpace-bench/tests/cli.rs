//! The command as a user meets it: files it writes, statuses it exits with, what it says about bad input.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;

/// A folder of this test alone, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("outpace-cli-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, contents: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, contents).unwrap();
        path
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn outpace(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_outpace")).args(arguments).env_remove("OPENSSL_ia32cap").output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// One small run that all tests share: JSON and CSV.
fn run() -> &'static (String, String) {
    static RUN: OnceLock<(String, String)> = OnceLock::new();
    RUN.get_or_init(|| {
        let folder = Folder::new("run");
        let (json, csv) = (folder.0.join("r.json"), folder.0.join("r.csv"));
        let filter = "hash/SHA-256/digest/(64|1024)$";
        let output = outpace(&["bench", "--filter", filter, "--export-json", path(&json), "--export-csv", path(&csv)]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("noise floor"), "{}", text(&output.stdout));
        assert_eq!(folder.names(), ["r.csv", "r.json"]);
        (std::fs::read_to_string(json).unwrap(), std::fs::read_to_string(csv).unwrap())
    })
}

/// Exit status 2 and one line that contains `says`.
fn refused(arguments: &[&str], says: &str) {
    let output = outpace(arguments);
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert_eq!(error.lines().count(), 1, "{arguments:?}: {error}");
    assert!(error.starts_with("outpace: ") && error.contains(says), "{arguments:?}: {error}");
}

/// The run as a quiet machine would have done it, our rounds multiplied by `factor`: what is compared must not depend on what
/// else ran.
fn quiet(factor: f64) -> String {
    let mut run: Value = serde_json::from_str(&run().0).unwrap();
    for share in ["median", "p95", "worst"] {
        assert!(run["noise_floor"][share].is_f64());
        run["noise_floor"][share] = 0.01.into();
    }
    for cell in run["cells"].as_array_mut().unwrap() {
        let sides = cell["sides"].as_array_mut().unwrap();
        let ours = sides.iter_mut().find(|side| side["library"] == "outpace").unwrap();
        for (i, round) in ours["rounds_ns"].as_array_mut().unwrap().iter_mut().enumerate() {
            *round = ((100.0 + (i % 5) as f64 / 10.0) * factor).into();
        }
    }
    run.to_string()
}

#[test]
fn a_run_is_complete() {
    let (json, csv) = run();
    let run: Value = serde_json::from_str(json).unwrap();
    let cells = run["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 2);
    for cell in cells {
        let ours = &cell["sides"][0];
        assert_eq!(ours["library"], "outpace");
        assert!(ours["rounds_ns"].as_array().unwrap().len() >= 11);
    }
    assert_eq!(
        csv.lines().count(),
        1 + cells.iter().map(|cell| cell["sides"].as_array().unwrap().len()).sum::<usize>()
    );
    let columns = csv.lines().next().unwrap().split(',').count();
    assert!(csv.lines().all(|line| line.split(',').count() == columns));
}

#[test]
fn a_run_compared_with_itself_passes() {
    let folder = Folder::new("self");
    let json = folder.file("r.json", &run().0);
    let output = outpace(&["compare", path(&json), path(&json)]);
    assert!(output.status.success(), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("2 cells compared: 0 slower"), "{}", text(&output.stdout));
}

#[test]
fn a_slowed_copy_fails_and_a_faster_one_does_not() {
    let folder = Folder::new("slowed");
    let base = folder.file("base.json", &quiet(1.0));
    let slow = folder.file("slow.json", &quiet(1.5));
    let output = outpace(&["compare", path(&base), path(&slow)]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("SLOWER hash/SHA-256/digest/64"), "{}", text(&output.stdout));
    assert!(outpace(&["compare", path(&slow), path(&base)]).status.success());
    assert!(outpace(&["compare", path(&base), path(&slow), "--threshold", "60%"]).status.success());
}

#[test]
fn a_slow_down_under_the_threshold_passes() {
    let folder = Folder::new("threshold");
    let base = folder.file("base.json", &quiet(1.0));
    let slow = folder.file("slow.json", &quiet(1.02));
    assert!(outpace(&["compare", path(&base), path(&slow)]).status.success());
}

#[test]
fn a_cell_that_went_missing_fails_unless_it_may() {
    let folder = Folder::new("missing");
    let base = folder.file("base.json", &run().0);
    let mut fewer: Value = serde_json::from_str(&run().0).unwrap();
    fewer["cells"].as_array_mut().unwrap().remove(0);
    let fewer = folder.file("fewer.json", &fewer.to_string());
    let output = outpace(&["compare", path(&base), path(&fewer)]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("MISSING: 1 cells"), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("hash/SHA-256/digest/64"), "{}", text(&output.stdout));
    assert!(outpace(&["compare", path(&base), path(&fewer), "--allow-missing"]).status.success());
    assert!(outpace(&["compare", path(&fewer), path(&base)]).status.success(), "new cells are no fault");
}

#[test]
fn bad_filters_rivals_and_sizes_are_refused() {
    refused(&["bench", "--filter", "ROT13"], "no cell matches \"ROT13\"");
    refused(&["bench", "--filter", "("], "not a regular expression");
    refused(&["bench", "--rivals", "nobody"], "unknown rival \"nobody\"");
    refused(&["bench", "--sizes", "0"], "sizes are between");
}

#[test]
fn foreign_files_are_refused() {
    let folder = Folder::new("foreign");
    let good = folder.file("good.json", &run().0);
    let missing = folder.0.join("missing.json");
    refused(&["compare", path(&missing), path(&good)], "cannot read");
    let mut twice: Value = serde_json::from_str(&run().0).unwrap();
    let again = twice["cells"][0].clone();
    twice["cells"].as_array_mut().unwrap().push(again);
    for (name, contents) in [
        ("empty.json", ""),
        ("prose.json", "not\njson"),
        ("other.json", "{\"schema\": \"other/1\"}"),
        ("array.json", "[1, 2]"),
        ("cut.json", &run().0[..run().0.len() / 2]),
        ("partial.json", "{\"schema\": \"outpace-results/1\"}"),
        ("twice.json", &twice.to_string()),
    ] {
        let file = folder.file(name, contents);
        refused(&["compare", path(&good), path(&file)], "is not a result of `outpace bench");
    }
}

#[test]
fn unwritable_paths_are_refused_before_measuring() {
    let folder = Folder::new("unwritable");
    let (nowhere, good) = (folder.0.join("no/where.json"), folder.0.join("good.csv"));
    refused(&["bench", "--export-csv", path(&good), "--export-json", path(&nowhere)], "cannot write");
    refused(&["bench", "--export-json", path(&folder.0)], "it is a directory");
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn mistakes_on_the_command_line_have_status_2() {
    refused(&["bench", "--quick", "--full"], "cannot be used with");
    refused(&["bench", "--tier", "z80"], "portable, aesni, haswell, avx2, avx512");
    refused(&["compare"], "<BASE>");
    refused(&["frobnicate"], "frobnicate");
    assert_eq!(outpace(&[]).status.code(), Some(2));
}

#[test]
fn kernels_follow_the_tier() {
    let here = text(&outpace(&["kernels"]).stdout);
    assert!(here.contains("SHA-256"), "{here}");
    let portable = outpace(&["kernels", "--tier", "portable"]);
    assert!(portable.status.success());
    for line in text(&portable.stdout).lines().skip(1) {
        assert!(line.contains("portable"), "{line}");
    }
}

#[test]
fn a_lower_tier_is_named_in_the_results() {
    let folder = Folder::new("tier");
    let (json, base) = (folder.0.join("portable.json"), folder.file("base.json", &run().0));
    let filter = "hash/SHA-256/digest/64$";
    let output = outpace(&["bench", "--filter", filter, "--tier", "portable", "--export-json", path(&json)]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let run: Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(run["environment"]["tier"], "portable");
    let kernels = run["environment"]["kernels"].as_array().unwrap();
    assert!(kernels.iter().any(|row| row["primitive"] == "AES" && row["used"] == "portable"));
    refused(&["compare", path(&base), path(&json)], "different tiers");
}

#[test]
fn known_answers_hold_on_every_kernel_that_can_run() {
    let start = std::time::Instant::now();
    let output = outpace(&["selftest"]);
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("all answers are right"), "{said}");
    // A second is promised for the release build on a machine that is free.
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    refused(&["selftest", "--only", "99:0"], "no such kernel");
}

#[test]
fn reports_are_whole_files_and_escape_what_they_quote() {
    let folder = Folder::new("report");
    let mut results: Value = serde_json::from_str(&run().0).unwrap();
    results["environment"]["cpu"] = "</script><script>alert(1)</script>".into();
    let json = folder.file("r.json", &results.to_string());
    let (page, markdown) = (folder.0.join("page.html"), folder.0.join("performance.md"));
    assert!(outpace(&["report", path(&json), "-o", path(&page)]).status.success());
    assert!(outpace(&["report", path(&json), "--markdown", "-o", path(&markdown)]).status.success());
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("hash/SHA-256/digest/64") && page.trim_end().ends_with("</html>"));
    assert!(!page.contains("<script>alert"), "data must not end the script element it lies in");
    assert!(
        !page.contains("http://")
            || page.matches("http://").count() == page.matches("http://www.w3.org/2000/svg").count()
    );
    assert!(!page.contains("https://"));
    let markdown = std::fs::read_to_string(markdown).unwrap();
    for wanted in ["| machine |", "| date |", "| commit |", "| command | `outpace bench", "## hash", "SHA-256 digest"] {
        assert!(markdown.contains(wanted), "{wanted} is missing:\n{markdown}");
    }
    refused(&["report", path(&json), "-o", path(&folder.0.join("no/page.html"))], "cannot write");
    assert_eq!(folder.names(), ["page.html", "performance.md", "r.json"]);
}
