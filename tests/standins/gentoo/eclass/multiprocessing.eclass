# Part of rocpkg's tests, under its MIT licence. A stand-in: the metadata of the eclass, and little more.

# @ECLASS: multiprocessing.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @BLURB: Numbers of jobs

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_MULTIPROCESSING_ECLASS} ]]; then
_MULTIPROCESSING_ECLASS=1

# @FUNCTION: get_nproc
# @DESCRIPTION:
# The number of processors.
get_nproc() { nproc; }

# @FUNCTION: makeopts_jobs
# @DESCRIPTION:
# The number of jobs that MAKEOPTS allows.
makeopts_jobs() {
	local word
	for word in ${1:-${MAKEOPTS}}; do
		[[ ${word} == -j+([0-9]) ]] && { echo "${word#-j}"; return; }
	done
	get_nproc
}

# @FUNCTION: get_makeopts_jobs
# @DESCRIPTION:
# The number of jobs that MAKEOPTS allows.
get_makeopts_jobs() { makeopts_jobs; }

fi
