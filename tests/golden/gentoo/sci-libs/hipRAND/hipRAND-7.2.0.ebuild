# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

ROCM_VERSION=${PV}

inherit cmake rocm

DESCRIPTION="One random number interface over rocRAND and cuRAND"
HOMEPAGE="https://github.com/ROCm/rocm-libraries/tree/develop/projects/hiprand"
SRC_URI="https://github.com/ROCm/rocm-libraries/releases/download/rocm-${PV}/hiprand.tar.gz -> hiprand-${PV}.tar.gz"
S="${WORKDIR}/hiprand"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
REQUIRED_USE="${ROCM_REQUIRED_USE}"
# A wrapper of rocRAND, which has the tests
RESTRICT="test"

RDEPEND="
	dev-util/hip:${SLOT}
	sci-libs/rocRAND:${SLOT}
"
DEPEND="${RDEPEND}"

src_configure() {
	rocm_use_clang

	local mycmakeargs=(
		-DAMDGPU_TARGETS="$(get_amdgpu_flags)"
		-DROCM_SYMLINK_LIBS=OFF
		-Wno-dev
		-DCMAKE_DISABLE_FIND_PACKAGE_Git=ON
	)

	cmake_src_configure
}
