//! Creates small files of each format, by the same specifications that the readers cite.

use md5::{Digest, Md5};
use std::collections::BTreeMap;
use std::io::{Read, Write};

/// Creates a device's ELF file of 128 bytes: a header with these flags, and a section table at the
/// end.
pub(crate) fn code(abi: u8, flags: u32) -> Vec<u8> {
    let mut elf = vec![0; 128];
    elf[..9].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1, 1, 64, abi]);
    for (at, value) in [(16, 3), (18, 224), (52, 64), (58, 64), (60, 1)] {
        elf[at] = value;
    }
    elf[40] = 64;
    elf[48..52].copy_from_slice(&flags.to_le_bytes());
    elf
}

/// gfx1030, gfx90a:sramecc+:xnack- and gfx11-generic at code object version 6, as clang flags them.
pub(crate) const GFX1030: u32 = 0x36;
pub(crate) const GFX90A: u32 = 0xe3f;
pub(crate) const GFX11_GENERIC: u32 = 0x0100_0054;

/// Returns the ID of a bundle's entry for a target.
pub(crate) fn hip(target: &str) -> String {
    format!("hipv4-amdgcn-amd-amdhsa--{target}")
}

/// Creates a bundle: a table, then each part at a multiple of 256 bytes.
pub(crate) fn bundle(entries: &[(String, Vec<u8>)]) -> Vec<u8> {
    let head = 32 + entries.iter().map(|(id, _)| 24 + id.len()).sum::<usize>();
    let mut at = head.next_multiple_of(256);
    let mut out = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    out.extend((entries.len() as u64).to_le_bytes());
    let mut code = Vec::new();
    for (id, bytes) in entries {
        for number in [at, bytes.len(), id.len()] {
            out.extend((number as u64).to_le_bytes());
        }
        out.extend(id.bytes());
        code.extend(bytes);
        code.resize(code.len().next_multiple_of(256), 0);
        at += bytes.len().next_multiple_of(256);
    }
    out.resize(head.next_multiple_of(256), 0);
    out.extend(code);
    let end = out.len()
        - entries.last().map_or(0, |(_, bytes)| {
            bytes.len().next_multiple_of(256) - bytes.len()
        });
    out.truncate(end);
    out
}

/// Creates a bundle for a host and for three targets.
pub(crate) fn three() -> Vec<u8> {
    bundle(&[
        ("host-x86_64-unknown-linux-gnu-".to_owned(), Vec::new()),
        (hip("gfx1030"), code(4, GFX1030)),
        (hip("gfx90a:sramecc+:xnack-"), code(4, GFX90A)),
        (hip("gfx11-generic"), code(4, GFX11_GENERIC)),
    ])
}

/// Creates a compressed bundle of a version, by method 0 (zlib) or 1 (zstd).
pub(crate) fn compressed(version: u16, method: u16, bundle: &[u8]) -> Vec<u8> {
    let packed = match method {
        0 => {
            let mut encoder =
                flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(bundle).unwrap();
            encoder.finish().unwrap()
        }
        _ => zstd(bundle),
    };
    let sum = Md5::digest(bundle);
    let mut out = b"CCOB".to_vec();
    out.extend(version.to_le_bytes());
    out.extend(method.to_le_bytes());
    let number = |n: usize| {
        if version == 3 {
            n.to_le_bytes().to_vec()
        } else {
            n.to_le_bytes()[..4].to_vec()
        }
    };
    if version > 1 {
        out.extend(number(packed.len() + if version == 3 { 32 } else { 24 }));
    }
    out.extend(number(bundle.len()));
    out.extend(&sum[..8]);
    out.extend(packed);
    out
}

/// Returns bundles as a linker puts them into a section.
pub(crate) fn aligned(bundles: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::new();
    for bundle in bundles {
        out.resize(out.len().next_multiple_of(4096), 0);
        out.extend(bundle);
    }
    out
}

/// Creates a host's shared library with sections of these names and types.
pub(crate) fn host(sections: &[(&str, u32, Vec<u8>)]) -> Vec<u8> {
    let mut names = vec![0];
    let mut rows = vec![0; 64];
    let mut body = vec![0; 64];
    let shstrtab = [(".shstrtab", 3, Vec::new())];
    for (index, (name, kind, bytes)) in sections.iter().chain(&shstrtab).enumerate() {
        let begins = names.len();
        names.extend(name.bytes());
        names.push(0);
        let bytes = if *name == ".shstrtab" { &names } else { bytes };
        body.resize(body.len().next_multiple_of(16), 0);
        let mut row = [0; 64];
        row[..4].copy_from_slice(&u32::try_from(begins).unwrap().to_le_bytes());
        row[4..8].copy_from_slice(&kind.to_le_bytes());
        row[24..32].copy_from_slice(&(body.len() as u64).to_le_bytes());
        row[32..40].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
        // The strings of the dynamic section are the section before it.
        row[40] = u8::try_from(index).unwrap();
        row[48] = 4;
        rows.extend(row);
        body.extend(bytes);
    }
    let table = body.len() as u64;
    body[..8].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1, 1, 0]);
    for (at, value) in [(16, 3), (18, 62), (20, 1), (52, 64), (58, 64)] {
        body[at] = value;
    }
    body[40..48].copy_from_slice(&table.to_le_bytes());
    body[60] = u8::try_from(sections.len() + 2).unwrap();
    body[62] = u8::try_from(sections.len() + 1).unwrap();
    body.extend(rows);
    body
}

/// Creates a library with everything that is read of a library.
pub(crate) fn library(fatbin: Vec<u8>) -> Vec<u8> {
    let strings = b"\0libamdhip64.so.7\0libx.so.1\0/opt/rocm/lib\0".to_vec();
    let rows = [(1, 1), (1, 18), (14, 18), (29, 28), (0, 0)];
    let dynamic = rows
        .iter()
        .flat_map(|(tag, value): &(u64, u64)| [tag.to_le_bytes(), value.to_le_bytes()].concat());
    let text = br#"[{"soname":["libz.so.1"],"feature":"zip","priority":"suggested"}]"#;
    let mut note = Vec::new();
    for number in [4, text.len(), 0x407c_0c0a] {
        note.extend(u32::try_from(number).unwrap().to_le_bytes());
    }
    note.extend(b"FDO\0");
    note.extend(text);
    note.resize(note.len().next_multiple_of(4), 0);
    host(&[
        (".dynstr", 3, strings),
        (".dynamic", 6, dynamic.collect()),
        (".note.dlopen", 7, note),
        (".hip_fatbin", 1, fatbin),
    ])
}

/// Creates a static library.
pub(crate) fn archive(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut out = b"!<arch>\n".to_vec();
    for (name, bytes) in members {
        out.extend(
            format!(
                "{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n",
                0,
                0,
                0,
                644,
                bytes.len()
            )
            .bytes(),
        );
        out.extend(bytes);
        out.resize(out.len().next_multiple_of(2), b'\n');
    }
    out
}

/// Creates a tar archive.
pub(crate) fn tar(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        builder
            .append_data(&mut header, name, bytes.as_slice())
            .unwrap();
    }
    builder.into_inner().unwrap()
}

pub(crate) fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

pub(crate) fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut writer =
        lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(0)).unwrap();
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    flate2::read::GzEncoder::new(bytes, flate2::Compression::fast())
        .read_to_end(&mut out)
        .unwrap();
    out
}

/// Creates an eopkg.
pub(crate) fn zip(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = rawzip::ZipArchiveWriter::new(&mut out);
    for (name, bytes) in members {
        let (mut entry, config) = writer.new_file(name).start().unwrap();
        let mut data = config.wrap(&mut entry);
        data.write_all(bytes).unwrap();
        let (_, descriptor) = data.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    writer.finish().unwrap();
    out
}

/// Returns the same files in each kind of package, with the package's name.
pub(crate) fn packages(files: &[(&str, Vec<u8>)]) -> Vec<(&'static str, Vec<u8>)> {
    let tree = tar(files);
    let deb = |name, bytes| {
        archive(&[
            ("debian-binary", b"2.0\n".to_vec()),
            ("control.tar.xz", xz(&tar(&[]))),
            (name, bytes),
        ])
    };
    let signature = ("rocx-1/image.tar.zst.sig", b"signed".to_vec());
    vec![
        ("x.pkg.tar.zst", zstd(&tree)),
        ("x.tar", tree.clone()),
        ("x.deb", deb("data.tar.xz", xz(&tree))),
        ("gz.deb", deb("data.tar.gz", gzip(&tree))),
        (
            "x.eopkg",
            zip(&[
                ("metadata.xml", b"<x/>".to_vec()),
                ("install.tar.xz", xz(&tree)),
            ]),
        ),
        (
            "x.gpkg.tar",
            tar(&[
                ("rocx-1/gpkg-1", Vec::new()),
                signature,
                ("rocx-1/image.tar.zst", zstd(&tree)),
            ]),
        ),
    ]
}

/// Creates unsupported kpack version 1 with one kernel for each target, not compressed.
pub(crate) fn kpack(kernels: &[(&str, Vec<u8>)]) -> Vec<u8> {
    #[derive(serde::Serialize)]
    struct Index {
        compression_scheme: &'static str,
        gfx_arch_family: &'static str,
        blobs: Vec<BTreeMap<&'static str, usize>>,
        toc: BTreeMap<&'static str, BTreeMap<String, BTreeMap<&'static str, usize>>>,
    }
    let mut out = b"KPAK\x01\0\0\0".to_vec();
    out.resize(64, 0);
    let (mut blobs, mut toc) = (Vec::new(), BTreeMap::new());
    for (ordinal, (target, bytes)) in kernels.iter().enumerate() {
        blobs.push(BTreeMap::from([
            ("offset", out.len()),
            ("size", bytes.len()),
        ]));
        toc.insert(
            (*target).to_owned(),
            BTreeMap::from([("ordinal", ordinal), ("original_size", bytes.len())]),
        );
        out.extend(bytes);
    }
    let at = out.len() as u64;
    out[8..16].copy_from_slice(&at.to_le_bytes());
    let toc = BTreeMap::from([("lib/libx.so", toc)]);
    let index = Index {
        compression_scheme: "none",
        gfx_arch_family: "gfx103X",
        blobs,
        toc,
    };
    out.extend(rmp_serde::to_vec_named(&index).unwrap());
    out
}

/// Returns one file of each format, for tests that hold for all of them.
pub(crate) fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let so = library(aligned(&[three(), compressed(3, 1, &three())]));
    let files = [
        ("usr/lib/libx.so.1", so.clone()),
        ("usr/lib/x/K_gfx1030.hsaco", code(4, GFX1030)),
    ];
    let mut samples = vec![
        ("plain.co", three()),
        ("v1.co", compressed(1, 1, &three())),
        ("v2.co", compressed(2, 0, &three())),
        ("v3.co", compressed(3, 1, &three())),
        ("code.hsaco", code(4, GFX90A)),
        ("libx.so", so.clone()),
        (
            "libx.a",
            archive(&[("a.o/", so), ("b.o/", library(three()))]),
        ),
        (
            "x.kpack",
            kpack(&[
                ("gfx1030", code(4, GFX1030)),
                ("gfx11-generic", code(4, GFX11_GENERIC)),
            ]),
        ),
    ];
    samples.extend(packages(&files));
    samples
}
