# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

ROCM_VERSION="6.4.3"

inherit cmake cuda git-r3 linux-info rocm

DESCRIPTION="Makes pictures from words, on processors and GPUs"
HOMEPAGE="https://github.com/leejet/stable-diffusion.cpp"
EGIT_REPO_URI="https://github.com/leejet/stable-diffusion.cpp.git"
S="${WORKDIR}/${P}"

LICENSE="MIT"
SLOT="0"
IUSE="blis cuda flexiblas openblas opencl rocm vulkan webm webp wmma"
REQUIRED_USE="
	rocm? ( ${ROCM_REQUIRED_USE} )
	?? ( openblas blis flexiblas )
	wmma? ( rocm )
	webm? ( webp )
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
	cuda? ( dev-util/nvidia-cuda-toolkit:= )
	webm? ( media-libs/libwebm )
	webp? ( media-libs/libwebp )
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
		-DGGML_BLAS="${ggml_blas}"
		-DSD_CUDA=$(usex cuda ON OFF)
		-DSD_HIPBLAS=$(usex rocm ON OFF)
		-DSD_OPENCL=$(usex opencl ON OFF)
		-DSD_VULKAN=$(usex vulkan ON OFF)
		-DSD_WEBM=$(usex webm ON OFF)
		-DSD_WEBP=$(usex webp ON OFF)
		-DSD_USE_SYSTEM_WEBM=$(usex webm ON OFF)
		-DSD_USE_SYSTEM_WEBP=$(usex webp ON OFF)
		-DSD_BUILD_SHARED_LIBS=OFF
		-DSD_SERVER_BUILD_FRONTEND=OFF
		-DCMAKE_INSTALL_LIBDIR="${EPREFIX}/usr/$(get_libdir)/stable-diffusion.cpp"
		-DCMAKE_INSTALL_RPATH="${EPREFIX}/usr/$(get_libdir)/stable-diffusion.cpp"
	)

	if use rocm; then
		mycmakeargs+=(
			-DAMDGPU_TARGETS="$(get_amdgpu_flags)"
			-DGPU_TARGETS="$(get_amdgpu_flags)"
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
	find "${ED}" -name "*.a" -delete || die
}
