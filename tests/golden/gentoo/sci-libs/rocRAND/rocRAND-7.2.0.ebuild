# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

ROCM_VERSION=${PV}

inherit cmake rocm

DESCRIPTION="Pseudo-random and quasi-random number generators for AMD GPUs"
HOMEPAGE="https://github.com/ROCm/rocm-libraries/tree/develop/projects/rocrand"
SRC_URI="https://github.com/ROCm/rocm-libraries/releases/download/rocm-${PV}/rocrand.tar.gz -> rocrand-${PV}.tar.gz"
S="${WORKDIR}/rocrand"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
IUSE="benchmark test"
REQUIRED_USE="${ROCM_REQUIRED_USE}"
RESTRICT="!test? ( test )"

RDEPEND="
	dev-util/hip:${SLOT}
	benchmark? ( dev-cpp/benchmark )
"
DEPEND="
	${RDEPEND}
	dev-build/rocm-cmake
	test? ( dev-cpp/gtest )
"
BDEPEND="dev-build/rocm-cmake"

PATCHES=(
	"${FILESDIR}/${PN}-7.2.0-no-tests-install.patch"
)

src_configure() {
	rocm_use_clang

	export ROCM_PATH="${EPREFIX}/usr"

	local mycmakeargs=(
		-DCMAKE_SKIP_RPATH=ON
		-DAMDGPU_TARGETS="$(get_amdgpu_flags)"
		-DBUILD_TEST=$(usex test ON OFF)
		-DBUILD_BENCHMARK=$(usex benchmark ON OFF)
		-DROCM_SYMLINK_LIBS=OFF
	)

	cmake_src_configure
}

src_test() {
	# One at a time, in managed memory, as integrated GPUs may have 512 MiB of their own
	check_amdgpu
	local -x LD_LIBRARY_PATH="${BUILD_DIR}/library"
	local -x ROCRAND_USE_HMM=1

	cmake_src_test -j1
}

src_install() {
	cmake_src_install

	if use benchmark; then
		cd "${BUILD_DIR}/benchmark" || die
		dobin benchmark_rocrand_*
	fi
}
