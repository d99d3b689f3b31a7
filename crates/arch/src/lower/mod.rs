//! Converts a package of a plan to the typed PKGBUILD.
//!
//! A PKGBUILD has no options for users, so features have their defaults, which must fulfil the
//! package's constraints. A build machine has no GPU, so tests that need a GPU are left out.

pub(crate) mod capabilities;
pub(crate) mod depends;
pub(crate) mod fields;
pub(crate) mod files;
pub(crate) mod functions;
pub(crate) mod lint;
pub(crate) mod places;
pub(crate) mod project;
pub(crate) mod render;
pub(crate) mod siblings;
pub(crate) mod sources;
pub(crate) mod split;
pub(crate) mod steps;
pub(crate) mod vocabulary;

use crate::lower::depends::Arrays;
use crate::lower::fields::{metadata, put, put_all};
use crate::lower::functions::body;
use crate::lower::sources::Fetched;
use crate::lower::steps::Phase;
use crate::lower::vocabulary::{Context, DIRNAME};
use crate::value::ir::{Field, Fields, Pkgbuild, SplitPackage, Variable};
use rocpkg_model::{Fetch, Finding, Findings, Generator, TargetList};
use rocpkg_render::Pinned;
use rocpkg_resolve::{Builds, Plan, Planned};

/// The functions for which a profile may have steps.
const PHASES: [&str; 4] = ["prepare", "build", "check", "package"];

/// A package converted to a PKGBUILD, with the files beside it.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The PKGBUILD.
    pub pkgbuild: Pkgbuild,
    /// The names of the files beside the PKGBUILD that the user provides.
    pub companions: Vec<String>,
    /// The sources whose checksums the PKGBUILD states.
    pub pinned: Vec<Pinned>,
    /// The GPU targets that are passed to upstream's build.
    pub builds: Builds,
}

/// Converts one package to a PKGBUILD. Faults are added to `findings`.
pub fn lower(plan: &Plan, p: &Planned, findings: &mut Findings) -> Lowered {
    let cx = &Context::new(plan, p);
    let other = ["configure", "compile", "install", "test"];
    rocpkg_shell::check_steps(
        p,
        "E0424",
        "a PKGBUILD has no function",
        &PHASES,
        &other,
        findings,
    );
    check_targets(p, findings);
    capabilities::refuse(p, findings);
    split::check(plan, p, findings);
    cx.check_owned(findings);
    project::check_without(cx, findings);
    let own = p.package.pkgbuild.as_ref();
    let (mut functions, mut passed) = (Vec::new(), Vec::new());
    for (name, phase) in [
        ("prepare", Phase::Prepare),
        ("build", Phase::Build),
        ("check", Phase::Check),
    ] {
        let body = body(cx, name, phase, &mut passed, findings);
        if !body.is_empty() {
            functions.push((name.to_owned(), body));
        }
    }
    let checks = functions.iter().any(|(name, _)| name == "check");
    let mut arrays = depends::arrays(cx, checks);
    add_tools(cx, &mut arrays);
    depends::sort_long(&mut arrays);
    let Fetched {
        source,
        sums,
        mut companions,
        pinned,
    } = sources::fetched(cx, findings);
    let mut variables = Vec::new();
    let mut fields = metadata(cx, findings);
    if cx.split {
        split::share(cx, &arrays, &mut fields, &mut variables, findings);
    } else {
        for field in [Field::Depends, Field::Makedepends, Field::Optdepends] {
            put_all(&mut fields, field, arrays.get(field));
        }
    }
    // Edges of the model are added behind the entries that the profile states for makepkg.
    for field in [Field::Checkdepends, Field::Conflicts] {
        put_all(&mut fields, field, arrays.get(field));
    }
    put(&mut fields, Field::Source, source);
    put(&mut fields, sources::sums_field(cx.sum_kind()), sums);
    let parts: Vec<SplitPackage> = match own.filter(|_| cx.split) {
        Some(b) => split::parts(cx, b, &arrays, findings),
        None => vec![SplitPackage {
            name: cx.p.name.clone(),
            overrides: Fields::new(),
            body: body(cx, "package", Phase::Package, &mut passed, findings),
        }],
    };
    if cx.has_dirname()
        && let Some(folder) = cx.main_folder()
        && files::speaks_of(&files::spoken(&functions, &parts), DIRNAME)
    {
        variables.push((DIRNAME.into(), Variable::Scalar(folder)));
    }
    files::check(cx, &functions, &parts, findings);
    companions.sort();
    companions.dedup();
    for name in &companions {
        sources::check_local(name, cx, findings);
    }
    let people = |name: &str, email: &str| format!("{name} <{email}>");
    let pkgbuild = Pkgbuild {
        maintainers: plan
            .maintainers(&p.id)
            .map(|m| people(&m.name.value, &m.email.value))
            .collect(),
        contributors: (plan.distro.contributors.get(&p.id).into_iter().flatten())
            .map(|c| c.value.clone())
            .collect(),
        base: cx.p.name.clone(),
        split: cx.split,
        comment: p.package.comment.clone(),
        fields,
        by_architecture: std::collections::BTreeMap::new(),
        variables,
        functions,
        parts,
    };
    Lowered {
        pkgbuild,
        companions,
        pinned,
        builds: rocpkg_shell::builds(passed, None),
    }
}

/// Reports a package with `list: own` that supports no GPU target at this release.
fn check_targets(p: &Planned, findings: &mut Findings) {
    let own = p
        .package
        .targets
        .as_ref()
        .is_some_and(|t| t.list == TargetList::Own);
    if own && p.targets.as_ref().is_none_or(|t| t.supports.is_empty()) {
        let span = p.node.get("targets").map_or(p.node.span, |n| n.span);
        let message = format!("{} has no GPU targets of its own in {}", p.name, p.version);
        let finding = Finding::error("E0430", span, message);
        findings.push(finding.label("`list: own` needs a rule in `supports` for this release"));
    }
}

/// Adds the tools that the build itself needs to `makedepends`, if the profile does not list them:
/// ninja, git, the tool that lists GPU targets.
fn add_tools(cx: &Context, arrays: &mut Arrays) {
    let package = &cx.p.package;
    let mut wanted = Vec::new();
    if package.generator == Some(Generator::Ninja) {
        wanted.push("ninja");
    }
    if cx
        .p
        .sources
        .iter()
        .any(|s| matches!(s.fetch, Fetch::Git | Fetch::Tree))
    {
        wanted.push("git");
    }
    wanted.extend(cx.asked_tool());
    for name in wanted {
        if !arrays.get(Field::Depends).iter().any(|d| d == name) {
            arrays.add(Field::Makedepends, name.to_owned());
        }
    }
}
