# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

inherit cmake

DESCRIPTION="CMake modules shared by the builds of ROCm components"
HOMEPAGE="https://github.com/ROCm/rocm-cmake"
SRC_URI="https://github.com/ROCm/rocm-cmake/archive/rocm-${PV}.tar.gz -> ${P}.tar.gz"
S="${WORKDIR}/rocm-cmake-rocm-${PV}"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
# The tests build and install packages of their own
RESTRICT="test"

DOCS=( CHANGELOG.md LICENSE README.md )

PATCHES=(
	"${FILESDIR}/${PN}-6.1.1-license.patch"
	"${FILESDIR}/${PN}-6.1.1-no-rocmchecks-warnings.patch"
)

src_prepare() {
	# The modules set their own default of the library folder
	sed -e "/CMAKE_INSTALL_LIBDIR/s|lib|$(get_libdir)|" \
		-i share/rocmcmakebuildtools/cmake/ROCMCreatePackage.cmake \
		share/rocmcmakebuildtools/cmake/ROCMInstallTargets.cmake || die

	cmake_src_prepare
}

src_configure() {
	local mycmakeargs=(
		-Wno-dev
	)

	cmake_src_configure
}
