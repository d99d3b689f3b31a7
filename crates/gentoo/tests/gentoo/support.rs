//! Models in memory, rendered.

use rocpkg_gentoo::Options;
use rocpkg_model::{Files, Findings, Propagation, Severity};
use rocpkg_render::{Rendered, Templates};
use rocpkg_resolve::{Choice, Model, Plan};

/// What came out: the files, and the findings as `CODE message`.
pub(crate) struct Outcome {
    pub(crate) rendered: Rendered,
    pub(crate) errors: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

impl Outcome {
    pub(crate) fn text(&self, path: &str) -> String {
        let bytes = self.rendered.tree.get(path).unwrap_or_else(|| panic!("no {path}"));
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    /// The only ebuild of a small model.
    pub(crate) fn ebuild(&self) -> String {
        assert_eq!(self.errors, [] as [&str; 0]);
        let ebuilds: Vec<_> =
            self.rendered.tree.iter().filter(|(p, _)| p.as_str().ends_with(".ebuild")).collect();
        assert_eq!(ebuilds.len(), 1);
        String::from_utf8(ebuilds[0].1.to_vec()).unwrap()
    }
}

pub(crate) fn templates() -> Templates {
    Templates::new(&rocpkg_tests::templates("gentoo")).unwrap()
}

fn render(files: Files, choice: &Choice, change: impl FnOnce(&mut Model)) -> Outcome {
    let (mut model, mut findings) = Model::load(&[(String::new(), files)]);
    change(&mut model);
    let mut later = Findings::default();
    let plan = Plan::new(&model, "gentoo", choice, &mut later).unwrap();
    // Most archives' checksums are known to nobody, and what a Manifest says of the others is looked at too.
    let options = Options { partial_manifests: true, ..Options::default() };
    let (rendered, _) = rocpkg_gentoo::render(&plan, &templates(), &options, &mut later);
    findings.append(later);
    let of = |severity: Severity| {
        let all = findings.sorted();
        all.iter().filter(|f| f.severity == severity).map(|f| format!("{} {}", f.code, f.message)).collect()
    };
    Outcome { rendered, errors: of(Severity::Error), warnings: of(Severity::Warning) }
}

/// The profiles of the project.
pub(crate) fn real() -> Outcome {
    render(real_files(), &Choice::Shipped, |_| {})
}

/// The profiles of the project, those of other distributions left out.
fn real_files() -> Files {
    rocpkg_tests::profiles(&["gentoo"])
}

/// The profiles of the project under one policy of handing targets on.
pub(crate) fn real_handing_on(mode: Propagation) -> Outcome {
    render(real_files(), &Choice::Shipped, |model| {
        model.distros.get_mut("gentoo").unwrap().propagation = Some(mode);
    })
}

const DISTRO: &str = "
version: 7.2.0
naming: title
fetch: asset
year: '2026'
packages: {sample: default}
licences: {MIT: MIT}
targets:
  - {releases: '>=7.0, <8', default: [gfx90a, gfx1100], offered: [gfx1031]}
maintainers: [{name: A Maintainer, email: a@example.org}]
settings: {global-flags: test}
";

const EXTERNALS: &str = "
gtest: {gentoo: dev-cpp/gtest}
slotted: {gentoo: 'dev-libs/slotted:${SLOT}'}
clang: {gentoo: 'llvm-core/clang:${LLVM_SLOT}'}
python: {gentoo: '${PYTHON_DEPS}'}
";

const COMPONENT: &str = "
title: sample
summary: A sample
licence: [MIT]
sources: {main: {repository: rocm-libraries, path: projects/sample, asset: sample}}
";

/// A model of one package, made of a neutral layer and what is laid over it.
pub(crate) fn package(overlay: &str) -> Outcome {
    with_distro(DISTRO, overlay, &Choice::Shipped)
}

/// The same at another release.
pub(crate) fn released(version: &str, overlay: &str) -> Outcome {
    with_distro(DISTRO, overlay, &Choice::Release(version.parse().unwrap()))
}

/// The same under another distribution's file, whose `from` became `to`.
pub(crate) fn changed(from: &str, to: &str, overlay: &str) -> Outcome {
    assert!(DISTRO.contains(from));
    with_distro(&DISTRO.replace(from, to), overlay, &Choice::Shipped)
}

fn with_distro(distro: &str, overlay: &str, choice: &Choice) -> Outcome {
    let files = [
        ("distros/gentoo.yaml", distro),
        ("distros/gentoo/sample.yaml", overlay),
        ("components/sample.yaml", COMPONENT),
        ("externals.yaml", EXTERNALS),
        ("releases/7.2.yaml", "tag: 'rocm-${version}'\nversions: {'7.2.0': {}, '7.2.1': {}}\n"),
    ];
    render(files.into_iter().map(|(p, t)| (p.to_owned(), t.to_owned())).collect(), choice, |_| {})
}
