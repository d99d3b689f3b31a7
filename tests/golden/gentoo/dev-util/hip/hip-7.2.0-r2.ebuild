# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

DOCS_BUILDER="doxygen"
DOCS_DEPEND="media-gfx/graphviz"
LLVM_COMPAT=( 22 )
ROCM_SKIP_GLOBALS=1

inherit cmake docs flag-o-matic llvm-r2 rocm

DESCRIPTION="HIP runtime and its compiler's glue for AMD and NVIDIA GPUs"
HOMEPAGE="https://github.com/ROCm/rocm-systems/tree/develop/projects/clr"
SRC_URI="
	https://github.com/ROCm/rocm-systems/releases/download/rocm-${PV}/clr.tar.gz -> rocm-clr-${PV}.tar.gz
	https://github.com/ROCm/rocm-systems/releases/download/rocm-${PV}/hip.tar.gz -> ${P}.tar.gz
	test? (
		https://github.com/ROCm/rocm-systems/releases/download/rocm-${PV}/hip-tests.tar.gz -> hip-tests-${PV}.tar.gz
	)
"
S="${WORKDIR}/clr/"
HIP_S="${WORKDIR}/hip"
HIP_TESTS_S="${WORKDIR}/hip-tests/catch"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
IUSE="debug +hip opencl test video_cards_amdgpu video_cards_nvidia"
REQUIRED_USE="
	|| ( hip opencl )
	^^ ( video_cards_amdgpu video_cards_nvidia )
"
# Many tests fail, and some look for the HIP that is installed
RESTRICT="test"

DEPEND="
	x11-base/xorg-proto
	virtual/opengl[X]
	video_cards_amdgpu? (
		dev-util/rocminfo:${SLOT}
		dev-libs/rocm-comgr:${SLOT}
		dev-libs/rocr-runtime:${SLOT}
	)
	video_cards_nvidia? ( dev-libs/hipother:${SLOT} )
"
RDEPEND="
	${DEPEND}
	~dev-libs/rocm-core-${PV}
	video_cards_amdgpu? (
		dev-libs/rocm-device-libs:${SLOT}
		dev-util/hipcc:${SLOT}
		dev-libs/roct-thunk-interface:${SLOT}
	)
	opencl? (
		!dev-libs/opencl-icd-loader
		!dev-libs/rocm-opencl-runtime
		!dev-util/clinfo
		!dev-util/opencl-headers
	)
"
BDEPEND="
	video_cards_amdgpu? ( dev-util/hipcc:${SLOT} )
	test? (
		media-libs/freeglut
		$(llvm_gen_dep "dev-util/spirv-llvm-translator:\${LLVM_SLOT}")
	)
"

QA_FLAGS_IGNORED="usr/lib.*/libhiprtc-builtins.*"

PATCHES=(
	"${FILESDIR}/${PN}-6.3.0-no-isystem-usr-include.patch"
	"${FILESDIR}/${PN}-6.3.0-clr-fix-libcxx.patch"
	"${FILESDIR}/${PN}-7.1.0-no-hipother-install.patch"
	"${FILESDIR}/${PN}-7.2.0-noinline-fixes.patch"
	"${FILESDIR}/${PN}-7.2.0-local-fixes.patch"
)

hip_tests() {
	local CMAKE_USE_DIR="${HIP_TESTS_S}"
	local BUILD_DIR="${HIP_TESTS_S}_build"
	cd "${HIP_TESTS_S}" || die
	"${@}"
}

src_prepare() {
	pushd "${HIP_S}" > /dev/null || die

	# Set the paths of HIP and clang instead of searching for them
	sed -e "s|# Search for HIP installation|set(HIP_ROOT_DIR \"${EPREFIX}/usr\")|" \
		-e "s|#Set HIP_CLANG_PATH|set(HIP_CLANG_PATH \"$(get_llvm_prefix -d)/bin\")|" \
		-i cmake/FindHIP.cmake || die
	popd > /dev/null || die

	sed -e "s/ -Werror//g" -i hipamd/src/CMakeLists.txt || die

	# No documentation of the sanitizer's build, which is not made
	sed -e "/asan COMPONENT asan/d" -i hipamd/packaging/CMakeLists.txt || die

	# hipcc is a package of its own
	sed -e "s/@HIP_INSTALLS_HIPCC@/ON/g" -i hipamd/hip-config.cmake.in || die
	sed -e 's/NOT \${HIPCC_BIN_DIR}/INSTALL_HIPCC AND NOT ${HIPCC_BIN_DIR}/g' \
		-i hipamd/CMakeLists.txt || die

	# CMake 4 refuses versions below 3.5, and warns below 3.10
	sed -e '/cmake_minimum_required/s|3\.[35]|3.10|' \
		-i hipamd/src/hiprtc/cmake/hiprtc-config.cmake.in opencl/khronos/icd/CMakeLists.txt \
		opencl/khronos/headers/opencl2.2/tests/CMakeLists.txt || die

	cmake_src_prepare

	if use test; then
		sed -e "s|-Werror ||" -e "s|-Wall -Wextra ||" -i "${HIP_TESTS_S}/CMakeLists.txt" || die

		# CMake 4 refuses this policy, which is not needed
		sed -e "/cmake_policy(SET CMP0037 OLD)/d" -i "${HIP_TESTS_S}/CMakeLists.txt" || die
		sed -e "s:/opt/rocm/bin:${EPREFIX}/usr/bin:g" \
			-i "${HIP_TESTS_S}/hipTestMain/hip_test_context.cc" || die
		local PATCHES=()
		hip_tests cmake_src_prepare
	fi
}

src_configure() {
	# lld refuses symbols of the version script that are not there: https://github.com/ROCm/HIP/issues/3382
	# How Gentoo came to ask it not to: https://github.com/gentoo/gentoo/pull/29097
	local undefined="$(test-flags-CCLD -Wl,--undefined-version)"
	append-ldflags ${undefined}

	# Breaks the aliasing rules, bug #858383: https://github.com/ROCm/clr/issues/64
	append-flags -fno-strict-aliasing

	filter-lto

	local CMAKE_BUILD_TYPE="$(usex debug Debug RelWithDebInfo)"

	local mycmakeargs=(
		-DCMAKE_SKIP_RPATH=ON
		-DROCM_PATH="${EPREFIX}/usr"
		-DCMAKE_DISABLE_FIND_PACKAGE_Git=ON
		-DCLR_BUILD_HIP=$(usex hip ON OFF)
		-DCLR_BUILD_OCL=$(usex opencl ON OFF)
		-DHIPCC_BIN_DIR="${EPREFIX}/usr/bin"
		-DHIP_ENABLE_ROCPROFILER_REGISTER=OFF
		-D__HIP_ENABLE_PCH=OFF
		-DHIP_COMMON_DIR="${HIP_S}"
		-DCMAKE_PREFIX_PATH="$(get_llvm_prefix)"
	)

	if use video_cards_amdgpu; then
		mycmakeargs+=(
			-DHIP_PLATFORM=amd
			-DUSE_PROF_API=OFF
			-DOpenGL_GL_PREFERENCE=GLVND
		)
	elif use video_cards_nvidia; then
		mycmakeargs+=(
			-DHIP_PLATFORM=nvidia
			-DHIPNV_DIR="${EPREFIX}/usr"
		)
	fi

	cmake_src_configure

	if use test; then
		local mycmakeargs=(
			-DCMAKE_MODULE_PATH="${HIP_TESTS_S}/external/Catch2/cmake/Catch2"
			-DROCM_PATH="${EPREFIX}/usr"
			-DCMAKE_NO_SYSTEM_FROM_IMPORTED=ON
			-Wno-dev
			# Build against the HIP of this build; with libc++ it fails: https://github.com/llvm/llvm-project/issues/119076
			-DCMAKE_CXX_FLAGS="-I${BUILD_DIR}/hipamd/include -stdlib=libstdc++"
			-DCMAKE_EXE_LINKER_FLAGS="-L${BUILD_DIR}/hipamd/lib"
		)

		if use video_cards_amdgpu; then
			mycmakeargs+=(
				-DHIP_PLATFORM=amd
			)
		elif use video_cards_nvidia; then
			mycmakeargs+=(
				-DHIP_PLATFORM=nvidia
			)
		fi

		hip_tests cmake_src_configure
	fi
}

src_compile() {
	cmake_src_compile

	if use test; then
		hip_tests cmake_src_compile build_tests
	fi
}

src_test() {
	check_amdgpu
	local -x LD_LIBRARY_PATH="${BUILD_DIR}/hipamd/lib"
	local -x ROCM_PATH="${EPREFIX}/usr"
	# Each needs a Vulkan driver that shares memory with HIP
	local CMAKE_SKIP_TESTS=(
		Unit_hipExternalMemoryGetMappedBuffer_Vulkan_Positive_Read_Write
		Unit_hipExternalMemoryGetMappedBuffer_Vulkan_Negative_Parameters
		Unit_hipImportExternalMemory_Vulkan_Negative_Parameters
		Unit_hipWaitExternalSemaphoresAsync_Vulkan_Positive_Binary_Semaphore
		Unit_hipWaitExternalSemaphoresAsync_Vulkan_Positive_Multiple_Semaphores
		Unit_hipWaitExternalSemaphoresAsync_Vulkan_Negative_Parameters
		Unit_hipSignalExternalSemaphoresAsync_Vulkan_Positive_Binary_Semaphore
		Unit_hipSignalExternalSemaphoresAsync_Vulkan_Positive_Multiple_Semaphores
		Unit_hipSignalExternalSemaphoresAsync_Vulkan_Negative_Parameters
		Unit_hipImportExternalSemaphore_Vulkan_Negative_Parameters
		Unit_hipDestroyExternalSemaphore_Vulkan_Negative_Parameters
	)

	hip_tests cmake_src_test -j1
}
