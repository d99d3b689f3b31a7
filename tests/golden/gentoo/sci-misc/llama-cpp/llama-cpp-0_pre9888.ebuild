# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

ROCM_VERSION="7.1.0"

inherit cmake cuda linux-info rocm

DESCRIPTION="Runs large language models on processors and GPUs"
HOMEPAGE="https://github.com/ggml-org/llama.cpp"
SRC_URI="
	https://github.com/ggml-org/llama.cpp/archive/b9888.tar.gz -> ${P}.tar.gz
	examples? (
		https://huggingface.co/ggml-org/tiny-llamas/resolve/99dd1a73db5a37100bd4ae633f4cfce6560e1567/stories15M-q4_0.gguf
			-> ggml-org_models_tinyllamas_stories15M-q4_0-99dd1a73db5a37100bd4ae633f4cfce6560e1567.gguf
	)
"
S="${WORKDIR}/llama.cpp-b9888"

LICENSE="MIT"
SLOT="0"
KEYWORDS="~amd64"
IUSE="blis cuda curl examples flexiblas openblas opencl +openmp openssl rocm vulkan wmma"
REQUIRED_USE="
	rocm? ( ${ROCM_REQUIRED_USE} )
	?? ( openblas blis flexiblas )
	wmma? ( rocm )
"

COMMON_DEPEND="
	rocm? (
		>=dev-util/hip-7.1:=
		>=sci-libs/hipBLAS-7.1:=[amdgpu_targets_gfx908(-)?,amdgpu_targets_gfx90a(-)?,amdgpu_targets_gfx942(-)?,amdgpu_targets_gfx950(-)?,amdgpu_targets_gfx1030(-)?,amdgpu_targets_gfx1100(-)?,amdgpu_targets_gfx1101(-)?,amdgpu_targets_gfx1200(-)?]
		>=sci-libs/hipBLAS-7.1:=[amdgpu_targets_gfx1201(-)?,amdgpu_targets_gfx803(-)?,amdgpu_targets_gfx900(-)?,amdgpu_targets_gfx906(-)?,amdgpu_targets_gfx940(-)?,amdgpu_targets_gfx941(-)?,amdgpu_targets_gfx1010(-)?,amdgpu_targets_gfx1011(-)?]
		>=sci-libs/hipBLAS-7.1:=[amdgpu_targets_gfx1012(-)?,amdgpu_targets_gfx1031(-)?,amdgpu_targets_gfx1102(-)?,amdgpu_targets_gfx1103(-)?,amdgpu_targets_gfx1150(-)?,amdgpu_targets_gfx1151(-)?]
		wmma? (
			>=sci-libs/rocWMMA-7.1:=[amdgpu_targets_gfx908(-)?,amdgpu_targets_gfx90a(-)?,amdgpu_targets_gfx942(-)?,amdgpu_targets_gfx950(-)?,amdgpu_targets_gfx1100(-)?,amdgpu_targets_gfx1101(-)?,amdgpu_targets_gfx1200(-)?,amdgpu_targets_gfx1201(-)?]
			>=sci-libs/rocWMMA-7.1:=[amdgpu_targets_gfx1102(-)?,amdgpu_targets_gfx1150(-)?,amdgpu_targets_gfx1151(-)?]
		)
	)
	blis? ( sci-libs/blis:= )
	flexiblas? ( sci-libs/flexiblas:= )
	openblas? ( sci-libs/openblas:= )
	openmp? ( llvm-runtimes/openmp:= )
	cuda? ( dev-util/nvidia-cuda-toolkit:= )
	curl? ( net-misc/curl:= )
	openssl? ( dev-libs/openssl:= )
"
RDEPEND="
	${COMMON_DEPEND}
	dev-python/numpy
	opencl? ( dev-libs/opencl-icd-loader )
	vulkan? ( media-libs/vulkan-loader )
"
DEPEND="
	${COMMON_DEPEND}
	opencl? ( dev-util/opencl-headers )
	vulkan? (
		dev-util/vulkan-headers
		dev-util/spirv-headers
	)
"
BDEPEND="
	vulkan? ( media-libs/shaderc )
"

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

	if use examples; then
		mkdir -p "${BUILD_DIR}/tinyllamas" || die
		cp \
			"${DISTDIR}/ggml-org_models_tinyllamas_stories15M-q4_0-99dd1a73db5a37100bd4ae633f4cfce6560e1567.gguf" \
			"${BUILD_DIR}/tinyllamas/stories15M-q4_0.gguf" || die
	fi
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
		-DGGML_OPENCL=$(usex opencl ON OFF)
		-DGGML_OPENMP=$(usex openmp ON OFF)
		-DGGML_VULKAN=$(usex vulkan ON OFF)
		-DLLAMA_BUILD_EXAMPLES=$(usex examples ON OFF)
		-DLLAMA_CURL=$(usex curl ON OFF)
		-DLLAMA_OPENSSL=$(usex openssl ON OFF)
		-DCMAKE_INSTALL_LIBDIR="${EPREFIX}/usr/$(get_libdir)/llama.cpp"
		-DCMAKE_INSTALL_RPATH="${EPREFIX}/usr/$(get_libdir)/llama.cpp"
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
}
