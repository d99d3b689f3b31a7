# Part of rocpkg's tests, under its MIT licence. What the steps of a package.yml give to CMake for GPU targets, once ypkg's macros are
# replaced: those that do something by functions of their names behind `@`.
#
#   package.bash FOLDER VARIABLES < SETS
#
# FOLDER holds a file for each step. There is one run for each line of SETS, which says nothing.
folder=$1 VARIABLES=$2
source "${0%/*}/common.bash"
export workdir=${scratch} sources=${scratch} pkgfiles=${scratch} installdir=${scratch}/image CC=gcc CXX=g++ YPKG_PATH=
CXXFLAGS='-g2 -D_FORTIFY_SOURCE=2 -fstack-protector-strong --param=ssp-buffer-size=32' CFLAGS=${CXXFLAGS}
export CXXFLAGS CFLAGS LDFLAGS=
# What builds a wheel reads the environment.
command_not_found_handle() { [[ $1 != @python* ]] || record "${number}"; return 0; }
# A question about a file is answered with no.
[() { return 1; }

number=0
while read -r _; do
	for step in setup build install; do
		[[ -e ${folder}/${step} ]] || continue
		(
			# Each step has a shell of its own, with the environment before it; PATH may change there, and nothing is found.
			set -e
			cmake() { record "${number}" "$@"; }
			@cmake_ninja() { cmake -G Ninja . -B solusBuildDir "$@"; }
			@cmake() { cmake "$@"; }
			[[ ! -e ${folder}/environment ]] || source "${folder}/environment"
			PATH=/nonexistent
			source "${folder}/${step}"
		) || echo "died" >&3
	done
	number=$(( number + 1 ))
done
