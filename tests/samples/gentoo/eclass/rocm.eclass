# Copyright 2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

# @ECLASS: rocm.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @BLURB: GPU targets, as small as a test needs them

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_ROCM_ECLASS} ]]; then
_ROCM_ECLASS=1

inherit flag-o-matic

# @ECLASS_VARIABLE: ROCM_VERSION
# @REQUIRED
# @PRE_INHERIT
# @DESCRIPTION:
# The release.

# @ECLASS_VARIABLE: ROCM_REQUIRED_USE
# @OUTPUT_VARIABLE
# @DESCRIPTION:
# At least one target.
ROCM_REQUIRED_USE="|| ( amdgpu_targets_gfx90a amdgpu_targets_gfx1100 )"

# @ECLASS_VARIABLE: ROCM_USEDEP
# @OUTPUT_VARIABLE
# @DESCRIPTION:
# Hands the targets on.
ROCM_USEDEP="amdgpu_targets_gfx90a(-)?,amdgpu_targets_gfx1100(-)?"

IUSE="+amdgpu_targets_gfx90a +amdgpu_targets_gfx1100"

# @FUNCTION: get_amdgpu_flags
# @DESCRIPTION:
# The chosen targets, each followed by a semicolon.
get_amdgpu_flags() {
	echo "$(printf "%s;" ${AMDGPU_TARGETS})"
}

# @FUNCTION: rocm_use_clang
# @DESCRIPTION:
# Takes Clang as the compiler.
rocm_use_clang() {
	export CC=${CHOST}-clang CXX=${CHOST}-clang++
	strip-unsupported-flags
}

fi
