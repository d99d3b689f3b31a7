//! The words for each kind of name in messages, and the names that are known without a declaration.

use super::symbol::Kind;
use crate::layer::rules::KINDS;
use crate::layer::steps::STANDARD;

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

/// Variables of the environment that compilers read. Those of the stack's builds are in
/// `upstream.yaml`.
const ENVIRONMENT: &str = "CFLAGS CPPFLAGS CXXFLAGS FCFLAGS FFLAGS LDFLAGS PYTHONPATH";

/// Returns the names of a kind that are valid although no profile declares them.
pub(super) fn fixed(kind: Kind) -> Vec<&'static str> {
    match kind {
        Kind::Option => CMAKE.split_whitespace().collect(),
        Kind::Variable => ENVIRONMENT
            .split_whitespace()
            .chain(CMAKE.split_whitespace())
            .collect(),
        Kind::Phase => STANDARD.to_vec(),
        Kind::Word => KINDS.to_vec(),
        _ => Vec::new(),
    }
}

/// Returns the code of an error about a name of a kind.
pub(super) fn code(kind: Kind) -> &'static str {
    match kind {
        Kind::Package => "E0122",
        Kind::Component => "E0208",
        Kind::Live => "E0243",
        Kind::Dependency => "E0205",
        Kind::Target | Kind::Targets => "E0202",
        Kind::Feature => "E0201",
        Kind::Option | Kind::Part | Kind::Variable => "E0228",
        Kind::TargetVariable => "E0609",
        Kind::Repository => "E0232",
        Kind::Source | Kind::Warning => "E0218",
        Kind::Phase => "E0114",
        Kind::Word => "E0216",
    }
}

/// Returns the noun for a kind of name.
pub(super) fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Package | Kind::Live => "package",
        Kind::Component => "component",
        Kind::Dependency => "dependency",
        Kind::Target | Kind::Targets => "GPU target",
        Kind::Feature => "feature",
        Kind::Option => "option",
        Kind::TargetVariable => "variable for GPU targets",
        Kind::Part => "part",
        Kind::Repository => "upstream repository",
        Kind::Source => "source",
        Kind::Warning => "warning",
        Kind::Variable => "variable",
        Kind::Phase => "phase",
        Kind::Word => "kind of package",
    }
}

/// Returns the text about what was expected instead of a wrong name.
pub(super) fn expected(kind: Kind) -> String {
    let said = match kind {
        Kind::Package => "expected an id that the distribution's file lists under `packages`",
        Kind::Component => "expected the name of a file in `components`",
        Kind::Live => "expected one of the distribution's packages, or a row of externals.yaml",
        Kind::Dependency => "expected a package, or a row of externals.yaml",
        Kind::Target => "expected a processor or a generic target of targets.yaml",
        Kind::Targets => "expected a processor, a generic target or a family of targets.yaml",
        Kind::Feature => {
            "expected a feature of the package; a new one needs a `summary` or a `name`"
        }
        Kind::Option => {
            "expected an option of a component or of CMake; declare a new one under `options`"
        }
        Kind::TargetVariable => "expected a variable from which a component reads GPU targets",
        Kind::Part => "expected a part of the component; a new one needs `goals`",
        Kind::Repository => {
            "expected a repository of upstream.yaml, or a name that resembles none of them"
        }
        Kind::Source | Kind::Warning => "this removes nothing",
        Kind::Variable => "expected a variable that a build reads",
        Kind::Phase => return format!("expected one of: {}", STANDARD.join(", ")),
        Kind::Word => return format!("expected one of: {}", KINDS.join(", ")),
    };
    said.to_owned()
}
