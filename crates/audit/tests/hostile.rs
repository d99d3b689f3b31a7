//! Tests arbitrary bytes. Each reader returns, and uses no more memory than its buffers.

use proptest::prelude::*;
use rocpkg_audit::bytes;
use std::fs;
use std::path::Path;

/// File names by which each reader is selected. Packages are recognised by their first bytes.
const NAMES: [&str; 3] = ["x", "x_gfx1030.co", "x.kpack"];
/// A limit above the size of all buffers together, and far below the sizes that a header of a few
/// bytes can state.
const MOST: u64 = 64 << 20;

fn holds(content: &[u8]) {
    for name in NAMES {
        let mut read = None;
        let took = allocation_counter::measure(|| read = bytes(name, content).ok());
        assert!(
            took.bytes_max < MOST,
            "{} bytes for {}",
            took.bytes_max,
            content.len()
        );
        for (file, fault) in read.iter().flat_map(rocpkg_audit::Audit::faults) {
            assert!(!file.path.contains('\0') || !fault.to_string().is_empty());
        }
        for object in read
            .iter()
            .flat_map(|audit| &audit.files)
            .flat_map(|file| &file.objects)
        {
            assert!(!object.processor().contains(':'));
        }
    }
}

#[test]
fn the_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuzz/corpus/audit");
    let files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    assert!(files.len() > 10);
    for file in files {
        holds(&fs::read(file).unwrap());
    }
}

#[test]
fn a_sample_cut_anywhere() {
    for (name, content) in crate::common::samples() {
        let step = (content.len() / 300).max(1);
        for size in (0..content.len()).step_by(step) {
            holds(&content[..size]);
        }
        assert_eq!(
            bytes(name, &content)
                .unwrap()
                .faults()
                .filter(|(_, fault)| !fault.to_string().contains("labelled as"))
                .count(),
            0,
            "{name}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn any_bytes(content in prop::collection::vec(any::<u8>(), 0..600), magic in 0usize..12) {
        let magics: [&[u8]; 12] = [
            b"", b"__CLANG_OFFLOAD_BUNDLE__", b"CCOB\x01\0\x01\0", b"CCOB\x02\0\0\0", b"CCOB\x03\0\x01\0", b"\x7fELF\x02\x01\x01", b"!<arch>\n",
            b"KPAK\x01\0\0\0", b"PK\x03\x04", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"!<arch>\ndebian-binary   ",
        ];
        holds(&[magics[magic], &content].concat());
    }

    #[test]
    fn flipped_samples(sample in 0usize..14, flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let mut samples = crate::common::samples();
        let mut content = samples.swap_remove(sample).1;
        for (at, byte) in flips {
            let at = at.index(content.len());
            content[at] = byte;
        }
        holds(&content);
    }

    /// Changes bytes of headers, which contain the sizes. Random changes seldom hit a header.
    #[test]
    fn flipped_headers(sample in 0usize..14, flips in prop::collection::vec((0usize..160, prop::sample::select(vec![0u8, 1, 0x7f, 0x80, 0xff])), 1..8)) {
        let mut samples = crate::common::samples();
        let mut content = samples.swap_remove(sample).1;
        for (at, byte) in flips {
            let at = at.min(content.len() - 1);
            content[at] = byte;
        }
        holds(&content);
    }
}
