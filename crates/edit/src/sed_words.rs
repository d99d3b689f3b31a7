//! A step of `sed` in other words than the model's, with the same meaning: its own signs, and `-i`
//! before each file. What the model changes in the step is changed in these words.

use rocpkg_syntax::words::{Word, split};
use rocpkg_syntax::{Node, Outline};
use std::collections::BTreeSet;
use std::ops::Range;

/// The words of a command of `sed`.
struct SedStep<'a> {
    recipe: &'a Outline,
    scripts: Vec<Word>,
    files: Vec<Word>,
    /// The number of options `-i`.
    in_place: usize,
    /// The end of each word before a file, without a `-i` directly before the file.
    ends: Vec<usize>,
}

impl<'a> SedStep<'a> {
    /// Reads a step. Returns none if it is no command of `sed`, or has options other than `-i` and
    /// `-e`.
    fn read(recipe: &'a Outline, step: &Node) -> Option<Self> {
        let words = split(&recipe.text, step.at.start, step.at.end);
        let text = |word: &Word| &recipe.text[word.at.clone()];
        let has_expressions = words.iter().any(|word| text(word) == "-e");
        let mut out = Self {
            recipe,
            scripts: Vec::new(),
            files: Vec::new(),
            in_place: 0,
            ends: Vec::new(),
        };
        let mut words = words.into_iter();
        let mut end = words.next().filter(|name| text(name) == "sed")?.at.end;
        while let Some(word) = words.next() {
            match text(&word) {
                "||" | "&&" | "|" | ";" => break,
                "-i" => {
                    out.in_place += 1;
                    continue;
                }
                "-e" => {
                    let script = words.next()?;
                    end = script.at.end;
                    out.scripts.push(script);
                    continue;
                }
                option if option.starts_with('-') => return None,
                _ if out.scripts.is_empty() && !has_expressions => {
                    end = word.at.end;
                    out.scripts.push(word);
                    continue;
                }
                _ => {}
            }
            out.ends.push(end);
            end = word.at.end;
            out.files.push(word);
        }
        Some(out).filter(|step| !step.scripts.is_empty() && !step.files.is_empty())
    }

    fn text(&self, word: &Word) -> &'a str {
        &self.recipe.text[word.at.clone()]
    }

    fn value(&self, word: &Word) -> String {
        self.recipe.words.value(&word.pieces).real
    }

    fn has(&self, file: &str) -> bool {
        self.files.iter().any(|word| self.value(word) == file)
    }

    /// Returns the text that goes before a further file.
    fn between(&self) -> &'a str {
        match (self.files.as_slice(), self.ends.last()) {
            ([_, .., last], Some(end)) => &self.recipe.text[*end..last.at.start],
            _ => " ",
        }
    }
}

/// Returns the files that a step of `sed` edits; none for any other step.
pub(crate) fn files(recipe: &Outline, step: &Node) -> Option<BTreeSet<String>> {
    let step = SedStep::read(recipe, step)?;
    Some(step.files.iter().map(|word| step.value(word)).collect())
}

/// Returns the edits by which `own`, a step of the existing recipe, gets the changes from the step
/// `old` to the step `new` of two renderings. `own` means the same as `old`. Returns none if the
/// change can't be written in the words of `own`.
pub(crate) fn rewritten(
    (existing, own): (&Outline, &Node),
    (before, old): (&Outline, &Node),
    (after, new): (&Outline, &Node),
) -> Option<Vec<(Range<usize>, String)>> {
    let own = SedStep::read(existing, own)?;
    let (old, new) = (SedStep::read(before, old)?, SedStep::read(after, new)?);
    let counts = [&own, &old, &new].map(|step| step.scripts.len());
    if counts[0] != counts[1] || counts[1] != counts[2] {
        return None;
    }
    let mut edits = Vec::new();
    for (i, word) in own.scripts.iter().enumerate() {
        if old.value(&old.scripts[i]) != new.value(&new.scripts[i]) {
            let script = resigned(new.text(&new.scripts[i]), own.text(word))?;
            edits.push((word.at.clone(), script));
        }
    }
    let gone = |file: &String| old.has(file) && !new.has(file);
    let values: Vec<String> = own.files.iter().map(|word| own.value(word)).collect();
    if values.iter().all(gone) {
        return None;
    }
    for (i, word) in own
        .files
        .iter()
        .enumerate()
        .filter(|(i, _)| gone(&values[*i]))
    {
        // The first file is behind the only `-i`, which stays.
        let at = match own.files.get(i + 1) {
            Some(next) if i == 0 && own.in_place == 1 => word.at.start..next.at.start,
            _ => own.ends[i]..word.at.end,
        };
        edits.push((at, String::new()));
    }
    let end = own.files.last()?.at.end;
    for word in new.files.iter().filter(|word| {
        let file = new.value(word);
        !own.has(&file) && !old.has(&file)
    }) {
        edits.push((end..end, format!("{}{}", own.between(), new.text(word))));
    }
    Some(edits)
}

/// Returns the script `new` with the sign of the script `own`, and without the flag `g` if `own`
/// has none: `"s|a|b|g"` and `'s:x:y:'` → `"s:a:b:"`. Returns none if the sign is in the text.
fn resigned(new: &str, own: &str) -> Option<String> {
    let sign = |script: &str| {
        let at = script.find(|c: char| c.is_ascii_alphanumeric())?;
        let mut rest = script[at..].strip_prefix('s')?.chars();
        rest.next().filter(char::is_ascii_punctuation)
    };
    let (from, to) = (sign(new)?, sign(own)?);
    let is_plain = new.matches(from).count() == 3 && !new.contains(['\\']);
    let out = match from == to {
        true => new.to_owned(),
        false if is_plain && !new.contains(to) => new.replace(from, &to.to_string()),
        false => return None,
    };
    let flag = |script: &str| {
        let script = script.trim_end_matches(['"', '\'']);
        script.ends_with('g') && script[..script.len() - 1].ends_with([to, from])
    };
    Some(match out.rfind('g') {
        Some(at) if flag(&out) && !flag(own) => [&out[..at], &out[at + 1..]].concat(),
        _ => out,
    })
}
