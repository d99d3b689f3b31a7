//! The macros of ypkg, such as `%libdir%` and `%cmake_ninja`. ypkg expands them in each line of a
//! script before bash reads the script (`ypkg2/scripts.py` of 35.1.1).

/// The macros that expand to a value. A recipe writes them as `%name%`.
const VALUES: &str = "\
AMDGPUTARGETS AMDGPUTARGETS_GENERIC ARCH CFLAGS CONFOPTS CXXFLAGS HOST JOBS LDFLAGS LIBSUFFIX PKGFILES \
PKGNAME PREFIX RUSTFLAGS YJOBS builddir cargo_profile cargo_target_dir installroot \
kernel_version_current kernel_version_lts libdir options_cargo options_cargo_cbuild \
options_cargo_release package perl_privlib python2_version python3_version release rootdir sources \
version workdir";

/// The macros that run commands. A recipe writes them as `%name`.
const ACTIONS: &str = "\
apply_patches autogen avx2_lib_shift bolt_instr bolt_merge bolt_opt cabal_build cabal_configure \
cabal_install cabal_register cargo_build cargo_cbuild cargo_cinstall cargo_fetch cargo_install \
cargo_test cmake cmake_kf6 cmake_ninja configure configure_no_runstatedir gem_build gem_install \
haskell_build haskell_check haskell_configure haskell_install haskell_register install_license \
llvm_profile_merge make make_install meson_configure ninja_build ninja_check ninja_install patch \
perl_build perl_install perl_setup python3_avx2_lib_shift python3_compile python3_install python3_setup \
python3_test python_compile python_install python_setup python_test qmake qmake4 qml6_cache qml_cache \
reconfigure symlink_check waf_build waf_configure waf_install";

/// The macros that expand to several words, or to a list with `;` between its elements, at which
/// bash would end the command.
const LISTS: [&str; 6] = [
    "%AMDGPUTARGETS%",
    "%AMDGPUTARGETS_GENERIC%",
    "%CFLAGS%",
    "%CXXFLAGS%",
    "%LDFLAGS%",
    "%RUSTFLAGS%",
];

/// Returns true if a text contains a macro of [`LISTS`]. bash reads the value of such a macro as
/// one word only if the macro is in quotes.
pub(crate) fn holds_list(text: &str) -> bool {
    LISTS.iter().any(|list| text.contains(list))
}

/// Returns every macro of ypkg as it is written in a recipe: `%libdir%`, `%cmake_ninja`.
pub fn all() -> impl Iterator<Item = String> {
    let values = VALUES.split_whitespace().map(|m| format!("%{m}%"));
    values.chain(ACTIONS.split_whitespace().map(|m| format!("%{m}")))
}

/// Returns true if `written` is a macro of ypkg with its `%`: `%version%` for a macro that is a
/// value, `%make` for one that runs commands.
pub fn is_macro(written: &str) -> bool {
    let Some(rest) = written.strip_prefix('%') else {
        return false;
    };
    match rest.strip_suffix('%') {
        Some(value) => VALUES.split_whitespace().any(|m| m == value),
        None => ACTIONS.split_whitespace().any(|m| m == rest),
    }
}

/// Returns the offset of the text that ypkg takes for the first macro of a line, and this text: the
/// `%`, all letters, digits and `_` after it, and one closing `%`. Example: `a %x-b` ->
/// `(2, "%x")`. Returns `None` if the line has no `%`.
fn first(line: &str) -> Option<(usize, &str)> {
    let at = line.find('%')?;
    let rest = &line[at + 1..];
    let end = rest
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(rest.len());
    let closed = usize::from(rest[end..].starts_with('%'));
    Some((at, &line[at..at + 1 + end + closed]))
}

/// Expands the macros of a line. `value` returns the expansion of a macro such as `%libdir%`, or
/// `None` if the text is no macro. ypkg stops at the first text that begins with `%` and is no
/// macro. The second value is this text, or `None` if the whole line was expanded. The line is
/// unchanged from this text on: `100% of %version%` -> the same line, and `%`.
pub fn expand(line: &str, value: &dyn Fn(&str) -> Option<String>) -> (String, Option<String>) {
    let (mut done, mut rest) = (String::new(), line.to_owned());
    while let Some((at, written)) = first(&rest) {
        let Some(text) = value(written) else {
            let stop = written.to_owned();
            return (done + &rest, Some(stop));
        };
        // The value of a macro may contain macros too.
        let (before, after) = (rest[..at].to_owned(), rest[at + written.len()..].to_owned());
        done.push_str(&before);
        rest = text + &after;
    }
    (done + &rest, None)
}

/// Returns the first text in a line that looks like a macro and is none: `%install_licence x` ->
/// `%install_licence`. Returns `None` if the line has no such text.
pub(crate) fn unknown(line: &str) -> Option<String> {
    let mut rest = line;
    while let Some((at, written)) = first(rest) {
        if !is_macro(written) && is_named(written) {
            return Some(written.to_owned());
        }
        rest = &rest[at + written.len()..];
    }
    None
}

/// Returns true if a text that begins with `%` can only be meant as a macro: its name is longer
/// than a format of `date` or `printf` such as `%s`, or it ends with `%` too.
fn is_named(written: &str) -> bool {
    let name = written.trim_matches('%');
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && (name.len() > 2 || written.ends_with('%'))
}

/// Returns two texts of a line: one that begins with `%` and is no macro, and a macro after it.
/// ypkg stops at the first, so it does not expand the second: `${v%.*} %version%` ->
/// `("%", "%version%")`. Returns `None` if no macro is left unexpanded, or if [`unknown`] reports
/// the first text.
pub(crate) fn hidden(line: &str) -> Option<(&str, &str)> {
    let mut stop = None;
    let mut rest = line;
    while let Some((at, written)) = first(rest) {
        match stop {
            Some(stop) if is_macro(written) => return Some((stop, written)),
            None if is_macro(written) => {}
            None if is_named(written) => return None,
            None => stop = Some(written),
            Some(_) => {}
        }
        rest = &rest[at + written.len()..];
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(written: &str) -> Option<String> {
        is_macro(written).then(|| match written {
            "%libdir%" => "/usr/lib%LIBSUFFIX%".to_owned(),
            "%LIBSUFFIX%" => "64".to_owned(),
            other => format!("<{}>", other.trim_matches('%')),
        })
    }

    /// Compares [`expand`] with the results of ypkg 35.1.1 for the same lines and values.
    #[test]
    fn a_line_is_replaced_up_to_what_is_no_macro() {
        for (line, ypkg) in [
            (
                "%cmake_ninja -DX=%libdir%/y",
                "<cmake_ninja> -DX=/usr/lib64/y",
            ),
            ("a %x b %version%", "a %x b %version%"),
            ("%version%%release%", "<version><release>"),
            ("100% of %version%", "100% of %version%"),
            ("%cmake_ninja%", "%cmake_ninja%"),
            ("%version", "%version"),
            ("%%version%", "%%version%"),
            ("x%version%y%nope%z%version%", "x<version>y%nope%z%version%"),
            ("${v%.*} %version%", "${v%.*} %version%"),
            ("%patches", "%patches"),
            (
                "%ninja_build -j $((%YJOBS% / 4))",
                "<ninja_build> -j $((<YJOBS> / 4))",
            ),
            ("%é%version%", "%é%version%"),
            ("a%", "a%"),
            ("%version%%", "<version>%"),
            ("%_%version%", "%_%version%"),
            ("%libdir%%libdir%", "/usr/lib64/usr/lib64"),
        ] {
            assert_eq!(expand(line, &value).0, ypkg);
        }
    }

    #[test]
    fn what_stops_a_line_is_told() {
        let unknown = |line| super::unknown(line);
        assert_eq!(unknown("%ninja_build -j %YJOBS%"), None);
        assert_eq!(
            unknown("x %AMDGPU_TARGETS%").as_deref(),
            Some("%AMDGPU_TARGETS%")
        );
        assert_eq!(
            unknown("%install_licence x").as_deref(),
            Some("%install_licence")
        );
        for line in [
            "%ninja_build -j %YJOBS%",
            "${v%.*}",
            "date +%s",
            "x %AMDGPU_TARGETS% %version%",
        ] {
            assert_eq!(hidden(line), None, "{line}");
        }
        assert_eq!(hidden("${v%.*} %version%"), Some(("%", "%version%")));
        assert_eq!(
            hidden("%version% ${v%.*} x%y %version%"),
            Some(("%", "%version%"))
        );
    }

    #[test]
    fn no_macro_stands_twice() {
        let mut names: Vec<_> = all().collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
