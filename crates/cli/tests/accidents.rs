//! Tests of `rocpkg` with unexpected files: folders, pipes and links in the place of files, bytes
//! that are no text, and another run at the same time.

use rocpkg_test_support::write_file;
use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};

fn rocpkg(args: &[&str]) -> Output {
    rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"))
        .args(args)
        .output()
        .unwrap()
}

/// Runs a command that must be refused, and returns its standard error.
fn refused(args: &[&str]) -> String {
    let run = rocpkg(args);
    let said = String::from_utf8(run.stderr).unwrap();
    assert_eq!(run.status.code(), Some(2), "{args:?}: {said}");
    said
}

fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        let at = dir.path().join(path);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        write_file(at, bytes);
    }
    dir
}

fn pipe(at: &Path) {
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    assert!(
        rocpkg_programs::command("mkfifo")
            .arg(at)
            .status()
            .unwrap()
            .success()
    );
}

fn list(layer: &Path) -> String {
    refused(&["list", "--profiles", layer.to_str().unwrap()])
}

#[test]
fn a_profile_that_is_no_file_is_refused_with_its_place() {
    let layer = folder(&[("components/rocblas.yaml", b"summary: x\n")]);
    let at = |name: &str| layer.path().join(name);
    pipe(&at("components/rocprim.yaml"));
    let _socket = std::os::unix::net::UnixListener::bind(at("components/rocfft.yaml")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", at("components/rocrand.yaml")).unwrap();
    std::os::unix::fs::symlink("nowhere", at("components/hipcub.yaml")).unwrap();
    fs::create_dir_all(at("distros/arch.yaml")).unwrap();
    let said = list(layer.path());
    for name in [
        "components/rocprim",
        "components/rocfft",
        "components/rocrand",
    ] {
        assert!(
            said.contains(&format!("`{name}.yaml` is a pipe, a socket or a device")),
            "{name}: {said}"
        );
        assert!(
            said.contains(&format!("/{name}.yaml:1:1")),
            "{name}: {said}"
        );
    }
    assert!(
        said.contains("error[E0571]: `distros/arch.yaml` is a folder"),
        "{said}"
    );
    assert!(
        said.contains("error[E0577]") && said.contains("/components/hipcub.yaml:1:1"),
        "{said}"
    );
}

#[test]
fn folders_that_lead_in_a_circle_are_read_once() {
    let layer = folder(&[("components/rocblas.yaml", b"summary: x\n")]);
    for name in ["a", "b", "components/c"] {
        std::os::unix::fs::symlink(layer.path(), layer.path().join(name)).unwrap();
    }
    let said = list(layer.path());
    assert_eq!(said.matches("error[E0571]").count(), 3, "{said}");
    assert!(
        said.contains("is a link to a folder that was already read"),
        "{said}"
    );
}

#[test]
fn bytes_that_are_no_text_are_shown_with_their_line() {
    let layer = folder(&[
        (
            "components/rocblas.yaml",
            b"summary: fine\ntitle: caf\xe9\n",
        ),
        ("components/rocfft.yaml", b"\xff\xfes\0u\0"),
    ]);
    let said = list(layer.path());
    assert!(
        said.contains("error[E0575]: the byte 0xe9 is not UTF-8"),
        "{said}"
    );
    assert!(said.contains("components/rocblas.yaml:2:11"), "{said}");
    assert!(
        said.contains("0xff") && said.contains("components/rocfft.yaml:1:1"),
        "{said}"
    );
}

#[test]
fn no_more_than_a_hundred_findings_are_shown_and_the_others_counted() {
    let text: String = (0..25_000).map(|i| format!("unknwon-{i}: 1\n")).collect();
    let layer = folder(&[("components/rocblas.yaml", text.as_bytes())]);
    let said = list(layer.path());
    let shown = ["error[", "warning["].map(|kind| said.matches(kind).count());
    assert_eq!(shown.iter().sum::<usize>(), 100, "{said}");
    let more = 25_000 - said.matches("error[E0110]").count();
    assert!(
        said.trim_end()
            .ends_with(&format!("and {more} errors more; -v lists them")),
        "{}",
        &said[said.len() - 200..]
    );
    assert!(said.len() < 100_000, "{}", said.len());
    let whole = refused(&["list", "-v", "--profiles", layer.path().to_str().unwrap()]);
    assert_eq!(whole.matches("error[E0110]").count(), 25_000);
}

#[test]
fn a_second_run_is_told() {
    let out = tempfile::tempdir().unwrap();
    let folder = fs::File::open(out.path()).unwrap();
    folder.lock().unwrap();
    let args = ["render", "arch", "--out", out.path().to_str().unwrap()];
    let said = refused(&args);
    assert!(
        said.contains("error[E0570]") && said.contains("another rocpkg writes to this folder"),
        "{said}"
    );
    drop(folder);
    assert!(rocpkg(&args).status.success());
}

#[test]
fn the_output_does_not_lie_in_the_profiles() {
    let layer = folder(&[("components/rccl.yaml", b"summary: Other words\n")]);
    let at = layer.path().to_str().unwrap();
    std::os::unix::fs::symlink(layer.path(), layer.path().with_extension("link")).unwrap();
    let link = layer.path().with_extension("link");
    for out in [
        layer.path().to_owned(),
        layer.path().join("out/new"),
        link.join("distros"),
    ] {
        let said = refused(&[
            "render",
            "arch",
            "--profiles",
            at,
            "--out",
            out.to_str().unwrap(),
        ]);
        assert!(said.contains("inside the profiles of"), "{said}");
    }
    fs::remove_file(link).unwrap();
    // A comparison writes nothing, so it is allowed.
    let compared = [
        "render",
        "arch",
        "--profiles",
        at,
        "--allow-missing",
        "--check",
        "--out",
    ];
    let run = rocpkg(&[&compared[..], &[layer.path().join("out").to_str().unwrap()]].concat());
    assert!(
        !String::from_utf8_lossy(&run.stderr).contains("inside the profiles of"),
        "{run:?}"
    );
    assert_eq!(fs::read_dir(layer.path()).unwrap().count(), 1);
}

#[test]
fn what_is_in_the_way_of_the_output_is_named() {
    let out = tempfile::tempdir().unwrap();
    let args = [
        "render",
        "gentoo",
        "--package",
        "rccl",
        "--allow-missing",
        "--out",
        out.path().to_str().unwrap(),
    ];
    for place in [
        "gentoo/dev-libs/rccl/Manifest",
        "gentoo/dev-libs/rccl/metadata.xml",
        ".rocpkg-manifest",
    ] {
        let at = out.path().join(place);
        pipe(&at);
        let said = refused(&args);
        assert!(
            said.contains("error[E0571]") && said.contains(place),
            "{place}: {said}"
        );
        fs::remove_file(&at).unwrap();
    }
    let at = out.path().join("gentoo/dev-libs/rccl/metadata.xml");
    std::os::unix::fs::symlink("/etc/hosts", &at).unwrap();
    assert!(refused(&args).contains("error[E0572]"));
    fs::remove_file(&at).unwrap();
    write_file(&at, "mine");
    assert!(refused(&args).contains("error[E0573]"));
    fs::remove_file(&at).unwrap();
    assert!(rocpkg(&args).status.success());
    // Without the manifest, the existing files are not taken for rocpkg's own, and that is
    // reported.
    fs::remove_file(out.path().join(".rocpkg-manifest")).unwrap();
    let again = rocpkg(&args);
    let said = String::from_utf8(again.stdout).unwrap();
    assert!(
        again.status.success()
            && said.contains("already there with the same content, but not written by rocpkg"),
        "{said}"
    );
}

#[test]
fn distributions_can_be_rendered_side_by_side() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    let runs = ["gentoo", "arch"].map(|distro| {
        let mut run = rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"));
        run.args(["render", distro, "--allow-missing", "--out", out])
            .stdout(Stdio::null());
        run.stderr(Stdio::null()).spawn().unwrap()
    });
    for mut run in runs {
        assert!(run.wait().unwrap().success());
    }
    assert!(dir.path().join("gentoo/eclass/rocm.eclass").is_file());
    assert!(dir.path().join("arch/rocblas/PKGBUILD").is_file());
}

#[test]
fn a_folder_that_can_not_be_read_is_named_itself() {
    use std::os::unix::fs::PermissionsExt;
    let layer = folder(&[("distros/arch/rccl.yaml", b"pkgbuild: {pkgrel: 7}\n")]);
    let at = layer.path().join("distros/arch");
    let mode = |mode| fs::set_permissions(&at, fs::Permissions::from_mode(mode)).unwrap();
    mode(0o000);
    // The user root can read the folder all the same.
    if fs::read_dir(&at).is_err() {
        let said = list(layer.path());
        assert!(
            said.starts_with(&format!("error[E0577]: {}: ", at.display())),
            "{said}"
        );
    }
    mode(0o755);
    let gone = layer.path().join("gone");
    assert!(list(&gone).starts_with(&format!("error[E0577]: {}: no such file", gone.display())));
    let file = layer.path().join("distros/arch/rccl.yaml");
    assert!(list(&file).starts_with(&format!(
        "error[E0577]: {}: expected a folder, found a file",
        file.display()
    )));
}

#[test]
fn each_wrong_name_has_its_line() {
    let said = refused(&["render", "--out", "nowhere", "--targets", "gfx1,gfx2"]);
    assert_eq!(
        said.lines()
            .filter(|l| l.starts_with("error: `gfx"))
            .count(),
        2,
        "{said}"
    );
}
