# Part of rocpkg's tests, under its MIT licence. A stand-in: the metadata of the eclass, and little more.

# @ECLASS: toolchain-funcs.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @BLURB: Names of the compiler and its tools

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_TOOLCHAIN_FUNCS_ECLASS} ]]; then
_TOOLCHAIN_FUNCS_ECLASS=1

# @FUNCTION: tc-getCC
# @DESCRIPTION:
# The C compiler.
tc-getCC() { echo "${CC:-${CHOST:+${CHOST}-}gcc}"; }

# @FUNCTION: tc-getCXX
# @DESCRIPTION:
# The C++ compiler.
tc-getCXX() { echo "${CXX:-${CHOST:+${CHOST}-}g++}"; }

# @FUNCTION: tc-getAR
# @DESCRIPTION:
# The archiver.
tc-getAR() { echo "${AR:-${CHOST:+${CHOST}-}ar}"; }

# @FUNCTION: tc-getRANLIB
# @DESCRIPTION:
# The archive indexer.
tc-getRANLIB() { echo "${RANLIB:-${CHOST:+${CHOST}-}ranlib}"; }

# @FUNCTION: tc-getPKG_CONFIG
# @DESCRIPTION:
# The pkg-config program.
tc-getPKG_CONFIG() { echo "${PKG_CONFIG:-pkg-config}"; }

# @FUNCTION: tc-export
# @USAGE: <variable>...
# @DESCRIPTION:
# Sets and exports the named tools.
tc-export() {
	local var
	for var; do
		declare -gx "${var}=$("tc-get${var}")" || die "tc-export ${var} failed"
	done
}

# @FUNCTION: tc-is-gcc
# @DESCRIPTION:
# True when the C compiler is GCC.
tc-is-gcc() { [[ $(tc-getCC) == *gcc* ]]; }

# @FUNCTION: tc-is-clang
# @DESCRIPTION:
# True when the C compiler is Clang.
tc-is-clang() { [[ $(tc-getCC) == *clang* ]]; }

# @FUNCTION: tc-is-cross-compiler
# @DESCRIPTION:
# True when the build machine is another one than the host.
tc-is-cross-compiler() { [[ ${CBUILD:-${CHOST}} != "${CHOST}" ]]; }

# @FUNCTION: tc-get-cxx-stdlib
# @DESCRIPTION:
# The C++ standard library in use.
tc-get-cxx-stdlib() { echo libstdc++; }

fi
