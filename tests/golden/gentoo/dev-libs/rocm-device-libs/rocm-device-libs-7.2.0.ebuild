# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

LLVM_COMPAT=( 22 )

inherit cmake flag-o-matic llvm-r2

DESCRIPTION="Bitcode libraries of device functions for AMD GPUs"
HOMEPAGE="https://github.com/ROCm/llvm-project/tree/amd-staging/amd/device-libs"
SRC_URI="https://github.com/ROCm/llvm-project/archive/rocm-${PV}.tar.gz -> llvm-project-rocm-${PV}.tar.gz"
S="${WORKDIR}/llvm-project-rocm-${PV}/amd/device-libs"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
IUSE="test"
RESTRICT="!test? ( test )"

BDEPEND="
	dev-build/rocm-cmake
	$(llvm_gen_dep "
		llvm-core/clang:\${LLVM_SLOT}
		llvm-core/lld:\${LLVM_SLOT}
	")
"

CMAKE_BUILD_TYPE="Release"

PATCHES=(
	"${FILESDIR}/${PN}-6.2.0-test-bitcode-dir.patch"
	"${FILESDIR}/${PN}-7.2.0-llvm-22-compat.patch"
)

src_unpack() {
	# The rest of the archive is many times as large
	tar -x -z -o -f "${DISTDIR}/llvm-project-rocm-${PV}.tar.gz" \
		"llvm-project-rocm-${PV}/amd/device-libs" || die
}

src_prepare() {
	# Bitcode lives in lib/amdgcn/bitcode, where clang of the slot is pointed to it
	sed -e "s:amdgcn/bitcode:lib/amdgcn/bitcode:g" -i cmake/OCL.cmake cmake/Packages.cmake || die
	sed -e 's:\${CMAKE_INSTALL_DATADIR}/doc/\${CPACK_PACKAGE_NAME}:${CMAKE_INSTALL_DOCDIR}:g' \
		-i CMakeLists.txt || die

	cmake_src_prepare
}

src_configure() {
	# CMake takes the newest clang that it finds, whose bitcode older ones can't read
	llvm_prepend_path "${LLVM_SLOT}"
	local -x CC="${CHOST}-clang"
	local -x CXX="${CHOST}-clang++"
	# Flags of the user's that only another compiler knows, bug #936099
	strip-unsupported-flags

	cmake_src_configure
}

src_test() {
	# They fail on GPUs that upstream supports no more: https://github.com/ROCm/llvm-project/issues/76
	local CMAKE_SKIP_TESTS=(
		compile_frexp__gfx600
		compile_fract__gfx600
		compile_native_rcp__gfx600
		compile_native_rsqrt__gfx600
		compile_fract__gfx700
		compile_native_rcp__gfx700
		compile_native_rsqrt__gfx700
		compile_native_rcp__gfx803
		compile_native_rsqrt__gfx803
		"compile_atomic_work_item_fence__*"
	)

	cmake_src_test
}

src_install() {
	cmake_src_install

	# clang finds the bitcode in its resource folder without --rocm-device-lib-path
	local resources
	resources="$(clang -print-resource-dir)" || die
	dosym -r /usr/lib/amdgcn/bitcode "${resources#"${EPREFIX}"}/$(get_libdir)/amdgcn/bitcode"
}
