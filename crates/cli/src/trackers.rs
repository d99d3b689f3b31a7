//! `rocpkg trackers`: prints what programs read that watch upstream for new releases.

use crate::args::{TrackersArgs, Watcher};
use crate::error::Error;
use crate::outcome::Outcome;
use crate::settings::Settings;
use rocpkg::Backend;
use rocpkg::internal::render::escape_toml;
use rocpkg::latest::TrackedPackage;
use rocpkg::nix::{Argument, Binding, NixExpr, Part, Pattern};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A regular expression of a version in a tag. It matches no release candidate, and no date.
const VERSION: &str = r"[0-9]+\.[0-9]+(?:\.[0-9]+)?";

/// The same, without a third number that is zero. Tags of two numbers stand for that one.
const WITHOUT_ZERO: &str = r"[0-9]+\.[0-9]+(?:\.[1-9][0-9]*)?";

/// The function of nixpkgs that makes an update script.
const UPDATE: &str = "nix-update-script";

/// The name of the update script for tags of two numbers.
const BY_TAG: &str = "updateByTag";

/// The text of this script. nix-update can't add the third number, so it gets the whole version.
const BY_TAG_TEXT: &str = r#"# $1 is the address of a repository, $2 and $3 are the texts around the version in its tags.
version=$(
  git ls-remote --refs --tags "$1" |
    sed --quiet --regexp-extended "s|^.*refs/tags/$2([0-9]+\.[0-9]+(\.[0-9]+)?)$3\$|\1|p" |
    sed --regexp-extended 's|^[0-9]+\.[0-9]+$|&.0|' |
    sort --version-sort |
    tail --lines=1
)
test -n "$version"
exec nix-update --version "$version"
"#;

/// Prints the rules for a program that watches upstream.
pub(crate) fn run(args: &TrackersArgs) -> Result<Outcome, Error> {
    let settings = Settings::here()?;
    let backend = settings.backend(args.distro)?;
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
    let stack = args.model.stack_over(&settings.profiles())?;
    // In a checkout, its own packages are watched if none is named.
    let names = match settings.distribution {
        Some(own) if own == backend => settings.looked_up(&stack, backend, &args.package)?,
        _ => args.package.clone(),
    };
    let packages = stack.tracked(backend, &names)?;
    let (_, pinned) = stack.tagged_sources(&[backend], &names)?;
    let pinned: Vec<String> = pinned.into_iter().collect();
    let without_rule = (!pinned.is_empty()).then(|| {
        let names = pinned.join(", ");
        format!("no rule, because the model knows no tags that say when they change: {names}")
    });
    let comment = without_rule.iter().map(|text| format!("# {text}\n"));
    let comment: String = comment.collect();
    Ok(match format {
        Watcher::Nvchecker => {
            let rules = packages.iter().map(nvchecker);
            Outcome::done([comment].into_iter().chain(rules).collect())
        }
        Watcher::Renovate => {
            let mut value = renovate(backend, &packages);
            if let Some(text) = without_rule {
                value["description"] = json!([text]);
            }
            Outcome::json(&value)
        }
        Watcher::Nix => Outcome::done(comment + &update_scripts(&packages)?),
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
    let (file, start, end) = match backend {
        Backend::Arch => ("PKGBUILD", "pkgver=", ""),
        Backend::Solus => ("package.yml", "version    : ", ""),
        Backend::Nix | Backend::Gentoo => ("default.nix", "version = \"", "\";"),
    };
    let line = |version: &str| format!("{start}(?<currentValue>{version}){end}");
    let mut groups: BTreeMap<(&str, String, bool), Vec<&str>> = BTreeMap::new();
    for p in packages {
        let version = if p.adds_zero { WITHOUT_ZERO } else { VERSION };
        let tags = format!("^{}$", tags(p, &format!("(?<version>{version})")));
        let group = (p.address.as_str(), tags, p.adds_zero);
        groups.entry(group).or_default().push(&p.name);
    }
    let manager = |((address, tags, adds_zero), names): (&(&str, String, bool), &Vec<&str>)| {
        let files = names
            .iter()
            .map(|name| format!("/(^|/){}/{}$/", escaped(name), escaped(file)));
        let mut value = json!({
            "customType": "regex",
            "managerFilePatterns": files.collect::<Vec<_>>(),
            "matchStrings": [line("[0-9.]+")],
            "datasourceTemplate": "git-tags",
            "packageNameTemplate": format!("{address}.git"),
            "depNameTemplate": address.trim_start_matches("https://github.com/"),
            "extractVersionTemplate": tags,
            "versioningTemplate": "loose",
        });
        if *adds_zero {
            // Renovate compares versions as tags have them, without the zero.
            let plain = format!("{start}(?<currentValue>[0-9]+\\.[0-9]+)\\.0{end}");
            value["matchStrings"] = json!([plain, line(r"[0-9]+\.[0-9]+\.[1-9][0-9]*")]);
            let whole = r"{{{replace '^([0-9]+\.[0-9]+)$' '$1.0' newValue}}}";
            value["autoReplaceStringTemplate"] = json!(format!("{start}{whole}{end}"));
        }
        value
    };
    json!({
        "$schema": "https://docs.renovatebot.com/renovate-schema.json",
        "customManagers": groups.iter().map(manager).collect::<Vec<_>>(),
    })
}

/// Returns a function to a set with the `updateScript` of each package: a command of nix-update, or
/// a script that calls it with a version of three numbers.
///
/// # Errors
/// When the expression can't be formatted, which is a fault of rocpkg.
fn update_scripts(packages: &[TrackedPackage]) -> Result<String, Error> {
    let script = |p: &TrackedPackage| {
        if p.adds_zero {
            let address = format!("{}.git", p.address);
            let around = [address, escaped(&p.prefix), escaped(&p.suffix)];
            let script = NixExpr::call("lib.getExe", [NixExpr::Name(BY_TAG.to_owned())]);
            let words = around.into_iter().map(NixExpr::string);
            return Binding::plain(&p.name, NixExpr::list([script].into_iter().chain(words)));
        }
        let tags = tags(p, &format!("({VERSION})"));
        let words = ["--version-regex", tags.as_str()].map(NixExpr::string);
        let arguments = Binding::plain("extraArgs", NixExpr::list(words));
        let call = NixExpr::call(UPDATE, [NixExpr::Set(vec![arguments])]);
        Binding::plain(&p.name, call)
    };
    let mut result = NixExpr::Set(packages.iter().map(script).collect());
    let (mut names, tools) = (Vec::new(), ["coreutils", "git", "gnused", "nix-update"]);
    if packages.iter().any(|p| p.adds_zero) {
        names = [&["lib", "writeShellApplication"], &tools[..]].concat();
        let tools = tools.map(|name| NixExpr::Name(name.to_owned()));
        let application = NixExpr::Set(vec![
            Binding::plain("name", NixExpr::string("update-by-tag")),
            Binding::plain("runtimeInputs", NixExpr::list(tools)),
            Binding::plain(
                "text",
                NixExpr::Lines(vec![Part::Text(BY_TAG_TEXT.to_owned())]),
            ),
        ]);
        let call = NixExpr::call("writeShellApplication", [application]);
        result = NixExpr::Let(vec![Binding::plain(BY_TAG, call)], Box::new(result));
    }
    if packages.iter().any(|p| !p.adds_zero) {
        names.push(UPDATE);
    }
    names.sort_unstable();
    let argument = |name: &&str| Argument {
        name: (*name).to_owned(),
        default: None,
        comment: None,
    };
    let arguments = names.iter().map(argument).collect();
    let function = NixExpr::Lambda(Pattern::Set(arguments), Box::new(result));
    rocpkg::nix::format(&function).map_err(Error::Usage)
}
