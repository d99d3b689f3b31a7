//! Checks the pages of `rocpkg report` with a parser of HTML and with a browser.

use crate::{
    install::make_environment,
    tools::{self, Outcome, succeed},
};
use rocpkg_programs::{PAGES_NPM, PAGES_PYTHON};
use std::{env, fs, path::Path, process::Command};

/// Writes the pages of `rocpkg report`, and checks their HTML, their width on a phone, their
/// contrast, and the files that they load.
pub(crate) fn run(root: &Path) -> Outcome {
    let here = root.join("target/pages");
    let (site, pictures, venv) = (here.join("site"), here.join("pictures"), here.join("venv"));
    fs::create_dir_all(&pictures).map_err(|e| format!("{}: {e}", pictures.display()))?;
    let (python, is_there) = (venv.join("bin/python"), venv.join("is-there"));
    if !is_there.is_file() {
        make_environment(&venv, PAGES_PYTHON)?;
        fs::write(&is_there, PAGES_PYTHON.join("\n")).map_err(|e| e.to_string())?;
    }
    // npm starts node by its name.
    let path = format!(
        "{}:{}",
        venv.join("bin").display(),
        env::var("PATH").unwrap_or_default()
    );
    if !here.join("node_modules/axe-core").is_dir() {
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
                .args(PAGES_NPM),
        )?;
    }
    let mut rocpkg = tools::rocpkg(root, root)?;
    // A project of its own, whose runners and results have a page.
    let project = root.join("examples/consumers/iree");
    rocpkg.args(["report", "--out"]).arg(&site);
    for (option, name) in [
        ("--profiles", "rocm"),
        ("--runners", "runners.yaml"),
        ("--results", "results"),
    ] {
        rocpkg.arg(option).arg(project.join(name));
    }
    succeed(&mut rocpkg)?;
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
