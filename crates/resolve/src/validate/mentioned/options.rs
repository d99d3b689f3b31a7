//! Options of upstream's builds, and variables of the environment, that overlays and habits mention.

use super::{Names, arguments, entries};
use rocpkg_model::{Finding, Findings, Node, slip};
use std::{collections::BTreeSet, sync::LazyLock};

/// Variables of CMake that recipes set.
const CMAKE: &str = "\
BUILD_SHARED_LIBS BUILD_TESTING CMAKE_ASM_COMPILER CMAKE_BUILD_TYPE CMAKE_BUILD_WITH_INSTALL_RPATH CMAKE_CXX_COMPILER \
CMAKE_CXX_COMPILER_LAUNCHER CMAKE_CXX_FLAGS CMAKE_CXX_FLAGS_RELEASE CMAKE_CXX_STANDARD CMAKE_C_COMPILER CMAKE_C_COMPILER_LAUNCHER \
CMAKE_C_FLAGS CMAKE_C_FLAGS_RELEASE CMAKE_EXE_LINKER_FLAGS CMAKE_Fortran_COMPILER CMAKE_Fortran_FLAGS CMAKE_HIP_ARCHITECTURES \
CMAKE_HIP_COMPILER CMAKE_HIP_FLAGS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_DATADIR CMAKE_INSTALL_DATAROOTDIR CMAKE_INSTALL_DOCDIR \
CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_INFODIR CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_LIBEXECDIR CMAKE_INSTALL_LOCALEDIR \
CMAKE_INSTALL_LOCALSTATEDIR CMAKE_INSTALL_MANDIR CMAKE_INSTALL_OLDINCLUDEDIR CMAKE_INSTALL_PREFIX CMAKE_INSTALL_RPATH \
CMAKE_INSTALL_RUNSTATEDIR CMAKE_INSTALL_SBINDIR CMAKE_INSTALL_SHAREDSTATEDIR CMAKE_INSTALL_SYSCONFDIR CMAKE_MODULE_LINKER_FLAGS CMAKE_MODULE_PATH CMAKE_POLICY_VERSION_MINIMUM \
CMAKE_POSITION_INDEPENDENT_CODE CMAKE_PREFIX_PATH CMAKE_RC_COMPILER CMAKE_RC_FLAGS CMAKE_SHARED_LINKER_FLAGS CMAKE_SKIP_INSTALL_RPATH CMAKE_SKIP_RPATH \
CMAKE_TOOLCHAIN_FILE CMAKE_VERBOSE_MAKEFILE Python_EXECUTABLE Python3_EXECUTABLE";

/// Variables of the environment that compilers and upstream's builds read.
const ENVIRONMENT: &str = "\
CFLAGS CPPFLAGS CXXFLAGS FCFLAGS FFLAGS HIPFLAGS LDFLAGS DEVICE_LIB_PATH HIPCC_COMPILE_FLAGS_APPEND HIPCC_LINK_FLAGS_APPEND \
HIP_CLANG_PATH HIP_DEVICE_LIB_PATH HIP_PATH HIP_PLATFORM HSA_PATH PYTHONPATH ROCM_PATH TENSILE_ROCM_ASSEMBLER_PATH \
TENSILE_ROCM_OFFLOAD_BUNDLER_PATH";

/// The shortest variable of the environment of which a slip is seen: shorter ones are but a letter from many that tools read, such as
/// MFLAGS and LFLAGS.
const LONG: usize = 8;

/// The options that are known: of components, of CMake, and what is passed already.
pub(super) fn known<'a>(all: &'a [&Names<'_>]) -> impl Iterator<Item = &'a str> + Clone {
    let own = all.iter().flat_map(|k| k.arguments.iter().chain(&k.options).chain(&k.variables));
    own.copied().chain(CMAKE.split_whitespace())
}

fn is_of_cmake(name: &str) -> bool {
    static ALL: LazyLock<BTreeSet<&str>> = LazyLock::new(|| CMAKE.split_whitespace().collect());
    ALL.contains(name)
}

/// CMake takes any argument, and tells of one that nobody reads behind all else that it says. One that is an option but for a letter
/// is refused. What the layers pass themselves is not known by that.
pub(super) fn check(below: &[&Names], own: &Names, layers: &[&Node], findings: &mut Findings) {
    let known = known(below).chain(own.options.iter().chain(&own.variables).copied());
    let flags = layers.iter().filter_map(|l| l.get("nix")?.get("flags")).flat_map(Node::entries);
    let written = layers.iter().flat_map(|l| arguments(l)).chain(flags);
    // Most are known, and a look into sets is cheap.
    let has = |k: &Names, name: &str| k.options.contains(name) || k.variables.contains(name);
    let is_known = |name: &str| {
        has(own, name)
            || below.iter().any(|k| k.arguments.contains(name) || has(k, name))
            || is_of_cmake(name)
    };
    for (key, _) in written.filter(|entry| !super::is_gone(entry) && !is_known(&entry.0.name)) {
        if let Some(meant) = slip(&key.name, known.clone()) {
            findings.push(
                Finding::error("E0228", key.span, format!("unknown option `{}`", key.name))
                    .label("expected one of a component or of CMake; a further one is stated under `options`")
                    .nearest(&key.name, [meant]),
            );
        }
    }
}

/// A program takes any environment too.
pub(super) fn check_environment(layers: &[&Node], findings: &mut Findings) {
    let of_phases = layers.iter().flat_map(|l| entries(l, "environment")).map(|(_, variables)| variables);
    let projects = layers.iter().flat_map(|l| entries(l, "cmake"));
    let of_projects = projects.filter_map(|(_, project)| project.get("environment"));
    let known = ENVIRONMENT.split_whitespace().chain(CMAKE.split_whitespace());
    for (key, _) in of_phases.chain(of_projects).flat_map(Node::entries) {
        if let Some(meant) = slip(&key.name, known.clone()).filter(|_| key.name.len() >= LONG) {
            findings.push(
                Finding::error("E0228", key.span, format!("nothing reads the variable `{}`", key.name))
                    .label("expected another one")
                    .nearest(&key.name, [meant]),
            );
        }
    }
}
