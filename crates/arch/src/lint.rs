//! What makepkg refuses, and what it lets pass although it is wrong.

use crate::ir::{Element, Field, Fields, Pkgbuild, evaluate};
use crate::places::{At, key, of_part, place};
use rocpkg_model::{Finding, Findings, Span, slip};
use rocpkg_resolve::{Plan, Planned, Saved, check_saved};

/// makepkg's options (makepkg.conf(5) and PKGBUILD(5)), each also with `!`.
const OPTIONS: &str = "\
strip docs libtool staticlibs emptydirs zipman ccache distcc buildflags makeflags debug lto purge autodeps";

/// Architectures of Arch and its ports (alpm-architecture(7) among others). No list is whole.
const ARCHES: &str = "\
any aarch64 arm armv6h armv7h i386 i486 i686 loong64 pentium4 powerpc powerpc64 powerpc64le riscv32 riscv64 x86_64 x86_64_v2 \
x86_64_v3 x86_64_v4";

/// Takes a finding's code, its place, what is wrong, and what was expected.
type Say<'s> = dyn FnMut(&'static str, At, String, &str) + 's;

/// Checks a PKGBUILD; every fault points at the value of its profile, else at the package's entry.
pub(crate) fn lint(plan: &Plan, p: &Planned, b: &Pkgbuild, findings: &mut Findings) {
    let scope = b.scope();
    let mut say = |code, at: At, message: String, label: &str| {
        findings.push(Finding::error(code, place(plan, p, at), message).label(label));
    };
    let whole = b.fields.get(&Field::License);
    for part in b.parts.iter().filter(|_| b.split) {
        let at = At { part: Some(&part.name), ..At::default() };
        section(&part.overrides, b, at, &mut say);
        licence(part.overrides.get(&Field::License).or(whole), b, at, &mut say);
    }
    section(&b.fields, b, At::default(), &mut say);
    if !b.split {
        licence(whole, b, At::default(), &mut say);
    }
    for part in b.parts.iter().filter(|part| !is_name(&part.name)) {
        let message = format!("`{}` can't be a pkgname", part.name.escape_debug());
        let label = "expected letters, digits and `@._+-`, not starting with `-` or `.`";
        findings.push(Finding::error("E0425", of_part(p, &part.name), message).label(label));
    }
    // Sources and patches stand first, in this order.
    let places = p.fetched().map(|s| s.span).chain(p.applied().map(|f| f.file.span));
    let sources = b.fields.get(&Field::Source).map(|v| evaluate(v, &scope));
    let own = place(plan, p, At { key: "pkgbuild", ..At::default() });
    let places = places.chain(std::iter::repeat(own));
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

/// True for what is a version without its release: no blank, and no sign that parts it from others (`lint_pkgbuild/pkgver.sh`).
fn is_pkgver(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|c| c.is_ascii_graphic() && !b":/-".contains(&c))
}

/// True for a number, or two with a point between them.
pub(crate) fn is_pkgrel(text: &str) -> bool {
    text.split('.').count() <= 2 && text.split('.').all(is_number)
}

pub(crate) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit())
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

/// What is wrong with one value of a field: the code, the message, and what was expected.
fn fault(field: Field, v: &str, all: &[String]) -> Option<(&'static str, String, String)> {
    use Field as F;
    let shown = v.escape_debug();
    let found = |code, message: String, label: &str| Some((code, message, label.to_owned()));
    let name = if field == F::Optdepends { v.split_once(": ").map_or(v, |(name, _)| name) } else { v };
    match field {
        _ if v.contains(['\n', '\r']) => {
            let message = format!("`{shown}` of {} holds a line's end", field.name());
            found("E0426", message, "a .SRCINFO has one line for each value")
        }
        F::Pkgver if !is_pkgver(v) => {
            found("E0409", format!("`{shown}` can't be a pkgver"), "expected letters, digits and `._+~`")
        }
        F::Pkgrel if !is_pkgrel(v) => {
            found("E0409", format!("`{shown}` can't be a pkgrel"), "expected a number such as 1, or 1.1")
        }
        F::Epoch if !is_number(v) => {
            found("E0409", format!("`{shown}` can't be an epoch"), "expected a whole number")
        }
        F::Depends
        | F::Optdepends
        | F::Makedepends
        | F::Checkdepends
        | F::Provides
        | F::Conflicts
        | F::Replaces
            if !is_dependency(name) =>
        {
            let message = format!("`{shown}` can't stand in {}", field.name());
            found("E0425", message, "expected a name, with perhaps a version behind `=`, `<` or `>`")
        }
        F::Provides if v.contains(['<', '>']) => {
            found("E0407", format!("provides can't hold the range `{v}`"), "expected a name, or name=version")
        }
        F::Arch => {
            let meant = slip(v, ARCHES.split_whitespace());
            (meant.is_some() || !is_arch(v)).then(|| {
                let near = meant.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                let label = format!("expected one such as x86_64 or any{near}");
                ("E0432", format!("`{shown}` can't be an architecture"), label)
            })
        }
        F::Options if all.iter().any(|other| other.strip_prefix('!') == Some(v)) => {
            found("E0406", format!("`{v}` is turned on and off"), "expected one of the two")
        }
        F::Options if !OPTIONS.split_whitespace().any(|known| known == v.strip_prefix('!').unwrap_or(v)) => {
            let label =
                format!("expected one of: {}", OPTIONS.split_whitespace().collect::<Vec<_>>().join(", "));
            found("E0406", format!("makepkg knows no option `{v}`"), &label)
        }
        _ => None,
    }
}

/// Checks the fields of the whole or of one package.
fn section(fields: &Fields, b: &Pkgbuild, at: At, say: &mut Say) {
    let scope = b.scope();
    for (field, value) in fields {
        let values = evaluate(value, &scope);
        let all = At { key: key(*field), ..at };
        if *field == Field::Arch && values.len() > 1 && values.iter().any(|a| a == "any") {
            let message = "`any` stands beside another architecture".to_owned();
            say("E0408", all, message, "`any` is the only one, or not there");
            continue;
        }
        // What is needed to run can't be the package itself; a compiler may be built by an older one.
        let own = at.part.or(b.parts.first().filter(|_| !b.split).map(|part| part.name.as_str()));
        let own = own.filter(|_| matches!(field, Field::Depends | Field::Optdepends));
        for (i, v) in values.iter().enumerate() {
            let here = At { value: Some((i, v)), ..all };
            if let Some((code, message, label)) = fault(*field, v, &values) {
                say(code, here, message, &label);
            } else if let Some(own) = own.filter(|own| v.split(['<', '>', '=', ':']).next() == Some(*own)) {
                say("E0233", here, format!("`{own}` needs itself"), "expected another package, or nothing");
            }
        }
    }
}

/// Licences are SPDX expressions (Arch's RFC 16).
fn licence(value: Option<&Vec<Element>>, b: &Pkgbuild, at: At, say: &mut Say) {
    let at = At { key: key(Field::License), ..at };
    let list = value.map(|v| evaluate(v, &b.scope())).unwrap_or_default();
    for (i, l) in list.iter().enumerate().filter(|(_, l)| spdx::Expression::parse(l).is_err()) {
        let label = "expected one such as MIT or Apache-2.0 WITH LLVM-exception";
        let here = At { value: Some((i, l)), ..at };
        say("E0405", here, format!("`{l}` is no SPDX licence expression"), label);
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
        files.insert(
            "components/tool.yaml".into(),
            "summary: A tool\nlicence: [MIT]\nsources: {main: {repository: tool}}".into(),
        );
        let (model, mut findings) = Model::load(&[(String::new(), files)]);
        let plan = Plan::new(&model, "arch", &Choice::Shipped, &mut findings).unwrap();
        assert!(findings.is_empty(), "{}", findings.render(&model.sources, false));
        let mut b = Pkgbuild { base: "tool".into(), ..Pkgbuild::default() };
        b.parts.push(Part { name: "tool".into(), ..Part::default() });
        let good: &[(Field, &[&str])] =
            &[(Field::Pkgver, &["1"]), (Field::Pkgrel, &["1"]), (Field::License, &["MIT"])];
        for (field, items) in good.iter().chain(list) {
            let elements = items.iter().map(|i| Entry::lit(*i).into()).collect();
            b.fields.insert(*field, elements);
        }
        lint(&plan, &plan.packages[0], &b, &mut findings);
        findings.sorted().iter().map(|f| f.code).collect()
    }

    #[test]
    fn a_release_is_what_makepkg_takes() {
        assert!(said(&[]).is_empty());
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
}
