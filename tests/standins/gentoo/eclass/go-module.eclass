# Part of rocpkg's tests, under its MIT licence. A stand-in: the metadata of the eclass, and little more.

# @ECLASS: go-module.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @BLURB: Programs in Go

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_GO_MODULE_ECLASS} ]]; then
_GO_MODULE_ECLASS=1

BDEPEND+=" >=dev-lang/go-1.20:="

# @FUNCTION: ego
# @USAGE: [<arguments>...]
# @DESCRIPTION:
# Calls go, and dies where that fails.
ego() { go "$@" || die -n "go $* failed"; }

# @FUNCTION: go-module_src_unpack
# @DESCRIPTION:
# Unpacks the sources.
go-module_src_unpack() { default; }

fi

EXPORT_FUNCTIONS src_unpack
