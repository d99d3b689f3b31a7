# Part of rocpkg's tests, under its MIT licence. A stand-in: the metadata of the eclass, and little more.

# @ECLASS: linux-info.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @BLURB: The kernel's configuration

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_LINUX_INFO_ECLASS} ]]; then
_LINUX_INFO_ECLASS=1

inherit toolchain-funcs

# @ECLASS_VARIABLE: CONFIG_CHECK
# @DEFAULT_UNSET
# @DESCRIPTION:
# Kernel options, each with ~ when it is only advised.

# @FUNCTION: linux_config_exists
# @DESCRIPTION:
# True when a kernel configuration can be read: here never.
linux_config_exists() { return 1; }

# @FUNCTION: linux-info_get_any_version
# @DESCRIPTION:
# Finds out the kernel's version.
linux-info_get_any_version() { return 0; }

# @FUNCTION: check_extra_config
# @DESCRIPTION:
# Looks up CONFIG_CHECK.
check_extra_config() { :; }

# @FUNCTION: linux-info_pkg_setup
# @DESCRIPTION:
# Looks up CONFIG_CHECK.
linux-info_pkg_setup() { check_extra_config; }

fi

EXPORT_FUNCTIONS pkg_setup
