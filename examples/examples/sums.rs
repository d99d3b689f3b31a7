//! Computes unknown checksums from a mirror on this machine, without network access.
#![allow(clippy::print_stdout, reason = "a program that answers")]

use rocpkg::checksums::{ChecksumRequest, Policy, SumSources};
use rocpkg::{Backend, Options, Stack};
use std::collections::BTreeSet;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mirror = std::env::args()
        .nth(1)
        .ok_or("name a mirror: file:///srv/git/{owner}/{repository}.git")?;
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/other-stack");
    let stack = Stack::empty()?.layer(folder)?;
    let options = Options {
        backends: vec![Backend::Nix],
        packages: vec!["nimblas".into()],
        ..Options::everything()
    };

    let (wanted, _) = stack.wanted(&options)?;
    let hosts: BTreeSet<String> = wanted.iter().filter_map(ChecksumRequest::host).collect();
    let cache = std::env::temp_dir().join("rocpkg-example-sums");
    let policy = Policy {
        mirror: Some(mirror),
        cache: Some(cache),
        hosts,
        ..Policy::default()
    };
    let sources = SumSources {
        fetch: Some(policy),
        ..SumSources::default()
    };
    for row in stack.gather_sums(&options, &sources)?.rows {
        for (kind, sum) in &row.sums {
            println!(
                "{} at {}: {kind} {sum}",
                row.request.key, row.request.version
            );
        }
    }
    Ok(())
}
