//! What is fuzzed: one function for each kind of text that comes from outside. A function takes any bytes. It must come back soon,
//! without a panic and without holding much more than it was given, and what it reads it must print so that it reads the same.

mod files;
mod gentoo;
mod profiles;
mod words;

/// One kind of text.
pub(crate) struct Target {
    /// Its name, and that of its folder in `tests/fuzz/corpus`.
    pub(crate) name: &'static str,
    /// Reads the text and panics when a law does not hold.
    pub(crate) run: fn(&[u8]),
    /// The longest text that is tried, in bytes.
    pub(crate) longest: usize,
}

/// All of them, in the order of their names.
pub(crate) const TARGETS: [Target; 17] = [
    Target { name: "atom", run: gentoo::atom, longest: 512 },
    Target { name: "condition", run: words::condition, longest: 4096 },
    Target { name: "depend", run: gentoo::depend, longest: 4096 },
    Target { name: "ebuild-manifest", run: files::ebuild_manifest, longest: 4096 },
    Target { name: "layers", run: profiles::layers, longest: 8192 },
    Target { name: "nix", run: words::nix, longest: 4096 },
    Target { name: "output-manifest", run: files::output_manifest, longest: 4096 },
    Target { name: "pkgbuild", run: files::pkgbuild, longest: 8192 },
    Target { name: "question", run: gentoo::question, longest: 4096 },
    Target { name: "release", run: words::release, longest: 256 },
    Target { name: "required-use", run: gentoo::required_use, longest: 2048 },
    Target { name: "shell-text", run: words::shell_text, longest: 4096 },
    Target { name: "srcinfo", run: files::srcinfo, longest: 8192 },
    Target { name: "target-id", run: words::target_id, longest: 512 },
    Target { name: "template", run: profiles::template, longest: 4096 },
    Target { name: "text", run: words::text, longest: 2048 },
    Target { name: "yaml", run: profiles::yaml, longest: 16_384 },
];

/// The target of a name.
pub(crate) fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
