# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

ROCM_VERSION=${PV}

inherit cmake flag-o-matic rocm

DESCRIPTION="Parallel primitives for GPU code, as headers"
HOMEPAGE="https://github.com/ROCm/rocm-libraries/tree/develop/projects/rocprim"
SRC_URI="https://github.com/ROCm/rocm-libraries/releases/download/rocm-${PV}/rocprim.tar.gz -> rocprim-${PV}.tar.gz"
S="${WORKDIR}/rocprim"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
IUSE="benchmark test"
REQUIRED_USE="
	benchmark? ( ${ROCM_REQUIRED_USE} )
	test? ( ${ROCM_REQUIRED_USE} )
"
RESTRICT="!test? ( test )"

RDEPEND="
	benchmark? (
		dev-util/hip:${SLOT}
		dev-cpp/benchmark:=
	)
"
DEPEND="
	${RDEPEND}
	dev-util/hip:${SLOT}
	test? ( dev-cpp/gtest )
"
BDEPEND="dev-build/rocm-cmake"

src_prepare() {
	if use benchmark; then
		# Upstream installs no benchmark, and its names are too common
		sed -e "/get_filename_component/s|\${BENCHMARK_SOURCE}|${PN}_\${BENCHMARK_SOURCE}|" \
			-e '/add_executable/a\  install(TARGETS ${BENCHMARK_TARGET})' \
			-i benchmark/CMakeLists.txt || die
	fi

	cmake_src_prepare
}

src_configure() {
	rocm_use_clang

	# Too many warnings in the tests
	append-cxxflags -Wno-explicit-specialization-storage-class -Wno-deprecated-declarations

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
	local -x ROCPRIM_USE_HMM=1

	cmake_src_test -j1
}
