//! Files beside a PKGBUILD in its repository: `.nvchecker.toml` for looking up new versions, and
//! `REUSE.toml` with the licences of the files. Arch's RFC 40 puts packaging sources under 0BSD,
//! and RFC 52 states the licence by REUSE.

use crate::lower::fields::licences;
use crate::lower::vocabulary::Context;
use crate::value::ir::Pkgbuild;
use minijinja::context;
use rocpkg_model::{Fetch, Piece};
use rocpkg_render::{TemplateError, Templates, escape_toml, ready};
use rocpkg_resolve::{Plan, Planned, ResolvedSource, tag_schemes};

/// The setting of the distribution that names the licence of the files beside a PKGBUILD.
pub(crate) const SETTING: &str = "siblings";

/// The licence whose text this crate has as a template.
const OWN: &str = "0BSD";

/// The files that are under the packaging's own licence in every repository of Arch, as
/// `pkgctl license setup` writes them.
const COMMON: [&str; 15] = [
    "PKGBUILD",
    "README.md",
    "keys/**",
    ".SRCINFO",
    ".nvchecker.toml",
    "*.install",
    "*.sysusers",
    "*.tmpfiles",
    "*.logrotate",
    "*.pam",
    "*.service",
    "*.socket",
    "*.timer",
    "*.desktop",
    "*.hook",
];

/// A pattern of the version in a tag. It matches no release candidate.
const VERSION: &str = r"([0-9]+(?:\.[0-9]+)*)";

/// The address of SPDX's texts of licences, from which the `reuse` tool fetches them.
const TEXTS: &str = "https://raw.githubusercontent.com/spdx/license-list-data/main/text";

/// The generated files with their texts, and the files that the user provides, each with its
/// address. The user provides the texts of other licences than 0BSD.
pub(crate) type Siblings = (Vec<(String, String)>, Vec<(String, String)>);

/// Returns the files beside a PKGBUILD. Returns none if the distribution has no setting for them.
/// `companions` are the other files beside the PKGBUILD: patches and files that steps use.
///
/// # Errors
/// Returns an error if a template is missing or can't be rendered.
pub(crate) fn siblings(
    plan: &Plan,
    p: &Planned,
    pkgbuild: &Pkgbuild,
    companions: &[String],
    templates: &Templates,
) -> Result<Siblings, TemplateError> {
    let Some(licence) = plan.distro.settings.get(SETTING) else {
        return Ok(Siblings::default());
    };
    let licence = licence.value.as_str();
    let mut files = Vec::new();
    if let Some((address, tags)) = watched(plan, p) {
        let base = &pkgbuild.base;
        let is_bare = base
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
        let name = if is_bare {
            base.clone()
        } else {
            escape_toml(base)
        };
        let text = templates.render(
            "arch/nvchecker.toml.j2",
            context! { name => ready(name), address, tags },
        )?;
        files.push((".nvchecker.toml".to_owned(), text));
    }
    let is_patch = |name: &&String| p.applied().any(|patch| patch.file.value == **name);
    let (patches, others): (Vec<&String>, Vec<&String>) = companions.iter().partition(is_patch);
    let named = |name: &&str| {
        !COMMON.iter().any(|common| {
            common
                .strip_prefix('*')
                .is_some_and(|end| name.ends_with(end))
        })
    };
    let paths: Vec<&str> = COMMON
        .into_iter()
        .chain(others.into_iter().map(String::as_str).filter(named))
        .collect();
    let upstream = expression(&licences(&Context::new(plan, p), &p.package.licence));
    let authors = format!("{} contributors", pkgbuild.base);
    let mut texts = vec![licence];
    if !patches.is_empty() {
        texts.extend(
            upstream
                .split([' ', '(', ')'])
                .filter(|word| !["", "AND", "OR", "WITH"].contains(word)),
        );
    }
    texts.sort_unstable();
    texts.dedup();
    let text = templates.render(
        "arch/REUSE.toml.j2",
        context! { paths, patches, licence, authors, upstream },
    )?;
    files.push(("REUSE.toml".to_owned(), text));
    let mut lacking = Vec::new();
    for name in texts {
        let path = format!("LICENSES/{name}.txt");
        if name == OWN {
            files.push((path, templates.render("arch/0BSD.txt.j2", context! {})?));
        } else {
            lacking.push((path, format!("{TEXTS}/{name}.txt")));
        }
    }
    Ok((files, lacking))
}

/// Returns the SPDX expression for licences that all apply: `MIT`, `Apache-2.0` -> `MIT AND
/// Apache-2.0`.
fn expression(all: &[String]) -> String {
    let is_choice = |licence: &str| all.len() > 1 && licence.contains(" OR ");
    let one = |licence: &String| {
        if is_choice(licence) {
            format!("({licence})")
        } else {
            licence.clone()
        }
    };
    all.iter().map(one).collect::<Vec<_>>().join(" AND ")
}

/// Returns the address of the main source's repository, and a pattern of its tags whose first group
/// is the version. If the tags follow the scheme of a release line, the pattern matches the schemes
/// of all known release lines. Returns `None` if the source is no tag of a repository.
fn watched(plan: &Plan, p: &Planned) -> Option<(String, String)> {
    let main = p
        .sources
        .first()
        .filter(|s| s.revision.is_none() && s.fetch != Fetch::File)?;
    let home = format!("https://github.com/{}/{}", main.owner, main.repository);
    let address = match (main.fetch, main.url.as_literal()) {
        (Fetch::Git | Fetch::Tree, Some(url)) => url.clone(),
        _ => main.url.to_string().starts_with(&home).then_some(home)?,
    };
    let of_line = |scheme: &&rocpkg_model::Text| scheme.pieces == main.tag_scheme.pieces;
    let schemes = || tag_schemes(plan.lines.values());
    let mut tags: Vec<String> = if schemes().any(|scheme| of_line(&scheme)) {
        schemes()
            .filter_map(|scheme| pattern(&scheme.pieces, main))
            .collect()
    } else {
        vec![pattern(&main.tag_scheme.pieces, main)?]
    };
    tags.sort_unstable();
    tags.dedup();
    let before: Vec<&str> = tags
        .iter()
        .filter_map(|tag| tag.strip_suffix(VERSION))
        .collect();
    let address = format!("{}.git", address.trim_end_matches(".git"));
    match before.as_slice() {
        [one] => Some((address, format!("{one}{VERSION}"))),
        several if several.len() == tags.len() => {
            Some((address, format!("(?:{}){VERSION}", several.join("|"))))
        }
        _ => None,
    }
}

/// Returns a pattern of the tags that follow the scheme `tag`, with a group for the version:
/// `rocm-${version}` -> `rocm-([0-9]+…)`. Returns `None` for a literal tag without the version.
fn pattern(tag: &[Piece], source: &ResolvedSource) -> Option<String> {
    let escaped = |text: &str| -> String {
        text.chars()
            .flat_map(|c| {
                r"\.+*?()|[]{}^$"
                    .contains(c)
                    .then_some('\\')
                    .into_iter()
                    .chain([c])
            })
            .collect()
    };
    if let [Piece::Literal(text)] = tag {
        let (before, after) = text.split_once(source.version.as_str())?;
        return Some(format!("{}{VERSION}{}", escaped(before), escaped(after)));
    }
    let piece = |piece: &Piece| match piece {
        Piece::Literal(text) => escaped(text),
        Piece::Reference(_) => VERSION.to_owned(),
    };
    Some(tag.iter().map(piece).collect())
}
