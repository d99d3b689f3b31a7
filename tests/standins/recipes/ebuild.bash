# Part of rocpkg's tests, under its MIT licence. What an ebuild gives to CMake for GPU targets.
#
#   ebuild.bash EBUILD PF ECLASS-FOLDER VARIABLES < SETS
#
# Each line of SETS is the targets that the user chooses, or `default`. Every flag of the ebuild but those of GPUs is on.
# As in Portage, AMDGPU_TARGETS holds the chosen flags that are in IUSE.
recipe=$1 PF=$2 eclasses=$3 VARIABLES=$4
source "${0%/*}/common.bash"
PN=${PF%%-[0-9]*} PVR=${PF#"${PF%%-[0-9]*}"-}
PV=${PVR%-r[0-9]*} P=${PN}-${PVR%-r[0-9]*}
WORKDIR=${scratch} S=${scratch}/${P} T=${scratch} D=${scratch} ED=${scratch} FILESDIR=${scratch} DISTDIR=${scratch}
# What an ebuild reads of its source.
echo 1 > "${scratch}/VERSION"
EPREFIX='' ESYSROOT='' BUILD_DIR=${scratch}/build CHOST=x86_64-pc-linux-gnu LLVM_SLOT=22 EPYTHON=python3.13

die() { echo "died: $*" >&2; exit 1; }
use() {
	case $1 in
		!*) ! use "${1#!}" ;;
		amdgpu_targets_*) [[ " ${AMDGPU_TARGETS} " == *" ${1#amdgpu_targets_} "* ]] ;;
		*) return 0 ;;
	esac
}
usex() { if use "$1"; then echo "${2-yes}${4-}"; else echo "${3-no}${5-}"; fi; }
usev() { use "$1" && echo "${2:-$1}"; return 0; }
has() {
	local one=$1 other
	shift
	for other; do [[ ${one} == "${other}" ]] && return 0; done
	return 1
}
ver_cut() { echo "${2:-${PV}}"; }
ver_test() { return 0; }
nonfatal() { "$@"; }
get_libdir() { echo lib64; }
makeopts_jobs() { echo 2; }
# An eclass that is not the repository's own says nothing about GPU targets.
inherit() {
	local name
	for name; do
		IUSE=''
		[[ -e ${eclasses}/${name}.eclass ]] && source "${eclasses}/${name}.eclass"
		# Each adds to what the others said (PMS 10.2).
		inherited+=" ${IUSE}"
	done
	IUSE=''
}
inherited=''
EXPORT_FUNCTIONS() { :; }
source "${recipe}" || die "it can't be read"
IUSE="${inherited} ${IUSE}"
# No test runs, so no GPU is looked for.
check_amdgpu() { :; }

number=0
while read -r -a chosen; do
	(
		AMDGPU_TARGETS=''
		for flag in ${IUSE}; do
			[[ ${flag} == ?([+-])amdgpu_targets_* ]] || continue
			name=${flag##*amdgpu_targets_}
			has "${name}" ${AMDGPU_TARGETS} && continue
			if [[ ${chosen[0]} == default ]]; then
				[[ ${flag} == +* ]] && AMDGPU_TARGETS+="${name} "
			else
				has "${name}" "${chosen[@]}" && AMDGPU_TARGETS+="${name} "
			fi
		done
		cmake_src_configure() { record "${number}" "${mycmakeargs[@]}" "$@"; }
		cmake() { record "${number}" "$@"; }
		if declare -F src_configure >/dev/null; then src_configure; else cmake_src_configure; fi
	) || echo "died" >&3
	number=$(( number + 1 ))
done
