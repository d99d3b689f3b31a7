# Part of rocpkg's tests, under its MIT licence. What a PKGBUILD gives to CMake for GPU targets.
#
#   pkgbuild.bash PKGBUILD TOOL EXCLUDE VARIABLES < SETS
#
# Each line of SETS is what TOOL prints; EXCLUDE is its option that leaves targets out.
recipe=$1 tool=$2 exclude=$3 VARIABLES=$4
source "${0%/*}/common.bash"
srcdir=${scratch} pkgdir=${scratch}/pkg startdir=${scratch} CARCH=x86_64 CHOST=x86_64-pc-linux-gnu
source "${recipe}" || { echo "it can't be read" >&2; exit 1; }

number=0
while read -r -a listed; do
	(
		prints() {
			local name without=,
			while (( $# )); do
				[[ $1 == "${exclude}" ]] || { echo "${tool}: what is $1?" >&2; return 1; }
				without+="$2,"
				shift 2
			done
			for name in "${listed[@]}"; do
				[[ ${without} == *",${name},"* ]] || printf '%s;' "${name}"
			done
		}
		eval "${tool}() { prints \"\$@\"; }"
		cmake() { record "${number}" "$@"; }
		if declare -F build >/dev/null; then build; fi
	) || echo "died" >&3
	number=$(( number + 1 ))
done
