//! PKGBUILDs that are read, changed and printed: properties of the golden PKGBUILDs.

use rocpkg_arch::bash::{Word, run};
use rocpkg_arch::{Field, Function, Pkgbuild, PkgbuildFile};
use rocpkg_test_support::{fixture, texts};

/// Returns the golden PKGBUILDs, each with its `.SRCINFO`.
fn golden() -> Vec<(String, String, String)> {
    let mut all = texts(&fixture("golden/arch"), &[]);
    let recipes: Vec<String> = all
        .keys()
        .filter(|path| path.ends_with("/PKGBUILD"))
        .cloned()
        .collect();
    assert!(recipes.len() > 30, "{recipes:?}");
    let each = recipes.into_iter().map(|path| {
        let text = all.remove(&path).unwrap();
        let info = all.remove(&path.replace("PKGBUILD", ".SRCINFO")).unwrap();
        (path, text, info)
    });
    each.collect()
}

#[test]
fn golden_pkgbuilds_are_typed_and_say_the_same_after_they_were_printed() {
    for (path, text, info) in golden() {
        let read = Pkgbuild::read(&text).unwrap();
        assert_eq!(read.untyped(), [""; 0], "{path}");
        let printed = read.to_string();
        assert_eq!(
            Pkgbuild::read(&printed).unwrap().to_string(),
            printed,
            "{path}"
        );
        let own = read.srcinfo().unwrap_or_else(|e| panic!("{path}: {e}"));
        assert_eq!(own.to_string(), info, "{path}");
        let done = read.written_into(&text).unwrap();
        assert_eq!((done.text, done.conflicts), (text, Vec::new()), "{path}");
    }
}

#[test]
fn a_setter_touches_its_item_alone() {
    for (path, text, _) in golden() {
        let mut read = Pkgbuild::read(&text).unwrap();
        read.add(Field::Makedepends, "zz-tool").unwrap();
        read.set(Field::Pkgrel, "7").unwrap();
        let done = read.written_into(&text).unwrap();
        assert_eq!(done.conflicts, [], "{path}");
        let again = Pkgbuild::read(&done.text).unwrap();
        for file in [&read, &again] {
            let info = file.srcinfo().unwrap().to_string();
            assert!(info.contains("\tpkgrel = 7\n"), "{path}");
            assert!(info.contains("\tmakedepends = zz-tool\n"), "{path}");
        }
        let old: Vec<&str> = text.lines().collect();
        let gone = old
            .iter()
            .filter(|line| !done.text.lines().any(|own| own == **line));
        for line in gone {
            let is_meant = line.starts_with("pkgrel=") || line.contains('\'') || *line == ")";
            assert!(is_meant, "{path}: {line}");
        }
    }
}

#[test]
fn a_rename_changes_no_other_byte() {
    for (path, text, _) in golden() {
        for name in ["hip-runtime-amd", "cmake", "rocm-core"] {
            let mut read = Pkgbuild::read(&text).unwrap();
            let count = read.rename_dependency(name, "zz-zz").unwrap();
            let done = read.written_into(&text).unwrap();
            assert_eq!(done.conflicts, [], "{path}");
            assert_eq!(done.text.replace("zz-zz", name), text, "{path}");
            assert_eq!(done.text.matches("zz-zz").count(), count, "{path}");
            assert_eq!(read.rename_dependency("zz-zz", name), Ok(count), "{path}");
            assert_eq!(read.to_string(), Pkgbuild::read(&text).unwrap().to_string());
        }
    }
}

#[test]
fn a_step_is_added_and_every_other_byte_stays() {
    let head = "pkgname=a\npkgver=1\nsource=(a.tar.gz\n        'b.patch') # both\n\n";
    let rest = "\n# builds\nbuild()\n{\n\tmake   all\n}\n";
    // The second text of each pair is the body with the step.
    for (body, with) in [
        (
            "prepare() {\n\tcd x\n\t# last\n\n}\n",
            "prepare() {\n\tcd x\n\t# last\n\tpatch b\n\n}\n",
        ),
        (
            "prepare() {\n\tcd x\n\n\t# a\n\t# b\n\n}\n",
            "prepare() {\n\tcd x\n\n\t# a\n\t# b\n\tpatch b\n\n}\n",
        ),
        (
            "prepare() { # begin\n    cd x\n}\n",
            "prepare() { # begin\n    cd x\n    patch b\n}\n",
        ),
        (
            "prepare()\n{\n\tcd   x # there\n}\n",
            "prepare()\n{\n\tcd   x # there\n\tpatch b\n}\n",
        ),
        (
            "prepare() {\n  if a; then\n    b \\\n      c\n  fi\n}\n",
            "prepare() {\n  if a; then\n    b \\\n      c\n  fi\n  patch b\n}\n",
        ),
    ] {
        let text = format!("{head}{body}{rest}");
        let mut read = Pkgbuild::read(&text).unwrap();
        let mut steps = read.function("prepare").unwrap().to_vec();
        steps.push(run("patch", ["b".into()]));
        read.script.set_function("prepare", steps);
        read.add(Field::Source, Word::var("pkgname").literal(".patch"))
            .unwrap();
        let done = read.written_into(&text).unwrap();
        assert_eq!(done.conflicts, [], "{text}");
        let head = head.replace("'b.patch')", "'b.patch'\n        \"$pkgname.patch\")");
        assert_eq!(done.text, format!("{head}{with}{rest}"));
    }
}

#[test]
fn fields_are_words_and_functions_are_statements() {
    let text = "pkgname=(a b)\npkgver=1\npkgrel=1\narch=(any)\ndepends=(x)\ndepends+=(\"y>=$pkgver\")\n\
        package_a() {\n  install=a.install\n}\npackage_b() { :; }\n";
    let read = Pkgbuild::read(text).unwrap();
    let words: Vec<String> = read
        .words(Field::Depends)
        .iter()
        .map(|w| w.inside_quotes())
        .collect();
    assert_eq!(words, ["x", "y>=$pkgver"]);
    assert_eq!(read.function("package_a").unwrap().len(), 1);
    assert!(read.function("build").is_none());
    let info = read.srcinfo().unwrap().to_string();
    assert!(
        info.contains("\tdepends = y>=1\n\npkgname = a\n\tinstall = a.install\n"),
        "{info}"
    );
}

#[test]
fn pkgbuilds_from_code_are_the_values_that_the_reader_makes_of_them() {
    let made = Pkgbuild::new("thing", "1.0", 1, ["x86_64"])
        .license(["MIT"])
        .install("thing.install")
        .groups(["tools"])
        .backup(["etc/thing.conf"])
        .function(Function::Package, vec![run("true", [])]);
    let file = PkgbuildFile::from(&made);
    assert_eq!(file, Pkgbuild::read(&made.to_string()).unwrap());
    let info = file.srcinfo().unwrap().to_string();
    assert_eq!(info, made.srcinfo().unwrap().to_string());
    for line in [
        "install = thing.install",
        "groups = tools",
        "backup = etc/thing.conf",
    ] {
        assert!(info.contains(&format!("\t{line}\n")), "{info}");
    }
    made.check().unwrap();
    file.check().unwrap();
}

#[test]
fn fields_are_set_where_they_are_or_refused() {
    let text = "pkgver='1'\npkgdesc=\"a  b\"\ndepends=('a'\n  'b')\ndepends+=(c)\n";
    let text = Pkgbuild::read(text).unwrap().to_string();
    let mut read = Pkgbuild::read(&text).unwrap();
    read.set(Field::Pkgver, "2").unwrap();
    read.set(Field::Pkgdesc, "it's  $5").unwrap();
    read.add(Field::Depends, "d").unwrap();
    let expected = text
        .replace("'1'", "'2'")
        .replace("a  b", "it's  \\$5")
        .replace("(c)", "(c d)");
    assert_eq!(read.to_string(), expected);

    let branches = "if true; then\n  pkgver=1\nelse\n  pkgver=2\nfi\n";
    let mut read = Pkgbuild::read(branches).unwrap();
    let refused = read.set(Field::Pkgver, "3").unwrap_err();
    assert_eq!(refused.places, ["if true", "if true … else"]);
    assert_eq!(read.to_string(), branches);
}

#[test]
fn a_rename_changes_the_dependencies_of_that_name() {
    let text = "_deps=(hip 'hip-x')\nsource=(hip)\ndepends=(\"hip=$pkgver\" ${_deps[@]})\n\
        makedepends_x86_64=('hip>=1' chip)\n\npackage_a() {\n  depends+=(hip)\n  optdepends=('x: with hip')\n}\n";
    let text = Pkgbuild::read(text).unwrap().to_string();
    let mut read = Pkgbuild::read(&text).unwrap();
    assert_eq!(read.rename_dependency("hip", "z"), Ok(4));
    let expected = text
        .replace("(hip 'hip-x'", "(z 'hip-x'")
        .replace("hip=$", "z=$")
        .replace("'hip>", "'z>")
        .replace("+=(hip)", "+=(z)");
    assert_eq!(read.to_string(), expected);
    let mut read = Pkgbuild::read("for x in a p; do\n  depends+=(hi$x)\ndone\n").unwrap();
    let refused = read.rename_dependency("hip", "z").unwrap_err();
    assert_eq!(refused.places, ["hi$x"]);
}
