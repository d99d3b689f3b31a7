//! What `metadata.xml` says of a package (GLEP 68).

use indexmap::IndexMap;
use minijinja::{Value, context};
use std::fmt;

/// Who looks after a package.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Person {
    name: String,
    email: String,
    kind: String,
    proxied: Option<String>,
}

/// A `metadata.xml`.
///
/// ```
/// let metadata = rocpkg_gentoo::Metadata::default()
///     .person("Jane Doe", "jane@example.org")
///     .flag("hip", "Build for AMD GPUs & others")
///     .github("somebody/hipThing");
/// assert!(metadata.to_string().contains("<flag name=\"hip\">Build for AMD GPUs &amp; others</flag>"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    maintainers: Vec<Person>,
    pub(crate) flags: IndexMap<String, String>,
    documentation: Option<String>,
    github: Option<String>,
}

impl Metadata {
    /// Adds a person who maintains it.
    #[must_use]
    pub fn person(self, name: &str, email: &str) -> Self {
        self.maintainer((name, email), "person", None)
    }

    /// Adds a project that maintains it.
    #[must_use]
    pub fn project(self, name: &str, email: &str) -> Self {
        self.maintainer((name, email), "project", None)
    }

    /// Adds a maintainer by name and address, of a kind of GLEP 67, and what is said under `proxied`.
    #[must_use]
    pub fn maintainer(
        mut self,
        (name, email): (&str, &str),
        kind: &str,
        proxied: Option<&str>,
    ) -> Self {
        let [name, email, kind] = [name, email, kind].map(str::to_owned);
        self.maintainers.push(Person {
            name,
            email,
            kind,
            proxied: proxied.map(str::to_owned),
        });
        self
    }

    /// Adds a local USE flag with one line about it.
    #[must_use]
    pub fn flag(mut self, name: &str, summary: &str) -> Self {
        self.flags.insert(name.to_owned(), summary.to_owned());
        self
    }

    /// Where its documentation is.
    #[must_use]
    pub fn documentation(mut self, url: &str) -> Self {
        self.documentation = Some(url.to_owned());
        self
    }

    /// Where upstream lives on GitHub: `owner/repository`.
    #[must_use]
    pub fn github(mut self, repository: &str) -> Self {
        self.github = Some(repository.to_owned());
        self
    }

    pub(crate) fn context(&self) -> Value {
        let person = |m: &Person| context! { name => m.name, email => m.email, kind => m.kind, proxied => m.proxied };
        let maintainers: Vec<Value> = self.maintainers.iter().map(person).collect();
        let flags = self
            .flags
            .iter()
            .map(|(name, summary)| context! { name, summary });
        context! {
            maintainers => maintainers,
            flags => flags.collect::<Vec<_>>(),
            remote => self.github,
            documentation => self.documentation,
        }
    }
}

/// The document.
impl fmt::Display for Metadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::TEMPLATES.print("gentoo/metadata.xml.j2", self.context()))
    }
}
