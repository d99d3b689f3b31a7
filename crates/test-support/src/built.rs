//! Libraries with code for GPUs, for tests that read built files. Some are compiled by Debian's
//! clang, and others are from Debian's packages.

use crate::copy::write_file;
use crate::tools::{outcome, run};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The source of a GPU kernel. It contains the declarations that clang needs, so that HIP's headers
/// need not be installed.
const KERNEL: &str = include_str!("../../../tests/standins/kernel.hip");

/// Compiles the library `libNAME.so.1` in `folder`, with code for the GPU targets `targets`. The
/// library needs `libOTHER.so.1` for each name in `needs`. `more` are further options of the
/// compiler. Returns the path of the library.
pub fn library(
    folder: &Path,
    name: &str,
    targets: &[&str],
    needs: &[&str],
    more: &[&str],
) -> PathBuf {
    fs::create_dir_all(folder).expect("a folder for what is built");
    let clang = |args: &[String]| {
        let mut command = rocpkg_programs::command("clang-22");
        let done = run(command
            .args(["-fPIC", "-nostdlib", "-fuse-ld=lld"])
            .args(args)
            .current_dir(folder));
        outcome(&done).unwrap_or_else(|e| panic!("{e}"));
    };
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    for other in needs {
        write_file(folder.join("other.c"), "");
        clang(&words(&format!(
            "-shared other.c -Wl,-soname,lib{other}.so.1 -o lib{other}.so"
        )));
    }
    write_file(folder.join("kernel.hip"), KERNEL);
    let mut compile = words("-x hip -nogpulib -nogpuinc -c kernel.hip -o kernel.o");
    compile.extend(
        targets
            .iter()
            .map(|target| format!("--offload-arch={target}")),
    );
    compile.extend(more.iter().map(|&word| word.to_owned()));
    clang(&compile);
    let mut link = words(&format!(
        "-shared kernel.o -L. -Wl,--no-as-needed -Wl,-soname,lib{name}.so.1 -o lib{name}.so.1"
    ));
    link.extend(needs.iter().map(|other| format!("-l{other}")));
    clang(&link);
    for other in needs {
        fs::remove_file(folder.join(format!("lib{other}.so"))).expect("it was made");
    }
    folder.join(format!("lib{name}.so.1"))
}

/// Returns the paths of Debian's packages that `cargo xtask install-tools` fetched. Each has the
/// GPU targets that Debian's index of packages declares for it.
pub fn debians() -> Vec<(PathBuf, Vec<String>)> {
    let own = rocpkg_programs::tools().join("built");
    let folder = env::var_os("ROCPKG_BUILT").map_or(own, PathBuf::from);
    let declared = fs::read_to_string(folder.join("declared.txt"));
    let declared = declared
        .unwrap_or_else(|e| panic!("{}: {e}: run `cargo xtask install-tools`", folder.display()));
    let read = |package: &str| {
        let field = |name: &str| {
            package
                .lines()
                .find_map(|l| l.strip_prefix(name)?.strip_prefix(": "))
                .map(str::to_owned)
        };
        let (name, version) = (field("Package")?, field("Version")?);
        let targets = field("X-Rocm-Gpu-Architecture")?
            .split(' ')
            .map(str::to_owned)
            .collect();
        Some((
            folder.join(format!("{name}_{}_amd64.deb", version.replace(':', "%3a"))),
            targets,
        ))
    };
    declared.split("\n\n").filter_map(read).collect()
}
