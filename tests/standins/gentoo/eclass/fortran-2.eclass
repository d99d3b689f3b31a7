# Part of rocpkg's tests, under its MIT licence. A stand-in: the metadata of the eclass, and little more.

# @ECLASS: fortran-2.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @BLURB: A Fortran compiler

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_FORTRAN_2_ECLASS} ]]; then
_FORTRAN_2_ECLASS=1

# @ECLASS_VARIABLE: FORTRAN_NEEDED
# @DESCRIPTION:
# USE flags under which Fortran is needed, or always, or no.
: "${FORTRAN_NEEDED:=always}"

for _fortran_flag in ${FORTRAN_NEEDED}; do
	case ${_fortran_flag} in
		always)
			BDEPEND+=" virtual/fortran"
			DEPEND+=" virtual/fortran"
			RDEPEND+=" virtual/fortran"
			;;
		no) ;;
		*)
			BDEPEND+=" ${_fortran_flag}? ( virtual/fortran )"
			DEPEND+=" ${_fortran_flag}? ( virtual/fortran )"
			RDEPEND+=" ${_fortran_flag}? ( virtual/fortran )"
			;;
	esac
done
unset _fortran_flag

# @FUNCTION: fortran-2_pkg_setup
# @DESCRIPTION:
# Names the Fortran compiler.
fortran-2_pkg_setup() { export FC="${FC:-gfortran}" F77="${F77:-gfortran}"; }

fi

EXPORT_FUNCTIONS pkg_setup
