//! Folders given on the command line, as texts.

use crate::args::ModelArgs;
use rocpkg::Backend;
use rocpkg::model::{Files, Findings, MAX_FILE_BYTES};
use rocpkg::resolve::Model;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The built-in model with folders laid over it, or the folders alone.
pub(crate) fn load(args: &ModelArgs) -> Result<(Model, Findings), String> {
    let mut layers = Vec::new();
    if !args.no_builtin {
        layers.push((String::new(), rocpkg::profiles()));
    } else if args.profiles.is_empty() {
        return Err("--no-builtin leaves no profiles: name a folder with --profiles DIR".to_owned());
    }
    for folder in &args.profiles {
        // The model says what is wrong with the name of a `.yml`.
        let files =
            read_folder(folder, &["yaml", "yml"]).map_err(|e| format!("{}: {e}", folder.display()))?;
        if files.is_empty() {
            return Err(format!("--profiles {}: the folder holds no profile", folder.display()));
        }
        layers.push((folder.display().to_string(), files));
    }
    Ok(Model::load(&layers))
}

/// Refuses a distribution that no profile tells of; a file that can't be read is a finding already.
pub(crate) fn require(model: &Model, findings: &Findings, backends: &[Backend]) -> Result<(), String> {
    let missing = backends.iter().find(|b| !model.distros.contains_key(b.distro()));
    match missing {
        Some(b) if !findings.has_errors() => {
            Err(format!("no profile tells what {0} ships: distros/{0}.yaml is missing", b.distro()))
        }
        _ => Ok(()),
    }
}

/// All files of a folder with one of some endings, by path inside it.
///
/// # Errors
/// What the system says; also when the folder is none.
pub(crate) fn read_folder(folder: &Path, endings: &[&str]) -> io::Result<Files> {
    let mut out = Files::new();
    let mut open = vec![PathBuf::new()];
    while let Some(inside) = open.pop() {
        for entry in fs::read_dir(folder.join(&inside))? {
            let entry = entry?;
            let path = inside.join(entry.file_name());
            let kind = fs::metadata(entry.path())?;
            if kind.is_dir() {
                open.push(path);
            } else if path
                .extension()
                .is_some_and(|e| endings.iter().any(|ending| e.eq_ignore_ascii_case(ending)))
            {
                out.insert(path.to_string_lossy().replace('\\', "/"), read_limited(&entry.path())?);
            }
        }
    }
    Ok(out)
}

/// The text of a file, cut one byte over the size that the model refuses, so that 100 MB are never held.
fn read_limited(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    String::from_utf8(bytes).or_else(|e| {
        // A file that was cut in the middle of a character is too large anyway.
        if e.as_bytes().len() > MAX_FILE_BYTES {
            Ok(" ".repeat(MAX_FILE_BYTES + 1))
        } else {
            Err(io::Error::new(io::ErrorKind::InvalidData, format!("{} is not UTF-8", path.display())))
        }
    })
}
