# Part of rocpkg's tests, under its MIT licence. A stand-in: the metadata of the eclass, and little more.

# @ECLASS: flag-o-matic.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @BLURB: Changes to compiler flags

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_FLAG_O_MATIC_ECLASS} ]]; then
_FLAG_O_MATIC_ECLASS=1

inherit toolchain-funcs

# @FUNCTION: append-cflags
# @USAGE: <flag>...
# @DESCRIPTION:
# Adds flags for C.
append-cflags() { export CFLAGS+=" $*"; }

# @FUNCTION: append-cxxflags
# @USAGE: <flag>...
# @DESCRIPTION:
# Adds flags for C++.
append-cxxflags() { export CXXFLAGS+=" $*"; }

# @FUNCTION: append-libs
# @USAGE: <flag>...
# @DESCRIPTION:
# Adds libraries.
append-libs() { export LIBS+=" $*"; }

# @FUNCTION: append-cppflags
# @USAGE: <flag>...
# @DESCRIPTION:
# Adds flags for the preprocessor.
append-cppflags() { export CPPFLAGS+=" $*"; }

# @FUNCTION: append-flags
# @USAGE: <flag>...
# @DESCRIPTION:
# Adds flags for C, C++ and Fortran.
append-flags() { export CFLAGS+=" $*" CXXFLAGS+=" $*" FCFLAGS+=" $*" FFLAGS+=" $*"; }

# @FUNCTION: append-ldflags
# @USAGE: <flag>...
# @DESCRIPTION:
# Adds flags for the linker.
append-ldflags() { export LDFLAGS+=" $*"; }

# @FUNCTION: append-lfs-flags
# @DESCRIPTION:
# Asks for large files.
append-lfs-flags() { append-cppflags -D_FILE_OFFSET_BITS=64 -D_LARGEFILE_SOURCE; }

# @FUNCTION: filter-flags
# @USAGE: <pattern>...
# @DESCRIPTION:
# Takes flags that match a pattern out.
filter-flags() {
	local var word pattern kept
	for var in CFLAGS CXXFLAGS CPPFLAGS FCFLAGS FFLAGS LDFLAGS; do
		kept=()
		for word in ${!var}; do
			for pattern; do
				# shellcheck disable=SC2053
				[[ ${word} == ${pattern} ]] && continue 2
			done
			kept+=( "${word}" )
		done
		declare -gx "${var}=${kept[*]}"
	done
}

# @FUNCTION: replace-flags
# @USAGE: <old> <new>
# @DESCRIPTION:
# Puts one flag in another's place.
replace-flags() {
	local var word kept
	for var in CFLAGS CXXFLAGS; do
		kept=()
		for word in ${!var}; do
			# shellcheck disable=SC2053
			[[ ${word} == ${1} ]] && word=${2}
			kept+=( "${word}" )
		done
		declare -gx "${var}=${kept[*]}"
	done
}

# @FUNCTION: filter-lto
# @DESCRIPTION:
# Takes link-time optimisation out.
filter-lto() { filter-flags '-flto*' -fwhole-program-vtables; }

# @FUNCTION: strip-unsupported-flags
# @DESCRIPTION:
# Takes out what the compiler does not know: here nothing.
strip-unsupported-flags() { :; }

# @FUNCTION: test-flags-CC
# @USAGE: <flag>...
# @DESCRIPTION:
# Prints the flags that the C compiler takes: here all.
test-flags-CC() { echo "$@"; }

# @FUNCTION: test-flags-CXX
# @USAGE: <flag>...
# @DESCRIPTION:
# Prints the flags that the C++ compiler takes: here all.
test-flags-CXX() { echo "$@"; }

# @FUNCTION: test-flags-HIPCXX
# @USAGE: <flag>...
# @DESCRIPTION:
# Prints the flags that the compiler takes for HIP: here all.
test-flags-HIPCXX() { echo "$@"; }

# @FUNCTION: test-flags-CCLD
# @USAGE: <flag>...
# @DESCRIPTION:
# Prints the flags that the linker takes: here all.
test-flags-CCLD() { echo "$@"; }

# @FUNCTION: test-flag-CXX
# @USAGE: <flag>
# @DESCRIPTION:
# True when the C++ compiler takes the flag: here always.
test-flag-CXX() { return 0; }

# @FUNCTION: get-flag
# @USAGE: <flag>
# @DESCRIPTION:
# Prints the value of a flag in use.
get-flag() {
	local word
	for word in ${CFLAGS} ${CXXFLAGS}; do
		[[ ${word} == "${1}"* ]] && { echo "${word#"${1}"=}"; return 0; }
	done
	return 1
}

fi
