# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

ROCM_VERSION=${PV}

inherit cmake rocm

DESCRIPTION="Thrust's parallel algorithms over rocPRIM, as headers"
HOMEPAGE="https://github.com/ROCm/rocm-libraries/tree/develop/projects/rocthrust"
SRC_URI="
	https://github.com/ROCm/rocm-libraries/releases/download/rocm-${PV}/rocthrust.tar.gz -> rocthrust-${PV}.tar.gz
	test? ( https://www.sqlite.org/2023/sqlite-amalgamation-3430200.zip )
"
S="${WORKDIR}/rocthrust"

LICENSE="Apache-2.0"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
IUSE="benchmark test"
REQUIRED_USE="
	benchmark? ( ${ROCM_REQUIRED_USE} )
	test? ( ${ROCM_REQUIRED_USE} )
"
RESTRICT="!test? ( test )"

RDEPEND="
	dev-util/hip:${SLOT}
	sci-libs/rocPRIM:${SLOT}
	benchmark? (
		sci-libs/rocRAND:${SLOT}
		dev-cpp/benchmark:=
	)
	test? ( dev-cpp/gtest )
"
DEPEND="${RDEPEND}"
BDEPEND="
	>=dev-build/cmake-3.22
	test? ( app-arch/unzip )
"

PATCHES=(
	"${FILESDIR}/${PN}-6.4.1-fix-libcxx.patch"
	"${FILESDIR}/${PN}-6.4.1-no-tests-install.patch"
)

src_prepare() {
	# Install into the folder of libraries that is passed, not into lib
	sed -e "s:set(ROCM_INSTALL_LIBDIR lib):set(ROCM_INSTALL_LIBDIR $(get_libdir)):g" \
		-i cmake/ROCMExportTargetsHeaderOnly.cmake || die

	cmake_src_prepare
}

src_configure() {
	rocm_use_clang

	local mycmakeargs=(
		-DCMAKE_SKIP_RPATH=ON
		-DAMDGPU_TARGETS="$(get_amdgpu_flags)"
		-DBUILD_TEST=$(usex test ON OFF)
		-DBUILD_BENCHMARKS=$(usex benchmark ON OFF)
		-DCMAKE_DISABLE_FIND_PACKAGE_Git=ON
		-Wno-dev
	)

	if use test; then
		mycmakeargs+=(
			-DFETCHCONTENT_SOURCE_DIR_SQLITE_LOCAL="${WORKDIR}/sqlite-amalgamation-3430200"
		)
	fi

	cmake_src_configure
}

src_test() {
	# One at a time, in managed memory, as integrated GPUs may have 512 MiB of their own
	check_amdgpu
	local -x ROCTHRUST_USE_HMM=1

	cmake_src_test -j1
}
