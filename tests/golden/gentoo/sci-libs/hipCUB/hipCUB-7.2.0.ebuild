# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

ROCM_VERSION=${PV}

inherit cmake rocm

DESCRIPTION="One interface over rocPRIM and CUB, as headers"
HOMEPAGE="https://github.com/ROCm/rocm-libraries/tree/develop/projects/hipcub"
SRC_URI="https://github.com/ROCm/rocm-libraries/releases/download/rocm-${PV}/hipcub.tar.gz -> hipcub-${PV}.tar.gz"
S="${WORKDIR}/hipcub"

LICENSE="BSD"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
IUSE="benchmark test"
REQUIRED_USE="
	benchmark? ( ${ROCM_REQUIRED_USE} )
	test? ( ${ROCM_REQUIRED_USE} )
"
RESTRICT="!test? ( test )"

RDEPEND="
	benchmark? (
		dev-util/hip:${SLOT}
		dev-cpp/benchmark:=
	)
"
DEPEND="
	${RDEPEND}
	dev-util/hip:${SLOT}
	sci-libs/rocPRIM:${SLOT}
	test? ( dev-cpp/gtest )
"

PATCHES=(
	"${FILESDIR}/${PN}-7.2.0-no-tests-install.patch"
)

src_prepare() {
	# Install into the folder of libraries that is passed, not into lib
	sed -e "s:set(ROCM_INSTALL_LIBDIR lib):set(ROCM_INSTALL_LIBDIR $(get_libdir)):g" \
		-i cmake/ROCMExportTargetsHeaderOnly.cmake || die

	cmake_src_prepare
}

src_configure() {
	rocm_use_clang

	local mycmakeargs=(
		-DGPU_TARGETS="$(get_amdgpu_flags)"
		-DBUILD_TEST=$(usex test ON OFF)
		-DBUILD_BENCHMARK=$(usex benchmark ON OFF)
	)

	cmake_src_configure
}

src_test() {
	check_amdgpu
	# One of its tests read past the end of an array in 6.4.1
	local CMAKE_SKIP_TESTS=(
		hipcub.DeviceHistogram
	)

	cmake_src_test
}
