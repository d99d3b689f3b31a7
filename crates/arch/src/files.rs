//! Files beside a PKGBUILD, and the steps that name them.

use crate::ir::{Element, Entry, Field, Function, Part, Variable};
use crate::vocabulary::Context;
use rocpkg_model::{Finding, Findings, Node};

/// Endings of what makepkg unpacks by itself, and of signatures, which it reads by itself.
const READ: [&str; 12] =
    [".tar", ".tgz", ".gz", ".bz2", ".xz", ".zst", ".lzma", ".zip", ".7z", ".sig", ".sign", ".asc"];

/// Stands for whatever an expansion or a glob may be.
const ANY: char = '\u{0}';

/// What the functions say, as text.
pub(crate) fn spoken(functions: &[Function], parts: &[Part]) -> String {
    let bodies = functions.iter().map(|f| &f.body).chain(parts.iter().map(|p| &p.body));
    bodies.map(|body| rocpkg_render::bash::print(body, &crate::print::STYLE)).collect()
}

/// True when a text speaks of a variable.
pub(crate) fn speaks_of(text: &str, variable: &str) -> bool {
    text.contains(&format!("${variable}")) || text.contains(&format!("${{{variable}"))
}

/// The files that `install` and `changelog` of the whole or of a part name.
pub(crate) fn scripts<'a>(fields: impl IntoIterator<Item = (Field, &'a [Element])>) -> Vec<String> {
    let scripts = fields.into_iter().filter(|(field, _)| matches!(field, Field::Install | Field::Changelog));
    let names = scripts.flat_map(|(_, elements)| elements).filter_map(|element| match element {
        Element::One(entry, _) => Entry::as_literal(entry).map(str::to_owned),
        Element::Splice(_) => None,
    });
    names.collect()
}

/// Looks for files beside the PKGBUILD of which no function speaks: the name of one of the two is a typo, or the file is left over.
pub(crate) fn check(
    cx: &Context,
    functions: &[Function],
    parts: &[Part],
    variables: &[(String, Variable)],
    scripts: &[String],
    findings: &mut Findings,
) {
    let Some(own) = cx.p.package.pkgbuild.as_ref().filter(|own| !own.files.is_empty()) else { return };
    let text = spoken(functions, parts);
    // A step may name a file by a variable.
    let held: Vec<String> = variables
        .iter()
        .filter_map(|(_, variable)| match variable {
            Variable::Scalar(entry) => Some(entry.word().print_bare(rocpkg_render::bash::Quoting::Short)),
            Variable::Array(_) => None,
        })
        .collect();
    let patterns = patterns(&text);
    let is_named = |name: &str| {
        let by_makepkg = !own.noextract.iter().any(|t| t.as_literal().as_deref() == Some(name))
            && READ.iter().any(|end| name.ends_with(end));
        by_makepkg
            || scripts.iter().any(|script| script == name)
            || text.contains(name)
            || held.iter().any(|value| value.contains(name))
            || patterns.iter().any(|pattern| matches(pattern, name))
    };
    let written = cx.p.node.get("pkgbuild").and_then(|b| b.get("files"));
    for (key, _) in written.into_iter().flat_map(Node::entries) {
        if own.files.contains_key(key.name.as_str()) && !is_named(&key.name) {
            let message = format!("no step of {} names the file `{}`", cx.p.name, key.name);
            findings.push(
                Finding::warning("W0402", Some(key.span), message).label("it is a source that nothing uses"),
            );
        }
    }
}

/// The names of files in a text of bash that hold a glob or an expansion, which [`ANY`] stands for. What lies in the package is made
/// there, and a name of which nothing is written out may be any.
fn patterns(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for word in words(text) {
        let in_package = word.starts_with('\u{1}');
        let (folder, name) = word.rsplit_once('/').unwrap_or(("", &word));
        let told = name.chars().any(char::is_alphanumeric) || name == "*" && matches!(folder, "" | "\u{2}");
        if !in_package && told && name.contains([ANY, '*']) {
            out.push(name.replace('*', &ANY.to_string()));
        }
    }
    out
}

/// The words of a text of bash without their quotes, [`ANY`] in the place of each expansion. The folder of the package is U+0001, that
/// of sources U+0002.
fn words(text: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let Some(word) = out.last_mut() else { break };
        match c {
            '\'' | '"' | '\\' => {}
            '$' => {
                let mut name = String::new();
                if chars.next_if_eq(&'{').is_some() {
                    let mut depth = 1;
                    for c in chars.by_ref() {
                        depth = if c == '{' {
                            depth + 1
                        } else if c == '}' {
                            depth - 1
                        } else {
                            depth
                        };
                        if depth == 0 {
                            break;
                        }
                        name.push(c);
                    }
                } else {
                    while let Some(c) = chars.next_if(|c| c.is_alphanumeric() || *c == '_') {
                        name.push(c);
                    }
                }
                word.push(match name.as_str() {
                    "pkgdir" => '\u{1}',
                    "srcdir" => '\u{2}',
                    _ => ANY,
                });
            }
            '?' => word.push(ANY),
            // A class, or some of several.
            '[' | '{' => {
                let end = if c == '[' { ']' } else { '}' };
                let ahead = chars.clone().position(|c| c == end || c.is_whitespace());
                match ahead.filter(|n| chars.clone().nth(*n) == Some(end)) {
                    Some(n) => {
                        word.push(ANY);
                        chars.nth(n);
                    }
                    None => out.push(String::new()),
                }
            }
            c if c.is_whitespace() || ";|&()<>`=,".contains(c) => out.push(String::new()),
            c => word.push(c),
        }
    }
    out
}

/// Whether a name is one that a pattern may stand for.
fn matches(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split(ANY);
    let Some(mut rest) = pieces.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let Some(last) = pieces.next_back() else { return rest.is_empty() };
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::{matches, patterns};

    fn names(text: &str, name: &str) -> bool {
        patterns(text).iter().any(|pattern| matches(pattern, name))
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
