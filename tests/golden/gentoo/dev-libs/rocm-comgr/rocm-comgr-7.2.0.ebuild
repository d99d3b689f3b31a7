# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

LLVM_COMPAT=( 22 )

inherit cmake llvm-r2

DESCRIPTION="Code object manager that compiles and inspects GPU code at run time"
HOMEPAGE="https://github.com/ROCm/llvm-project/tree/amd-staging/amd/comgr"
SRC_URI="https://github.com/ROCm/llvm-project/archive/rocm-${PV}.tar.gz -> llvm-project-rocm-${PV}.tar.gz"
S="${WORKDIR}/llvm-project-rocm-${PV}/amd/comgr"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
IUSE="test"
RESTRICT="!test? ( test )"

RDEPEND="
	dev-libs/rocm-device-libs:${SLOT}
	$(llvm_gen_dep "
		llvm-core/clang:\${LLVM_SLOT}=
		llvm-core/lld:\${LLVM_SLOT}=
		llvm-core/llvm:\${LLVM_SLOT}=
	")
	llvm-runtimes/clang-runtime:=
	dev-util/hipcc:${SLOT}
"
DEPEND="${RDEPEND}"
BDEPEND="
	test? ( dev-util/hip:${SLOT} )
"

CMAKE_BUILD_TYPE="Release"

PATCHES=(
	"${FILESDIR}/${PN}-6.4.1-extend-isa-compatibility-check.patch"
	"${FILESDIR}/${PN}-6.1.0-dont-add-nogpulib.patch"
	"${FILESDIR}/${PN}-7.2.0-llvm-22-compat.patch"
)

src_unpack() {
	# The rest of the archive is many times as large
	tar -x -z -o -f "${DISTDIR}/llvm-project-rocm-${PV}.tar.gz" \
		"llvm-project-rocm-${PV}/amd/comgr" || die
}

src_prepare() {
	sed -e "s|\${CLANG_CMAKE_DIR}/../../../\\*|${EPREFIX}/usr/lib/clang/${LLVM_SLOT}/include|" \
		-i cmake/opencl_header.cmake || die

	# LLVM 22 moved the driver's options. Upstream's development branch knows:
	# https://github.com/ROCm/llvm-project/commit/ebcaa3d9226921c8761a5291526291e54611e4a4
	# https://github.com/ROCm/llvm-project/commit/ccb14ba83fd6bdc01423f71944b4676f740b97cc
	sed -e 's|Driver/Options\.h|Options/Options.h|' \
		-e "s|clang::driver::options|clang::options|" \
		-e "s|Driver::GetResourcesPath|GetResourcesPath|" -i src/comgr-compiler.cpp || die

	cmake_src_prepare
}

src_configure() {
	llvm_prepend_path "${LLVM_SLOT}"

	local mycmakeargs=(
		-DBUILD_TESTING=$(usex test ON OFF)
		# Needs AMD's fork of the translator
		-DCOMGR_DISABLE_SPIRV=ON
		# Portage strips what is installed
		-DCMAKE_STRIP=
	)

	if use test; then
		mycmakeargs+=(
			# CMake would find an installed HIP, which breaks the tests
			-DCMAKE_DISABLE_FIND_PACKAGE_hip=ON
		)
	fi

	cmake_src_configure
}
