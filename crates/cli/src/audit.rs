//! `rocpkg audit`, and the reading of libraries for `rocpkg gpu --installed`.

use crate::args::{AuditArgs, RowFormat, words};
use crate::error::Error;
use crate::gpu::{reported, word};
use crate::list::releases;
use crate::outcome::{DIFFERS, OK, Outcome, Verbosity, WRONG, remarks};
use indexmap::IndexMap;
use rocpkg::Stack;
use rocpkg::internal::model::legible;
use rocpkg::internal::resolve::Planned;
use rocpkg::internal::targets::{Registry, Target, TargetSet};
use rocpkg_answers::Answers as _;
use rocpkg_answers::audit::{
    About, Audit, AuditedRow, File, FileKind, Method, Packing, RULES, damaged, file_on, held, read,
    stem,
};
use rocpkg_answers::gpu::{Questions, Support};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The folders in which systems have libraries. The first folder that contains libraries of the
/// stack is read. The prefixes of distributions are tried before these folders.
const FOLDERS: [&str; 4] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/run/current-system/sw/lib",
];

/// The files at one path of the command line, with the findings about them.
struct Read<'q> {
    path: String,
    audit: Audit,
    /// The package that contains each file, by the file's path.
    packages: BTreeMap<String, &'q Planned>,
    /// Set if the files are of the same release as the recipes: their package's file name states
    /// it, or `--release` was given and the name states no release.
    is_of_release: bool,
    rows: Vec<AuditedRow>,
}

/// Reads built files, and compares them with the recipes of a distribution.
pub(crate) fn run(args: &AuditArgs, verbosity: Verbosity) -> Result<Outcome, Error> {
    let (backend, paths) = words(&args.words);
    if paths.is_empty() {
        return Err(Error::Usage(
            "nothing to read: name files, folders or packages".to_owned(),
        ));
    }
    let is_of_recipes =
        args.package.is_some() || args.targets.is_some() || !args.plan.release.is_empty();
    if backend.is_none() && is_of_recipes {
        let said = "--package, --targets and --release need a distribution: name it first, as in `rocpkg audit arch PATH`";
        return Err(Error::Usage(said.to_owned()));
    }
    let stack = args.plan.model.stack()?;
    let registry = stack.registry()?;
    let chosen = args
        .targets
        .as_ref()
        .map(|list| stack.targets(list))
        .transpose()?;
    let gpu = args.gpu.as_ref().map(|name| stack.gpu(name)).transpose()?;
    let gpus = gpu.map_or(TargetSet::EMPTY, |found| reported(&stack, &found.targets()));
    let questions = backend
        .map(|b| Ok::<_, Error>(stack.questions(b, args.plan.choice()?)?))
        .transpose()?;
    let q = questions.as_ref();
    let given = q
        .zip(args.package.as_ref())
        .map(|(q, name)| q.named(name))
        .transpose()?;
    let (mut all, mut wrong) = (Vec::new(), String::new());
    for path in &paths {
        match read(Path::new(path)) {
            Err(e) => wrong += &format!("error: {}{}\n", legible(&e.to_string()), hint(path)),
            Ok(audit) if audit.files.is_empty() => {
                let path = legible(path);
                wrong += &format!(
                    "error: {path}: contains no ELF file, offload bundle, kernel library or package\n"
                );
            }
            Ok(audit) => {
                let asked = !args.plan.release.is_empty();
                all.push(held_against(
                    q,
                    path,
                    audit,
                    (given, asked, chosen.as_ref()),
                ));
            }
        }
    }
    let is_fault = |read: &Read| read.rows.iter().any(|row| row.about.is_fault());
    let status = match (wrong.is_empty(), all.iter().any(is_fault)) {
        (false, _) => WRONG,
        (_, true) => DIFFERS,
        _ => OK,
    };
    let outcome = match args.format {
        RowFormat::Text => Outcome::done(
            all.iter()
                .map(|r| text(registry, q, r, &gpus, verbosity))
                .collect(),
        ),
        RowFormat::Json => {
            let each: Vec<Value> = all.iter().map(|r| as_json(registry, q, r, &gpus)).collect();
            let results: Vec<Value> = all.iter().flat_map(|r| built(q, r)).collect();
            Outcome::json(&json!({"read": each, "results": results}))
        }
        RowFormat::Sarif => Outcome::json(&sarif(&all)),
    };
    Ok(Outcome {
        status,
        err: wrong,
        ..outcome
    })
}

/// Returns a hint for the error about a path that can't be read. The hint is empty unless the path
/// may be meant as the name of a distribution.
fn hint(path: &str) -> &'static str {
    let is_word = !path.contains(['/', '.']) && !Path::new(path).exists();
    if is_word {
        "; the distributions are gentoo, arch, nix and solus"
    } else {
        ""
    }
}

fn held_against<'q>(
    q: Option<&'q Questions>,
    path: &str,
    audit: Audit,
    (given, asked, chosen): (Option<&'q Planned>, bool, Option<&TargetSet>),
) -> Read<'q> {
    let Some(q) = q else {
        let (rows, packages) = (damaged(&audit), BTreeMap::new());
        return Read {
            path: path.to_owned(),
            audit,
            packages,
            is_of_release: false,
            rows,
        };
    };
    let holder = holder(path);
    let packages = match given {
        Some(p) => audit
            .files
            .iter()
            .map(|file| (file.path.as_str(), p))
            .collect(),
        None => q.packages_of(&audit, &holder),
    };
    let mut rows = q.audited(&audit, &packages, chosen);
    let version = q
        .held_by(&holder)
        .filter(|(_, version)| !version.is_empty());
    let is_same = version.is_some_and(|(p, version)| version == p.version.as_str());
    if let Some((p, version)) = version.filter(|_| !is_same) {
        let said = format!(
            "it is {version}, but was compared with the recipe of {}: use `--release {version}`",
            p.version
        );
        let mut row = AuditedRow::new(path, About::Open, said);
        row.package.clone_from(&p.id);
        rows.insert(0, row);
    }
    let packages = packages
        .into_iter()
        .map(|(path, p)| (path.to_owned(), p))
        .collect();
    Read {
        path: path.to_owned(),
        audit,
        packages,
        is_of_release: is_same || asked && version.is_none(),
        rows,
    }
}

/// Returns the file name of the package or folder at `path`. Links are followed, and the hash of a
/// path in Nix's store is removed: `/nix/store/HASH-rocblas-7.2.4` gives `rocblas-7.2.4`.
fn holder(path: &str) -> String {
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.into());
    let name = real
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    match name.split_once('-') {
        Some((hash, rest))
            if hash.len() == 32 && hash.bytes().all(|c| c.is_ascii_alphanumeric()) =>
        {
            rest.to_owned()
        }
        _ => name,
    }
}

fn bytes(size: u64) -> String {
    if size < 1_000_000 {
        format!("{} kB", size.div_ceil(1000))
    } else {
        format!("{} MB", size / 1_000_000)
    }
}

/// Returns the number `n` with the noun `word`: `1 file`, `2 files`.
fn count(n: usize, word: &str) -> String {
    if n == 1 {
        format!("1 {word}")
    } else {
        format!("{n} {word}s")
    }
}

/// Returns the files with code objects, in groups that are reported together. A library is a group
/// by itself, and so are all kernel files of one folder. The key is the path of the library or
/// folder.
fn units(audit: &Audit) -> IndexMap<&str, Vec<&File>> {
    let mut out: IndexMap<&str, Vec<&File>> = IndexMap::new();
    for file in audit.files.iter().filter(|file| !file.objects.is_empty()) {
        let is_library = matches!(file.kind, FileKind::Elf | FileKind::Archive);
        out.entry(if is_library {
            &file.path
        } else {
            file.folder()
        })
        .or_default()
        .push(file);
    }
    out
}

fn text(
    registry: &Registry,
    q: Option<&Questions>,
    read: &Read,
    gpus: &TargetSet,
    verbosity: Verbosity,
) -> String {
    if verbosity.is_quiet() {
        let faults = read.rows.iter().filter(|row| row.about.is_fault());
        return faults.map(finding).collect();
    }
    let verbose = verbosity.is_verbose();
    let against = q
        .map(|q| format!(", against {} {}", q.plan.distro_name, releases(&q.plan)))
        .unwrap_or_default();
    let mut out = format!(
        "{}: {} read{against}\n",
        legible(&read.path),
        count(read.audit.files.len(), "file")
    );
    for (name, files) in units(&read.audit) {
        let objects = files.iter().flat_map(|f| &f.objects);
        let (number, size) =
            objects.fold((0, 0_u64), |(n, s), o| (n + 1, s.saturating_add(o.size)));
        let of = read
            .packages
            .get(&files[0].path)
            .map(|p| format!(" of {}", p.id))
            .unwrap_or_default();
        let many = if files.len() > 1 {
            format!(", in {} files", files.len())
        } else {
            String::new()
        };
        out += &format!(
            "  {}{of}: {}{many}, {}, {}\n",
            legible(name),
            count(number, "code object"),
            bytes(size),
            packed(&files)
        );
        out += &format!("    {}\n", legible(&ids(&files).join(" ")));
        for gpu in gpus.iter() {
            let way = on(registry, q, &files, &read.packages, gpu);
            out += &format!("    on {}: {way}\n", registry.name(gpu));
        }
    }
    for file in read
        .audit
        .files
        .iter()
        .filter(|f| verbose && !f.needed.is_empty())
    {
        let (path, needed) = (legible(&file.path), file.needed.join(" "));
        out += &format!("  {path} needs {}\n", legible(&needed));
    }
    let is_told = |row: &&AuditedRow| verbose || row.about.is_fault() || row.about == About::Open;
    out.extend(read.rows.iter().filter(is_told).map(finding));
    let notes = read.rows.iter().filter(|row| !is_told(row)).count();
    if notes > 0 {
        out += &format!(
            "{} more; -v lists them, and what each file needs\n",
            count(notes, "note")
        );
    }
    out
}

/// Returns a finding about a built file as a line.
fn finding(row: &AuditedRow) -> String {
    let word = if row.about.is_fault() {
        "warning"
    } else {
        "note"
    };
    let (rule, _) = row.about.rule();
    format!(
        "{word}[{rule}]: {}: {}\n",
        legible(&row.file),
        legible(&row.said)
    )
}

/// Returns the target IDs of the code objects in some files, such as `gfx90a:xnack+`.
fn ids<'f>(files: &[&'f File]) -> Vec<&'f str> {
    let all: BTreeSet<&str> = files
        .iter()
        .flat_map(|f| &f.objects)
        .map(|o| o.target.as_str())
        .collect();
    all.into_iter().collect()
}

/// Returns the methods by which the bundles in `files` are packed, as text: `plain`,
/// `compressed by zstd (version 2)`.
fn packed(files: &[&File]) -> String {
    let word = |row: &Packing| {
        let version = row
            .version
            .map(|v| format!(" (version {v})"))
            .unwrap_or_default();
        match row.method {
            Method::Plain => "plain".to_owned(),
            Method::Zlib => format!("compressed by zlib{version}"),
            Method::Zstd => format!("compressed by zstd{version}"),
        }
    };
    let all: BTreeSet<String> = files.iter().flat_map(|f| &f.packing).map(word).collect();
    if all.is_empty() {
        "in no bundle".to_owned()
    } else {
        all.into_iter().collect::<Vec<_>>().join(", ")
    }
}

/// Returns the ways in which `files` run on the GPU with the target `gpu`, as text: `native`.
fn on(
    registry: &Registry,
    q: Option<&Questions>,
    files: &[&File],
    packages: &BTreeMap<String, &Planned>,
    gpu: Target,
) -> String {
    let ways = files.iter().map(|file| {
        let package = packages.get(&file.path).copied();
        let way = q.map_or_else(
            || file_on(registry, file, gpu, false),
            |q| q.file_on(file, package, gpu),
        );
        let code = if let Support::Loads { code, .. } = way {
            code
        } else {
            gpu
        };
        let mut of = file
            .objects
            .iter()
            .filter(|o| o.processor() == registry.name(code))
            .peekable();
        let xnack = of.peek().is_some() && of.all(|o| o.target.contains(":xnack+"));
        let mode = if xnack {
            " (only if XNACK is on, which is rare)"
        } else {
            ""
        };
        match file_on(registry, file, gpu, true) {
            Support::Loads { code, .. }
                if q.is_none() && matches!(way, Support::Without | Support::Override { .. }) =>
            {
                let name = registry.name(code);
                format!(
                    "{}; code for {name} if the runtime is patched for it",
                    word(registry, &way)
                )
            }
            _ => word(registry, &way) + mode,
        }
    });
    // Each kernel file has one target, so it is enough if some of them run.
    let ways: BTreeSet<String> = ways.collect();
    let some: Vec<String> = ways
        .iter()
        .filter(|way| *way != "no kernels")
        .cloned()
        .collect();
    if some.is_empty() {
        "no kernels".to_owned()
    } else {
        some.join(", ")
    }
}

fn as_json(registry: &Registry, q: Option<&Questions>, read: &Read, gpus: &TargetSet) -> Value {
    let row = |row: &AuditedRow| json!({"file": row.file, "package": row.package, "about": row.about.rule().0, "said": row.said});
    let rows: Vec<Value> = read.rows.iter().map(row).collect();
    let libraries = libraries(registry, q, (&read.audit, &read.packages), gpus);
    json!({"path": read.path, "libraries": libraries, "files": read.audit.files, "rows": rows})
}

/// Returns the JSON of each library, and of the kernel files of each folder. `packages` are the
/// packages of the files, by the files' paths. `gpus` are the GPUs for which the JSON has the way
/// in which the library runs.
fn libraries(
    registry: &Registry,
    q: Option<&Questions>,
    (audit, packages): (&Audit, &BTreeMap<String, &Planned>),
    gpus: &TargetSet,
) -> Vec<Value> {
    let library = |(name, files): (&str, Vec<&File>)| {
        let ways = gpus.iter().map(|gpu| {
            (
                registry.name(gpu).to_owned(),
                json!(on(registry, q, &files, packages, gpu)),
            )
        });
        json!({"name": name, "package": packages.get(&files[0].path).map(|p| &p.id), "targets": ids(&files), "packing": packed(&files),
            "on": ways.collect::<serde_json::Map<_, _>>()})
    };
    units(audit).into_iter().map(library).collect()
}

/// Returns the targets that each package was built for, as the records of test results that
/// `rocpkg report` reads. Returns nothing if the files are not known to be of the same release as
/// the recipes.
fn built(q: Option<&Questions>, read: &Read) -> Vec<Value> {
    let Some(q) = q.filter(|_| read.is_of_release) else {
        return Vec::new();
    };
    let mut packages: IndexMap<String, TargetSet> = IndexMap::new();
    for file in read.audit.files.iter().filter(|f| !f.objects.is_empty()) {
        if let Some(p) = read.packages.get(&file.path) {
            let all = packages.entry(p.id.clone()).or_insert(TargetSet::EMPTY);
            *all = all.union(held(q.registry, [file]));
        }
    }
    let row = |(id, target): (&String, Target)| {
        json!({"package": id, "release": q.plan.version.to_string(), "distribution": q.plan.distro_name,
            "target": q.registry.name(target), "outcome": "built", "log": read.path})
    };
    packages
        .iter()
        .flat_map(|(id, all)| all.iter().map(move |t| (id, t)))
        .map(row)
        .collect()
}

fn sarif(all: &[Read]) -> Value {
    let rules = RULES.map(|(_, word, text)| (word, text));
    let result = |(read, row): (&Read, &AuditedRow)| {
        let is_folder = Path::new(&read.path).is_dir();
        let path = if is_folder {
            format!("{}/{}", read.path, row.file)
        } else {
            read.path.clone()
        };
        json!({
            "ruleId": row.about.rule().0,
            "level": if row.about.is_fault() { "warning" } else { "note" },
            "message": {"text": format!("{}: {}", row.file, row.said)},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri(&path)}}}],
        })
    };
    let rows = all
        .iter()
        .flat_map(|read| read.rows.iter().map(move |row| (read, row)));
    remarks(&rules, &rows.map(result).collect::<Vec<_>>())
}

/// Returns a path as a URI reference (RFC 3986).
fn uri(path: &str) -> String {
    let plain = |c: u8| c.is_ascii_alphanumeric() || b"/-._~".contains(&c);
    path.bytes()
        .map(|c| {
            if plain(c) {
                char::from(c).to_string()
            } else {
                format!("%{c:02X}")
            }
        })
        .collect()
}

/// The libraries of the stack in a folder of a machine.
pub(crate) struct Installed {
    folder: PathBuf,
    audit: Audit,
}

impl Installed {
    /// Reads the libraries of the stack and the folders of their kernel files. `dir` is the folder
    /// that contains them. If it is `None`, the folders in which systems have libraries are
    /// searched.
    pub(crate) fn read(stack: &Stack, dir: Option<&Path>) -> Result<Self, Error> {
        let stems = stack.libraries();
        let is_ours = |name: &str| stem(name).is_some_and(|stem| stems.contains(stem));
        let names = |folder: &Path| -> Vec<String> {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let mut names: Vec<String> = entries
                .map(|e| e.file_name().to_string_lossy().into_owned())
                .collect();
            names.sort();
            names
        };
        let prefixes = stack
            .model()
            .distros
            .values()
            .filter_map(|d| d.settings.get("prefix"));
        let own = prefixes.map(|prefix| Path::new(&prefix.value).join("lib"));
        let everywhere = || own.chain(FOLDERS.map(PathBuf::from)).collect();
        let folders: Vec<PathBuf> = dir.map_or_else(everywhere, |dir| vec![dir.to_owned()]);
        let found = folders
            .iter()
            .find(|folder| names(folder).iter().any(|name| is_ours(name)));
        let Some(folder) = found else {
            let looked: Vec<String> = folders.iter().map(|f| f.display().to_string()).collect();
            return Err(Error::Usage(format!(
                "--installed: no library of the stack is in {}",
                looked.join(", ")
            )));
        };
        let mut audit = Audit::default();
        let mut seen = BTreeSet::new();
        // In this order, the longest name of a library comes before the links to it.
        for name in names(folder).into_iter().rev() {
            let path = folder.join(&name);
            let is_library = is_ours(&name) && fs::metadata(&path).is_ok_and(|m| m.is_file());
            let is_meant = is_library || stems.contains(name.as_str()) && path.is_dir();
            if !is_meant || !fs::canonicalize(&path).is_ok_and(|real| seen.insert(real)) {
                continue;
            }
            // Files that are no library are skipped, such as linker scripts.
            let Ok(mut one) = read(&path) else { continue };
            for file in one.files.iter_mut().filter(|_| !is_library) {
                file.path = format!("{name}/{}", file.path);
            }
            audit.files.append(&mut one.files);
        }
        audit.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self {
            folder: folder.clone(),
            audit,
        })
    }

    /// Returns the package of the distribution that contains each file, by the file's path. The
    /// result is empty without a distribution.
    fn packages<'q>(&self, q: Option<&'q Questions>) -> BTreeMap<String, &'q Planned> {
        let all = q
            .map(|q| q.packages_of(&self.audit, ""))
            .unwrap_or_default();
        all.into_iter()
            .map(|(path, p)| (path.to_owned(), p))
            .collect()
    }

    pub(crate) fn text(
        &self,
        registry: &Registry,
        q: Option<&Questions>,
        gpus: &TargetSet,
    ) -> String {
        let mut out = String::new();
        let packages = self.packages(q);
        if gpus.is_empty() {
            out += &format!("installed in {}:\n", self.folder.display());
            for (name, files) in units(&self.audit) {
                out += &format!("  {name}: {}\n", ids(&files).join(" "));
            }
        }
        for gpu in gpus.iter() {
            out += &format!(
                "installed in {}, on {}:\n",
                self.folder.display(),
                registry.name(gpu)
            );
            let mut ways: IndexMap<String, Vec<&str>> = IndexMap::new();
            for (name, files) in units(&self.audit) {
                ways.entry(on(registry, q, &files, &packages, gpu))
                    .or_default()
                    .push(name);
            }
            let bare = self
                .audit
                .files
                .iter()
                .filter(|f| f.kind == FileKind::Elf && f.objects.is_empty());
            ways.entry("no code for any GPU".to_owned())
                .or_default()
                .extend(bare.map(|f| f.path.as_str()));
            for (way, names) in ways.iter().filter(|(_, names)| !names.is_empty()) {
                out += &format!("  {way}: {}\n", names.join(" "));
            }
        }
        out
    }

    pub(crate) fn as_json(
        &self,
        registry: &Registry,
        q: Option<&Questions>,
        gpus: &TargetSet,
    ) -> Value {
        let libraries = libraries(registry, q, (&self.audit, &self.packages(q)), gpus);
        json!({"folder": self.folder.display().to_string(), "libraries": libraries})
    }
}
