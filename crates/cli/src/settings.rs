//! `rocpkg.toml`, the settings of a checkout, and `rocpkg init`, which writes this file.

use crate::args::{EclassMode, InitArgs, ModelArgs, PropagationMode};
use crate::error::Error;
use crate::outcome::{Outcome, Verbosity};
use crate::system::{difference, git, write_file};
use rocpkg::checkout::{Checkout, LeftOut};
use rocpkg::internal::model::{Maintainer, Sources, Span, Spanned};
use rocpkg::internal::render::Difference;
use rocpkg::internal::resolve::{Choice, Release};
use rocpkg::{Backend, Options, Stack};
use serde::Deserialize;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The name of the file with the settings.
const NAME: &str = "rocpkg.toml";

/// The settings of a checkout. Options of the command line take precedence over them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Settings {
    /// The folder that contains the file with the settings.
    #[serde(skip)]
    pub(crate) folder: PathBuf,
    pub(crate) distribution: Option<Backend>,
    /// The releases to render; empty for the versions that the distribution ships.
    #[serde(default)]
    pub(crate) versions: Vec<String>,
    /// The packages to render or bump; empty for all.
    #[serde(default)]
    pub(crate) packages: Vec<String>,
    /// The packages of recipes in folders with other names, by folder:
    /// `"rocblas-gfx803" = "rocblas"`.
    #[serde(default)]
    pub(crate) recipes: BTreeMap<String, String>,
    /// The folders of profiles that are merged over the built-in ones, relative to the folder of
    /// the settings.
    #[serde(default)]
    profiles: Vec<PathBuf>,
    /// The GPUs for which everything is built, as for `--targets`.
    pub(crate) targets: Option<String>,
    pub(crate) eclass: Option<EclassMode>,
    /// The method for passing GPU targets to dependencies, as for `--propagation`.
    propagation: Option<PropagationMode>,
    /// Set if makepkg may run, as for `--run-makepkg`.
    #[serde(default)]
    pub(crate) run_makepkg: bool,
    /// The maintainers of packages that are new in the checkout.
    #[serde(default)]
    maintainers: Vec<Person>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Person {
    name: String,
    email: String,
    /// The kind of the maintainer in Gentoo: `person` or `project`.
    kind: Option<String>,
}

impl Settings {
    /// Returns the settings of the checkout that contains a folder, or `None` if neither the folder
    /// nor one above it has settings.
    ///
    /// # Errors
    /// When the settings can't be read.
    pub(crate) fn of(folder: &Path) -> Result<Option<Self>, Error> {
        let Ok(there) = folder.canonicalize() else {
            return Ok(None);
        };
        let Some(found) = there.ancestors().find(|f| f.join(NAME).is_file()) else {
            return Ok(None);
        };
        let path = found.join(NAME);
        let said = |e: &dyn std::fmt::Display| Error::file(&path, e);
        let text = fs::read_to_string(&path).map_err(|e| said(&e))?;
        let read: Result<Self, toml::de::Error> = toml::from_str(&text);
        let settings = read.map_err(|e| {
            let start = e
                .span()
                .and_then(|s| u32::try_from(s.start).ok())
                .unwrap_or_default();
            let mut sources = Sources::default();
            let file = sources.add(path.display().to_string(), text.as_str());
            let place = sources.place(Span {
                file,
                start,
                end: start,
                inset: None,
            });
            Error::Usage(format!(
                "{place}: {}",
                e.message().trim_end().replace('\n', "; ")
            ))
        })?;
        // Messages show the folder as the user named it.
        let shown = if found == there {
            folder.to_owned()
        } else {
            found.to_owned()
        };
        Ok(Some(Self {
            folder: shown,
            ..settings
        }))
    }

    /// Returns the settings of the checkout around the working folder. Without settings, the
    /// distribution is that of the recipes in the working folder.
    ///
    /// # Errors
    /// When the settings can't be read.
    pub(crate) fn here() -> Result<Self, Error> {
        let folder = Path::new(".");
        Ok(Self::of(folder)?.unwrap_or_else(|| Self {
            folder: folder.to_owned(),
            distribution: Backend::of_checkout(folder),
            ..Self::default()
        }))
    }

    /// Returns the distribution that was named, or that of the checkout.
    ///
    /// # Errors
    /// When none was named, and the working folder is in no checkout.
    pub(crate) fn backend(&self, named: Option<Backend>) -> Result<Backend, Error> {
        named.or(self.distribution).ok_or_else(|| {
            let known = Backend::ALL.map(Backend::folder).join(", ");
            Error::Usage(format!(
                "no distribution is named, and the working folder is in no checkout: expected {known}"
            ))
        })
    }

    /// Returns the distributions that were named, or that of the checkout, or all.
    pub(crate) fn backends(&self, named: &[Backend]) -> Vec<Backend> {
        match (named, self.distribution) {
            ([], Some(own)) => vec![own],
            ([], None) => Backend::ALL.to_vec(),
            _ => named.to_vec(),
        }
    }

    /// Returns the release `asked` of the command line. By default, it is the release that most
    /// recipes of the checkout state if `backends` is its distribution, or else the release that
    /// each distribution ships.
    ///
    /// # Errors
    /// When several releases were named, or the checkout can't be read.
    pub(crate) fn choice(
        &self,
        stack: &Stack,
        asked: &[Choice],
        backends: &[Backend],
    ) -> Result<Choice, Error> {
        match (asked, backends) {
            ([one], _) => Ok(one.clone()),
            ([], [backend]) if self.distribution == Some(*backend) => {
                let checkout = stack.checkout(*backend, &self.folder, &self.recipes)?;
                let there = release_there(stack, &self.folder, &checkout)?;
                let distro = stack.model().distros.get(backend.distro());
                let shipped = distro.and_then(|distro| distro.version.value.parse().ok());
                let there = there.filter(|there| Some(there) != shipped.as_ref());
                Ok(there.map_or(Choice::Shipped, Choice::Release))
            }
            ([], _) => Ok(Choice::Shipped),
            _ => Err(Error::Usage("--release: expected one release".to_owned())),
        }
    }

    /// Returns the ids of the packages that have a recipe in the checkout, or that the settings
    /// name. Returns `None` if the working folder is no checkout of `backend`, or has no recipe of
    /// the stack.
    ///
    /// # Errors
    /// When the checkout can't be read, or the settings name an unknown package.
    pub(crate) fn own_packages(
        &self,
        stack: &Stack,
        backend: Backend,
    ) -> Result<Option<BTreeSet<String>>, Error> {
        if self.distribution != Some(backend) {
            return Ok(None);
        }
        if !self.packages.is_empty() {
            let plan = stack.plan(backend, &Choice::Shipped)?;
            let ids = self.packages.iter().map(|name| stack.named(&plan, name));
            let ids = ids.map(|named| Ok(named?.packages));
            let ids = ids.collect::<Result<Vec<_>, Error>>()?;
            return Ok(Some(ids.into_iter().flatten().collect()));
        }
        Ok(match self.looked_up(stack, backend, &[]) {
            Err(Error::Library(rocpkg::Error::NoRecipe { .. })) => None,
            found => Some(found?.into_iter().collect()),
        })
    }

    /// Reads the model with the folders of profiles and the propagation of the settings. Those of
    /// the command line, `args` and `mode`, are merged over them.
    ///
    /// # Errors
    /// When the model can't be read, or a propagation is stated for another distribution than
    /// Gentoo.
    pub(crate) fn stack(
        &self,
        args: &ModelArgs,
        mode: Option<PropagationMode>,
        distros: &[Backend],
    ) -> Result<Stack, Error> {
        let stack = args.stack_over(&self.profiles())?;
        let Some(mode) = mode.or(self.propagation) else {
            return Ok(stack);
        };
        let distros = if distros.is_empty() {
            self.distribution.as_slice()
        } else {
            distros
        };
        if !distros.is_empty() && !distros.contains(&Backend::Gentoo) {
            let said = "propagation: only Gentoo's ebuilds pass GPU targets to their dependencies";
            return Err(Error::Usage(said.to_owned()));
        }
        Ok(stack.propagation(mode.into()))
    }

    /// Returns the releases `asked` of the command line, or those of the settings if it is empty.
    pub(crate) fn choices(&self, asked: &[Choice]) -> Result<Vec<Choice>, Error> {
        if !asked.is_empty() || self.versions.is_empty() {
            return Ok(asked.to_vec());
        }
        let read = |version: &String| crate::args::choice(version).map_err(Error::Usage);
        self.versions.iter().map(read).collect()
    }

    /// Returns the packages of the checkout whose releases are looked up: those in `named`, or
    /// those of the settings, or else all that have a recipe.
    ///
    /// # Errors
    /// When the checkout or the model can't be read, or the checkout has no recipe of the stack.
    pub(crate) fn looked_up(
        &self,
        stack: &Stack,
        backend: Backend,
        named: &[String],
    ) -> Result<Vec<String>, Error> {
        for given in [named, &self.packages] {
            if !given.is_empty() {
                return Ok(given.to_vec());
            }
        }
        let checkout = stack.checkout(backend, &self.folder, &self.recipes)?;
        // A package may be gone from the newest release, and may have ebuilds newer than the
        // release that the distribution ships.
        let newest = stack.model().newest().map(Choice::Release);
        let mut all = Vec::new();
        for choice in [Some(Choice::Shipped), newest].into_iter().flatten() {
            let options = Options {
                backends: vec![backend],
                choices: vec![choice],
                ..Options::everything()
            };
            let existing = stack.recipes_there(&options, &self.folder, &checkout)?;
            all.extend(existing.into_keys());
        }
        all.sort();
        all.dedup();
        if all.is_empty() {
            return Err(rocpkg::Error::NoRecipe {
                folder: self.folder.clone(),
                package: None,
            }
            .into());
        }
        Ok(all)
    }

    /// Adds `layer`, a folder of profiles, to the file with the settings. Returns the change of the
    /// file. In a dry run, nothing is written.
    ///
    /// # Errors
    /// When the file can't be read or written.
    pub(crate) fn add_layer(&self, layer: &str, dry_run: bool) -> Result<Difference, Error> {
        let path = self.folder.join(NAME);
        let said = |e: &dyn std::fmt::Display| Error::file(&path, e);
        let text = fs::read_to_string(&path).map_err(|e| said(&e))?;
        let line = format!("profiles = [\"{layer}\"]\n");
        let commented = format!("# {line}");
        let text = if text.contains(&commented) {
            text.replacen(&commented, &line, 1)
        } else {
            // After the header of a table, the line would belong to the table.
            let tables = text.match_indices("\n[").map(|(at, _)| at + 1);
            let at = tables.min().unwrap_or(text.len());
            let (head, tables) = text.split_at(at);
            format!(
                "{}\n{line}{}{tables}",
                head.trim_end(),
                if tables.is_empty() { "" } else { "\n" }
            )
        };
        let change = difference(&path, &text)?;
        if !dry_run {
            write_file(&path, &text)?;
        }
        Ok(change)
    }

    /// Returns the maintainers of packages that are new in the checkout `out`. Returns `None` if
    /// the packages keep the maintainers that the model has for the distribution.
    pub(crate) fn maintainers(&self, backend: Backend, out: &Path) -> Option<Vec<Maintainer>> {
        if self.maintainers.is_empty() && (backend != Backend::Gentoo || is_gentoos_own(out)) {
            return None;
        }
        let read = |person: &Person| {
            let mut read = Maintainer::default();
            (read.name, read.email) = (person.name.clone().into(), person.email.clone().into());
            read.kind = person.kind.clone().map(Spanned::from);
            read
        };
        Some(self.maintainers.iter().map(read).collect())
    }

    /// Returns the paths of the folders of profiles in the settings.
    pub(crate) fn profiles(&self) -> Vec<PathBuf> {
        self.profiles.iter().map(|p| self.folder.join(p)).collect()
    }
}

/// Returns the name of the folder of profiles that a checkout has of its own: `rocm-profiles`. It
/// contains the facts that the checkout adds to the shipped model.
pub(crate) fn own_layer(stack: &Stack) -> String {
    format!(
        "{}-profiles",
        stack
            .model()
            .stack()
            .to_lowercase()
            .replace(|c: char| !c.is_ascii_alphanumeric(), "-")
    )
}

/// Returns true if a folder is the repository `::gentoo` itself.
fn is_gentoos_own(folder: &Path) -> bool {
    fs::read_to_string(folder.join("profiles/repo_name")).is_ok_and(|name| name.trim() == "gentoo")
}

/// Returns the value of a setting of git in a folder, such as `user.name`, or `None` if it has
/// none.
fn of_git(folder: &Path, key: &str) -> Option<String> {
    let said = git(folder, &["config", key]).ok()?.trim().to_owned();
    Some(said).filter(|said| !said.is_empty())
}

/// Returns the line of the settings that states the maintainer of new packages: the user in git's
/// settings. The line is commented out if git has no user, or if the folder is `::gentoo` itself.
fn maintainers(backend: Backend, folder: &Path) -> String {
    let known = of_git(folder, "user.name").zip(of_git(folder, "user.email"));
    let sign = if known.is_none() || backend == Backend::Gentoo && is_gentoos_own(folder) {
        "# "
    } else {
        ""
    };
    let (name, email) =
        known.unwrap_or_else(|| ("Your Name".to_owned(), "you@example.org".to_owned()));
    // A string of JSON is also one of TOML.
    format!(
        "{sign}maintainers = [{{ name = {}, email = {} }}]",
        json!(name),
        json!(email)
    )
}

/// Returns an error if `out` is inside a folder of profiles. The next run would read the written
/// files as profiles.
pub(crate) fn is_apart(out: &Path, profiles: &[PathBuf]) -> Result<(), Error> {
    // A folder that does not exist is looked up by its nearest parent that exists.
    let there = out.ancestors().find_map(|folder| {
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        folder.canonicalize().ok()
    });
    let Some(there) = there else { return Ok(()) };
    match profiles.iter().find(|folder| {
        folder
            .canonicalize()
            .is_ok_and(|real| there.starts_with(real))
    }) {
        Some(folder) => Err(Error::Usage(format!(
            "{}: inside the profiles of {}, so the next run would read the written files as profiles",
            out.display(),
            folder.display()
        ))),
        None => Ok(()),
    }
}

pub(crate) fn init(args: &InitArgs, verbosity: Verbosity) -> Result<Outcome, Error> {
    let folder = args.dir.as_deref().unwrap_or(Path::new("."));
    let path = folder.join(NAME);
    // Opening the checkout reports its faults before the file is written.
    let stack = Stack::shipped()?;
    let checkout = stack.checkout(args.distro, folder, &BTreeMap::new())?;
    let said = |e: std::io::Error| Error::file(&path, e);
    fs::create_dir_all(folder).map_err(said)?;
    if path.exists() {
        return Err(Error::Usage(format!(
            "{}: the settings exist already",
            path.display()
        )));
    }
    let there = release_there(&stack, folder, &checkout)?;
    let mut file = fs::File::create_new(&path).map_err(said)?;
    file.write_all(text(&checkout, &stack, folder, there.as_ref()).as_bytes())
        .map_err(said)?;
    if verbosity.is_quiet() {
        return Ok(Outcome::default());
    }
    let next = next(args.distro, &stack, there.as_ref());
    let scope = match checkout.folder() {
        "" => String::new(),
        scope => format!("the packages are in {scope}\n"),
    };
    let own = recognised(&stack, &checkout, folder)?;
    let moved = checkout.recipes_elsewhere();
    let moved: String = moved
        .map(|(path, package)| format!("{path}: a recipe of {package}\n"))
        .collect();
    let pinned = stack.pinned_elsewhere(folder, &checkout)?;
    let pinned: String = pinned
        .iter()
        .map(|todo| format!("{}: {}\n", todo.place(), todo.text))
        .collect();
    Ok(Outcome::done(format!(
        "{} written\n{scope}{moved}{pinned}{own}{next}\n",
        path.display()
    )))
}

/// Returns the lines about the recipes of a checkout: those of packages, the forks, and those that
/// are left as they are, by their reasons.
fn recognised(stack: &Stack, checkout: &Checkout, folder: &Path) -> Result<String, Error> {
    let newest = stack.model().newest().map(Choice::Release);
    let options = Options {
        backends: vec![checkout.backend()],
        choices: newest.into_iter().collect(),
        ..Options::everything()
    };
    let there = stack.recipes_there(&options, folder, checkout)?;
    let elsewhere: Vec<&str> = checkout.recipes_elsewhere().map(|(path, _)| path).collect();
    let is_own = |path: &&String| {
        let mut forks = checkout.forks().iter();
        let in_fork = forks.any(|fork| Path::new(path.as_str()).starts_with(&fork.folder));
        !in_fork && !elsewhere.contains(&path.as_str())
    };
    let own = there.iter().filter_map(|(id, paths)| {
        let folder = Path::new(paths.iter().find(is_own)?).parent()?.file_name();
        Some(folder.and_then(|name| name.to_str()).unwrap_or(id))
    });
    let own: Vec<&str> = own.collect();
    let mut out = String::new();
    if !own.is_empty() {
        out = format!("recipes of packages ({}): {}\n", own.len(), own.join(", "));
    }
    out.extend(checkout.forks().iter().map(|fork| format!("{fork}\n")));
    let mut by_reason: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for recipe in checkout.left_out() {
        let all = by_reason.entry(recipe.reason.to_string()).or_default();
        all.push(&recipe.folder);
    }
    out.extend(by_reason.iter().map(|(reason, folders)| {
        let (count, folders) = (folders.len(), folders.join(", "));
        format!("left as they are ({count}): {folders}: {reason}\n")
    }));
    let lines = checkout.left_out().iter().filter_map(LeftOut::setting);
    let lines = lines.count();
    if lines > 0 {
        out += &format!("{NAME} has lines, as comments, that take {lines} of these recipes\n");
    }
    Ok(out)
}

/// Returns the release that most recipes of a checkout state. Of several releases that as many
/// recipes state, returns the newest.
fn release_there(
    stack: &Stack,
    folder: &Path,
    checkout: &Checkout,
) -> Result<Option<Release>, Error> {
    let there = stack.releases_there(folder, checkout)?;
    let most = there.into_iter().max_by_key(|(_, count)| *count);
    Ok(most.map(|(release, _)| release))
}

/// Returns the line about the commands to run next. `there` is the release of the checkout's
/// recipes, if it has any.
fn next(backend: Backend, stack: &Stack, there: Option<&Release>) -> String {
    let Some(there) = there else {
        return "next, in that folder: `rocpkg render --package NAME` makes a recipe".to_owned();
    };
    let distro = stack.model().distros.get(backend.distro());
    let known = distro.map(|distro| distro.rendered.as_ref().unwrap_or(&distro.version));
    let known: Option<Release> = known.and_then(|release| release.value.parse().ok());
    let newer = known.filter(|known| known > there);
    let newest = || {
        let all = stack.model().lines.values().flat_map(|line| &line.versions);
        let with_sums = all.filter(|(_, version)| !version.checksums.is_empty());
        let releases = with_sums.filter_map(|(version, _)| version.parse::<Release>().ok());
        releases.filter(|release| release > there).max()
    };
    let bump = newer.or_else(newest).map(|release| {
        format!(", `rocpkg bump {release} --dry-run` shows what a bump would change")
    });
    format!(
        "next, in that folder: `rocpkg compare` lists the differences between your recipes and the model{}",
        bump.unwrap_or_default()
    )
}

/// Returns the text of new settings, with a comment on each. `there` is the release of the
/// checkout's recipes, if it has any.
fn text(checkout: &Checkout, stack: &Stack, folder: &Path, there: Option<&Release>) -> String {
    let backend = checkout.backend();
    let layer = own_layer(stack);
    let distro = stack.model().distros.get(backend.distro());
    let versions = match distro.and_then(|distro| distro.rendered.as_ref()) {
        Some(shipped) => {
            let release = there.map_or_else(|| shipped.value.clone(), Release::to_string);
            format!("versions = [\"{release}\"]")
        }
        None => "# versions = [\"7.2.4\"]".to_owned(),
    };
    let mut text = format!(
        "# What rocpkg renders in this checkout; options of the command line take precedence.\n\
         distribution = \"{}\"\n\n\
         # The releases; by default the versions that the distribution ships.\n\
         {versions}\n\n\
         # The packages, by any of their names; by default all.\n\
         # packages = [\"rocblas\"]\n\n\
         # Folders of profiles that are merged over the model, relative to this file.\n\
         # profiles = [\"{layer}\"]\n\n\
         # The only GPUs that everything is built for, as for --targets; by default the user's choice.\n\
         # targets = \"RX 7900 XTX\"\n",
        backend.distro(),
    );
    if matches!(backend, Backend::Gentoo | Backend::Arch) {
        text.push_str("\n# The maintainers of new packages.\n");
        text.push_str(&format!("{}\n", maintainers(backend, folder)));
    }
    if backend == Backend::Arch {
        text.push_str(
            "\n# Set if makepkg may run a PKGBUILD that only bash can evaluate, to make its .SRCINFO.\n\
             # run-makepkg = true\n",
        );
    }
    if backend == Backend::Gentoo {
        text.push_str(
            "\n# The eclass of GPU targets: \"none\" uses that of a master of the repository, \"rows\" adds the GPU targets that the existing one lacks,\n\
             # \"whole\" replaces it.\n\
             # eclass = \"none\"\n\
             \n# How dependencies get the GPU targets of a package: \"none\" leaves the choice to users, \"eclass\" and \"chunked\" require it.\n\
             # propagation = \"none\"\n",
        );
    }
    if matches!(backend, Backend::Gentoo | Backend::Arch) {
        text.push_str(
            "\n# The packages of recipes in folders with other names. This table must come after all other lines.\n\
             # [recipes]\n",
        );
        let lines = checkout.left_out().iter().filter_map(LeftOut::setting);
        let mut lines: Vec<String> = lines.collect();
        if lines.is_empty() {
            lines.push("\"rocblas-gfx803\" = \"rocblas\"".to_owned());
        }
        text.extend(lines.iter().map(|line| format!("# {line}\n")));
    }
    text
}
