//! Versions in addresses and tags.

/// Words that, before a version, don't name a package: `v1.2.3`, `release-1.2.3`.
const PLAIN: [&str; 4] = ["", "v", "release", "version"];

/// Returns a version in a text that differs from the `version` of the package `name`:
/// `rocm-7.1.1` beside `7.2.3` → `7.1.1`.
///
/// Only versions of the same shape are compared. If another name than the package's precedes the
/// version, as in `rocm-6.0.0`, the version may be that of a collection of packages, so its first
/// number must be the same. A text that also contains `version` has no other version, and the host
/// of an address is not searched. A version that does not consist of numbers and dots only is not
/// compared.
pub fn other_version<'a>(text: &'a str, version: &str, name: &str) -> Option<&'a str> {
    let own = numbers(version).filter(|own| own.len() > 1)?;
    let spellings = [".", "_", "-", ""].map(|mark| version.replace('.', mark));
    if spellings.iter().any(|spelling| text.contains(spelling)) {
        return None;
    }
    let path = match text.split_once("://") {
        Some((_, rest)) => rest.split_once('/')?.1,
        None => text,
    };
    let mut other = None;
    let mut at = 0;
    for word in path.split(|c: char| !c.is_ascii_digit() && c != '.') {
        let before = &path[..at];
        at += word.len()
            + path[at + word.len()..]
                .chars()
                .next()
                .map_or(0, char::len_utf8);
        let word = word.trim_matches('.');
        let Some(found) = numbers(word).filter(|found| found.len() == own.len()) else {
            continue;
        };
        if found == own {
            return None;
        }
        let whose = before.rsplit('/').next().unwrap_or_default();
        let whose = plain(whose);
        if PLAIN.contains(&whose.as_str()) || whose == plain(name) || found[0] == own[0] {
            other = other.or(Some(word));
        }
    }
    other
}

/// Returns the numbers of a version, without leading zeros: `7.02` → `7`, `2`. Returns none if the
/// version contains anything but numbers and dots.
fn numbers(version: &str) -> Option<Vec<&str>> {
    let is_number = |n: &str| !n.is_empty() && n.bytes().all(|c| c.is_ascii_digit());
    let numbers = version.split('.').map(|n| {
        let short = n.trim_start_matches('0');
        is_number(n).then_some(if short.is_empty() { "0" } else { short })
    });
    numbers.collect()
}

/// Returns the letters and digits of a name, in lower case.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::other_version;

    #[test]
    fn a_version_differs_where_its_shape_is_the_same() {
        let other = |text, version| other_version(text, version, "x");
        assert_eq!(other("rocm-7.1.1", "7.2.3"), Some("7.1.1"));
        assert_eq!(other("rocm-7.2.3", "7.2.3"), None);
        assert_eq!(other("v7_2_3", "7.2.3"), None);
        assert_eq!(other("v7.1", "7.2.3"), None);
        assert_eq!(other("v7.1.1", "7.2.3-unstable"), None);
        assert_eq!(other("v7.02.3", "7.2.03"), None);
        let address = "https://1.2.3.4/x-7.1.1.tar.gz";
        assert_eq!(other(address, "8.2.3"), Some("7.1.1"));
        assert_eq!(other("https://1.2.3.4/x", "7.2.3"), None);
        assert_eq!(other("v1.2", "7"), None);
    }

    #[test]
    fn a_collection_has_a_version_of_its_own() {
        assert_eq!(other_version("rocm-6.0.0", "3.0.2", "rocsparse"), None);
        assert_eq!(
            other_version("rocSPARSE-2.0.0", "3.0.2", "rocsparse"),
            Some("2.0.0")
        );
    }
}
