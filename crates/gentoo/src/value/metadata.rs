//! The `metadata.xml` of a package (GLEP 68).

use crate::value::markup::Markup;
use indexmap::IndexMap;
use minijinja::{Value, context};
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Person {
    name: String,
    email: String,
    kind: String,
    proxied: Option<String>,
}

/// Declares the trackers with their names in `metadata.dtd`.
macro_rules! trackers {
    ($($name:ident $word:literal,)*) => {
        /// A tracker of upstream releases. It identifies a package by an id (`remote-id` of GLEP
        /// 68).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Tracker {
            $(#[doc = concat!("`", $word, "`")] $name,)*
        }

        impl Tracker {
            /// Returns the tracker's name in `metadata.dtd`.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }
        }
    };
}

trackers! {
    Bitbucket "bitbucket",
    Codeberg "codeberg",
    Cpan "cpan",
    CpanModule "cpan-module",
    Cpe "cpe",
    Cran "cran",
    Ctan "ctan",
    FreedesktopGitlab "freedesktop-gitlab",
    Gentoo "gentoo",
    GitHub "github",
    GitLab "gitlab",
    GnomeGitlab "gnome-gitlab",
    GoogleCode "google-code",
    Hackage "hackage",
    Heptapod "heptapod",
    KdeInvent "kde-invent",
    Launchpad "launchpad",
    Osdn "osdn",
    Pear "pear",
    Pecl "pecl",
    PyPi "pypi",
    RubyGems "rubygems",
    Savannah "savannah",
    SavannahNongnu "savannah-nongnu",
    SourceForge "sourceforge",
    SourceHut "sourcehut",
    Vim "vim",
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
    pub(crate) flags: IndexMap<String, Markup>,
    long_description: Option<Markup>,
    slots: IndexMap<String, Markup>,
    subslots: Option<Markup>,
    documentation: Option<String>,
    changelog: Option<String>,
    bugs_to: Option<String>,
    remotes: Vec<(Tracker, String)>,
}

impl Metadata {
    /// Adds a person who maintains the package.
    #[must_use]
    pub fn person(self, name: &str, email: &str) -> Self {
        self.maintainer((name, email), "person", None)
    }

    /// Adds a project that maintains the package.
    #[must_use]
    pub fn project(self, name: &str, email: &str) -> Self {
        self.maintainer((name, email), "project", None)
    }

    /// Adds a maintainer by name and address. `kind` is the type of GLEP 67: `person` or `project`.
    /// `proxied` is the attribute for maintainers without commit access, such as `yes`; `None`
    /// leaves the attribute out.
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

    /// Adds a local USE flag with its description in one line.
    #[must_use]
    pub fn flag(mut self, name: &str, summary: impl Into<Markup>) -> Self {
        self.flags.insert(name.to_owned(), summary.into());
        self
    }

    /// Sets the URL of the documentation.
    #[must_use]
    pub fn documentation(mut self, url: &str) -> Self {
        self.documentation = Some(url.to_owned());
        self
    }

    /// Sets upstream's repository on GitHub: `owner/repository`.
    #[must_use]
    pub fn github(self, repository: &str) -> Self {
        self.remote_id(Tracker::GitHub, repository)
    }

    /// Adds the id of the package in a tracker.
    #[must_use]
    pub fn remote_id(mut self, tracker: Tracker, id: &str) -> Self {
        self.remotes.push((tracker, id.to_owned()));
        self
    }

    /// Sets the long description, of several sentences.
    #[must_use]
    pub fn long_description(mut self, text: impl Into<Markup>) -> Self {
        self.long_description = Some(text.into());
        self
    }

    /// Adds a slot with its description. `*` stands for all slots.
    #[must_use]
    pub fn slot(mut self, name: &str, text: impl Into<Markup>) -> Self {
        self.slots.insert(name.to_owned(), text.into());
        self
    }

    /// Describes sub-slots, such as the version of a library's interface.
    #[must_use]
    pub fn subslots(mut self, text: impl Into<Markup>) -> Self {
        self.subslots = Some(text.into());
        self
    }

    /// Sets the URL at which upstream lists its changes.
    #[must_use]
    pub fn changelog(mut self, url: &str) -> Self {
        self.changelog = Some(url.to_owned());
        self
    }

    /// Sets the address for bug reports to upstream: a URL, or `mailto:` and an address.
    #[must_use]
    pub fn bugs_to(mut self, url: &str) -> Self {
        self.bugs_to = Some(url.to_owned());
        self
    }

    pub(crate) fn context(&self) -> Value {
        let person = |m: &Person| context! { name => m.name, email => m.email, kind => m.kind, proxied => m.proxied };
        let maintainers: Vec<Value> = self.maintainers.iter().map(person).collect();
        let flags = self
            .flags
            .iter()
            .map(|(name, summary)| context! { name, summary => summary.value() });
        let slots = self
            .slots
            .iter()
            .map(|(name, text)| context! { name, text => text.value() });
        let remotes = self.remotes.iter();
        let remotes = remotes.map(|(tracker, id)| context! { tracker => tracker.word(), id });
        context! {
            maintainers => maintainers,
            flags => flags.collect::<Vec<_>>(),
            long_description => self.long_description.as_ref().map(Markup::value),
            slots => slots.collect::<Vec<_>>(),
            subslots => self.subslots.as_ref().map(Markup::value),
            remotes => remotes.collect::<Vec<_>>(),
            documentation => self.documentation,
            changelog => self.changelog,
            bugs_to => self.bugs_to,
        }
    }
}

/// Prints the document.
impl fmt::Display for Metadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::value::TEMPLATES.print("gentoo/metadata.xml.j2", self.context()))
    }
}
