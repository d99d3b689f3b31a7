//! What ypkg and Solus' checks take: our own statement of ypkg's schema (35.1.1), of eopkg's versions and of the file patterns.

use crate::depends::rank;
use crate::ir::{Recipe, Step, Words};
use crate::macros::{self, Stop};
use crate::yaml;
use rocpkg_model::{Finding, Findings, Node, Span, Value, parse};
use rocpkg_resolve::Planned;

/// Keys of a recipe that are true or false.
const SWITCHES: [&str; 13] = [
    "autodep",
    "avx2",
    "ccache",
    "clang",
    "debug",
    "devel",
    "emul32",
    "extract",
    "lastrip",
    "libsplit",
    "mancompress",
    "networking",
    "strip",
];

/// What `optimize` may ask for.
const OPTIMISE: [&str; 15] = [
    "speed",
    "size",
    "no-bind-now",
    "no-symbolic",
    "unroll-loops",
    "runpath",
    "avx256",
    "thin-lto",
    "lto",
    "icf-safe",
    "icf-all",
    "polly",
    "function-sections",
    "no-reorder-blocks-partition",
    "emit-relocs",
];

/// The components of Solus that packages of ROCm may belong to.
const COMPONENTS: [&str; 19] = [
    "games.emulator",
    "multimedia.codecs",
    "multimedia.graphics",
    "multimedia.library",
    "multimedia.video",
    "office.maths",
    "office.scientific",
    "programming",
    "programming.devel",
    "programming.library",
    "programming.python",
    "programming.tools",
    "security.library",
    "system.base",
    "system.devel",
    "system.utils",
    "xorg.apps",
    "xorg.driver",
    "xorg.library",
];

/// Licences that the schema takes beside those of SPDX.
const LICENCES: [&str; 3] = ["EULA", "Distributable", "Public-Domain"];

/// Checks the fields of a recipe.
pub(crate) fn lint(p: &Planned, r: &Recipe, findings: &mut Findings) {
    let own = p.node.get("ypkg");
    let at =
        |key: &str| p.node.get(key).or_else(|| own.and_then(|y| y.get(key))).map_or(p.node.span, |n| n.span);
    let key_at = |section: &str, key: &str| {
        let entries = own.and_then(|y| y.get(section)).map(Node::entries).unwrap_or_default();
        entries.iter().find(|(k, _)| k.name == key).map_or(p.node.span, |(k, _)| k.span)
    };
    let mut say = |code, span: Span, message: String, label: &str| {
        findings.push(Finding::error(code, span, message).label(label.to_owned()));
    };
    let plain =
        |n: &str| !n.is_empty() && n.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_+.".contains(&b));
    if !plain(&r.name) {
        say(
            "E0714",
            at("name"),
            format!("`{}` can't be a package of Solus", r.name),
            "expected letters, digits and `-_+.`",
        );
    }
    if !is_version(&r.version) {
        say(
            "E0711",
            at("history"),
            format!("eopkg reads no version `{}`", r.version),
            "expected numbers between dots, then perhaps `_rc1` and its like",
        );
    }
    if r.release == 0 {
        say("E0719", at("history"), "a package.yml has no release 0".into(), "expected a number from 1 on");
    }
    if !r.homepage.starts_with("https://") {
        say(
            "E0710",
            at("homepage"),
            format!("`{}` can't be a home page in Solus", r.homepage),
            "expected an address that begins with https://",
        );
    }
    if r.licence.is_empty() {
        say("E0404", at("licence"), format!("{} has no licence", r.name), "expected an SPDX expression");
    }
    for l in &r.licence {
        if spdx::license_id(l).is_none() && !LICENCES.contains(&l.as_str()) {
            say(
                "E0709",
                at("licence"),
                format!("Solus has no licence `{l}`"),
                "expected a name of SPDX, EULA, Distributable or Public-Domain; give it one in the distribution's `licences`",
            );
        }
    }
    let nearest = |code, span, message: String, word: &str, known: &[&str], findings: &mut Findings| {
        let label = format!("expected one of: {}", known.join(", "));
        findings.push(Finding::error(code, span, message).label(label).nearest(word, known.iter().copied()));
    };
    if !COMPONENTS.contains(&r.component.as_str()) {
        nearest(
            "E0708",
            at("component"),
            format!("Solus has no component `{}`", r.component),
            &r.component,
            &COMPONENTS,
            findings,
        );
    }
    for (key, _) in r.switches.iter().filter(|(k, _)| !SWITCHES.contains(&k.as_str())) {
        nearest(
            "E0707",
            key_at("switches", key),
            format!("a package.yml has no switch `{key}`"),
            key,
            &SWITCHES,
            findings,
        );
    }
    for o in r.optimize.iter().filter(|o| !OPTIMISE.contains(&o.as_str())) {
        nearest("E0713", at("optimize"), format!("ypkg optimises for no `{o}`"), o, &OPTIMISE, findings);
    }
    by_package("patterns", &r.patterns, true, &key_at, findings);
    for (key, words) in [("rundeps", &r.rundeps), ("replaces", &r.replaces), ("conflicts", &r.conflicts)] {
        by_package(key, words, false, &key_at, findings);
    }
}

/// Words of subpackages: the schema takes mappings alone for patterns, and ypkg matches whole paths.
fn by_package(
    section: &str,
    all: &[Words],
    paths: bool,
    at: &dyn Fn(&str, &str) -> Span,
    findings: &mut Findings,
) {
    for (package, words) in all {
        let span = at(section, package);
        let name = package.strip_prefix('^').unwrap_or(package);
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_+.".contains(&b)) {
            let message = format!("`{package}` can't be a subpackage");
            findings.push(
                Finding::error("E0705", span, message)
                    .label("expected main, devel and its like, or ^ and a whole name"),
            );
        }
        for w in words.iter().filter(|w| paths && (!w.starts_with('/') || w.contains(char::is_whitespace))) {
            let message = format!("`{w}` matches no file of a package");
            findings.push(
                Finding::error("E0705", span, message).label("expected a pattern that begins with `/`"),
            );
        }
    }
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

/// What is wrong with the text of a recipe: it must read back as it was meant, and ypkg must come to each of its macros.
pub(crate) fn accept(r: &Recipe, text: &str) -> Vec<String> {
    let mut findings = Findings::default();
    let Some(read) = parse(0, text, &mut findings).filter(|_| !findings.has_errors()) else {
        return vec!["its package.yml can't be read back".to_owned()];
    };
    let mut out = Vec::new();
    let mut want = |key: &str, expected: Vec<String>| {
        let found = read.get(key).map(|n| flat(n, "")).unwrap_or_default();
        if found != expected {
            out.push(format!(
                "`{key}` of its package.yml does not read back as it was meant: {found:?}, not {expected:?}"
            ));
        }
    };
    let one = |text: &str| vec![text.to_owned()];
    for (key, value) in [
        ("name", &r.name),
        ("version", &r.version),
        ("homepage", &r.homepage),
        ("component", &r.component),
        ("summary", &r.summary),
    ] {
        want(key, one(value));
    }
    want("release", one(&r.release.to_string()));
    want("license", r.licence.clone());
    want("source", r.sources.iter().map(|(address, sum)| format!("{address}\t{sum}")).collect());
    for (key, list) in [("builddeps", &r.builddeps), ("checkdeps", &r.checkdeps), ("optimize", &r.optimize)] {
        want(key, list.clone());
    }
    for (key, words, named) in [
        ("patterns", &r.patterns, true),
        ("rundeps", &r.rundeps, false),
        ("replaces", &r.replaces, false),
        ("conflicts", &r.conflicts, false),
    ] {
        let own = |to: &String| named || to != "main";
        let all = words.iter().flat_map(|(to, words)| words.iter().map(move |w| (to, w)));
        want(key, all.map(|(to, w)| if own(to) { format!("{to}\t{w}") } else { w.clone() }).collect());
    }
    for (key, on) in &r.switches {
        want(key, one(if *on { "true" } else { "false" }));
    }
    let mut scripts = Vec::new();
    for step in Step::ALL {
        let body = r.steps.iter().find(|(s, _)| *s == step).map(|(_, body)| crate::print::script(body).0);
        want(step.name(), body.clone().into_iter().collect());
        scripts.extend(body.map(|b| (step, b)));
    }
    for (step, stop) in
        scripts.iter().flat_map(|(s, b)| b.lines().filter_map(macros::stop).map(move |stop| (s, stop)))
    {
        let (Stop::Unknown(written) | Stop::Hidden(written, _)) = stop;
        out.push(format!("ypkg stops at `{written}` in {}", step.name()));
    }
    if !r.builddeps.is_sorted_by_key(|d| rank(d)) {
        out.push("its build dependencies are not in Solus' order".to_owned());
    }
    strings(&read, &mut out);
    out
}

/// The words of a value; those of a mapping behind its key and a tab.
fn flat(node: &Node, before: &str) -> Vec<String> {
    match &node.value {
        Value::Scalar { text, .. } => vec![format!("{before}{text}")],
        Value::Seq(items) => items.iter().flat_map(|n| flat(n, before)).collect(),
        Value::Map(entries) => {
            entries.iter().flat_map(|(k, n)| flat(n, &format!("{before}{}\t", k.name))).collect()
        }
        Value::Null => Vec::new(),
    }
}

/// Every plain value that is meant as text is one to each reader of YAML.
fn strings(read: &Node, out: &mut Vec<String>) {
    for (key, value) in read.entries() {
        let meant = key.name == "release" || SWITCHES.contains(&key.name.as_str());
        if let (Value::Scalar { text, plain: true }, false) = (&value.value, meant)
            && !text.contains('\n')
            && !yaml::is_text(text)
        {
            out.push(format!("`{}` is no text to every reader of YAML: {text}", key.name));
        }
    }
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
