# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

ROCM_VERSION="6.4.3"

inherit cmake cuda git-r3 linux-info rocm

DESCRIPTION="Runs large language models with quantised numbers of its own kinds"
HOMEPAGE="https://github.com/ikawrakow/ik_llama.cpp"
EGIT_REPO_URI="https://github.com/ikawrakow/ik_llama.cpp.git"
S="${WORKDIR}/${P}"

LICENSE="MIT"
SLOT="0"
IUSE="blis cuda curl flexiblas openblas +openmp rocm vulkan wmma"
REQUIRED_USE="
	?? ( openblas blis flexiblas )
	wmma? ( rocm )
"

COMMON_DEPEND="
	rocm? (
		>=dev-util/hip-6.3:=
		>=sci-libs/hipBLAS-6.3:=
		wmma? ( >=sci-libs/rocWMMA-6.3:= )
	)
	blis? ( sci-libs/blis:= )
	flexiblas? ( sci-libs/flexiblas:= )
	openblas? ( sci-libs/openblas:= )
	openmp? ( llvm-runtimes/openmp:= )
	cuda? ( dev-util/nvidia-cuda-toolkit:= )
	curl? ( net-misc/curl:= )
"
RDEPEND="
	${COMMON_DEPEND}
	vulkan? ( media-libs/vulkan-loader )
"
DEPEND="
	${COMMON_DEPEND}
	vulkan? ( dev-util/vulkan-headers )
"
BDEPEND="media-libs/shaderc"

pkg_setup() {
	if use rocm; then
		linux-info_pkg_setup

		# ROCm needs memory that processor and GPU share
		if linux-info_get_any_version && linux_config_exists; then
			linux_chkconfig_present HSA_AMD_SVM || ewarn "CONFIG_HSA_AMD_SVM of the kernel is needed for GPUs of AMD"
		fi
	fi
}

src_prepare() {
	cmake_src_prepare
}

src_configure() {
	if use rocm; then
		rocm_use_hipcc
	fi

	local ggml_blas=OFF
	if use openblas || use blis || use flexiblas; then
		ggml_blas=ON
	fi

	local mycmakeargs=(
		-DCMAKE_SKIP_BUILD_RPATH=ON
		-DGENTOO_REMOVE_CMAKE_BLAS_HACK=ON
		-DGGML_NATIVE=OFF
		-DGGML_RPC=ON
		-DBUILD_NUMBER=1
		-DLLAMA_BUILD_TESTS=OFF
		-DLLAMA_BUILD_SERVER=ON
		-DGGML_BLAS="${ggml_blas}"
		-DGGML_CUDA=$(usex cuda ON OFF)
		-DGGML_HIP=$(usex rocm ON OFF)
		-DGGML_OPENMP=$(usex openmp ON OFF)
		-DGGML_VULKAN=$(usex vulkan ON OFF)
		-DLLAMA_CURL=$(usex curl ON OFF)
		-DCMAKE_INSTALL_INCLUDEDIR=include/ik_llama.cpp
		-DCMAKE_INSTALL_LIBDIR="${EPREFIX}/usr/$(get_libdir)/ik_llama.cpp"
		-DCMAKE_INSTALL_RPATH="${EPREFIX}/usr/$(get_libdir)/ik_llama.cpp"
		-DLLAMA_BUILD_EXAMPLES=ON
	)

	if use rocm; then
		mycmakeargs+=(
			-DAMDGPU_TARGETS="$(get_amdgpu_flags)"
			-DGGML_HIP_ROCWMMA_FATTN=$(usex wmma ON OFF)
		)
	fi

	if use openblas; then
		mycmakeargs+=(
			-DGGML_BLAS_VENDOR=OpenBLAS
		)
	elif use blis; then
		mycmakeargs+=(
			-DGGML_BLAS_VENDOR=FLAME
		)
	elif use flexiblas; then
		mycmakeargs+=(
			-DGGML_BLAS_VENDOR=FlexiBLAS
		)
	fi

	cmake_src_configure
}

src_install() {
	cmake_src_install

	rm -rf "${ED}/usr/include" || die

	# llama-cpp has programs of these names
	local program
	for program in "${ED}"/usr/bin/*; do
		mv "${program}" "${ED}/usr/bin/ik_${program##*/}" || die
	done
}
