//! Where the model says that components lie, at one release or another.

use crate::error::Error;
use super::trees::{Found, Project, Trees};
use rocpkg::model::{Piece, Span, Text, Value};
use rocpkg::resolve::{LINE, Model, Range, Release};

/// One place of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) owner: String,
    pub(super) repository: String,
    pub(super) path: Option<String>,
    tag: Option<String>,
    releases: Range,
}

impl Row {
    /// A place that the model does not state.
    pub(super) fn at(owner: &str, repository: &str, path: Option<String>) -> Self {
        Self {
            owner: owner.to_owned(),
            repository: repository.to_owned(),
            path,
            tag: None,
            releases: Range::ALL,
        }
    }

    fn wanted<'a>(&'a self, revision: &'a str) -> Project<'a> {
        let Self {
            owner,
            repository,
            path,
            ..
        } = self;
        Project {
            owner,
            repository,
            path: path.as_deref(),
            revision,
        }
    }

    /// `repository/path`.
    pub(super) fn shown(&self) -> String {
        let path = self
            .path
            .as_ref()
            .map(|path| format!("/{path}"))
            .unwrap_or_default();
        format!("{}{path}", self.repository)
    }
}

/// The places of a component's main source, the newest first.
pub(super) fn rows(model: &Model, component: &str) -> Vec<Row> {
    let mut out = Vec::new();
    for layer in model
        .components
        .get(component)
        .into_iter()
        .flat_map(|layers| layers.iter().rev())
    {
        let main = layer.get("sources").and_then(|s| s.get("main"));
        let all = match main.map(|m| &m.value) {
            Some(Value::Seq(all)) => all.as_slice(),
            _ => main.map(std::slice::from_ref).unwrap_or_default(),
        };
        for row in all.iter().rev() {
            let text = |key: &str| row.get(key).and_then(|n| n.text()).map(str::to_owned);
            let Some(repository) = text("repository") else {
                continue;
            };
            let row = Row {
                owner: text("owner").unwrap_or_else(|| model.owner().to_owned()),
                repository,
                path: text("path"),
                tag: text("tag"),
                releases: text("releases")
                    .and_then(|r| r.parse().ok())
                    .unwrap_or(Range::ALL),
            };
            if !out.contains(&row) {
                out.push(row);
            }
        }
    }
    out
}

/// One of the two sides that are compared.
pub(super) struct Side<'m> {
    pub(super) model: &'m Model,
    pub(super) trees: Trees,
    /// A tag or branch; none for a release, whose tags the model knows, and for folders.
    pub(super) revision: Option<String>,
    /// The release that it is of, where that is known.
    pub(super) release: Option<Release>,
}

impl<'m> Side<'m> {
    /// What a word of the command line means: a folder, or with mirrors a release or the name of a
    /// revision.
    ///
    /// # Errors
    /// When there is no such folder.
    pub(super) fn of(model: &'m Model, word: &str, mirror: Option<&str>) -> Result<Self, Error> {
        let end = word
            .trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
            .len();
        let release: Option<Release> = word[end..].parse().ok();
        let Some(mirror) = mirror else {
            let trees = Trees::folder(word.as_ref())?;
            return Ok(Self {
                model,
                trees,
                revision: None,
                release,
            });
        };
        let is_release = end == 0
            && release
                .as_ref()
                .is_some_and(|r| model.lines.contains_key(&r.line()));
        let revision = (!is_release).then(|| word.to_owned());
        Ok(Self {
            model,
            trees: Trees::mirror(mirror)?,
            revision,
            release,
        })
    }

    /// A repository, or a folder of it.
    ///
    /// # Errors
    /// When what is there can't be read.
    pub(super) fn find(&self, row: &Row) -> Result<Option<Found>, Error> {
        self.trees.find(row.wanted(&self.revision_of(row)))
    }

    /// The revision that a place is wanted at, where its repository is there without it.
    pub(super) fn lacks(&self, row: &Row) -> Option<String> {
        let revision = self.revision_of(row);
        let is_there = !revision.is_empty() && self.trees.has_repository(row.wanted(&revision));
        is_there.then_some(revision)
    }

    fn revision_of(&self, row: &Row) -> String {
        let of_release = |release| tag(self.model, release, row.tag.as_deref());
        let known = self
            .revision
            .clone()
            .or_else(|| self.release.as_ref().and_then(of_release));
        known.unwrap_or_default()
    }

    /// A repository as a whole.
    ///
    /// # Errors
    /// As said.
    pub(super) fn repository(&self, owner: &str, repository: &str) -> Result<Option<Found>, Error> {
        self.find(&Row::at(owner, repository, None))
    }

    /// Where a component lies: where the model says for the release, else at any place that it had
    /// or has.
    ///
    /// # Errors
    /// As said.
    pub(super) fn component<'r>(&self, rows: &'r [Row]) -> Result<Option<(&'r Row, Found)>, Error> {
        let holds = |row: &&Row| {
            self.release
                .as_ref()
                .is_some_and(|release| row.releases.contains(release))
        };
        let (first, others): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(holds);
        for row in first.into_iter().chain(others) {
            if let Some(found) = self.find(row)? {
                return Ok(Some((row, found)));
            }
        }
        Ok(None)
    }
}

/// The tag of a release: as a source states it, else by the scheme of its line; none for a release
/// of no line.
fn tag(model: &Model, release: &Release, own: Option<&str>) -> Option<String> {
    let own = own.and_then(|own| Text::parse(own, Span::default()).ok());
    let scheme = own.or_else(|| {
        model
            .lines
            .get(&release.line())
            .map(|line| line.tag.clone())
    })?;
    let piece = |piece: &Piece| match piece {
        Piece::Literal(text) => text.clone(),
        Piece::Reference(name) if name == LINE => release.line(),
        Piece::Reference(_) => release.to_string(),
    };
    Some(scheme.pieces.iter().map(piece).collect())
}
