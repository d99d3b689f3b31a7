//! Golden ebuilds. They have no fault, and after a change that breaks one, the fault is found at
//! the right line.

use super::{line, shown};
use proptest::prelude::*;
use rocpkg_gentoo::check;
use rocpkg_syntax::{Checked, Surroundings};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A golden ebuild with its text and the files beside it.
struct Golden {
    name: String,
    text: String,
    beside: Surroundings,
}

/// Collects the ebuilds below a folder.
fn ebuilds(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            ebuilds(&path, out);
        } else if path.extension().is_some_and(|e| e == "ebuild") {
            out.push(path);
        }
    }
}

/// Returns the names behind a prefix such as `${FILESDIR}/`, with the variables that the file name
/// sets replaced. A name ends with a quote or a blank.
fn names(text: &str, mark: &str) -> BTreeSet<String> {
    let ends = |c: char| c.is_whitespace() || "\"';)".contains(c);
    let parts = text.split(mark).skip(1);
    parts
        .map(|part| part.split(ends).next().unwrap().to_owned())
        .collect()
}

/// Replaces the variables that the file name sets, and those of commits.
fn replaced(text: &str, file: &str) -> String {
    let stem = file.trim_end_matches(".ebuild");
    let bare = match stem.rsplit_once("-r") {
        Some((bare, rest)) if rest.chars().all(|c| c.is_ascii_digit()) => bare,
        _ => stem,
    };
    let (name, version) = bare.rsplit_once('-').unwrap();
    let text = text.replace("${PV}", version).replace("${PN}", name);
    let mut text = text.replace("${P}", bare);
    let commits = text
        .lines()
        .filter_map(|line| line.split_once("_COMMIT=\""));
    let commits: Vec<(String, String)> = commits
        .map(|(name, value)| (name.to_owned(), value.trim_end_matches('"').to_owned()))
        .collect();
    for (name, commit) in commits {
        text = text.replace(&format!("${{{name}_COMMIT}}"), &commit);
    }
    text
}

/// Returns the addresses of `SRC_URI`, each with the name that it is saved by.
fn sources(text: &str) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = Vec::new();
    let words = text.split([' ', '\t', '\n', '"']);
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let mut is_source = false;
    for (i, word) in words.iter().enumerate() {
        if let Some(variable) = word.strip_suffix('=') {
            is_source = variable == "SRC_URI";
        }
        if !is_source || !word.contains("://") {
            continue;
        }
        let own = words.get(i + 1).filter(|next| **next == "->");
        let last = word.rsplit('/').next().unwrap();
        let name = own.map_or(last, |_| words[i + 2]);
        out.push(((*word).to_owned(), name.to_owned()));
    }
    out
}

/// The golden ebuilds in the order of their paths.
static GOLDEN: LazyLock<Vec<Golden>> = LazyLock::new(|| {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let mut paths = Vec::new();
    ebuilds(&tests.join("golden/gentoo"), &mut paths);
    ebuilds(&tests.join("suite"), &mut paths);
    paths.sort();
    assert!(paths.len() > 50);
    let rocm = fs::read_to_string(tests.join("golden/gentoo/eclass/rocm.eclass")).unwrap();
    let one = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        let parts: Vec<&str> = path.iter().map(|part| part.to_str().unwrap()).collect();
        let file = *parts.last().unwrap();
        let known = replaced(&text, file);
        let files = names(&known, "${FILESDIR}/");
        let sources = sources(&known);
        // The golden Manifests hold only lines for files with known checksums.
        let lines = sources.iter().map(|(_, name)| format!("DIST {name} 1\n"));
        let manifest = lines.collect::<String>();
        let folders = names(&known, "S=\"${WORKDIR}/").into_iter();
        let folders = folders.map(|folder| folder.split('/').next().unwrap().to_owned());
        let mut folders: Vec<String> = folders.collect();
        if !known.contains("\nS=") {
            folders.push(replaced("${P}", file));
        }
        let archives = sources.into_iter();
        let archives = archives.map(|(address, _)| (address, folders.clone()));
        Golden {
            beside: Surroundings {
                path: parts[parts.len() - 3..].join("/"),
                files: Some(files.iter().map(|name| format!("files/{name}")).collect()),
                texts: BTreeMap::from([
                    ("Manifest".to_owned(), manifest.into()),
                    ("eclass/rocm.eclass".to_owned(), rocm.clone().into()),
                ]),
                archives: archives.collect(),
                ..Surroundings::default()
            },
            name: parts[parts.len() - 5..].join("/"),
            text,
        }
    };
    paths.iter().map(one).collect()
});

#[test]
fn golden_ebuilds_have_no_fault_and_are_checked() {
    let mut open = BTreeSet::new();
    for golden in &*GOLDEN {
        let checked = check(&golden.text, &golden.beside);
        assert_eq!(shown(&golden.text, &checked), [""; 0], "{}", golden.name);
        open.extend(super::unchecked(&checked));
    }
    let expected = [
        "USE flags: the name of the flag in `use \"cpu_flags_x86_${flag}\"` is known only when the \
         ebuild runs",
        "folders of archives: the ebuild unpacks archives itself",
    ];
    assert_eq!(open, expected.map(str::to_owned).into());
}

/// An ebuild that was broken in one place, with the expected fault.
struct Broken {
    kind: &'static str,
    text: String,
    /// The files beside the ebuild, if they were changed too.
    beside: Option<Surroundings>,
    code: &'static str,
    line: usize,
}

/// A statement in the global scope: its variable, and its first and last line, counted from 0.
struct Block {
    name: String,
    first: usize,
    last: usize,
}

/// Returns the assignments in the global scope.
fn blocks(lines: &[&str]) -> Vec<Block> {
    let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let mut out = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let first = at;
        at += 1;
        let Some((name, value)) = lines[first].split_once('=') else {
            continue;
        };
        if name.is_empty() || !name.chars().all(is_name) {
            continue;
        }
        let close = match value.trim() {
            "(" => ")",
            value if value.starts_with('"') && value.matches('"').count() == 1 => "\"",
            _ => "",
        };
        let mut last = first;
        if !close.is_empty() {
            let end = lines[at..].iter().position(|line| *line == close);
            let Some(end) = end else { continue };
            last = at + end;
            at = last + 1;
        }
        out.push(Block {
            name: name.to_owned(),
            first,
            last,
        });
    }
    out
}

/// Joins lines to a text.
fn joined(lines: &[&str]) -> String {
    lines.join("\n") + "\n"
}

/// Returns a text with one line replaced.
fn other_line(lines: &[&str], at: usize, other: &str) -> String {
    joined(&[&lines[..at], &[other], &lines[at + 1..]].concat())
}

/// Returns true if a line refers to a flag, in a condition or in a command.
fn uses_flag(line: &str, flag: &str) -> bool {
    let is_flag = |c: char| c.is_ascii_alphanumeric() || "+_@-".contains(c);
    let code = line.trim_start();
    if code.starts_with('#') {
        return false;
    }
    code.match_indices(flag).any(|(at, _)| {
        let (before, behind) = (&code[..at], &code[at + flag.len()..]);
        if before.ends_with(is_flag) || behind.starts_with(is_flag) {
            return false;
        }
        let is_condition = behind.starts_with('?') && !before.contains("://");
        let before = before.trim_end_matches(['!', '"']);
        let command = before
            .trim_end()
            .rsplit([' ', '\t', '(', '!', '{'])
            .next()
            .unwrap();
        let commands = [
            "use",
            "usex",
            "usev",
            "use_enable",
            "use_with",
            "cmake_use_find_package",
        ];
        is_condition || (before.ends_with(' ') && commands.contains(&command))
    })
}

/// Removes flags from IUSE.
fn without_flags(lines: &[&str], blocks: &[Block], out: &mut Vec<Broken>) {
    for block in blocks.iter().filter(|block| block.name == "IUSE") {
        let is_required = |i: usize| {
            let mut all = blocks.iter().filter(|block| block.name == "REQUIRED_USE");
            all.any(|block| (block.first..=block.last).contains(&i))
        };
        for at in block.first..=block.last {
            let bare = lines[at].trim_start_matches("IUSE=");
            for word in bare.split([' ', '\t', '"']).filter(|word| !word.is_empty()) {
                let flag = word.trim_start_matches(['+', '-']);
                let is_other = |(i, _): &(usize, &&str)| *i < block.first || *i > block.last;
                let mut others = lines.iter().enumerate().filter(is_other);
                let Some((used, _)) = others.find(|(i, line)| {
                    let is_leaf = |word: &str| word.trim_start_matches('!') == flag;
                    uses_flag(line, flag)
                        || (is_required(*i) && line.split([' ', '\t', '"']).any(is_leaf))
                }) else {
                    continue;
                };
                let padded = lines[at].replace('"', " \" ");
                let kept: Vec<&str> = padded.split(' ').filter(|own| *own != word).collect();
                out.push(Broken {
                    kind: "a flag out of IUSE",
                    text: other_line(lines, at, &kept.join(" ").replace("= \"", "=\"")),
                    beside: None,
                    code: "E0802",
                    line: used + 1,
                });
            }
        }
    }
}

/// Functions of eclasses, and the other eclasses that inherit theirs.
const FUNCTIONS: &[(&str, &[&str], &[&str])] = &[
    ("check-reqs", &["check-reqs_pkg_setup"], &[]),
    (
        "cmake",
        &[
            "cmake_src_prepare",
            "cmake_src_configure",
            "cmake_src_install",
        ],
        &[],
    ),
    ("cuda", &["cuda_src_prepare"], &[]),
    (
        "distutils-r1",
        &["distutils-r1_src_install", "distutils-r1_src_compile"],
        &[],
    ),
    (
        "edo",
        &["edo"],
        &["cuda", "distutils-r1", "python-utils-r1"],
    ),
    ("go-module", &["go-module_src_unpack", "ego"], &[]),
    (
        "linux-info",
        &["linux-info_pkg_setup", "linux_config_exists"],
        &[],
    ),
    ("llvm-r2", &["get_llvm_prefix", "llvm_gen_dep"], &[]),
    ("prefix", &["hprefixify", "eprefixify"], &[]),
    ("python-any-r1", &["python_gen_any_dep"], &["distutils-r1"]),
    (
        "python-r1",
        &["python_foreach_impl", "python_gen_cond_dep"],
        &["distutils-r1"],
    ),
    ("python-single-r1", &["python_gen_cond_dep"], &[]),
    (
        "rocm",
        &[
            "get_amdgpu_flags",
            "check_amdgpu",
            "rocm_use_clang",
            "rocm_use_hipcc",
        ],
        &[],
    ),
    ("systemd", &["systemd_dounit"], &[]),
];

/// Returns the words of a line of code.
fn code(line: &str) -> impl Iterator<Item = &str> {
    let line = if line.trim_start().starts_with('#') {
        ""
    } else {
        line
    };
    line.split(|c: char| !c.is_ascii_alphanumeric() && !"_-.".contains(c))
}

/// Removes eclasses from `inherit`, and adds one that nothing uses.
fn without_eclasses(lines: &[&str], out: &mut Vec<Broken>) {
    let Some(at) = lines.iter().position(|line| line.starts_with("inherit ")) else {
        return;
    };
    let inherited: Vec<&str> = lines[at].split(' ').skip(1).collect();
    for (eclass, functions, heirs) in FUNCTIONS {
        if !inherited.contains(eclass) || heirs.iter().any(|heir| inherited.contains(heir)) {
            continue;
        }
        let kept: Vec<&str> = lines[at].split(' ').filter(|word| word != eclass).collect();
        for function in *functions {
            let is_call = |line: &&str| code(line).any(|word| word == *function);
            let calls = lines.iter().enumerate().skip(at + 1);
            let Some((call, _)) = calls.into_iter().find(|(_, line)| is_call(line)) else {
                continue;
            };
            out.push(Broken {
                kind: "an eclass out of inherit",
                text: other_line(lines, at, &kept.join(" ")),
                beside: None,
                code: "E0803",
                line: call + 1,
            });
        }
    }
    for eclass in ["edos2unix", "optfeature", "edo"] {
        if lines
            .iter()
            .any(|line| code(line).any(|word| word == eclass))
        {
            continue;
        }
        out.push(Broken {
            kind: "an eclass into inherit",
            text: other_line(lines, at, &format!("{} {eclass}", lines[at])),
            beside: None,
            code: "E0804",
            line: at + 1,
        });
    }
}

/// Moves assignments below their uses, and duplicates them.
fn with_assignments(lines: &[&str], blocks: &[Block], out: &mut Vec<Broken>) {
    for (i, block) in blocks.iter().enumerate() {
        let written = &lines[block.first..=block.last];
        let other = format!("{}=\"another value\"", block.name);
        let twice = [
            &lines[..=block.last],
            &[other.as_str()],
            &lines[block.last + 1..],
        ]
        .concat();
        let is_own = |line: &&str| line.contains(&format!("${{{}}}", block.name));
        // Each ebuild has many assignments, so CI duplicates only every fourth one.
        let is_kept = rocpkg_test_support::is_whole() || i % 4 == lines.len() % 4;
        if is_kept && !written.iter().any(is_own) {
            out.push(Broken {
                kind: "an assignment twice",
                text: joined(&twice),
                beside: None,
                code: "E0806",
                line: block.last + 2,
            });
        }
        if !block.name.ends_with("DEPEND") {
            continue;
        }
        let user = blocks[i + 1..].iter().find_map(|user| {
            let at = (user.first..=user.last).find(|at| is_own(&lines[*at]))?;
            Some((user, at))
        });
        let Some((user, at)) = user else { continue };
        let between = &lines[block.last + 1..=user.last];
        let moved = [
            &lines[..block.first],
            between,
            written,
            &lines[user.last + 1..],
        ]
        .concat();
        out.push(Broken {
            kind: "an assignment below its use",
            text: joined(&moved),
            beside: None,
            code: "E0805",
            line: at + 1 - written.len(),
        });
    }
}

/// Removes files of the package and lines of its Manifest.
fn without_files(golden: &Golden, out: &mut Vec<Broken>) {
    let file = golden.beside.path.rsplit('/').next().unwrap();
    let whole = replaced(&golden.text, file);
    let known: Vec<&str> = whole.lines().collect();
    for gone in golden.beside.files.iter().flatten() {
        let name = format!("${{FILESDIR}}/{}", gone.trim_start_matches("files/"));
        let at = known.iter().position(|line| line.contains(&name)).unwrap();
        let mut beside = golden.beside.clone();
        beside.files.as_mut().unwrap().remove(gone);
        out.push(Broken {
            kind: "a file out of files",
            text: golden.text.clone(),
            beside: Some(beside),
            code: "E0807",
            line: at + 1,
        });
    }
    let mut done = BTreeSet::new();
    for (address, name) in sources(&whole) {
        let at = known.iter().position(|line| line.contains(&address));
        if !done.insert(name.clone()) {
            continue;
        }
        let at = at.unwrap();
        let mut beside = golden.beside.clone();
        let manifest = beside.texts.get_mut("Manifest").unwrap();
        *manifest = manifest.replace(&format!("DIST {name} 1\n"), "").into();
        out.push(Broken {
            kind: "a name out of the Manifest",
            text: golden.text.clone(),
            beside: Some(beside),
            code: "E0809",
            line: at + 1,
        });
    }
}

/// Breaks lines that begin with a given text.
fn with_lines(lines: &[&str], out: &mut Vec<Broken>) {
    for (kind, mark, part, other, code) in [
        (
            "a folder in S changed",
            "S=\"${WORKDIR}/",
            "WORKDIR}/",
            "WORKDIR}/other-",
            "E0808",
        ),
        (
            "a phase misspelt",
            "src_configure()",
            "configure",
            "confgure",
            "E0810",
        ),
        (
            "a phase misspelt",
            "src_prepare()",
            "src_prepare",
            "src_perpare",
            "E0810",
        ),
        (
            "a phase misspelt",
            "src_install()",
            "install",
            "build",
            "E0810",
        ),
        ("a slot twice", "LLVM_COMPAT=( ", "( 22", "( 22 22", "E0811"),
        (
            "a slot behind",
            "LLVM_COMPAT=( ",
            "( 22",
            "( 22 21",
            "E0811",
        ),
        (
            "no choice of flags",
            "REQUIRED_USE=\"",
            "=\"",
            "=\"a !a ",
            "E0813",
        ),
        ("a bracket out", "src_configure()", " {", "", "E0801"),
    ] {
        let at = lines.iter().position(|line| line.starts_with(mark));
        let Some(at) = at.filter(|at| lines[*at].contains(part)) else {
            continue;
        };
        // The folders of an ebuild with its own `src_unpack` are not known.
        let unpacks = |line: &&str| line.starts_with("src_unpack()") || line.contains(" git-r3 ");
        if code == "E0808" && lines.iter().any(unpacks) {
            continue;
        }
        out.push(Broken {
            kind,
            text: other_line(lines, at, &lines[at].replacen(part, other, 1)),
            beside: None,
            code,
            // A parser may report a missing bracket anywhere behind it.
            line: if code == "E0801" { 0 } else { at + 1 },
        });
    }
}

/// Returns the ebuild broken in each way that applies to it.
fn broken(golden: &Golden) -> Vec<Broken> {
    let lines: Vec<&str> = golden.text.lines().collect();
    let blocks = blocks(&lines);
    let mut out = Vec::new();
    without_flags(&lines, &blocks, &mut out);
    without_eclasses(&lines, &mut out);
    with_assignments(&lines, &blocks, &mut out);
    without_files(golden, &mut out);
    with_lines(&lines, &mut out);
    out
}

/// Returns true if a check found the fault of a broken ebuild.
fn is_found(broken: &Broken, checked: &Checked) -> bool {
    let mut faults = checked.faults.iter();
    faults.any(|fault| {
        let at = line(&broken.text, fault);
        fault.finding.code == broken.code && (broken.line == 0 || broken.line == at)
    })
}

#[test]
fn broken_golden_ebuilds_are_found_at_their_line() {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut missed = Vec::new();
    for golden in &*GOLDEN {
        for broken in broken(golden) {
            let beside = broken.beside.as_ref().unwrap_or(&golden.beside);
            let checked = check(&broken.text, beside);
            let is_found = is_found(&broken, &checked);
            let count = counts.entry(broken.kind).or_default();
            count.0 += usize::from(is_found);
            count.1 += 1;
            if !is_found {
                let expected = format!("{} {}", broken.code, broken.line);
                let found = shown(&broken.text, &checked);
                missed.push(format!(
                    "{}: {}: {expected}: {found:?}",
                    golden.name, broken.kind
                ));
            }
        }
    }
    let sum = |sum: (usize, usize), n: &(usize, usize)| (sum.0 + n.0, sum.1 + n.1);
    let (found, all) = counts.values().fold((0, 0), sum);
    assert!(all > 500 && counts.len() >= 13, "{counts:#?}");
    assert!(found * 100 >= all * 95, "{counts:#?} {missed:#?}");
    let few: Vec<_> = counts
        .iter()
        .filter(|(_, (found, all))| found * 100 < all * 95)
        .collect();
    assert!(few.is_empty(), "{few:?} {missed:#?}");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 128,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn texts_that_are_cut_or_changed_anywhere_are_checked(
        recipe in 0..1000_usize,
        cuts in prop::collection::vec(
            (any::<u16>(), any::<u8>(), "[\\PC\\n(){}\\[\\]$\"'\\\\`?|#]{0,4}"), 0..4
        ),
        end in any::<u16>(),
    ) {
        let golden = &GOLDEN[recipe % GOLDEN.len()];
        let mut text = golden.text.clone();
        for (at, len, put) in cuts {
            let start = text.floor_char_boundary(at as usize % (text.len() + 1));
            let end = text.floor_char_boundary((start + len as usize).min(text.len()));
            text.replace_range(start..end.max(start), &put);
        }
        let end = text.floor_char_boundary(end as usize % (text.len() + 1));
        for text in [&text, &text[..end]] {
            for fault in check(text, &golden.beside).faults {
                let span = fault.finding.span.unwrap();
                prop_assert!(span.start <= span.end && span.end as usize <= text.len());
                prop_assert!(text.is_char_boundary(span.start as usize));
                prop_assert!(text.is_char_boundary(span.end as usize));
            }
        }
    }
}

#[test]
fn a_command_whose_name_has_a_value_is_told_at_its_word() {
    let text = "EAPI=8\nEA®=\"a ${P}.tar.gz\"\n";
    let beside = Surroundings {
        path: "sci-libs/hipother/hipother-7.2.0.ebuild".to_owned(),
        ..Surroundings::default()
    };
    let checked = check(text, &beside);
    let found = checked.faults.iter();
    let found: Vec<_> = found
        .map(|fault| (fault.finding.code, &text[fault.range()]))
        .collect();
    assert_eq!(found, [("E0872", "EA®=\"a ${P}.tar.gz\"")]);
}
