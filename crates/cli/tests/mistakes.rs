//! Tests of mistakes on the command line: the answer to each states the fault and the way out.
//! Mistakes in profiles have fixtures in `tests/errors`.

use rocpkg_test_support::write_file;
use std::fs;

#[test]
fn each_mistake_on_the_command_line_has_a_way_out() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("line/releases")).unwrap();
    let line = "tag: rocm-${version}\nversions: {7.3.0: {}}\n";
    write_file(dir.path().join("line/releases/7.3.yaml"), line);
    write_file(dir.path().join("file"), "a file\n");
    let mut told = String::new();
    for asked in [
        "render gentoo rocblas --out out",
        "render gentooo --out out",
        "render solus --package tensile --out out",
        "render gentoo --package hsa-rocr --out out",
        "render arch --package rocblas,hipblas --out out",
        "render gentoo --package rocbals --out out",
        "render arch --package rocminfo --out file",
        "render arch --package rocminfo --out file/out",
        "render gentoo --profiles nowhere --out out",
        "render gentoo --profiles file --out out",
        "render gentoo --release rocm-7.2.4 --out out",
        "render gentoo --release 7.2 --out out",
        "render gentoo --release 7.3.0 --out out",
        "render gentoo --release 7.3.0 --profiles line --allow-missing --out out",
        "render gentoo --targets gfx1o30 --out out",
        "render gentoo --profile line --out out",
        "check --distro ubuntu",
        "render debian --out out",
        "gpu gfx1032 --distro debian",
        "explain boost",
        "explain libnuma",
        "use tensil",
        "gpu gfx1030 arch",
        "bump hipblas 7.2.4",
        "bump hipblas",
        "bump 7.2.4 hipblas",
        "init . arch",
        "compare rocblas arch",
        "explain arch rocblas",
        "sums rocblas",
        "order rocblas",
        "check arch",
        "use rocblas gfx1030",
        "list gentoo",
        "trackers rocblas",
        "plan arch",
        "plan build rocblas",
        "gfx1030",
        "render --package rocblas --distro arch --out out",
        "gpu --distro all gfx1030",
        "sums --fetch rocblas",
    ] {
        let mut run = rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"));
        let run = run
            .args(asked.split(' '))
            .current_dir(dir.path())
            .output()
            .unwrap();
        let said = String::from_utf8(run.stderr).unwrap();
        // Only errors are compared, since the shipped model causes warnings of its own.
        let wrong = said
            .lines()
            .skip_while(|line| !line.starts_with("error"))
            .map(str::trim_end);
        let wrong = wrong.take_while(|line| !line.starts_with("warning"));
        let wrong: Vec<&str> = wrong.filter(|line| !line.starts_with("Usage:")).collect();
        assert_eq!(run.status.code(), Some(2), "{asked}: {said}");
        told.push_str(&format!(
            "$ rocpkg {asked}\n{}\n\n",
            wrong.join("\n").trim_end()
        ));
    }
    assert!(!dir.path().join("out").exists(), "something was written");
    insta::assert_snapshot!(told);
}
