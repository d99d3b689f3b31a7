//! Lowers a planned package to the typed recipe.
//!
//! A recipe of Solus has no switches such as USE flags, and prints no messages. So each feature has
//! its default value, and the model's constraints between features and its messages are left out.
//! Most machines that build a recipe have no GPU, so tests that need one are run only if there is
//! one (`steps.rs`).

pub(crate) mod accept;
pub(crate) mod capabilities;
pub(crate) mod depends;
pub(crate) mod project;
pub(crate) mod render;
pub(crate) mod sources;
pub(crate) mod steps;
pub(crate) mod vocabulary;

use crate::lower::vocabulary::Context;
use crate::value::ir::{Recipe, Step, Words};
use indexmap::IndexMap;
use rocpkg_model::{
    ArgumentValue, Content, Finding, Findings, OneOrMany, Patch, Spanned, Ypkg, YpkgPart,
    YpkgRelease,
};
use rocpkg_resolve::{Plan, Planned, Release};

/// The address of a repository's feed of tags. `OWNER` and `REPOSITORY` are replaced.
const FEED: &str = "https://github.com/OWNER/REPOSITORY/tags.atom";

/// Returns the recipe of one package of `plan`. Faults are added to `findings`.
pub fn lower(plan: &Plan, p: &Planned, findings: &mut Findings) -> Recipe {
    let cx = &Context::new(plan, p);
    let mut pinned = Vec::new();
    let other = ["prepare", "configure", "compile", "test"];
    let what = "a package.yml has no step";
    rocpkg_shell::check_steps(
        p,
        "E0702",
        what,
        &Step::ALL.map(Step::name),
        &other,
        findings,
    );
    check_sources(cx, findings);
    sources::check_read(cx, findings);
    let (mut scripts, mut passed) = (Vec::new(), Vec::new());
    for step in Step::ALL {
        let d = &mut cx.in_step(step, findings);
        scripts.push((step, d.script()));
        passed.append(&mut d.passed);
    }
    scripts.retain(|(_, body)| !body.is_empty());
    let in_series = sources::in_series(cx);
    if in_series {
        check_series(cx, findings);
    }
    let mut steps = scripts.iter().map(|(step, _)| step);
    let is_tested = steps.any(|step| matches!(step, Step::Check | Step::Profile));
    let lists = depends::lists(cx, is_tested);
    let package = &p.package;
    let own = cx.own;
    let component = own
        .and_then(|o| o.component.as_ref())
        .map(|c| c.value.clone());
    let usual = || match package.content {
        Content::Library | Content::Headers => "programming.library".to_owned(),
        Content::Scripts | Content::Python => "programming.devel".to_owned(),
    };
    let source = p.sources.first();
    let feed = source.map(|s| {
        FEED.replace("OWNER", &s.owner)
            .replace("REPOSITORY", &s.repository)
    });
    let monitoring = plan.distro.monitoring.get(&p.id);
    let switches = own.iter().flat_map(|o| &o.switches);
    let switches = switches.filter_map(|(key, a)| Some((key.clone(), cx.switched(a)?)));
    let title = package
        .title
        .as_ref()
        .map(|t| format!("{}: ", t.value))
        .unwrap_or_default();
    Recipe {
        name: p.name.clone(),
        version: version(plan, p),
        release: counter(plan, p),
        sources: sources::sources(cx, &mut pinned),
        pinned,
        homepage: homepage(p),
        licence: package
            .licence
            .iter()
            .flat_map(|l| licence(plan, &l.value))
            .collect(),
        component: component.unwrap_or_else(usual),
        components: parts(own, |part| part.component.as_ref()),
        summary: package.summary.value.clone(),
        summaries: parts(own, |part| part.summary.as_ref()),
        description: format!("{title}{}.", package.summary.value),
        comment: package.comment.clone(),
        switches: switches.collect(),
        optimize: own
            .iter()
            .flat_map(|o| &o.optimize)
            .map(|o| o.value.clone())
            .collect(),
        patterns: written(own.map(|o| &o.patterns)),
        builddeps: lists.build,
        checkdeps: lists.check,
        rundeps: with(
            with(written(own.map(|o| &o.rundeps)), "main", lists.run),
            &devel(own, &p.name),
            lists.propagated,
        ),
        replaces: written(own.map(|o| &o.replaces)),
        conflicts: with(Vec::new(), "main", lists.conflicts),
        steps: scripts,
        builds: rocpkg_shell::builds(passed, None),
        series: if in_series {
            sources::standing(cx)
                .iter()
                .map(|p| p.file.value.clone())
                .collect()
        } else {
            Vec::new()
        },
        monitored: monitoring.and_then(|m| m.id),
        feed: monitoring
            .and_then(|m| m.rss.as_ref())
            .map(|r| r.value.clone())
            .or(feed)
            .unwrap_or_default(),
    }
}

/// Returns the words that the overlay writes for each package of the recipe, such as `rundeps`.
fn written(list: Option<&IndexMap<String, OneOrMany<Spanned<String>>>>) -> Vec<Words> {
    let list = list.into_iter().flatten();
    let words =
        |words: &OneOrMany<Spanned<String>>| words.0.iter().map(|w| w.value.clone()).collect();
    list.map(|(part, listed)| (part.clone(), words(listed)))
        .collect()
}

/// Reports patches that `files/series` can't express, because they have a folder or a strip level
/// of their own. The file contains only names of patches.
fn check_series(cx: &Context, findings: &mut Findings) {
    let placed = |patch: &&Patch| patch.inside.is_some() || patch.strip != 1;
    for patch in sources::standing(cx).into_iter().filter(placed) {
        let message = format!(
            "files/series can't state how `{}` is applied",
            patch.file.value
        );
        let finding = Finding::error("E0442", patch.file.span, message);
        findings.push(finding.label("expected a patch for the source's folder with strip level 1"));
    }
}

/// Returns one text of each subpackage, such as its summary. `said` returns the text, or `None` for
/// a subpackage without it, which is left out.
fn parts(own: Option<&Ypkg>, said: fn(&YpkgPart) -> Option<&Spanned<String>>) -> Vec<Words> {
    let all = own.iter().flat_map(|o| &o.subpackages);
    all.filter_map(|(to, part)| Some((to.clone(), vec![said(part)?.value.clone()])))
        .collect()
}

/// Adds the words `more` to those of the package `to` in `all`, without duplicates. If `all` has no
/// words for `to`, they are added at the end, or at the beginning for `main`.
fn with(mut all: Vec<Words>, to: &str, mut more: Vec<String>) -> Vec<Words> {
    if let Some((_, words)) = all.iter_mut().find(|(own, _)| own == to) {
        more.retain(|word| !words.contains(word));
        words.extend(more);
    } else if !more.is_empty() {
        let at = if to == "main" { 0 } else { all.len() };
        all.insert(at, (to.to_owned(), more));
    }
    all
}

/// Returns the key of the subpackage that other packages build against: `devel`, or `^OTHER` if the
/// overlay's `needed-as` states another name than `NAME-devel`.
fn devel(own: Option<&Ypkg>, name: &str) -> String {
    let needed = own
        .and_then(|o| o.needed_as.as_ref())
        .map(|needed| needed.value.as_str());
    let other = needed.filter(|needed| needed.strip_suffix("-devel") != Some(name));
    other.map_or_else(|| "devel".to_owned(), |other| format!("^{other}"))
}

/// The stand-in for a component's own version that is not known.
pub(crate) const UNKNOWN_VERSION: &str = "0";

/// Returns the version that the recipe states. It is the version in Solus' earlier recipe of this
/// release, or else the component's own version, or else the number in the tag. If upstream numbers
/// the component by itself and its number is not known, the result is a stand-in.
fn version(plan: &Plan, p: &Planned) -> String {
    let past = past(plan, p)
        .and_then(|r| r.version.as_ref())
        .map(|own| own.value.as_str());
    let stand_in = plan.lacks_own_version(p).then_some(UNKNOWN_VERSION);
    past.or(plan.own_version(p))
        .or(stand_in)
        .map_or_else(|| plan.tagged_version(p), str::to_owned)
}

/// Returns what the distribution's file states about Solus' earlier recipes of a package, by the
/// release of ROCm.
fn history<'p>(plan: &'p Plan, p: &Planned) -> impl Iterator<Item = (&'p String, &'p YpkgRelease)> {
    plan.distro.history.get(&p.id).into_iter().flatten()
}

/// Returns what the distribution's file states about Solus' earlier recipe of this release, or
/// `None` if it states nothing.
fn past<'p>(plan: &'p Plan, p: &Planned) -> Option<&'p YpkgRelease> {
    history(plan, p)
        .find(|(v, _)| v.parse::<Release>().is_ok_and(|v| v == p.version))
        .map(|(_, r)| r)
}

/// Returns the counter `release`: that of Solus' earlier recipe of this release of ROCm, or else
/// one more than the highest counter of all earlier recipes.
fn counter(plan: &Plan, p: &Planned) -> u64 {
    let all = history(plan, p).filter_map(|(_, r)| r.release.as_ref());
    let same = past(plan, p).and_then(|r| r.release.as_ref());
    same.map_or_else(|| all.map(|r| r.value).max().unwrap_or(0) + 1, |r| r.value)
}

/// Returns the home page. This function replaces `${title}` by upstream's spelling of the name, and
/// `${repository}` by the main source's repository.
fn homepage(p: &Planned) -> String {
    let title = p
        .package
        .title
        .as_ref()
        .map_or(p.name.as_str(), |t| t.value.as_str());
    let repository = p.sources.first().map_or(title, |s| s.repository.as_str());
    let filled = |page: &str| {
        page.replace("${title}", title)
            .replace("${repository}", repository)
    };
    p.package
        .homepage
        .as_ref()
        .map_or_else(String::new, |h| filled(&h.value))
}

/// Returns the names that Solus has for an SPDX expression. The distribution's table may replace
/// the whole expression. The result is then divided: `MIT AND BSD-3-Clause` -> `MIT`,
/// `BSD-3-Clause`.
fn licence(plan: &Plan, name: &str) -> Vec<String> {
    let own = plan
        .distro
        .licences
        .get(name)
        .map_or(name, |n| n.value.as_str());
    own.split_whitespace()
        .filter(|w| !matches!(*w, "AND" | "OR" | "WITH"))
        .map(str::to_owned)
        .collect()
}

/// Reports keys of the package's `history` that are no release of ROCm, and values of `series` and
/// of switches that are neither true nor false.
fn check_sources(cx: &Context, findings: &mut Findings) {
    for (release, row) in history(cx.plan, cx.p).filter(|(v, _)| v.parse::<Release>().is_err()) {
        let span = row
            .release
            .as_ref()
            .map(|r| r.span)
            .or(row.version.as_ref().map(|v| v.span));
        let message = format!("`{release}` is not a release of upstream");
        let finding = Finding::error("E0719", span.unwrap_or_default(), message);
        findings.push(finding.label("expected a release such as 6.0.0"));
    }
    let Some(own) = cx.own else { return };
    let series = own.series.iter().map(|a| ("series", a));
    let all = own
        .switches
        .iter()
        .map(|(key, a)| (key.as_str(), a))
        .chain(series);
    for (key, a) in all.filter(|(_, a)| !matches!(a.value, ArgumentValue::Bool(_))) {
        findings.push(
            Finding::error(
                "E0707",
                a.span,
                format!("`{key}` is neither true nor false"),
            )
            .label("expected true or false"),
        );
    }
}
