//! Tests of `rocpkg gpu`. Machines are folders with the files that their kernels would show in
//! /sys.

use rocpkg_test_support::write_file;
use std::fs;
use std::path::Path;

fn out(args: &[&str]) -> String {
    let run = rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"))
        .args(args)
        .output()
        .unwrap();
    String::from_utf8(run.stdout).unwrap() + &String::from_utf8(run.stderr).unwrap()
}

/// A device on the PCI bus: its place, class, vendor, device and revision.
type OnBus<'a> = (&'a str, &'a str, &'a str, &'a str, &'a str);

/// Returns the output of `rocpkg gpu` on a machine with these PCI devices and KFD nodes. A node is
/// given by its version and its device id.
fn machine(bus: &[OnBus], nodes: &[(u32, u32)]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let write = |path: &str, text: String| {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        write_file(path, text);
    };
    for (place, class, vendor, device, revision) in bus {
        for (file, text) in [
            ("class", class),
            ("vendor", vendor),
            ("device", device),
            ("revision", revision),
        ] {
            write(
                &format!("bus/pci/devices/{place}/{file}"),
                format!("0x{text}\n"),
            );
        }
    }
    for (i, (version, device)) in nodes.iter().enumerate() {
        let text = format!(
            "cpu_cores_count 0\ngfx_target_version {version}\nvendor_id 4098\ndevice_id {device}\n"
        );
        write(
            &format!("class/kfd/kfd/topology/nodes/{i}/properties"),
            text,
        );
    }
    let at: &Path = dir.path();
    out(&["gpu", "--distro", "gentoo", "--sysfs", at.to_str().unwrap()])
}

/// Returns a folder of profiles without Solus' patch of comgr for compressed bundles.
fn without_comgrs_patch() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("distros/solus/rocm-comgr.yaml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let gone = "patches: {0001-Comgr-Extend-ISA-compatibility-for-CCOB.patch: ~}\n";
    write_file(&file, gone);
    dir
}

#[test]
fn compressed_code_is_told_by_each_command() {
    let layer = without_comgrs_patch();
    let layer = ["--profiles", layer.path().to_str().unwrap()];
    let site = "comgr: comgr-compiler.cpp, unbundle() for compressed bundles";
    let gpu = ["gpu", "gfx1031", "--distro", "solus", "--release", "6.2.4"];
    // With both patches, the code loads, and the patches are named.
    let patched = out(&gpu);
    let named = "in compressed bundles: composable-kernel rocsolver miopen (found by rocm-llvm: \
                 0001-ClangOffloadBundler-Add-GetBundleIDsInFile-to-Offloa.patch, \
                 rocm-compilersupport: 0001-Comgr-Extend-ISA-compatibility-for-CCOB.patch; \
                 without these patches: build without `OFFLOAD_BUNDLER_COMPRESS`)\n";
    assert!(patched.contains(named), "{patched}");
    assert!(!patched.contains("does not find"), "{patched}");
    // Without one of them, three packages have code that the runtime does not find.
    let lacking = out(&[&gpu[..], &layer].concat());
    let told = format!(
        "in compressed bundles: composable-kernel rocsolver miopen (the recipe sets \
         `OFFLOAD_BUNDLER_COMPRESS`; not patched: {site})\n"
    );
    for text in [
        "code for gfx1030, which the runtime does not find in compressed bundles (only by \
         HSA_OVERRIDE_GFX_VERSION=10.3.0): 3 of 18",
        &told,
        "or build without compression: composable-kernel rocsolver miopen without \
         `OFFLOAD_BUNDLER_COMPRESS`\n",
        "not advised: `HIP_USE_RUNTIME_UNBUNDLER=1`, because HIP crashed with it at 6.2 \
         (https://lists.debian.org/debian-ai/2024/12/msg00042.html)\n",
    ] {
        assert!(lacking.contains(text), "{text}\n{lacking}");
    }
    let check = ["check", "--distro", "solus", "--release", "6.2.4"];
    let checked = out(&[&check[..], &layer].concat());
    let line = format!(
        "solus: code for other GPUs is not found in the compressed bundles of composable-kernel, \
         miopen, rocsolver (W0611); not patched: {site}\n"
    );
    assert!(checked.contains(&line), "{checked}");
    assert!(!out(&check).contains("compressed bundles"));
    let asked = ["changes", "6.0.2", "6.2.4", "solus"];
    let changed = out(&[&asked[..], &layer].concat());
    let line = format!(
        "- composable-kernel, rocsolver, miopen: plain -> compressed; the recipe sets \
         `OFFLOAD_BUNDLER_COMPRESS`; the runtime does not find code for other GPUs in them (not \
         patched: {site}); build without `OFFLOAD_BUNDLER_COMPRESS`\n"
    );
    assert!(changed.contains(&line), "{changed}");
    assert!(out(&asked).contains("the runtime finds code for other GPUs in them by rocm-llvm: "));
    // A finding that is listed as known counts, too.
    let known = out(&["check", "--distro", "gentoo", "--release", "7.2.4"]);
    assert!(
        known.contains("gentoo: code for other GPUs is not found in the compressed bundles of "),
        "{known}"
    );
    let asked = [
        "use",
        "rocsparse",
        "--targets",
        "gfx90c",
        "--release",
        "7.2.4",
    ];
    let note = "gfx900 is used, whose code loads there only if HSA_OVERRIDE_GFX_VERSION=9.0.0 is \
                set, because the runtime does not find it in compressed bundles (upstream's default)";
    assert!(out(&asked).contains(note), "{}", out(&asked));
}

#[test]
fn a_component_that_was_merged_or_that_nobody_packages_is_named_as_such() {
    let arch = out(&["explain", "hsakmt-roct", "--distro", "arch"]);
    let said = "no `roct-thunk-interface` in arch; gentoo and solus have it; its source is part of \
                `rocr-runtime` since 6.3\n";
    assert!(arch.ends_with(said), "{arch}");
    let kpack = out(&["explain", "rocm-kpack"]);
    let said = "no distribution has `rocm-kpack`, a component of upstream\n";
    assert!(kpack.ends_with(said), "{kpack}");
}

#[test]
fn two_llvms_in_a_process_are_told_of_the_package_that_is_asked_for() {
    let blender = out(&["explain", "blender", "--distro", "solus"]);
    assert!(blender.contains("note[N0207]: blender of solus loads two LLVMs"));
    let rocblas = out(&["explain", "rocblas", "--distro", "solus"]);
    assert!(!rocblas.contains("N0207"));
}

#[test]
fn debians_runtime_loads_no_code_of_compatible_gpus() {
    let answer = |gpu: &str| {
        let said = out(&["gpu", gpu, "-v"]);
        let begin = said.find("  debian-sid 6.4").unwrap();
        let rest = &said[begin..];
        let end = rest.find("  debian-experimental").unwrap();
        rest[..end].to_owned()
    };
    let said = answer("gfx1031");
    let line = "code for gfx10-3-generic, which loads: 1 of 19; only by \
                HSA_OVERRIDE_GFX_VERSION=10.3.0: 12 of 19; unknown: 6 of 19";
    assert!(said.contains(line), "{said}");
    let runtime = "runtime: not patched for compatible GPUs (Debian's changelog of rocm-hipamd";
    assert!(said.contains(runtime), "{said}");
}

#[test]
fn machines() {
    let bridge = ("0000:00:00.0", "060000", "1022", "14d8", "00");
    let card = ("0000:03:00.0", "030000", "1002", "744c", "c8");
    let small = ("0000:04:00.0", "030000", "1002", "73ff", "c7");
    let apu = ("0000:08:00.0", "030000", "1002", "164e", "c1");
    let other = ("0000:01:00.0", "030000", "10de", "2204", "a1");
    let said = [
        ("no GPU", machine(&[bridge], &[(0, 0)])),
        (
            "one card",
            machine(&[bridge, card], &[(0, 0), (110_000, 0x744c)]),
        ),
        (
            "an APU beside a card",
            machine(
                &[bridge, small, apu],
                &[(0, 0), (100_302, 0x73ff), (100_306, 0x164e)],
            ),
        ),
        (
            "two cards",
            machine(
                &[card, small],
                &[(0, 0), (110_000, 0x744c), (100_302, 0x73ff)],
            ),
        ),
        (
            "no KFD, and another maker's card",
            machine(&[other, small], &[]),
        ),
        (
            "newer than the model",
            machine(&[], &[(0, 0), (110_504, 0x1234)]),
        ),
        ("nothing at all", machine(&[], &[])),
    ];
    let text: String = said
        .iter()
        .map(|(what, said)| format!("== {what}\n{said}\n"))
        .collect();
    insta::assert_snapshot!("machines", text);
}

/// Questions that people asked in public, and the answers of the command.
#[test]
fn situations_from_public_threads() {
    let asked: [(&str, &[&str]); 12] = [
        (
            "NixOS/nixpkgs 321664: which override for a card that is not listed",
            &["RX 6700 XT", "--distro", "nix"],
        ),
        (
            "NixOS/nixpkgs 357345: is an override needed for one that is",
            &["RX 6900 XT", "--distro", "nix"],
        ),
        (
            "ROCm/rocBLAS 1339: gfx1031",
            &["gfx1031", "--distro", "arch"],
        ),
        (
            "ROCm/rocBLAS 1339: BC-250",
            &["BC-250", "--distro", "gentoo"],
        ),
        (
            "ROCm/rocm-libraries 6320: 780M",
            &["Radeon 780M", "--distro", "solus"],
        ),
        (
            "ROCm/TheRock 1062: hipBLASLt on a 6650 XT",
            &["RX 6650 XT", "--distro", "gentoo", "-v"],
        ),
        (
            "rocm-arch 641: build for my GPU only",
            &["RX 7900 XTX", "--distro", "arch"],
        ),
        ("ollama 7564: an iGPU", &["Radeon 680M", "--distro", "nix"]),
        (
            "gentoo PR 33400: which targets for this card",
            &["RX 6600", "--distro", "gentoo"],
        ),
        ("a name of two chips", &["Radeon 840M", "--distro", "solus"]),
        ("a name of every APU", &["AMD Radeon Graphics"]),
        (
            "a GPU that few packages take",
            &["gfx1152", "--distro", "gentoo"],
        ),
    ];
    let text: String = asked
        .iter()
        .map(|(what, args)| format!("== {what}\n{}\n", out(&[&["gpu"], *args].concat())))
        .collect();
    assert!(
        !text.contains("export HSA_OVERRIDE_GFX_VERSION=11.0.0"),
        "{text}"
    );
    insta::assert_snapshot!("situations", text);
}

#[test]
fn eleven_is_never_suggested_for_phoenix_and_what_is_unknown_is_said_once() {
    let text = out(&["gpu", "780M"]);
    assert!(
        text.contains("never set HSA_OVERRIDE_GFX_VERSION=11.0.0") && !text.contains("export HSA"),
        "{text}"
    );
    assert_eq!(text.matches("one fact is missing").count(), 1, "{text}");
    let json: serde_json::Value = serde_json::from_str(&out(&["gpu", "780M", "--json"])).unwrap();
    assert_eq!(
        json["gpus"][0]["on"][0]["distributions"]
            .as_array()
            .unwrap()
            .len(),
        6
    );
    assert_eq!(json["gpus"][0]["on"][0]["overrides"][0]["outcome"], "hangs");
}

#[test]
fn a_list_that_a_reader_supplies_decides() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("distros")).unwrap();
    let layer = "target-tool:\n  version: 0.4.0\n  list: [gfx1030, gfx1100]\n";
    write_file(dir.path().join("distros/arch.yaml"), layer);
    let text = out(&[
        "gpu",
        "gfx1100",
        "--distro",
        "arch",
        "--profiles",
        dir.path().to_str().unwrap(),
    ]);
    assert!(
        text.contains("native: ") && !text.contains("one fact is missing"),
        "{text}"
    );
}

/// `rocsparse` leaves out gfx950, which the tool is known to print.
#[test]
fn a_list_that_is_known_in_part_answers_for_this_part() {
    let on = |gpu: &str| {
        let args = ["gpu", gpu, "--distro", "arch", "--json"];
        let json: serde_json::Value = serde_json::from_str(&out(&args)).unwrap();
        let rows = json["gpus"][0]["on"][0]["distributions"][0]["packages"].clone();
        ["rocblas", "rocsparse"].map(|id| {
            let mut rows = rows.as_array().unwrap().iter();
            rows.find(|p| p["package"] == id).unwrap()["way"].clone()
        })
    };
    assert_eq!(on("gfx1201"), ["native", "native"]);
    assert_eq!(on("gfx950"), ["native", "no-kernels"]);
    assert_eq!(on("gfx1030"), ["unknown", "unknown"]);
}

/// Debian's package index is read, and nothing is rendered for it. The command reports on the
/// targets that its packages declare. Packages that declare none are not reported to run.
#[test]
fn a_distribution_whose_index_is_read_stands_beside_the_others() {
    let on = |gpu: &str| -> serde_json::Value {
        let json: serde_json::Value = serde_json::from_str(&out(&["gpu", gpu, "--json"])).unwrap();
        let all = json["gpus"][0]["on"][0]["distributions"]
            .as_array()
            .unwrap();
        let of = |name: &str| all.iter().find(|d| d["distribution"] == name).unwrap();
        let way = |name: &str, id: &str| {
            let row = of(name)["packages"]
                .as_array()
                .unwrap()
                .iter()
                .find(|p| p["package"] == id)
                .unwrap();
            format!("{} {} {}", row["way"], row["code"], row["missing"]).replace('"', "")
        };
        assert_eq!(
            of("debian-sid")["rests-on"][0],
            "read from Debian's package index of 2026-11-24, not rendered"
        );
        serde_json::json!(["debian-sid", "debian-experimental"].map(|d| [
            way(d, "rocblas"),
            way(d, "rocsolver"),
            way(d, "miopen")
        ]))
    };
    let unsaid = "unknown null which GPUs its package has code for";
    let runtime = "unknown null whether its runtime loads code for gfx1030 on it";
    let (native, without) = ("native null null", "no-kernels null null");
    let generic = |code: &str| format!("by-generic {code} null");
    let new = serde_json::json!([
        [without, generic("gfx12-generic"), unsaid],
        [native, native, unsaid]
    ]);
    assert_eq!(on("RX 9070 XT"), new);
    // Debian dropped its patches for other GPUs at 6.4.3. Of the newer release nothing was seen.
    let older = serde_json::json!([
        ["by-override null null", generic("gfx10-3-generic"), unsaid],
        [runtime, runtime, unsaid]
    ]);
    assert_eq!(on("RX 6650 XT"), older);
    assert!(!out(&["gpu", "RX 6650 XT", "--distro", "arch"]).contains("debian"));
}

#[test]
fn nothing_is_built_for_a_target_that_the_compiler_of_the_release_lacks() {
    let next = |gpu: &str, more: &[&str]| {
        let text = out(&[&["gpu", gpu][..], more].concat());
        let lines = text.lines().filter(|line| line.contains("buil"));
        let lines = lines.filter(|line| line.contains("next:"));
        (
            text.lines().next().unwrap_or_default().to_owned(),
            lines.collect::<Vec<_>>().join("\n"),
        )
    };
    for (gpu, head, since) in [
        ("gfx1154", "gfx1154: gfx1154, RDNA3.5", 23),
        (
            "gfx1250-strict",
            "gfx1250-strict: gfx1250-strict, CDNA5",
            24,
        ),
        (
            "gfx13-generic",
            "gfx13-generic: gfx13-generic, a generic target of gfx1310",
            23,
        ),
    ] {
        for distro in ["arch", "nix"] {
            let (first, said) = next(gpu, &["--distro", distro, "--release", "7.2.4"]);
            assert_eq!(first, head);
            assert!(
                !said.contains("build it") && !said.contains("--targets"),
                "{said}"
            );
            let known = format!("LLVM 22, which does not know it; LLVM {since} does");
            assert!(said.is_empty() || said.contains(&known), "{said}");
        }
    }
    let (_, said) = next("gfx1154", &["--distro", "arch", "--release", "7.2.4"]);
    assert!(said.contains("nothing can be built for gfx1154"), "{said}");
    // The compiler of a later release has it, and LLVM 20 may have what 22 has and 19 lacks.
    for (gpu, distro, release) in [
        ("gfx1154", "arch", "10.0.0"),
        ("gfx1250", "arch", "7.1.0"),
        ("gfx1250", "nix", "7.2.4"),
    ] {
        let (_, said) = next(gpu, &["--distro", distro, "--release", release]);
        assert!(
            !said.is_empty() && !said.contains("nothing"),
            "{gpu} {release}: {said}"
        );
    }
    let (_, said) = next("gfx940", &["--distro", "nix"]);
    assert!(!said.contains("build it"), "{said}");
    let (first, _) = next("amdgcnspirv", &["--distro", "nix"]);
    assert_eq!(first, "amdgcnspirv: amdgcnspirv");
}

#[test]
fn the_flag_that_brings_a_package_in_is_named() {
    let text = out(&["gpu", "MI210", "--distro", "gentoo"]);
    assert!(
        text.contains("only `sci-ml/caffe2 rocm cusparselt` brings it in"),
        "{text}"
    );
}

#[test]
fn advised_commands_repeat_the_options_of_the_question() {
    let dir = tempfile::tempdir().unwrap();
    let profiles = dir.path().join("my own");
    fs::create_dir_all(profiles.join("distros")).unwrap();
    let layer = "target-tool:\n  version: 0.4.0\n  list: [gfx1030, gfx1100]\n";
    write_file(profiles.join("distros/arch.yaml"), layer);
    let text = out(&[
        "gpu",
        "780M",
        "--distro",
        "solus",
        "--release",
        "6.2.4",
        "--profiles",
        profiles.to_str().unwrap(),
    ]);
    let wanted = format!(
        "`rocpkg render solus --release 6.2.4 --profiles '{}' --targets gfx1103 --out gfx1103`",
        profiles.display()
    );
    assert!(text.contains(&wanted), "{text}");
}

#[test]
fn advice_names_only_packages_that_the_command_renders() {
    let profiles = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/known-tool");
    let text = out(&["gpu", "gfx1031", "--distro", "arch", "--profiles", profiles]);
    let step = "--out gfx1031`: rocfft rocrand rocblas rocsparse rocsolver\n";
    assert!(text.contains(step), "{text}");
}

/// Returns the rows of Arch's packages on a GPU, by the package's id.
fn arch(gpu: &str, more: &[&str]) -> impl Fn(&str) -> serde_json::Value + use<> {
    let args = [&["gpu", gpu, "--distro", "arch", "--json"], more].concat();
    let json: serde_json::Value = serde_json::from_str(&out(&args)).unwrap();
    let rows = json["gpus"][0]["on"][0]["distributions"][0]["packages"].clone();
    move |id: &str| {
        let mut rows = rows.as_array().unwrap().iter();
        rows.find(|p| p["package"] == id).unwrap().clone()
    }
}

/// A guess never changes `way`: the list is still not known.
#[test]
fn a_guess_is_marked_as_one() {
    let row = arch("gfx1103", &[]);
    let rocblas = row("rocblas");
    assert_eq!(rocblas["way"], "unknown");
    assert_eq!(rocblas["likely"]["way"], "native");
    assert_eq!(
        rocblas["likely"]["reason"],
        "the recipe of hipsparselt 7.2.4 lists it; upstream builds it by default"
    );
    let mivisionx = row("mivisionx");
    assert_eq!(mivisionx["way"], "unknown");
    assert_eq!(mivisionx["likely"]["way"], "no-kernels");
    assert_eq!(
        mivisionx["likely"]["reason"],
        "by upstream's default list of >=7.0, <7.2"
    );
    // Its CMake files state no list at any release.
    assert_eq!(row("hipblas")["likely"], serde_json::Value::Null);
    // The lists of releases before and after this one have it.
    let hiprand = arch("gfx1030", &[])("hiprand");
    assert_eq!(hiprand["way"], "unknown");
    assert_eq!(hiprand["likely"]["way"], "native");
    // These lists don't agree.
    let hiprand = arch("gfx1150", &[])("hiprand");
    assert_eq!(hiprand["likely"], serde_json::Value::Null);
    let text = out(&["gpu", "gfx1103", "--distro", "arch", "-v"]);
    assert!(
        text.contains(
            "headers, compiled by what includes them: rocprim rocthrust hipcub rocwmma\n"
        ),
        "{text}"
    );
    assert!(text.contains("probably native, a guess: "), "{text}");
    assert!(
        text.contains("`rocm-supported-gfx | rocpkg gpu gfx1103 --distro arch --supported-gfx -`")
            && text.contains("`rocpkg audit arch --gpu gfx1103 FILE...`"),
        "{text}"
    );
}

#[test]
fn what_a_tool_prints_is_taken_as_it_is_printed() {
    let printed = "gfx906:xnack-;gfx1030;gfx1100\n";
    let row = arch("gfx1030", &["--supported-gfx", printed]);
    for id in ["rocblas", "rocsparse", "rocfft"] {
        assert_eq!(row(id)["way"], "native", "{id}");
    }
    let row = arch("gfx1103", &["--supported-gfx", printed]);
    assert_eq!(row("rocblas")["way"], "no-kernels");

    let mut run = rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"));
    let args = ["gpu", "gfx1030", "--distro", "arch", "--supported-gfx", "-"];
    let mut run = run
        .args(args)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = run.stdin.take().unwrap();
    std::io::Write::write_all(&mut input, printed.as_bytes()).unwrap();
    drop(input);
    let text = String::from_utf8(run.wait_with_output().unwrap().stdout).unwrap();
    assert!(!text.contains("one fact is missing"), "{text}");

    let text = out(&["gpu", "gfx1030", "--supported-gfx", "gfx1030;gfx110"]);
    assert!(
        text.contains("`gfx110` is not a known GPU target"),
        "{text}"
    );
    let text = out(&[
        "gpu",
        "gfx1030",
        "--distro",
        "gentoo",
        "--supported-gfx",
        "gfx1030",
    ]);
    assert!(text.contains("no tool of these distributions"), "{text}");
}

/// Upstream's `TARGET_LIST_ROCM_7.1` names these, and its list of supported GPUs does not.
#[test]
fn upstreams_default_list_names_a_target() {
    for gpu in ["gfx1102", "gfx1103", "gfx1150", "gfx1151"] {
        let args = ["gpu", gpu, "--distro", "arch", "--json"];
        let printed = ["--release", "7.2.4", "--supported-gfx", gpu];
        let text = out(&[&args[..], &printed].concat());
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let rows = &json["gpus"][0]["on"][0]["distributions"][0]["packages"];
        let mut rows = rows.as_array().unwrap().iter();
        let rocblas = rows.find(|p| p["package"] == "rocblas").unwrap();
        assert_eq!(rocblas["way"], "native", "{gpu}");
        assert_eq!(rocblas["reason"], "", "{gpu}");
    }
}

#[test]
fn families_of_upstreams_packages_are_known() {
    for (name, members) in [
        (
            "gfx11",
            "gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153",
        ),
        ("gfx115x", "gfx1150 gfx1151 gfx1152 gfx1153"),
        ("gfx12-5", "gfx1250 gfx1250-strict gfx1251"),
        ("gfx12_5", "gfx1250 gfx1250-strict gfx1251"),
        ("gfx94X", "gfx942"),
        ("gfx110X-all", "gfx1100 gfx1101 gfx1102 gfx1103"),
    ] {
        let text = out(&["gpu", name, "--distro", "arch"]);
        let begin = format!("{name}: {members}, family ");
        assert!(text.starts_with(&begin), "{text}");
    }
    let text = out(&["gpu", "gfx12-6"]);
    assert!(
        text.contains("did you mean") && text.contains("`gfx12-5`"),
        "{text}"
    );
}
