//! Existing ebuilds that leave a GPU target list of their own to the eclass: they set
//! `ROCM_SUPPORTED_TARGETS`, and the eclass offers those of its targets that are in the list.

use crate::value::tokens::pattern;
use regex::Regex;
use rocpkg_syntax::Script;
use std::fmt::Write as _;
use std::sync::LazyLock;

/// The line by which a rendered ebuild takes no targets from the eclass. The group is the prefix of
/// the eclass's variables.
static SKIPS: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^([A-Z0-9_]+)_SKIP_GLOBALS=1\n"));
/// The lists of targets of a rendered ebuild, and the variables that are made of them.
static LISTS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?m)^(# .*\n)?((SUPPORTED|OFFERED)_TARGETS=\([^)]*\)\n)+IUSE_TARGETS=.*\n([A-Z0-9_]+_REQUIRED_USE=.*\n)?",
    )
});
/// One of the lists: the group has its targets.
static LIST: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^(?:SUPPORTED|OFFERED)_TARGETS=\(([^)]*)\)"));
/// The words of IUSE that stand for the lists.
static FLAGS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\$\{(?:IUSE|SUPPORTED|OFFERED)_TARGETS\[\*\](?:/#/[^}]*)?\} ?"));

/// Returns the rendered ebuild in the form of the existing ebuild `there`: with the same targets in
/// `ROCM_SUPPORTED_TARGETS`, and with the flags and `REQUIRED_USE` of the eclass. Returns `None` if
/// `there` does not set this variable, or if the rendered ebuild has no target list of its own.
pub(crate) fn in_form_of(rendered: &str, there: &str) -> Option<String> {
    let skips = SKIPS.captures(rendered)?;
    let prefix = &skips[1];
    let variable = format!("{prefix}_SUPPORTED_TARGETS");
    if !there.contains(&variable) {
        return None;
    }
    let script = Script::read(there).ok()?;
    script.sets_at_margin(&variable).next()?;
    let lists = LISTS.find(rendered)?;
    let all = LIST.captures_iter(lists.as_str());
    let targets: Vec<String> = all.map(|list| list[1].trim().to_owned()).collect();
    let mut head = format!("{prefix}_VERSION=${{PV}}\n");
    let _ = writeln!(head, "{variable}=( {} )", targets.join(" "));
    let flags = |line: &str| {
        if line.starts_with("IUSE=") {
            FLAGS.replace_all(line, "").into_owned()
        } else {
            line.replace("${SUPPORTED_TARGETS[*]}", &format!("${{{variable}[*]}}"))
        }
    };
    let text = rendered.replace(lists.as_str(), "");
    let text = text.replace(&skips[0], &head);
    Some(text.split_inclusive('\n').map(flags).collect())
}

#[cfg(test)]
mod tests {
    use super::in_form_of;

    const RENDERED: &str = "EAPI=8\n\nROCM_SKIP_GLOBALS=1\n\ninherit rocm\n\n# The GPU targets that upstream has kernels for\nSUPPORTED_TARGETS=(\n\tgfx942 gfx950\n)\nIUSE_TARGETS=( \"${SUPPORTED_TARGETS[@]/#/amdgpu_targets_}\" )\nROCM_REQUIRED_USE=\"|| ( ${IUSE_TARGETS[*]} )\"\nIUSE=\"${IUSE_TARGETS[*]/#/+} test\"\nREQUIRED_USE=\"${ROCM_REQUIRED_USE}\"\n\npkg_pretend() {\n\tewarn \"${SUPPORTED_TARGETS[*]}\"\n}\n";

    #[test]
    fn a_list_of_targets_is_left_to_the_eclass_where_the_existing_ebuild_leaves_it() {
        let there = "EAPI=8\nROCM_VERSION=${PV}\nROCM_SUPPORTED_TARGETS=( gfx942 )\ninherit rocm\n";
        let expected = "EAPI=8\n\nROCM_VERSION=${PV}\nROCM_SUPPORTED_TARGETS=( gfx942 gfx950 )\n\ninherit rocm\n\nIUSE=\"test\"\nREQUIRED_USE=\"${ROCM_REQUIRED_USE}\"\n\npkg_pretend() {\n\tewarn \"${ROCM_SUPPORTED_TARGETS[*]}\"\n}\n";
        assert_eq!(in_form_of(RENDERED, there).as_deref(), Some(expected));
        assert_eq!(in_form_of(RENDERED, "ROCM_SKIP_GLOBALS=1\n"), None);
        // A list of the eclass is no list of the package.
        let of_eclass = "ROCM_VERSION=${PV}\ninherit rocm\nIUSE=\"test\"\n";
        assert_eq!(in_form_of(of_eclass, there), None);
        // Both lists are one for the eclass.
        let two = RENDERED.replace(
            ")\nIUSE_TARGETS",
            ")\nOFFERED_TARGETS=( gfx90a )\nIUSE_TARGETS",
        );
        let made = in_form_of(&two, there).unwrap();
        assert!(
            made.contains("_TARGETS=( gfx942 gfx950 gfx90a )\n"),
            "{made}"
        );
    }
}
