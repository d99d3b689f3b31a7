# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

ROCM_VERSION=${PV}

inherit cmake flag-o-matic rocm

DESCRIPTION="Primitives that prepare images and audio for computer vision, on GPUs or CPUs"
HOMEPAGE="https://github.com/ROCm/rpp"
SRC_URI="https://github.com/ROCm/rpp/archive/refs/tags/rocm-${PV}.tar.gz -> ${P}.tar.gz"
S="${WORKDIR}/rpp-rocm-${PV}"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
IUSE="cpu_flags_x86_avx2 cpu_flags_x86_f16c cpu_flags_x86_fma3 test"
REQUIRED_USE="
	${ROCM_REQUIRED_USE}
	cpu_flags_x86_avx2
	cpu_flags_x86_fma3
	cpu_flags_x86_f16c
"
RESTRICT="!test? ( test )"

RDEPEND="dev-util/hip:${SLOT}"
DEPEND="${RDEPEND}"
BDEPEND="
	>=dev-libs/half-1.12.0-r1
	test? (
		dev-cpp/gtest
		media-libs/opencv:=
	)
"

DOCS=( CHANGELOG.md LICENSE README.md )

rpp_tests() {
	local CMAKE_USE_DIR="${S}/utilities/rpp-unittests/HIP_NEW"
	local BUILD_DIR="${BUILD_DIR}/utilities/rpp-unittests/HIP_NEW"
	cd "${S}/utilities/rpp-unittests/HIP_NEW" || die
	"${@}"
}

src_prepare() {
	# No documentation of the sanitizer's build, which is not made
	sed -e "s/COMPONENT asan/COMPONENT asan EXCLUDE_FROM_ALL/g" -i CMakeLists.txt || die

	cmake_src_prepare

	if use test; then
		local PATCHES=()
		rpp_tests cmake_src_prepare
	fi
}

src_configure() {
	rocm_use_clang

	# Too many warnings
	append-cxxflags -Wno-deprecated-ofast -Wno-unused-value

	local mycmakeargs=(
		-DCMAKE_SKIP_RPATH=ON
		-DGPU_TARGETS="$(get_amdgpu_flags)"
		-DBACKEND=HIP
		-DROCM_PATH="${EPREFIX}/usr"
		-DRPP_AUDIO_SUPPORT=ON
		-DRPP_LEGACY_SUPPORT=OFF
	)

	cmake_src_configure

	if use test; then
		# Build the tests against this build
		append-cxxflags "-I${S}/include"
		append-ldflags "-L${BUILD_DIR}/lib64"
	fi

	if use test; then
		local mycmakeargs=(
			-DROCM_PATH="${EPREFIX}/usr"
		)

		rpp_tests cmake_src_configure
	fi
}

src_compile() {
	cmake_src_compile

	if use test; then
		rpp_tests cmake_src_compile
	fi
}

src_test() {
	check_amdgpu
	cd "${BUILD_DIR}/utilities/rpp-unittests/HIP_NEW" || die

	local params
	for params in "0 0" "0 1" "1 1" "2 1" "5 1" "0 2" "0 3" "0 4" "0 5" "0 8"; do
		LD_LIBRARY_PATH="${BUILD_DIR}/lib64" ./uniqueFunctionalities_hip ${params} || die
	done
}
