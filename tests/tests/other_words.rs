//! A law of bumps: a recipe in other words, bumped, has the values that the rendered recipe has
//! after its bump. Each value that the model changes has its new value, or a todo names the item.
//!
//! A style writes a recipe in other words that mean the same: a helper variable, a call over several
//! lines, a text where a variable stood.

use regex::{Captures, Regex};
use rocpkg::checkout::{BumpRequest, Todo, TodoKind, bump};
use rocpkg::internal::resolve::Choice;
use rocpkg::internal::syntax::{Language, Node, Surroundings};
use rocpkg::{Backend, Options, Stack};
use rocpkg_tests::write_file;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Returns a recipe, rendered at a release, in other words; none if the words are not in it.
type Style = fn(text: &str, release: &str) -> Option<String>;

/// The number of styles that each recipe is written in, one in each bump.
const ROUNDS: usize = 2;

/// Replaces the first match of a pattern.
fn replaced(text: &str, pattern: &str, new: impl Fn(&Captures) -> String) -> Option<String> {
    let pattern = Regex::new(&format!("(?m){pattern}")).unwrap();
    let is_in = pattern.is_match(text);
    is_in.then(|| pattern.replace(text, new).into_owned())
}

/// Replaces a text everywhere.
fn renamed(text: &str, old: &str, new: &str) -> Option<String> {
    text.contains(old).then(|| text.replace(old, new))
}

fn lines(text: &str) -> Vec<&str> {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty()).collect()
}

const ARCH: &[Style] = &[
    // A helper variable for the tag.
    |text, release| {
        let text = renamed(text, "rocm-$pkgver", "$_tag")?;
        replaced(&text, "^pkgrel=.*\n", |m| {
            format!("{}_tag=rocm-{release}\n", &m[0])
        })
    },
    // An array in two parts.
    |text, _| {
        replaced(
            text,
            r"^makedepends=\(\n((?:  .*\n)+?)((?:  .*\n)+)\)\n",
            |m| format!("makedepends=(\n{})\nmakedepends+=(\n{})\n", &m[1], &m[2]),
        )
    },
    // A text where a variable stood.
    |text, release| renamed(text, "tags/rocm-$pkgver", &format!("tags/rocm-{release}")),
    // A call over several lines.
    |text, _| {
        let call = "cmake \"${cmake_args[@]}\"";
        let found = Regex::new(r"(?m)^  local cmake_args=\(\n((?:    .*\n)+)  \)\n").unwrap();
        let options = lines(&found.captures(text)?[1]).join(" \\\n    ");
        let is_plain = !options.contains('#') && text.contains(call);
        let text = found.replace(text, "");
        is_plain.then(|| text.replacen(call, &format!("cmake \\\n    {options}"), 1))
    },
    // Lists on one line.
    |text, _| {
        replaced(text, r"^depends=\(\n((?:  .*\n)+)\)$", |m| {
            format!("depends=({})", lines(&m[1]).join(" "))
        })
    },
];

const GENTOO: &[Style] = &[
    |text, release| {
        let text = renamed(text, "rocm-${PV}", "${ROCM_TAG}")?;
        let set = format!("EAPI=8\n\nROCM_TAG=\"rocm-{release}\"\n");
        Some(text.replacen("EAPI=8\n", &set, 1))
    },
    |text, _| {
        replaced(text, r#"^S="\$\{WORKDIR\}/(.+)"$"#, |m| {
            format!("MY_S=\"{}\"\nS=\"${{WORKDIR}}/${{MY_S}}\"", &m[1])
        })
    },
    |text, release| {
        let (slot, _) = release.rsplit_once('.')?;
        renamed(text, "0/$(ver_cut 1-2)", &format!("0/{slot}"))
    },
    |text, _| {
        replaced(text, "^RDEPEND=\"\n((?:\t.*\n)+)\"$", |m| {
            format!("RDEPEND=\"{}\"", lines(&m[1]).join(" "))
        })
    },
    |text, release| replaced(text, "^SRC_URI=.*$", |m| m[0].replace("${PV}", release)),
];

/// Adds a binding to the `let` of an expression.
fn with_let(text: &str, binding: &str) -> Option<String> {
    if text.contains("\nlet\n") {
        return Some(text.replacen("\nlet\n", &format!("\nlet\n  {binding}\n"), 1));
    }
    replaced(text, r"^stdenv\w*\.mkDerivation", |m| {
        format!("let\n  {binding}\nin\n{}", &m[0])
    })
}

const VERSION: &str = "^  version = \"[0-9.]+\";$";

const NIX: &[Style] = &[
    |text, release| {
        let text = replaced(text, VERSION, |_| "  inherit version;".to_owned())?;
        with_let(&text, &format!("version = \"{release}\";"))
    },
    |text, release| {
        let text = replaced(text, VERSION, |_| "  version = rocmVersion;".to_owned())?;
        with_let(&text, &format!("rocmVersion = \"{release}\";"))
    },
    |text, release| {
        let text = replaced(text, VERSION, |_| "  version = rocmVersion;".to_owned())?;
        replaced(&text, r"^\}:$", |_| {
            format!("  rocmVersion ? \"{release}\",\n}}:")
        })
    },
    |text, release| {
        let version = "${finalAttrs.version}";
        let tag = format!("rocm-{version}");
        let text = renamed(text, &format!("rev = \"{tag}\""), "rev = tag")
            .or_else(|| renamed(text, &format!("tag = \"{tag}\""), "inherit tag"))?;
        with_let(&text, &format!("tag = \"rocm-{release}\";"))
    },
    |text, release| {
        let tag = "\"rocm-${finalAttrs.version}\"";
        renamed(text, tag, &format!("\"rocm-{release}\""))
    },
    // The source in a `let`.
    |text, release| {
        let version = replaced(text, VERSION, |_| "  inherit version;".to_owned())?;
        let source = Regex::new(r"(?m)^  src = fetchFromGitHub \{\n(?:    .*\n)*  \};\n").unwrap();
        let bound = source.find(&version)?.as_str().replace("finalAttrs.", "");
        let bound = format!("version = \"{release}\";\n{}", bound.trim_end());
        with_let(&source.replace(&version, "  inherit src;\n"), &bound)
    },
    // Another order of attributes.
    |text, _| {
        replaced(text, "^(  pname = .*\n)(  version = .*\n)", |m| {
            format!("{}{}", &m[2], &m[1])
        })
    },
    |text, _| {
        let list = r"^  buildInputs = \[\n((?:    .*\n)+?)((?:    .*\n)+)  \]";
        replaced(text, list, |m| {
            format!("  buildInputs = [\n{}  ]\n  ++ [\n{}  ]", &m[1], &m[2])
        })
    },
    |text, _| {
        let is_plain = !text.contains("inherit finalAttrs");
        renamed(text, "finalAttrs", "self").filter(|_| is_plain)
    },
];

/// Changes the lines of the first call of `%cmake_ninja` behind its first line.
fn with_options(text: &str, change: impl Fn(Vec<&str>) -> String) -> Option<String> {
    let call = "^    %cmake_ninja(.*) \\\\\n((?:.*\\\\\n)*.*)\n";
    replaced(text, call, |m| {
        let all = m[2].lines().map(|line| line.trim().trim_end_matches(" \\"));
        format!("    %cmake_ninja{}{}\n", &m[1], change(all.collect()))
    })
}

const SOLUS: &[Style] = &[
    // Options in another order.
    |text, _| {
        with_options(text, |mut all| {
            all.reverse();
            format!(" \\\n      {}", all.join(" \\\n      "))
        })
    },
    |text, _| with_options(text, |all| format!(" {}", all.join(" "))),
    |text, _| {
        with_options(text, |all| {
            let all = all.join(" \\\n      ").replace("-D", "-D ");
            format!(" \\\n      {all} \\\n      -DOWN_OPTION=ON")
        })
    },
    // A step of the maintainer's own.
    |text, _| {
        renamed(
            text,
            "setup      : |\n",
            "setup      : |\n    pushd own\n    popd\n",
        )
    },
    |text, _| {
        let two = r"^(    export \w+=[^$\n]*\n)(    export \w+=[^$\n]*\n)";
        replaced(text, two, |m| format!("{}{}", &m[2], &m[1]))
    },
    |text, _| renamed(text, "$workdir", "${workdir}"),
];

/// The recipes of some packages in a checkout, by the packages' ids.
struct Recipes {
    backend: Backend,
    /// Paths and texts of all files at the old release, relative to the checkout.
    files: BTreeMap<String, String>,
    paths: BTreeMap<String, String>,
    stack: Stack,
    to: &'static str,
}

/// A recipe after a bump.
struct Bumped {
    text: String,
    path: String,
    todos: Vec<Todo>,
}

impl Recipes {
    fn new(backend: Backend, packages: &[&str], from: &str, to: &'static str) -> Self {
        let stack = Stack::shipped().unwrap();
        let options = Options {
            backends: vec![backend],
            choices: vec![Choice::Release(from.parse().unwrap())],
            ..Options::everything()
        };
        let tree = stack.attempt(&options).unwrap().0;
        let placed = |path: &str| {
            let (_, path) = path.split_once('/').unwrap();
            match backend {
                Backend::Nix => format!("pkgs/development/rocm-modules/{path}"),
                _ => backend.in_checkout(path),
            }
        };
        let mut files = BTreeMap::new();
        for path in tree.files.iter().map(|(path, _)| path.as_str()) {
            if !path.ends_with(".SRCINFO") && !backend.is_recipe(path) || backend == Backend::Nix {
                files.insert(placed(path), tree.text(path).unwrap().to_owned());
            }
        }
        let mut paths = BTreeMap::new();
        for package in packages {
            let mut all = tree.recipes_of(backend.distro(), package);
            if let Some((path, text)) = all.find(|(path, _)| !path.ends_with("deps.nix")) {
                files.insert(placed(path), text.to_owned());
                paths.insert((*package).to_owned(), placed(path));
            }
        }
        Self {
            backend,
            files,
            paths,
            stack,
            to,
        }
    }

    /// Writes the recipes, those in `own` in the text there, and bumps them.
    fn bumped(&self, own: &BTreeMap<String, String>) -> BTreeMap<String, Bumped> {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        for (path, text) in self.files.iter().chain(own) {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            write_file(root.join(path), text);
        }
        let request = request(self, root);
        let report = bump(&self.stack, &request).unwrap_or_else(|e| panic!("{e}"));
        let recipes = report.recipes.into_iter();
        let recipes = recipes.filter(|recipe| self.paths.contains_key(&recipe.package));
        recipes
            .map(|recipe| {
                let text = fs::read_to_string(root.join(&recipe.recipe)).unwrap();
                let bumped = Bumped {
                    text,
                    path: recipe.recipe,
                    todos: recipe.todos,
                };
                (recipe.package, bumped)
            })
            .collect()
    }

    /// Returns the values of a recipe, and the steps of its functions, each as `NAME = VALUE`.
    fn said(&self, path: &str, text: &str) -> BTreeSet<String> {
        let beside = Surroundings {
            path: path.to_owned(),
            ..Surroundings::default()
        };
        let mut out = BTreeSet::new();
        for (name, value) in self.backend.values(text, &beside) {
            // Helper variables are the recipe's own.
            if !name.starts_with('_') {
                out.extend(value.words.iter().map(|word| format!("{name} = {word}")));
            }
        }
        let outline = self.backend.reading(path).read(text).unwrap();
        let is_step = |node: &&Node| match outline.reading.language {
            Language::Bash => node.key.open.ends_with("()"),
            Language::Nix => false,
            Language::Yaml => true,
        };
        let mut nodes: Vec<&Node> = outline.root.nodes.iter().filter(is_step).collect();
        while let Some(node) = nodes.pop() {
            nodes.extend(node.nodes());
            if node.body.is_none() {
                let key = node.key.real.split(" #").next().unwrap_or_default();
                out.insert(format!("{key} = {}", node.value.real));
            }
        }
        out
    }
}

fn request(recipes: &Recipes, root: &Path) -> BumpRequest {
    let (layer, version) = (root.join("rocm-profiles"), recipes.to.parse().unwrap());
    BumpRequest {
        packages: recipes.paths.keys().cloned().collect(),
        is_named: true,
        allow_guesses: true,
        ..BumpRequest::new(recipes.backend, root.to_owned(), layer, version)
    }
}

/// Returns true if a todo names the item of `value`, which is `NAME = VALUE`.
fn is_named(todos: &[Todo], value: &str) -> bool {
    let name = value.split(" = ").next().unwrap_or_default();
    let name = name.rsplit('.').next().unwrap_or_default();
    let names = |todo: &&Todo| {
        let items = todo.change.iter().flat_map(|change| &change.item);
        let mut items = items.map(String::as_str).chain([todo.text.as_str()]);
        todo.kind == TodoKind::Untouched || items.any(|text| text.contains(name))
    };
    todos
        .iter()
        .filter(|todo| todo.blocks)
        .any(|todo| names(&todo))
}

/// Writes recipes in other words, bumps them, and compares the values with those of the rendered
/// recipes after their bump.
fn each(backend: Backend, packages: &[&str], (from, to): (&str, &'static str), styles: &[Style]) {
    let recipes = Recipes::new(backend, packages, from, to);
    let plain = recipes.bumped(&BTreeMap::new());
    let (mut wrong, mut right, mut told) = (Vec::new(), 0, 0);
    for round in 0..ROUNDS {
        let mut own = BTreeMap::new();
        for (i, path) in recipes.paths.values().enumerate() {
            let text = &recipes.files[path];
            let written = |at: usize| {
                let style = styles[(at + i + 2 * round) % styles.len()];
                style(text, from).filter(|new| new != text)
            };
            if let Some(new) = (0..styles.len()).find_map(written) {
                own.insert(path.clone(), new);
            }
        }
        let bumped = recipes.bumped(&own);
        for (package, path) in &recipes.paths {
            let (Some(plain), Some(new), true) = (
                plain.get(package),
                bumped.get(package),
                own.contains_key(path),
            ) else {
                continue;
            };
            let before = recipes.said(path, &recipes.files[path]);
            let written = recipes.said(path, &own[path]);
            let (after, is) = (
                recipes.said(&plain.path, &plain.text),
                recipes.said(&new.path, &new.text),
            );
            let added = after.difference(&before).map(|value| (value, true));
            let gone = before.difference(&after).map(|value| (value, false));
            for (value, is_new) in added.chain(gone) {
                // A style may move an item to where no value is known.
                if is.contains(value) == is_new || !is_new && !written.contains(value) {
                    right += 1;
                } else if is_named(&new.todos, value) {
                    told += 1;
                } else {
                    let sign = if is_new { '-' } else { '+' };
                    wrong.push(format!(
                        "{package} {sign} {value}\n{}\n{}",
                        own[path], new.text
                    ));
                }
            }
        }
    }
    println!("{}: {right} values right, {told} told", backend.distro());
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(
        right > 25 && told * 10 <= right,
        "{right} right, {told} told"
    );
}

#[test]
fn pkgbuilds_in_other_words_are_bumped_as_the_rendered_ones() {
    let packages = [
        "rocblas",
        "hipcub",
        "rocm-smi",
        "rocprim",
        "rocsparse",
        "hipfft",
    ];
    each(Backend::Arch, &packages, ("7.1.1", "7.2.4"), ARCH);
}

#[test]
fn ebuilds_in_other_words_are_bumped_as_the_rendered_ones() {
    let packages = [
        "rocblas",
        "hipcub",
        "rocm-smi",
        "rocprim",
        "rocsparse",
        "hipfft",
    ];
    each(Backend::Gentoo, &packages, ("7.2.0", "7.2.4"), GENTOO);
}

#[test]
fn expressions_in_other_words_are_bumped_as_the_rendered_ones() {
    let packages = [
        "rocblas",
        "hipcub",
        "rocm-smi",
        "rocprim",
        "rocsparse",
        "hipfft",
        "miopen",
    ];
    each(Backend::Nix, &packages, ("7.1.1", "7.2.4"), NIX);
    // The tag has another form.
    each(Backend::Nix, &packages[..3], ("7.2.4", "10.1.0"), NIX);
}

#[test]
fn recipes_of_solus_in_other_words_are_bumped_as_the_rendered_ones() {
    let packages = ["rocblas", "hipcub", "miopen", "rocsparse", "hipfft", "clr"];
    each(Backend::Solus, &packages, ("7.1.1", "7.2.4"), SOLUS);
}
