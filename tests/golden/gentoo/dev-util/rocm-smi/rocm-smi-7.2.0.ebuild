# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

inherit cmake

DESCRIPTION="Older library and program that watch AMD GPUs"
HOMEPAGE="https://github.com/ROCm/rocm-systems/tree/develop/projects/rocm-smi-lib"
SRC_URI="https://github.com/ROCm/rocm-systems/releases/download/rocm-${PV}/rocm-smi-lib.tar.gz -> ${P}.tar.gz"
S="${WORKDIR}/rocm-smi-lib"

LICENSE="UoI-NCSA"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
IUSE="test"
RESTRICT="!test? ( test )"

RDEPEND="x11-libs/libdrm"
DEPEND="${RDEPEND}"
BDEPEND="
	test? ( dev-cpp/gtest )
"

src_configure() {
	local mycmakeargs=(
		-DBUILD_TESTS=$(usex test ON OFF)
	)

	cmake_src_configure
}
