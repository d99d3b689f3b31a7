# Copyright 2022-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

# @ECLASS: rocm.eclass
# @MAINTAINER:
# Gentoo Science Project <sci@gentoo.org>
# @AUTHOR:
# Yiyang Wu <xgreenlandforwyy@gmail.com>
# @SUPPORTED_EAPIS: 8
# @BLURB: GPU targets, compilers and devices for packages that use ROCm
# @DESCRIPTION:
# For the libraries of ROCm and for everything that is built on them.
#
# Users choose GPU targets once, by the USE_EXPAND variable AMDGPU_TARGETS.
# From ROCM_VERSION the eclass derives the flags that a package offers for it,
# and from the flags that are on, the list that its build is given.
#
# An ebuild with device code switches its compiler in src_configure, by
# rocm_use_clang or rocm_use_hipcc: flags that only the host's compiler knows
# are dropped on the way. Its tests call check_amdgpu first. No other phase
# should ever touch a GPU; where a build does so all the same, it has to be
# told the targets, and rocm_add_sandbox keeps the sandbox quiet meanwhile.
#
# @EXAMPLE:
# A library with its tests:
# @CODE
# ROCM_VERSION=${PV}
# inherit cmake rocm
#
# SLOT="0/$(ver_cut 1-2)"
# IUSE="test"
# REQUIRED_USE="${ROCM_REQUIRED_USE}"
# RESTRICT="!test? ( test )"
# RDEPEND="dev-util/hip:${SLOT}"
#
# src_configure() {
# 	rocm_use_clang
# 	local mycmakeargs=(
# 		-DGPU_TARGETS="$(get_amdgpu_flags)"
# 		-DBUILD_TESTING=$(usex test ON OFF)
# 	)
# 	cmake_src_configure
# }
#
# src_test() {
# 	check_amdgpu
# 	cmake_src_test
# }
# @CODE
#
# A program with optional GPU code, whose libraries must be built for the same
# targets. Its build wants commas:
# @CODE
# ROCM_VERSION=6.4.3
# inherit rocm
#
# IUSE="rocm"
# REQUIRED_USE="rocm? ( ${ROCM_REQUIRED_USE} )"
# DEPEND="rocm? ( >=sci-libs/rocBLAS-${ROCM_VERSION}[${ROCM_USEDEP}] )"
#
# src_configure() {
# 	if use rocm; then
# 		local targets=$(get_amdgpu_flags)
# 		targets=${targets%;}
# 		export GPU_ARCHS=${targets//;/,}
# 	fi
# 	default
# }
# @CODE

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ -z ${_ROCM_ECLASS} ]]; then
_ROCM_ECLASS=1

inherit flag-o-matic

# @ECLASS_VARIABLE: ROCM_VERSION
# @REQUIRED
# @PRE_INHERIT
# @DESCRIPTION:
# The release of ROCm whose targets are offered, with all of its three parts.
# A library of ROCm says ${PV}, anything else the release that it needs.

# @ECLASS_VARIABLE: ROCM_SKIP_GLOBALS
# @PRE_INHERIT
# @DEFAULT_UNSET
# @DESCRIPTION:
# Not empty: the functions alone are wanted, and IUSE, ROCM_REQUIRED_USE and
# ROCM_USEDEP are left as they are. For packages without device code, or with
# an own list of targets.

# @ECLASS_VARIABLE: ROCM_REQUIRED_USE
# @OUTPUT_VARIABLE
# @DESCRIPTION:
# Asks for at least one target. To be put into REQUIRED_USE, under a flag where
# device code is optional.

# @ECLASS_VARIABLE: ROCM_USEDEP
# @OUTPUT_VARIABLE
# @DESCRIPTION:
# A USE dependency by which another package is built for every target that this
# one is built for.

# @FUNCTION: _rocm_set_globals
# @INTERNAL
# @DESCRIPTION:
# Sets IUSE, ROCM_REQUIRED_USE and ROCM_USEDEP from ROCM_VERSION.
_rocm_set_globals() {
	[[ -n ${ROCM_SKIP_GLOBALS} ]] && return

	# Targets of AMD's support matrix are on by default. The others build, and
	# work for somebody.
	local official unofficial
	case ${ROCM_VERSION} in
		5.[0-3].*)
			official=(
				gfx906 gfx908 gfx90a gfx1030
			)
			unofficial=(
				gfx803 gfx900 gfx1010 gfx1011 gfx1012 gfx1031
			)
			;;
		5.*)
			official=(
				gfx906 gfx908 gfx90a gfx1030
			)
			unofficial=(
				gfx803 gfx900 gfx1010 gfx1011 gfx1012 gfx1031 gfx1100
				gfx1101 gfx1102
			)
			;;
		6.[0-3].*)
			official=(
				gfx906 gfx908 gfx90a gfx942 gfx1030 gfx1100
			)
			unofficial=(
				gfx803 gfx900 gfx940 gfx941 gfx1010 gfx1011 gfx1012
				gfx1031 gfx1101 gfx1102
			)
			;;
		6.4.[0-2])
			official=(
				gfx908 gfx90a gfx942 gfx1030 gfx1100
			)
			unofficial=(
				gfx803 gfx900 gfx906 gfx940 gfx941 gfx1010 gfx1011
				gfx1012 gfx1031 gfx1101 gfx1102 gfx1200 gfx1201
			)
			;;
		6.*)
			official=(
				gfx908 gfx90a gfx942 gfx1030 gfx1100 gfx1101 gfx1200
				gfx1201
			)
			unofficial=(
				gfx803 gfx900 gfx906 gfx940 gfx941 gfx1010 gfx1011
				gfx1012 gfx1031 gfx1102 gfx1103 gfx1150 gfx1151
			)
			;;
		10.*|9999)
			official=(
				gfx908 gfx90a gfx942 gfx950 gfx1030 gfx1100 gfx1101
				gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153
				gfx1200 gfx1201
			)
			unofficial=(
				gfx803 gfx900 gfx906 gfx1010 gfx1011 gfx1012 gfx1031
			)
			;;
		7.*)
			official=(
				gfx908 gfx90a gfx942 gfx950 gfx1030 gfx1100 gfx1101
				gfx1200 gfx1201
			)
			unofficial=(
				gfx803 gfx900 gfx906 gfx940 gfx941 gfx1010 gfx1011
				gfx1012 gfx1031 gfx1102 gfx1103 gfx1150 gfx1151
			)
			;;
		*)
			die "${ECLASS}: no GPU targets are known for ROCM_VERSION=\"${ROCM_VERSION}\""
			;;
	esac

	local flags=( "${official[@]}" "${unofficial[@]}" )
	flags=( "${flags[@]/#/amdgpu_targets_}" )
	local on=( "${official[@]/#/+amdgpu_targets_}" )
	local off=( "${unofficial[@]/#/amdgpu_targets_}" )
	IUSE="${on[*]} ${off[*]}"
	ROCM_REQUIRED_USE=" || ( ${flags[*]} )"

	local usedep=${flags[*]/%/(-)?}
	ROCM_USEDEP=${usedep// /,}
}
_rocm_set_globals
unset -f _rocm_set_globals

# @FUNCTION: get_amdgpu_flags
# @DESCRIPTION:
# Prints the targets that are on, each followed by a semicolon, which is the
# list that CMake reads. Without a target it is a semicolon alone.
get_amdgpu_flags() {
	debug-print-function "${FUNCNAME[0]}" "$@"

	local targets
	read -r -d '' -a targets <<< "${AMDGPU_TARGETS[*]}"
	printf '%s;' "${targets[@]}"
	echo
}

# @FUNCTION: _rocm_devices
# @INTERNAL
# @DESCRIPTION:
# Prints the devices of AMD GPUs and NPUs that exist, one on each line, the one
# for computing first.
_rocm_devices() {
	local device
	for device in /dev/kfd /dev/dri/renderD* /dev/accel/accel*; do
		[[ -c ${device} ]] && echo "${device}"
	done
}

# @FUNCTION: rocm_add_sandbox
# @USAGE: [-w]
# @DESCRIPTION:
# Lets a build look for GPUs that has no business with them: its attempts to
# open a device fail without a complaint of the sandbox. With -w they succeed,
# as far as permissions go.
rocm_add_sandbox() {
	debug-print-function "${FUNCNAME[0]}" "$@"

	local how=addpredict
	case ${1} in
		"") ;;
		-w) how=addwrite ;;
		*) die "${FUNCNAME[0]}: expected -w, got ${1}" ;;
	esac

	local device
	for device in $(_rocm_devices); do
		"${how}" "${device}"
	done
}

# @FUNCTION: check_amdgpu
# @DESCRIPTION:
# Opens the sandbox for the devices of AMD GPUs, and dies where there are none
# or where one of them can't be read and written. To be called before tests.
check_amdgpu() {
	debug-print-function "${FUNCNAME[0]}" "$@"

	local devices=( $(_rocm_devices) ) device
	if [[ ${devices[0]} != */kfd ]]; then
		eerror "There is no /dev/kfd: tests need an AMD GPU and the kernel's amdgpu driver"
		eerror "with CONFIG_HSA_AMD."
		die "/dev/kfd is missing"
	fi

	for device in "${devices[@]}"; do
		addwrite "${device}"
		if [[ ! -r ${device} || ! -w ${device} ]]; then
			eerror "${device} can't be read and written by the user that runs the tests."
			eerror "Usually the group render may do so: add that user to it."
			die "${device} is not accessible"
		fi
	done
}

# @FUNCTION: _rocm_strip_unsupported_flags
# @INTERNAL
# @DESCRIPTION:
# Drops flags of the user's that the compiler does not know, for the host or
# for GPUs. Some pass the first test only, such as -mtls-dialect: they are
# tried as HIP code as well (bug #957893).
_rocm_strip_unsupported_flags() {
	strip-unsupported-flags
	export CXXFLAGS="$(test-flags-HIPCXX ${CXXFLAGS})"
}

# @FUNCTION: rocm_use_hipcc
# @DESCRIPTION:
# Makes hipcc the compiler of C and C++, drops flags that it does not know, and
# names the targets to it. CMake's trial compilations name none, and hipcc would
# then look for the GPUs of this machine.
rocm_use_hipcc() {
	debug-print-function "${FUNCNAME[0]}" "$@"

	local targets
	read -r -d '' -a targets <<< "${AMDGPU_TARGETS[*]}"
	# Nothing can be built for gfx000, but a list without a target is ignored
	export ROCM_TARGET_LST="${T}/rocm_targets.lst"
	printf '%s\n' "${targets[@]:-gfx000}" > "${ROCM_TARGET_LST}" || die

	export CC=hipcc CXX=hipcc
	_rocm_strip_unsupported_flags
}

# @FUNCTION: rocm_use_clang
# @DESCRIPTION:
# Makes the clang that HIP was built with the compiler of C and C++, and drops
# flags that it does not know.
rocm_use_clang() {
	debug-print-function "${FUNCNAME[0]}" "$@"

	local bindir
	bindir=$(hipconfig --hipclangpath) || die "hipconfig does not know where clang is"

	export CC="${bindir}/${CHOST}-clang" CXX="${bindir}/${CHOST}-clang++"
	_rocm_strip_unsupported_flags
}

fi
