use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde::Serialize;
use tempfile::TempDir;

use crate::{
    copy::{stand_in, write_file},
    fixture,
    gentoo::GentooWorld,
    tools::{outcome, run, run_with},
};

/// A run of the phases of one ebuild by Portage, with certain flags.
#[derive(Clone, Debug)]
pub struct Phases {
    /// Category, name and version: `sci-libs/rocBLAS-7.2.0`.
    pub cpv: String,
    /// USE flags, with `-` in front of those that are off.
    pub flags: Vec<String>,
    /// The value of `AMDGPU_TARGETS`. If it is empty, no target is chosen.
    pub targets: Vec<String>,
    /// Set if Portage also runs the tests of the package (`FEATURES=test`).
    pub test: bool,
}

/// The result of running phases.
#[derive(Clone, Debug)]
pub struct Phased {
    /// Set if all phases succeeded.
    pub passed: bool,
    /// All output of Portage and of the phases.
    pub output: String,
    /// The commands that were recorded instead of being run. Each has the name of the phase, and
    /// then the words of the command.
    pub calls: Vec<Vec<String>>,
    /// The paths of the files that the phases installed, sorted, such as
    /// `/usr/lib64/librocblas.so`.
    pub image: Vec<String>,
}

/// A run of the program `ebuild`, in the form that the script `pretend.py` reads.
#[derive(Serialize)]
struct Question {
    arguments: Vec<String>,
    environment: BTreeMap<&'static str, String>,
    package_use: Vec<String>,
}

impl GentooWorld {
    /// Runs all phases from `pkg_pretend` to `src_install`, for several packages at once. The
    /// results are in the order of `questions`. The phases, the eclasses of the repository and
    /// Portage's helpers are real. Compilers and build tools are only recorded
    /// (`standins/gentoo/bashrc`), and archives contain only a few files. If the variable
    /// `ROCPKG_GENTOO_ECLASSES` names a folder, its eclasses replace the stand-ins for those of
    /// `::gentoo`.
    ///
    /// # Panics
    /// When Portage can't be started, or an archive can't be made.
    pub fn phases_each(&self, questions: &[Phases]) -> Vec<Phased> {
        if let Some(folder) = std::env::var_os("ROCPKG_GENTOO_ECLASSES") {
            crate::copy_tree(Path::new(&folder), &self.path("gentoo/eclass"));
        }
        self.run_each(questions, "bashrc", &["pretend", "install"], &|project| {
            write_file(project.join("CMakeLists.txt"), "project(stand-in)\n");
            write_file(project.join("README.md"), "A stand-in.\n");
            write_file(project.join("VERSION"), "1\n");
            write_file(
                project.join("tensilelite/Tensile/script.py"),
                "#!/usr/bin/env python3\n",
            );
        })
    }

    /// Builds packages and merges them, so that their files are installed below [`Self::merged`].
    /// Each package is built from a stand-in for upstream's project, with `files` in it. The
    /// results are in the order of `questions`.
    ///
    /// # Panics
    /// When Portage can't be started, or an archive can't be made.
    pub fn merge_each(&self, questions: &[Phases], files: &[&str]) -> Vec<Phased> {
        self.run_each(questions, "bashrc-merge", &["merge"], &|project| {
            stand_in(project, files);
        })
    }

    /// Returns the path of a file that merged packages install. `path` is relative to the root of
    /// the scratch system.
    pub fn merged(&self, path: &str) -> PathBuf {
        self.path("prefix").join(path)
    }

    fn run_each(
        &self,
        questions: &[Phases],
        bashrc: &str,
        phases: &[&str],
        project: &dyn Fn(&Path),
    ) -> Vec<Phased> {
        let config = self.path("prefix/etc/portage");
        fs::copy(
            fixture("standins/gentoo").join(bashrc),
            config.join("bashrc"),
        )
        .expect("the scratch folder is ours");
        let scratch = TempDir::with_prefix("rocpkg-phases-").expect("a scratch folder can be made");
        let asked: Vec<_> = (questions.iter().enumerate())
            .map(|(number, question)| {
                let folder = scratch.path().join(number.to_string());
                fs::create_dir_all(folder.join("distfiles")).expect("the scratch folder is ours");
                self.make_archives(question, &folder.join("distfiles"), project);
                self.question(question, phases, &folder)
            })
            .collect();
        let mut python = self.portage(&rocpkg_programs::path("python"));
        python.args([
            fixture("standins/gentoo/pretend.py"),
            rocpkg_programs::venv().join("lib/portage/bin/ebuild"),
        ]);
        python.arg(&config);
        let output = run_with(
            &mut python,
            serde_json::to_vec(&asked).expect("texts alone"),
        );
        let text = outcome(&output).unwrap_or_else(|e| panic!("pretend.py: {e}"));
        let answers: Vec<crate::gentoo::Answer> =
            serde_json::from_str(&text).unwrap_or_else(|e| panic!("pretend.py: {e}\n{text}"));
        (questions.iter().zip(answers).enumerate())
            .map(|(number, (question, answer))| {
                let build = scratch
                    .path()
                    .join(number.to_string())
                    .join("portage")
                    .join(&question.cpv);
                Phased {
                    passed: answer.status == 0,
                    output: answer.output,
                    calls: calls(&build.join("temp/calls")),
                    image: files(&build.join("image")),
                }
            })
            .collect()
    }

    fn question(&self, question: &Phases, phases: &[&str], folder: &Path) -> Question {
        let (category, package) = question.cpv.split_once('/').expect("a category");
        let name = name_of(package);
        let file = self.ebuild(&question.cpv);
        let features = "-userfetch -userpriv -usersandbox -sandbox -network-sandbox -ipc-sandbox -pid-sandbox -mount-sandbox nostrip";
        let test = if question.test { "test" } else { "-test" };
        Question {
            arguments: ["--skip-manifest", "--color=n", &file.to_string_lossy()]
                .iter()
                .chain(phases)
                .map(|&word| word.to_owned())
                .collect(),
            environment: BTreeMap::from([
                ("AMDGPU_TARGETS", question.targets.join(" ")),
                (
                    "DISTDIR",
                    folder.join("distfiles").to_string_lossy().into_owned(),
                ),
                ("FEATURES", format!("{features} {test}")),
                ("PORTAGE_TMPDIR", folder.to_string_lossy().into_owned()),
            ]),
            package_use: vec![format!("{category}/{name} {}", question.flags.join(" "))],
        }
    }

    fn ebuild(&self, cpv: &str) -> PathBuf {
        let (category, package) = cpv.split_once('/').expect("a category");
        self.repository()
            .join(category)
            .join(name_of(package))
            .join(format!("{package}.ebuild"))
    }

    /// Makes an archive in `distfiles` for each URI of the package. It contains the same folder as
    /// upstream's archive. `make` writes a few files into the folder of each project.
    fn make_archives(&self, question: &Phases, distfiles: &Path, make: &dyn Fn(&Path)) {
        let cpv = &question.cpv;
        let uris = self.metadata(cpv, &["SRC_URI"]).remove(0);
        let words: Vec<_> = uris.split_whitespace().collect();
        let ebuild = fs::read_to_string(self.ebuild(cpv)).unwrap_or_else(|e| panic!("{cpv}: {e}"));
        let sources = source_folder(&ebuild, cpv);
        for (at, uri) in words.iter().enumerate().filter(|(_, w)| w.contains("://")) {
            let base = uri.rsplit('/').next().expect("split gives one at least");
            let name = if words.get(at + 1) == Some(&"->") {
                words[at + 2]
            } else {
                base
            };
            let archive = distfiles.join(name);
            let root =
                TempDir::with_prefix("rocpkg-archive-").expect("a scratch folder can be made");
            let folder = unpacked(uri);
            let inside = root.path().join(&folder);
            if uri.contains("sparse-files") {
                // Some of these archives contain a vector beside the matrix. Programs that convert
                // matrices can't read a vector, so packages may have to leave it out.
                write_file(inside.join(format!("{folder}.mtx")), "%%MatrixMarket\n");
                write_file(inside.join(format!("{folder}_b.mtx")), "%%MatrixMarket\n");
            } else {
                // A project may be deep in its repository, and several projects share one archive.
                let project = sources
                    .strip_prefix(&format!("{folder}/"))
                    .map(|rest| inside.join(rest));
                // Some packages contain further projects of their own.
                let further = ebuild.split("CMAKE_USE_DIR=\"${S}/").skip(1);
                let further = further.filter_map(|rest| rest.split('"').next());
                let own = project.as_ref().unwrap_or(&inside).clone();
                let further: Vec<_> = further.map(|path| own.join(path)).collect();
                for project in [Some(inside), project].into_iter().flatten().chain(further) {
                    make(&project);
                }
            }
            let is_zip = archive.extension().is_some_and(|e| e == "zip");
            let mut pack = rocpkg_programs::command(if is_zip { "python3" } else { "tar" });
            if is_zip {
                pack.current_dir(root.path())
                    .args(["-m", "zipfile", "-c"])
                    .arg(&archive)
                    .arg(&folder);
            } else {
                pack.arg("-caf")
                    .arg(&archive)
                    .arg("-C")
                    .arg(root.path())
                    .arg(&folder);
            }
            outcome(&run(&mut pack)).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
    }
}

/// Returns the name of the folder inside the archive at `uri`, as GitHub and upstream's own release
/// assets name it.
fn unpacked(uri: &str) -> String {
    let parts: Vec<_> = uri.split('/').collect();
    let file = parts.last().expect("split gives one at least");
    let stem = [".src.tar.gz", ".tar.gz", ".tar.xz", ".tgz", ".zip"]
        .iter()
        .find_map(|e| file.strip_suffix(e))
        .unwrap_or(file);
    match parts.iter().position(|p| *p == "archive") {
        Some(at) => format!("{}-{}", parts[at - 1], stem.trim_start_matches('v')),
        None => stem.to_owned(),
    }
}

/// Returns the value of the variable `S` of an ebuild, the source folder, relative to `WORKDIR`.
fn source_folder(ebuild: &str, cpv: &str) -> String {
    let package = cpv.rsplit('/').next().unwrap_or(cpv);
    let full = package
        .rsplit_once("-r")
        .filter(|(_, r)| r.bytes().all(|b| b.is_ascii_digit()));
    let full = full.map_or(package, |(head, _)| head);
    let name = name_of(package);
    // The ebuild may set `S` twice: first for the live version, then for the release.
    let stated = |line: &str| {
        line.trim_start()
            .strip_prefix("S=\"${WORKDIR}/")?
            .strip_suffix('"')
            .map(str::to_owned)
    };
    let stated = ebuild.lines().rev().find_map(stated);
    let text = stated
        .unwrap_or_else(|| "${P}".to_owned())
        .replace("${PV}", full[name.len()..].trim_start_matches('-'));
    text.replace("${P}", full).replace("${PN}", name)
}

/// Returns the name of a package without its version: `rocBLAS-7.2.0` -> `rocBLAS`.
fn name_of(package: &str) -> &str {
    let end = package.match_indices('-').map(|(at, _)| at);
    let version = end
        .rev()
        .find(|at| package[at + 1..].starts_with(|c: char| c.is_ascii_digit()));
    &package[..version.expect("a version")]
}

fn calls(file: &Path) -> Vec<Vec<String>> {
    let text = fs::read(file)
        .map(|b| String::from_utf8_lossy(&b).into_owned())
        .unwrap_or_default();
    text.split_terminator('\x1e')
        .map(|call| call.split('\x1f').map(str::to_owned).collect())
        .collect()
}

/// Returns the paths of all files and links below a folder, sorted. They begin with `/` and are
/// relative to that folder.
fn files(folder: &Path) -> Vec<String> {
    let mut out = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(inside) = open.pop() {
        let Ok(entries) = fs::read_dir(folder.join(&inside)) else {
            continue;
        };
        for entry in entries.flatten() {
            let path = inside.join(entry.file_name());
            if entry.file_type().is_ok_and(|t| t.is_dir()) {
                open.push(path);
            } else {
                out.push(format!("/{}", path.display()));
            }
        }
    }
    out.sort();
    out
}
