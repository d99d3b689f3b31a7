# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

ROCM_VERSION=${PV}

inherit cmake rocm

DESCRIPTION="A library of the release"
HOMEPAGE="https://example.org/library"
SRC_URI="https://github.com/ROCm/Library/archive/rocm-${PV}.tar.gz -> ${P}.tar.gz"
S="${WORKDIR}/Library-rocm-${PV}"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
REQUIRED_USE="${ROCM_REQUIRED_USE}"

src_configure() {
	rocm_use_clang

	local mycmakeargs=(
		-DGPU_TARGETS="$(get_amdgpu_flags)"
	)

	cmake_src_configure
}
