//! The rules of .SRCINFO, one by one, and its reader.

use crate::common::sourced;
use proptest::prelude::*;
use rocpkg_arch::internal::all_of;
use rocpkg_arch::{Field, Fields, Pkgbuild, SplitPackage, Srcinfo, Variable, read_srcinfo};
use rocpkg_render::bash::Word;

fn value(items: &[&str]) -> Vec<Word> {
    items.iter().map(|i| Word::lit(*i)).collect()
}

fn fields(list: &[(Field, &[&str])]) -> Fields {
    list.iter().map(|(f, items)| (*f, value(items))).collect()
}

fn part(name: &str, overrides: Fields) -> SplitPackage {
    SplitPackage {
        name: name.into(),
        overrides,
        body: Vec::new(),
    }
}

/// Returns a PKGBUILD with these fields beside the required ones.
fn package(base: &str, list: &[(Field, &[&str])], parts: Vec<SplitPackage>) -> Pkgbuild {
    let mut all = fields(&[
        (Field::Pkgver, &["1"]),
        (Field::Pkgrel, &["1"]),
        (Field::Arch, &["any"]),
    ]);
    all.extend(fields(list));
    Pkgbuild {
        base: base.into(),
        split: parts.len() > 1,
        fields: all,
        parts,
        ..Pkgbuild::default()
    }
}

/// Returns a value with one blank between its words, as makepkg prints it.
fn words(value: &str) -> String {
    value.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn info(p: &Pkgbuild) -> Srcinfo {
    p.srcinfo().unwrap_or_else(|e| panic!("{e}\n{p}"))
}

/// Returns the text without the lines that each PKGBUILD has.
fn text(p: &Pkgbuild) -> String {
    let text = info(p).to_string();
    text.replace("\tpkgver = 1\n\tpkgrel = 1\n", "")
        .replace("\tarch = any\n", "")
}

#[test]
fn rule_1_base_first_blank_before_each_package_none_at_the_end() {
    let p = package(
        "b",
        &[],
        vec![part("x", Fields::new()), part("y", Fields::new())],
    );
    assert_eq!(text(&p), "pkgbase = b\n\npkgname = x\n\npkgname = y\n");
}

#[test]
fn rule_2_the_order_of_the_whole() {
    let all: Vec<(Field, &[&str])> = Field::ALL
        .iter()
        .rev()
        .map(|f| (*f, &["v"] as &[&str]))
        .collect();
    let p = package("b", &all, vec![part("b", Fields::new())]);
    let names: Vec<String> = info(&p).fields.into_iter().map(|(n, _)| n).collect();
    let want = "pkgdesc pkgver pkgrel epoch url install changelog arch groups license \
                checkdepends makedepends depends optdepends provides conflicts replaces noextract \
                options backup source validpgpkeys cksums md5sums sha1sums sha224sums sha256sums \
                sha384sums sha512sums b2sums";
    assert_eq!(
        names.join(" "),
        want.split_whitespace().collect::<Vec<_>>().join(" ")
    );
}

#[test]
fn rule_3_a_package_says_only_what_its_function_sets() {
    let own = fields(&[(Field::Depends, &["d"]), (Field::Pkgdesc, &["own"])]);
    let p = package(
        "b",
        &[(Field::Url, &["u"]), (Field::License, &["MIT"])],
        vec![part("x", own), part("y", Fields::new())],
    );
    assert_eq!(
        text(&p),
        "pkgbase = b\n\turl = u\n\tlicense = MIT\n\npkgname = x\n\tpkgdesc = own\n\tdepends = d\n\npkgname = y\n"
    );
}

#[test]
fn rule_5_cleared_and_collapsed() {
    let own = fields(&[
        (Field::Provides, &[]),
        (Field::Depends, &["b"]),
        (Field::Pkgdesc, &["  two\t\twords  "]),
    ]);
    let p = package(
        "b",
        &[(Field::Depends, &["a"]), (Field::Provides, &["p"])],
        vec![part("x", own), part("y", Fields::new())],
    );
    assert_eq!(
        text(&p),
        "pkgbase = b\n\tdepends = a\n\tprovides = p\n\npkgname = x\n\tpkgdesc = two words\n\tdepends = b\n\tprovides = \n\npkgname = y\n"
    );
}

#[test]
fn rule_6_globals_expand() {
    let mut p = package(
        "b",
        &[(Field::Pkgver, &["7.2.4"])],
        vec![part("x", Fields::new()), part("y", Fields::new())],
    );
    p.variables.push((
        "_shared".into(),
        Variable::Array(vec![Word::lit("a"), Word::lit("b")]),
    ));
    p.variables.push((
        "_dir".into(),
        Variable::Scalar(Word::lit("d-").variable("pkgver")),
    ));
    let provides = vec![Word::lit("x=").variable("pkgver"), Word::var("_dir")];
    p.parts[0].overrides.insert(Field::Provides, provides);
    let depends = vec![all_of("_shared"), Word::lit("c")];
    p.parts[0].overrides.insert(Field::Depends, depends);
    let (_, section) = &info(&p).packages[0];
    let values: Vec<&str> = section.iter().map(|(_, v)| v.as_str()).collect();
    assert_eq!(values, ["a", "b", "c", "x=7.2.4", "d-7.2.4"]);
}

#[test]
fn rule_7_the_order_of_an_array_is_kept() {
    let p = package(
        "b",
        &[(Field::Depends, &["z", "a", "m"])],
        vec![part("b", Fields::new())],
    );
    assert_eq!(
        text(&p),
        "pkgbase = b\n\tdepends = z\n\tdepends = a\n\tdepends = m\n\npkgname = b\n"
    );
}

#[test]
fn the_reader_names_the_line_that_is_wrong() {
    assert_eq!(read_srcinfo(""), Err(1));
    assert_eq!(read_srcinfo("pkgname = x\n"), Err(1));
    assert_eq!(read_srcinfo("pkgbase = x\n\tpkgvar = 1\n"), Err(2));
    assert_eq!(read_srcinfo("pkgbase = x\npkgver = 1\n"), Err(2));
    assert_eq!(read_srcinfo("pkgbase = x\n\n\tsource_ = 1\n"), Err(3));
}

fn some_fields() -> impl Strategy<Value = Fields> {
    let items = prop::collection::vec("[ -~\t]{0,20}", 0..4);
    prop::collection::btree_map(prop::sample::select(Field::ALL), items, 0..8).prop_map(|map| {
        map.into_iter()
            .map(|(f, items)| {
                let take = if f.is_single() { 1 } else { items.len() };
                (f, items.into_iter().take(take).map(Word::lit).collect())
            })
            .collect()
    })
}

proptest! {
    #[test]
    fn what_is_read_back_is_what_was_meant(
        base in "[a-z][a-z0-9-]{0,8}",
        whole in some_fields(),
        parts in prop::collection::vec(("[a-z][a-z0-9-]{0,8}", some_fields()), 1..4),
    ) {
        let parts: Vec<SplitPackage> = parts.into_iter().map(|(n, f)| part(&n, f)).collect();
        let split = parts.len() > 1;
        let mut p = Pkgbuild { base, split, fields: whole, parts, ..Pkgbuild::default() };
        for field in [Field::Pkgver, Field::Pkgrel, Field::Arch] {
            p.fields.insert(field, value(&["1"]));
        }
        prop_assume!(p.srcinfo().is_ok());
        let meant = info(&p);
        let text = meant.to_string();
        prop_assert_eq!(read_srcinfo(&text), Ok(meant));
        prop_assert!(text.ends_with('\n') && !text.ends_with("\n\n"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn bash_reads_in_the_pkgbuild_what_the_srcinfo_says(
        whole in some_fields(),
        version in "[0-9]{1,2}\\.[0-9]",
        shared in prop::collection::vec("[ -~\t]{0,12}", 0..3),
    ) {
        let mut p = Pkgbuild { base: "tool".into(), fields: whole, ..Pkgbuild::default() };
        p.parts.push(part("tool", Fields::new()));
        p.fields.insert(Field::Pkgver, value(&[&version]));
        p.variables.push(("_shared".into(), Variable::Array(shared.iter().map(|s| Word::lit(s.as_str())).collect())));
        let joined = Word::lit("a $b=").variable("pkgver").literal("c`d").variable("pkgname");
        let depends = vec![all_of("_shared"), joined];
        p.fields.insert(Field::Depends, depends);
        for (field, value) in [(Field::Pkgrel, "1"), (Field::Arch, "any")] {
            p.fields.insert(field, self::value(&[value]));
        }
        let (text, said) = (p.to_string(), info(&p));
        for field in p.fields.keys() {
            let all = said.fields.iter().filter(|(name, _)| name == field.name());
            let meant: Vec<String> = all.map(|(_, value)| value.clone()).collect();
            let read = sourced(&text, &[field.name()]);
            let read: Vec<String> = read.iter().map(|value| words(value)).collect();
            // In this case bash does not distinguish no value from an empty one.
            let meant = if meant.is_empty() { vec![String::new()] } else { meant };
            prop_assert_eq!(read, meant, "{}", text);
        }
    }
}

#[test]
fn a_carriage_return_is_part_of_its_value() {
    let text = "pkgbase = a\n\tpkgdesc = b\r\n";
    let read = rocpkg_arch::read_srcinfo(text).unwrap();
    assert_eq!(read.fields, [("pkgdesc".to_owned(), "b\r".to_owned())]);
    assert_eq!(read.to_string(), text);
}
