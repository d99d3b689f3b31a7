# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

PYTHON_COMPAT=( python3_14 )

inherit cmake flag-o-matic python-any-r1

DESCRIPTION="A small library"
HOMEPAGE="https://example.org/mover"
SRC_URI="https://github.com/ROCm/rocm-libraries/releases/download/rocm-${PV}/mover.tar.gz -> mover-${PV}.tar.gz"
S="${WORKDIR}/mover"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
IUSE="extra"

src_compile() {
	append-cxxflags -O1
	cmake_src_compile
}

src_install() {
	if use extra; then
		:
	fi

	local x
	for x in a; do
		:
	done

	sed -e "s:a/b:$(get_libdir):g" -i CMakeLists.txt || die
	sed -e "s:a:$(get_libdir):g" -i CMakeLists.txt || die
	sed -e 's/a/one\ntwo/g' -i CMakeLists.txt || die
}
