//! The places of components' sources at a release, as the model states them: a repository, and a
//! folder of it.

use crate::error::Error;
use rocpkg::internal::model::{Span, Text, Value};
use rocpkg::internal::probe::{SourceProject, SourceTree, SourceTrees};
use rocpkg::internal::resolve::{Model, Range, Release, tag_by, tag_scheme};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) owner: String,
    pub(super) repository: String,
    pub(super) path: Option<String>,
    tag: Option<String>,
    releases: Range,
}

impl Row {
    /// Makes a place that the model does not state, with the repository's tag of the release.
    pub(super) fn at(owner: &str, repository: &str, path: Option<String>) -> Self {
        Self {
            owner: owner.to_owned(),
            repository: repository.to_owned(),
            path,
            tag: None,
            releases: Range::ALL,
        }
    }

    fn wanted<'a>(&'a self, revision: &'a str) -> SourceProject<'a> {
        let Self {
            owner,
            repository,
            path,
            ..
        } = self;
        SourceProject {
            owner,
            repository,
            path: path.as_deref(),
            revision,
        }
    }

    /// Returns the place as text: `repository/path`, or `repository` without a path.
    pub(super) fn shown(&self) -> String {
        let path = self
            .path
            .as_ref()
            .map(|path| format!("/{path}"))
            .unwrap_or_default();
        format!("{}{path}", self.repository)
    }
}

/// Returns all places that the model states for a component's main source, the newest first.
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

/// One of the two sides of a comparison: source trees at a release.
pub(super) struct Side<'m> {
    pub(super) model: &'m Model,
    pub(super) trees: SourceTrees,
    /// The tag or branch of the command line. `None` if the command line has a release, whose tags
    /// are in the model, or a folder.
    pub(super) revision: Option<String>,
    /// The release of the side, if it is known.
    pub(super) release: Option<Release>,
}

impl<'m> Side<'m> {
    /// Returns the side for `word`, an argument of the command line. Without `mirror`, the word is
    /// a folder of source trees. With `mirror`, it is a release, a tag or a branch.
    ///
    /// # Errors
    /// When the folder or the mirror does not exist.
    pub(super) fn of(model: &'m Model, word: &str, mirror: Option<&str>) -> Result<Self, Error> {
        let end = word
            .trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
            .len();
        let release: Option<Release> = word[end..].parse().ok();
        let Some(mirror) = mirror else {
            let trees = SourceTrees::folder(word.as_ref())?;
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
            trees: SourceTrees::mirror(mirror)?,
            revision,
            release,
        })
    }

    /// Returns the sources at a place, or `None` if they are not found.
    ///
    /// # Errors
    /// When the repository or the folder can't be read.
    pub(super) fn find(&self, row: &Row) -> Result<Option<SourceTree>, Error> {
        Ok(self.trees.find(row.wanted(&self.revision_of(row)))?)
    }

    /// Returns the tag or branch that is looked up at a place, if the repository exists. The caller
    /// has not found the tag or branch there.
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

    /// Returns the sources of a whole repository, or `None` if they are not found.
    ///
    /// # Errors
    /// When the repository can't be read.
    pub(super) fn repository(
        &self,
        owner: &str,
        repository: &str,
    ) -> Result<Option<SourceTree>, Error> {
        self.find(&Row::at(owner, repository, None))
    }

    /// Returns the first of the places `rows` of a component that is found, and its sources. Places
    /// that the model states for the release of the side are tried first.
    ///
    /// # Errors
    /// When a place can't be read.
    pub(super) fn component<'r>(
        &self,
        rows: &'r [Row],
    ) -> Result<Option<(&'r Row, SourceTree)>, Error> {
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

/// Returns the tag of a release. `own` is the template of tags that the source has of its own.
/// Without it, the template of the release line is used, the line being `7.2` for 7.2.4. Returns
/// `None` if the model has neither.
fn tag(model: &Model, release: &Release, own: Option<&str>) -> Option<String> {
    let own = own.and_then(|own| Text::parse(own, Span::default()).ok());
    let scheme = own.or_else(|| {
        model
            .lines
            .get(&release.line())
            .map(|line| tag_scheme(line, release).clone())
    })?;
    Some(tag_by(&scheme, release))
}
