//! Reports folders that functions enter but no source unpacks to.

use super::recipe::Recipe;
use super::sources::Folders;
use super::steps::{PathStep, in_sources};
use super::values::Element;
use rocpkg_syntax::words::{Piece, split};
use rocpkg_syntax::{Checked, Fault};
use std::collections::BTreeSet;
use std::ops::Range;

const SUBJECT: &str = "folders that functions enter";

/// Commands that may create folders whose names are not among their arguments.
const UNPACKS: &str = "tar bsdtar unzip 7z 7za 7zr unrar ar dpkg-deb dpkg cpio bsdcpio rpm2cpio \
rpmextract.sh unsquashfs innoextract asar svn hg bzr cvs fossil eval source . unar cabextract lha gem \
setconf curl wget npm yarn sh bash";

/// Commands that only read or remove folders.
const LOOKS: &str = "cd pushd popd rm rmdir ls test find chmod chown sed grep echo printf msg msg2 \
error warning export local true false cat [ [[";

/// Commands whose last argument is the file or folder that they create.
const MOVES: &str = "cp mv ln rsync";

/// Reports folders that functions enter, that no source unpacks to, and that no function creates.
pub(super) fn check(recipe: &Recipe, out: &mut Checked) {
    let entered = entered(recipe);
    let Some((_, first)) = entered.first() else {
        return;
    };
    let known = match known(recipe) {
        Ok(known) => known,
        Err(reason) => return out.not_checked(first.start, SUBJECT, reason),
    };
    let made = match made(recipe) {
        Ok(made) => made,
        Err(reason) => return out.not_checked(first.start, SUBJECT, reason),
    };
    let mut seen = BTreeSet::new();
    for (folder, at) in entered {
        let is_known = known.iter().any(|known| known.is(&folder));
        if is_known || made.contains(&folder) || !seen.insert(folder.clone()) {
            continue;
        }
        if known.iter().any(|known| known.may_be(&folder)) {
            out.not_checked(
                at.start,
                SUBJECT,
                format!("the repository of `{folder}` may be renamed"),
            );
            continue;
        }
        let names: Vec<_> = known.iter().map(|known| known.name.as_str()).collect();
        let message = format!("no source unpacks to the folder `{folder}`");
        let fault = Fault::new("E0824", at, message);
        out.faults.push(if names.is_empty() {
            fault.label("expected a folder of a source, but no source is an archive")
        } else {
            fault.label(format!("expected `{}`", names.join("` or `")))
        });
    }
}

/// A folder that a source unpacks to.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct SourceFolder {
    name: String,
    /// The name of the repository at the start of `name`, if GitHub or GitLab named the folder.
    repository: Option<String>,
}

impl SourceFolder {
    /// Returns true if `folder` is the name of this folder. The capitals may differ if GitHub or
    /// GitLab wrote the name.
    fn is(&self, folder: &str) -> bool {
        self.name == folder || (self.repository.is_some() && self.name.eq_ignore_ascii_case(folder))
    }

    /// Returns true if `folder` may be the name of this folder, as its repository may be renamed.
    fn may_be(&self, folder: &str) -> bool {
        let repository = self.repository.as_deref().unwrap_or(&self.name);
        let behind = self.name.strip_prefix(repository);
        behind.is_some_and(|behind| !behind.is_empty() && folder.ends_with(behind))
    }
}

/// Returns the folders that sources unpack to. Returns a reason as an error if they are not known.
fn known(recipe: &Recipe) -> Result<BTreeSet<SourceFolder>, String> {
    let sources = recipe.sources.as_ref();
    let sources = sources.ok_or("only bash can compute the elements of `source`")?;
    let kept = recipe.value("noextract");
    let kept = kept
        .texts()
        .ok_or("only bash can compute the elements of `noextract`")?;
    let mut out = BTreeSet::new();
    for source in sources {
        let (names, repository) = match source.folders(&kept, &recipe.surroundings.archives) {
            Folders::Named(names) => (names, None),
            Folders::Generated(names, repository) => (names, Some(repository)),
            Folders::Unknown if source.address.is_none() => {
                return Err("only bash can compute an element of `source`".to_owned());
            }
            Folders::Unknown => {
                return Err(format!("the folders in `{}` are not known", source.name));
            }
        };
        out.extend(names.into_iter().map(|name| SourceFolder {
            name,
            repository: repository.clone(),
        }));
    }
    Ok(out)
}

/// Returns the folders below `$srcdir` that functions certainly enter, each with the bytes of its
/// name.
fn entered(recipe: &Recipe) -> Vec<(String, Range<usize>)> {
    let mut out = Vec::new();
    for step in recipe.steps.iter().filter(|step| !step.is_conditional) {
        for word in enters(step) {
            let Some(text) = word.text.as_deref() else {
                continue;
            };
            let Some(path) = step.path(text) else {
                continue;
            };
            let top = in_sources(&path).and_then(|path| path.split('/').next());
            if let Some(top) =
                top.filter(|top| !top.is_empty() && !top.contains(['*', '?', '[', '{', '$']))
            {
                out.push((top.to_owned(), place(recipe, word, top)));
            }
        }
    }
    out
}

/// Returns those arguments of a command that are folders which the command enters.
fn enters(step: &PathStep) -> Vec<&Element> {
    if matches!(step.name.as_str(), "cd" | "pushd") {
        return step.target.iter().collect();
    }
    let options: &[&str] = match step.name.as_str() {
        "patch" => &["-d", "--directory"],
        "cmake" => &["-S"],
        "make" | "ninja" | "git" | "meson" => &["-C"],
        _ => return Vec::new(),
    };
    let text = |word: &Element| word.text.clone().unwrap_or_default();
    let pairs = step.words.iter().zip(step.words.iter().skip(1));
    pairs
        .filter(|(option, _)| options.contains(&text(option).as_str()))
        .map(|(_, word)| word)
        .collect()
}

/// Returns the place at which the folder `top` is named, for the finding: the assignment of a
/// private variable in `word` that contains the name, else `word` itself.
fn place(recipe: &Recipe, word: &Element, top: &str) -> Range<usize> {
    let words = split(recipe.text, word.at.start, word.at.end);
    let pieces = words.first().map_or(&[][..], |word| word.pieces.as_slice());
    let mut names = pieces.iter().filter_map(|piece| match piece {
        Piece::Variable(name) => Some(name.as_str()),
        _ => None,
    });
    let first = names.find(|name| name.starts_with('_'));
    let set = first.and_then(|name| {
        let value = recipe.value(name);
        let value = value.text()?;
        value
            .split('/')
            .any(|part| part == top)
            .then(|| recipe.place(name))?
    });
    set.unwrap_or_else(|| word.at.clone())
}

/// Returns the folders below `$srcdir` that functions create. Returns a reason as an error if a
/// command may create any folder.
fn made(recipe: &Recipe) -> Result<BTreeSet<String>, String> {
    let mut out = BTreeSet::new();
    for step in &recipe.steps {
        let is_unpacking = UNPACKS.split_whitespace().any(|name| name == step.name)
            || (step.name == "git" && says(step, &["clone", "worktree"]))
            || step.name.is_empty()
            || step.name.contains('/');
        if is_unpacking {
            let name = if step.name.is_empty() {
                "a computed command"
            } else {
                &step.name
            };
            return Err(format!("`{name}` may create folders"));
        }
        if LOOKS.split_whitespace().any(|name| name == step.name) {
            continue;
        }
        let moves = MOVES.split_whitespace().any(|name| name == step.name);
        let makes =
            moves || step.name == "mkdir" || (step.name == "install" && says(step, &["-d"]));
        let entered = enters(step);
        let words = step
            .words
            .iter()
            .filter(|word| !entered.iter().any(|other| other.at == word.at));
        let words: Vec<_> = if moves {
            step.words.last().into_iter().collect()
        } else {
            words.collect()
        };
        for word in words {
            let Some(text) = word.text.as_deref() else {
                if makes && !recipe.is_in_package(word) {
                    return Err(format!("only bash can compute a folder of `{}`", step.name));
                }
                continue;
            };
            let text = text.strip_prefix("-B").unwrap_or(text);
            let text = text.rsplit_once('=').map_or(text, |(_, value)| value);
            match step.path(text) {
                Some(path) => match in_sources(&path) {
                    Some(inside) => out.extend(
                        inside
                            .split('/')
                            .next()
                            .filter(|top| (makes && !moves) || *top == inside)
                            .map(str::to_owned),
                    ),
                    // All contents of a folder are moved to the folder of sources.
                    None if makes && super::steps::SRCDIR == path => {
                        return Err(format!("`{}` may create any folder", step.name));
                    }
                    None => {}
                },
                None => out.extend(text.split('/').map(str::to_owned)),
            }
        }
    }
    Ok(out)
}

fn says(step: &PathStep, words: &[&str]) -> bool {
    let mut all = step.words.iter().filter_map(|word| word.text.as_deref());
    all.any(|text| words.contains(&text))
}
