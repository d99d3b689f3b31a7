//! Versions in addresses and tags.

/// Returns a version in a text that differs from `version` and has as many numbers:
/// `rocm-7.1.1` and `7.2.3` → `7.1.1`.
///
/// A text that holds `version` too has none, and neither has the host of an address. A version
/// that is not only numbers and dots is compared with nothing.
pub fn other_version<'a>(text: &'a str, version: &str) -> Option<&'a str> {
    let is_plain = |text: &str| {
        let mut numbers = text.split('.');
        numbers.all(|n| !n.is_empty() && n.bytes().all(|c| c.is_ascii_digit()))
    };
    let numbers = version.matches('.').count();
    if numbers == 0 || !is_plain(version) {
        return None;
    }
    let spellings = [".", "_", "-", ""].map(|mark| version.replace('.', mark));
    if spellings.iter().any(|spelling| text.contains(spelling)) {
        return None;
    }
    let path = text.split_once("://").map_or(Some(text), |(_, rest)| {
        rest.split_once('/').map(|(_, path)| path)
    });
    let mut words = path?.split(|c: char| !c.is_ascii_digit() && c != '.');
    words.find_map(|word| {
        let word = word.trim_matches('.');
        (is_plain(word) && word.matches('.').count() == numbers).then_some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::other_version;

    #[test]
    fn a_version_differs_where_its_shape_is_the_same() {
        assert_eq!(other_version("rocm-7.1.1", "7.2.3"), Some("7.1.1"));
        assert_eq!(other_version("rocm-7.2.3", "7.2.3"), None);
        assert_eq!(other_version("v7_2_3", "7.2.3"), None);
        assert_eq!(other_version("v7.1", "7.2.3"), None);
        assert_eq!(other_version("v7.1.1", "7.2.3-unstable"), None);
        let address = "https://1.2.3.4/x-7.1.1.tar.gz";
        assert_eq!(other_version(address, "7.2.3"), Some("7.1.1"));
        assert_eq!(other_version("https://1.2.3.4/x", "7.2.3"), None);
        assert_eq!(other_version("v1.2", "7"), None);
    }
}
