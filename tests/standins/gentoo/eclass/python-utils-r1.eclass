# Part of rocpkg's tests, under its MIT licence. A stand-in: the metadata of the eclass, and little more.

# @ECLASS: python-utils-r1.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @BLURB: What all Python eclasses share

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_PYTHON_UTILS_R1_ECLASS} ]]; then
_PYTHON_UTILS_R1_ECLASS=1

# @ECLASS_VARIABLE: EPYTHON
# @OUTPUT_VARIABLE
# @DESCRIPTION:
# The name of the chosen Python.

# @ECLASS_VARIABLE: PYTHON
# @OUTPUT_VARIABLE
# @DESCRIPTION:
# The path of the chosen Python.

# @ECLASS_VARIABLE: _PYTHON_KNOWN
# @INTERNAL
# @DESCRIPTION:
# The implementations that exist, oldest first.
_PYTHON_KNOWN=( python3_12 python3_13 python3_14 )

_python_set_impls() {
	[[ ${#PYTHON_COMPAT[@]} -gt 0 ]] || die "PYTHON_COMPAT is not set"
	local impl
	_PYTHON_IMPLS=()
	for impl in "${_PYTHON_KNOWN[@]}"; do
		has "${impl}" "${PYTHON_COMPAT[@]}" && _PYTHON_IMPLS+=( "${impl}" )
	done
	[[ ${#_PYTHON_IMPLS[@]} -gt 0 ]] || die "no known implementation in PYTHON_COMPAT"
}

# the package of an implementation, with what PYTHON_REQ_USE asks of it
_python_package() { echo "dev-lang/python:${1/python3_/3.}${PYTHON_REQ_USE:+[${PYTHON_REQ_USE}]}"; }

_python_export() {
	export EPYTHON=${1/_/.}
	export PYTHON=${BROOT}/usr/bin/${EPYTHON}
}

# @FUNCTION: python_get_sitedir
# @DESCRIPTION:
# The folder of site-packages.
python_get_sitedir() { echo "${EPREFIX}/usr/lib/${EPYTHON}/site-packages"; }

# @FUNCTION: python_get_scriptdir
# @DESCRIPTION:
# The folder of scripts for one implementation.
python_get_scriptdir() { echo "${EPREFIX}/usr/lib/python-exec/${EPYTHON}"; }

# @FUNCTION: python_moduleinto
# @USAGE: <folder>
# @DESCRIPTION:
# Where python_domodule puts modules.
python_moduleinto() { _PYTHON_MODULE_DIR=${1//.//}; }

# @FUNCTION: python_domodule
# @USAGE: <file>...
# @DESCRIPTION:
# Installs modules.
python_domodule() {
	local folder=$(python_get_sitedir)/${_PYTHON_MODULE_DIR}
	[[ ${_PYTHON_MODULE_DIR} == /* ]] && folder=${EPREFIX}${_PYTHON_MODULE_DIR}
	insinto "${folder#"${EPREFIX}"}"
	doins -r "$@"
}

# @FUNCTION: python_doexe
# @USAGE: <file>...
# @DESCRIPTION:
# Installs executables for one implementation.
python_doexe() {
	exeinto "/usr/lib/python-exec/${EPYTHON}"
	doexe "$@"
}

# @FUNCTION: python_doscript
# @USAGE: <file>...
# @DESCRIPTION:
# Installs scripts for one implementation.
python_doscript() { python_doexe "$@"; }

# @FUNCTION: python_newscript
# @USAGE: <file> <name>
# @DESCRIPTION:
# Installs a script under another name.
python_newscript() { python_newexe "$@"; }

# @FUNCTION: python_newexe
# @USAGE: <file> <name>
# @DESCRIPTION:
# Installs an executable under another name.
python_newexe() {
	exeinto "/usr/lib/python-exec/${EPYTHON}"
	newexe "$@"
}

# @FUNCTION: python_optimize
# @USAGE: [<folder>...]
# @DESCRIPTION:
# Compiles installed modules.
python_optimize() { :; }

# @FUNCTION: python_fix_shebang
# @USAGE: [-f|-q] <path>...
# @DESCRIPTION:
# Names the chosen Python in scripts' first lines.
python_fix_shebang() {
	local path
	for path; do
		[[ ${path} == -* ]] && continue
		find "${path}" -type f -exec sed -i -e "1s|^#!.*python[0-9.]*|#!${PYTHON}|" {} + || die
	done
}

# @FUNCTION: python_has_version
# @USAGE: [-b|-d|-r] <atom>...
# @DESCRIPTION:
# True when all packages are there.
python_has_version() {
	local root=-b atom
	case $1 in -[bdr]) root=$1; shift ;; esac
	for atom; do
		has_version "${root}" "${atom}" || return 1
	done
}

# @FUNCTION: epytest
# @USAGE: [<argument>...]
# @DESCRIPTION:
# Runs pytest.
epytest() { "${EPYTHON}" -m pytest -vv "$@" || die -n "pytest failed"; }

fi
