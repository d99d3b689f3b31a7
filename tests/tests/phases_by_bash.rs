//! Runs the functions of rendered ebuilds in bash. Recorders replace the commands of the package
//! manager.

use rocpkg::{Backend, Options};
use rocpkg_tests::{laid, rendered, write_file};
use std::fs;
use std::path::Path;

/// Returns an ebuild of the shipped model.
fn ebuild(folder: &str) -> String {
    let options = Options {
        backends: vec![Backend::Gentoo],
        ..Options::everything()
    };
    let name = folder.rsplit('/').next().unwrap();
    rendered(laid(&[]), &options).text(&format!("gentoo/{folder}/{name}-7.2.0.ebuild"))
}

/// Returns the functions of an ebuild, without the statements in global scope.
fn functions(ebuild: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for line in ebuild.lines() {
        inside |= line.ends_with("() {");
        if inside {
            out.push_str(line);
            out.push('\n');
        }
        inside &= line != "}";
    }
    out
}

/// Runs a script in a folder. Returns the output, and true if the script succeeded.
fn bash(folder: &Path, script: &str) -> (String, bool) {
    let out = rocpkg_programs::command("bash")
        .args(["-u", "-c", script])
        .current_dir(folder)
        .output()
        .unwrap();
    let text =
        String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    (text, out.status.success())
}

/// Stand-ins for the commands that functions of ebuilds may call. `edo` runs its arguments, so a
/// compiler of two words must be passed to it as two arguments.
const RECORDERS: &str = r#"
die() { echo "die: $*"; exit 1; }
use() { [[ " ${USE} " == *" ${1} "* ]]; }
ewarn() { echo "ewarn: $*"; }
edo() { echo "edo: $*"; "$@" || die "$*"; }
sed() { :; }
cmake_src_prepare() { :; }
makeopts_jobs() { echo 4; }
check-reqs_pkg_pretend() { echo "pretend: ${CHECKREQS_MEMORY}"; }
check-reqs_pkg_setup() { echo "setup: ${CHECKREQS_MEMORY}"; }
python_setup() { :; }
tc-getCXX() { echo "ccache g++"; }
MERGE_TYPE=source
"#;

#[test]
fn matrices_are_converted_and_vectors_are_not() {
    for (package, suffix) in [("rocSPARSE", "csr"), ("hipSPARSE", "bin")] {
        let root = tempfile::tempdir().unwrap();
        for file in [
            "nos1/nos1.mtx",
            "nos1/nos1_b.mtx",
            "Chebyshev4/Chebyshev4.mtx",
            "rocsparse/stray.mtx",
        ] {
            let path = root.path().join("work").join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            write_file(path, file);
        }
        fs::create_dir_all(root.path().join("deps")).unwrap();
        let script = format!(
            "{RECORDERS}\nUSE=test\nWORKDIR=$PWD/work\nBUILD_DIR=$PWD/build\n\
             ccache() {{ printf '#!/bin/sh\\ncase $1 in *_b.mtx|*stray*) exit 1;; esac\\ncp \"$1\" \"$2\"\\n' \
             > deps/convert; chmod +x deps/convert; }}\n{}\nsrc_prepare\n",
            functions(&ebuild(&format!("sci-libs/{package}")))
        );
        let (said, fine) = bash(root.path(), &script);
        assert!(fine, "{package}: {said}");
        assert!(
            said.contains("edo: ccache g++ deps/convert.cpp -o deps/convert"),
            "{package}: {said}"
        );
        let mut made: Vec<String> = fs::read_dir(root.path().join("build/clients/matrices"))
            .unwrap()
            .map(|f| f.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        made.sort();
        assert_eq!(
            made,
            [format!("Chebyshev4.{suffix}"), format!("nos1.{suffix}")],
            "{package}"
        );
    }
}

#[test]
fn requirements_are_reckoned_from_jobs_and_targets() {
    let folder = tempfile::tempdir().unwrap();
    let ask = |package: &str, setting: &str| {
        let body = functions(&ebuild(package));
        let script = format!(
            "{RECORDERS}\nPN=name\nUSE=\n{setting}\n{body}\n\
             for p in pkg_pretend pkg_setup; do EBUILD_PHASE_FUNC=$p; $p; done\n"
        );
        let (said, fine) = bash(folder.path(), &script);
        assert!(fine, "{package}: {said}");
        said
    };
    // 2200 MB, and 25 MB for each of four jobs and three targets. pkg_pretend does not refuse a
    // machine with less memory.
    let targets = "AMDGPU_TARGETS='gfx90a gfx942 gfx1100'";
    assert_eq!(ask("sci-libs/rocFFT", targets), "setup: 2500M\n");
    assert_eq!(
        ask("sci-libs/rocFFT", &format!("{targets} USE=test")),
        "setup: 52G\n"
    );
    let enough = |mb: u64| format!("awk() {{ echo {mb}; }}");
    let one = format!("AMDGPU_TARGETS=gfx90a\n{}", enough(64000));
    assert_eq!(
        ask("sci-libs/composable-kernel", &one),
        "pretend: 12288M\nsetup: 12288M\n"
    );
    let said = ask(
        "sci-libs/composable-kernel",
        &format!("{targets}\n{}", enough(7000)),
    );
    assert!(
        said.contains("ewarn: name is built for 3 GPU targets"),
        "{said}"
    );
    assert!(
        said.contains("ewarn: MAKEOPTS of this package should hold -j2."),
        "{said}"
    );
    let said = ask(
        "sci-libs/composable-kernel",
        &format!("{targets}\n{}", enough(10)),
    );
    assert!(said.contains("should hold -j1."), "{said}");
}
