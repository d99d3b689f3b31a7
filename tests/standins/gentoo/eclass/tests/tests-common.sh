# Part of rocpkg's tests, under its MIT licence. A stand-in for what ::gentoo's tests of eclasses begin with.

TESTS_ECLASS_SEARCH_PATHS=( .. )

inherit() {
	local eclass folder
	for eclass; do
		for folder in "${TESTS_ECLASS_SEARCH_PATHS[@]}"; do
			[[ -e ${folder}/${eclass}.eclass ]] || continue
			source "${folder}/${eclass}.eclass"
			continue 2
		done
		die "could not find ${eclass}.eclass"
	done
}
EXPORT_FUNCTIONS() { :; }
debug-print-function() { :; }
die() { echo "die: ${*}" >&2; exit 1; }
eerror() { echo " * ${*}" >&2; }
ewarn() { eerror "${@}"; }

tret=0
tbegin() { echo "Testing ${*}"; }
tend() {
	[[ ${1} -eq 0 ]] || { echo "[ !! ]"; tret=1; }
	return "${1}"
}
texit() { rm -rf "${tmpdir}"; exit "${tret}"; }

tmpdir=${PWD}/tmp
T=${tmpdir}/temp
mkdir -p "${T}" || die
IUSE=
