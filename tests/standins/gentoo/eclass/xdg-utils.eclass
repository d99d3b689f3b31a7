# Part of rocpkg's tests, under its MIT licence. A stand-in: the metadata of the eclass, and little more.

# @ECLASS: xdg-utils.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @BLURB: Desktop caches

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_XDG_UTILS_ECLASS} ]]; then
_XDG_UTILS_ECLASS=1

# @FUNCTION: xdg_environment_reset
# @DESCRIPTION:
# Keeps the user's desktop settings out of a build.
xdg_environment_reset() { unset DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR; }

fi
