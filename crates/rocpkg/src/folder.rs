//! Reads folders of profiles into texts.

use crate::error::Error;
use rocpkg_model::{Files, Finding, MAX_FILE_BYTES, Span};
use rocpkg_resolve::Model;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A file that should be a profile and can't be read as text.
#[derive(Clone, Debug)]
pub(crate) struct Unread {
    pub(crate) path: String,
    code: &'static str,
    message: String,
    label: &'static str,
    /// The text that the finding shows, with invalid bytes replaced; empty if nothing could be
    /// read. `at` is the offset of the fault in the text, in bytes.
    text: String,
    at: usize,
}

impl Unread {
    fn new(
        path: &str,
        code: &'static str,
        message: impl Into<String>,
        label: &'static str,
    ) -> Self {
        Self {
            path: path.to_owned(),
            code,
            message: message.into(),
            label,
            text: String::new(),
            at: 0,
        }
    }

    pub(crate) fn finding(&self, shown: &str, model: &mut Model) -> Finding {
        let at = u32::try_from(self.at).unwrap_or(u32::MAX);
        let file = model.sources.add(shown, self.text.as_str());
        model.broken.insert(self.path.clone());
        Finding::error(
            self.code,
            Span {
                file,
                start: at,
                end: at,
                inset: None,
            },
            self.message.as_str(),
        )
        .label(self.label)
    }
}

/// Returns the profiles (`.yaml` files) of a folder and its subfolders by path inside the folder,
/// and the files that should be profiles and can't be read. A subfolder that a link leads to a
/// second time is not read again; it is among the files that can't be read.
///
/// # Errors
/// The system's error if a folder can't be read.
pub(crate) fn read_folder(folder: &Path) -> Result<(Files, Vec<Unread>), Error> {
    let (mut files, mut unread) = (Files::new(), Vec::new());
    let mut open = vec![PathBuf::new()];
    let mut seen = BTreeSet::new();
    while let Some(inside) = open.pop() {
        // `folder.join("")` would end in a slash.
        let at = if inside.as_os_str().is_empty() {
            folder.to_owned()
        } else {
            folder.join(&inside)
        };
        let said = |source| Error::io(&at, source);
        if !seen.insert(at.canonicalize().map_err(said)?) {
            let name = inside.to_string_lossy();
            let message = format!("`{name}` is a link to a folder that was already read");
            let label = "expected no link to a folder beside or above this one";
            unread.push(Unread::new(&name, "E0571", message, label));
            continue;
        }
        for entry in fs::read_dir(&at).map_err(said)? {
            let entry = entry.map_err(said)?;
            let path = inside.join(entry.file_name());
            // The model reports the wrong ending of a `.yml` file.
            let ends = |ending: &str| {
                path.extension()
                    .is_some_and(|e| e.eq_ignore_ascii_case(ending))
            };
            if ends("yaml") || ends("yml") {
                let name = path.to_string_lossy().into_owned();
                match read_profile(&entry.path(), &name) {
                    Ok(text) => _ = files.insert(name, text),
                    Err(e) => unread.push(e),
                }
            } else if entry.path().is_dir() {
                open.push(path);
            }
        }
    }
    Ok((files, unread))
}

/// Reads the text of the file at `path`. `name` is the path inside the folder, for messages.
/// Reading stops one byte after the model's size limit, so a file of 100 MB is never held in
/// memory.
fn read_profile(path: &Path, name: &str) -> Result<String, Unread> {
    let io = |e: io::Error| {
        Unread::new(
            name,
            "E0577",
            e.to_string(),
            "expected a file that can be read",
        )
    };
    let kind = fs::metadata(path).map_err(io)?;
    if !kind.is_file() {
        let what = if kind.is_dir() {
            "a folder"
        } else {
            "a pipe, a socket or a device"
        };
        return Err(Unread::new(
            name,
            "E0571",
            format!("`{name}` is {what}"),
            "expected a plain file",
        ));
    }
    let mut bytes = Vec::new();
    let limited = fs::File::open(path)
        .map_err(io)?
        .take(MAX_FILE_BYTES as u64 + 1)
        .read_to_end(&mut bytes);
    limited.map_err(io)?;
    // If reading stopped in the middle of a character, the file is too large. The model reports
    // that by the length of the text.
    let large = bytes.len() > MAX_FILE_BYTES;
    String::from_utf8(bytes).or_else(|e| {
        if large {
            return Ok(" ".repeat(MAX_FILE_BYTES + 1));
        }
        let at = e.utf8_error().valid_up_to();
        let message = format!("the byte 0x{:02x} is not UTF-8", e.as_bytes()[at]);
        let text = String::from_utf8_lossy(e.as_bytes()).into_owned();
        Err(Unread {
            text,
            at,
            ..Unread::new(name, "E0575", message, "expected text in UTF-8")
        })
    })
}
