gentoo/rocm.eclass.j2
# Copyright 2022-{{ year }} Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

# @ECLASS: rocm.eclass
# @MAINTAINER:
# {{ maintainer }}
{% if authors %}
# @AUTHOR:
{% for a in authors %}
# {{ a }}
{% endfor %}
{% endif %}
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
{% for row in table %}
		{{ row.pattern }})
			official=(
{{ row.official }}
			)
			unofficial=(
{{ row.unofficial }}
			)
			;;
{% endfor %}
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
# Prints the tar