# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

inherit cmake

DESCRIPTION="Debugger's interface to the waves of AMD GPUs"
HOMEPAGE="https://github.com/ROCm/ROCdbgapi"
SRC_URI="https://github.com/ROCm/ROCdbgapi/archive/rocm-${PV}.tar.gz -> ${P}.tar.gz"
S="${WORKDIR}/ROCdbgapi-rocm-${PV}"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
IUSE="doc"

RDEPEND="dev-libs/rocm-comgr:${SLOT}"
DEPEND="
	${RDEPEND}
	dev-libs/rocr-runtime:${SLOT}
"
BDEPEND="
	doc? (
		app-text/doxygen[dot]
		virtual/latex-base
		dev-texlive/texlive-latexextra
		dev-texlive/texlive-plaingeneric
	)
"

src_prepare() {
	# Documentation goes to Gentoo's folder, and none of it twice
	sed -e "s| *-Werror||" \
		-e 's|${CMAKE_INSTALL_DATADIR}/html/amd-dbgapi|${CMAKE_INSTALL_DOCDIR}/html|' \
		-e 's|${CMAKE_INSTALL_DATADIR}/doc/${CPACK_PACKAGE_NAME}|${CMAKE_INSTALL_DOCDIR}|' \
		-e "s|COMPONENT asan|& EXCLUDE_FROM_ALL|" -i CMakeLists.txt || die

	cmake_src_prepare
}

src_configure() {
	local mycmakeargs=(
		-DCMAKE_REQUIRE_FIND_PACKAGE_Doxygen=$(usex doc ON OFF)
		-DCMAKE_DISABLE_FIND_PACKAGE_Doxygen=$(usex doc OFF ON)
	)

	cmake_src_configure
}

src_compile() {
	cmake_src_compile

	if use doc; then
		cmake_src_compile doc
	fi
}
