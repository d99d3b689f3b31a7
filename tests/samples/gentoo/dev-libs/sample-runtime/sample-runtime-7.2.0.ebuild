# Copyright 2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

LLVM_COMPAT=( 22 )

inherit cmake llvm-r2

DESCRIPTION="Runtime of the sample stack"
HOMEPAGE="https://github.com/ROCm/ROCR-Runtime"
SRC_URI="https://github.com/ROCm/ROCR-Runtime/archive/rocm-${PV}.tar.gz -> ${P}.tar.gz"
S="${WORKDIR}/ROCR-Runtime-rocm-${PV}"

LICENSE="UoI-NCSA"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
IUSE="debug"

RDEPEND="
	virtual/libelf:=
	x11-libs/libdrm[video_cards_amdgpu]
"
DEPEND="
	${RDEPEND}
	$(llvm_gen_dep "
		llvm-core/clang:\${LLVM_SLOT}=
		llvm-core/lld:\${LLVM_SLOT}=
	")
"
BDEPEND="dev-build/sample-cmake:${SLOT}"

src_configure() {
	use debug && local CMAKE_BUILD_TYPE=Debug
	local mycmakeargs=(
		-DBUILD_SHARED_LIBS=ON
	)
	cmake_src_configure
}
