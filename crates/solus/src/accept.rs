//! What ypkg and Solus' checks take: our own statement of ypkg's schema (35.1.1), of eopkg's versions and of the file patterns.

use crate::ir::{Recipe, Words};
use indexmap::IndexMap;
use rocpkg_model::{External, Finding, Findings, Node, Span, misspelt};
use rocpkg_resolve::{Dependency, Plan, Planned, Saved, check_saved};

/// Keys of a recipe that are true or false.
const SWITCHES: &str =
    "autodep avx2 ccache clang debug devel emul32 extract lastrip libsplit mancompress networking strip";

/// What `optimize` may ask for.
const OPTIMISE: &str = "speed size no-bind-now no-symbolic unroll-loops runpath avx256 thin-lto lto icf-safe \
icf-all polly function-sections no-reorder-blocks-partition emit-relocs";

/// The components of Solus that packages of ROCm may belong to.
const COMPONENTS: &str = "multimedia.graphics multimedia.library multimedia.video office.maths office.scientific programming \
programming.devel programming.library programming.python programming.tools system.base system.devel \
system.utils xorg.apps xorg.driver xorg.library";

/// The subpackages that ypkg makes by itself, or that recipes name.
const SUBPACKAGES: &str = "main devel docs dbginfo utils demos 32bit 32bit-devel 32bit-dbginfo";

/// Licences that the schema takes beside those of SPDX.
const LICENCES: [&str; 3] = ["EULA", "Distributable", "Public-Domain"];

/// Checks the fields of a recipe.
pub(crate) fn lint(plan: &Plan, p: &Planned, r: &Recipe, findings: &mut Findings) {
    let own = p.node.get("ypkg");
    let place = |n: Option<&Node>| n.map_or(p.node.span, |n| n.span);
    let at = |key: &str| place(p.node.get(key).or_else(|| own?.get(key)));
    let past = plan.distro_node.as_ref().and_then(|n| n.get("history")?.get(&p.id)?.get(p.version.release()));
    let row = |key: &str| place(past.and_then(|row| row.get(key)));
    let key_at = |section: &str, key: &str| {
        let entries = own.and_then(|y| y.get(section)).map(Node::entries).unwrap_or_default();
        entries.iter().find(|(k, _)| k.name == key).map_or(p.node.span, |(k, _)| k.span)
    };
    let count = r.release.to_string();
    // What is no address at all was said.
    let https = !(r.homepage.is_empty() || r.homepage.starts_with("http://"));
    let mut fields = vec![
        (is_name(&r.name), "E0714", at("name"), &r.name, "a package", "letters, digits and `-_+.`"),
        (
            is_version(&r.version),
            "E0711",
            p.node.get("version").map_or_else(|| row("version"), |n| n.span),
            &r.version,
            "a version",
            "numbers between dots",
        ),
        (r.release > 0, "E0719", row("release"), &count, "a release", "a number from 1 on"),
        (https, "E0227", at("homepage"), &r.homepage, "a home page", "an address with https://"),
    ];
    for l in &r.licence {
        let known = spdx::license_id(l).is_some() || LICENCES.contains(&l.as_str());
        fields.push((
            known,
            "E0709",
            at("licence"),
            l,
            "a licence",
            "one name of SPDX, EULA or Distributable",
        ));
    }
    for (_, code, span, value, what, expected) in fields.into_iter().filter(|(fine, ..)| !fine) {
        let message = format!("`{value}` can't be {what} in Solus");
        findings.push(Finding::error(code, span, message).label(format!("expected {expected}")));
    }
    let mut words = vec![("E0708", at("component"), &r.component, "component", COMPONENTS)];
    let parts = r.components.iter().flat_map(|(to, words)| words.iter().map(move |w| (to, w)));
    words.extend(parts.map(|(to, w)| ("E0708", key_at("subpackages", to), w, "component", COMPONENTS)));
    words.extend(r.switches.iter().map(|(k, _)| ("E0707", key_at("switches", k), k, "switch", SWITCHES)));
    words.extend(r.optimize.iter().map(|o| ("E0713", at("optimize"), o, "way to optimise", OPTIMISE)));
    for (code, span, word, what, known) in words {
        let known: Vec<&str> = known.split_whitespace().collect();
        if !known.contains(&word.as_str()) {
            let finding = Finding::error(code, span, format!("ypkg knows no {what} `{word}`"));
            let label = format!("expected one of: {}", known.join(", "));
            findings.push(finding.label(label).nearest(word, known));
        }
    }
    check_words(plan, p, findings);
    check_files(p, r, findings);
    p.check_defaults("a package.yml builds each feature as its default says", findings);
    for (section, words) in by_package(r) {
        for (package, words) in words {
            let span = key_at(section, package);
            let known = SUBPACKAGES.split_whitespace();
            findings.push_some(misspelt("E0705", "subpackage", package, span, known));
            if !is_name(package.strip_prefix('^').unwrap_or(package)) {
                let finding = Finding::error("E0705", span, format!("`{package}` can't be a subpackage"));
                findings.push(finding.label("expected main, devel and its like, or ^ and a whole name"));
            }
            // ypkg matches whole paths.
            let odd = |w: &&String| !w.starts_with('/') || w.contains(char::is_whitespace);
            for w in words.iter().filter(|_| section == "patterns").filter(odd) {
                let finding = Finding::error("E0705", span, format!("`{w}` matches no file of a package"));
                findings.push(finding.label("expected a pattern that begins with `/`"));
            }
        }
    }
}

/// Reports archives that ypkg would save under one name: that behind `#`, or the last part of the address.
fn check_files(p: &Planned, r: &Recipe, findings: &mut Findings) {
    let archives = r.sources.iter().zip(p.fetched()).filter(|((address, _), _)| !address.starts_with("git|"));
    let saved = archives.map(|((address, _), source)| {
        let (from, name) = address
            .split_once('#')
            .unwrap_or_else(|| (address.as_str(), address.rsplit('/').next().unwrap_or_default()));
        Saved { name: name.to_owned(), address: from.to_owned(), span: source.span }
    });
    check_saved(&saved.collect::<Vec<_>>(), findings);
}

/// Reports names of packages that ypkg would not find: each is one word.
fn check_words(plan: &Plan, p: &Planned, findings: &mut Findings) {
    let mut words: Vec<(&str, Span)> = Vec::new();
    for e in &p.depends {
        // Another package's own spelling is looked at there.
        match (&e.edge.spelt, &e.to, plan.externals.get(&e.name)) {
            (Some(own), ..) => words.push((&own.value, own.span)),
            (None, Dependency::External(_), Some(External::Named(name))) => {
                words.push((&name.value, name.span));
            }
            _ => {}
        }
    }
    if let Some(own) = &p.package.ypkg {
        words.extend(own.needed_as.iter().map(|name| (name.value.as_str(), name.span)));
        let lists = [&own.rundeps, &own.replaces];
        let listed = lists.into_iter().flat_map(IndexMap::values).flat_map(|list| &list.0);
        words.extend(listed.map(|word| (word.value.as_str(), word.span)));
    }
    check_needed(plan, p, findings);
    for (word, span) in words {
        let inside = |kind: &str| word.strip_prefix(kind)?.strip_suffix(')');
        let name = inside("pkgconfig(").or_else(|| inside("pkgconfig32(")).unwrap_or(word);
        if !is_name(name) {
            let message = format!("`{word}` can't be a package in Solus");
            let label = "expected one name of letters, digits and `-_+.`, or `pkgconfig(name)`";
            findings.push(Finding::error("E0714", span, message).label(label));
        }
    }
}

/// Reports what a package asks for that is a package of ours but for a letter: there is none.
fn check_needed(plan: &Plan, p: &Planned, findings: &mut Findings) {
    let needed = || p.package.ypkg.iter().flat_map(|own| own.rundeps.values()).flat_map(|list| &list.0);
    if needed().next().is_none() {
        return;
    }
    let written = plan.packages.iter().filter_map(|p| p.package.ypkg.as_ref());
    let subpackages = written.clone().flat_map(|own| own.patterns.keys());
    let ours = plan.packages.iter().map(|p| p.name.as_str());
    let ours = ours.chain(written.filter_map(|own| own.needed_as.as_ref()).map(|name| name.value.as_str()));
    let ours = ours.chain(subpackages.filter_map(|name| name.strip_prefix('^')));
    let ours: Vec<String> = ours.flat_map(|name| [name.to_owned(), format!("{name}-devel")]).collect();
    for word in needed() {
        let known = ours.iter().map(String::as_str);
        findings.push_some(misspelt("E0205", "dependency", &word.value, word.span, known));
    }
}

/// The lists of words that go by subpackage.
fn by_package(r: &Recipe) -> [(&'static str, &[Words]); 4] {
    let (patterns, rundeps) = (("patterns", &r.patterns[..]), ("rundeps", &r.rundeps[..]));
    [patterns, rundeps, ("replaces", &r.replaces), ("conflicts", &r.conflicts)]
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_+.".contains(&b))
}

/// eopkg's versions: numbers, each with at most one letter, between dots, then perhaps a word such as `_rc` with its number.
fn is_version(text: &str) -> bool {
    let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
    let (base, words) = text.split_once('_').map_or((text, None), |(base, words)| (base, Some(words)));
    let part = |t: &str| {
        let number = t.strip_suffix(|c: char| c.is_ascii_lowercase()).unwrap_or(t);
        !number.is_empty() && digits(number)
    };
    let word = |t: &str| {
        ["alpha", "beta", "pre", "rc", "m", "p"].iter().any(|w| t.strip_prefix(w).is_some_and(digits))
    };
    base.split('.').all(part) && words.is_none_or(|w| w.split('_').all(word))
}

#[cfg(test)]
mod tests {
    use super::is_version;

    #[test]
    fn versions_are_what_eopkg_reads() {
        for fine in ["6.0.0", "7.14", "3.00.0", "1.2b", "7.0_rc1", "2024_p1", "1.0_beta2_p1"] {
            assert!(is_version(fine), "{fine}");
        }
        for bad in ["", "7.0-rc1", "v7", "7..0", "7.0_", "7.0_x1", "1.2ab"] {
            assert!(!is_version(bad), "{bad}");
        }
    }
}
