# Part of rocpkg's tests, under its MIT licence. A stand-in: the metadata of the eclass, and little more.

# @ECLASS: distutils-r1.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @PROVIDES: python-r1 python-single-r1
# @BLURB: Python packages by PEP 517

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_DISTUTILS_R1_ECLASS} ]]; then
_DISTUTILS_R1_ECLASS=1

# @ECLASS_VARIABLE: DISTUTILS_USE_PEP517
# @REQUIRED
# @PRE_INHERIT
# @DESCRIPTION:
# The build back end.

# @ECLASS_VARIABLE: DISTUTILS_SINGLE_IMPL
# @DEFAULT_UNSET
# @PRE_INHERIT
# @DESCRIPTION:
# Set when the package is for one Python alone.

# @ECLASS_VARIABLE: DISTUTILS_EXT
# @DEFAULT_UNSET
# @PRE_INHERIT
# @DESCRIPTION:
# Set when the package builds extension modules.

# @ECLASS_VARIABLE: EPYTEST_DESELECT
# @DEFAULT_UNSET
# @DESCRIPTION:
# Tests to leave out.

# @ECLASS_VARIABLE: EPYTEST_PLUGINS
# @DEFAULT_UNSET
# @DESCRIPTION:
# Plugins of pytest that the tests need.

inherit multilib
if [[ ${DISTUTILS_SINGLE_IMPL} ]]; then
	inherit python-single-r1
else
	inherit python-r1
fi

_distutils_r1_set_globals() {
	local backend wheel=">=dev-python/gpep517-16[${PYTHON_USEDEP}]"
	case ${DISTUTILS_USE_PEP517} in
		setuptools) backend="dev-python/setuptools[${PYTHON_USEDEP}]" ;;
		hatchling) backend="dev-python/hatchling[${PYTHON_USEDEP}]" ;;
		flit) backend="dev-python/flit-core[${PYTHON_USEDEP}]" ;;
		scikit-build-core) backend="dev-python/scikit-build-core[${PYTHON_USEDEP}]" ;;
		no) backend= wheel= ;;
		*) die "distutils-r1: unknown DISTUTILS_USE_PEP517 ${DISTUTILS_USE_PEP517}" ;;
	esac
	RDEPEND+=" ${PYTHON_DEPS}"
	BDEPEND+=" ${PYTHON_DEPS} ${wheel} ${backend}"
	REQUIRED_USE+=" ${PYTHON_REQUIRED_USE}"
}
_distutils_r1_set_globals
unset -f _distutils_r1_set_globals

# @FUNCTION: distutils_enable_tests
# @USAGE: [<runner>]
# @DESCRIPTION:
# Adds what the tests need.
distutils_enable_tests() {
	local runner=
	case $1 in
		pytest)
			runner=">=dev-python/pytest-7.4.4[${PYTHON_USEDEP}]"
			runner+=" dev-python/pytest-forked[${PYTHON_USEDEP}] dev-python/pytest-xdist[${PYTHON_USEDEP}]"
			;;
		unittest) runner="dev-python/unittest-or-fail[${PYTHON_USEDEP}]" ;;
		*) die "distutils_enable_tests: unknown runner $1" ;;
	esac
	IUSE+=" test"
	RESTRICT+=" !test? ( test )"
	BDEPEND+=" test? ( ${RDEPEND} ${runner} )"
}

# @FUNCTION: distutils-r1_src_prepare
# @DESCRIPTION:
# Applies patches.
distutils-r1_src_prepare() { default_src_prepare; }

# @FUNCTION: distutils-r1_src_configure
# @DESCRIPTION:
# Runs python_configure for each Python.
distutils-r1_src_configure() {
	declare -F python_configure >/dev/null || return 0
	python_foreach_impl python_configure
}

# @FUNCTION: distutils-r1_python_compile
# @DESCRIPTION:
# Builds a wheel.
distutils-r1_python_compile() {
	"${EPYTHON}" -m gpep517 build-wheel --output-fd 3 --wheel-dir "${WORKDIR}/wheel-${EPYTHON}" 3>&1 \
		|| die "no wheel was built"
}

# @FUNCTION: distutils-r1_src_compile
# @DESCRIPTION:
# Builds for each Python.
distutils-r1_src_compile() {
	if declare -F python_compile >/dev/null; then
		python_foreach_impl python_compile
	else
		python_foreach_impl distutils-r1_python_compile
	fi
}

# @FUNCTION: distutils-r1_src_test
# @DESCRIPTION:
# Tests for each Python.
distutils-r1_src_test() {
	if declare -F python_test >/dev/null; then
		python_foreach_impl python_test
	else
		python_foreach_impl epytest
	fi
}

# @FUNCTION: distutils-r1_python_install
# @DESCRIPTION:
# Installs the wheel.
distutils-r1_python_install() {
	"${EPYTHON}" -m gpep517 install-wheel --destdir "${D}" "${WORKDIR}/wheel-${EPYTHON}"/*.whl \
		|| die "the wheel was not installed"
}

# @FUNCTION: distutils-r1_src_install
# @DESCRIPTION:
# Installs for each Python.
distutils-r1_src_install() {
	if declare -F python_install >/dev/null; then
		python_foreach_impl python_install
	else
		python_foreach_impl distutils-r1_python_install
	fi
	declare -F python_install_all >/dev/null && python_install_all
	einstalldocs
}

fi

EXPORT_FUNCTIONS src_prepare src_configure src_compile src_test src_install
