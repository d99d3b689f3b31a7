# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

ROCM_SKIP_GLOBALS=1

inherit cmake edo flag-o-matic rocm

DESCRIPTION="OpenCL runtime for AMD GPUs"
HOMEPAGE="https://github.com/ROCm/rocm-systems/tree/develop/projects/clr"
SRC_URI="https://github.com/ROCm/rocm-systems/releases/download/rocm-${PV}/clr.tar.gz -> rocm-clr-${PV}.tar.gz"
S="${WORKDIR}/clr"

LICENSE="Apache-2.0 MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
IUSE="debug test"
RESTRICT="!test? ( test )"

RDEPEND="
	dev-libs/rocr-runtime:${SLOT}
	dev-libs/rocm-comgr:${SLOT}
	dev-libs/rocm-device-libs:${SLOT}
	media-libs/mesa[-opencl]
	>=virtual/opencl-3
"
DEPEND="${RDEPEND}"
BDEPEND="
	>=dev-build/rocm-cmake-6.0
	media-libs/glew
	test? ( >=x11-apps/mesa-progs-8.5.0[X] )
"

PATCHES=(
	"${FILESDIR}/${PN}-6.2.4-fix-lib-version.patch"
)

src_prepare() {
	# CMake warns below 3.10
	sed -e '/cmake_minimum_required/s|3\.5|3.10|' -i opencl/khronos/icd/CMakeLists.txt \
		opencl/khronos/headers/opencl2.2/tests/CMakeLists.txt || die

	cmake_src_prepare
}

src_configure() {
	# lld refuses symbols of the version script that are not there:
	# https://github.com/RadeonOpenCompute/ROCm-OpenCL-Runtime/issues/155
	local undefined="$(test-flags-CCLD -Wl,--undefined-version)"
	append-ldflags ${undefined}

	# https://github.com/RadeonOpenCompute/ROCm-OpenCL-Runtime/issues/120
	append-cflags -fcommon

	# Breaks the aliasing rules, bug #856088: https://github.com/ROCm/clr/issues/64
	append-flags -fno-strict-aliasing

	filter-lto

	local mycmakeargs=(
		-Wno-dev
		-DROCM_PATH="${EPREFIX}/usr"
		-DCMAKE_DISABLE_FIND_PACKAGE_Git=ON
		-DCLR_BUILD_OCL=ON
		-DBUILD_TESTS=$(usex test ON OFF)
		-DEMU_ENV=ON
		-DBUILD_ICD=ON
	)

	cmake_src_configure
}

src_test() {
	check_amdgpu
	cd "${BUILD_DIR}/tests/ocltst" || die
	export OCL_ICD_FILENAMES="${BUILD_DIR}/amdocl/libamdocl64.so"

	# What shares buffers with OpenGL needs a display of AMD's driver, which a build has none of by itself
	if [[ -z ${OCLGL_DISPLAY+x} ]]; then
		ewarn "Start an X server with the driver amdgpu (not Xvfb), and set OCLGL_DISPLAY to its DISPLAY"
		ewarn "and OCLGL_XAUTHORITY to its XAUTHORITY."
		die "OCLGL_DISPLAY is not set"
	fi
	export DISPLAY=${OCLGL_DISPLAY} XAUTHORITY=${OCLGL_XAUTHORITY}
	glxinfo | grep -q "OpenGL vendor string: AMD" || die "The OpenGL of this display is not AMD's"
	edob ./ocltst -m "${BUILD_DIR}/tests/ocltst/liboclgl.so" -A ogl.exclude
	edob ./ocltst -m "${BUILD_DIR}/tests/ocltst/liboclruntime.so" -A oclruntime.exclude
	edob ./ocltst -m "${BUILD_DIR}/tests/ocltst/liboclperf.so" -A oclperf.exclude
}

src_install() {
	# The loader and its headers are packages of their own
	insinto /etc/OpenCL/vendors
	doins opencl/config/amdocl64.icd
	cd "${BUILD_DIR}/opencl" || die
	insinto /usr/lib64
	doins amdocl/libamdocl64.so*
	doins tools/cltrace/libcltrace.so
}
