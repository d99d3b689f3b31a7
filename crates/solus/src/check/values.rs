//! Checks the values of the keys of a `package.yml` by ypkg's rules (`ypkg2/ypkgspec.py`,
//! `ypkg2/yamlhelper.py`), and versions by those of eopkg (`pisi/version.py`).

use rocpkg_model::{Findings, Key, Node, Value, parse};
use rocpkg_syntax::{Checked, Fault};
use std::ops::Range;

const TEXTS: &str = "name version homepage environment setup build install check profile";

/// Keys whose values are true or false.
const SWITCHES: &str = "devel clang debug strip lastrip mancompress ccache emul32 networking avx2 autodep \
extract libsplit";

/// Keys with one word or a list of words.
const WORDS: &str = "license permanent builddeps checkdeps optimize";

/// Keys with words for the main package and for subpackages.
const OF_PACKAGES: &str = "summary description patterns rundeps component conflicts replaces";

/// The scripts of which a recipe needs at least one.
const STEPS: [&str; 3] = ["setup", "build", "install"];

/// The code of a key without a value.
const EMPTY: &str = "E0108";

pub(super) fn check(text: &str, out: &mut Checked) {
    let mut findings = Findings::default();
    let root = parse(0, text, &mut findings);
    let empty = findings.iter().filter(|finding| finding.code == EMPTY);
    for span in empty.filter_map(|finding| finding.span) {
        let line = text[..span.start as usize]
            .rfind('\n')
            .map_or(0, |at| at + 1);
        let key = text[line..]
            .split(':')
            .next()
            .unwrap_or_default()
            .trim_end();
        // ypkg reads the word `None` there.
        if OF_PACKAGES.split_whitespace().any(|other| other == key) {
            continue;
        }
        let message = "a key has no value, so ypkg refuses the recipe";
        let fault = Fault::new("E0865", span.start as usize..span.end as usize, message);
        out.faults.push(fault.label("expected a value, or no key"));
    }
    let Some(root) = root else {
        return out.not_checked(
            0,
            "values",
            "the text has an anchor, a tag or a similar sign",
        );
    };
    for (key, node) in root.entries() {
        if let Some(expected) = expected(key, node) {
            refuse(key, node, expected, out);
        }
    }
    for (name, is_valid, label) in [
        (
            "name",
            is_name as fn(&str) -> bool,
            "expected letters, digits and `-_+.`",
        ),
        (
            "version",
            is_version,
            "expected numbers between dots, such as `1.2` or `1.2_rc1`",
        ),
    ] {
        let node = root.key(name).zip(root.get(name));
        if let Some((key, node)) = node
            && node.text().is_some_and(|text| !is_valid(text))
        {
            refuse(key, node, label, out);
        }
    }
    for (package, _) in root.list_of("patterns").iter().flat_map(Node::entries) {
        if !is_name(package.name.strip_prefix('^').unwrap_or(&package.name)) {
            let message = format!(
                "ypkg refuses the subpackage `{}`",
                package.name.escape_debug()
            );
            let fault = Fault::new("E0865", range(package), message);
            out.faults
                .push(fault.label("expected letters, digits and `-_+.`"));
        }
    }
    if !STEPS.iter().any(|step| root.get(step).is_some()) {
        let message = "the recipe has no `setup`, `build` or `install`";
        out.faults
            .push(Fault::new("E0865", 0..0, message).label("ypkg needs one of them"));
    }
}

fn range(key: &Key) -> Range<usize> {
    key.span.start as usize..key.span.end as usize
}

fn refuse(key: &Key, node: &Node, expected: &str, out: &mut Checked) {
    let value = match node.text() {
        Some(text) => format!("`{}`", text.escape_debug()),
        None => node.kind().to_owned(),
    };
    let message = format!("ypkg refuses {value} as the value of `{}`", key.name);
    let fault = Fault::new("E0865", range(key), message);
    out.faults.push(fault.label(expected.to_owned()));
}

/// Returns the expected form of a value that has a wrong type; `None` for a right one, and for a
/// key that ypkg does not know.
fn expected(key: &Key, node: &Node) -> Option<&'static str> {
    let is_among = |words: &str| words.split_whitespace().any(|word| word == key.name);
    // A number in quotes is a text, and no integer.
    let is_quoted = matches!(&node.value, Value::Scalar { plain: false, .. });
    let (is_right, label) = match &node.value {
        value if is_switch(&key.name) => {
            let is_truth = node.text().is_some_and(is_truth);
            let is_plain = matches!(value, Value::Scalar { plain: true, .. });
            (is_plain && is_truth, "expected `yes` or `no`")
        }
        _ if is_among(TEXTS) => (node.text().is_some(), "expected one value"),
        _ if key.name == "release" => (node.text().is_some() && !is_quoted, "expected a number"),
        Value::Seq(all) if is_among(WORDS) => {
            let is_word = |item: &Node| item.entries().is_empty() && item.list().is_empty();
            (
                all.iter().all(is_word),
                "expected a word, or a list of words",
            )
        }
        _ if is_among(WORDS) => {
            let is_word = node.text().is_some() && !is_typed(node);
            (is_word, "expected a word, or a list of words")
        }
        Value::Seq(all) if is_among(OF_PACKAGES) => {
            let label = "expected words, or subpackages with their words";
            (all.iter().all(is_of_package), label)
        }
        Value::Seq(all) if key.name == "source" => {
            let is_source = |item: &Node| item.entries().len() <= 1;
            (
                all.iter().all(is_source),
                "expected `- ADDRESS : CHECKSUM` for each source",
            )
        }
        _ if key.name == "source" => (false, "expected a list of sources"),
        _ => (true, ""),
    };
    (!is_right).then_some(label)
}

/// Returns true for a word, and for a mapping of one subpackage to its word or words.
fn is_of_package(item: &Node) -> bool {
    let is_word = |node: &Node| matches!(node.value, Value::Scalar { .. } | Value::Null);
    match &item.value {
        Value::Map(entries) => {
            let is_value = |node: &Node| is_word(node) || node.list().iter().all(is_word);
            let is_mapping = |node: &Node| !node.entries().is_empty();
            entries.len() == 1 && entries.iter().all(|(_, v)| is_value(v) && !is_mapping(v))
        }
        // `get_key_value_mapping` ignores lists inside of lists.
        _ => true,
    }
}

/// Returns true for a truth value of YAML 1.1, with which ypkg reads recipes.
fn is_truth(text: &str) -> bool {
    let mut words = ["yes", "no", "true", "false", "on", "off"].into_iter();
    words.any(|word| {
        let upper = word.to_ascii_uppercase();
        text == word || text == upper || text == format!("{}{}", &upper[..1], &word[1..])
    })
}

/// Returns true for a plain scalar that YAML 1.1 reads as a number or a truth value, and not as a
/// text.
fn is_typed(node: &Node) -> bool {
    let Value::Scalar { text, plain: true } = &node.value else {
        return false;
    };
    let number = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let is_number = match number.split_once('.') {
        Some((whole, rest)) => !whole.is_empty() && digits(whole) && digits(rest),
        // A number that begins with 0 has octal digits.
        None if number.starts_with('0') => number.bytes().all(|b| (b'0'..b'8').contains(&b)),
        None => !number.is_empty() && digits(number),
    };
    is_truth(text) || is_number
}

/// Returns true for a key whose value is true or false.
pub(crate) fn is_switch(key: &str) -> bool {
    SWITCHES.split_whitespace().any(|switch| switch == key)
}

/// Returns true for a name of a package (`is_name_valid`).
fn is_name(name: &str) -> bool {
    let name = name.trim();
    let is_part = |c: char| c.is_alphabetic() || c.is_numeric() || "-_+.".contains(c);
    !name.is_empty() && name.chars().all(is_part)
}

/// Returns true for a version of eopkg (`make_version`): numbers between dots, each with at most
/// one more character, then perhaps `_` and a word such as `rc` with numbers.
fn is_version(text: &str) -> bool {
    let all = |text: &str| text.split('.').all(is_version_item);
    let Some((numbers, suffix)) = text.split_once('_') else {
        return all(text);
    };
    let words = ["alpha", "beta", "pre", "rc", "m", "p"];
    let rest = words.iter().find_map(|word| suffix.strip_prefix(word));
    let is_suffix = match rest {
        Some(rest) => all(rest),
        None if ("a"..="s").contains(&suffix) => true,
        None => all(suffix),
    };
    all(numbers) && is_suffix
}

fn is_version_item(text: &str) -> bool {
    let is_number = |text: &str| {
        let text = text.trim();
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    };
    let last = text.chars().next_back().map_or(0, char::len_utf8);
    is_number(text) || is_number(&text[..text.len() - last])
}

#[cfg(test)]
mod tests {
    use super::is_version;

    #[test]
    fn versions_are_those_of_eopkg() {
        for fine in [
            "6.0",
            "1.2b",
            "7.0_rc1",
            "2024_p1",
            "1_20240101",
            "1.0_beta2.1",
            "1_foo",
        ] {
            assert!(is_version(fine), "{fine}");
        }
        for bad in [
            "",
            "7.0-rc1",
            "v7",
            "7..0",
            "7.0_",
            "7.0_x1",
            "1.2ab",
            "1_rc",
            "1.0_rc1_p1",
        ] {
            assert!(!is_version(bad), "{bad}");
        }
    }
}
