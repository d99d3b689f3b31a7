# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

PYTHON_COMPAT=( python3_{10..14} python3_13t )
ROCM_VERSION=${PV}

inherit check-reqs cmake flag-o-matic multiprocessing python-r1 rocm

GTEST_COMMIT="b85864c64758dec007208e56af933fc3f52044ee"

DESCRIPTION="Fused tensor operations made from composable building blocks"
HOMEPAGE="https://github.com/ROCm/composable_kernel"
SRC_URI="
	https://github.com/ROCm/rocm-libraries/releases/download/rocm-${PV}/composablekernel.tar.gz -> ${P}.tar.gz
	test? (
		https://github.com/google/googletest/archive/${GTEST_COMMIT}.tar.gz -> gtest-1.14.0_p20220421.tar.gz
	)
"
S="${WORKDIR}/composablekernel"
GTEST_S="${WORKDIR}/googletest-${GTEST_COMMIT}"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
IUSE="debug profiler test"
REQUIRED_USE="
	${ROCM_REQUIRED_USE}
	${PYTHON_REQUIRED_USE}
"
RESTRICT="!test? ( test )"

RDEPEND="
	dev-util/hip:${SLOT}
	${PYTHON_DEPS}
"
DEPEND="${RDEPEND}"
BDEPEND="dev-build/rocm-cmake"

PATCHES=(
	"${FILESDIR}/${PN}-6.1.1-no-git-no-hash.patch"
	"${FILESDIR}/${PN}-6.3.0-conditional-kernels.patch"
	"${FILESDIR}/${PN}-7.0.1-conditional-ckprofiler.patch"
	"${FILESDIR}/${PN}-7.0.1-libcxx-includes.patch"
	"${FILESDIR}/${PN}-7.1.0-expand-isa.patch"
)

install_ck4inductor() {
	python_domodule python/ck4inductor

	# Headers that the module compiles: there is no build backend that would install them
	local file folder
	shopt -s globstar
	for file in include/ck/**/*.hpp library/src/tensor_operation_instance/gpu/gemm_universal/**/*.hpp; do
		folder="${D}$(python_get_sitedir)/ck4inductor/$(dirname "${file}")"
		mkdir -p "${folder}" || die
		cp "${file}" "${folder}" || die
	done
	shopt -u globstar
}

check_requirements() {
	if [[ ${MERGE_TYPE} != binary ]]; then
		local targets=( ${AMDGPU_TARGETS} )
		if [[ ${#targets[@]} -gt 1 ]]; then
			ewarn "${PN} is built for ${#targets[@]} GPU targets, one after the other:"
			ewarn "AMDGPU_TARGETS should name those of your own GPUs."
		fi
		local jobs="$(makeopts_jobs)"
		local available="$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)"
		if [[ ${available} -lt "$(( jobs * 3072 ))" ]]; then
			local fitting="$(( available < 3072 ? 1 : available / 3072 ))"
			ewarn "${available} MB of memory are free, and each of ${jobs} jobs may take 3072 MB:"
			ewarn "MAKEOPTS of this package should hold -j${fitting}."
		fi
		local CHECKREQS_MEMORY="$(( jobs * 3072 ))M"
		"check-reqs_${EBUILD_PHASE_FUNC}"
	fi
}

pkg_pretend() {
	check_requirements
}

pkg_setup() {
	check_requirements
}

src_prepare() {
	sed -e "/-Werror/d" -i cmake/EnableCompilerWarnings.cmake || die

	# The examples are not built
	sed -e "/add_subdirectory(example)/d" -i CMakeLists.txt || die

	# This option makes the compiler use all memory: https://github.com/llvm/llvm-project/issues/86332
	sed -e "/-amdgpu-early-inline-all/d" -e "/-amdgpu-function-calls/d" -i CMakeLists.txt || die

	cmake_src_prepare
}

src_configure() {
	# rocminfo is run to find the GPU: https://github.com/ROCm/composable_kernel/issues/2994
	rocm_add_sandbox -w
	addpredict /dev/random

	rocm_use_clang

	if ! use debug; then
		append-cflags -DNDEBUG
		append-cxxflags -DNDEBUG
	fi

	local CMAKE_BUILD_TYPE="$(usex debug Debug Release)"

	local mycmakeargs=(
		-DCMAKE_SKIP_RPATH=ON
		-DGPU_TARGETS="$(get_amdgpu_flags)"
		-DCMAKE_INSTALL_PREFIX="${EPREFIX}/usr"
		# Warnings are errors otherwise
		-DBUILD_DEV=OFF
		-DBUILD_TESTING=$(usex test ON OFF)
		# Half the files, which are all that Gentoo's packages use; upstream's superbuild does the same:
		# https://github.com/ROCm/TheRock/blob/5cb6abaa43ad664c85a99ac37bd4d3abf9b6260e/ml-libs/CMakeLists.txt#L37
		-DMIOPEN_REQ_LIBS_ONLY=ON
		-DCK_USE_PROFILER=$(usex profiler ON OFF)
		-Wno-dev
	)

	if use amdgpu_targets_gfx1010 || use amdgpu_targets_gfx1011 || \
		use amdgpu_targets_gfx1012 || use amdgpu_targets_gfx1030 || \
		use amdgpu_targets_gfx1031; then
		mycmakeargs+=(
			# The only kernels for RDNA 1 and 2, off by default since 6.4.1
			-DDL_KERNELS=ON
		)
	fi

	if use test; then
		mycmakeargs+=(
			-DFETCHCONTENT_SOURCE_DIR_GTEST="${GTEST_S}"
		)
	fi

	cmake_src_configure
}

src_test() {
	check_amdgpu
	local -x LD_LIBRARY_PATH="${BUILD_DIR}/lib"

	cmake_src_test -j1
}

src_install() {
	cmake_src_install

	python_foreach_impl install_ck4inductor
}
