# Part of rocpkg's tests, under its MIT licence. A stand-in: the metadata of the eclass, and little more.

# @ECLASS: python-single-r1.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @PROVIDES: python-utils-r1
# @BLURB: Packages for one Python

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_PYTHON_SINGLE_R1_ECLASS} ]]; then
_PYTHON_SINGLE_R1_ECLASS=1

inherit python-utils-r1

# @ECLASS_VARIABLE: PYTHON_COMPAT
# @REQUIRED
# @PRE_INHERIT
# @DESCRIPTION:
# The implementations that the package supports.

# @ECLASS_VARIABLE: PYTHON_REQ_USE
# @DEFAULT_UNSET
# @PRE_INHERIT
# @DESCRIPTION:
# USE dependencies on the interpreter.

# @ECLASS_VARIABLE: PYTHON_DEPS
# @OUTPUT_VARIABLE
# @DESCRIPTION:
# The interpreter chosen.

# @ECLASS_VARIABLE: PYTHON_USEDEP
# @OUTPUT_VARIABLE
# @DESCRIPTION:
# Inside python_gen_cond_dep: asks a package for several Pythons to be built for this one.

# @ECLASS_VARIABLE: PYTHON_SINGLE_USEDEP
# @OUTPUT_VARIABLE
# @DESCRIPTION:
# Hands the choice on to a dependency of the same kind.

# @ECLASS_VARIABLE: PYTHON_REQUIRED_USE
# @OUTPUT_VARIABLE
# @DESCRIPTION:
# Exactly one implementation.

_python_single_r1_set_globals() {
	_python_set_impls
	local impl flags=()
	PYTHON_DEPS= PYTHON_SINGLE_USEDEP=
	for impl in "${_PYTHON_IMPLS[@]}"; do
		flags+=( "python_single_target_${impl}" )
		PYTHON_DEPS+="python_single_target_${impl}? ( $(_python_package "${impl}") ) "
		PYTHON_SINGLE_USEDEP+="${PYTHON_SINGLE_USEDEP:+,}python_single_target_${impl}(-)?"
	done
	PYTHON_REQUIRED_USE="^^ ( ${flags[*]} )"
	IUSE+=" ${flags[*]}"
}
_python_single_r1_set_globals
unset -f _python_single_r1_set_globals

# @FUNCTION: python_gen_cond_dep
# @USAGE: <dependencies>
# @DESCRIPTION:
# Repeats dependencies for each implementation.
python_gen_cond_dep() {
	local impl dep
	for impl in "${_PYTHON_IMPLS[@]}"; do
		dep=${1//\$\{PYTHON_USEDEP\}/python_targets_${impl}(-)}
		dep=${dep//\$\{PYTHON_SINGLE_USEDEP\}/python_single_target_${impl}(-)}
		echo "python_single_target_${impl}? ( ${dep} )"
	done
}

# @FUNCTION: python_setup
# @DESCRIPTION:
# Takes the implementation chosen.
python_setup() {
	local impl
	for impl in "${_PYTHON_IMPLS[@]}"; do
		use "python_single_target_${impl}" && _python_export "${impl}"
	done
	[[ -n ${EPYTHON} ]] || die "no Python was chosen"
}

# @FUNCTION: python-single-r1_pkg_setup
# @DESCRIPTION:
# Runs python_setup.
python-single-r1_pkg_setup() { [[ ${MERGE_TYPE} == binary ]] || python_setup; }

fi

EXPORT_FUNCTIONS pkg_setup
