//! What `${…}` may hold, by distribution and by place, and what each recipe makes of it. The words are those of the backends; what
//! becomes of them is read off a small package that is rendered with them.

use std::{collections::BTreeMap, fs, path::Path};

use rocpkg::model::{Files, Severity};
use rocpkg::{Backend, Options, Stack};

/// The model that is rendered: one library that needs one package.
const MODEL: &str = "tests/heard";

/// What stands for a placeholder of a word.
const SAMPLES: [(&str, &str); 7] = [
    ("PROJECT", "main"),
    ("SOURCE", "main"),
    ("PACKAGE", "clr"),
    ("PATTERN", "*.txt"),
    ("FLAG", "-Wl,-z"),
    ("FILE", "a.txt"),
    ("FOLDER", "bin"),
];

/// A place of a package where texts stand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Step,
    Argument,
    Environment,
}

impl Place {
    const ALL: [Self; 3] = [Self::Step, Self::Argument, Self::Environment];

    /// The heading of its column.
    fn heading(self) -> &'static str {
        match self {
            Self::Step => "a step",
            Self::Argument => "a CMake argument",
            Self::Environment => "the environment",
        }
    }

    /// The keys that hold a text at this place, up to the texts.
    fn head(self, backend: Backend) -> String {
        let phase = match backend {
            Backend::Gentoo | Backend::Solus => "install",
            Backend::Arch => "package",
            Backend::Nix => "postInstall",
        };
        match self {
            Self::Step => format!("phases:\n  {phase}:\n"),
            Self::Argument => "cmake:\n  main:\n    arguments:\n".to_owned(),
            Self::Environment => format!("environment:\n  {phase}:\n"),
        }
    }

    /// A text on a line of its own, behind the mark of its number.
    fn line(self, i: usize, word: &str) -> String {
        match self {
            Self::Step => format!("    - run: [probe-{i}, \"${{{word}}}\"]\n"),
            Self::Argument => format!("      PROBE_{i}: \"${{{word}}}\"\n"),
            Self::Environment => format!("    PROBE_{i}: \"${{{word}}}\"\n"),
        }
    }

    /// What a recipe says behind the mark of a number.
    fn said(self, backend: Backend, text: &str, i: usize) -> Option<String> {
        let (mark, opening, ends): (String, &str, &[&str]) = match (self, backend) {
            (Self::Step, _) => (format!("probe-{i}"), " ", &[" || die"]),
            (Self::Argument, Backend::Nix) => (format!("\"PROBE_{i}\""), " ", &[")"]),
            (Self::Argument, _) => (format!("-DPROBE_{i}"), "=", &[" \\"]),
            (Self::Environment, Backend::Nix) => (format!("PROBE_{i}"), " = ", &[";"]),
            (Self::Environment, _) => (format!("PROBE_{i}"), "=", &[]),
        };
        let line = text.lines().find_map(|line| line.split_once(&mark)?.1.strip_prefix(opening));
        let mut value = line?.trim();
        for end in ends {
            value = value.strip_suffix(end).unwrap_or(value).trim();
        }
        Some(value.to_owned())
    }
}

/// The section of the document.
///
/// # Errors
/// A model that can't be read.
pub(crate) fn section(root: &Path) -> Result<String, String> {
    let mut out = "\n## References in texts\n\nWhat a text with references may hold, by place, and what a recipe says there; `-` is \
                   refused. A name that a step or the environment gives is that variable.\n"
        .to_owned();
    for backend in Backend::ALL {
        let words = backend.words();
        out += &format!("\n### In {}\n\n| word |", backend.distro());
        for place in Place::ALL {
            out += &format!(" {} |", place.heading());
        }
        out += "\n| --- |";
        out += &" --- |".repeat(Place::ALL.len());
        out += "\n";
        let columns: Vec<BTreeMap<String, String>> = Place::ALL
            .iter()
            .map(|place| column(root, backend, *place, &words))
            .collect::<Result<_, String>>()?;
        for word in &words {
            out += &format!("| `{word}` |");
            for column in &columns {
                let said = column.get(word).map(|text| format!("`{}`", text.replace('|', "\\|")));
                out += &format!(" {} |", said.unwrap_or_else(|| "-".to_owned()));
            }
            out += "\n";
        }
    }
    Ok(out)
}

/// What becomes of each word at a place; those that are refused are not there.
fn column(
    root: &Path,
    backend: Backend,
    place: Place,
    words: &[String],
) -> Result<BTreeMap<String, String>, String> {
    let mut left: Vec<(usize, &String)> = words.iter().enumerate().collect();
    let path = format!("distros/{}/probe.yaml", backend.distro());
    loop {
        let mut text = place.head(backend);
        for (i, word) in &left {
            text += &place.line(*i, &sample(word));
        }
        let over = Files::from([(path.clone(), text.clone())]);
        let stack = Stack::empty().map_err(|e| e.to_string())?;
        let stack = stack.texts("model", model(root)?).texts("words", over);
        let options = Options { backends: vec![backend], ..Options::everything() };
        let (tree, findings) = stack.attempt(&options).map_err(|e| e.to_string())?;
        let refused: Vec<usize> = findings
            .sorted()
            .into_iter()
            .filter(|f| f.severity == Severity::Error)
            .filter_map(|f| {
                let at = stack.sources().position(f.span?);
                let own = stack.sources().get(f.span?.file)?.path.ends_with(&path);
                let line = own.then(|| text.lines().nth(at.line - 1))??;
                left.iter().map(|(i, _)| *i).find(|i| line == place.line(*i, &sample(&words[*i])).trim_end())
            })
            .collect();
        if refused.is_empty() {
            let all: Vec<String> = tree
                .files
                .iter()
                .filter(|(path, _)| path.as_str().contains("probe"))
                .map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned())
                .collect();
            let said = |i| all.iter().find_map(|text| place.said(backend, text, i));
            return Ok(left.into_iter().filter_map(|(i, word)| Some((word.clone(), said(i)?))).collect());
        }
        left.retain(|(i, _)| !refused.contains(i));
    }
}

/// A word with samples for its placeholders.
fn sample(word: &str) -> String {
    let Some((kind, placeholder)) = word.split_once([':', '/']) else { return word.to_owned() };
    let sample = SAMPLES.iter().find(|(name, _)| *name == placeholder).map(|(_, sample)| *sample);
    match sample {
        Some(sample) => format!("{kind}:{sample}"),
        None if placeholder == "NUMBER" => format!("{kind}/4"),
        None => word.to_owned(),
    }
}

fn model(root: &Path) -> Result<Files, String> {
    let (folder, mut out, mut open) = (root.join(MODEL), Files::new(), vec![String::new()]);
    while let Some(inside) = open.pop() {
        let entries = fs::read_dir(folder.join(&inside)).map_err(|e| format!("{MODEL}/{inside}: {e}"))?;
        for entry in entries {
            let entry = entry.map_err(|e| format!("{MODEL}/{inside}: {e}"))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if inside.is_empty() { name } else { format!("{inside}/{name}") };
            if entry.path().is_dir() {
                open.push(path);
            } else if Path::new(&path).extension().is_some_and(|e| e == "yaml") {
                let text = fs::read_to_string(entry.path()).map_err(|e| format!("{path}: {e}"))?;
                out.insert(path, text);
            }
        }
    }
    Ok(out)
}
