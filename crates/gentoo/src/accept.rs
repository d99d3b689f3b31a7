//! Checks of a rendered ebuild's text, made before it is written.

/// What is wrong with the text of an ebuild, in words.
///
/// No line may end in blanks or begin with spaces, and empty lines stand alone: pkgcheck says so of whole repositories.
pub(crate) fn ebuild(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (i, line) in text.lines().enumerate() {
        if line.ends_with([' ', '\t']) {
            out.push(format!("line {} ends in blanks", i + 1));
        }
        if line.starts_with("  ") {
            out.push(format!("line {} is indented by spaces", i + 1));
        }
    }
    if text.contains("\n\n\n") {
        out.push("two empty lines follow each other".to_owned());
    }
    if !text.ends_with('\n') || text.ends_with("\n\n") {
        out.push("the file does not end in one line feed".to_owned());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::ebuild;

    #[test]
    fn sound_text_passes() {
        let text =
            "# it's \"fine\nA=\"$(ver_cut 1-2)\"\nB='a\"b'\nf() {\n\tx=\"${a#\"${b}\"}\" $(c '$)')\n}\n";
        assert_eq!(ebuild(text), [] as [&str; 0]);
    }

    #[test]
    fn each_fault_is_named() {
        for (text, fault) in [
            ("A=b \n", "line 1 ends in blanks"),
            ("  A=b\n", "line 1 is indented by spaces"),
            ("A=b\n\n\nC=d\n", "two empty lines follow each other"),
            ("A=b", "the file does not end in one line feed"),
        ] {
            assert_eq!(ebuild(text), [fault], "{text:?}");
        }
    }
}
