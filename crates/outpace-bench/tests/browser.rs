//! The report in a browser: headless Chromium opens it, uses it, and must find no fault; a screenshot is left to look at.
//!
//! Without Chromium the test says so and passes, except in CI, where that is a failure.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn chromium() -> Option<&'static str> {
    let runs = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"].into_iter().find(runs)
}

fn browse(browser: &str, profile: &Path, arguments: &[&str], page: &Path) -> Output {
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
        ])
        .args(["--enable-logging=stderr", "--virtual-time-budget=20000"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(arguments)
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let log = String::from_utf8_lossy(&output.stderr);
    let said: Vec<&str> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(said.is_empty(), "the console says: {said:#?}");
    output
}

fn outpace(arguments: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_outpace")).args(arguments).env_remove("OPENSSL_ia32cap").output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Six bits a letter, so that nothing in the page can be read as markup of the driver.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |group: &[u8]| {
        let word = (0..3).fold(0, |word, i| word << 8 | u32::from(group.get(i).copied().unwrap_or(0)));
        let letter = |i: usize| char::from(LETTERS[(word >> (18 - 6 * i)) as usize & 63]);
        (0..4).map(|i| if i <= group.len() { letter(i) } else { '=' }).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

#[test]
fn the_report_works_in_a_browser() {
    let Some(browser) = chromium() else {
        let in_ci = std::env::var_os("CI").is_some();
        assert!(!in_ci, "the report is tested with Chromium: install it (tools/setup chromium)");
        // Not by a macro, whose output the test harness would hide.
        let _ = writeln!(std::io::stderr(), "SKIPPED: no Chromium to open the report with (tools/setup chromium)");
        return;
    };
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("browser");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let place = |name: &str| folder.join(name);
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let (json, page, driver) = (place("results.json"), place("report.html"), place("driver.html"));

    // Rows with sizes, without, with set-up, and alone.
    let filter = "SHA-256/digest|AES-128-GCM/seal/(key-reused|new-key)|X25519|HKDF|fill/16$";
    outpace(&["bench", "--quick", "--filter", filter, "--export-json", &text(&json)]);
    outpace(&["report", &text(&json), "-o", &text(&page)]);
    let contents = std::fs::read(&page).unwrap();
    std::fs::write(&driver, include_str!("browser/driver.html").replace("/*page*/", &base64(&contents))).unwrap();

    let profile = place("profile");
    let dump = browse(browser, &profile, &["--window-size=1300,1800", "--dump-dom"], &driver);
    let dump = String::from_utf8_lossy(&dump.stdout);
    let findings = dump.split_once("<pre id=\"findings\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    assert_eq!(findings.map(|(findings, _)| findings), Some("no faults"));

    for (name, size) in [("wide.png", "1200,2400"), ("narrow.png", "500,2400")] {
        let picture = place(name);
        let arguments = [format!("--screenshot={}", picture.display()), format!("--window-size={size}")];
        browse(browser, &profile, &arguments.each_ref().map(String::as_str), &page);
        let bytes = std::fs::read(&picture).unwrap();
        assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 20_000, "{name}: {} bytes", bytes.len());
    }
    let _ = std::fs::remove_dir_all(profile);
}

#[test]
fn letters() {
    assert_eq!(base64(b"Man"), "TWFu");
    assert_eq!(base64(b"Ma"), "TWE=");
    assert_eq!(base64(b"M"), "TQ==");
}
