use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
};

use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::{
    copy::{copy_tree, write_file},
    fixture, texts,
    tools::{is_root, outcome, run, run_with},
};

/// The metadata.xml of a category, as `::gentoo` has it.
const CATEGORY: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE catmetadata SYSTEM "https://www.gentoo.org/dtd/metadata.dtd">
<catmetadata>
	<longdescription lang="en">
		A category of the tests.
	</longdescription>
</catmetadata>
"#;

/// The folder of a repository in which Portage keeps the metadata of its ebuilds, one file for
/// each.
const MD5_CACHE: &str = "metadata/md5-cache";

/// The metadata of ebuilds that Portage wrote in this process. The key is `category/name-version`
/// and the ebuild's text. Portage starts bash for each ebuild, which is slow, and most ebuilds are
/// the same in many scratch systems.
static METADATA: Mutex<BTreeMap<(String, String), String>> = Mutex::new(BTreeMap::new());

/// A package that ebuilds depend on and that the repository under test lacks, so that a stand-in is
/// written.
#[derive(Deserialize)]
struct ExternalPackage {
    /// Category and name: `dev-cpp/gtest`.
    cp: String,
    /// The version, with a revision if it has one.
    version: String,
    /// Slot and sub-slot: `0` or `0/7.2`.
    slot: String,
    /// USE flags, with `+` in front of those that are on by default.
    iuse: Vec<String>,
}

/// A run of `emerge --pretend`.
#[derive(Clone, Debug, Serialize)]
pub struct Pretend {
    arguments: Vec<String>,
    environment: BTreeMap<&'static str, String>,
    package_use: Vec<String>,
}

impl Pretend {
    /// Makes a run that pretends to install the packages `atoms` together. `targets` is the value
    /// of `AMDGPU_TARGETS`. If it is empty, the variable is not set. `package_use` has lines of
    /// `package.use`.
    pub fn new(atoms: &[&str], targets: &[&str], package_use: &[String]) -> Self {
        let options = [
            "--pretend",
            "--verbose",
            "--autounmask=n",
            "--color=n",
            "--nospinner",
        ];
        let arguments = options
            .iter()
            .chain(&["--ignore-default-opts"])
            .chain(atoms);
        let mut environment = BTreeMap::new();
        // Even an empty variable would override package.use.
        if !targets.is_empty() {
            environment.insert("AMDGPU_TARGETS", targets.join(" "));
        }
        Self {
            arguments: arguments.map(|&a| a.to_owned()).collect(),
            environment,
            package_use: package_use.to_vec(),
        }
    }

    /// Returns the run in which Portage lists the USE flags to set if it finds no solution, as
    /// `emerge` does by default.
    #[must_use]
    pub fn autounmask(mut self) -> Self {
        self.arguments
            .retain(|argument| argument != "--autounmask=n");
        self
    }

    /// Returns the run with `ACCEPT_KEYWORDS="**"`, which also accepts ebuilds without keywords,
    /// such as live versions.
    #[must_use]
    pub fn live(mut self) -> Self {
        self.environment.insert("ACCEPT_KEYWORDS", "**".to_owned());
        self
    }
}

/// The result of `emerge` or `ebuild`.
#[derive(Deserialize)]
pub(crate) struct Answer {
    pub(crate) status: i32,
    pub(crate) output: String,
    /// Processor time of the process, without the import of Portage.
    seconds: f64,
}

/// The severity of a finding of pkgcheck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// For information only.
    Info,
    /// Layout and habit.
    Style,
    /// Likely wrong.
    Warning,
    /// Wrong.
    Error,
}

/// One finding of pkgcheck.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The subject: `category/package-version`, or `category/package` or `category` if the finding
    /// is about more. It is empty for the whole repository.
    pub package: String,
    /// The name of the finding in pkgcheck: `NonsolvableDepsInDev`.
    pub name: String,
    /// The severity.
    pub level: Level,
    /// The sentence that pkgcheck prints.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {:?}: {}: {}",
            self.package, self.level, self.name, self.message
        )
    }
}

/// A scratch system in which Portage runs. It has a copy of the repository under test, and a
/// stand-in for `::gentoo`, its master repository.
pub struct GentooWorld {
    root: TempDir,
    name: String,
}

impl GentooWorld {
    /// Makes a scratch system for a rendered repository, with stand-ins for all packages that its
    /// ebuilds depend on.
    pub fn with_own_externals(repository: &Path) -> Self {
        let world = Self::bare(repository);
        world.write_metadata(&world.name, &world.repository());
        world.add_externals(&world.ask_externals());
        world.write_metadata("gentoo", &world.path("gentoo"));
        world
    }

    /// Returns the folder of the copy of the repository under test. A test may break files in it on
    /// purpose.
    pub fn repository(&self) -> PathBuf {
        self.path("repository")
    }

    /// Returns every `category/package` of the repository that has an ebuild, sorted.
    pub fn packages(&self) -> Vec<String> {
        let mut found = BTreeSet::new();
        for category in folders(&self.repository()) {
            for package in folders(&category) {
                if has_ebuild(&package) {
                    let parts = [&category, &package]
                        .map(|p| p.file_name().expect("a name").to_string_lossy());
                    found.insert(parts.join("/"));
                }
            }
        }
        found.into_iter().collect()
    }

    /// Returns all findings of `pkgcheck scan`, sorted.
    ///
    /// During the scan, the repository has the alias `gentoo`. This turns on checks of headers and
    /// of metadata.xml that pkgcheck does not apply to overlays. Categories get a metadata.xml as
    /// in `::gentoo`.
    pub fn pkgcheck_scan(&self) -> Vec<Finding> {
        let repository = self.path("scanned");
        if repository.exists() {
            fs::remove_dir_all(&repository).expect("the scratch folder is ours");
        }
        copy_tree(&self.repository(), &repository);
        // pkgcheck reads the ebuilds, and not Portage's metadata of them.
        fs::remove_dir_all(repository.join(MD5_CACHE)).expect("every world has metadata");
        let layout = repository.join("metadata/layout.conf");
        let text =
            fs::read_to_string(&layout).unwrap_or_else(|e| panic!("{}: {e}", layout.display()));
        write_file(&layout, format!("{text}\naliases = gentoo\n"));
        for category in folders(&repository) {
            let text = category.join("metadata.xml");
            if !text.exists() && folders(&category).iter().any(|package| has_ebuild(package)) {
                write_file(&text, CATEGORY);
            }
        }
        self.write_repos_conf(&repository);

        let output = run(rocpkg_programs::own(self.path("tool/bin/python"))
            .arg(rocpkg_programs::path("pkgcheck"))
            .args([
                "scan",
                "--color",
                "n",
                "--reporter",
                "FormatReporter",
                "--format",
            ])
            .arg("{level}\t{name}\t{category}\t{package}\t{version}\t{desc}")
            .arg("--cache-dir")
            .arg(self.path("cache"))
            .arg("--repo")
            .arg(&repository)
            .current_dir(self.root.path())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("XDG_CONFIG_HOME", self.path("none")));
        let text = outcome(&output).unwrap_or_else(|e| panic!("pkgcheck scan: {e}"));
        let complaints = String::from_utf8_lossy(&output.stderr);
        assert!(complaints.trim().is_empty(), "pkgcheck scan: {complaints}");
        let mut findings: Vec<_> = text.lines().map(finding).collect();
        findings.sort();
        findings
    }

    /// Returns the output of `emerge --pretend` for packages that are installed together. Nothing
    /// is installed.
    ///
    /// `atoms` are the packages. `targets` is the value of `AMDGPU_TARGETS`. If it is empty, the
    /// variable is not set. `package_use` has lines of `package.use`.
    ///
    /// # Errors
    /// All output of Portage, if it finds no solution.
    pub fn emerge_pretend(
        &self,
        atoms: &[&str],
        targets: &[&str],
        package_use: &[String],
    ) -> Result<String, String> {
        let question = Pretend::new(atoms, targets, package_use);
        self.emerge_pretend_each(&[question])
            .pop()
            .expect("an answer for each question")
    }

    /// Runs `emerge --pretend` for each of `questions`, several at once. The results are in the
    /// order of the questions. Each is the output of Portage, as an error if it finds no solution.
    pub fn emerge_pretend_each(&self, questions: &[Pretend]) -> Vec<Result<String, String>> {
        let answers = self.emerge_pretend_timed(questions).into_iter();
        answers.map(|(answer, _)| answer).collect()
    }

    /// Runs `emerge --pretend` as [`GentooWorld::emerge_pretend_each`] does. Each result has the
    /// seconds of processor time beside it, without those for the import of Portage.
    pub fn emerge_pretend_timed(
        &self,
        questions: &[Pretend],
    ) -> Vec<(Result<String, String>, f64)> {
        let mut python = self.portage(&rocpkg_programs::path("python"));
        python.args([
            fixture("standins/gentoo/pretend.py"),
            rocpkg_programs::venv().join("lib/portage/bin/emerge"),
        ]);
        python.arg(self.path("prefix/etc/portage"));
        let input = serde_json::to_vec(questions).expect("texts alone");
        let output = run_with(&mut python, input);
        let text = outcome(&output).unwrap_or_else(|e| panic!("pretend.py: {e}"));
        let answers: Vec<Answer> =
            serde_json::from_str(&text).unwrap_or_else(|e| panic!("pretend.py: {e}\n{text}"));
        assert_eq!(
            answers.len(),
            questions.len(),
            "an answer for each question"
        );
        answers
            .into_iter()
            .map(|a| {
                let printed = if a.status == 0 {
                    Ok(a.output)
                } else {
                    Err(a.output)
                };
                (printed, a.seconds)
            })
            .collect()
    }

    /// Returns values of the metadata of the ebuild `cpv`, such as `sci-libs/rocBLAS-7.2.0`: one
    /// value for each of `names`, such as `SRC_URI`.
    ///
    /// Values that are inherited from eclasses are included.
    ///
    /// # Panics
    /// When the repository has no such package.
    pub fn metadata(&self, cpv: &str, names: &[&str]) -> Vec<String> {
        let all = self.egencache();
        let values = all
            .get(cpv)
            .unwrap_or_else(|| panic!("{cpv} is not in the repository"));
        let value = |name: &&str| values.get(*name).cloned().unwrap_or_default();
        names.iter().map(value).collect()
    }

    /// Returns the metadata of every ebuild of the repository: by `category/name-version`, then by
    /// variable. Portage's `egencache` wrote it when the scratch system was made, so changes by a
    /// test are not in it.
    ///
    /// # Panics
    /// When a file can't be read.
    pub fn egencache(&self) -> BTreeMap<String, BTreeMap<String, String>> {
        let values = |text: &str| {
            let values = text.lines().filter_map(|line| line.split_once('='));
            values.map(|(k, v)| (k.to_owned(), v.to_owned())).collect()
        };
        let files = texts(&self.repository().join(MD5_CACHE), &[]);
        let files = files.into_iter();
        files.map(|(cpv, text)| (cpv, values(&text))).collect()
    }

    /// Writes the metadata of every ebuild of a repository with Portage's `egencache`. `name` is
    /// the name of the repository, and `repository` its folder.
    ///
    /// Metadata of equal ebuilds from an earlier call is put into the folder first, so that Portage
    /// need not read them again. Portage compares the checksums of the ebuild and its eclasses in
    /// the metadata, and reads the ebuild if one of them differs.
    ///
    /// # Panics
    /// When `egencache` prints a warning or an error.
    fn write_metadata(&self, name: &str, repository: &Path) {
        let cache = repository.join(MD5_CACHE);
        fs::create_dir_all(&cache).expect("the scratch folder is ours");
        let ebuilds = ebuilds(repository);
        {
            let known = METADATA.lock().expect("nothing panics that holds it");
            for ebuild in &ebuilds {
                if let Some(metadata) = known.get(ebuild) {
                    write_file(cache.join(&ebuild.0), metadata);
                }
            }
        }
        let repositories = self.repos_conf(&self.repository());
        let output = run(self.portage(&rocpkg_programs::path("egencache")).args([
            "--update",
            "--jobs=2",
            "--repo",
            name,
            "--repositories-configuration",
            &repositories,
        ]));
        let text = outcome(&output).unwrap_or_else(|e| panic!("egencache: {e}"));
        let text = text + &String::from_utf8_lossy(&output.stderr);
        // egencache prints a long warning if it does not run as the user `portage`.
        let of_users = ["portage: 'portage' user", "         ", "***"];
        let complaints = text
            .lines()
            .filter(|l| !l.is_empty() && !of_users.iter().any(|o| l.starts_with(o)));
        assert_eq!(
            complaints.collect::<Vec<_>>(),
            <[&str; 0]>::default(),
            "egencache"
        );
        let written = texts(&cache, &[]);
        let mut known = METADATA.lock().expect("nothing panics that holds it");
        for (cpv, text) in ebuilds {
            if let Some(metadata) = written.get(&cpv) {
                known.insert((cpv, text), metadata.clone());
            }
        }
    }

    fn bare(repository: &Path) -> Self {
        let root = TempDir::with_prefix("rocpkg-gentoo-").expect("a scratch folder can be made");
        let name_file = repository.join("profiles/repo_name");
        let name = fs::read_to_string(&name_file)
            .unwrap_or_else(|e| panic!("{}: {e}", name_file.display()));
        let world = Self {
            root,
            name: name.trim().to_owned(),
        };
        copy_tree(repository, &world.repository());
        for part in ["eclass", "licenses", "metadata", "profiles"] {
            copy_tree(
                &fixture("standins/gentoo").join(part),
                &world.path("gentoo").join(part),
            );
        }

        // Portage's own files, and the few programs that it looks for below its prefix.
        let venv = rocpkg_programs::venv();
        for (link, target) in [
            ("prefix/share/portage", venv.join("share/portage")),
            ("prefix/bin/gtar", rocpkg_programs::path("tar")),
            (
                "prefix/etc/portage/make.profile",
                world.path("gentoo/profiles/amd64"),
            ),
            // pkgcheck looks for etc/portage above the folder that is the prefix of its Python.
            ("tool/lib", venv.join("lib")),
            ("tool/share", venv.join("share")),
            (
                "tool/bin/python",
                venv.join("bin/python")
                    .canonicalize()
                    .expect("`cargo xtask install-tools` makes the environment"),
            ),
            (
                "etc/portage/make.profile",
                world.path("gentoo/profiles/amd64"),
            ),
        ] {
            let link = world.path(link);
            fs::create_dir_all(link.parent().expect("below the root"))
                .expect("the scratch folder is ours");
            symlink(&target, &link).unwrap_or_else(|e| panic!("{}: {e}", link.display()));
        }
        fs::copy(venv.join("pyvenv.cfg"), world.path("tool/pyvenv.cfg"))
            .expect("the environment is a venv");
        for folder in [
            "var/tmp",
            "var/cache",
            "var/lib/portage",
            "var/db/pkg",
            "tmp",
            "usr/bin",
        ] {
            fs::create_dir_all(world.path("prefix").join(folder))
                .expect("the scratch folder is ours");
        }
        for config in ["prefix/etc/portage", "etc/portage"] {
            write_file(
                world.path(config).join("make.conf"),
                "ACCEPT_KEYWORDS=\"~amd64\"\n",
            );
            write_file(
                world.path(config).join("package.accept_keywords"),
                world.unreleased(),
            );
        }
        world
    }

    /// Returns lines for `package.accept_keywords` that accept the packages without any released
    /// version: `sci-libs/foo **`.
    fn unreleased(&self) -> String {
        let is_released = |package: &&String| {
            let files = list(&self.repository().join(package));
            let mut ebuilds = files
                .iter()
                .filter_map(|file| file.to_str()?.strip_suffix(".ebuild"));
            ebuilds.any(|name| !name.ends_with("-9999"))
        };
        let packages = self.packages();
        packages
            .iter()
            .filter(|p| !is_released(p))
            .map(|package| format!("{package} **\n"))
            .collect()
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.root.path().join(below)
    }

    fn add_externals(&self, externals: &[ExternalPackage]) {
        for package in externals {
            let (_, name) = package
                .cp
                .split_once('/')
                .unwrap_or_else(|| panic!("{}: no category", package.cp));
            let ebuild = format!(
                "EAPI=8\n\nDESCRIPTION=\"A stand-in\"\nSLOT=\"{}\"\nKEYWORDS=\"amd64\"\nIUSE=\"{}\"\n",
                package.slot,
                package.iuse.join(" ")
            );
            let file = format!("gentoo/{}/{name}-{}.ebuild", package.cp, package.version);
            write_file(self.path(&file), &ebuild);
        }
    }

    fn ask_externals(&self) -> Vec<ExternalPackage> {
        let output = run(self
            .portage(&rocpkg_programs::path("python"))
            .arg(fixture("standins/gentoo/externals.py"))
            .arg(&self.name));
        let text =
            outcome(&output).unwrap_or_else(|e| panic!("the dependencies can't be read: {e}"));
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("externals.py: {e}\n{text}"))
    }

    fn repos_conf(&self, repository: &Path) -> String {
        format!(
            "[DEFAULT]\nmain-repo = gentoo\n[gentoo]\nlocation = {}\n[{}]\nlocation = {}\n",
            self.path("gentoo").display(),
            self.name,
            repository.display()
        )
    }

    fn write_repos_conf(&self, repository: &Path) {
        write_file(
            self.path("etc/portage/repos.conf"),
            self.repos_conf(repository),
        );
    }

    /// Returns a command for a program of Portage that uses only this scratch system.
    pub(crate) fn portage(&self, program: &Path) -> Command {
        let who = |flag| {
            let output = run(rocpkg_programs::command("id").arg(flag));
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        };
        let (user, group) = if is_root() {
            ("root".to_owned(), "root".to_owned())
        } else {
            (who("-un"), who("-gn"))
        };
        let mut command = rocpkg_programs::own(program);
        command
            .current_dir(self.root.path())
            .env_clear()
            .env("PATH", rocpkg_programs::folder())
            .env("HOME", self.root.path())
            .env("LC_ALL", "C.UTF-8")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("PORTAGE_OVERRIDE_EPREFIX", self.path("prefix"))
            .env("PORTAGE_CONFIGROOT", self.path("prefix"))
            .env("PORTAGE_USERNAME", user)
            .env("PORTAGE_GRPNAME", group)
            .env("PORTAGE_REPOSITORIES", self.repos_conf(&self.repository()));
        command
    }
}

fn finding(line: &str) -> Finding {
    let mut fields = line.splitn(6, '\t');
    let mut next = || {
        fields
            .next()
            .unwrap_or_else(|| panic!("pkgcheck printed {line:?}"))
    };
    let level = match next() {
        "error" => Level::Error,
        "warning" => Level::Warning,
        "style" => Level::Style,
        "info" => Level::Info,
        other => panic!("pkgcheck printed a level {other:?}: {line:?}"),
    };
    let (name, category, package, version, message) = (next(), next(), next(), next(), next());
    let mut about = category.to_owned();
    for (separator, part) in [("/", package), ("-", version)] {
        if !part.is_empty() {
            about += separator;
            about += part;
        }
    }
    Finding {
        package: about,
        name: name.to_owned(),
        level,
        message: message.to_owned(),
    }
}

/// Returns all ebuilds of a repository, each as `category/name-version` and its text.
fn ebuilds(repository: &Path) -> Vec<(String, String)> {
    let all = texts(repository, &["ebuild"]).into_iter();
    let cpv = |path: &str| {
        let (category, rest) = path.split_once('/')?;
        let (_, file) = rest.split_once('/')?;
        Some(format!("{category}/{}", file.strip_suffix(".ebuild")?))
    };
    all.filter_map(|(path, text)| Some((cpv(&path)?, text)))
        .collect()
}

fn has_ebuild(package: &Path) -> bool {
    list(package)
        .iter()
        .any(|file| file.extension().is_some_and(|e| e == "ebuild"))
}

fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    entries
        .map(|e| {
            e.unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
                .path()
        })
        .collect()
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    list(folder)
        .into_iter()
        .filter(|path| path.is_dir())
        .collect()
}
