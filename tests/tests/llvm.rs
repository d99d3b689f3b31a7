//! The registry of GPU targets against the newest LLVM in Debian's suites.

use regex::Regex;
use rocpkg::Stack;
use std::collections::BTreeMap;
use std::fs;

/// Returns the text of a header that `cargo xtask install-tools` fetched. `name` is its path below
/// `llvm/`, or the beginning of that path.
fn header(name: &str) -> String {
    let (folder, start) = name.rsplit_once('/').unwrap();
    let folder = rocpkg_programs::tools().join("llvm").join(folder);
    let files = fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}: run `cargo xtask install-tools`", folder.display()));
    let files = files.flatten().map(|file| file.path());
    let mut all: Vec<_> = files
        .filter(|path| {
            path.file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with(start)
        })
        .collect();
    all.sort();
    all.iter()
        .map(|path| fs::read_to_string(path).unwrap())
        .collect()
}

#[test]
fn each_target_of_the_newest_llvm_is_in_the_registry_with_its_number() {
    let version = fs::read_to_string(rocpkg_programs::tools().join("llvm/version.txt")).unwrap();
    println!("read: {}", version.trim());
    let stack = Stack::shipped().unwrap();
    let file = stack.registry().unwrap().file();
    let processors = file.processors.iter().map(|(name, p)| (name, &p.elf));
    let generics = file.generics.iter().map(|(name, g)| (name, &g.elf));
    let ours: BTreeMap<&str, &str> = processors
        .chain(generics)
        .map(|(name, elf)| (name.as_str(), elf.as_ref().unwrap().value.as_str()))
        .collect();
    let row = r#"X\((0x[0-9a-f]{2}), EF_AMDGPU_MACH_AMDGCN_GFX\w+, +"([^"]+)"\)"#;
    let text = header("BinaryFormat/ELF.h").replace("\\\n", "");
    let row = Regex::new(row).unwrap();
    let llvms: BTreeMap<&str, &str> = row
        .captures_iter(&text)
        .map(|row| (row.get(2).unwrap().as_str(), row.get(1).unwrap().as_str()))
        .collect();
    assert!(
        llvms.len() > 60,
        "{}: {} targets were read",
        version.trim(),
        llvms.len()
    );
    for (name, number) in &llvms {
        assert_eq!(ours.get(name), Some(number), "{name} in {}", version.trim());
    }
    let parser = header("TargetParser/AMDGPUTargetParser");
    let constant = Regex::new(r"\bGK_(GFX\w+)").unwrap();
    let named: Vec<String> = constant
        .captures_iter(&parser)
        .map(|name| name[1].to_lowercase().replace('_', "-"))
        .collect();
    assert!(
        named.len() > 60,
        "{}: {} names were read",
        version.trim(),
        named.len()
    );
    for name in named {
        assert!(
            ours.contains_key(name.as_str()),
            "{name} in {}",
            version.trim()
        );
    }
}
