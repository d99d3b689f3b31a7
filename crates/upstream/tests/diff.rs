//! Tests of the comparison of two trees: each planted change is reported once, and nothing else is.

use rocpkg_test_support::write_file;
use rocpkg_upstream::cmake::Facts;
use rocpkg_upstream::diff::compare;
use rocpkg_upstream::tree::{Repository, Tree};
use std::fs;
use std::path::Path;

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        write_file(path, text);
    }
}

fn facts(files: &[(&str, &str)]) -> Facts {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), files);
    Facts::read(&Tree::folder(dir.path()).unwrap(), &[]).unwrap()
}

fn changes(a: &Facts, b: &Facts, helpers: &[Facts], passed: &[&str]) -> Vec<String> {
    let by = |name: &&str| {
        (
            (*name).to_owned(),
            ["arch".to_owned(), "gentoo".to_owned()].into(),
        )
    };
    compare(a, b, helpers, &passed.iter().map(by).collect())
        .iter()
        .map(ToString::to_string)
        .collect()
}

const A: [(&str, &str); 4] = [
    (
        "CMakeLists.txt",
        r#"
cmake_minimum_required(VERSION 3.16)
option(BUILD_TESTS "Tests" OFF)
option(WITH_TRACER "Tracer, passed by recipes" ON)
option(WITH_OLD "Goes")
option(WITH_KEPT "Read without a declaration" ON)
set(CPU_THREADS "" CACHE STRING "Threads")
if(WITH_TRACER)
  find_package(roctracer REQUIRED)
endif()
find_package(hip 6.0 REQUIRED CONFIG)
# option(IN_A_COMMENT "" ON)
message([[option(IN_TEXT "" ON)]])
if(BUILD_ASAN)
  set(DEFAULT_GPUS gfx90a:xnack+ gfx942:xnack+)
else()
  set(DEFAULT_GPUS "gfx803;gfx906"
    gfx90a gfx942)
endif()
include(cmake/lists.cmake)
add_subdirectory(library)
add_subdirectory(clients)
if(WITH_OLD)
endif()
"#,
    ),
    (
        "cmake/lists.cmake",
        "pkg_check_modules(NUMA REQUIRED numa>=2.0)\nif(CPU_THREADS)\nendif()\nif(WITH_KEPT)\nendif()\n",
    ),
    ("LICENSE.md", "MIT"),
    ("library/CMakeLists.txt", "add_subdirectory(src)\n"),
];

/// Ten changes of the files above: the file, the old text, the new text, and the line that reports
/// the change.
const PLANTED: [(&str, &str, &str, &str); 10] = [
    (
        "CMakeLists.txt",
        "option(WITH_TRACER \"Tracer, passed by recipes\" ON)",
        "",
        // This line also reports that the option is gone.
        "option WITH_TRACER: passed by arch, gentoo, but no CMake file names it (CMakeLists.txt:4)",
    ),
    (
        "CMakeLists.txt",
        "gfx803;gfx906",
        "gfx906;gfx1250",
        "DEFAULT_GPUS: + gfx1250, - gfx803; if not (BUILD_ASAN) (CMakeLists.txt:17)",
    ),
    (
        "CMakeLists.txt",
        "if(BUILD_ASAN)",
        "if(BUILD_ADDRESS_SANITIZER)",
        "",
    ),
    (
        "CMakeLists.txt",
        "\"Tests\" OFF",
        "\"Tests\" ON",
        "option BUILD_TESTS: default OFF -> ON (CMakeLists.txt:3)",
    ),
    (
        "CMakeLists.txt",
        "option(WITH_OLD \"Goes\")",
        "",
        "option WITH_OLD: no longer declared, still read (CMakeLists.txt:5)",
    ),
    (
        "cmake/lists.cmake",
        "NUMA REQUIRED numa>=2.0",
        "NUMA REQUIRED numa>=2.0 libdrm",
        "package pkg-config:libdrm: new (cmake/lists.cmake:1)",
    ),
    (
        "CMakeLists.txt",
        "hip 6.0",
        "hip 7.0",
        "package hip: 6.0 -> 7.0 (CMakeLists.txt:11)",
    ),
    (
        "CMakeLists.txt",
        "add_subdirectory(clients)",
        "add_subdirectory(testing/clients)",
        "part clients: clients -> testing/clients (CMakeLists.txt:22)",
    ),
    (
        "LICENSE.md",
        "MIT",
        "MIT, and more",
        "licence file LICENSE.md: changed",
    ),
    (
        "CMakeLists.txt",
        "add_subdirectory(library)",
        "add_subdirectory(library)\nset(LOGIC \"asm\" CACHE STRING \"\")",
        "option LOGIC: new (default asm) (CMakeLists.txt:22)",
    ),
];

#[test]
fn each_planted_change_is_told_once() {
    let a = facts(&A);
    assert_eq!(
        changes(&a, &a, &[], &["BUILD_TESTS", "CPU_THREADS"]),
        [""; 0]
    );
    for (path, from, to, told) in PLANTED {
        let mut files: Vec<(&str, String)> = A.iter().map(|(p, t)| (*p, (*t).to_owned())).collect();
        let file = files.iter_mut().find(|(p, _)| *p == path).unwrap();
        assert_eq!(file.1.matches(from).count(), 1, "{from}");
        file.1 = file.1.replace(from, to);
        if from.starts_with("option(WITH_TRACER") {
            file.1 = file.1.replace("if(WITH_TRACER)", "if(TRUE)");
        }
        let b: Vec<(&str, &str)> = files.iter().map(|(p, t)| (*p, t.as_str())).collect();
        let said = changes(
            &a,
            &facts(&b),
            &[],
            &["BUILD_TESTS", "WITH_TRACER", "CPU_THREADS"],
        );
        if told.is_empty() {
            // One condition applies to two lists.
            let lists = [
                "if BUILD_ADDRESS_SANITIZER, was: if BUILD_ASAN",
                "if not (BUILD_ADDRESS_SANITIZER), was: if not (BUILD_ASAN)",
            ];
            let lists = [(lists[0], 15), (lists[1], 17)]
                .map(|(l, at)| format!("DEFAULT_GPUS: {l} (CMakeLists.txt:{at})"));
            assert_eq!(said, lists);
        } else {
            assert_eq!(said, [told]);
        }
    }
}

#[test]
fn all_at_once_are_told_in_the_order_of_what_they_may_break() {
    let mut files: Vec<(&str, String)> = A.iter().map(|(p, t)| (*p, (*t).to_owned())).collect();
    for (path, from, to, _) in PLANTED {
        let file = files.iter_mut().find(|(p, _)| *p == path).unwrap();
        file.1 = file.1.replace(from, to);
    }
    files[0].1 = files[0].1.replace("if(WITH_TRACER)", "if(TRUE)");
    let b: Vec<(&str, &str)> = files.iter().map(|(p, t)| (*p, t.as_str())).collect();
    insta::assert_snapshot!(changes(&facts(&A), &facts(&b), &[], &["WITH_TRACER"]).join("\n"), @r"
    option WITH_TRACER: passed by arch, gentoo, but no CMake file names it (CMakeLists.txt:4)
    DEFAULT_GPUS: if BUILD_ADDRESS_SANITIZER, was: if BUILD_ASAN (CMakeLists.txt:15)
    DEFAULT_GPUS: + gfx1250, - gfx803; if not (BUILD_ADDRESS_SANITIZER), was: if not (BUILD_ASAN) (CMakeLists.txt:17)
    option BUILD_TESTS: default OFF -> ON (CMakeLists.txt:3)
    option WITH_OLD: no longer declared, still read (CMakeLists.txt:5)
    package pkg-config:libdrm: new (cmake/lists.cmake:1)
    package hip: 6.0 -> 7.0 (CMakeLists.txt:11)
    part clients: clients -> testing/clients (CMakeLists.txt:23)
    licence file LICENSE.md: changed
    option LOGIC: new (default asm) (CMakeLists.txt:22)
    ");
}

#[test]
fn an_option_is_unread_only_where_nothing_names_it() {
    let a = facts(&[("CMakeLists.txt", "option(A \"\" ON)")]);
    let b = facts(&[
        (
            "CMakeLists.txt",
            "if(READ)\nendif()\nset(P X)\noption(${P}_ENABLE_THING \"\" ON)\n# COMMENTED\nfind_package(Helper)",
        ),
        ("cmake/x.cmake.in", "set(@NAME@_TEMPLATE @IN_TEMPLATE@)"),
        ("src/a.cpp", "// IN_CODE"),
    ]);
    let helper = facts(&[("HelperConfig.cmake", "if(Helper_THREADS)\nendif()")]);
    let fine = [
        "READ",
        "X_ENABLE_THING",
        "Helper_THREADS",
        "IN_TEMPLATE",
        "Any_TEMPLATE",
    ];
    let of_cmake = [
        "CMAKE_SKIP_RPATH",
        "BUILD_SHARED_LIBS",
        "ROCM_SYMLINK_LIBS",
        "Foo_DIR",
        "Tensile_ROOT",
        "-Wno-dev",
    ];
    let unread = ["COMMENTED", "IN_CODE", "NOWHERE"];
    let all: Vec<&str> = fine
        .iter()
        .chain(&of_cmake)
        .chain(&unread)
        .copied()
        .collect();
    let said = changes(&a, &b, &[helper], &all);
    let found: Vec<&str> = said
        .iter()
        .filter_map(|s| s.strip_suffix(": passed by arch, gentoo, but no CMake file names it"))
        .collect();
    assert_eq!(found, unread.map(|name| format!("option {name}")));
}

#[test]
fn of_a_superbuild_its_targets_projects_and_pins_are_compared() {
    let dir = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let own = [
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "-c",
            "commit.gpgsign=false",
        ];
        let mut git = rocpkg_programs::command("git");
        assert!(
            git.arg("-C")
                .arg(dir.path())
                .args(own)
                .args(arguments)
                .status()
                .unwrap()
                .success()
        );
    };
    git(&["init", "--quiet"]);
    let targets = "therock_add_amdgpu_target(gfx1102 \"RX\" FAMILY all)\n\
        therock_add_amdgpu_target(gfx1103 \"780M\" FAMILY igpu-all gfx110X-all\n  EXCLUDE_TARGET_PROJECTS\n    hipSPARSELt # why\n    composable_kernel # why\n)\n";
    let declared = "option(THEROCK_X \"\" ON)\nfind_package(Python3)\ntherock_cmake_subproject_declare(rocFFT\n  EXTERNAL_SOURCE_DIR \"${L}/projects/rocfft\"\n  BUILD_DEPS\n    rocm-cmake\n    therock-boost\n  RUNTIME_DEPS\n    hip-clr\n)\n";
    write(
        dir.path(),
        &[
            ("cmake/targets.cmake", targets),
            ("math/CMakeLists.txt", declared),
            ("LICENSE", "a"),
        ],
    );
    git(&["add", "."]);
    let pin = |id: &str| {
        git(&[
            "update-index",
            "--add",
            "--cacheinfo",
            &format!("160000,{},sub", id.repeat(40)),
        ]);
    };
    pin("1");
    git(&["commit", "--quiet", "-m", "a"]);
    git(&["tag", "a"]);
    write(
        dir.path(),
        &[
            (
                "cmake/targets.cmake",
                &targets.replace("    composable_kernel # why\n", ""),
            ),
            (
                "math/CMakeLists.txt",
                &declared
                    .replace("    therock-boost\n", "")
                    .replace("THEROCK_X", "THEROCK_Y"),
            ),
            ("LICENSE", "b"),
        ],
    );
    git(&["add", "."]);
    pin("2");
    git(&["commit", "--quiet", "-m", "b"]);
    let repository = Repository::at(dir.path()).unwrap();
    let read = |revision| Facts::read(&Tree::commit(&repository, revision).unwrap(), &[]).unwrap();
    let said = changes(&read("a"), &read("HEAD"), &[], &[]);
    assert_eq!(
        said,
        [
            "gfx1103: no longer excluded from composable_kernel (cmake/targets.cmake:2)",
            "rocFFT: - therock-boost (math/CMakeLists.txt:3)",
            "pin sub: 111111111111 -> 222222222222",
        ]
    );
    assert!(
        Tree::commit(&repository, "c")
            .unwrap_err()
            .to_string()
            .ends_with("no tag, branch or commit is called `c`")
    );
    assert!(Tree::commit(&repository, "--help").is_err());
}
