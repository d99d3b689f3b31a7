//! Tests real files that clang and its tools create. The results must agree with what the tools
//! report.

use rocpkg_audit::{Audit, FileKind, Form, Method, read};
use rocpkg_test_support::write_file;
use std::fs;
use std::path::Path;

/// A kernel, with the declarations that clang needs if ROCm's headers are missing.
const SOURCE: &str = include_str!("../../../tests/standins/kernel.hip");

/// Runs one of the tools in a folder, and returns what it prints.
fn run(folder: &Path, tool: &str, arguments: &[&str]) -> String {
    let done = rocpkg_programs::command(&format!("{tool}-22"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{tool} {arguments:?}: {said}");
    String::from_utf8_lossy(&done.stdout).into_owned() + &said
}

const HIP: [&str; 8] = [
    "-x",
    "hip",
    "-nogpulib",
    "-nogpuinc",
    "--offload-arch=gfx1030",
    "--offload-arch=gfx90a:sramecc+:xnack-",
    "--offload-arch=gfx11-generic",
    "-fPIC",
];

/// Returns the targets of an audit without faults, each with the number of its code objects.
fn targets(audit: &Audit) -> Vec<(String, usize)> {
    let faults: Vec<_> = audit
        .faults()
        .map(|(file, fault)| format!("{}: {fault}", file.path))
        .collect();
    assert!(faults.is_empty(), "{faults:?}");
    audit
        .targets()
        .into_iter()
        .map(|(target, held)| (target, held.objects))
        .collect()
}

fn each(count: usize) -> Vec<(String, usize)> {
    ["gfx1030", "gfx11-generic", "gfx90a:sramecc+:xnack-"]
        .map(|target| (target.to_owned(), count))
        .to_vec()
}

#[test]
fn fat_files_of_clang() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write_file(path.join("k.hip"), SOURCE);
    let compile = |more: &[&str]| run(path, "clang", &[&HIP[..], &["-c", "k.hip"], more].concat());
    compile(&["-o", "plain.o"]);
    compile(&["--offload-compress", "-o", "packed.o"]);
    compile(&["-fgpu-rdc", "-o", "later.o"]);
    for (file, method, version) in [
        ("plain.o", Method::Plain, None),
        ("packed.o", Method::Zstd, Some(3)),
    ] {
        let audit = read(&path.join(file)).unwrap();
        assert_eq!(targets(&audit), each(1), "{file}");
        let packing = &audit.files[0].packing[0];
        assert_eq!(
            (packing.method, packing.version, packing.bundles),
            (method, version, 1)
        );
    }
    let later = read(&path.join("later.o")).unwrap();
    assert_eq!(targets(&later), each(1));
    assert!(
        later.files[0]
            .objects
            .iter()
            .all(|object| object.form == Form::Bitcode)
    );

    // The code objects in a library, and in an archive.
    run(
        path,
        "ld.lld",
        &[
            "-shared",
            "-soname=libk.so.1",
            "-rpath=/opt",
            "plain.o",
            "packed.o",
            "-z",
            "undefs",
            "-z",
            "muldefs",
            "-o",
            "libk.so",
        ],
    );
    run(path, "llvm-ar", &["rc", "libk.a", "plain.o", "packed.o"]);
    let audit = read(&path.join("libk.so")).unwrap();
    assert_eq!(
        (targets(&audit), audit.files[0].soname.as_deref()),
        (each(2), Some("libk.so.1"))
    );
    assert_eq!(
        (
            audit.files[0].packing.len(),
            audit.files[0].runpath.as_deref()
        ),
        (2, Some("/opt"))
    );
    let audit = read(&path.join("libk.a")).unwrap();
    assert_eq!(
        (targets(&audit), audit.files[0].kind),
        (each(2), FileKind::Archive)
    );

    // A host's file that needs the library.
    write_file(path.join("main.c"), "int main(void) { return 0; }");
    run(path, "clang", &["-c", "main.c", "-o", "main.o"]);
    run(
        path,
        "ld.lld",
        &["-shared", "main.o", "libk.so", "-o", "libmain.so"],
    );
    assert_eq!(
        read(&path.join("libmain.so")).unwrap().files[0].needed,
        ["libk.so.1"]
    );

    // A file that `llvm-objcopy` cut short, and a file with one target less than requested.
    run(
        path,
        "llvm-objcopy",
        &[
            "-O",
            "binary",
            "-j",
            ".hip_fatbin",
            "--set-section-flags",
            ".hip_fatbin=alloc",
            "plain.o",
            "k.bundle",
        ],
    );
    let whole = fs::read(path.join("k.bundle")).unwrap();
    assert_eq!(targets(&read(&path.join("k.bundle")).unwrap()), each(1));
    write_file(path.join("k.cut"), &whole[..whole.len() - 9]);
    assert_eq!(read(&path.join("k.cut")).unwrap().faults().count(), 1);
}

#[test]
fn the_bundler_s_methods() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write_file(
        path.join("k.cl"),
        "kernel void k(global int *p) { *p = 1; }",
    );
    write_file(path.join("host"), "");
    let device = [
        "--target=amdgcn-amd-amdhsa",
        "-nogpulib",
        "-mcode-object-version=6",
        "k.cl",
    ];
    for processor in ["gfx1030", "gfx1151"] {
        run(
            path,
            "clang",
            &[
                &device[..],
                &[&format!("-mcpu={processor}"), "-o", processor],
            ]
            .concat(),
        );
    }
    let ids = "-targets=host-x86_64-unknown-linux-gnu-,hipv4-amdgcn-amd-amdhsa--gfx1030,hipv4-amdgcn-amd-amdhsa--gfx1151";
    let bundler = [
        "-type=o",
        ids,
        "-input=host",
        "-input=gfx1030",
        "-input=gfx1151",
    ];
    let expected = [("gfx1030".to_owned(), 1), ("gfx1151".to_owned(), 1)];
    for (output, more) in [
        ("plain", &[][..]),
        ("zstd", &["-compress"]),
        ("fast", &["-compress", "-compression-level=1"]),
    ] {
        run(
            path,
            "clang-offload-bundler",
            &[&bundler[..], &["-output", output], more].concat(),
        );
        assert_eq!(
            targets(&read(&path.join(output)).unwrap()),
            expected,
            "{output}"
        );
    }
}

#[test]
fn each_processor_of_clang_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write_file(path.join("k.cl"), "");
    let said = run(
        path,
        "clang",
        &["--target=amdgcn-amd-amdhsa", "--print-supported-cpus"],
    );
    let processors: Vec<&str> = said
        .split_whitespace()
        .filter(|word| word.starts_with("gfx"))
        .collect();
    assert!(processors.len() > 50, "{said}");
    for processor in processors {
        let code = [
            "--target=amdgcn-amd-amdhsa",
            "-mcode-object-version=6",
            "-nogpulib",
            "-c",
            "k.cl",
            "-o",
            "k.hsaco",
        ];
        run(
            path,
            "clang",
            &[&code[..], &[&format!("-mcpu={processor}")]].concat(),
        );
        let audit = read(&path.join("k.hsaco")).unwrap();
        assert_eq!(targets(&audit), [(processor.to_owned(), 1)]);
        let generic = audit.files[0].objects[0].generic;
        assert_eq!(
            generic.is_some(),
            processor.ends_with("-generic"),
            "{processor}"
        );
    }
}
