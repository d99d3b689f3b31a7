//! All ratios of one run: rocpkg beside its peers, and beside itself with ten times the packages.

use crate::tools::{self, Outcome};
use std::{fs, path::Path, process::Stdio};

/// The generator of ebuilds whose renderer is measured beside ours.
const SUPERFLORE: [&str; 1] = ["superflore==0.3.0"];

/// Builds the command as it is released, and measures it. Run it while nothing else runs.
pub(crate) fn run(root: &Path) -> Outcome {
    tools::install(root)?;
    let python = root.join("target/tools/superflore");
    tools::install_python_packages(&python, "bin/superflore-gen-ebuilds", &SUPERFLORE)?;
    tools::succeed(&mut tools::cargo(root, &["build", "--release", "--locked", "-p", "rocpkg"]))?;
    let scratch = tempfile::Builder::new().prefix("rocpkg-bench-").tempdir().map_err(|e| e.to_string())?;
    let rates = ["bench", "--locked", "-p", "rocpkg-tests", "--bench", "rates"];
    for packages in ["1000", "10000"] {
        let folder = scratch.path().join(packages);
        let mut command = tools::cargo(root, &rates);
        tools::succeed(command.args(["--", "write"]).arg(&folder).arg(packages))?;
    }
    let printed = scratch.path().join("rates");
    let file = fs::File::create(&printed).map_err(|e| e.to_string())?;
    tools::succeed(tools::cargo(root, &rates).stdout(Stdio::from(file)))?;
    let mut commands = std::process::Command::new(python.join("bin/python"));
    commands.arg(root.join("tests/benches/commands.py")).arg(root.join("target/release/rocpkg"));
    tools::succeed(commands.arg(scratch.path()).arg(printed))
}
