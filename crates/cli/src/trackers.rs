//! `rocpkg trackers`: prints what programs read that watch upstream for new releases.

use crate::args::{TrackersArgs, Watcher};
use crate::error::Error;
use crate::outcome::Outcome;
use rocpkg::Backend;
use rocpkg::latest::TrackedPackage;
use rocpkg::nix::{Argument, Binding, NixExpr, Pattern};
use rocpkg::render::escape_toml;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A regular expression of a version in a tag. It matches no release candidate, and no date.
const VERSION: &str = r"[0-9]+\.[0-9]+(?:\.[0-9]+)?";

/// The function of nixpkgs that makes an update script.
const UPDATE: &str = "nix-update-script";

/// Prints the rules for a program that watches upstream.
pub(crate) fn run(args: &TrackersArgs) -> Result<Outcome, Error> {
    let backend = args.distro;
    let format = args.format.unwrap_or(match backend {
        Backend::Nix => Watcher::Nix,
        _ => Watcher::Nvchecker,
    });
    let fits = match format {
        Watcher::Nvchecker => true,
        Watcher::Renovate => backend != Backend::Gentoo,
        Watcher::Nix => backend == Backend::Nix,
    };
    if !fits {
        let reason = match format {
            Watcher::Nix => "only nixpkgs has update scripts",
            _ => "an ebuild states its version in the file name, which Renovate does not change",
        };
        return Err(Error::Usage(format!("--format: {reason}")));
    }
    let packages = args.model.stack()?.tracked(backend, &args.package)?;
    Ok(match format {
        Watcher::Nvchecker => Outcome::done(packages.iter().map(nvchecker).collect()),
        Watcher::Renovate => Outcome::json(&renovate(backend, &packages)),
        Watcher::Nix => Outcome::done(update_scripts(&packages)?),
    })
}

/// Returns the text as a regular expression that matches only this text.
fn escaped(text: &str) -> String {
    let each = text.chars().map(|c| match c {
        c if c.is_alphanumeric() || "-_/".contains(c) => c.to_string(),
        c => format!("\\{c}"),
    });
    each.collect()
}

/// Returns the regular expression of a package's tags. `version` is that of the version.
fn tags(p: &TrackedPackage, version: &str) -> String {
    format!("{}{version}{}", escaped(&p.prefix), escaped(&p.suffix))
}

/// Returns the table of a package in `nvchecker.toml`. nvchecker compares the whole tag with
/// `include_regex`, takes the greatest tag, and then replaces `from_pattern`.
/// <https://nvchecker.readthedocs.io/en/latest/usage.html>
fn nvchecker(p: &TrackedPackage) -> String {
    let mut rows = vec![
        ("source", "git".to_owned()),
        ("git", format!("{}.git", p.address)),
        ("include_regex", tags(p, VERSION)),
    ];
    if p.adds_zero {
        // A tag with three numbers is not changed by the pattern, so the prefix is removed apart.
        rows.push(("prefix", p.prefix.clone()));
        rows.push(("from_pattern", r"^([0-9]+\.[0-9]+)$".to_owned()));
        rows.push(("to_pattern", r"\1.0".to_owned()));
    } else {
        rows.push(("from_pattern", tags(p, &format!("({VERSION})"))));
        rows.push(("to_pattern", r"\1".to_owned()));
    }
    let row = |(key, value): &(&str, String)| format!("{key} = {}\n", escape_toml(value));
    let rows: String = rows.iter().map(row).collect();
    format!("[{}]\n{rows}\n", escape_toml(&p.name))
}

/// Returns a manager of Renovate for each repository and form of tags.
/// <https://docs.renovatebot.com/modules/manager/regex/>
fn renovate(backend: Backend, packages: &[TrackedPackage]) -> Value {
    let (file, version) = match backend {
        Backend::Arch => ("PKGBUILD", r"pkgver=(?<currentValue>[0-9.]+)"),
        Backend::Solus => ("package.yml", r"version\s*:\s*(?<currentValue>[0-9.]+)"),
        Backend::Nix | Backend::Gentoo => {
            ("default.nix", r#"version = "(?<currentValue>[0-9.]+)";"#)
        }
    };
    let mut groups: BTreeMap<(&str, String), Vec<&str>> = BTreeMap::new();
    for p in packages {
        let tags = format!("^{}$", tags(p, &format!("(?<version>{VERSION})")));
        groups.entry((&p.address, tags)).or_default().push(&p.name);
    }
    let manager = |((address, tags), names): (&(&str, String), &Vec<&str>)| {
        let files = names
            .iter()
            .map(|name| format!("/(^|/){}/{}$/", escaped(name), escaped(file)));
        json!({
            "customType": "regex",
            "managerFilePatterns": files.collect::<Vec<_>>(),
            "matchStrings": [version],
            "datasourceTemplate": "git-tags",
            "packageNameTemplate": format!("{address}.git"),
            "depNameTemplate": address.trim_start_matches("https://github.com/"),
            "extractVersionTemplate": tags,
            "versioningTemplate": "loose",
        })
    };
    json!({
        "$schema": "https://docs.renovatebot.com/renovate-schema.json",
        "customManagers": groups.iter().map(manager).collect::<Vec<_>>(),
    })
}

/// Returns a function to a set with the `updateScript` of each package: a command of nix-update.
///
/// # Errors
/// When the expression can't be formatted, which is a fault of rocpkg.
fn update_scripts(packages: &[TrackedPackage]) -> Result<String, Error> {
    let script = |p: &TrackedPackage| {
        let tags = tags(p, &format!("({VERSION})"));
        let words = ["--version-regex", tags.as_str()].map(NixExpr::string);
        let arguments = Binding::plain("extraArgs", NixExpr::list(words));
        let call = NixExpr::call(UPDATE, [NixExpr::Set(vec![arguments])]);
        Binding::plain(&p.name, call)
    };
    let set = NixExpr::Set(packages.iter().map(script).collect());
    let argument = Argument {
        name: UPDATE.to_owned(),
        default: None,
        comment: None,
    };
    let function = NixExpr::Lambda(Pattern::Set(vec![argument]), Box::new(set));
    rocpkg::nix::format(&function).map_err(Error::Usage)
}
