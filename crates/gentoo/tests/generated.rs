//! Ebuilds of random values: if `check` accepts an ebuild, bash accepts it.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rocpkg_gentoo::{Dep, Ebuild, Phase, Variable};
use rocpkg_pms::Spec;
use rocpkg_render::bash::{Scope, Stmt, Test, Word, run};
use rocpkg_test_support::{GentooWorld, is_whole, write_file};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;

/// Returns a strategy for texts of printable characters, some of which have a meaning in bash.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{0,8}",
        prop::sample::select(vec![
            "$(x)", "`x`", "a\"b", "it's", "${x}", "\\", "\n", "if", "a b", "}", ")"
        ])
        .prop_map(str::to_owned),
    ]
}

/// Returns a strategy for names, most of which are valid.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![19 => "own_[a-z]{1,6}", 1 => text()]
}

fn word() -> impl Strategy<Value = Word> {
    prop_oneof![
        text().prop_map(Word::lit),
        text().prop_map(Word::quoted),
        name().prop_map(Word::var),
        text().prop_map(|text| Word::cmd(vec![Word::lit("echo"), Word::lit(text)])),
    ]
}

fn statement() -> impl Strategy<Value = Stmt> {
    let leaf = prop_oneof![
        word().prop_map(|word| run("einfo", [word])),
        (name(), word()).prop_map(|(name, value)| Stmt::assign(Scope::Local, name, value)),
        text().prop_map(Stmt::Comment),
        text().prop_map(|text| Stmt::Raw(Word::lit(text))),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        let body = || prop::collection::vec(inner.clone(), 0..3);
        prop_oneof![
            (prop::collection::vec(word(), 1..3), body())
                .prop_map(|(words, body)| Stmt::when(Test::Command(words), body)),
            (name(), body()).prop_map(|(name, body)| Stmt::Function { name, body }),
        ]
    })
}

fn ebuild() -> impl Strategy<Value = Ebuild> {
    let about = prop_oneof![9 => "[ -~]{1,20}", 1 => text()];
    let parts = (about, text(), name(), word(), text());
    let body = prop::collection::vec(statement(), 0..4);
    (parts, body, name()).prop_map(|((about, page, name, value, depends), body, function)| {
        let cpv = "app-misc/thing-1.0".parse().expect("a version");
        let slot = "0".parse().expect("a slot");
        let mut ebuild = Ebuild::new(cpv, &slot, &about, 2026)
            .homepage(&page)
            .variable(Variable::new(&name, value))
            .function(&function, vec![run("true", [])])
            .phase(Phase::SrcTest, body);
        if let Ok(depends) = depends.parse::<Spec<Dep>>() {
            ebuild = ebuild.rdepend(depends);
        }
        ebuild
    })
}

#[test]
fn bash_reads_what_check_accepts() {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let config = Config {
        cases: if is_whole() { 4_000 } else { 600 },
        failure_persistence: None,
        ..Config::default()
    };
    let accepted = Cell::new(0);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let law = runner.run(&ebuild(), |ebuild| {
        if ebuild.check().is_err() {
            return Ok(());
        }
        accepted.set(accepted.get() + 1);
        let text = ebuild.to_string();
        let out = rocpkg_programs::command("bash")
            .args(["-n", "-c", &text])
            .output()
            .expect("bash");
        prop_assert!(
            out.status.success(),
            "{}\n{text}",
            String::from_utf8_lossy(&out.stderr)
        );
        Ok(())
    });
    law.unwrap_or_else(|error| panic!("{error}"));
    assert!(accepted.get() > 20, "{}", accepted.get());
}

#[test]
fn portage_reads_what_check_accepts() {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[11; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let most = if is_whole() { 300 } else { 40 };
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    for (path, text) in [
        ("profiles/repo_name", "random\n"),
        ("profiles/categories", "app-misc\n"),
        (
            "metadata/layout.conf",
            "masters = gentoo\nthin-manifests = true\n",
        ),
    ] {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        write_file(root.join(path), text);
    }
    let mut expected = BTreeMap::new();
    while expected.len() < most {
        let made = ebuild().new_tree(&mut runner).unwrap().current();
        if made.check().is_err() {
            continue;
        }
        let name = format!("thing{}-1.0", expected.len());
        let folder = root.join("app-misc").join(name.trim_end_matches("-1.0"));
        fs::create_dir_all(&folder).unwrap();
        write_file(folder.join(format!("{name}.ebuild")), made.to_string());
        expected.insert(format!("app-misc/{name}"), made.to_string());
    }
    // Portage reports an ebuild that it can't source.
    let world = GentooWorld::with_own_externals(root);
    let read = world.egencache();
    for (package, text) in expected {
        let metadata = read
            .get(&package)
            .unwrap_or_else(|| panic!("{package}\n{text}"));
        assert_eq!(metadata["EAPI"], "8", "{package}\n{text}");
        assert!(
            metadata["DEFINED_PHASES"].contains("test"),
            "{package}\n{text}"
        );
    }
}
