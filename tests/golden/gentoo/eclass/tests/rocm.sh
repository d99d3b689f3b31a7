#!/bin/bash
# Copyright 2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

source tests-common.sh || exit

# A repository beside ::gentoo finds tests-common.sh by PATH, other eclasses here
TESTS_ECLASS_SEARCH_PATHS+=( "${GENTOO_ECLASSES:-/var/db/repos/gentoo/eclass}" )

EAPI=8
ECLASS=rocm

same() {
	[[ ${2} == "${3}" ]] && return
	eerror "${1}: ${2}"
	eerror "expected: ${3}"
	return 1
}

# Runs a function, which must print these words
test_prints() {
	local expected=${1}
	shift
	tbegin "${*}"
	same "${1}" "$( "${@}" 2>&1 )" "${expected}"
	tend ${?}
}

# Runs a function, which must die with this message
test_dies() {
	local message=${1} said
	shift
	tbegin "${*}: ${message}"
	said=$( "${@}" 2>&1 )
	[[ ${?} -eq 1 && ${said##*$'\n'} == "die: ${message}" ]] || same "${1}" "${said}" "die: ${message}"
	tend ${?}
}

# Releases, the targets that are on for them by default, the others
test_globals() {
	local version
	for version in ${1}; do
		tbegin "ROCM_VERSION=${version}"
		(
			flags=( ${2} ${3} )
			on=( ${2} ) off=( ${3} )
			flags=( "${flags[@]/#/amdgpu_targets_}" )
			on=( "${on[@]/#/+amdgpu_targets_}" ) off=( "${off[@]/#/amdgpu_targets_}" )
			usedep="${flags[*]/%/(-)?}"

			ROCM_VERSION=${version}
			inherit rocm
			same IUSE "$(echo ${IUSE})" "$(echo ${on[*]} ${off[*]})" &&
			same ROCM_REQUIRED_USE "$(echo ${ROCM_REQUIRED_USE})" "|| ( ${flags[*]} )" &&
			same ROCM_USEDEP "${ROCM_USEDEP}" "${usedep// /,}"
		)
		tend ${?}
	done
}

test_globals "5.0.0 5.3.99" \
	"gfx906 gfx908 gfx90a gfx1030" \
	"gfx803 gfx900 gfx1010 gfx1011 gfx1012 gfx1031"
test_globals "5.4.0 5.99.99" \
	"gfx906 gfx908 gfx90a gfx1030" \
	"gfx803 gfx900 gfx1010 gfx1011 gfx1012 gfx1031 gfx1100 gfx1101 gfx1102"
test_globals "6.0.0 6.3.99" \
	"gfx906 gfx908 gfx90a gfx942 gfx1030 gfx1100" \
	"gfx803 gfx900 gfx940 gfx941 gfx1010 gfx1011 gfx1012 gfx1031 gfx1101 gfx1102"
test_globals "6.4.0 6.4.2" \
	"gfx908 gfx90a gfx942 gfx1030 gfx1100" \
	"gfx803 gfx900 gfx906 gfx940 gfx941 gfx1010 gfx1011 gfx1012 gfx1031 gfx1101 gfx1102 gfx1200 gfx1201"
test_globals "6.4.3 6.99.99" \
	"gfx908 gfx90a gfx942 gfx1030 gfx1100 gfx1101 gfx1200 gfx1201" \
	"gfx803 gfx900 gfx906 gfx940 gfx941 gfx1010 gfx1011 gfx1012 gfx1031 gfx1102 gfx1103 gfx1150 gfx1151"
test_globals "10.0.0 10.99.99" \
	"gfx908 gfx90a gfx942 gfx950 gfx1030 gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153 gfx1200 gfx1201" \
	"gfx803 gfx900 gfx906 gfx1010 gfx1011 gfx1012 gfx1031"
test_globals "9999" \
	"gfx908 gfx90a gfx942 gfx950 gfx1030 gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153 gfx1200 gfx1201" \
	"gfx803 gfx900 gfx906 gfx1010 gfx1011 gfx1012 gfx1031"
test_globals "7.0.0 7.99.99" \
	"gfx908 gfx90a gfx942 gfx950 gfx1030 gfx1100 gfx1101 gfx1200 gfx1201" \
	"gfx803 gfx900 gfx906 gfx940 gfx941 gfx1010 gfx1011 gfx1012 gfx1031 gfx1102 gfx1103 gfx1150 gfx1151"

for ROCM_VERSION in "" unknown; do
	test_dies "rocm: no GPU targets are known for ROCM_VERSION=\"${ROCM_VERSION}\"" \
		inherit rocm
done

other_eapi() {
	EAPI=7
	# The ones that it inherits would say the same
	inherit() { :; }
	source ../rocm.eclass
}
test_dies "rocm: EAPI 7 not supported" other_eapi

skipped() {
	inherit rocm
	ROCM_SKIP_GLOBALS=
	# The second time does nothing: there is no release
	inherit rocm
	echo "[${IUSE}|${ROCM_REQUIRED_USE}|${ROCM_USEDEP}]"
}
ROCM_SKIP_GLOBALS=1
test_prints "[||]" skipped

chosen() {
	inherit rocm
	AMDGPU_TARGETS=${1}
	get_amdgpu_flags
}
listed() {
	inherit rocm
	AMDGPU_TARGETS=( "${@}" )
	get_amdgpu_flags
}
test_prints "one;two;" chosen "one two"
test_prints "one;two;" listed one two
test_prints ";" chosen ""

# Compilers need not be there
with_eclass() {
	inherit rocm
	strip-unsupported-flags() { CFLAGS=stripped; }
	test-flags-HIPCXX() { echo "tested ${*}"; }
	CHOST=x86_64-pc-linux-gnu CXXFLAGS=-O2
}

with_eclass

# What is found of this machine exists
real_devices() {
	local device
	for device in $(_rocm_devices); do
		[[ -c ${device} ]] || echo "${device}"
	done
}
test_prints "" real_devices

# From here on this is what is there
_rocm_devices() {
	[[ -n ${devices} ]] && printf '%s\n' ${devices}
}
addpredict() { echo "predict ${1##*/}"; }
addwrite() { echo "write ${1##*/}"; }
there="${T}/kfd ${T}/renderD128"
touch ${there}

devices=${there}
test_prints $'predict kfd\npredict renderD128' rocm_add_sandbox
test_prints $'write kfd\nwrite renderD128' rocm_add_sandbox -w
test_dies "rocm_add_sandbox: expected -w, got -x" rocm_add_sandbox -x
test_prints $'write kfd\nwrite renderD128' check_amdgpu
devices="${there} ${T}/gone"
test_dies "${T}/gone is not accessible" check_amdgpu
devices="${T}/renderD128"
test_dies "/dev/kfd is missing" check_amdgpu
devices=
test_prints "" rocm_add_sandbox
test_dies "/dev/kfd is missing" check_amdgpu

hipcc_for() {
	AMDGPU_TARGETS=${1}
	rocm_use_hipcc
	echo "${CC} ${CXX} ${CFLAGS} ${CXXFLAGS}" $(< "${ROCM_TARGET_LST}")
}
test_prints "hipcc hipcc stripped tested -O2 gfx90a gfx1100" hipcc_for "gfx90a gfx1100"
test_prints "hipcc hipcc stripped tested -O2 gfx000" hipcc_for ""

clang_for() {
	rocm_use_clang
	echo "${CC} ${CXX} ${CFLAGS} ${CXXFLAGS}"
}
hipconfig() { [[ ${*} == --hipclangpath ]] && echo /llvm/bin; }
test_prints "/llvm/bin/${CHOST}-clang /llvm/bin/${CHOST}-clang++ stripped tested -O2" clang_for
hipconfig() { false; }
test_dies "hipconfig does not know where clang is" clang_for

texit
