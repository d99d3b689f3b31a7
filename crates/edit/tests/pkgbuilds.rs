//! Tests of edits of PKGBUILDs. Each test has an existing recipe, two renderings, and the expected
//! result.

use rocpkg_edit::{Checks, MergeResult, differences, merge3};
use rocpkg_syntax::{Language, List, Reading, Rules};

static RULES: Rules = Rules {
    version: "pkgver",
    lists: &[
        ("source*", List::Sources),
        ("*sums", List::Sums),
        ("makedepends*", List::Packages),
    ],
    source_folder: "srcdir",
    ..Rules::NONE
};

fn carried(there: &str, before: &str, after: &str) -> MergeResult {
    let reading = Reading {
        language: Language::Bash,
        rules: &RULES,
        given: Vec::new(),
    };
    let read = |text: &str| reading.read(text).expect("bash");
    merge3(&read(there), &read(before), &read(after), Checks::NONE)
}

#[track_caller]
fn becomes(there: &str, before: &str, after: &str, expected: &str) {
    let carried = carried(there, before, after);
    assert_eq!(carried.text, expected);
    // A comment that was removed with an item is reported.
    let left = carried.conflicts.iter();
    assert_eq!(left.filter(|left| left.path != ["comment"]).count(), 0);
}

#[test]
fn a_variable_that_holds_the_repository_moves_with_the_source() {
    becomes(
        "pkgver=1\n_git='https://github.com/a/lib'\nsource=(\"lib-$pkgver.tar.gz::$_git/archive/v$pkgver.tar.gz\")\nsha256sums=('11')\n",
        "pkgver=1\nsource=(\"https://github.com/a/lib/archive/refs/tags/v$pkgver.tar.gz\")\nsha256sums=('00')\n",
        "pkgver=2\nsource=(\"all-$pkgver.tar.gz::https://github.com/a/all/archive/refs/tags/v$pkgver.tar.gz\")\nsha256sums=('22')\n",
        "pkgver=2\n_git='https://github.com/a/all'\nsource=(\"all-$pkgver.tar.gz::$_git/archive/v$pkgver.tar.gz\")\nsha256sums=('22')\n",
    );
}

#[test]
fn a_new_step_stands_behind_the_steps_that_say_what_is_above_it_in_other_words() {
    let rendered = |more: &str| {
        format!(
            "pkgver=1\npackage() {{\n  mkdir -p bin\n  for _tool in a b; do\n    ln -s \"lib/$_tool\" \
             \"bin/$_tool\"\n  done\n{more}  cd src\n  install LICENSE\n}}\n"
        )
    };
    let own = |more: &str| {
        format!(
            "pkgver=1\npackage() {{\n  mkdir -p bin\n  local _program\n  for _program in a b; do\n    \
             ln -s lib/$_program bin/$_program\n  done\n{more}  cd lib/../src\n  install LICENSE\n}}\n"
        )
    };
    let more = "  mkdir split\n  mv bin/b split\n";
    becomes(&own(""), &rendered(""), &rendered(more), &own(more));
    // Where each step above is known, steps of the maintainer's own stay behind the new one.
    becomes(
        "pkgver=1\npackage() {\n  mkdir -p bin\n  touch bin/a\n  install LICENSE\n}\n",
        "pkgver=1\npackage() {\n  mkdir -p bin\n  install LICENSE\n}\n",
        "pkgver=1\npackage() {\n  mkdir -p bin\n  mkdir lib\n  install LICENSE\n}\n",
        "pkgver=1\npackage() {\n  mkdir -p bin\n  mkdir lib\n  touch bin/a\n  install LICENSE\n}\n",
    );
}

#[test]
fn one_that_other_sources_refer_to_stays() {
    becomes(
        "pkgver=1\n_git='https://github.com/a/lib'\nsource=(\"$_git/archive/v$pkgver.tar.gz\"\n        \"$_git/commit/1.patch\")\n",
        "pkgver=1\nsource=(\"https://github.com/a/lib/archive/v$pkgver.tar.gz\")\n",
        "pkgver=2\nsource=(\"https://github.com/a/all/archive/v$pkgver.tar.gz\")\n",
        "pkgver=2\n_git='https://github.com/a/lib'\nsource=(\"https://github.com/a/all/archive/v$pkgver.tar.gz\"\n        \"$_git/commit/1.patch\")\n",
    );
}

#[test]
fn a_variable_that_stands_for_what_changes_is_changed() {
    let build = "\nbuild() {\n  cmake -S . -D TOOLS=\"$srcdir/$_tools\"\n}\n";
    becomes(
        &format!("pkgver=1\n_tools=\"tools-$pkgver\"\n{build}"),
        "pkgver=1\n\nbuild() {\n  cmake -S . -D TOOLS=\"$srcdir/tools-$pkgver\"\n}\n",
        "pkgver=2\n\nbuild() {\n  cmake -S . -D TOOLS=\"$srcdir/all-$pkgver/tools\"\n}\n",
        &format!("pkgver=2\n_tools=\"all-$pkgver/tools\"\n{build}"),
    );
}

#[test]
fn a_variable_goes_by_any_name_and_with_the_last_that_refers_to_it() {
    becomes(
        "pkgver=1\n_url=https://example.org/lib\n_folder=\"$(basename $_url)-$pkgver\"\n\nbuild() {\n  make -C \"$_folder\"\n}\n",
        "pkgver=1\n_dirname=\"lib-$pkgver\"\n\nbuild() {\n  make -C \"$_dirname\"\n}\n",
        "pkgver=2\n_dirname=\"all-$pkgver/lib\"\n\nbuild() {\n  make -C \"$_dirname\"\n}\n",
        "pkgver=2\n_folder=\"all-$pkgver/lib\"\n\nbuild() {\n  make -C \"$_folder\"\n}\n",
    );
}

const PATCHED: &str = "\
pkgver=1
source=('lib.tar.gz'
        'one.patch'
        'two.patch')

prepare() {
  cd lib
  # why
  patch -Np1 < ../one.patch
  patch -p1 -i \"$srcdir/two.patch\"
}

build() {
  make
}
";

#[test]
fn patches_are_known_by_their_file_and_a_function_goes_with_its_last() {
    becomes(
        PATCHED,
        "pkgver=1\nsource=('lib.tar.gz' 'one.patch' 'two.patch')\n\nprepare() {\n  patch -d lib -i \"$srcdir/one.patch\"\n  patch -d lib -i \"$srcdir/two.patch\"\n}\n\nbuild() {\n  make\n}\n",
        "pkgver=2\nsource=('lib.tar.gz')\n\nbuild() {\n  make\n}\n",
        "pkgver=2\nsource=('lib.tar.gz')\n\nbuild() {\n  make\n}\n",
    );
}

#[test]
fn the_first_elements_of_a_list_go_together() {
    becomes(
        "pkgver=1\nsource=('a'\n        'b'  # the second\n        'c')\n",
        "pkgver=1\nsource=('a' 'b' 'c')\n",
        "pkgver=2\nsource=('c')\n",
        "pkgver=2\nsource=('c')\n",
    );
}

#[test]
fn sources_stand_one_a_line_and_functions_before_functions() {
    becomes(
        "pkgver=1\nsource=(\"lib.tar.gz\")\n_own=x\n\nbuild() {\n  make $_own\n}\n",
        "pkgver=1\nsource=('lib.tar.gz')\n\nbuild() {\n  make\n}\n",
        "pkgver=2\nsource=('lib.tar.gz' 'one.patch')\n\nprepare() {\n  patch -i one.patch\n}\n\nbuild() {\n  make\n}\n",
        "pkgver=2\nsource=(\"lib.tar.gz\"\n        \"one.patch\")\n_own=x\n\nprepare() {\n  patch -i one.patch\n}\n\nbuild() {\n  make $_own\n}\n",
    );
}

#[test]
fn braces_are_what_bash_makes_of_them() {
    becomes(
        "pkgver=1\n\nprepare() {\n  rm tests/{one,two}.cmake\n  make\n}\n",
        "pkgver=1\n\nprepare() {\n  rm tests/one.cmake tests/two.cmake\n  make\n}\n",
        "pkgver=2\n\nprepare() {\n  make\n}\n",
        "pkgver=2\n\nprepare() {\n  make\n}\n",
    );
}

#[test]
fn a_word_of_cmakes_for_true_is_another_words_equal() {
    let reading = Reading {
        language: Language::Bash,
        rules: &RULES,
        given: Vec::new(),
    };
    let read = |value: &str| {
        reading
            .read(&format!(
                "build() {{\n  local cmake_args=(-D A={value})\n}}\n"
            ))
            .expect("bash")
    };
    assert_eq!(differences(&read("TRUE"), &read("ON")), []);
    assert_eq!(differences(&read("TRUE"), &read("OFF")).len(), 1);
}

#[test]
fn a_value_keeps_its_quotes() {
    becomes(
        "pkgver=1\n\nbuild() {\n  cmake -D TARGETS='X86;Y' -DOTHER=1\n}\n",
        "pkgver=1\n\nbuild() {\n  cmake -D TARGETS=\"X86;Y\" -D OTHER=1\n}\n",
        "pkgver=2\n\nbuild() {\n  cmake -D TARGETS=\"Native;Y\" -D OTHER=2\n}\n",
        "pkgver=2\n\nbuild() {\n  cmake -D TARGETS='Native;Y' -DOTHER=2\n}\n",
    );
}

#[test]
fn steps_stand_behind_what_follows_a_variable() {
    becomes(
        "pkgver=1\n\nprepare() {\n  cd lib-$pkgver\n  sed -e own\n}\n",
        "pkgver=1\n_dirname=lib-$pkgver\n\nprepare() {\n  cd \"$_dirname\"\n  sed model\n}\n",
        "pkgver=2\n_dirname=all/lib\n\nprepare() {\n  cd \"$_dirname\"\n  git cherry-pick -n 1\n  sed model\n}\n",
        "pkgver=2\n\nprepare() {\n  cd all/lib\n  git cherry-pick -n 1\n  sed -e own\n}\n",
    );
}

#[test]
fn the_folder_that_a_patch_is_applied_in_follows() {
    let recipe = |folder: &str| format!("pkgver=1\nprepare() {{\n  {folder}\n}}\n");
    let patch = |folder: &str| {
        recipe(&format!(
            "patch -Np1 -d \"{folder}\" -i \"$srcdir/a.patch\""
        ))
    };
    let (before, after) = (patch("tool-therock"), patch("tool-rocm"));
    becomes(&before, &before, &after, &after);
    let there = recipe("patch -p1 -dtool-therock < ../a.patch");
    let expected = recipe("patch -p1 -dtool-rocm < ../a.patch");
    becomes(&there, &before, &after, &expected);
    let there = recipe("cd tool\n  patch -p1 -i ../a.patch");
    becomes(&there, &before, &after, &there);
}

#[test]
fn a_patch_goes_wherever_it_is_applied() {
    let recipe = |folder: &str| {
        format!(
            "pkgver=1\nsource=(a b.patch)\nprepare() {{\n  patch -d \"{folder}\" -i b.patch\n}}\n"
        )
    };
    let after = "pkgver=1\nsource=(a)\n";
    becomes(&recipe("$(basename a)"), &recipe("a-1"), after, after);
}

#[test]
fn a_comment_that_goes_with_an_item_is_told() {
    let reading = Reading {
        language: Language::Bash,
        rules: &RULES,
        given: Vec::new(),
    };
    let read = |text: &str| reading.read(text).expect("bash");
    let there = "pkgver=1\n# ours, for a reason\n_flag=1\nbuild() {\n  # not this\n  make\n}\n";
    let before = "pkgver=1\n_flag=1\nbuild() {\n  make\n}\n";
    let after = "pkgver=2\nbuild() {\n  make\n}\n";
    let carried = merge3(&read(there), &read(before), &read(after), Checks::NONE);
    let told =
        |left: &rocpkg_edit::ItemConflict| (left.at, left.existing.clone().unwrap_or_default());
    let left: Vec<_> = carried.conflicts.iter().map(told).collect();
    assert_eq!(left, [(9, "# ours, for a reason".to_owned())]);
}

#[test]
fn a_patch_that_comes_to_name_its_folder_does_so() {
    let recipe = |steps: &str| format!("pkgver=1\nprepare() {{\n  {steps}\n}}\n");
    let entered = recipe("cd a\n  patch -Np1 -i b.patch");
    let named = recipe("patch -Np1 -d a -i b.patch");
    let with_own = |text: &str| text.replace("pkgver=1\n", "pkgver=1\n_own=1\n");
    becomes(&with_own(&entered), &entered, &named, &with_own(&named));
    becomes(&with_own(&named), &named, &entered, &with_own(&entered));
    becomes(&with_own(&named), &entered, &named, &with_own(&named));
}

#[test]
fn a_fork_is_not_called_what_upstream_is_called() {
    let recipe = |name: &str, folder: &str, more: &str| {
        format!(
            "pkgname={name}\npkgver=7.1.1\n_dirname={folder}\n\nbuild() {{\n  cmake -S $_dirname\n{more}}}\n"
        )
    };
    let before = recipe("rocblas", "\"rocBLAS-rocm-$pkgver\"", "");
    let after = recipe(
        "rocblas",
        "\"rocm-libraries-rocm-$pkgver/projects/$pkgname\"",
        "  cd $pkgname\n  echo $pkgname_of_mine $pkgver\n",
    );
    becomes(
        &recipe("rocblas-mine", "\"rocBLAS-rocm-$pkgver\"", ""),
        &before,
        &after,
        &recipe(
            "rocblas-mine",
            "\"rocm-libraries-rocm-$pkgver/projects/rocblas\"",
            "  cd rocblas\n  echo $pkgname_of_mine $pkgver\n",
        ),
    );
}

#[test]
fn the_parts_of_a_version_are_set_apart() {
    let recipe = |version: &str, parts: &str| format!("{parts}pkgver={version}\nurl=https://x\n");
    becomes(
        &recipe("$_major.$_minor", "_major='7.1'\n_minor=1\n"),
        &recipe("7.1.1", ""),
        &recipe("7.2.4", ""),
        &recipe("$_major.$_minor", "_major='7.2'\n_minor=4\n"),
    );
}

#[test]
fn a_recipe_with_a_version_of_its_own_has_the_release_in_another_variable() {
    let recipe =
        |version: &str, source: &str| format!("{version}source=(\"{source}\")\nsha256sums=('1')\n");
    let there = recipe(
        "_rocm=7.1.1\npkgver=0.3\n",
        "https://x/a/b/archive/rocm-$_rocm.tar.gz",
    );
    let before = recipe(
        "pkgver=7.1.1\n",
        "https://x/a/b/archive/rocm-$pkgver.tar.gz",
    );
    let after = recipe(
        "pkgver=7.2.4\n",
        "https://x/a/c/archive/rocm-$pkgver.tar.gz",
    );
    let done = carried(&there, &before, &after);
    assert_eq!(
        done.text,
        recipe(
            "_rocm=7.2.4\npkgver=0.3\n",
            "https://x/a/c/archive/rocm-$_rocm.tar.gz"
        )
    );
    let left: Vec<&str> = done
        .conflicts
        .iter()
        .map(|left| left.path[0].as_str())
        .collect();
    assert_eq!(left, ["pkgver"]);
}

#[test]
fn a_variable_that_holds_the_release_goes_on_doing_so() {
    let recipe = |version: &str, own: &str, name: &str| {
        format!(
            "{own}pkgver={version}\nsource=(\"https://x/a/b/archive/rocm-{name}.tar.gz\")\nsha256sums=('1')\n"
        )
    };
    becomes(
        &recipe("7.1.1", "_rocm=7.1.1\n", "$_rocm"),
        &recipe("7.1.1", "", "$pkgver"),
        &recipe("7.2.4", "", "$pkgver"),
        &recipe("7.2.4", "_rocm=7.2.4\n", "$_rocm"),
    );
}

#[test]
fn a_checksum_stays_with_its_source() {
    let recipe = |source: &str, sum: &str, folder: &str| {
        format!(
            "pkgver=1\nsource=(\"{source}\")\nsha256sums=('{sum}')\n\nbuild() {{\n  cmake -D A=\"$srcdir/{folder}/x\"\n}}\n"
        )
    };
    let there = recipe("https://mine/a/b-own.tar.gz", "0a", "b-own");
    let before = recipe("https://x/a/b/archive/1.tar.gz", "1a", "b-1");
    let after = recipe("git+https://x/a/c#tag=1", "2a", "c");
    let done = carried(&there, &before, &after);
    assert_eq!(done.text, there);
    let left: Vec<&str> = done
        .conflicts
        .iter()
        .map(|left| left.path[0].as_str())
        .collect();
    assert_eq!(left, ["source", "sha256sums", "build()"]);
}

#[test]
fn a_version_moves_with_its_source_or_not_at_all() {
    let recipe = |version: &str, own: &str, sources: &[&str]| {
        let count = sources.len();
        let (sources, sums) = (sources.join(" "), vec!["'1'"; count].join(" "));
        format!("{own}pkgver={version}\nsource=({sources})\nsha256sums=({sums})\n")
    };
    let (old, new) = (
        "https://x/a/b/archive/$pkgver.tar.gz",
        "https://x/a/c/archive/$pkgver.tar.gz",
    );
    let data = |name: &str| format!("https://x/a/{name}/archive/$pkgver.tar.gz");
    let (old_data, new_data) = (data("data"), data("data-2"));
    let before = recipe("1.1.1", "", &[old, &old_data]);
    let after = recipe("2.2.2", "", &[new, &new_data]);

    // The recipe fetches the same source from its own address, which does not follow the model. So
    // the version stays, and so does another variable that holds the release.
    let own = "https://mine/b/archive/$pkgver.tar.gz";
    let there = recipe("1.1.1", "_release=1.1.1\n", &[own, &old_data]);
    let done = carried(&there, &before, &after);
    assert!(done.text.contains("pkgver=1.1.1\n"), "{}", done.text);
    assert!(done.text.contains("_release=1.1.1\n"), "{}", done.text);
    let version = done.conflicts.iter().find(|left| left.path == ["pkgver"]);
    let reason = version.and_then(|left| left.reason.as_deref());
    assert!(reason.unwrap().contains("mine/b"), "{reason:?}");

    // A source that a maintainer removed does not keep the version back.
    let there = recipe("1.1.1", "# Ours\n", &[old]);
    let after = recipe("2.2.2", "", &[old, &new_data]);
    let done = carried(&there, &before, &after);
    assert!(done.text.contains("pkgver=2.2.2\n"), "{}", done.text);
}

#[test]
fn a_body_in_a_subshell_or_in_another_function_is_edited_there() {
    let options =
        |more: &str| format!("  local args=(\n    -S .\n{more}  )\n  cmake \"${{args[@]}}\"\n");
    let rendered =
        |first: &str, more: &str| format!("pkgver=1\nbuild() {{\n{first}{}}}\n", options(more));
    let (before, after) = (
        rendered("", "    -B b\n"),
        rendered("  export A=1\n", "    -B b\n    -G Ninja\n"),
    );
    for (head, foot) in [
        ("build() {\n  (\n", "  )\n}\n"),
        ("build() {\n  {\n", "  }\n}\n"),
        ("build() {\n  _all\n}\n_all() {\n", "}\n"),
    ] {
        let own =
            |first: &str, more: &str| format!("pkgver=1\n{head}{first}{}{foot}", options(more));
        becomes(
            &own("", "    -B b\n"),
            &before,
            &after,
            &own("  export A=1\n", "    -B b\n    -G Ninja\n"),
        );
    }
}

#[test]
fn steps_in_a_git_checkout_stay_with_its_source() {
    let rendered = |version: &str, source: &str, folder: &str, step: &str| {
        format!(
            "pkgver={version}\nsource=(\"{source}\")\nprepare() {{\n  cd {folder}\n{step}  touch a\n}}\n\
             package() {{\n  install {folder}/LICENSE out\n}}\n"
        )
    };
    let archive = "https://github.com/a/lib/archive/v$pkgver.tar.gz";
    let before = rendered("1", archive, "lib-1", "");
    let git = "lib::git+https://github.com/a/lib#tag=v$pkgver";
    let after = rendered("2", git, "lib", "  git cherry-pick -n 11\n");
    // The fork has a version and an archive of its own.
    let own = rendered("5", "https://example.org/fork-$pkgver.tar.gz", "lib-1", "");
    let carried = carried(&own, &before, &after);
    assert_eq!(carried.text, own);
    let said: Vec<String> = carried.conflicts.iter().map(|c| format!("{c:?}")).collect();
    assert!(
        said.iter().any(|s| s.contains("git cherry-pick")),
        "{said:#?}"
    );
}

#[test]
fn a_step_of_sed_in_other_words_is_compared_by_its_pattern() {
    let recipe = |step: &str| format!("pkgver=1\nprepare() {{\n  cd src\n  {step}\n  make\n}}\n");
    let model = |text: &str| recipe(&format!("sed -i \"s/{text}//g\" list.txt"));
    let (before, after) = (model("find (GIT a)"), model("find(GIT a)"));
    // Each step matches the old text; the flag is set if it matches the new text, after an edit of
    // a pattern that stands for one text only.
    for (own, fits) in [
        ("sed -i '/find *(GIT/d' list.txt", true),
        ("sed -e '/find.*GIT/d' -i list.txt", true),
        ("sed -E -i 's|find ?\\(GIT|#&|' list.txt", true),
        ("sed -i '/find (GIT/d' list.txt", true),
        ("sed -i 's|find \\+(GIT a)||' list.txt", false),
    ] {
        let own = recipe(own);
        let done = carried(&own, &before, &after);
        assert_eq!(done.text, own.replace("'/find (GIT/d'", "'/find(GIT/d'"));
        let said: Vec<&String> = done.conflicts.iter().flat_map(|c| &c.reason).collect();
        assert_eq!(done.conflicts.is_empty(), fits, "{own}: {said:?}");
        let is_told = said.iter().all(|s| s.contains("not match `find(GIT a)`"));
        assert!(said.len() == done.conflicts.len() && is_told, "{said:?}");
    }
}

#[test]
fn statements_on_one_line_are_set_apart() {
    let recipe = |body: &str| format!("pkgver=1\n\nbuild() {{{body}}}\n");
    let model = |steps: &[&str]| recipe(&format!("\n  {}\n", steps.join("\n  ")));
    let (cd, flags, make) = ("cd src", "CXXFLAGS+=\" -O3\"", "make all");
    // The statements of the function, before and after, on one line and on two.
    for (before, after) in [
        (vec![cd, make], vec![cd, flags, make]),
        (vec![cd, make], vec![cd, make, "make check"]),
        (vec![cd, make], vec![flags, cd, make]),
        (vec![cd, flags, make], vec![cd, make]),
        (vec![cd, make, "make check"], vec![cd, make]),
        (vec![cd, flags, make], vec![flags, make]),
        (vec![cd, make], vec![cd, "cmake . -G Ninja", "ninja"]),
    ] {
        for between in ["; ", " ; ", ";", "\n  "] {
            let one_line = |steps: &[&str]| recipe(&format!(" {}; ", steps.join(between)));
            let done = carried(&one_line(&before), &model(&before), &model(&after));
            let words = |text: &str| {
                let inner = &text[text.find('{').unwrap() + 1..text.rfind('}').unwrap()];
                let all = inner
                    .split([';', '\n'])
                    .map(str::trim)
                    .filter(|s| !s.is_empty());
                all.map(str::to_owned).collect::<Vec<_>>()
            };
            assert_eq!(words(&done.text), after, "{between:?}: {}", done.text);
            assert!(
                !done.text.contains(";;") && !done.text.contains("; ;"),
                "{}",
                done.text
            );
        }
    }
}
