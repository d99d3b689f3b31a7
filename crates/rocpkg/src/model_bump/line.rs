//! Adds a release to its release line, with the scheme of its tags: a tag that was seen, or a
//! guess.

use super::Bump;
use super::folder::Folder;
use super::review_item::{Note, Risk};
use crate::error::Error;
use crate::seen_tag::SeenTag;
use rocpkg_model::{Piece, ReleaseLine, Span, Text};
use rocpkg_render::splice::{Edit, NewValue};
use rocpkg_resolve::{LINE, Model, Release, tag_by, tag_scheme};

/// Adds the release `version` to its release line (`releases/7.2.yaml`), and creates the file if
/// the line does not exist. The scheme of its tags is made from the tag of `bump`, or else guessed.
/// Returns a note about a guess, and one about a tag that differs from that of the model.
pub(super) fn release(
    folder: &mut Folder,
    model: &Model,
    (bump, version): (&Bump, &Release),
) -> Result<Vec<Note>, Error> {
    let path = format!("releases/{}.yaml", version.line());
    let seen = bump.tag.as_ref();
    let Some(line) = model.lines.get(&version.line()) else {
        return new_line(folder, model, (version, seen), &path);
    };
    let text = version.to_string();
    let is_new = !line.versions.contains_key(&text);
    let scheme = seen.map(|seen| scheme_of(&seen.tag, version));
    let of_model = tag_scheme(line, version);
    let differs = |scheme: &String| tag_by(&parsed(scheme), version) != tag_by(of_model, version);
    let (scheme, said) = match (scheme.filter(differs), seen) {
        (Some(scheme), Some(seen)) => {
            let SeenTag { tag, repository } = seen;
            let said = format!("the tag of {text} is `{tag}`, as in {repository}");
            (Some(scheme), Some(said))
        }
        (_, None) if is_new => guessed(line, version).unzip(),
        _ => (None, None),
    };
    let put = |path: Vec<&str>, value, after| Edit::Put {
        path: path.into_iter().map(str::to_owned).collect(),
        value,
        after,
    };
    if is_new {
        let node = folder.node(&path);
        let listed = node.iter().flat_map(|node| node.keys_of("versions"));
        let older = listed
            .filter_map(|v| v.parse::<Release>().ok())
            .filter(|v| v < version)
            .max();
        let after = older.map(|older| older.to_string());
        let empty = NewValue::Map(Vec::new());
        folder.edit(&path, &[put(vec!["versions", &text], empty, after)])?;
    }
    if let Some(scheme) = scheme {
        let value = NewValue::Text(scheme.clone());
        folder.edit(&path, &[put(vec!["versions", &text, "tag"], value, None)])?;
        if seen.is_none() {
            folder.insert(&path, with_remark(folder.text(&path), &scheme));
        }
    }
    let note = |said| Note {
        risk: Risk::Release,
        place: Some(model.sources.place(line.tag.span)),
        said,
    };
    Ok(said.into_iter().map(note).collect())
}

/// Adds a file with a release line of one release.
fn new_line(
    folder: &mut Folder,
    model: &Model,
    (version, seen): (&Release, Option<&SeenTag>),
    path: &str,
) -> Result<Vec<Note>, Error> {
    // Copy the tag of the nearest earlier line, or else of the first line.
    let read = |line: &String| format!("{line}.0").parse::<Release>().ok();
    let mut lines: Vec<(Release, &String)> = model
        .lines
        .keys()
        .filter_map(|line| Some((read(line)?, line)))
        .collect();
    lines.sort();
    let near = lines
        .iter()
        .rev()
        .find(|(release, _)| release < version)
        .or(lines.first());
    let near = near.and_then(|(_, name)| Some((*name, model.lines.get(*name)?)));
    let Some((near, known)) = near else {
        let said = "expected another release line with a `tag`";
        return Err(Error::profile(path, said));
    };
    let text = version.to_string();
    let (scheme, comment, said) = match seen {
        Some(SeenTag { tag, repository }) => (
            scheme_of(tag, version),
            format!("The tag is as in {repository}."),
            format!("the tag of {text} is `{tag}`, as in {repository}"),
        ),
        None => (
            known.tag.to_string(),
            format!("The tag is a guess: that of {near}. Nobody looked at upstream's."),
            format!("the tag of {text} is guessed from {near}: `{}`", known.tag),
        ),
    };
    folder.insert(
        path,
        format!(
            "# {} {}. {comment} What is not here is not known.\n\
             tag: {scheme}\nversions:\n  \"{text}\": {{}}\n",
            model.stack(),
            version.line(),
        ),
    );
    Ok(vec![Note {
        risk: Risk::Release,
        place: Some(model.sources.place(known.tag.span)),
        said: format!("{said}; its date and LLVM version are unknown"),
    }])
}

/// Returns the scheme of the tags of a later release of a line whose tags have only the line's
/// number, and a text about this guess. The tag of the line is that of its first release, as
/// `therock-7.14` is the tag of 7.14.0 and `therock-7.14.1` that of 7.14.1. Returns `None` if the
/// scheme of the line fits.
fn guessed(line: &ReleaseLine, version: &Release) -> Option<(String, String)> {
    let of_line = Piece::Reference(LINE.to_owned());
    if !line.tag.pieces.contains(&of_line) || version.parts()[2] == 0 {
        return None;
    }
    let scheme = line.tag.to_string().replace("${line}", "${version}");
    let said = format!(
        "the tag of {version} is guessed: `{}`, since `{}` is that of the first release of {}",
        tag_by(&parsed(&scheme), version),
        tag_by(&line.tag, version),
        version.line()
    );
    Some((scheme, said))
}

/// Returns a text of YAML with a comment above the tag `scheme`, which says that it is a guess.
fn with_remark(text: &str, scheme: &str) -> String {
    let own = format!("tag: {scheme}");
    let line = |line: &str| {
        let indent = &line[..line.len() - line.trim_start().len()];
        let is_own = line.trim() == own;
        let remark = is_own.then(|| format!("{indent}# A guess: nobody looked at upstream's.\n"));
        format!("{}{line}\n", remark.unwrap_or_default())
    };
    text.lines().map(line).collect()
}

/// Returns the scheme of a tag of a release: `therock-11.0.0` -> `therock-${version}`,
/// `therock-11.0` -> `therock-${line}`.
fn scheme_of(tag: &str, version: &Release) -> String {
    let whole = version.whole();
    if tag.contains(&whole) {
        tag.replacen(&whole, "${version}", 1)
    } else {
        tag.replacen(&version.line(), "${line}", 1)
    }
}

fn parsed(scheme: &str) -> Text {
    Text::parse(scheme, Span::default()).unwrap_or_else(|_| Text::literal(scheme))
}
