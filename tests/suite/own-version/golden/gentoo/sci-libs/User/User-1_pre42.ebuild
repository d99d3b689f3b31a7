# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

ROCM_VERSION="6.3.0"

inherit cmake rocm

DESCRIPTION="What is built upon the library"
HOMEPAGE="https://example.org/user"
SRC_URI="https://github.com/maker/user/archive/b42.tar.gz -> ${P}.tar.gz"
S="${WORKDIR}/user-b42"

LICENSE="MIT"
SLOT="0/${PV}"
KEYWORDS="~amd64"
REQUIRED_USE="${ROCM_REQUIRED_USE}"

RDEPEND="
	>=sci-libs/Library-7.1:=[${ROCM_USEDEP}]
	<sci-libs/Library-7.3:=
"
DEPEND="${RDEPEND}"

src_configure() {
	rocm_use_clang

	local mycmakeargs=(
		-DGPU_TARGETS="$(get_amdgpu_flags)"
		-DWITH_NEW=ON
	)

	cmake_src_configure
}
