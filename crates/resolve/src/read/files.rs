//! Folders of profile files. Each file is parsed once, and its path determines its kind.
//!
//! Files do not depend on each other, so they are parsed in parallel.

use crate::read::texts::words;
use rocpkg_model::{Files, Findings, Node, Sources, Span, Value, parse};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// The distributions, by the names of their profiles.
pub const DISTROS: [&str; 4] = ["gentoo", "arch", "nixpkgs", "solus"];

/// The kind of a profile, by its path.
#[derive(Clone, Copy, Debug)]
pub(crate) enum File<'p> {
    /// `targets.yaml`.
    Targets,
    /// `upstream.yaml`.
    Upstream,
    /// `externals.yaml`.
    Externals,
    /// `consumers.yaml`.
    Consumers,
    /// `releases/LINE.yaml`.
    Line(&'p str),
    /// `components/NAME.yaml`.
    Component(&'p str),
    /// `distros/DISTRO.yaml`.
    Distro(&'p str),
    /// `distros/DISTRO/NAME.yaml`.
    Overlay(&'p str, &'p str),
}

impl<'p> File<'p> {
    /// Returns the kind of the file at a path, or `None` if no profile has that path.
    pub(crate) fn at(path: &'p str) -> Option<Self> {
        let parts: Vec<&str> = path.strip_suffix(".yaml")?.split('/').collect();
        Some(match *parts.as_slice() {
            ["targets"] => Self::Targets,
            ["upstream"] => Self::Upstream,
            ["externals"] => Self::Externals,
            ["consumers"] => Self::Consumers,
            ["releases", line] => Self::Line(line),
            ["components", name] => Self::Component(name),
            ["distros", distro] if DISTROS.contains(&distro) => Self::Distro(distro),
            ["distros", distro, name] if DISTROS.contains(&distro) => Self::Overlay(distro, name),
            _ => return None,
        })
    }
}

/// The layers of one file: the file's tree from each folder, in the order in which folders are
/// merged.
#[derive(Clone, Debug, Default)]
pub struct Layers(Vec<Arc<Node>>);

impl Layers {
    /// Returns the layers, the lowest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Node> {
        self.0.iter().map(Arc::as_ref)
    }

    /// Returns the value of a key in the last layer that has the key. Returns `None` if that value
    /// is `~`.
    pub fn last(&self, key: &str) -> Option<&Node> {
        self.iter()
            .rev()
            .find_map(|layer| layer.get(key))
            .filter(|node| node.value != Value::Null)
    }

    /// Replaces every layer by the result of `how`.
    pub fn change(&mut self, mut how: impl FnMut(&Node) -> Node) {
        for layer in &mut self.0 {
            *layer = Arc::new(how(layer));
        }
    }

    /// Returns the place of the last layer.
    pub fn span(&self) -> Span {
        self.0.last().map(|node| node.span).unwrap_or_default()
    }
}

/// Returns the components of the package `id`: those that its overlay names, or else the component
/// with the package's own name.
pub(crate) fn made_of<'m>(overlay: Option<&'m Layers>, id: &'m str) -> Vec<&'m str> {
    let named = overlay.and_then(|overlay| overlay.last("of"));
    named.map_or_else(|| vec![id], |of| words(of).map(|(word, _)| word).collect())
}

/// Returns the components `names`, followed by the components that they are based on, directly or
/// through others. `component` returns the layers of a component by its name.
pub(crate) fn with_bases<'m>(
    mut names: Vec<&'m str>,
    component: impl Fn(&str) -> Option<&'m Layers>,
) -> Vec<&'m str> {
    let mut at = 0;
    while let Some(name) = names.get(at) {
        let base = component(name).and_then(|layers| layers.last("based-on")?.text());
        names.extend(base.filter(|base| !names.contains(base)));
        at += 1;
    }
    names
}

/// The number of the folder that contains each file, by the file's number. Folder 0 contains the
/// shipped profiles.
#[derive(Clone, Debug, Default)]
pub struct Depths(Vec<usize>);

impl Depths {
    /// Adds the next file, which is in the folder with the number `folder`.
    pub fn push(&mut self, folder: usize) {
        self.0.push(folder);
    }

    /// Returns the number of the folder whose file contains a value.
    pub fn of(&self, span: Span) -> usize {
        self.0.get(span.file as usize).copied().unwrap_or_default()
    }
}

#[derive(Debug, Default)]
pub(crate) struct Folders {
    /// The texts of the files, for messages.
    pub(crate) sources: Sources,
    /// The number of the folder that contains each file.
    pub(crate) depths: Depths,
    /// The path of each file in its folder, by the file's number.
    pub(crate) paths: Vec<String>,
    /// The trees of the files that can be read, by path.
    pub(crate) files: BTreeMap<String, Layers>,
    /// The trees of the files as they are written, by the file's number. Only files without
    /// findings have one.
    pub(crate) trees: Vec<Option<Arc<Node>>>,
    /// The paths of the files that can't be read.
    pub(crate) broken: BTreeSet<String>,
    /// The numbers of the files `products.yaml`, which contain names of hardware. They are only
    /// parsed when a name is looked up.
    pub(crate) names: Vec<u32>,
}

/// The table of hardware names. It is longer than all other tables, and rendering does not need it.
const NAMES: &str = "products.yaml";

impl Folders {
    /// Reads folders. Each folder is a label and its files. The label is put before the paths in
    /// messages, and is empty for the embedded model. `tree_of` returns the tree of a file that was
    /// parsed before, by the file's number and its text.
    ///
    /// # Errors
    /// What can't be read is in the findings.
    pub(crate) fn read(
        layers: &[(String, Files)],
        tree_of: &dyn Fn(usize, &str) -> Option<Arc<Node>>,
        threads: usize,
        findings: &mut Findings,
    ) -> Self {
        let mut out = Self::default();
        let mut profiles = Vec::new();
        for (folder, (label, files)) in layers.iter().enumerate() {
            let here = files.iter().filter(|(path, _)| is_profile(path));
            profiles.extend(here.map(|(path, text)| (folder, label, path, text)));
        }
        let (names, profiles): (Vec<_>, Vec<_>) = profiles
            .into_iter()
            .partition(|(_, _, path, _)| path.as_str() == NAMES);
        let texts: Vec<&str> = profiles.iter().map(|(.., text)| text.as_str()).collect();
        let known = texts.iter().enumerate();
        let known = known.map(|(number, text)| tree_of(number, text)).collect();
        let parsed = side_by_side(&texts, known, threads);
        for ((folder, label, path, text), (node, said)) in profiles.into_iter().zip(parsed) {
            out.add(folder, label, path, text);
            out.trees.push(node.clone().filter(|_| said.is_empty()));
            findings.append(said);
            if let Some(node) = node {
                out.files.entry(path.clone()).or_default().0.push(node);
            } else {
                out.broken.insert(path.clone());
            }
        }
        for (folder, label, path, text) in names {
            let number = out.add(folder, label, path, text);
            out.names.push(number);
        }
        out
    }

    /// Adds a file's text, and returns the file's number. `folder` is the number of its folder, and
    /// `label` is put before its path in messages.
    fn add(&mut self, folder: usize, label: &str, path: &str, text: &str) -> u32 {
        let shown = if label.is_empty() {
            path.to_owned()
        } else {
            format!("{label}/{path}")
        };
        self.depths.push(folder);
        self.paths.push(path.to_owned());
        let number = self.sources.add(shown, text);
        if folder > 0 {
            self.sources.lay();
        }
        number
    }
}

/// Returns true if a file is read as a profile. A folder may contain other files, such as a README.
fn is_profile(path: &str) -> bool {
    let ending = path.rsplit('.').next().unwrap_or_default();
    ending.eq_ignore_ascii_case("yaml") || ending.eq_ignore_ascii_case("yml")
}

/// The number of bytes below which starting a thread takes longer than it saves.
const FEW_BYTES: usize = 64 * 1024;

/// The highest number of threads. More threads would wait for memory, not for processors.
const MOST_THREADS: usize = 4;

/// The tree of a text, if it can be read, and the findings about the text.
type Parsed = (Option<Arc<Node>>, Findings);

/// Parses texts in parallel. Returns the tree of each text and the findings about it, in the order
/// of the texts. A text's index is the number of its file. Texts whose trees are `known` are not
/// parsed.
fn side_by_side(texts: &[&str], known: Vec<Option<Arc<Node>>>, threads: usize) -> Vec<Parsed> {
    let new: Vec<usize> = (0..texts.len()).filter(|i| known[*i].is_none()).collect();
    let bytes: usize = new.iter().map(|i| texts[*i].len()).sum();
    let threads = if bytes < FEW_BYTES {
        1
    } else {
        threads.min(MOST_THREADS)
    };
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(new.len()));
    let work = || {
        let mut mine = Vec::new();
        while let Some(i) = new.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut findings = Findings::default();
            let number = u32::try_from(*i).unwrap_or(u32::MAX);
            let node = parse(number, texts[*i], &mut findings);
            mine.push((*i, (node.map(Arc::new), findings)));
        }
        done.lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .extend(mine);
    };
    thread::scope(|s| {
        for _ in 1..threads {
            // If no thread can be started, this thread does the rest.
            if thread::Builder::new().spawn_scoped(s, work).is_err() {
                break;
            }
        }
        work();
    });
    let done = done.into_inner();
    let done = done.unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut all: Vec<Parsed> = known
        .into_iter()
        .map(|n| (n, Findings::default()))
        .collect();
    for (i, parsed) in done {
        all[i] = parsed;
    }
    all
}
