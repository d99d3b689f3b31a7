//! Divides steps of a profile into elementary operations, such as the words of a command. All
//! backends that write shell text use them.

use crate::word::glob;
use indexmap::IndexMap;
use rocpkg_model::{
    Action, ConfigFile, Each, FromTo, Inside, Licence, Piece, Replace, Sed, Spanned, Step, Text,
};
use std::borrow::Cow;

/// The use of a word in a command. It decides if the shell expands patterns such as `*` in the
/// word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The word names files: `*`, `?`, brackets and braces are patterns.
    Files,
    /// The word is a single value, so it is quoted. Only `${glob:PATTERN}` in it is a pattern.
    One,
}

/// A word of a command, before references `${…}` are replaced.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg<'a> {
    /// A program or an option that this crate adds, such as `mkdir`.
    Own(&'static str),
    /// A text of the profile, with its use in the command.
    Text(Cow<'a, Text>, Place),
}

/// A command that a step runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Call<'a> {
    /// The command's words.
    pub words: Vec<Arg<'a>>,
    /// The variables that are set for this command only.
    pub environment: Option<&'a IndexMap<String, Text>>,
    /// The file that the command's output is written to.
    pub output: Option<&'a Text>,
    /// Set if the build goes on when the command fails.
    pub may_fail: bool,
}

/// A basic program for files. A dialect chooses its words: `cp -r` or `cp -a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Moves files.
    Move,
    /// Copies files with their modes, and folders with their content.
    Copy,
    /// Makes a symbolic link.
    Link,
    /// Removes files and folders, which must exist.
    Remove,
    /// Removes folders that need not exist. The profile marks them by a `/` at the end of the path.
    RemoveFolders,
    /// Makes folders, and their parents.
    MakeFolder,
    /// Changes the working directory.
    Enter,
}

impl Tool {
    /// Returns the command of the tool in bash, such as `rm -rf`.
    pub fn usual(self) -> &'static [&'static str] {
        match self {
            Self::Move => &["mv"],
            Self::Copy => &["cp", "-r"],
            Self::Link => &["ln", "-s"],
            Self::Remove => &["rm", "-r"],
            Self::RemoveFolders => &["rm", "-rf"],
            Self::MakeFolder => &["mkdir", "-p"],
            Self::Enter => &["cd"],
        }
    }
}

/// A step that each distribution lowers in its own way.
#[derive(Clone, Debug, PartialEq)]
pub enum Native<'a> {
    /// The phase's default action for the CMake project of this name, or for all projects if the
    /// name is `all`.
    Standard(&'a Spanned<String>),
    /// Applies a patch.
    Patch(&'a Text),
    /// Cherry-picks commits.
    CherryPick(&'a [Spanned<String>]),
    /// Builds or installs the Python wheel of a folder.
    Wheel(&'a Text),
    /// Installs a licence.
    Licence(&'a Licence),
    /// Writes a configuration file.
    ConfigFile(&'a ConfigFile),
    /// Installs files as data.
    InstallFile(&'a FromTo),
}

/// An elementary operation. Every step becomes a sequence of operations.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation<'a> {
    /// Runs a command.
    Call(Call<'a>),
    /// Exports a variable.
    Export(&'a str, &'a Text),
    /// Sets a variable of the current function to one value, or to an array if there are several
    /// values.
    Local(&'a str, &'a [Text]),
    /// Runs steps in a loop over items.
    Each(&'a Each),
    /// Runs steps inside a folder.
    Inside(&'a Inside),
    /// Runs a group of steps. The condition of the group is tested around them.
    Group(&'a [Step]),
    /// Replaces literal texts in the same files, in this order.
    Replace(Vec<&'a Replace>),
    /// Runs a sed script over files.
    Sed(&'a Sed),
    /// Shell text.
    Raw(&'a Text),
    /// A step that the distribution lowers in its own way.
    Native(Native<'a>),
}

/// Divides steps into batches in their order. Adjacent `replace` steps in the same files under the
/// same condition form one batch, because some distributions can replace several texts by one
/// command. Every other step is a batch of its own.
pub fn batches(steps: &[Step]) -> impl Iterator<Item = &[Step]> {
    steps.chunk_by(|a, b| {
        let alike = match (&a.action, &b.action) {
            (Action::Replace(a), Action::Replace(b)) => pieces(&a.files.0).eq(pieces(&b.files.0)),
            _ => false,
        };
        let condition = |s: &Step| s.when.as_ref().map(|w| w.cond.clone());
        alike && condition(a) == condition(b) && b.comment.is_none()
    })
}

/// Returns the pieces of texts. Unlike texts, pieces have no place in a file, so they can be
/// compared.
fn pieces(texts: &[Text]) -> impl Iterator<Item = &[Piece]> {
    texts.iter().map(|t| t.pieces.as_slice())
}

/// Returns the operations of a batch of [`batches`]. `tool` returns the dialect's words for a tool.
pub fn operations<'a>(
    batch: &'a [Step],
    tool: &dyn Fn(Tool) -> &'static [&'static str],
) -> Vec<Operation<'a>> {
    let Some(first) = batch.first() else {
        return Vec::new();
    };
    let call = |words| {
        Operation::Call(Call {
            words,
            environment: None,
            output: None,
            may_fail: false,
        })
    };
    let one = |t: Tool, place: Place, texts: &'a [Text], to: Option<&'a Text>| {
        let own = tool(t).iter().map(|w| Arg::Own(w));
        let texts = texts.iter().map(|t| Arg::Text(Cow::Borrowed(t), place));
        let to = to.map(|t| Arg::Text(Cow::Borrowed(t), Place::One));
        call(own.chain(texts).chain(to).collect())
    };
    let native = |n| vec![Operation::Native(n)];
    match &first.action {
        Action::Standard(project) => native(Native::Standard(project)),
        Action::Run(words) => vec![call(command(words))],
        Action::RunWith(r) => vec![Operation::Call(Call {
            words: command(&r.command),
            environment: Some(&r.environment),
            output: r.output.as_ref(),
            may_fail: r.may_fail,
        })],
        Action::Replace(_) => {
            let all = batch.iter().filter_map(|s| {
                if let Action::Replace(r) = &s.action {
                    Some(r)
                } else {
                    None
                }
            });
            vec![Operation::Replace(all.collect())]
        }
        Action::Sed(s) => vec![Operation::Sed(s)],
        Action::Patch(file) => native(Native::Patch(file)),
        Action::CherryPick(commits) => native(Native::CherryPick(commits)),
        Action::Wheel(folder) => native(Native::Wheel(folder)),
        Action::Licence(l) => native(Native::Licence(l)),
        Action::Move(m) => vec![one(Tool::Move, Place::Files, &m.from.0, Some(&m.to))],
        Action::Copy(c) => vec![one(Tool::Copy, Place::Files, &c.from.0, Some(&c.to))],
        Action::InstallFile(i) => native(Native::InstallFile(i)),
        Action::Symlink(l) => l
            .from
            .0
            .chunks(1)
            .map(|from| one(Tool::Link, Place::Files, from, Some(&l.to)))
            .collect(),
        Action::Remove(texts) => removals(texts, tool).into_iter().map(call).collect(),
        Action::MakeFolder(texts) => vec![one(Tool::MakeFolder, Place::Files, texts, None)],
        Action::ConfigFile(c) => native(Native::ConfigFile(c)),
        Action::Enter(folder) => vec![one(
            Tool::Enter,
            Place::One,
            std::slice::from_ref(folder),
            None,
        )],
        Action::Inside(i) => vec![Operation::Inside(i)],
        Action::Export(map) => map
            .iter()
            .map(|(name, value)| Operation::Export(name, value))
            .collect(),
        Action::Local(map) => map
            .iter()
            .map(|(name, values)| Operation::Local(name, &values.0))
            .collect(),
        Action::Each(e) => vec![Operation::Each(e)],
        Action::Group(steps) => vec![Operation::Group(steps)],
        Action::Raw(text) => vec![Operation::Raw(text)],
    }
}

fn command(words: &[Text]) -> Vec<Arg<'_>> {
    words
        .iter()
        .map(|w| Arg::Text(Cow::Borrowed(w), Place::One))
        .collect()
}

/// Returns the words of at most two commands: one removes the paths of `texts` that must exist, and
/// one removes the folders that need not exist, which end in `/`.
fn removals<'a>(
    texts: &'a [Text],
    tool: &dyn Fn(Tool) -> &'static [&'static str],
) -> Vec<Vec<Arg<'a>>> {
    let mut there = Vec::new();
    let mut folders = Vec::new();
    // After a pattern such as `*/` the slash is kept, because it excludes files.
    let is_pattern = |text: &Text| {
        let glob = text.references().any(|name| glob(name).is_some());
        glob || text
            .literals()
            .any(|literal| literal.contains(['*', '?', '[', '{']))
    };
    for text in texts {
        match without_slash(text) {
            Some(_) if is_pattern(text) => folders.push(Cow::Borrowed(text)),
            Some(folder) => folders.push(Cow::Owned(folder)),
            None => there.push(Cow::Borrowed(text)),
        }
    }
    let words = |(t, texts): (Tool, Vec<Cow<'a, Text>>)| {
        let own = tool(t).iter().map(|w| Arg::Own(w));
        own.chain(texts.into_iter().map(|t| Arg::Text(t, Place::Files)))
            .collect()
    };
    let calls = [(Tool::Remove, there), (Tool::RemoveFolders, folders)].into_iter();
    calls
        .filter(|(_, texts)| !texts.is_empty())
        .map(words)
        .collect()
}

/// Returns the text without the slash at its end. The slash marks a folder. Returns `None` if the
/// text does not end in a slash, or is only a slash.
pub(crate) fn without_slash(text: &Text) -> Option<Text> {
    let mut text = text.clone();
    let Some(Piece::Literal(last)) = text.pieces.last_mut() else {
        return None;
    };
    let short = last.strip_suffix('/')?.to_owned();
    *last = short;
    let bare = last.is_empty();
    // The last piece was only the slash after a reference.
    if bare {
        text.pieces.pop();
    }
    if text.pieces.is_empty() {
        return None;
    }
    Some(text)
}
