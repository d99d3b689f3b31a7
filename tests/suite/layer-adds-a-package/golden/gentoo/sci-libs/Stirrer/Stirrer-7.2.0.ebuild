# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

inherit cmake

DESCRIPTION="A library of one's own too"
HOMEPAGE="https://example.org/stirrer"
SRC_URI="https://github.com/ROCm/Stirrer/archive/rocm-${PV}.tar.gz -> ${P}.tar.gz"
S="${WORKDIR}/Stirrer-rocm-${PV}"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"

src_configure() {
	local mycmakeargs=(
		-DBUILD_SHARED_LIBS=ON
	)

	cmake_src_configure
}
