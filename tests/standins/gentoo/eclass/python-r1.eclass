# Part of rocpkg's tests, under its MIT licence. A stand-in: the metadata of the eclass, and little more.

# @ECLASS: python-r1.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @PROVIDES: python-utils-r1
# @BLURB: Packages for several Pythons

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_PYTHON_R1_ECLASS} ]]; then
_PYTHON_R1_ECLASS=1

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
# The interpreters chosen.

# @ECLASS_VARIABLE: PYTHON_USEDEP
# @OUTPUT_VARIABLE
# @DESCRIPTION:
# Hands the choice on to a dependency.

# @ECLASS_VARIABLE: PYTHON_REQUIRED_USE
# @OUTPUT_VARIABLE
# @DESCRIPTION:
# At least one implementation.

_python_r1_set_globals() {
	_python_set_impls
	local impl flags=()
	PYTHON_DEPS= PYTHON_USEDEP=
	for impl in "${_PYTHON_IMPLS[@]}"; do
		flags+=( "python_targets_${impl}" )
		PYTHON_DEPS+="python_targets_${impl}? ( $(_python_package "${impl}") ) "
		PYTHON_USEDEP+="${PYTHON_USEDEP:+,}python_targets_${impl}(-)?"
	done
	PYTHON_REQUIRED_USE="|| ( ${flags[*]} )"
	IUSE+=" ${flags[*]}"
}
_python_r1_set_globals
unset -f _python_r1_set_globals

# @FUNCTION: python_gen_cond_dep
# @USAGE: <dependencies> [<pattern>...]
# @DESCRIPTION:
# Repeats dependencies for each implementation that matches.
python_gen_cond_dep() {
	local impl dep=$1 pattern
	shift
	for impl in "${_PYTHON_IMPLS[@]}"; do
		for pattern in "${@:-*}"; do
			# shellcheck disable=SC2053
			if [[ ${impl} == ${pattern} ]]; then
				echo "python_targets_${impl}? ( ${dep//\$\{PYTHON_USEDEP\}/python_targets_${impl}(-)} )"
				break
			fi
		done
	done
}

# @FUNCTION: python_gen_useflags
# @USAGE: [<pattern>...]
# @DESCRIPTION:
# The flags of the implementations.
python_gen_useflags() {
	local impl
	for impl in "${_PYTHON_IMPLS[@]}"; do
		echo "python_targets_${impl}"
	done
}

# @FUNCTION: python_foreach_impl
# @USAGE: <command> [<argument>...]
# @DESCRIPTION:
# Runs a command for each implementation chosen.
python_foreach_impl() {
	local impl
	for impl in "${_PYTHON_IMPLS[@]}"; do
		use "python_targets_${impl}" || continue
		_python_export "${impl}"
		"$@" || return
	done
}

# @FUNCTION: python_setup
# @USAGE: [<pattern>...]
# @DESCRIPTION:
# Takes the newest implementation chosen.
python_setup() {
	local impl
	for impl in "${_PYTHON_IMPLS[@]}"; do
		use "python_targets_${impl}" && _python_export "${impl}"
	done
	[[ -n ${EPYTHON} ]] || die "no Python was chosen"
}

# @FUNCTION: python_replicate_script
# @USAGE: <path>...
# @DESCRIPTION:
# Gives a script to each implementation.
python_replicate_script() { python_foreach_impl python_doexe "$@"; }

fi
