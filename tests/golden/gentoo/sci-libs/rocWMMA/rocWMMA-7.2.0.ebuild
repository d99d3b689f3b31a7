# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

ROCM_SKIP_GLOBALS=1

inherit cmake rocm

DESCRIPTION="Matrix products of a wavefront in mixed precision, as headers"
HOMEPAGE="https://github.com/ROCm/rocm-libraries/tree/develop/projects/rocwmma"
SRC_URI="https://github.com/ROCm/rocm-libraries/releases/download/rocm-${PV}/rocwmma.tar.gz -> rocwmma-${PV}.tar.gz"
S="${WORKDIR}/rocwmma"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"

# The GPU targets that upstream has kernels for
SUPPORTED_TARGETS=(
	gfx908 gfx90a gfx942 gfx950 gfx1100 gfx1101 gfx1102 gfx1150
	gfx1151 gfx1152 gfx1153 gfx1200 gfx1201
)
IUSE_TARGETS=( "${SUPPORTED_TARGETS[@]/#/amdgpu_targets_}" )
ROCM_REQUIRED_USE="|| ( ${IUSE_TARGETS[*]} )"
IUSE="${IUSE_TARGETS[*]/#/+} test"
REQUIRED_USE="test? ( ${ROCM_REQUIRED_USE} )"
RESTRICT="!test? ( test )"

RDEPEND="
	dev-util/hip:${SLOT}
	dev-util/rocm-smi:${SLOT}
"
DEPEND="${RDEPEND}"
BDEPEND="
	dev-build/rocm-cmake
	test? (
		dev-cpp/gtest
		sci-libs/rocBLAS:${SLOT}
	)
"

PATCHES=(
	"${FILESDIR}/${PN}-7.2.0-no-test-install.patch"
)

src_prepare() {
	# hipcc's driver does not know these flags
	sed -e "s| -parallel-jobs=4||" -e "s| -Xclang -fallow-half-arguments-and-returns||" \
		-i CMakeLists.txt || die

	cmake_src_prepare
}

src_configure() {
	rocm_use_clang

	local mycmakeargs=(
		-DGPU_TARGETS="$(get_amdgpu_flags)"
		-DROCWMMA_BUILD_SAMPLES=OFF
		-DROCWMMA_BUILD_TESTS=$(usex test ON OFF)
	)

	if use test; then
		mycmakeargs+=(
			# It would be downloaded otherwise
			-DROCWMMA_USE_SYSTEM_GOOGLETEST=ON
		)
	fi

	cmake_src_configure
}

src_test() {
	# A second GPU, such as an integrated one, stays out
	check_amdgpu
	local -x HIP_VISIBLE_DEVICES=0

	cmake_src_test
}
