# Part of rocpkg's tests, under its MIT licence. A stand-in: what its successor is, under its own name.

# @ECLASS: llvm-r1.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @PROVIDES: llvm-r2
# @BLURB: A choice of LLVM by slot

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_LLVM_R1_ECLASS} ]]; then
_LLVM_R1_ECLASS=1

inherit llvm-r2

# @FUNCTION: llvm-r1_pkg_setup
# @DESCRIPTION:
# Finds the slot and puts it on PATH.
llvm-r1_pkg_setup() {
	llvm-r2_pkg_setup
}

fi

[[ ${LLVM_OPTIONAL} ]] || EXPORT_FUNCTIONS pkg_setup
