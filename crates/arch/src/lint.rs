//! What makepkg refuses, and what it lets pass although it is wrong.

use crate::ir::{Field, Fields, Pkgbuild, Value, evaluate};
use crate::places::{At, key, place};
use rocpkg_model::{Finding, Findings, Span, slip};
use rocpkg_resolve::{Plan, Planned, Saved, check_saved};

/// makepkg's options (makepkg.conf(5) and PKGBUILD(5)), each also with `!`.
const OPTIONS: [&str; 11] = [
    "strip",
    "docs",
    "libtool",
    "staticlibs",
    "emptydirs",
    "zipman",
    "ccache",
    "distcc",
    "buildflags",
    "makeflags",
    "debug",
];
const OPTIONS_MORE: [&str; 3] = ["lto", "purge", "autodeps"];

/// Architectures of Arch and its ports (alpm-architecture(7) among others). No list is whole.
const ARCHES: [&str; 19] = [
    "any",
    "aarch64",
    "arm",
    "armv6h",
    "armv7h",
    "i386",
    "i486",
    "i686",
    "loong64",
    "pentium4",
    "powerpc",
    "powerpc64",
    "powerpc64le",
    "riscv32",
    "riscv64",
    "x86_64",
    "x86_64_v2",
    "x86_64_v3",
    "x86_64_v4",
];

/// What is wrong with a text as a pkgrel.
fn odd_release(text: &str, span: Span) -> Option<Finding> {
    let fine = text.split('.').all(is_number) && text.split('.').count() <= 2;
    (!fine).then(|| {
        Finding::error("E0409", span, format!("`{text}` can't be a pkgrel"))
            .label("expected a number such as 1, or 1.1")
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit())
}

/// Checks a PKGBUILD; every fault points at the value of its profile, else at the package's entry.
pub(crate) fn lint(plan: &Plan, p: &Planned, b: &Pkgbuild, findings: &mut Findings) {
    let scope = b.scope();
    let one = |field: Field| {
        let value = b.fields.get(&(field, None));
        value.map(|v| evaluate(&v.elements, &scope).concat()).unwrap_or_default()
    };
    let own = |key| place(plan, p, At { key, ..At::default() });
    if let Some(odd) = odd_release(&one(Field::Pkgrel), own("pkgrel")) {
        findings.push(odd);
    }
    let mut say = |code, at: At, message: String, label: &str| {
        findings.push(Finding::error(code, place(plan, p, at), message).label(label));
    };
    let of = |key| At { key, ..At::default() };
    let version = one(Field::Pkgver);
    if version.is_empty()
        || version.contains(|c: char| c == '-' || c == ':' || c == '/' || c.is_whitespace() || !c.is_ascii())
    {
        say(
            "E0402",
            of("version"),
            format!("`{version}` can't be a pkgver"),
            "no hyphen, colon, slash or blank is allowed",
        );
    }
    let epoch = one(Field::Epoch);
    if !epoch.is_empty() && !is_number(&epoch) {
        say("E0409", of("epoch"), format!("`{epoch}` can't be an epoch"), "expected a whole number");
    }
    for part in b.parts.iter().filter(|_| b.split) {
        let at = At { part: Some(&part.name), ..At::default() };
        section(&part.overrides, b, at, &mut say);
        let own = part.overrides.get(&(Field::License, None));
        licence(own.or(b.fields.get(&(Field::License, None))), b, at, &mut say);
    }
    section(&b.fields, b, At::default(), &mut say);
    if !b.split {
        licence(b.fields.get(&(Field::License, None)), b, At::default(), &mut say);
    }
    if b.parts.is_empty() {
        say("E0425", of("packages"), "a PKGBUILD without a package".into(), "expected at least one pkgname");
    }
    for part in b.parts.iter().filter(|part| !is_name(&part.name)) {
        let message = format!("`{}` can't be a pkgname", part.name.escape_debug());
        findings.push(
            Finding::error("E0425", crate::places::of_part(p, &part.name), message)
                .label("expected letters, digits and `@._+-`, not starting with `-` or `.`"),
        );
    }
    // Sources and patches stand first, in this order.
    let places = p.fetched().map(|s| s.span).chain(p.applied().map(|f| f.file.span));
    let sources = b.fields.get(&(Field::Source, None)).map(|v| evaluate(&v.elements, &scope));
    let places = places.chain(std::iter::repeat(own("pkgbuild")));
    let saved: Vec<Saved> = sources.unwrap_or_default().into_iter().zip(places).map(saved).collect();
    check_saved(&saved, findings);
}

/// The file or folder that makepkg makes of an entry of `source` (`util/source.sh`).
fn saved((entry, span): (String, Span)) -> Saved {
    let (name, address) = match entry.split_once("::") {
        Some((name, address)) => (name.to_owned(), address.to_owned()),
        None => (entry.rsplit('/').next().unwrap_or_default().to_owned(), entry.clone()),
    };
    Saved { name, address, span }
}

/// What makepkg takes for a package's name (`lint_pkgbuild/util.sh`).
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(['-', '.'])
        && name.bytes().all(|c| c.is_ascii_alphanumeric() || b"@._+-".contains(&c))
}

/// What makepkg takes for an architecture (`lint_pkgbuild/arch.sh`).
fn is_arch(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
}

/// A name with perhaps a version behind it: `cmake`, `hip>=7.2`, `libfoo.so=1-64`.
fn is_dependency(text: &str) -> bool {
    let (name, version) = text.split_once(['<', '>', '=']).map_or((text, None), |(n, v)| (n, Some(v)));
    let version = version.map(|v| v.strip_prefix('=').unwrap_or(v));
    let fine = |c: u8| c.is_ascii_alphanumeric() || b"._+:~-".contains(&c);
    is_name(name) && version.is_none_or(|v| !v.is_empty() && v.bytes().all(fine))
}

/// Checks the fields of the whole or of one package.
fn section(fields: &Fields, b: &Pkgbuild, at: At, say: &mut impl FnMut(&'static str, At, String, &str)) {
    let scope = b.scope();
    for ((field, arch), value) in fields {
        let values = evaluate(&value.elements, &scope);
        let all = At { key: key(*field), ..at };
        // Each value, with its place.
        let each = || values.iter().enumerate().map(|(i, v)| (v, At { value: Some((i, v)), ..all }));
        for (v, here) in each().filter(|(v, _)| v.contains(['\n', '\r'])) {
            let message = format!("`{}` of {} holds a line's end", v.escape_debug(), field.name());
            say("E0426", here, message, "a .SRCINFO has one line for each value");
        }
        let dependency = |v: &str| match field {
            Field::Optdepends => is_dependency(v.split_once(": ").map_or(v, |(name, _)| name)),
            Field::Depends
            | Field::Makedepends
            | Field::Checkdepends
            | Field::Provides
            | Field::Conflicts
            | Field::Replaces => is_dependency(v),
            _ => true,
        };
        for (v, here) in each().filter(|(v, _)| !dependency(v)) {
            let message = format!("`{}` can't stand in {}", v.escape_debug(), field.name());
            say("E0425", here, message, "expected a name, with perhaps a version behind `=`, `<` or `>`");
        }
        // What is needed to run can't be the package itself; a compiler may be built by an older one.
        let own = at.part.or(b.parts.first().filter(|_| !b.split).map(|part| part.name.as_str()));
        if matches!(field, Field::Depends | Field::Optdepends)
            && let Some(own) = own
        {
            let end = |c| matches!(c, '<' | '>' | '=' | ':');
            for (_, here) in each().filter(|(v, _)| v.split(end).next() == Some(own)) {
                let message = format!("`{own}` needs itself");
                say("E0233", here, message, "expected another package, or nothing");
            }
        }
        match field {
            Field::Arch if values.len() > 1 && values.iter().any(|a| a == "any") => {
                say(
                    "E0408",
                    all,
                    "`any` stands beside another architecture".into(),
                    "`any` is the only one, or not there",
                );
            }
            Field::Arch => {
                for (v, here) in each() {
                    let meant = slip(v, ARCHES);
                    if meant.is_some() || !is_arch(v) {
                        let message = format!("`{}` can't be an architecture", v.escape_debug());
                        let near = meant.map(|near| format!("; did you mean `{near}`?"));
                        let label = format!("expected one such as x86_64 or any{}", near.unwrap_or_default());
                        say("E0432", here, message, &label);
                    }
                }
            }
            Field::Options => {
                for (o, here) in each().filter(|(o, _)| values.contains(&format!("!{o}"))) {
                    let message = format!("`{o}` is turned on and off");
                    say("E0406", here, message, "expected one of the two");
                }
                for (o, here) in each() {
                    let name = o.strip_prefix('!').unwrap_or(o);
                    if !OPTIONS.iter().chain(&OPTIONS_MORE).any(|k| *k == name) {
                        let known = [&OPTIONS[..], &OPTIONS_MORE[..]].concat().join(", ");
                        say(
                            "E0406",
                            here,
                            format!("makepkg knows no option `{o}`"),
                            &format!("expected one of: {known}"),
                        );
                    }
                }
            }
            Field::Provides => {
                for (v, here) in each().filter(|(v, _)| v.contains(['<', '>'])) {
                    say(
                        "E0407",
                        here,
                        format!("provides can't hold the range `{v}`"),
                        "expected a name, or name=version",
                    );
                }
            }
            Field::Backup => {
                for (v, here) in each().filter(|(v, _)| v.starts_with('/')) {
                    say(
                        "E0427",
                        here,
                        format!("backup holds the absolute path `{v}`"),
                        "leave the slash at the front out",
                    );
                }
            }
            Field::Source if at.part.is_none() => {
                let sums = fields.iter().filter(|((f, a), _)| f.is_sums() && a == arch);
                let counts: Vec<usize> = sums.map(|(_, v)| evaluate(&v.elements, &scope).len()).collect();
                if counts.is_empty() || counts.iter().any(|c| *c != values.len()) {
                    let message = format!("{} sources, and {counts:?} checksums", values.len());
                    say(
                        "E0403",
                        At { key: "sources", ..at },
                        message,
                        "expected one checksum for each source",
                    );
                }
            }
            f if at.part.is_some() && !Field::OVERRIDABLE.contains(f) => {
                let message = format!("a package function can't set {}", f.name());
                say("E0428", all, message, "it belongs to the whole");
            }
            _ => {}
        }
    }
}

/// Licences are SPDX expressions (Arch's RFC 16).
fn licence(
    value: Option<&Value>,
    b: &Pkgbuild,
    at: At,
    say: &mut impl FnMut(&'static str, At, String, &str),
) {
    let at = At { key: key(Field::License), ..at };
    let list = value.map(|v| evaluate(&v.elements, &b.scope())).unwrap_or_default();
    if list.is_empty() {
        say("E0404", at, format!("{} has no licence", b.base), "expected an SPDX expression");
    }
    for (i, l) in list.iter().enumerate() {
        if spdx::Expression::parse(l).is_err() {
            say(
                "E0405",
                At { value: Some((i, l)), ..at },
                format!("`{l}` is no SPDX licence expression"),
                "expected one such as MIT or Apache-2.0 WITH LLVM-exception",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Entry, Part};
    use rocpkg_model::Files;
    use rocpkg_resolve::{Choice, Model, Plan};

    /// What is said of a PKGBUILD with these values of single fields and arrays.
    fn said(list: &[(Field, &[&str])]) -> Vec<&'static str> {
        let mut files = Files::new();
        files.insert(
            "distros/arch.yaml".into(),
            "version: 7.2.4\nnaming: component\nfetch: archive\npackages: {tool: default}".into(),
        );
        files.insert("releases/7.2.yaml".into(), "tag: rocm-${version}\nversions: {7.2.4: {}}".into());
        files.insert("components/tool.yaml".into(), "summary: A tool\nlicence: [MIT]".into());
        let (model, mut findings) = Model::load(&[(String::new(), files)]);
        let plan = Plan::new(&model, "arch", &Choice::Shipped, &mut findings).unwrap();
        assert!(findings.is_empty(), "{}", findings.render(&model.sources, false));
        let mut b = Pkgbuild { base: "tool".into(), ..Pkgbuild::default() };
        b.parts.push(Part { name: "tool".into(), ..Part::default() });
        let good: &[(Field, &[&str])] =
            &[(Field::Pkgver, &["1"]), (Field::Pkgrel, &["1"]), (Field::License, &["MIT"])];
        for (field, items) in good.iter().chain(list) {
            let elements = items.iter().map(|i| Entry::lit(*i).into()).collect();
            b.fields.insert((*field, None), Value { elements, append: false });
        }
        lint(&plan, &plan.packages[0], &b, &mut findings);
        findings.sorted().iter().map(|f| f.code).collect()
    }

    #[test]
    fn versions_are_what_makepkg_takes() {
        assert!(said(&[]).is_empty());
        for bad in ["", "1-2", "1:2", "1/2", "1 2", "ä"] {
            assert_eq!(said(&[(Field::Pkgver, &[bad])]), ["E0402"], "{bad:?}");
        }
        for (bad, fine) in [("", false), ("1.2.3", false), ("1.", false), ("2", true), ("2.1", true)] {
            assert_eq!(said(&[(Field::Pkgrel, &[bad])]).is_empty(), fine, "{bad:?}");
        }
    }

    #[test]
    fn an_architecture_may_be_one_that_is_not_listed() {
        for fine in ["x86_64_v2", "powerpc64le", "espresso", "any"] {
            assert!(said(&[(Field::Arch, &[fine])]).is_empty(), "{fine}");
        }
        for bad in ["x86-64", "arch64", "x y", ""] {
            assert_eq!(said(&[(Field::Arch, &[bad])]), ["E0432"], "{bad}");
        }
    }

    #[test]
    fn sums_are_counted() {
        let source: (Field, &[&str]) = (Field::Source, &["a", "b"]);
        assert_eq!(said(&[source]), ["E0403"]);
        assert_eq!(said(&[source, (Field::Sha256sums, &["1"])]), ["E0403"]);
        assert_eq!(said(&[source, (Field::Sha256sums, &["1", "2"]), (Field::B2sums, &["1"])]), ["E0403"]);
        assert!(said(&[source, (Field::Sha256sums, &["1", "2"])]).is_empty());
    }
    #[test]
    fn a_package_function_sets_only_what_is_its_own() {
        let value = Value { elements: vec![Entry::lit("cmake").into()], append: false };
        let overrides = Fields::from([((Field::Makedepends, None), value)]);
        let mut codes = Vec::new();
        let b = Pkgbuild::default();
        section(&overrides, &b, At { part: Some("a"), ..At::default() }, &mut |code, _, _, _| {
            codes.push(code);
        });
        assert_eq!(codes, ["E0428"]);
    }
}
