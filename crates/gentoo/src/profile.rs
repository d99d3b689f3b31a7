//! Files of Gentoo's profiles (PMS 5.2) and news items (GLEP 42), made from code.

use rocpkg_model::Day;
use rocpkg_pms::{Atom, Flag};
use rocpkg_render::{Refused, Unprintable};
use std::fmt;

/// A list of a Gentoo profile, such as `package.mask`, `package.use.mask`, `package.use` or
/// `use.force`. Each entry has a comment above its lines.
///
/// ```
/// use rocpkg_gentoo::ProfileList;
///
/// let mask = ProfileList::default()
///     .entry("Jane Doe <jane@example.org> (2026-11-27)\nBroken with LLVM 23, bug #123.")
///     .package(&"=sci-libs/hipThing-1.0*".parse()?);
/// let expected = "# Jane Doe <jane@example.org> (2026-11-27)\n# Broken with LLVM 23, bug #123.\n=sci-libs/hipThing-1.0*\n";
/// assert_eq!(mask.to_string(), expected);
///
/// let uses = ProfileList::default()
///     .entry("No hipBLASLt for these.")
///     .package_flags(&"sci-ml/caffe2".parse()?, [("rocm".parse()?, false)]);
/// assert!(uses.to_string().ends_with("\nsci-ml/caffe2 -rocm\n"));
/// # Ok::<(), rocpkg_pms::SyntaxError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProfileList {
    entries: Vec<ProfileEntry>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ProfileEntry {
    comment: String,
    lines: Vec<String>,
}

impl ProfileList {
    /// Begins an entry with a comment above it, of one line or of several.
    #[must_use]
    pub fn entry(mut self, comment: &str) -> Self {
        self.entries.push(ProfileEntry {
            comment: comment.to_owned(),
            lines: Vec::new(),
        });
        self
    }

    /// Adds a package to the last entry.
    #[must_use]
    pub fn package(self, atom: &Atom) -> Self {
        self.line(atom.to_string())
    }

    /// Removes a package from the lists of the parent profiles: `-atom`.
    #[must_use]
    pub fn without_package(self, atom: &Atom) -> Self {
        self.line(format!("-{atom}"))
    }

    /// Adds a package with USE flags: `true` is `flag`, `false` is `-flag`.
    #[must_use]
    pub fn package_flags(self, atom: &Atom, flags: impl IntoIterator<Item = (Flag, bool)>) -> Self {
        let flags = flags.into_iter().map(|flag| format!(" {}", state(&flag)));
        self.line(format!("{atom}{}", flags.collect::<String>()))
    }

    /// Adds a USE flag: `true` is `flag`, `false` is `-flag`.
    #[must_use]
    pub fn flag(self, flag: Flag, on: bool) -> Self {
        self.line(state(&(flag, on)))
    }

    fn line(mut self, line: String) -> Self {
        if self.entries.is_empty() {
            self.entries.push(ProfileEntry::default());
        }
        if let Some(entry) = self.entries.last_mut() {
            entry.lines.push(line);
        }
        self
    }
}

fn state((flag, on): &(Flag, bool)) -> String {
    format!("{}{flag}", if *on { "" } else { "-" })
}

/// Prints the entries with an empty line between two of them.
impl fmt::Display for ProfileList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, entry) in self.entries.iter().enumerate() {
            if at > 0 {
                writeln!(f)?;
            }
            for line in entry.comment.lines() {
                writeln!(f, "{}", format!("# {line}").trim_end())?;
            }
            for line in &entry.lines {
                writeln!(f, "{line}")?;
            }
        }
        Ok(())
    }
}

/// A news item (GLEP 42, format 2.0).
///
/// ```
/// use rocpkg_gentoo::NewsItem;
///
/// let item = NewsItem::new("GPU flags of ROCm changed", "Jane Doe <jane@example.org>", "2026-11-27")
///     .if_installed(["dev-util/hip".parse()?])
///     .body("Set AMDGPU_TARGETS in make.conf before you update.");
/// item.check()?;
/// assert_eq!(item.path("rocm-gpu-flags"), "2026-11-27-rocm-gpu-flags/2026-11-27-rocm-gpu-flags.en.txt");
/// assert!(item.to_string().contains("\nDisplay-If-Installed: dev-util/hip\n\nSet AMDGPU_TARGETS"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewsItem {
    title: String,
    authors: Vec<String>,
    posted: String,
    revision: u32,
    installed: Vec<Atom>,
    keywords: Vec<String>,
    profiles: Vec<String>,
    body: String,
}

impl NewsItem {
    /// Returns an item without text. `author` is `Name <address>`, `posted` a date such as
    /// `2026-11-27`.
    pub fn new(title: &str, author: &str, posted: &str) -> Self {
        Self {
            title: title.to_owned(),
            authors: vec![author.to_owned()],
            posted: posted.to_owned(),
            revision: 1,
            installed: Vec::new(),
            keywords: Vec::new(),
            profiles: Vec::new(),
            body: String::new(),
        }
    }

    /// Adds an author: `Name <address>`.
    #[must_use]
    pub fn author(mut self, author: &str) -> Self {
        self.authors.push(author.to_owned());
        self
    }

    /// Sets the number of the revision. Users see an item again when its number grows.
    #[must_use]
    pub fn revision(mut self, revision: u32) -> Self {
        self.revision = revision;
        self
    }

    /// Shows the item to those who have one of these packages.
    #[must_use]
    pub fn if_installed(mut self, packages: impl IntoIterator<Item = Atom>) -> Self {
        self.installed.extend(packages);
        self
    }

    /// Shows the item on these architectures, such as `amd64`.
    #[must_use]
    pub fn if_keyword(mut self, keywords: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.keywords.extend(keywords.into_iter().map(Into::into));
        self
    }

    /// Shows the item to those who use one of these profiles.
    #[must_use]
    pub fn if_profile(mut self, profiles: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.profiles.extend(profiles.into_iter().map(Into::into));
        self
    }

    /// Sets the text, in lines of at most 72 columns.
    #[must_use]
    pub fn body(mut self, text: &str) -> Self {
        text.trim_end().clone_into(&mut self.body);
        self
    }

    /// Returns the path below `metadata/news/`. `name` consists of small letters, digits, `+`, `_`
    /// and `-`.
    pub fn path(&self, name: &str) -> String {
        let name = format!("{}-{name}", self.posted);
        format!("{name}/{name}.en.txt")
    }

    /// Checks the rules of GLEP 42.
    ///
    /// # Errors
    /// All faults: an empty title or one of more than 50 characters, an author without an address,
    /// an invalid date, a header of several lines, no text, and lines of more than 72 columns.
    pub fn check(&self) -> Result<(), Refused> {
        let mut all = Vec::new();
        let mut fault = |reason: String| all.push(Unprintable::Text(reason));
        let headers = [&self.title, &self.posted];
        let headers = headers.into_iter().chain(&self.authors);
        let headers = headers.chain(&self.keywords).chain(&self.profiles);
        for header in headers.filter(|header| header.contains('\n')) {
            fault(format!("{header:?} has more than one line"));
        }
        match self.title.chars().count() {
            1..=50 => {}
            n => fault(format!("the title has {n} characters, expected 1 to 50")),
        }
        for author in &self.authors {
            let address = author
                .split_once(" <")
                .and_then(|(_, rest)| rest.strip_suffix('>'));
            if !address.is_some_and(|address| address.contains('@')) {
                fault(format!(
                    "`{author}` is not an author, expected `Name <address>`"
                ));
            }
        }
        if Day::read(&self.posted).is_none() {
            fault(format!(
                "`{}` is not a date such as `2026-11-27`",
                self.posted
            ));
        }
        if self.body.trim().is_empty() {
            all.push(Unprintable::Lacks("a text"));
        }
        let long = self.body.lines().filter(|line| line.chars().count() > 72);
        all.extend(
            long.map(|line| Unprintable::Text(format!("{line:?} has more than 72 columns"))),
        );
        Refused::if_any(all)
    }
}

impl fmt::Display for NewsItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Title: {}", self.title)?;
        for author in &self.authors {
            writeln!(f, "Author: {author}")?;
        }
        writeln!(f, "Posted: {}", self.posted)?;
        writeln!(f, "Revision: {}", self.revision)?;
        writeln!(f, "News-Item-Format: 2.0")?;
        for atom in &self.installed {
            writeln!(f, "Display-If-Installed: {atom}")?;
        }
        for keyword in &self.keywords {
            writeln!(f, "Display-If-Keyword: {keyword}")?;
        }
        for profile in &self.profiles {
            writeln!(f, "Display-If-Profile: {profile}")?;
        }
        writeln!(f, "\n{}", self.body)
    }
}
