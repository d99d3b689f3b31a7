# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

ROCM_VERSION=${PV}

inherit cmake rocm

DESCRIPTION="One fast Fourier transform interface over rocFFT and cuFFT"
HOMEPAGE="https://github.com/ROCm/rocm-libraries/tree/develop/projects/hipfft"
SRC_URI="https://github.com/ROCm/rocm-libraries/releases/download/rocm-${PV}/hipfft.tar.gz -> hipfft-${PV}.tar.gz"
S="${WORKDIR}/hipfft"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
REQUIRED_USE="${ROCM_REQUIRED_USE}"

RDEPEND="
	dev-util/hip:${SLOT}
	sci-libs/rocFFT:${SLOT}
"
DEPEND="${RDEPEND}"

src_configure() {
	rocm_use_clang

	local mycmakeargs=(
		-DGPU_TARGETS="$(get_amdgpu_flags)"
		-DBUILD_CLIENTS_TESTS=OFF
		-DBUILD_CLIENTS_RIDER=OFF
		-DROCM_SYMLINK_LIBS=OFF
	)

	cmake_src_configure
}
