//! Checks that the functions use the files beside a PKGBUILD.

use crate::lower::vocabulary::Context;
use crate::value::ir::SplitPackage;
use regex::Regex;
use rocpkg_model::{Finding, Findings, Node};
use rocpkg_render::bash::Stmt;
use std::sync::LazyLock;

/// File name endings of archives that makepkg unpacks itself, and of signatures that it checks
/// itself.
const READ: [&str; 12] = [
    ".tar", ".tgz", ".gz", ".bz2", ".xz", ".zst", ".lzma", ".zip", ".7z", ".sig", ".sign", ".asc",
];

/// A placeholder for an expansion of bash or a glob, which may stand for any text.
const ANY: &str = "\0";

/// A placeholder for `$pkgdir`, the folder that the package is installed to.
const IN_PACKAGE: &str = "\u{1}";

/// A placeholder for `$srcdir`, the folder of sources.
const IN_SOURCES: &str = "\u{2}";

/// Returns the bodies of all functions as text.
pub(crate) fn spoken(functions: &[(String, Vec<Stmt>)], parts: &[SplitPackage]) -> String {
    let bodies = functions
        .iter()
        .map(|(_, body)| body)
        .chain(parts.iter().map(|p| &p.body));
    bodies
        .map(|body| rocpkg_render::bash::print(body, &crate::value::print::STYLE))
        .collect()
}

/// Returns true if a text contains `$variable` or `${variable`.
pub(crate) fn speaks_of(text: &str, variable: &str) -> bool {
    text.contains(&format!("${variable}")) || text.contains(&format!("${{{variable}"))
}

/// Reports files beside the PKGBUILD that no function names. Either one of the names is a typo, or
/// the file is not needed any more.
pub(crate) fn check(
    cx: &Context,
    functions: &[(String, Vec<Stmt>)],
    parts: &[SplitPackage],
    findings: &mut Findings,
) {
    let Some(own) =
        cx.p.package
            .pkgbuild
            .as_ref()
            .filter(|own| !own.files.is_empty())
    else {
        return;
    };
    let text = spoken(functions, parts);
    let patterns = patterns(&text);
    let is_named = |name: &str| {
        READ.iter().any(|end| name.ends_with(end))
            || text.contains(name)
            || patterns.iter().any(|pattern| pattern.is_match(name))
    };
    let written = cx.p.node.get("pkgbuild").and_then(|b| b.get("files"));
    for (key, _) in written.into_iter().flat_map(Node::entries) {
        if own.files.contains_key(key.name.as_str()) && !is_named(&key.name) {
            let message = format!("no step of {} uses the file `{}`", cx.p.name, key.name);
            findings.push(
                Finding::warning("W0402", Some(key.span), message)
                    .label("the file is a source that nothing uses"),
            );
        }
    }
}

/// A pattern of text in bash that stands for several names: an expansion, which may contain others,
/// `?`, a class of characters, or alternatives in braces.
static OPEN: LazyLock<Regex> = LazyLock::new(|| {
    let forms =
        r"\$[[:word:]]+|\$\{(?:[^{}]|\{[^{}]*\})*\}|\?|\[[^\][:space:]]*\]|\{[^}[:space:]]*\}";
    Regex::new(forms).expect("a pattern of ours")
});

/// Returns patterns for the file names in a text of bash that contain a glob or an expansion:
/// `$x.conf` -> `^.*\.conf$`. Files below `$pkgdir` are left out, as the function creates them.
/// Names without any literal text are left out too, as they would match every file.
fn patterns(text: &str) -> Vec<Regex> {
    let mut text = text.replace(['\'', '"', '\\'], "");
    for (folder, mark) in [("pkgdir", IN_PACKAGE), ("srcdir", IN_SOURCES)] {
        text = text
            .replace(&format!("${{{folder}}}"), mark)
            .replace(&format!("${folder}"), mark);
    }
    let text = OPEN.replace_all(&text, ANY);
    let words = text.split(|c: char| c.is_whitespace() || ";|&()<>`=,[]{}".contains(c));
    let open = words.filter_map(|word| {
        let (folder, name) = word.rsplit_once('/').unwrap_or(("", word));
        let told = name.chars().any(char::is_alphanumeric)
            || name == "*" && matches!(folder, "" | IN_SOURCES);
        let wanted = !word.starts_with(IN_PACKAGE) && told && name.contains(['\0', '*']);
        wanted.then(|| regex::escape(name).replace(ANY, ".*").replace(r"\*", ".*"))
    });
    open.filter_map(|name| Regex::new(&format!("^{name}$")).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::patterns;

    fn names(text: &str, name: &str) -> bool {
        patterns(text).iter().any(|pattern| pattern.is_match(name))
    }

    #[test]
    fn globs_and_composed_names_name_files() {
        for text in [
            r#"install -Dm644 "$srcdir"/*.conf -t "$pkgdir"/etc"#,
            r#"install -Dm644 "${srcdir}/${pkgname}.conf" -t x"#,
            "for x in a demo; do cp $x.conf /; done",
            "cp d?mo.conf x",
            "cp [a-e]emo.conf x",
            "cp {demo,other}.conf x",
            r#"cp "$srcdir"/* x"#,
            "cp * x",
            r#"sed s/a/b/ "${y/a b/c}o.conf""#,
        ] {
            assert!(names(text, "demo.conf"), "{text}: {:?}", patterns(text));
        }
    }

    #[test]
    fn other_names_do_not() {
        for text in [
            r#"install -Dm644 "$srcdir"/*.service -t "$pkgdir"/etc"#,
            r#"rm "$pkgdir"/etc/*.conf"#,
            r#"rm -r "$pkgdir"/*"#,
            r#"cp "$x" y"#,
            "cp $x.confi y",
            "cd build/* && [ -e x ]",
        ] {
            assert!(!names(text, "demo.conf"), "{text}: {:?}", patterns(text));
        }
    }
}
