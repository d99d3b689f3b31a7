//! Folders given on the command line, as texts.

use crate::args::ModelArgs;
use rocpkg::Backend;
use rocpkg::model::{Files, Finding, Findings, MAX_FILE_BYTES, Sources, Span};
use rocpkg::resolve::Model;
use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::string::FromUtf8Error;

/// The built-in model with folders laid over it, or the folders alone.
///
/// # Errors
/// As [`read_folder`]; also when there is no profile.
pub(crate) fn load(args: &ModelArgs) -> Result<(Model, Findings), String> {
    if args.no_builtin && args.profiles.is_empty() {
        return Err("--no-builtin leaves no profiles: name a folder with --profiles DIR".to_owned());
    }
    let mut layers = Vec::new();
    let mut unread = Vec::new();
    if !args.no_builtin {
        layers.push((String::new(), rocpkg::profiles()));
    }
    for folder in &args.profiles {
        // The model says what is wrong with the name of a `.yml`.
        let read = read_folder(folder, &["yaml", "yml"])?;
        if read.files.is_empty() && read.unread.is_empty() {
            return Err(format!("--profiles {}: the folder holds no profile", folder.display()));
        }
        let shown = folder.display().to_string();
        unread.extend(read.unread.into_iter().map(|u| (format!("{shown}/{}", u.path), u)));
        layers.push((shown, read.files));
    }
    let (mut model, mut findings) = Model::load(&layers);
    for (shown, file) in unread {
        findings.push(file.finding(&shown, &mut model));
    }
    Ok((model, findings))
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

/// What a folder holds.
#[derive(Debug, Default)]
pub(crate) struct Folder {
    /// The texts by path inside it.
    pub(crate) files: Files,
    /// What should be a text and is none.
    pub(crate) unread: Vec<Unread>,
}

/// A file that can't be read as text.
#[derive(Debug)]
pub(crate) struct Unread {
    path: String,
    code: &'static str,
    message: String,
    label: &'static str,
    /// As much of the text as can be shown, and where in it the fault is.
    text: String,
    at: usize,
}

impl Unread {
    fn new(path: &str, code: &'static str, message: String, label: &'static str) -> Self {
        Self { path: path.to_owned(), code, message, label, text: String::new(), at: 0 }
    }

    fn finding(self, shown: &str, model: &mut Model) -> Finding {
        let at = u32::try_from(self.at).unwrap_or(u32::MAX);
        let file = model.sources.add(shown, self.text);
        model.broken.insert(self.path);
        Finding::error(self.code, Span { file, start: at, end: at, inset: None }, self.message)
            .label(self.label)
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sources = Sources::default();
        let file = sources.add(self.path.as_str(), self.text.as_str());
        let start = u32::try_from(self.at).unwrap_or(u32::MAX);
        let place = sources.place(Span { file, start, end: start, inset: None });
        write!(f, "{place}: {} [{}]", self.message, self.code)
    }
}

/// All files of a folder with one of some endings, by path inside it. Each folder is read once, whatever links lead there; what
/// is no plain file is not opened.
///
/// # Errors
/// What the system says of a folder, with its path; also when it is none.
pub(crate) fn read_folder(folder: &Path, endings: &[&str]) -> Result<Folder, String> {
    let said = |inside: &Path, e: &dyn fmt::Display| {
        // Joined with nothing, a path would end in a slash.
        let at = if inside.as_os_str().is_empty() { folder.to_owned() } else { folder.join(inside) };
        format!("{}: {e}", at.display())
    };
    let mut out = Folder::default();
    let top = fs::metadata(folder).map_err(|e| said(Path::new(""), &e))?;
    let mut open = vec![(PathBuf::new(), (top.dev(), top.ino()))];
    let mut seen = BTreeSet::new();
    while let Some((inside, identity)) = open.pop() {
        if !seen.insert(identity) {
            let name = inside.to_string_lossy();
            let message = format!("`{name}` is a folder that was read already");
            out.unread.push(Unread::new(
                &name,
                "E0571",
                message,
                "expected no link to a folder beside or above it",
            ));
            continue;
        }
        for entry in fs::read_dir(folder.join(&inside)).map_err(|e| said(&inside, &e))? {
            let entry = entry.map_err(|e| said(&inside, &e))?;
            let path = inside.join(entry.file_name());
            // A backslash is a character like others here.
            let name = path.to_string_lossy().into_owned();
            let ends = |ending: &&str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending));
            let wanted = endings.iter().any(ends);
            let kind = match fs::metadata(entry.path()) {
                Ok(kind) => kind,
                Err(e) if wanted => {
                    out.unread.push(Unread::new(
                        &name,
                        "E0577",
                        e.to_string(),
                        "expected a file that can be read",
                    ));
                    continue;
                }
                Err(_) => continue,
            };
            if kind.is_dir() && !wanted {
                open.push((path, (kind.dev(), kind.ino())));
            } else if wanted && !kind.is_file() {
                let what = if kind.is_dir() { "a folder" } else { "a pipe, a socket or a device" };
                let message = format!("`{name}` is {what}");
                out.unread.push(Unread::new(&name, "E0571", message, "expected a plain file"));
            } else if wanted {
                match read_limited(&entry.path()) {
                    Ok(Ok(text)) => _ = out.files.insert(name, text),
                    Ok(Err(e)) => {
                        let at = e.utf8_error().valid_up_to();
                        let message = format!("the byte 0x{:02x} is not UTF-8", e.as_bytes()[at]);
                        let text = String::from_utf8_lossy(e.as_bytes()).into_owned();
                        let unread = Unread::new(&name, "E0575", message, "expected text in UTF-8");
                        out.unread.push(Unread { text, at, ..unread });
                    }
                    Err(e) => {
                        out.unread.push(Unread::new(
                            &name,
                            "E0577",
                            e.to_string(),
                            "expected a file that can be read",
                        ));
                    }
                }
            }
        }
    }
    Ok(out)
}

/// The text of a file, cut one byte over the size that the model refuses, so that 100 MB are never held.
fn read_limited(path: &Path) -> io::Result<Result<String, FromUtf8Error>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    // A file that was cut in the middle of a character is too large anyway.
    let large = bytes.len() > MAX_FILE_BYTES;
    let read = String::from_utf8(bytes);
    Ok(if large && read.is_err() { Ok(" ".repeat(MAX_FILE_BYTES + 1)) } else { read })
}
