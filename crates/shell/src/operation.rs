//! Steps taken apart: which words a step runs, for every backend that writes shell text.

use crate::word::glob;
use indexmap::IndexMap;
use rocpkg_model::{
    Action, ConfigFile, Each, FromTo, Inside, Licence, Piece, Replace, Sed, Spanned, Step, Text,
};
use std::borrow::Cow;

/// What a word of a command is for, which says whether patterns in it are the shell's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It names files: `*`, `?`, brackets and braces are patterns.
    Files,
    /// It is one thing, and quoted. `${glob:PATTERN}` is a pattern even there.
    One,
}

/// A word of a command, before references are answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg<'a> {
    /// A program or an option of the lowering's own.
    Own(&'static str),
    /// A text of the profile.
    Text(Cow<'a, Text>, Place),
}

/// A command.
#[derive(Clone, Debug, PartialEq)]
pub struct Call<'a> {
    /// Its words.
    pub words: Vec<Arg<'a>>,
    /// Variables set for it.
    pub environment: Option<&'a IndexMap<String, Text>>,
    /// The file that its output goes to.
    pub output: Option<&'a Text>,
    /// Failure is allowed.
    pub may_fail: bool,
}

/// What every shell has, under the name that a dialect gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Moves files.
    Move,
    /// Copies files with their modes, and folders with all that they hold.
    Copy,
    /// Makes a symbolic link.
    Link,
    /// Removes files and folders, which must be there.
    Remove,
    /// Removes folders, paths that end in `/`, which may be absent.
    RemoveFolders,
    /// Makes folders, and those above them.
    MakeFolder,
    /// Changes the folder.
    Enter,
}

impl Tool {
    /// The words that nearly everybody writes.
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

/// What each distribution does in a way of its own.
#[derive(Clone, Debug, PartialEq)]
pub enum Native<'a> {
    /// What the phase does for a project when nothing is said.
    Standard(&'a Spanned<String>),
    /// A patch is applied.
    Patch(&'a Text),
    /// Commits are picked.
    CherryPick(&'a [Spanned<String>]),
    /// A wheel is built or installed.
    Wheel(&'a Text),
    /// A licence is installed.
    Licence(&'a Licence),
    /// A configuration file is written.
    ConfigFile(&'a ConfigFile),
    /// Files are installed as data.
    InstallFile(&'a FromTo),
}

/// One of the few things that steps come down to.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation<'a> {
    /// A command runs.
    Call(Call<'a>),
    /// A variable is exported.
    Export(&'a str, &'a Text),
    /// A variable of the function: one value, or an array.
    Local(&'a str, &'a [Text]),
    /// Steps for each of some items.
    Each(&'a Each),
    /// Steps inside a folder.
    Inside(&'a Inside),
    /// Steps that share a condition.
    Group(&'a [Step]),
    /// Literal texts replaced in the same files, in this order.
    Replace(Vec<&'a Replace>),
    /// A sed script over files.
    Sed(&'a Sed),
    /// Shell text.
    Raw(&'a Text),
    /// What the distribution has a way of its own for.
    Native(Native<'a>),
}

/// The steps in order, those together that become one operation: replacements in the same files
/// under the same condition.
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

/// What texts say, wherever they are written.
fn pieces(texts: &[Text]) -> impl Iterator<Item = &[Piece]> {
    texts.iter().map(|t| t.pieces.as_slice())
}

/// What the steps of a batch come down to, with the tools that the dialect names.
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

/// One call for what must be there, and one for folders that may be absent.
fn removals<'a>(
    texts: &'a [Text],
    tool: &dyn Fn(Tool) -> &'static [&'static str],
) -> Vec<Vec<Arg<'a>>> {
    let mut there = Vec::new();
    let mut folders = Vec::new();
    // Behind a pattern, the slash leaves files out.
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

/// The text without the slash at its end, which marks a folder; `None` when there is none.
pub(crate) fn without_slash(text: &Text) -> Option<Text> {
    let mut text = text.clone();
    let Some(Piece::Literal(last)) = text.pieces.last_mut() else {
        return None;
    };
    let short = last.strip_suffix('/')?.to_owned();
    *last = short;
    let bare = last.is_empty();
    // Of a reference, nothing but the slash was left.
    if bare {
        text.pieces.pop();
    }
    if text.pieces.is_empty() {
        return None;
    }
    Some(text)
}
