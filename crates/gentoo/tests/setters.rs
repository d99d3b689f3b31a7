//! Setters of existing ebuilds: an item is changed where it is, in the layout that it has.

use proptest::prelude::*;
use rocpkg_gentoo::{DependVariable, Ebuild, EbuildFile};
use rocpkg_test_support::{fixture, texts};

const RUN: DependVariable = DependVariable::Run;

fn read(text: &str) -> EbuildFile {
    Ebuild::read(text).unwrap()
}

/// Returns the text after a change.
fn after(text: &str, change: impl FnOnce(&mut EbuildFile)) -> String {
    let mut ebuild = read(text);
    change(&mut ebuild);
    ebuild.to_string()
}

fn with_depends(text: &str, depends: &str) -> String {
    after(text, |ebuild| {
        ebuild.set_depends(RUN, &depends.parse().unwrap()).unwrap();
    })
}

fn renamed(text: &str, from: &str, to: &str) -> Result<String, String> {
    let mut ebuild = read(text);
    let done = ebuild.rename_dependency(&from.parse().unwrap(), &to.parse().unwrap());
    done.map(|_| ebuild.to_string()).map_err(|e| e.to_string())
}

#[test]
fn a_variable_of_several_branches_is_refused_with_its_places() {
    let text = "if [[ ${PV} == 9999 ]]; then\n\tRDEPEND=\"a/b\"\nelse\n\tRDEPEND=\"c/d\"\nfi\n";
    let mut ebuild = read(text);
    let refused = ebuild
        .set_depends(RUN, &"e/f".parse().unwrap())
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "`RDEPEND` is set in a branch or a loop: `if [[ ${PV} == 9999 ]]`, `if [[ ${PV} == 9999 ]] … else`"
    );
    assert_eq!(ebuild.to_string(), text);
    for text in [
        "for x in a b; do\n\tRDEPEND=\"${x}/c\"\ndone\n",
        "case ${PV} in\n\t*9999)\n\t\tRDEPEND=\"a/b\"\n\t\t;;\nesac\n",
        "use_x && RDEPEND=\"a/b\"\n",
        "RDEPEND=\"a/b\"\nuse_x && RDEPEND=\"c/d\"\n",
        "_set() {\n\tRDEPEND=\"a/b\"\n}\n_set\n",
    ] {
        let mut ebuild = read(text);
        let refused = ebuild
            .set_depends(RUN, &"e/f".parse().unwrap())
            .unwrap_err();
        assert_eq!(refused.places.len(), 1, "{text}");
        assert_eq!(ebuild.to_string(), text);
        // What is added below the branches has an effect in each of them.
        ebuild.add_depend(RUN, &"e/f".parse().unwrap()).unwrap();
        assert_eq!(ebuild.to_string(), format!("{text}RDEPEND+=\" e/f\"\n"));
    }
}

#[test]
fn what_a_branch_adds_to_is_set_outside_of_it() {
    let text = "RDEPEND=\"a/b\"\nif use_x; then\n\tRDEPEND+=\" c/d\"\nfi\n";
    assert_eq!(
        with_depends(text, "a/b e/f"),
        text.replace("a/b", "a/b e/f")
    );
    let text = "if use_x; then\n\tRDEPEND+=\" c/d\"\nfi\n";
    assert_eq!(
        with_depends(text, "e/f"),
        format!("RDEPEND=\"e/f\"\n{text}")
    );
    let text = "SLOT=0\nRDEPEND=\"a/b\"\nRDEPEND=\"c/d\"\nRDEPEND+=\" e/f\"\n";
    let own = read(text).depends(RUN).unwrap();
    assert_eq!(own.to_string(), "c/d e/f");
    assert_eq!(
        with_depends(text, "g/h"),
        "SLOT=0\nRDEPEND=\"a/b\"\nRDEPEND=\"g/h\"\n"
    );
}

#[test]
fn keywords_are_set_where_a_release_reads_them() {
    for text in [
        "[[ ${PV} == 9999 ]] || KEYWORDS=\"~amd64\"\n",
        "[[ ${PV} != *9999* ]] && KEYWORDS=\"~amd64\"\n",
        "KEYWORDS=\"~amd64\"\n[[ ${PV} == *9999 ]] && KEYWORDS=\"\"\n",
        "KEYWORDS=\"\"\nif ! [[ ${PV} =~ 9999 ]]; then\n\tKEYWORDS=\"~amd64\"\nfi\n",
        "if [[ ${PV} == 9999 ]]; then\n\tKEYWORDS=\"\"\nelif [[ ${PV} == *_rc* ]]; then\n\tKEYWORDS=\"\"\nelse\n\tKEYWORDS=\"~amd64\"\nfi\n",
        "case ${PV} in\n\t9999|*.9999)\n\t\tKEYWORDS=\"\"\n\t\t;;\n\t*)\n\t\tKEYWORDS=\"~amd64\"\n\t\t;;\nesac\n",
        "if [ \"${PV}\" = 9999 ]; then\n\tinherit git-r3\nelse\n\tKEYWORDS='~amd64'\nfi\n",
        "[[ ${PV} == 9999 ]] && inherit git-r3 || KEYWORDS=\"~amd64\"\n",
    ] {
        let text = read(text).to_string();
        let set = after(&text, |ebuild| ebuild.set_keywords("amd64").unwrap());
        assert_eq!(set, text.replace("~amd64", "amd64"));
        let same = after(&text, |ebuild| ebuild.set_keywords("~amd64").unwrap());
        assert_eq!(same, text);
    }
    let live = "[[ ${PV} == 9999 ]] && KEYWORDS=\"\"\n";
    assert_eq!(
        after(live, |ebuild| ebuild.set_keywords("~amd64").unwrap()),
        format!("KEYWORDS=\"~amd64\"\n{live}")
    );
    let either = "if use_x; then\n\tKEYWORDS=\"~amd64\"\nelse\n\tKEYWORDS=\"~x86\"\nfi\n";
    let mut ebuild = read(either);
    let refused = ebuild.set_keywords("amd64").unwrap_err();
    assert_eq!(refused.places, ["if use_x", "if use_x … else"]);
    assert_eq!(ebuild.to_string(), either);
    let lines = "KEYWORDS=\"~amd64 ~arm64\n\t~x86\"\n";
    let set = after(lines, |ebuild| {
        ebuild.set_keywords("amd64 ~arm64 ~x86").unwrap();
    });
    assert_eq!(set, "KEYWORDS=\"amd64 ~arm64\n\t~x86\"\n");
}

#[test]
fn dependencies_keep_their_layout() {
    let text = "RDEPEND=\"\n\ta/b\n\thip? (\n\t\tc/d\n\t\te/f\n\t)\n\t$(python_gen_cond_dep '\n\t\tg/h[${PYTHON_USEDEP}]\n\t')\n\"\n";
    let read_again = read(text).depends(RUN).unwrap();
    assert_eq!(
        after(text, |ebuild| ebuild.set_depends(RUN, &read_again).unwrap()),
        text
    );
    let call = "$(python_gen_cond_dep \"g/h[\\${PYTHON_USEDEP}]\")";
    let changed = |depends: &str| {
        let mut spec = read(text).depends(RUN).unwrap();
        let call = spec.nodes.pop().unwrap();
        let mut new: rocpkg_pms::Spec<rocpkg_gentoo::Dep> = depends.parse().unwrap();
        new.nodes.push(call);
        after(text, |ebuild| ebuild.set_depends(RUN, &new).unwrap())
    };
    assert!(!text.contains(call));
    assert_eq!(
        changed("a/b i/j hip? ( c/d e/f )"),
        text.replace("a/b\n", "a/b\n\ti/j\n")
    );
    assert_eq!(
        changed("a/b hip? ( c/d e/f i/j )"),
        text.replace("e/f\n", "e/f\n\t\ti/j\n")
    );
    assert_eq!(changed("a/b hip? ( e/f )"), text.replace("\t\tc/d\n", ""));
    assert_eq!(changed("hip? ( c/d e/f )"), text.replace("\ta/b\n", ""));
    assert_eq!(
        changed("a/b c/d e/f"),
        text.replace("\thip? (\n", "")
            .replace("\n\t)\n\t$", "\n\t$")
    );
    assert_eq!(
        changed("a/b x? ( || ( i/j k/l ) ) hip? ( c/d e/f )"),
        text.replace("a/b\n", "a/b\n\tx? ( || ( i/j k/l ) )\n")
    );
    assert_eq!(
        with_depends("RDEPEND=\"a/b c/d\"\n", "c/d"),
        "RDEPEND=\"c/d\"\n"
    );
    assert_eq!(
        with_depends("RDEPEND='a/b'\n", "a/b ${X}"),
        "RDEPEND=\"a/b ${X}\"\n"
    );
    assert_eq!(
        with_depends("RDEPEND=a/b\n", "a/b c/d"),
        "RDEPEND=\"a/b c/d\"\n"
    );
    assert_eq!(
        with_depends("RDEPEND=\"a/b\"\nRDEPEND+=\" c/d\"\n", "a/b e/f"),
        "RDEPEND=\"a/b\"\nRDEPEND+=\" e/f\"\n"
    );
}

#[test]
fn open_words_of_iuse_stay() {
    let text = "IUSE=\"+hip ${CPU_FLAGS[@]/#/cpu_flags_} test $(x y)\"\n";
    let (flags, _) = read(text).iuse().unwrap();
    assert_eq!(after(text, |ebuild| ebuild.set_iuse(&flags).unwrap()), text);
    let set = |flags: &str| {
        after(text, |ebuild| {
            ebuild.set_iuse(&flags.parse().unwrap()).unwrap();
        })
    };
    assert_eq!(set("hip test"), text.replace("+hip", "hip"));
    assert_eq!(set("test"), text.replace("+hip ", ""));
    assert_eq!(set("+hip a test"), text.replace("+hip", "+hip a"));
    assert_eq!(set(""), text.replace("+hip ", "").replace(" test", ""));
}

#[test]
fn flags_are_added_and_removed_in_place() {
    let add = |text: &str, flag: &str| {
        after(text, |ebuild| {
            ebuild.add_flag(&flag.parse().unwrap()).unwrap();
        })
    };
    let remove = |text: &str, flag: &str| after(text, |ebuild| ebuild.remove_flag(flag).unwrap());
    let text = "IUSE=\"\n\ta\n\t+b\n\"\n";
    assert_eq!(add(text, "c"), "IUSE=\"\n\ta\n\t+b\n\tc\n\"\n");
    assert_eq!(add(text, "b"), "IUSE=\"\n\ta\n\tb\n\"\n");
    assert_eq!(add(text, "a"), text);
    let twice = "IUSE=\"a\"\nIUSE+=\" b\"\n";
    assert_eq!(add(twice, "+a"), twice.replace("\"a", "\"+a"));
    assert_eq!(remove(text, "b"), "IUSE=\"\n\ta\n\"\n");
    let branches = "IUSE=\"a\"\nif use_x; then\n\tIUSE+=\" b a\"\nelse\n\tIUSE+=\" a\"\nfi\n";
    assert_eq!(
        remove(branches, "a"),
        "IUSE=\"\"\nif use_x; then\n\tIUSE+=\" b\"\nelse\n\tIUSE+=\"\"\nfi\n"
    );
    let overwritten = "IUSE=\"a\"\nuse_x && IUSE=\"b\"\n";
    assert_eq!(
        add(overwritten, "c"),
        format!("{overwritten}IUSE+=\" c\"\n")
    );
    let mut ebuild = read("inherit cmake\nIUSE=\"a ${X}\"\n");
    let refused = ebuild.remove_flag("b").unwrap_err();
    assert_eq!(
        refused.to_string(),
        "`b` is not in `IUSE` here; an eclass or an expansion may add it: `${X}`"
    );
}

#[test]
fn a_value_that_can_not_be_divided_is_refused() {
    for text in [
        "IUSE=\"a b\"\\${U}\"c d\"\n",
        "if x; then\n\tIUSE=\"a b\"${U}\nfi\n",
        "IUSE=$\"a b\"\n",
    ] {
        let mut ebuild = read(text);
        let before = ebuild.to_string();
        assert!(ebuild.add_flag(&"c".parse().unwrap()).is_err(), "{text}");
        assert!(ebuild.set_iuse(&"c".parse().unwrap()).is_err(), "{text}");
        assert!(ebuild.remove_flag("a").is_err(), "{text}");
        assert_eq!(ebuild.to_string(), before);
    }
}

#[test]
fn a_rename_follows_what_dependencies_are_made_of() {
    let text = "CDEPEND=\"\n\t>=dev-util/hip-${PV}:=[a(-)]\n\t!dev-util/hip-runtime\n\"\n\
        OTHER=\"dev-util/hip\"\nDEPEND=\"${CDEPEND}\n\t$(python_gen_any_dep 'dev-util/hip[${PYTHON_USEDEP}]')\n\"\n\
        for x in dev-util/hip dev-util/a; do\n\tRDEPEND+=\" ${x}:=\"\ndone\nunset x\n\
        [[ ${PV} == 9999 ]] || PDEPEND=\"!!dev-util/hip\"\n\n\
        python_check_deps() {\n\tpython_has_version \"dev-util/hip[${PYTHON_USEDEP}]\"\n\teinfo \"dev-util/hip\" # dev-util/hip\n}\n";
    let text = read(text).to_string();
    let expected = text
        .replace("dev-util/hip-$", "x-y/z-$")
        .replace("'dev-util/hip", "'x-y/z")
        .replace("in dev-util/hip", "in x-y/z")
        .replace("!!dev-util/hip", "!!x-y/z")
        .replace("version \"dev-util/hip", "version \"x-y/z");
    assert_eq!(renamed(&text, "dev-util/hip", "x-y/z").unwrap(), expected);
    assert_eq!(renamed(&text, "dev-util/none", "x-y/z").unwrap(), text);
    for (text, word) in [
        (
            "for x in hip a; do\n\tRDEPEND+=\" dev-util/${x}\"\ndone\n",
            "dev-util/${x}",
        ),
        ("RDEPEND=\"dev-util/hip${X}\"\n", "dev-util/hip${X}"),
        ("RDEPEND=\"${X:-dev-util/hip}\"\n", "${X:-dev-util/hip}"),
    ] {
        let refused = renamed(text, "dev-util/hip", "x-y/z").unwrap_err();
        assert!(refused.ends_with(&format!(": `{word}`")), "{refused}");
    }
    for text in [
        "for x in a b; do\n\tRDEPEND+=\" dev-util/${x}\"\ndone\n",
        "RDEPEND=\"~dev-util/rocm-${PV} >=dev-util/x-$(ver_cut 1) ${X}\"\n",
        "V=\"$(ver_cut 1-2)*\"\nRDEPEND=\"=dev-util/x-${V} ${CATEGORY}/${PN}[a]\"\n",
    ] {
        assert_eq!(renamed(text, "dev-util/hip", "x-y/z").unwrap(), text);
    }
}

/// Returns the golden ebuilds by their paths in the repository.
fn golden() -> impl Iterator<Item = (String, String)> {
    texts(&fixture("golden/gentoo"), &["ebuild"]).into_iter()
}

#[test]
fn golden_ebuilds_keep_every_byte_that_is_not_meant() {
    for (path, text) in golden() {
        let before = read(&text);
        let mut same = before.clone();
        for variable in DependVariable::ALL {
            let own = before.depends(variable).unwrap();
            same.set_depends(variable, &own).unwrap();
        }
        same.set_iuse(&before.iuse().unwrap().0).unwrap();
        same.set_required_use(&before.required_use().unwrap())
            .unwrap();
        assert_eq!(same, before, "{path}");

        let mut flag = before.clone();
        flag.add_flag(&"+zz-flag".parse().unwrap()).unwrap();
        assert_ne!(flag, before, "{path}");
        flag.remove_flag("zz-flag").unwrap();
        assert_eq!(flag, before, "{path}");

        let mut renamed = before.clone();
        let (from, to) = ("dev-util/hip".parse().unwrap(), "zz-zz/zz".parse().unwrap());
        let count = renamed.rename_dependency(&from, &to).unwrap();
        let done = renamed.written_into(&text, &path).unwrap();
        assert_eq!(done.conflicts, [], "{path}");
        assert_eq!(
            done.text.replace("zz-zz/zz", "dev-util/hip"),
            text,
            "{path}"
        );
        assert_eq!(done.text.matches("zz-zz/zz").count(), count, "{path}");
    }
}

fn atom() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["a/b", "a/b-c", "aa/b", "a/bb", "x-y/z"]);
    name.prop_flat_map(|name| {
        let forms = [
            name.to_owned(),
            format!("!{name}"),
            format!(">={name}-1.2"),
            format!("~{name}-${{PV}}"),
            format!("{name}:0/1="),
            format!("{name}[f(-)?,${{U}}]"),
            "${V}".to_owned(),
            format!("$(f '{name}[${{U}}]' -2)"),
        ];
        prop::sample::select(forms.to_vec())
    })
}

/// A dependency specification in some layout.
fn specification() -> impl Strategy<Value = String> {
    let blank = || prop::sample::select(vec![" ", "\n\t", "\n\t\t", "  "]);
    let leaf = (blank(), atom()).prop_map(|(blank, atom)| format!("{blank}{atom}"));
    let group = leaf.prop_recursive(3, 12, 3, move |inner| {
        let sign = prop::sample::select(vec!["f? (", "!f? (", "|| (", "("]);
        let inside = prop::collection::vec(inner, 1..3);
        (blank(), sign, inside, blank()).prop_map(|(before, sign, inside, end)| {
            format!("{before}{sign}{}{end})", inside.concat())
        })
    });
    (prop::collection::vec(group, 1..5), any::<bool>()).prop_map(|(parts, is_tall)| {
        let text = parts.concat();
        if is_tall {
            format!("{text}\n")
        } else {
            text.trim_start().to_owned()
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_was_read_and_is_set_changes_nothing(spec in specification(), other in specification()) {
        let text = format!("IUSE=\"a\"\nRDEPEND=\"{spec}\"\nRDEPEND+=\"\n{other}\"\nBDEPEND='a/b'\n");
        let before = read(&text);
        let mut same = before.clone();
        let own = before.depends(RUN).unwrap();
        same.set_depends(RUN, &own).unwrap();
        prop_assert_eq!(&same, &before);
        // After a change and back, the words are the same.
        let mut twice = before.clone();
        twice.add_depend(RUN, &"q/q".parse().unwrap()).unwrap();
        prop_assert_ne!(&twice, &before);
        twice.set_depends(RUN, &own).unwrap();
        prop_assert_eq!(twice.to_string(), before.to_string());
    }

    #[test]
    fn what_is_set_is_read(old in specification(), new in specification()) {
        let mut ebuild = read(&format!("RDEPEND=\"{old}\"\n"));
        let new = read(&format!("RDEPEND=\"{new}\"\n")).depends(RUN).unwrap();
        ebuild.set_depends(RUN, &new).unwrap();
        prop_assert_eq!(ebuild.depends(RUN).unwrap().to_string(), new.to_string());
    }

    #[test]
    fn a_rename_changes_the_atoms_of_the_name(spec in specification()) {
        let text = format!("RDEPEND=\"{spec}\"\n");
        let done = renamed(&text, "a/b", "new/name").unwrap();
        let is_name = |c: char| c.is_ascii_alphanumeric();
        let mut expected = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find("a/b") {
            let (head, tail) = rest.split_at(at);
            let ends = !tail[3..].starts_with(is_name) && !tail[3..].starts_with("-c");
            let begins = !head.ends_with(is_name);
            expected += head;
            expected += if ends && begins { "new/name" } else { "a/b" };
            rest = &tail[3..];
        }
        prop_assert_eq!(done, expected + rest);
    }

    #[test]
    fn a_flag_that_is_added_and_removed_leaves_no_trace(
        head in prop::collection::vec(prop::sample::select(vec!["a", "+b", "-c", "${D}", "${E[@]}"]), 0..5),
        blank in prop::sample::select(vec![" ", "\n\t"]),
        tail in prop::sample::select(vec!["", " ", "\n"]),
        is_in_branch in any::<bool>(),
    ) {
        let value = head.join(blank);
        let set = if head.is_empty() { String::new() } else { format!("IUSE=\"{value}{tail}\"\n") };
        let branch = if is_in_branch { "use_x && IUSE=\"q\"\n" } else { "" };
        let text = format!("SLOT=\"0\"\n{set}{branch}");
        let before = read(&text);
        let mut ebuild = before.clone();
        ebuild.add_flag(&"zz".parse().unwrap()).unwrap();
        prop_assert!(ebuild.to_string().contains("zz"));
        ebuild.remove_flag("zz").unwrap();
        prop_assert_eq!(ebuild.to_string(), before.to_string());
    }
}

#[test]
fn what_is_added_below_branches_keeps_its_expansions() {
    let text = "use_x && RDEPEND=\"a/b\"\n";
    let added = after(text, |ebuild| {
        let depends = "~c/d-${PV}".parse().unwrap();
        ebuild.add_depend(RUN, &depends).unwrap();
    });
    assert_eq!(added, format!("{text}RDEPEND+=\" ~c/d-${{PV}}\"\n"));
}

/// A rename changes the name alone: comments, blanks, quotes and line breaks stay.
#[test]
fn a_rename_keeps_every_other_byte() {
    for line in [
        "\thas_version dev-util/hip && die \"bad\"   # note",
        "\toptfeature \"x   y\"   dev-util/hip # opt",
        "\tif has_version dev-util/hip; then :; fi # note",
        "\tcase ${x} in\n\t  a)   has_version dev-util/hip ;; # arm\n\tesac   # end",
        "    if has_version dev-util/hip ;then # why\n        die   'x'\n    fi",
        "\tcat <<-EOF || die\n\t\t\ttext\n\t\tEOF\n\thas_version dev-util/hip",
        "\thas_version \\\n\t\tdev-util/hip \\\n\t\t|| sed -i -e 's:a:b:' \\\n\t\t\t-e 's:c:d:' x || die",
    ] {
        let old = format!(
            "EAPI=8\nSLOT=\"0\" ; LICENSE=MIT # two\nDEPS=(\n\tdev-util/hip   # runtime\n\t\"dev-libs/a\"\n)\n\
             RDEPEND=\"dev-util/hip\n\t  dev-libs/b\"  # dev-util/hip\nmk() {{ echo \"dev-util/hip:$1\" ; }}\nBDEPEND=\"$(mk 0)\"\n\
             for x in dev-util/hip dev-libs/c; do DEPEND+=\" ${{x}}\" ; done # done\npkg_setup() {{\n{line}\n}}\n"
        );
        let mut ebuild = Ebuild::read(&old).unwrap();
        let [from, to] = ["dev-util/hip", "dev-util/hipnew"].map(|name| name.parse().unwrap());
        ebuild.rename_dependency(&from, &to).unwrap();
        let new = ebuild.written_into(&old, "dev-libs/x/x-1.ebuild").unwrap();
        assert_eq!(new.conflicts.len(), 0);
        let is_comment = |at: usize| old[..at].rsplit('\n').next().unwrap().contains('#');
        let mut expected = String::new();
        let mut from = 0;
        for (at, name) in old.match_indices("dev-util/hip") {
            expected += &old[from..at + name.len()];
            expected += if is_comment(at) { "" } else { "new" };
            from = at + name.len();
        }
        expected += &old[from..];
        assert_eq!(new.text, expected);
    }
}
