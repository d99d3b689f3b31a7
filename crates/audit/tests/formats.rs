//! Tests each format with a file of a few hundred bytes, and each fault.

use crate::common::{
    GFX11_GENERIC, GFX90A, GFX1030, aligned, archive, bundle, code, compressed, hip, host, kpack,
    library, packages, tar, three, zstd,
};
use rocpkg_audit::{Audit, File, FileKind, Method, Wrong, bytes, read};
use rocpkg_test_support::write_file;
use std::fs;

fn one(name: &str, content: &[u8]) -> File {
    let mut audit = bytes(name, content).expect(name);
    assert_eq!(audit.files.len(), 1, "{name}");
    audit.files.remove(0)
}

fn targets(file: &File) -> Vec<&str> {
    file.objects
        .iter()
        .map(|object| object.target.as_str())
        .collect()
}

fn wrong(file: &File) -> Vec<String> {
    file.faults.iter().map(ToString::to_string).collect()
}

const THREE: [&str; 3] = ["gfx1030", "gfx90a:sramecc+:xnack-", "gfx11-generic"];

#[test]
fn bundles_of_each_version_say_the_same() {
    let mut all = vec![(three(), Method::Plain, None)];
    for version in 1..=3 {
        for (method, name) in [(0, Method::Zlib), (1, Method::Zstd)] {
            all.push((compressed(version, method, &three()), name, Some(version)));
        }
    }
    for (content, method, version) in &all {
        let file = one("x", content);
        assert_eq!(
            (targets(&file), wrong(&file)),
            (THREE.to_vec(), vec![]),
            "{method:?} {version:?}"
        );
        assert_eq!(
            (file.kind, file.packing.len(), file.objects[1].size),
            (FileKind::Bundle, 1, 128)
        );
        assert_eq!(
            (
                file.packing[0].method,
                file.packing[0].version,
                file.packing[0].bundles
            ),
            (*method, *version, 1)
        );
        assert_eq!(
            (file.packing[0].stored, file.packing[0].size),
            (content.len() as u64, three().len() as u64)
        );
        assert_eq!(
            (
                file.objects[2].generic,
                file.objects[2].version,
                file.objects[1].processor()
            ),
            (Some(1), Some(6), "gfx90a")
        );
    }
    // All in one section, as a linker lays them.
    let section = aligned(
        &all.iter()
            .map(|(content, ..)| content.clone())
            .collect::<Vec<_>>(),
    );
    let file = one("libx.so", &library(section));
    assert_eq!(
        (file.objects.len(), file.packing.len(), wrong(&file)),
        (21, 7, vec![])
    );
    assert_eq!(file.objects[3].place, ".hip_fatbin, byte 4096, entry 1");
}

#[test]
fn a_library_says_what_it_needs() {
    let file = one("libx.so.1", &library(three()));
    assert_eq!(
        (file.kind, file.soname.as_deref(), file.runpath.as_deref()),
        (FileKind::Elf, Some("libx.so.1"), Some("/opt/rocm/lib"))
    );
    assert_eq!(file.needed, ["libamdhip64.so.7", "libx.so.1"]);
    assert_eq!(
        (
            file.opens[0].soname.clone(),
            file.opens[0].feature.as_deref()
        ),
        (vec!["libz.so.1".to_owned()], Some("zip"))
    );
    let json = serde_json::to_value(&file).unwrap();
    assert_eq!(json["objects"][0]["place"], ".hip_fatbin, byte 0, entry 1");
}

#[test]
fn what_is_split_off_is_named_and_its_empty_section_no_fault() {
    let paths = rmp_serde::to_vec_named(&std::collections::BTreeMap::from([(
        "kpack_search_paths",
        ["../.kpack/x_@GFXARCH@.kpack"],
    )]));
    let zeros = (".hip_fatbin", 1, vec![0; 4096]);
    let file = one(
        "libx.so",
        &host(&[zeros.clone(), (".rocm_kpack_ref", 1, paths.unwrap())]),
    );
    assert_eq!(
        (file.kpacks, file.faults),
        (vec!["../.kpack/x_@GFXARCH@.kpack".to_owned()], vec![])
    );
    assert_eq!(
        wrong(&one("libx.so", &host(&[zeros]))),
        [".hip_fatbin: contains no device code"]
    );
}

#[test]
fn object_files_to_be_linked_later_hold_bitcode() {
    let name = format!("__CLANG_OFFLOAD_BUNDLE__{}", hip("gfx1030"));
    let file = one(
        "x.o",
        &host(&[(&name, 1, b"BC\xc0\xde and so on".to_vec())]),
    );
    assert_eq!((targets(&file), wrong(&file)), (vec!["gfx1030"], vec![]));
}

#[test]
fn static_libraries_and_kpacks_name_the_member() {
    let content = archive(&[
        ("a.o/", library(three())),
        ("notes/", b"text".to_vec()),
        ("b.o/", library(compressed(2, 1, &three()))),
    ]);
    let file = one("libx.a", &content);
    assert_eq!(
        (
            file.kind,
            file.objects.len(),
            file.needed.len(),
            wrong(&file)
        ),
        (FileKind::Archive, 6, 0, vec![])
    );
    assert_eq!(file.objects[5].place, "b.o, .hip_fatbin, byte 0, entry 3");
    let cut = one("libx.a", &content[..content.len() - 500]);
    assert_eq!(
        (cut.objects.len(), cut.faults.len()),
        (3, 1),
        "{:?}",
        wrong(&cut)
    );

    let content = kpack(&[("gfx1030", code(4, GFX1030)), ("gfx90a", code(4, GFX90A))]);
    let file = one("x.kpack", &content);
    assert_eq!(targets(&file), ["gfx1030", "gfx90a:sramecc+:xnack-"]);
    assert_eq!(
        wrong(&file),
        ["lib/libx.so, kernel 1: labelled as gfx90a, but its code is for gfx90a:sramecc+:xnack-"]
    );
    assert_eq!(one("x.kpack", &content[..100]).faults.len(), 1);
}

#[test]
fn packages_and_folders_hold_the_same() {
    let long = format!("usr/lib/{}/libx.so", "long/".repeat(30));
    let files = [
        ("usr/lib/libx.so.1", library(three())),
        ("usr/lib/x/K_gfx1030.co", code(4, GFX1030)),
        (long.as_str(), library(compressed(3, 1, &three()))),
        ("usr/share/README", b"no ELF file".to_vec()),
    ];
    let paths = |audit: &Audit| {
        audit
            .files
            .iter()
            .map(|file| file.path.clone())
            .collect::<Vec<_>>()
    };
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in packages(&files) {
        let audit = bytes(name, &content).expect(name);
        assert_eq!(
            paths(&audit),
            [files[0].0, files[1].0, files[2].0],
            "{name}"
        );
        let held = audit.targets();
        assert_eq!(
            (
                held["gfx1030"].objects,
                held["gfx11-generic"].size,
                audit.faults().count()
            ),
            (3, 256, 0),
            "{name}"
        );
        // Reading from disk gives the same result.
        let path = folder.path().join(name);
        write_file(&path, &content);
        let on_disk = read(&path).expect(name);
        assert_eq!(
            serde_json::to_value(&on_disk).unwrap(),
            serde_json::to_value(&audit).unwrap(),
            "{name}"
        );
        // A package that is cut short is reported once, and the members before the cut are listed.
        let cut = bytes(name, &content[..content.len() / 2]).expect(name);
        assert_eq!(
            cut.files
                .iter()
                .filter(|file| file.kind == FileKind::Package)
                .count(),
            1,
            "{name}: {:?}",
            paths(&cut)
        );
    }
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in &files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        write_file(path, content);
    }
    let audit = read(folder.path()).unwrap();
    assert_eq!(
        (
            audit.files.len(),
            audit.targets()["gfx1030"].objects,
            audit.faults().count()
        ),
        (3, 3, 0)
    );
    assert!(
        read(&folder.path().join("usr/share/README"))
            .unwrap_err()
            .to_string()
            .contains("not an ELF file")
    );
    assert!(read(&folder.path().join("missing")).is_err());
    assert_eq!(
        bytes("x.tar.bz2", b"BZh91AY").unwrap().files[0]
            .faults
            .len(),
        1
    );
    // Frames of Zstandard, one behind the other.
    let tree = tar(&files);
    let audit = bytes(
        "x.tar.zst",
        &[zstd(&tree[..2000]), zstd(&tree[2000..])].concat(),
    )
    .unwrap();
    assert_eq!((audit.files.len(), audit.faults().count()), (3, 0));
}

#[test]
fn faults_are_told_with_their_place() {
    let gfx1030 = || (hip("gfx1030"), code(4, GFX1030));
    let host = || ("host-x86_64-unknown-linux-gnu-".to_owned(), vec![0; 8]);
    let mut longer = three();
    longer.truncate(longer.len() - 100);
    let mut behind = bundle(&[gfx1030()]);
    behind[32..40].copy_from_slice(&40u64.to_le_bytes());
    let garbage = [three(), vec![7; 9]].concat();
    for (content, told) in [
        (bundle(&[]), vec!["byte 0: contains no device code"]),
        (bundle(&[host()]), vec!["byte 0: contains no device code"]),
        (
            bundle(&[gfx1030(), gfx1030()]),
            vec!["byte 0, entry 1: damaged: duplicate entry `hipv4-amdgcn-amd-amdhsa--gfx1030`"],
        ),
        (
            longer,
            vec!["byte 0: truncated: expected 1152 bytes, found 1052"],
        ),
        (
            behind,
            vec!["byte 0: damaged: an entry overlaps the data before it"],
        ),
        (
            bundle(&[(hip("gfx1030"), b"#!/bin/sh".to_vec())]),
            vec!["byte 0, entry 0: damaged: expected a code object"],
        ),
        (
            bundle(&[(hip("gfx1030"), Vec::new())]),
            vec!["byte 0, entry 0: damaged: expected a code object"],
        ),
        (
            bundle(&[(hip("gfx1100"), code(4, GFX1030))]),
            vec!["byte 0, entry 0: labelled as gfx1100, but its code is for gfx1030"],
        ),
        (
            bundle(&[(hip("gfx90a"), code(4, GFX90A))]),
            vec!["byte 0, entry 0: labelled as gfx90a, but its code is for gfx90a:sramecc+:xnack-"],
        ),
        (
            bundle(&[(hip("gfx1030"), code(4, 0xff))]),
            vec!["byte 0, entry 0: not read: code for an unknown processor, flags 0xff"],
        ),
        (
            bundle(&[(hip("gfx1030"), code(4, GFX1030)[..100].to_vec())]),
            vec!["byte 0, entry 0: truncated: expected 128 bytes, found 100"],
        ),
        (
            garbage,
            vec!["byte 1152: damaged: neither a bundle nor padding"],
        ),
    ] {
        assert_eq!(wrong(&one("x", &content)), told);
    }
    // After a damaged bundle, the next bundle is read.
    let mut damaged = three();
    damaged[32..40].copy_from_slice(&[0xff; 8]);
    damaged[24] = 1;
    let file = one("libx.so", &library(aligned(&[damaged, three()])));
    assert_eq!((targets(&file), file.faults.len()), (THREE.to_vec(), 2));
    // The order of features makes no difference.
    assert!(
        one(
            "x",
            &bundle(&[(hip("gfx90a:xnack-:sramecc+"), code(4, GFX90A))])
        )
        .faults
        .is_empty()
    );
    assert_eq!(one("x_gfx1030.dat", b"").faults[0].wrong, Wrong::Empty);
    assert_eq!(one("x_gfx1030.co", b"").faults[0].wrong, Wrong::Empty);
    assert_eq!(
        one("x_gfx1030.co", b"text").faults[0].to_string(),
        "damaged: expected a code object"
    );
    assert_eq!(
        wrong(&one("K_gfx1100.co", &code(4, GFX1030))),
        ["labelled as gfx1100, but its code is for gfx1030"]
    );
    let so = library(three());
    for size in 4..so.len() {
        assert!(
            !one("libx.so", &so[..size]).faults.is_empty(),
            "of {size} bytes"
        );
    }
}

#[test]
fn faults_of_compressed_bundles() {
    let at = |version: u16, method, place: usize, value: &[u8]| {
        let mut content = compressed(version, method, &three());
        content[place..place + value.len()].copy_from_slice(value);
        wrong(&one("x", &content)).join("; ")
    };
    let size = three().len() as u64;
    let differs =
        |declared| format!("byte 0: damaged: it unpacks to {size} bytes, but states {declared}");
    for method in [0, 1] {
        let hash = "byte 0: damaged: the unpacked bytes do not match the stated checksum";
        assert_eq!(at(2, method, 16, &[0; 8]), hash);
        assert_eq!(
            at(3, method, 16, &(size + 9).to_le_bytes()),
            differs(size + 9)
        );
        let ends = format!(
            "byte 0: truncated: expected {size} bytes, found {}",
            size - 9
        );
        assert_eq!(at(3, method, 16, &(size - 9).to_le_bytes()), ends);
        let large = at(3, method, 16, &(5u64 << 30).to_le_bytes());
        assert_eq!(
            large,
            "byte 0: not read: too large: it would unpack to 5368709120 bytes"
        );
        let longest = at(3, method, 8, &u64::MAX.to_le_bytes());
        assert!(
            longest.contains("expected 18446744073709551615 bytes"),
            "{longest}"
        );
        let content = compressed(3, method, &three());
        let mut cut = content[..content.len() - 20].to_vec();
        cut[8..16].copy_from_slice(&(content.len() as u64 - 20).to_le_bytes());
        let told = one("x", &cut).faults;
        assert!(
            matches!(&told[..], [fault] if matches!(fault.wrong, Wrong::Damaged(_))),
            "{told:?}"
        );
    }
    assert_eq!(
        at(3, 1, 4, &[9]),
        "byte 0: not read: unsupported version 9 of compressed bundles"
    );
    assert_eq!(
        at(3, 1, 6, &[9]),
        "byte 0: not read: unsupported compression method 9"
    );
    let other = one(
        "x",
        &compressed(3, 1, b"no bundle, but long enough for the head of one"),
    );
    assert!(wrong(&other)[0].contains("not a bundle"));
}

#[test]
fn flags_are_read_by_the_version_of_the_code() {
    for (abi, flags, target, generic) in [
        (1, 0x12c, "gfx900:xnack+", None),
        (1, 0x33f, "gfx90a:sramecc+:xnack+", None),
        (2, 0x53f, "gfx90a", None),
        (2, 0xb3f, "gfx90a:sramecc-:xnack+", None),
        (4, 0x0200_0054, "gfx11-generic", Some(2)),
        // XNACK replay is always on for this processor, so its ID has no such feature.
        (4, 0x749, "gfx1250", None),
    ] {
        let file = one("x", &code(abi, flags));
        assert_eq!(
            (targets(&file), file.objects[0].generic),
            (vec![target], generic),
            "{abi} {flags:#x}"
        );
        assert_eq!(
            (file.kind, file.objects[0].version),
            (FileKind::CodeObject, Some(abi + 2))
        );
    }
    // Up to version 3, an entry may state what the flags can't.
    assert!(
        one("x", &bundle(&[(hip("gfx900:xnack-"), code(1, 0x2c))]))
            .faults
            .is_empty()
    );
    assert_eq!(
        targets(&one(
            "x",
            &bundle(&[(hip("gfx11-generic"), code(4, GFX11_GENERIC))])
        )),
        ["gfx11-generic"]
    );
}

#[test]
fn names_tell_the_processor_of_a_database() {
    for (name, named) in [
        ("gfx90878.db", Some("gfx908")),
        ("gfx90a_68.kdb", Some("gfx90a")),
        ("gfx1030_36.HIP.fdb.txt", Some("gfx1030")),
        ("gfx942/TensileLibrary_lazy.gfx.dat", Some("gfx942")),
        (
            "TensileLibrary_gfx10-3-generic.dat",
            Some("gfx10-3-generic"),
        ),
        ("gfx9999.dat", None),
    ] {
        let file = one(name, b"SQLite format 3");
        assert_eq!(
            (file.named.as_deref(), file.kind, file.faults.len()),
            (named, FileKind::Data, 0),
            "{name}"
        );
        assert_eq!(file.objects.len(), usize::from(name.contains(".kdb")));
    }
    assert!(bytes("x.dat", b"SQLite format 3").is_err());
}
