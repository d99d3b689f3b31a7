# Part of rocpkg's tests, under its MIT licence. A stand-in: the metadata of the eclass, and little more.

# @ECLASS: optfeature.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @BLURB: Advice on packages that add features

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_OPTFEATURE_ECLASS} ]]; then
_OPTFEATURE_ECLASS=1

# @FUNCTION: optfeature_header
# @USAGE: [text]
# @DESCRIPTION:
# Sets the heading of the advice.
optfeature_header() { :; }

# @FUNCTION: optfeature
# @USAGE: <description> <atom>...
# @DESCRIPTION:
# Names the packages that add a feature.
optfeature() { :; }

fi
