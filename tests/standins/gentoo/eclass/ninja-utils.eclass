# Part of rocpkg's tests, under its MIT licence. A stand-in: the metadata of the eclass, and little more.

# @ECLASS: ninja-utils.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @BLURB: Runs ninja

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_NINJA_UTILS_ECLASS} ]]; then
_NINJA_UTILS_ECLASS=1

# @ECLASS_VARIABLE: NINJA_DEPEND
# @OUTPUT_VARIABLE
# @DESCRIPTION:
# The package that brings ninja.
NINJA_DEPEND="app-alternatives/ninja"

# @FUNCTION: get_NINJAOPTS
# @DESCRIPTION:
# The options that ninja runs with.
get_NINJAOPTS() { echo "${NINJAOPTS-${MAKEOPTS}}"; }

# @FUNCTION: eninja
# @USAGE: [<argument>...]
# @DESCRIPTION:
# Runs ninja or dies.
eninja() {
	# shellcheck disable=SC2046
	ninja -v $(get_NINJAOPTS) "$@" || die -n "ninja failed"
}

fi
