//! Models for tests: the shipped one, and small ones written in the tests.

use rocpkg_model::{Files, Findings};
use rocpkg_render::{Rendered, Templates};
use rocpkg_resolve::{Choice, Model, Plan};
use std::fmt::Write as _;

/// A rendered tree with its findings.
pub(crate) struct Outcome {
    pub(crate) rendered: Rendered,
    pub(crate) findings: Findings,
    pub(crate) text: String,
}

impl Outcome {
    /// Returns a file of the tree.
    pub(crate) fn file(&self, path: &str) -> String {
        let bytes = self
            .rendered
            .tree
            .get(path)
            .unwrap_or_else(|| panic!("no {path}: {}", self.text));
        String::from_utf8(bytes.to_vec()).unwrap()
    }
}

pub(crate) fn templates() -> Templates {
    Templates::new(&rocpkg_test_support::templates("arch")).unwrap()
}

pub(crate) fn render(files: Files, choice: &Choice) -> Outcome {
    let (model, mut findings) = Model::load(&[(String::new(), files)]);
    let mut rendered = Rendered::default();
    if let Some(plan) = Plan::new(&model, "arch", choice, &mut findings) {
        rendered = rocpkg_arch::internal::render(&plan, &templates(), &mut findings).0;
    }
    let text = findings.render(&model.sources, false);
    Outcome {
        rendered,
        findings,
        text,
    }
}

const DISTRO: &str = r"
version: 7.2.4
naming: component
fetch: archive
packages: {tool: default}
licences: {}
targets: []
settings: {prefix: /opt/rocm}
target-tool: {command: rocm-supported-gfx, exclude: -e, package: rocm-toolchain}
maintainers: [{name: A Packager, email: a at example dot org}]
";

const EXTERNALS: &str = "cmake: {arch: cmake}\nglibc: {arch: glibc}\ngit: {arch: git}\nrocm-toolchain: {arch: rocm-toolchain}\n";

const LINE: &str = r#"
tag: rocm-${version}
versions:
  "7.2.4":
    checksums:
      tool/archive: {sha256: "1111111111111111111111111111111111111111111111111111111111111111"}
      tool/git: {sha256: "2222222222222222222222222222222222222222222222222222222222222222"}
"#;

/// Returns a stack of one package, `tool`, with further keys merged into it.
pub(crate) fn small(component: &str, overlay: &str) -> Outcome {
    render(small_files(component, overlay), &Choice::Shipped)
}

fn small_files(component: &str, overlay: &str) -> Files {
    let mut files = Files::new();
    files.insert("upstream.yaml".into(), "owner: ROCm\n".into());
    files.insert("distros/arch.yaml".into(), DISTRO.into());
    files.insert("externals.yaml".into(), EXTERNALS.into());
    files.insert("releases/7.2.yaml".into(), LINE.into());
    files.insert("components/tool.yaml".into(), component.into());
    if !overlay.is_empty() {
        files.insert("distros/arch/tool.yaml".into(), overlay.into());
    }
    files
}

/// A component that needs no overlay.
pub(crate) const TOOL: &str = "title: Tool\nsummary: A tool\nhomepage: https://example.org\nlicence: [MIT]\nsources: {main: {repository: tool}}\ndepends: {cmake: {kind: tool}}\n";

/// Returns the values that bash gives to variables of a PKGBUILD, one after the other. No program
/// can be run.
pub(crate) fn sourced(text: &str, names: &[&str]) -> Vec<String> {
    let mut script = format!("PATH=\nset -u\n{text}\n");
    for n in names {
        writeln!(script, "printf '%s\\0' \"${{{n}[@]}}\"").unwrap();
    }
    let mut bash = rocpkg_programs::command("bash");
    bash.args(["-c", &script])
        .current_dir(std::env::temp_dir())
        .env("LC_ALL", "C.UTF-8");
    let out = bash.output().unwrap();
    assert!(
        out.status.success() && out.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let mut values: Vec<String> = String::from_utf8(out.stdout)
        .unwrap()
        .split('\0')
        .map(str::to_owned)
        .collect();
    values.pop();
    values
}
