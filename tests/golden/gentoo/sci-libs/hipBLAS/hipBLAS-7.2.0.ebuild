# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

ROCM_VERSION=${PV}

inherit cmake fortran-2 rocm

DESCRIPTION="One BLAS interface over rocBLAS and cuBLAS"
HOMEPAGE="https://github.com/ROCm/rocm-libraries/tree/develop/projects/hipblas"
SRC_URI="https://github.com/ROCm/rocm-libraries/releases/download/rocm-${PV}/hipblas.tar.gz -> ${P}.tar.gz"
S="${WORKDIR}/hipblas"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
IUSE="rocsolver"
REQUIRED_USE="${ROCM_REQUIRED_USE}"

RDEPEND="
	sci-libs/rocBLAS:${SLOT}
	rocsolver? ( sci-libs/rocSOLVER:${SLOT} )
"
DEPEND="
	${RDEPEND}
	dev-util/hip:${SLOT}
	sci-libs/hipBLAS-common:${SLOT}
"

PATCHES=(
	"${FILESDIR}/${PN}-6.3.0-no-git.patch"
)

src_configure() {
	rocm_use_clang

	local mycmakeargs=(
		# A wrapper of rocBLAS, which has the tests
		-DBUILD_CLIENTS_TESTS=OFF
		-DBUILD_CLIENTS_BENCHMARKS=OFF
		-DBUILD_WITH_SOLVER=$(usex rocsolver ON OFF)
		-DROCM_SYMLINK_LIBS=OFF
	)

	cmake_src_configure
}
