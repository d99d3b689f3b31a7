# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

ROCM_VERSION=${PV}

inherit cmake rocm

DESCRIPTION="A library of the release"
HOMEPAGE="https://example.org/library"
SRC_URI="
	https://github.com/ROCm/Library/archive/rocm-${PV}.tar.gz -> ${P}.tar.gz
	https://github.com/ROCm/Extra/archive/v9.tar.gz -> Extra-9.tar.gz
"
S="${WORKDIR}/Library-rocm-${PV}"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
IUSE="test"
REQUIRED_USE="${ROCM_REQUIRED_USE}"
RESTRICT="!test? ( test )"

RDEPEND="app-arch/zstd"
DEPEND="${RDEPEND}"

library_sub() {
	local CMAKE_USE_DIR="${S}/sub"
	local BUILD_DIR="${S}/sub_build"
	cd "${S}/sub" || die
	"${@}"
}

src_prepare() {
	cmake_src_prepare
	if use test; then
		local PATCHES=()
		library_sub cmake_src_prepare
	fi
}

src_configure() {
	rocm_use_clang

	local mycmakeargs=(
		-DGPU_TARGETS="$(get_amdgpu_flags)"
	)

	cmake_src_configure

	if use test; then
		export OWN_LIST=b

		local mycmakeargs=(
			-DOTHER=x
		)

		library_sub cmake_src_configure
	fi
}

src_compile() {
	cmake_src_compile
	if use test; then
		library_sub cmake_src_compile
	fi
}

src_test() {
	LD_LIBRARY_PATH="${EPREFIX}/usr/lib:${LD_LIBRARY_PATH}" bash run.sh || die
}

src_install() {
	cmake_src_install

	local internal
	internal="$(< VERSION)" || die
	cp "${S}"/plugins/lib*.so a* "${ED}/x${internal}" || die
}
