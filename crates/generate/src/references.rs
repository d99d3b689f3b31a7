//! Lists the references `${…}` that the steps in profiles may contain, by distribution. Each has
//! the text that recipes have in its place. The backends return the references. To get their texts,
//! a small package that contains the references is rendered.

use std::path::Path;

use rocpkg::internal::model::{Files, Severity};
use rocpkg::{Backend, Options, Stack};

/// The folder of the model that is rendered: one library that needs one package.
const MODEL: &str = "tests/supported";

/// A sample value for each placeholder in a reference: `source:PROJECT` is rendered as
/// `source:main`.
const SAMPLES: [(&str, &str); 7] = [
    ("PROJECT", "main"),
    ("SOURCE", "main"),
    ("PACKAGE", "clr"),
    ("PATTERN", "*.txt"),
    ("FLAG", "-Wl,-z"),
    ("FILE", "a.txt"),
    ("FOLDER", "bin"),
];

/// Returns the section “References in texts” of the document.
///
/// # Errors
/// When a model can't be read.
pub(crate) fn section(root: &Path) -> Result<String, String> {
    let mut out =
        "\n## References in texts\n\nThe references that a step may contain, and their text in a \
        recipe. `-` means that the recipe has no such reference. A name that a step or \
        `environment` sets is that variable.\n"
            .to_owned();
    for backend in Backend::ALL {
        out += &format!(
            "\n### In {}\n\n| word | a step |\n| --- | --- |\n",
            backend.distro()
        );
        let words = backend.words();
        for (word, said) in words.iter().zip(said(root, backend, &words)?) {
            let said = said.map_or_else(
                || "-".to_owned(),
                |text| format!("`{}`", text.replace('|', "\\|")),
            );
            out += &format!("| `{word}` | {said} |\n");
        }
    }
    Ok(out)
}

/// Returns the rendered text of each reference in `words`, or `None` for a reference that the
/// backend refuses.
fn said(root: &Path, backend: Backend, words: &[String]) -> Result<Vec<Option<String>>, String> {
    let phase = match backend {
        Backend::Gentoo | Backend::Solus => "install",
        Backend::Arch => "package",
        Backend::Nix => "postInstall",
    };
    let path = format!("distros/{}/probe.yaml", backend.distro());
    let line = |i: usize| format!("    - run: [probe-{i}, \"${{{}}}\"]", sample(&words[i]));
    let mut left: Vec<usize> = (0..words.len()).collect();
    loop {
        let lines: Vec<_> = left.iter().map(|i| line(*i)).collect();
        let text = format!("phases:\n  {phase}:\n{}\n", lines.join("\n"));
        let stack = Stack::empty().and_then(|stack| stack.layer(root.join(MODEL)));
        let stack = stack.map_err(|e| e.to_string())?;
        let stack = stack.texts("words", Files::from([(path.clone(), text.clone())]));
        let options = Options {
            backends: vec![backend],
            ..Options::everything()
        };
        let (tree, findings) = stack.attempt(&options).map_err(|e| e.to_string())?;
        let errors = findings
            .sorted()
            .into_iter()
            .filter(|f| f.severity == Severity::Error);
        let refused: Vec<usize> = errors
            .filter_map(|f| {
                let at = stack.sources().position(f.span?);
                let own = stack.sources().get(f.span?.file)?.path.ends_with(&path);
                // Lines count from 1, and the first two lines are keys.
                left.get(at.line.checked_sub(3)?).copied().filter(|_| own)
            })
            .collect();
        if refused.is_empty() {
            let files = tree
                .files
                .iter()
                .filter(|(path, _)| path.as_str().contains("probe"));
            let all: String = files
                .map(|(_, bytes)| String::from_utf8_lossy(bytes))
                .collect();
            let behind = |i: usize| {
                let value = all
                    .lines()
                    .find_map(|l| l.split_once(&format!("probe-{i} ")))?
                    .1
                    .trim();
                Some(
                    value
                        .strip_suffix(" || die")
                        .unwrap_or(value)
                        .trim()
                        .to_owned(),
                )
            };
            return Ok((0..words.len())
                .map(|i| behind(i).filter(|_| left.contains(&i)))
                .collect());
        }
        left.retain(|i| !refused.contains(i));
    }
}

/// Returns a reference with its placeholder replaced by a sample: `source:PROJECT` gives
/// `source:main`.
fn sample(word: &str) -> String {
    let Some((kind, placeholder)) = word.split_once([':', '/']) else {
        return word.to_owned();
    };
    let sample = SAMPLES
        .iter()
        .find(|(name, _)| *name == placeholder)
        .map(|(_, sample)| *sample);
    match sample {
        Some(sample) => format!("{kind}:{sample}"),
        None if placeholder == "NUMBER" => format!("{kind}/4"),
        None => word.to_owned(),
    }
}
