//! The command by which a distribution's own tool builds a package.

use crate::builds::{BuildPlan, Job, Placement};
use rocpkg::arch::{Srcinfo, read_srcinfo};
use rocpkg::internal::model::Knob;
use rocpkg::internal::render::bash::{Quoting, Word};
use rocpkg::internal::resolve::Plan;
use rocpkg::{Backend, Tree};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the place where the commands of a distribution are to be run, as a phrase for users.
pub(super) fn place(backend: Backend) -> &'static str {
    match backend {
        Backend::Gentoo => "anywhere, as root, with the repository in repos.conf",
        Backend::Arch => "in the folder that holds a folder for each pkgbase",
        Backend::Nix => "at the root of nixpkgs",
        Backend::Solus => "at the root of Solus' packages, as root",
    }
}

#[derive(Clone, Debug)]
struct Built {
    /// The name of the build ([`Job::name`]) that makes the file.
    base: String,
    /// The file's path in a checkout, `rocblas/rocblas-7.2.4-1-x86_64.pkg.tar.zst`.
    path: String,
    /// The names in the package's `depends`, without versions.
    depends: BTreeSet<String>,
}

/// The data from which the build commands of one distribution are made.
#[derive(Clone, Debug, Default)]
pub(super) struct Commands {
    /// The paths of recipes in a checkout, by package id.
    recipes: BTreeMap<String, String>,
    /// The files that a package is built from, by package id: paths in a checkout, the recipe
    /// first.
    files: BTreeMap<String, Vec<String>>,
    /// Digests of the recipes, the eclasses and the chosen GPU targets, by package id. Each has 12
    /// hexadecimal digits.
    digests: BTreeMap<String, String>,
    /// Arch's package files, by package name and by each name in `provides`. Empty in other
    /// distributions.
    built: BTreeMap<String, Built>,
    /// The dependencies of each build in Arch, by the name of the build: the names in `depends`,
    /// `makedepends` and `checkdepends`, without versions.
    wanted: BTreeMap<String, BTreeSet<String>>,
    /// The GPU targets that the user requested. Empty if the user requested none.
    targets: Vec<String>,
    /// The variable of `USE_EXPAND` in Gentoo (`AMDGPU_TARGETS`), or the attribute of the package
    /// scope in nixpkgs (`rocmPackages`). Empty in other distributions.
    of_targets: String,
}

impl Commands {
    pub(super) fn new(backend: Backend, plan: &Plan, tree: &Tree) -> Self {
        let expand = plan.distro.eclass.as_ref().map(|eclass| &eclass.expand);
        let scope = plan
            .distro
            .scope
            .as_ref()
            .and_then(|scope| scope.attribute.as_ref());
        let of_targets = expand
            .or(scope)
            .map(|name| name.value.clone())
            .unwrap_or_default();
        let mut out = Self {
            targets: plan.narrowed.clone(),
            of_targets,
            ..Self::default()
        };
        let placed = |path: &str| {
            let inside = path
                .strip_prefix(backend.folder())
                .unwrap_or(path)
                .trim_start_matches('/');
            backend.in_checkout(inside)
        };
        // Eclasses are read by every recipe.
        let shared: Vec<_> = tree
            .of_all()
            .into_iter()
            .filter(|(path, _)| path.ends_with(".eclass"))
            .collect();
        for p in &plan.packages {
            let Some((path, _)) = tree.recipes_of(backend.distro(), &p.id).next() else {
                continue;
            };
            out.recipes.insert(p.id.clone(), placed(path));
            let own = tree.recipes_of(backend.distro(), &p.id);
            let texts = own.map(|(path, text)| (path, text.as_bytes()));
            let texts: Vec<_> = texts
                .chain(shared.iter().map(|(path, text)| (path.as_str(), &**text)))
                .collect();
            let named = tree
                .companions
                .iter()
                .filter(|c| c.package == p.id || c.package.is_empty());
            let mut digest = Sha256::new();
            for (path, text) in &texts {
                digest.update(path);
                digest.update(text);
            }
            if p.targets.is_some() {
                digest.update(plan.narrowed.join(" "));
            }
            let digits = digest
                .finalize()
                .iter()
                .take(6)
                .map(|byte| format!("{byte:02x}"))
                .collect();
            out.digests.insert(p.id.clone(), digits);
            let paths = texts
                .iter()
                .map(|(path, _)| *path)
                .chain(named.map(|c| c.path.as_str()));
            out.files.insert(p.id.clone(), paths.map(placed).collect());
            if let Some(info) = path
                .strip_suffix("PKGBUILD")
                .and_then(|f| tree.text(&format!("{f}.SRCINFO")))
                && let Ok(info) = read_srcinfo(info)
            {
                out.add_arch(&p.name, &info);
            }
        }
        out
    }

    /// Records the package files that a PKGBUILD makes, and the dependencies of the build. `name`
    /// is the name of the build, and `info` the PKGBUILD's `.SRCINFO`.
    fn add_arch(&mut self, name: &str, info: &Srcinfo) {
        let values = |section: &[(String, String)], key: &str| -> Vec<String> {
            section
                .iter()
                .filter(|(k, _)| k == key)
                .map(|(_, v)| v.clone())
                .collect()
        };
        let bare = |text: String| {
            text.split(['<', '>', '=', ':'])
                .next()
                .unwrap_or_default()
                .to_owned()
        };
        let field = |key: &str| {
            values(&info.fields, key)
                .into_iter()
                .next()
                .unwrap_or_default()
        };
        let epoch = Some(field("epoch"))
            .filter(|e| !e.is_empty())
            .map(|e| e + ":")
            .unwrap_or_default();
        let version = format!("{epoch}{}-{}", field("pkgver"), field("pkgrel"));
        let needs = ["depends", "makedepends", "checkdepends"]
            .into_iter()
            .flat_map(|key| values(&info.fields, key));
        self.wanted
            .insert(name.to_owned(), needs.map(bare).collect());
        for (package, own) in &info.packages {
            let overridden = |key: &str| {
                let own = values(own, key);
                if own.is_empty() {
                    values(&info.fields, key)
                } else {
                    own
                }
            };
            let arch = overridden("arch").into_iter().next().unwrap_or_default();
            let path = format!("{}/{package}-{version}-{arch}.pkg.tar.zst", info.base);
            let depends = overridden("depends").into_iter().map(bare).collect();
            let file = Built {
                base: name.to_owned(),
                path,
                depends,
            };
            for called in overridden("provides")
                .into_iter()
                .map(bare)
                .chain([package.clone()])
            {
                self.built.insert(called, file.clone());
            }
        }
    }

    /// Returns the paths of the package files that `job` needs, directly or through others, and
    /// that other builds of the plan `builds` make.
    fn installed(&self, builds: &BuildPlan, job: &Job) -> BTreeSet<&str> {
        let before = builds.before(job);
        let (mut files, mut open) = (BTreeSet::new(), Vec::from_iter(self.wanted.get(&job.name)));
        while let Some(names) = open.pop() {
            for file in names.iter().filter_map(|name| self.built.get(name)) {
                let built = before.contains(file.base.as_str());
                if built && files.insert(file.path.as_str()) {
                    open.push(&file.depends);
                }
            }
        }
        files
    }

    fn recipe(&self, job: &Job) -> &str {
        self.recipes.get(&job.id).map_or("", String::as_str)
    }

    pub(super) fn files(&self, job: &Job) -> &[String] {
        self.files.get(&job.id).map_or(&[], Vec::as_slice)
    }

    pub(super) fn digest(&self, job: &Job) -> &str {
        self.digests.get(&job.id).map_or("", String::as_str)
    }

    pub(super) fn line(&self, builds: &BuildPlan, job: &Job, fit: &Placement) -> String {
        let recipe = self.recipe(job);
        let folder = recipe.rsplit_once('/').map_or(recipe, |(folder, _)| folder);
        let lit = |words: &[&str]| -> Vec<Word> { words.iter().copied().map(Word::lit).collect() };
        let jobs = fit.jobs;
        let words = match builds.backend {
            Backend::Gentoo => {
                let mut words = lit(&["env", &format!("MAKEOPTS=-j{jobs}")]);
                if !self.targets.is_empty() {
                    words.push(Word::lit(format!(
                        "{}={}",
                        self.of_targets,
                        self.targets.join(" ")
                    )));
                }
                let links = fit.links.into_iter().flat_map(|n| {
                    let knobs = job
                        .demand
                        .knobs
                        .iter()
                        .filter(|(_, knob)| **knob == Knob::Link);
                    knobs.map(move |(name, _)| format!("-D{name}={n}"))
                });
                let links: Vec<String> = links.collect();
                if !links.is_empty() {
                    words.push(Word::lit(format!("MYCMAKEARGS={}", links.join(" "))));
                }
                let category = recipe.split('/').next().unwrap_or_default();
                let file = recipe
                    .rsplit('/')
                    .next()
                    .unwrap_or_default()
                    .trim_end_matches(".ebuild");
                words.extend(lit(&[
                    "emerge",
                    "--oneshot",
                    &format!("={category}/{file}"),
                ]));
                words
            }
            Backend::Arch => {
                let mut words = lit(&["env", &format!("MAKEFLAGS=-j{jobs}"), "pkgctl", "build"]);
                for file in self.installed(builds, job) {
                    words.extend([
                        Word::lit("-I"),
                        Word::var("PWD").literal(format!("/{file}")),
                    ]);
                }
                words.push(Word::lit(folder));
                words
            }
            Backend::Nix => {
                let part = job
                    .part
                    .as_ref()
                    .map(|part| format!(".parts.{part}"))
                    .unwrap_or_default();
                let name = job.name.split(':').next().unwrap_or_default();
                let attribute = format!("{}.{name}{part}", self.of_targets);
                lit(&[
                    "nix",
                    "build",
                    "--file",
                    ".",
                    "--no-link",
                    "--cores",
                    &jobs.to_string(),
                    &attribute,
                ])
            }
            Backend::Solus => {
                let solbuild = [
                    "solbuild",
                    "build",
                    "-p",
                    "local-unstable-x86_64",
                    "package.yml",
                ];
                let mut words = lit(&[&["env", "-C", folder][..], &solbuild].concat());
                words.push(Word::pattern("&&"));
                words.extend([
                    Word::lit("mv"),
                    Word::lit(format!("{folder}/")).then(Word::pattern("*.eopkg")),
                ]);
                words.push(Word::lit("/var/lib/solbuild/local/"));
                words
            }
        };
        words
            .iter()
            .map(|w| w.print(Quoting::Whole))
            .collect::<Vec<_>>()
            .join(" ")
    }

    pub(super) fn products(&self, backend: Backend, job: &Job) -> Vec<String> {
        match backend {
            Backend::Gentoo => vec!["/var/cache/binpkgs".to_owned()],
            Backend::Arch => {
                let own = self
                    .built
                    .values()
                    .filter(|f| f.base == job.name)
                    .map(|f| f.path.clone());
                own.collect::<BTreeSet<_>>().into_iter().collect()
            }
            Backend::Nix => Vec::new(),
            Backend::Solus => vec!["/var/lib/solbuild/local".to_owned()],
        }
    }
}
