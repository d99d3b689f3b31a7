# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

LLVM_COMPAT=( 22 )

inherit cmake flag-o-matic llvm-r2

DESCRIPTION="User-mode runtime of the Heterogeneous System Architecture on AMD GPUs"
HOMEPAGE="https://github.com/ROCm/rocm-systems/tree/develop/projects/rocr-runtime"
SRC_URI="https://github.com/ROCm/rocm-systems/releases/download/rocm-${PV}/rocr-runtime.tar.gz -> ${P}.tar.gz"
S="${WORKDIR}/rocr-runtime"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
IUSE="debug"

RDEPEND="
	dev-libs/rocm-device-libs:${SLOT}
	dev-libs/elfutils
	x11-libs/libdrm
	$(llvm_gen_dep "
		llvm-core/clang:\${LLVM_SLOT}=
		llvm-core/lld:\${LLVM_SLOT}=
	")
	dev-libs/roct-thunk-interface:${SLOT}
"
DEPEND="${RDEPEND}"
# app-editors/vim-core: its xxd turns code objects into C
BDEPEND="app-editors/vim-core"

# Only samples ask for a CMake that is too old, and none is built (bug #958188)
CMAKE_QA_COMPAT_SKIP=1

PATCHES=(
	"${FILESDIR}/${PN}-7.2.0-use-system-hsakmt.patch"
	"${FILESDIR}/${PN}-7.2.0-fix-libcxx.patch"
)

src_prepare() {
	cd "${S}/runtime/hsa-runtime" || die

	# The bitcode is in lib, not in a folder of its own
	sed -e "s|-O2|--rocm-path=${EPREFIX}/usr/lib/ -O2|" -i image/blit_src/CMakeLists.txt || die
	cd "${S}" || die

	cmake_src_prepare
}

src_configure() {
	# Types differ between translation units, bug #856091: https://github.com/ROCm/ROCR-Runtime/issues/182
	filter-lto

	if ! use debug; then
		append-cxxflags -DNDEBUG
	fi

	local mycmakeargs=(
		-Wno-dev
		-DCMAKE_DISABLE_FIND_PACKAGE_rocprofiler-register=ON
	)

	cmake_src_configure
}
