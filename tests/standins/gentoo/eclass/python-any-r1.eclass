# Part of rocpkg's tests, under its MIT licence. A stand-in: the metadata of the eclass, and little more.

# @ECLASS: python-any-r1.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @PROVIDES: python-utils-r1
# @BLURB: Packages that need some Python to build

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_PYTHON_ANY_R1_ECLASS} ]]; then
_PYTHON_ANY_R1_ECLASS=1

inherit python-utils-r1

# @ECLASS_VARIABLE: PYTHON_COMPAT
# @REQUIRED
# @PRE_INHERIT
# @DESCRIPTION:
# The implementations that will do.

# @ECLASS_VARIABLE: PYTHON_REQ_USE
# @DEFAULT_UNSET
# @PRE_INHERIT
# @DESCRIPTION:
# USE dependencies on the interpreter.

# @ECLASS_VARIABLE: PYTHON_DEPS
# @OUTPUT_VARIABLE
# @DESCRIPTION:
# Any one of the interpreters.

# @ECLASS_VARIABLE: PYTHON_USEDEP
# @OUTPUT_VARIABLE
# @DESCRIPTION:
# Inside python_check_deps and python_gen_any_dep: asks a package to be built for the implementation at hand.

_python_any_r1_set_globals() {
	_python_set_impls
	local i choices=()
	for (( i = ${#_PYTHON_IMPLS[@]} - 1; i >= 0; i-- )); do
		choices+=( "$(_python_package "${_PYTHON_IMPLS[i]}")" )
	done
	PYTHON_DEPS="|| ( ${choices[*]} )"
}
_python_any_r1_set_globals
unset -f _python_any_r1_set_globals

# @FUNCTION: python_gen_any_dep
# @USAGE: <dependencies>
# @DESCRIPTION:
# One interpreter together with packages built for it.
python_gen_any_dep() {
	local i impl choices=
	for (( i = ${#_PYTHON_IMPLS[@]} - 1; i >= 0; i-- )); do
		impl=${_PYTHON_IMPLS[i]}
		choices+=" ( $(_python_package "${impl}") ${1//\$\{PYTHON_USEDEP\}/python_targets_${impl}(-)} )"
	done
	echo "|| (${choices} )"
}

# @FUNCTION: python_setup
# @DESCRIPTION:
# Takes the newest implementation that passes python_check_deps.
python_setup() {
	local i impl
	for (( i = ${#_PYTHON_IMPLS[@]} - 1; i >= 0; i-- )); do
		impl=${_PYTHON_IMPLS[i]}
		_python_export "${impl}"
		local PYTHON_USEDEP="python_targets_${impl}(-)"
		declare -F python_check_deps >/dev/null && ! python_check_deps && continue
		return
	done
	die "no Python will do"
}

# @FUNCTION: python-any-r1_pkg_setup
# @DESCRIPTION:
# Runs python_setup.
python-any-r1_pkg_setup() { [[ ${MERGE_TYPE} == binary ]] || python_setup; }

fi

EXPORT_FUNCTIONS pkg_setup
