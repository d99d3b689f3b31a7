# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

inherit cmake

DESCRIPTION="A small library"
HOMEPAGE="https://example.org/mover"
SRC_URI="https://github.com/ROCm/Mover/archive/rocm-${PV}.tar.gz -> ${P}.tar.gz"
S="${WORKDIR}/Mover-rocm-${PV}"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"

RDEPEND="app-arch/zstd"
DEPEND="${RDEPEND}"

src_configure() {
	local mycmakeargs=(
		-DBUILD_SHARED_LIBS=ON
	)

	cmake_src_configure
}
