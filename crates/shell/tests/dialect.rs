//! Tests of lowering, with a dialect that is as small as possible.

use rocpkg_model::{Decode, Files, Findings, FlagEdit, OneOrMany, Step, Text, When, parse};
use rocpkg_render::bash::{Quoting, Scope, Stmt, Style, Test, Word, print};
use rocpkg_resolve::{Choice, Model, PassedTargets, Plan, ResolvedSource};
use rocpkg_shell::{
    Condition, Dialect, Habits, InPlace, Inputs, List, Native, Operation, Outputs, Passed,
    References, Targets, Tool, Vocabulary, batches, declared, edits, lower, names, operations,
};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The rules of a dialect like that of Solus, in which macros do most of the work.
static HABITS: Habits = Habits {
    recipe: "a package.yml",
    failure: None,
    separators: &['|', '#'],
    in_place: InPlace::First,
    paragraphs: false,
    short_array: 2,
    local_loops: false,
    silent_folders: true,
    image: "installdir",
    begin: Some("checkout"),
};

const STYLE: Style = Style {
    indent: "    ",
    indent_width: 4,
    width: 100,
    quoting: Quoting::Short,
    padded_arrays: false,
};

struct Macros {
    plan: Plan,
    findings: Findings,
    /// Set for a dialect like Gentoo's: failures call `die`, and conditions are tested when the
    /// recipe runs.
    strict: bool,
    passed: Vec<Passed>,
}

/// Returns a dialect for a package with two features, of which one is on and one is off. Its
/// distribution has no switches.
impl Default for Macros {
    fn default() -> Self {
        let files = [
            (
                "distros/solus.yaml",
                "version: 7.2.4\nnaming: component\nfetch: archive\npackages: {tool: default}\n",
            ),
            (
                "releases/7.2.yaml",
                "tag: rocm-${version}\nversions: {\"7.2.4\": {checksums: {}}}\n",
            ),
            (
                "components/tool.yaml",
                "summary: A tool\nlicence: [MIT]\nsources: {main: {owner: A, repository: tool}, more: {owner: A, repository: more, path: in/it}}\n\
                 features: {yes: {summary: On, default: true}, no: {summary: Off}}\n\
                 cmake: {main: {}, tests: {source: tests}}\n",
            ),
        ];
        let files: Files = files
            .map(|(path, text)| (path.to_owned(), text.to_owned()))
            .into();
        let (model, mut findings) = Model::load(&[(String::new(), files)]);
        let plan = Plan::new(&model, "solus", &Choice::Shipped, &mut findings);
        assert!(
            !findings.has_errors(),
            "{}",
            findings.render(&model.sources, false)
        );
        Self {
            plan: plan.unwrap(),
            findings: Findings::default(),
            strict: false,
            passed: Vec::new(),
        }
    }
}

static OWN: LazyLock<BTreeSet<String>> = LazyLock::new(|| ["f".to_owned()].into());

static STRICT: Habits = Habits {
    failure: Some("die"),
    local_loops: true,
    paragraphs: true,
    ..HABITS
};

impl Dialect for Macros {
    fn inputs(&self) -> Inputs<'_> {
        Inputs {
            habits: if self.strict { &STRICT } else { &HABITS },
            plan: &self.plan,
            planned: &self.plan.packages[0],
            own: &OWN,
        }
    }

    fn outputs(&mut self) -> Outputs<'_> {
        Outputs {
            findings: &mut self.findings,
            passed: &mut self.passed,
        }
    }

    fn targets(&self) -> Option<Targets> {
        let tool = || PassedTargets::Tool {
            command: "all-gpus".to_owned(),
            without: Vec::new(),
            further: Vec::new(),
        };
        let unasked = self.strict.then(tool)?;
        Some(Targets {
            word: Word::lit("%gpus%"),
            list: List {
                unasked,
                chosen: false,
            },
        })
    }

    fn reference(&mut self, name: &str, text: &Text) -> Word {
        rocpkg_shell::reference(self, name, text)
    }

    fn condition(&mut self, when: &When) -> Condition {
        if self.strict {
            let name = when
                .cond
                .features()
                .first()
                .map(ToString::to_string)
                .unwrap_or_default();
            return Condition::Tested(Test::Command(vec![Word::lit("use"), Word::lit(name)]));
        }
        Condition::Known(self.inputs().planned.settles(Some(when)))
    }

    fn native(&mut self, native: &Native<'_>) -> Option<Vec<Stmt>> {
        Some(match native {
            Native::Standard(_) => vec![rocpkg_shell::call(self, vec![Word::lit("%ninja_build")])],
            Native::ConfigFile(c) => rocpkg_shell::config_file(self, c),
            Native::InstallFile(i) => rocpkg_shell::install_file(self, i),
            Native::CherryPick(commits) => rocpkg_shell::git_cherry_pick(self, commits),
            _ => return None,
        })
    }

    fn flag_edit(&mut self, edit: &FlagEdit) -> Vec<Stmt> {
        rocpkg_shell::by_assignment(self, edit, Scope::Plain)
    }

    fn tool(&self, tool: Tool) -> &'static [&'static str] {
        tool.usual()
    }

    fn dies(&self, program: &str) -> bool {
        program.starts_with('%')
    }
}

static REFERENCES: References = References {
    code: "E0401",
    message: "a package.yml has no reference",
    expected: "expected a reference",
    fixed: &[
        ("version", || Word::var("version")),
        ("jobs", || Word::cmd(vec![Word::lit("nproc")])),
    ],
    variables: &["installdir", "workdir"],
};

impl Vocabulary for Macros {
    const REFERENCES: &'static References = &REFERENCES;

    fn checkout(&self, source: &ResolvedSource) -> Word {
        Word::var("workdir").literal(format!("/{}", source.repository))
    }

    fn build_folder(&mut self, project: &str) -> Word {
        Word::lit(format!("build-{project}"))
    }
}

/// Returns the value that a text of YAML contains, such as a list of steps.
fn read<T: Decode>(yaml: &str) -> T {
    let mut findings = Findings::default();
    let node = parse(0, yaml, &mut findings).unwrap();
    let read = T::decode(&node, &mut findings).unwrap();
    assert!(findings.is_empty(), "{:?}", findings.sorted());
    read
}

fn lowered(dialect: &mut Macros, yaml: &str) -> String {
    print(&lower(dialect, &read::<Vec<Step>>(yaml)), &STYLE)
}

/// Returns the text without its empty lines.
fn squeezed(text: &str) -> String {
    text.lines()
        .filter(|l| !l.is_empty())
        .map(|l| format!("{l}\n"))
        .collect()
}

/// Returns the bash text of the steps in `yaml`, and the codes of the findings.
fn plain(yaml: &str) -> (String, Vec<&'static str>) {
    let mut dialect = Macros::default();
    let text = lowered(&mut dialect, yaml);
    (
        text,
        dialect.findings.sorted().iter().map(|f| f.code).collect(),
    )
}

fn fine(yaml: &str) -> String {
    let (text, errors) = plain(yaml);
    assert!(errors.is_empty(), "{errors:?}");
    text
}

#[test]
fn tools_have_one_meaning() {
    let text = fine(
        "
- move: {from: [a, 'b c'], to: d}
- copy: {from: 'a*', to: 'b*'}
- symlink: {from: [a, b], to: c}
- remove: [a, b/, c, 'd*/']
- make-folder: [a, b]
- enter: x
- install-file: {from: a, to: /etc/a.conf}
- install-file: {from: [a, b], to: /usr/share/x/}
",
    );
    assert_eq!(
        text,
        "mv a \"b c\" d\ncp -r a* \"b*\"\nln -s a c\nln -s b c\nrm -r a c\nrm -rf b d*/\nmkdir -p a b\ncd x\n\
         install -Dm644 a \"$installdir/etc/a.conf\"\ninstall -Dm644 a b -t \"$installdir/usr/share/x\"\n"
    );
}

#[test]
fn patterns_live_where_files_are_named() {
    let text = fine(
        "[{remove: ['a b/*.{c,h}']}, {run: [prog, '*', '${glob:*.x}']}, {sed: {files: '?', scripts: s/a/b/}}]",
    );
    assert_eq!(
        text,
        "rm -r \"a b/\"*.{c,h}\nprog \"*\" *.x\nsed -i -e s/a/b/ ?\n"
    );
    assert_eq!(plain("[{run: [prog, '${glob:a~b}']}]").1, ["E0401"]);
}

#[test]
fn raw_text_answers_references_and_leaves_the_rest() {
    let text = fine("[{raw: \"echo \\\"v${version}\\\" '${jobs}' \\\"$${x%.*}\\\" $1 $HOME\"}]");
    assert_eq!(text, "echo \"v$version\" '$(nproc)' \"${x%.*}\" $1 $HOME\n");
    assert_eq!(plain("[{raw: 'echo ${x}'}]").1, ["E0401"]);
}

#[test]
fn replaced_text_is_literal() {
    let text = fine(
        "[{replace: {files: [a, b], from: 'x.[y]*|z', to: '&\\1'}}, {replace: {files: a, from: x, to: \"1\\n2\"}}]",
    );
    assert_eq!(
        text,
        "sed -i 's#x\\.\\[y\\]\\*|z#\\&\\\\1#g' a b\nsed -i 's|x|1\\n2|g' a\n"
    );
    // An empty `to` means the same as an absent one.
    assert_eq!(
        plain("[{replace: {files: a, from: gone}}]").0,
        plain("[{replace: {files: a, from: gone, to: ''}}]").0
    );
    assert_eq!(
        plain("[{replace: {files: a, from: '|#', to: b}}]").1,
        ["E0308"]
    );
    assert_eq!(
        plain("[{replace: {files: a, from: \"b\\nc\", to: b}}]").1,
        ["E0417"]
    );
}

#[test]
fn a_known_condition_is_decided_and_another_is_asked() {
    let yaml = "[{when: yes, run: [a]}, {when: no, comment: never, run: [b]}]";
    assert_eq!(fine(yaml), "a\n");
    let mut dialect = Macros {
        strict: true,
        ..Macros::default()
    };
    assert_eq!(
        squeezed(&lowered(&mut dialect, yaml)),
        "if use yes; then\n    a || die\nfi\n# never\nif use no; then\n    b || die\nfi\n"
    );
}

#[test]
fn what_fails_dies_once() {
    let mut dialect = Macros {
        strict: true,
        ..Macros::default()
    };
    let text = lowered(
        &mut dialect,
        "
- run: ['%macro']
- run-with: {command: ['%macro'], output: x}
- run-with: {command: [a], may-fail: true}
- inside: {folder: x, steps: [{run: [a]}]}
- each: {variable: f, items: ['*.c'], steps: [{remove: '${f}'}]}
",
    );
    assert_eq!(
        squeezed(&text),
        "%macro\n%macro > x || die\na || true\npushd x > /dev/null || die\na || die\npopd > /dev/null || die\n\
         local f\nfor f in *.c; do\n    rm -r \"$f\" || die\ndone\n"
    );
}

#[test]
fn a_step_without_a_form_is_a_finding() {
    let (text, errors) = plain("[{wheel: .}, {run: [a]}, {cherry-pick: [xyz]}]");
    assert_eq!(
        (text.as_str(), errors),
        ("a\ngit cherry-pick -n xyz\n", vec!["E0307", "E0415"])
    );
}

#[test]
fn flags_are_edited_by_assignment() {
    let mut dialect = Macros::default();
    let list: OneOrMany<FlagEdit> = read(
        "
- {action: append, on: c, flags: [-a, -b], comment: why}
- {action: append, on: ld, flags: [-s], when: no}
- {action: replace, on: all, flags: [-g], with: -g1}
- {action: filter, on: fortran, flags: [-f*]}
",
    );
    let text = print(&edits(&mut dialect, list.0.iter()).concat(), &STYLE);
    let filter = "sed -E ':a; s@(^| )(-f[^ ]*)( |$)@ @; ta' <<<";
    assert_eq!(
        text,
        format!(
            "# why\nCFLAGS+=\" -a -b\"\nCFLAGS=\"${{CFLAGS//-g/-g1}}\"\nCXXFLAGS=\"${{CXXFLAGS//-g/-g1}}\"\n\
             export FFLAGS=\"$({filter} \"$FFLAGS\")\"\nexport FCFLAGS=\"$({filter} \"$FCFLAGS\")\"\n"
        )
    );
    assert!(dialect.findings.is_empty());
}

#[test]
fn a_long_filter_is_wrapped_and_said_once() {
    let mut dialect = Macros::default();
    let long = |letter: &str| format!("-{}", letter.repeat(45));
    let list: OneOrMany<FlagEdit> = read(&format!(
        "{{action: filter, on: fortran, flags: [{}*, {}, {}]}}",
        long("a"),
        long("b"),
        long("c")
    ));
    let text = print(&edits(&mut dialect, list.0.iter()).concat(), &STYLE);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], format!("local _unwanted=\"{}[^ ]*\"", long("a")));
    assert_eq!(lines[1], format!("_unwanted+=\"|{}\"", long("b")));
    assert_eq!(lines[2], format!("_unwanted+=\"|{}\"", long("c")));
    let sed = r#"sed -E ":a; s@(^| )($_unwanted)( |\$)@ @; ta" <<<"#;
    assert_eq!(lines[3], format!(r#"export FFLAGS="$({sed} "$FFLAGS")""#));
    assert_eq!(lines[4], format!(r#"export FCFLAGS="$({sed} "$FCFLAGS")""#));
}

#[test]
fn steps_that_belong_together_are_one_operation() {
    let steps: Vec<Step> = read(
        "
- replace: {files: f, from: a, to: b}
- replace: {files: f, from: c, to: d}
- {comment: apart, replace: {files: f, from: e, to: g}}
- {when: test, replace: {files: f, from: h, to: i}}
- replace: {files: other, from: h, to: i}
",
    );
    let sizes: Vec<usize> = batches(&steps).map(<[Step]>::len).collect();
    assert_eq!(sizes, [2, 1, 1, 1]);
    let first = batches(&steps).next().unwrap();
    let list = operations(first, &Tool::usual);
    assert!(matches!(list.as_slice(), [Operation::Replace(all)] if all.len() == 2));
}

#[test]
fn names_that_steps_give_are_found_wherever_they_stand() {
    let steps: Vec<Step> = read(
        "
- {when: a, group: [{local: {one: x}}]}
- {when: '!a', export: {two: x}}
- inside: {folder: x, steps: [{each: {variable: three, items: [x], steps: [{local: {four: [x, y]}}]}}]}
- run-with: {command: [x], environment: {five: x}}
",
    );
    assert_eq!(
        declared([&steps]).into_iter().collect::<Vec<_>>(),
        ["four", "one", "three", "two"]
    );
    assert_eq!(
        names(&steps).last().map(|n| (n.name, n.declared)),
        Some(("five", false))
    );
}

#[test]
fn references_mean_the_parts_of_a_package() {
    for (name, word) in [
        ("version", "\"$version\""),
        ("source", "\"$workdir/tool\""),
        ("source:more", "\"$workdir/more/in/it\""),
        ("checkout:more", "\"$workdir/more\""),
        ("build", "build-main"),
        ("build:tests", "build-tests"),
        ("prefix", "/usr"),
        ("pkg:tool", "/usr"),
        ("LDFLAGS", "\"$LDFLAGS\""),
        ("f", "\"$f\""),
    ] {
        assert_eq!(
            fine(&format!("- run: [echo, '${{{name}}}']\n")),
            format!("echo {word}\n")
        );
    }
    for unknown in [
        "targets",
        "source:less",
        "build:more",
        "pkg:nothing",
        "sauce",
    ] {
        let (text, codes) = plain(&format!("- run: [echo, '${{{unknown}}}']\n"));
        assert_eq!(
            (text.as_str(), codes),
            ("echo \"\"\n", vec!["E0401"]),
            "{unknown}"
        );
    }
    let mut dialect = Macros::default();
    lowered(
        &mut dialect,
        "- run: [echo, '${sauce}', '${checkout:mor}', '${buildd}']\n",
    );
    let hints = dialect
        .findings
        .sorted()
        .iter()
        .filter_map(|f| f.hint.clone())
        .collect::<Vec<_>>();
    assert_eq!(
        hints,
        [
            "did you mean `source`?",
            "did you mean `checkout:more`?",
            "did you mean `build`?"
        ]
    );
}

#[test]
fn what_a_command_is_given_as_targets_is_noted() {
    let mut d = Macros {
        strict: true,
        ..Macros::default()
    };
    let words =
        "[cmake, '-DGPU_TARGETS=${targets};gfx942', -DOTHER=gfx90a, '-DHOW:STRING=${targets}/x']";
    lowered(&mut d, &format!("- run: {words}"));
    let unread = || PassedTargets::Unread("${targets}/x".to_owned());
    let (command, further) = ("all-gpus".to_owned(), vec!["gfx942".to_owned()]);
    let found: Vec<_> = d
        .passed
        .iter()
        .map(|p| (p.variable.as_str(), p.list.unasked.clone()))
        .collect();
    let whole = PassedTargets::Tool {
        command,
        without: Vec::new(),
        further,
    };
    assert_eq!(found, [("GPU_TARGETS", whole), ("HOW", unread())]);
}
