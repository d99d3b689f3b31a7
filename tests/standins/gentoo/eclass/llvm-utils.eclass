# Part of rocpkg's tests, under its MIT licence. A stand-in: the metadata of the eclass, and little more.

# @ECLASS: llvm-utils.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @BLURB: Where LLVM is

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_LLVM_UTILS_ECLASS} ]]; then
_LLVM_UTILS_ECLASS=1

# @FUNCTION: get_llvm_prefix
# @USAGE: [-b|-d]
# @DESCRIPTION:
# The folder of the chosen LLVM.
get_llvm_prefix() {
	local root=${ESYSROOT}
	[[ ${1} == -b ]] && root=${BROOT}
	echo "${root}/usr/lib/llvm/${LLVM_SLOT}"
}

# @FUNCTION: llvm_prepend_path
# @USAGE: [-b|-d] <slot>
# @DESCRIPTION:
# Puts an LLVM first on PATH.
llvm_prepend_path() {
	local root=${ESYSROOT}
	[[ ${1} == -b ]] && root=${BROOT}
	[[ ${1} == -? ]] && shift
	export PATH="${root}/usr/lib/llvm/${1}/bin:${PATH}"
}

fi
