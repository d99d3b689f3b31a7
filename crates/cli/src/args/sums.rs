//! The command line of `rocpkg sums`.

use super::{PlanArgs, SHOWN, WHAT, distro, package_name};
use clap::Args;
use rocpkg::Backend;
use rocpkg_upstream::Policy;
use std::path::PathBuf;

// The group of `--help`.
const TAKEN: &str = "Where checksums come from";

#[derive(Debug, Args)]
pub(crate) struct SumsArgs {
    /// The distributions; by default that of the checkout, with its packages, or all outside of a
    /// checkout.
    #[arg(value_parser = distro())]
    pub(crate) distros: Vec<Backend>,
    /// Only what this package fetches; may be given again.
    #[arg(value_parser = package_name(), long, value_name = "NAME", help_heading = WHAT)]
    pub(crate) package: Vec<String>,
    /// List the known checksums, too.
    #[arg(long, help_heading = WHAT)]
    pub(crate) all: bool,
    /// Compute the stated checksums again, and report those that differ; the exit status is 1 then.
    #[arg(long, help_heading = WHAT)]
    pub(crate) verify: bool,
    /// Take checksums from a Manifest, a PKGBUILD, a .SRCINFO or a file of Nix, whatever its name
    /// is, from an archive, or from all of them below a folder; may be given again.
    #[arg(long, value_name = "PATH", help_heading = TAKEN)]
    pub(crate) from: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) computed: ComputedArgs,
    /// Print JSON.
    #[arg(long, help_heading = SHOWN)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}

/// The options for computing checksums.
#[derive(Debug, Default, Args)]
pub(crate) struct ComputedArgs {
    /// Compute checksums: archives and patches are fetched by https, trees by git.
    #[arg(long, help_heading = TAKEN)]
    pub(crate) fetch: bool,
    /// Compute checksums from repositories at another address than GitHub's, such as
    /// `file:///srv/git/{owner}/{repository}.git`; `{owner}` and `{repository}` are filled in.
    /// Archives of tags are made from these repositories and not fetched. Implies --fetch.
    #[arg(long, value_parser = mirror, value_name = "TEMPLATE", help_heading = TAKEN)]
    pub(crate) mirror: Option<String>,
    /// Keep fetched files in this folder, so that the next run does not fetch them again; by
    /// default a folder that is removed at the end.
    #[arg(long, value_name = "DIR", help_heading = TAKEN)]
    pub(crate) cache: Option<PathBuf>,
}

impl ComputedArgs {
    /// Returns true if the arguments request that checksums are computed.
    pub(crate) fn is_asked(&self) -> bool {
        self.fetch || self.mirror.is_some()
    }

    /// Returns the policy by which upstream is read, whether checksums are computed or not.
    pub(crate) fn network(&self) -> Policy {
        Policy {
            mirror: self.mirror.clone(),
            cache: self.cache.clone(),
            ..Policy::default()
        }
    }

    /// Returns the policy by which sources are fetched; `None` if no checksum is computed.
    pub(crate) fn policy(&self) -> Option<Policy> {
        self.is_asked().then(|| self.network())
    }
}

/// Parses the template of a mirror's address. It must contain `{repository}`, since repositories
/// would have the same address otherwise.
pub(super) fn mirror(text: &str) -> Result<String, String> {
    let known = ["https://", "file:///"]
        .iter()
        .any(|scheme| text.starts_with(scheme));
    if known && text.contains("{repository}") {
        return Ok(text.to_owned());
    }
    Err(
        "expected an address with `{repository}` that begins with `https://` or `file:///`"
            .to_owned(),
    )
}
