# Part of rocpkg's tests, under its MIT licence. A stand-in: the metadata of the eclass, and little more.

# @ECLASS: multilib.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @BLURB: Library folders

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_MULTILIB_ECLASS} ]]; then
_MULTILIB_ECLASS=1

# @FUNCTION: get_modname
# @DESCRIPTION:
# How a loadable module's name ends.
get_modname() { echo .so; }

# @FUNCTION: get_libname
# @DESCRIPTION:
# How a shared library's name ends.
get_libname() { echo ".so${1:+.${1}}"; }

fi
