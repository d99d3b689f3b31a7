# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

ROCM_SKIP_GLOBALS=1

inherit cmake edo flag-o-matic rocm

DESCRIPTION="Collective communication between AMD GPUs"
HOMEPAGE="https://github.com/ROCm/rccl"
SRC_URI="https://github.com/ROCm/rccl/archive/rocm-${PV}.tar.gz -> ${P}.tar.gz"
S="${WORKDIR}/rccl-rocm-${PV}"

LICENSE="BSD"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"

# The GPU targets that upstream has kernels for
SUPPORTED_TARGETS=( gfx906 gfx908 gfx90a gfx942 gfx950 gfx1030 gfx1100 gfx1101 gfx1102 gfx1200 gfx1201 )
IUSE_TARGETS=( "${SUPPORTED_TARGETS[@]/#/amdgpu_targets_}" )
ROCM_REQUIRED_USE="|| ( ${IUSE_TARGETS[*]} )"
IUSE="${IUSE_TARGETS[*]/#/+} roctracer test"
REQUIRED_USE="${ROCM_REQUIRED_USE}"
RESTRICT="!test? ( test )"

RDEPEND="
	dev-util/hip:${SLOT}
	dev-util/rocm-smi:${SLOT}
	roctracer? ( dev-util/roctracer:${SLOT} )
"
DEPEND="
	${RDEPEND}
	dev-libs/libfmt:=
	sys-libs/binutils-libs
"
BDEPEND="
	dev-build/rocm-cmake:${SLOT}
	dev-util/hipify-clang:${SLOT}
	test? ( dev-cpp/gtest )
"

PATCHES=(
	"${FILESDIR}/${PN}-7.0.1-fix-libcxx.patch"
)

src_prepare() {
	# The tests are not installed
	sed -e "/rocm_install/d" -i test/CMakeLists.txt || die
	sed -e "/target_compile_options(rccl PRIVATE -Wall)/d" -i CMakeLists.txt || die

	# Install into the folder of libraries that is passed, not into lib
	sed -e "/CMAKE_INSTALL_LIBDIR/s| FORCE||" -i cmake/Dependencies.cmake || die

	cmake_src_prepare
}

src_configure() {
	rocm_use_clang

	# With LTO it can't be linked: hidden symbols are undefined
	filter-lto

	local mycmakeargs=(
		-DCMAKE_SKIP_RPATH=ON
		-DGPU_TARGETS="$(get_amdgpu_flags)"
		-Wno-dev
		-DROCM_PATH="${EPREFIX}/usr"
		-DBUILD_TESTS=$(usex test ON OFF)
		-DROCTX=$(usex roctracer ON OFF)
		-DRCCL_ROCPROFILER_REGISTER=OFF
		# Downloads while it builds
		-DENABLE_MSCCLPP=OFF
		-DEXPLICIT_ROCM_VERSION="${PV}"
		-DROCM_SYMLINK_LIBS=OFF
		-DCMAKE_INSTALL_LIBDIR="$(get_libdir)"
	)

	cmake_src_configure
}

src_test() {
	# A second GPU of another kind, such as an integrated one, fails the tests
	check_amdgpu
	cd "${BUILD_DIR}" || die
	local -x HIP_VISIBLE_DEVICES=0
	local -x LD_LIBRARY_PATH="${BUILD_DIR}"

	edob test/rccl-UnitTests
}
