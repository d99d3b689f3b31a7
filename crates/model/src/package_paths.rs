//! Checks the paths in a package, other than those in its steps.

use crate::finding::Findings;
use crate::package::Package;
use crate::step_paths::{Path, fault};

/// Reports faults of the paths in a package, other than those in its steps.
pub fn check_paths(package: &Package, findings: &mut Findings) {
    let patches = package
        .patches
        .iter()
        .filter_map(|p| p.inside.as_ref())
        .map(Path::written);
    let projects = package
        .cmake
        .values()
        .filter_map(|p| p.build.as_ref())
        .map(|b| Path::written(b).behind());
    let tests = package
        .tests
        .iter()
        .filter_map(|t| t.folder.as_ref())
        .map(Path::read);
    let programs = package
        .programs
        .values()
        .flat_map(|p| p.folder.iter().chain(&p.files).chain(&p.leftovers))
        .map(|text| Path::written(text).below());
    let whole = package
        .ebuild
        .iter()
        .flat_map(|e| &e.no_strip)
        .map(Path::written);
    for path in patches
        .chain(projects)
        .chain(tests)
        .chain(programs)
        .chain(whole)
    {
        findings.push_some(fault(&path));
    }
}
