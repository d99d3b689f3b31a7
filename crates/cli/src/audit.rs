//! `rocpkg audit`, and what `rocpkg gpu --installed` reads.

use crate::args::{AuditArgs, RowFormat, words};
use crate::gpu::{reported, word};
use crate::outcome::{DIFFERS, OK, Outcome, remarks};
use indexmap::IndexMap;
use rocpkg::audit::{
    About, Audit, File, Kind, Method, Packing, RULES, Row, damaged, file_on, held, read, stem,
};
use rocpkg::gpu::{Questions, Way};
use rocpkg::targets::{Registry, Target, TargetSet};
use rocpkg::{Error, Stack};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Where distributions install libraries, the first that holds some of the stack being meant.
const FOLDERS: [&str; 5] =
    ["/opt/rocm/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/run/current-system/sw/lib"];

/// What was read of a path.
struct Read {
    path: String,
    /// The name of the package that it is of, as far as its libraries don't tell.
    holder: String,
    audit: Audit,
    rows: Vec<Row>,
}

/// Reads what was built, and holds it against the recipes of a distribution.
pub(crate) fn run(args: &AuditArgs, verbose: bool) -> Result<Outcome, Error> {
    let (backend, paths) = words(&args.words);
    if paths.is_empty() {
        return Err(Error::Asked("what to read is not said: name files, folders or packages".to_owned()));
    }
    let stack = args.plan.model.stack()?;
    let registry = stack.registry()?;
    let chosen = args.targets.as_ref().map(|list| stack.targets(list)).transpose()?;
    let gpu = args.gpu.as_ref().map(|name| stack.gpu(name)).transpose()?;
    let gpus = gpu.map_or(TargetSet::EMPTY, |found| reported(&stack, found.targets()));
    let questions = backend.map(|b| stack.questions(b, args.plan.choice()?)).transpose()?;
    let mut all = Vec::new();
    for path in &paths {
        let audit = read(Path::new(path)).map_err(|e| Error::Asked(e.to_string()))?;
        let holder = args.package.clone().unwrap_or_else(|| holder(path));
        let rows = match &questions {
            Some(q) => q.audited(&audit, &holder, &stack.model().externals, chosen),
            None => damaged(&audit),
        };
        all.push(Read { path: path.clone(), holder, audit, rows });
    }
    let is_fault = |read: &Read| read.rows.iter().any(|row| row.about.is_fault());
    let status = if all.iter().any(is_fault) { DIFFERS } else { OK };
    let outcome = match args.format {
        RowFormat::Text => {
            Outcome::done(all.iter().map(|r| text(registry, questions.as_ref(), r, gpus, verbose)).collect())
        }
        RowFormat::Json => {
            let each: Vec<Value> =
                all.iter().map(|r| as_json(registry, questions.as_ref(), r, gpus)).collect();
            Outcome::json(
                &json!({"read": each, "results": all.iter().flat_map(|r| built(questions.as_ref(), r)).collect::<Vec<_>>()}),
            )
        }
        RowFormat::Sarif => Outcome::json(&sarif(&all)),
    };
    Ok(Outcome { status, ..outcome })
}

/// The name of a package's file or folder, less the hash of one in Nix' store.
fn holder(path: &str) -> String {
    let name =
        Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match name.split_once('-') {
        Some((hash, rest)) if path.starts_with("/nix/store/") && hash.len() == 32 => rest.to_owned(),
        _ => name,
    }
}

fn bytes(size: u64) -> String {
    if size < 1_000_000 { format!("{} kB", size.div_ceil(1000)) } else { format!("{} MB", size / 1_000_000) }
}

/// The files with code that are told together: each library by itself, and the kernel files of a folder.
fn units(audit: &Audit) -> IndexMap<&str, Vec<&File>> {
    let mut out: IndexMap<&str, Vec<&File>> = IndexMap::new();
    for file in audit.files.iter().filter(|file| !file.objects.is_empty()) {
        let folder = file.path.rsplit_once('/').map_or(file.path.as_str(), |(folder, _)| folder);
        let is_library = matches!(file.kind, Kind::Elf | Kind::Archive);
        out.entry(if is_library { &file.path } else { folder }).or_default().push(file);
    }
    out
}

fn text(registry: &Registry, q: Option<&Questions>, read: &Read, gpus: TargetSet, verbose: bool) -> String {
    let mut out = format!("{}: {} files that are known\n", read.path, read.audit.files.len());
    for (name, files) in units(&read.audit) {
        let objects = files.iter().flat_map(|f| &f.objects);
        let (count, size) = objects.fold((0, 0_u64), |(n, s), o| (n + 1, s.saturating_add(o.size)));
        let of = owner(q, files[0], &read.holder).map(|id| format!(" of {id}")).unwrap_or_default();
        let many = if files.len() > 1 { format!(", in {} files", files.len()) } else { String::new() };
        out += &format!("  {name}{of}: {count} code objects{many}, {}, {}\n", bytes(size), packed(&files));
        out += &format!("    {}\n", ids(&files).join(" "));
        for gpu in gpus.iter() {
            let way = on(registry, q, &files, &read.holder, gpu);
            out += &format!("    on {}: {way}\n", registry.name(gpu));
        }
    }
    for file in read.audit.files.iter().filter(|f| verbose && !f.needed.is_empty()) {
        out += &format!("  {} needs {}\n", file.path, file.needed.join(" "));
    }
    let is_told = |row: &&Row| verbose || row.about.is_fault() || row.about == About::Open;
    for row in read.rows.iter().filter(is_told) {
        let word = if row.about.is_fault() { "warning" } else { "note" };
        out += &format!("{word}[{}]: {}: {}\n", row.about.rule().0, row.file, row.said);
    }
    let notes = read.rows.iter().filter(|row| !is_told(row)).count();
    if notes > 0 {
        out += &format!("{notes} notes more; -v lists them, and what each file needs\n");
    }
    out
}

fn owner(q: Option<&Questions>, file: &File, holder: &str) -> Option<String> {
    Some(q?.package_of(file, holder)?.id.clone())
}

/// The target IDs of code, as it states them.
fn ids<'f>(files: &[&'f File]) -> Vec<&'f str> {
    let all: BTreeSet<&str> = files.iter().flat_map(|f| &f.objects).map(|o| o.target.as_str()).collect();
    all.into_iter().collect()
}

/// How bundles are packed.
fn packed(files: &[&File]) -> String {
    let word = |row: &Packing| {
        let version = row.version.map(|v| format!(" (version {v})")).unwrap_or_default();
        match row.method {
            Method::Plain => "plain".to_owned(),
            Method::Zlib => format!("compressed by zlib{version}"),
            Method::Zstd => format!("compressed by zstd{version}"),
        }
    };
    let all: BTreeSet<String> = files.iter().flat_map(|f| &f.packing).map(word).collect();
    if all.is_empty() { "in no bundle".to_owned() } else { all.into_iter().collect::<Vec<_>>().join(", ") }
}

/// How files run on a GPU, in words.
fn on(registry: &Registry, q: Option<&Questions>, files: &[&File], holder: &str, gpu: Target) -> String {
    let patched = |file: &File| q.map(|q| q.is_patched_for(file, q.package_of(file, holder)));
    let ways = files.iter().map(|file| {
        let way = file_on(registry, file, gpu, patched(file).unwrap_or(false));
        match (&way, file_on(registry, file, gpu, true)) {
            (Way::Without | Way::Override { .. }, by_patch @ Way::Loads { .. })
                if patched(file).is_none() =>
            {
                format!("{}; without them {}", word(registry, &by_patch), word(registry, &way))
            }
            _ => word(registry, &way),
        }
    });
    // Of kernel files, each of which has one target, some must run.
    let ways: BTreeSet<String> = ways.collect();
    let some: Vec<String> = ways.iter().filter(|way| *way != "no kernels").cloned().collect();
    if some.is_empty() { "no kernels".to_owned() } else { some.join(", ") }
}

fn as_json(registry: &Registry, q: Option<&Questions>, read: &Read, gpus: TargetSet) -> Value {
    let libraries = units(&read.audit).into_iter().map(|(name, files)| {
        let ways = gpus.iter().map(|gpu| (registry.name(gpu).to_owned(), json!(on(registry, q, &files, &read.holder, gpu))));
        json!({"name": name, "package": owner(q, files[0], &read.holder), "targets": ids(&files), "packing": packed(&files),
            "on": ways.collect::<serde_json::Map<_, _>>()})
    });
    let row = |row: &Row| json!({"file": row.file, "package": row.package, "about": row.about.rule().0, "said": row.said});
    let rows: Vec<Value> = read.rows.iter().map(row).collect();
    json!({"path": read.path, "libraries": libraries.collect::<Vec<_>>(), "files": read.audit.files, "rows": rows})
}

/// What was built for which target, as results that `rocpkg report` takes.
fn built(q: Option<&Questions>, read: &Read) -> Vec<Value> {
    let Some(q) = q else { return Vec::new() };
    let mut packages: IndexMap<String, TargetSet> = IndexMap::new();
    for file in read.audit.files.iter().filter(|f| !f.objects.is_empty()) {
        if let Some(id) = owner(Some(q), file, &read.holder) {
            let all = packages.entry(id).or_insert(TargetSet::EMPTY);
            *all = all.union(held(q.registry, [file]));
        }
    }
    let row = |(id, target): (&String, Target)| {
        json!({"package": id, "release": q.plan.version.to_string(), "distribution": q.plan.distro_name,
            "target": q.registry.name(target), "outcome": "built", "log": read.path})
    };
    packages.iter().flat_map(|(id, all)| all.iter().map(move |t| (id, t))).map(row).collect()
}

fn sarif(all: &[Read]) -> Value {
    let rules = RULES.map(|(_, word, text)| (word, text));
    let result = |row: &Row| {
        json!({
            "ruleId": row.about.rule().0,
            "level": if row.about.is_fault() { "warning" } else { "note" },
            "message": {"text": row.said},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": row.file}}}],
        })
    };
    remarks(&rules, &all.iter().flat_map(|read| &read.rows).map(result).collect::<Vec<_>>())
}

/// The libraries of the stack that lie in a folder of a machine.
pub(crate) struct Installed {
    folder: PathBuf,
    audit: Audit,
}

impl Installed {
    /// Reads the libraries that components name, and the kernel files in the folders beside them.
    pub(crate) fn read(stack: &Stack, dir: Option<&Path>) -> Result<Self, Error> {
        let stems = stack.libraries();
        let is_ours = |name: &str| stem(name).is_some_and(|stem| stems.contains(stem));
        let names = |folder: &Path| -> Vec<String> {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let mut names: Vec<String> =
                entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
            names.sort();
            names
        };
        let folders: Vec<&Path> =
            dir.map_or_else(|| FOLDERS.iter().map(Path::new).collect(), |dir| vec![dir]);
        let found = folders.iter().find(|folder| names(folder).iter().any(|name| is_ours(name)));
        let Some(folder) = found else {
            let looked: Vec<String> = folders.iter().map(|f| f.display().to_string()).collect();
            return Err(Error::Asked(format!(
                "--installed: no library of the stack lies in {}",
                looked.join(", ")
            )));
        };
        let mut audit = Audit::default();
        for name in names(folder) {
            let path = folder.join(&name);
            let is_file = fs::symlink_metadata(&path).is_ok_and(|m| m.is_file());
            if !(is_file && is_ours(&name) || stems.contains(name.as_str()) && path.is_dir()) {
                continue;
            }
            let mut one = read(&path).map_err(|e| Error::Asked(e.to_string()))?;
            for file in one.files.iter_mut().filter(|_| path.is_dir()) {
                file.path = format!("{name}/{}", file.path);
            }
            audit.files.append(&mut one.files);
        }
        Ok(Self { folder: (*folder).to_owned(), audit })
    }

    pub(crate) fn text(&self, registry: &Registry, gpus: TargetSet) -> String {
        let mut out = String::new();
        for gpu in gpus.iter() {
            out += &format!("installed in {}, on {}:\n", self.folder.display(), registry.name(gpu));
            let mut ways: IndexMap<String, Vec<&str>> = IndexMap::new();
            for (name, files) in units(&self.audit) {
                ways.entry(on(registry, None, &files, "", gpu)).or_default().push(name);
            }
            for (way, names) in ways {
                out += &format!("  {way}: {}\n", names.join(" "));
            }
        }
        out
    }

    pub(crate) fn as_json(&self, registry: &Registry, gpus: TargetSet) -> Value {
        let libraries = units(&self.audit).into_iter().map(|(name, files)| {
            let ways = gpus
                .iter()
                .map(|gpu| (registry.name(gpu).to_owned(), json!(on(registry, None, &files, "", gpu))));
            json!({"name": name, "targets": ids(&files), "on": ways.collect::<serde_json::Map<_, _>>()})
        });
        json!({"folder": self.folder.display().to_string(), "libraries": libraries.collect::<Vec<_>>()})
    }
}
