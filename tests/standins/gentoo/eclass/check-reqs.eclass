# Part of rocpkg's tests, under its MIT licence. A stand-in: the metadata of the eclass, and little more.

# @ECLASS: check-reqs.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @BLURB: Memory and disk that a build needs

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_CHECK_REQS_ECLASS} ]]; then
_CHECK_REQS_ECLASS=1

# @ECLASS_VARIABLE: CHECKREQS_MEMORY
# @DEFAULT_UNSET
# @DESCRIPTION:
# Memory, with a unit: 4G.

# @ECLASS_VARIABLE: CHECKREQS_DISK_BUILD
# @DEFAULT_UNSET
# @DESCRIPTION:
# Space for the build, with a unit.

# @ECLASS_VARIABLE: CHECKREQS_DISK_USR
# @DEFAULT_UNSET
# @DESCRIPTION:
# Space for what is installed below /usr.

# @ECLASS_VARIABLE: CHECKREQS_DISK_VAR
# @DEFAULT_UNSET
# @DESCRIPTION:
# Space for what is installed below /var.

# @FUNCTION: check-reqs_pkg_pretend
# @DESCRIPTION:
# Dies when none of the requirements was stated.
check-reqs_pkg_pretend() {
	[[ -n ${CHECKREQS_MEMORY}${CHECKREQS_DISK_BUILD}${CHECKREQS_DISK_USR}${CHECKREQS_DISK_VAR} ]] \
		|| die "check-reqs: nothing to check"
}

# @FUNCTION: check-reqs_pkg_setup
# @DESCRIPTION:
# As check-reqs_pkg_pretend.
check-reqs_pkg_setup() { check-reqs_pkg_pretend; }

fi

EXPORT_FUNCTIONS pkg_pretend pkg_setup
