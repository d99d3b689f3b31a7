# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

inherit cmake

DESCRIPTION="Version header and version query library of a ROCm installation"
HOMEPAGE="https://github.com/ROCm/rocm-systems/tree/develop/projects/rocm-core"
SRC_URI="https://github.com/ROCm/rocm-systems/releases/download/rocm-${PV}/rocm-core.tar.gz -> ${P}.tar.gz"
S="${WORKDIR}/rocm-core"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"

RDEPEND="!<dev-util/hip-7.0"

src_configure() {
	local mycmakeargs=(
		-DROCM_VERSION="${PV}"
	)

	cmake_src_configure
}

src_install() {
	cmake_src_install

	# Too common a name for a folder that all packages share
	rm "${ED}/usr/.info/version" || die
}
