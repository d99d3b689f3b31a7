# Part of rocpkg's tests, under its MIT licence. A stand-in: the metadata of the eclass, and little more.

# @ECLASS: edo.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @BLURB: Prints a command, then runs it or dies

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_EDO_ECLASS} ]]; then
_EDO_ECLASS=1

# @FUNCTION: edo
# @USAGE: <command> [<argument>...]
# @DESCRIPTION:
# Prints a command, then runs it or dies.
edo() {
	einfo "$*"
	"$@" || die -n "failed: $*"
}

# @FUNCTION: edob
# @USAGE: [-m <message>] <command> [<argument>...]
# @DESCRIPTION:
# As edo, with a line that says how it ended.
edob() {
	local message="Running $1"
	[[ $1 == -m ]] && { message=$2; shift 2; }
	ebegin "${message}"
	"$@"
	eend $? || die -n "failed: $*"
}

fi
