# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

ROCM_VERSION="6.4.3"

inherit cmake cuda go-module linux-info rocm systemd

DESCRIPTION="Fetches large language models, runs and serves them"
HOMEPAGE="https://ollama.com"
SRC_URI="
	https://github.com/ollama/ollama/archive/v${PV}.tar.gz -> ${PN}-${PV}.gh.tar.gz
	https://github.com/gentoo-golang-dist/ollama/releases/download/v${PV}/ollama-${PV}-deps.tar.xz
"
S="${WORKDIR}/ollama-${PV}"

LICENSE="MIT"
SLOT="0"
KEYWORDS="~amd64"
IUSE="blas blis cpu_flags_x86_avx cpu_flags_x86_avx2 cpu_flags_x86_avx512_vnni cpu_flags_x86_avx512f cpu_flags_x86_avx512vbmi cpu_flags_x86_avx_vnni cpu_flags_x86_bmi2 cpu_flags_x86_f16c cpu_flags_x86_fma3 cpu_flags_x86_sse4_2 cuda flexiblas mkl openblas rocm vulkan"
REQUIRED_USE="blas? ( ?? ( blis mkl openblas ) )"
# GURU's ebuild runs no tests
RESTRICT="test"

DEPEND="
	rocm? (
		>=dev-util/hip-6.1:=
		>=sci-libs/hipBLAS-6.1:=
		>=sci-libs/rocBLAS-6.1:=
	)
	blas? (
		blis? ( sci-libs/blis:= )
		flexiblas? ( sci-libs/flexiblas[blis?,mkl?,openblas?] )
		mkl? ( sci-libs/mkl[llvm-openmp] )
		openblas? ( sci-libs/openblas )
		virtual/blas[flexiblas=]
	)
	cuda? ( dev-util/nvidia-cuda-toolkit:= )
"
RDEPEND="
	${DEPEND}
	acct-group/ollama
	>=acct-user/ollama-3[cuda?]
"
BDEPEND="
	>=dev-lang/go-1.24.1
	vulkan? (
		dev-util/vulkan-headers
		media-libs/shaderc
	)
"

PATCHES=(
	"${FILESDIR}/${PN}-9999-use-GNUInstallDirs.patch"
	"${FILESDIR}/${PN}-0.18.0-make-installing-runtime-deps-optional.patch"
)

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
	if use cuda; then
		cuda_src_prepare
	fi

	cmake_src_prepare

	# A set() would win over the argument
	sed -e "/set(GGML_CCACHE/d" -i CMakeLists.txt || die
	sed -e "s/ -O3//g" -i ml/backend/ggml/ggml/src/ggml-cpu/cpu.go || die

	# The folder where ollama looks for ggml's backends
	sed -e "s|\"lib/ollama\"|\"$(get_libdir)/ollama\"|g" \
		-e "s|\"lib\", \"ollama\"|\"$(get_libdir)\", \"ollama\"|g" \
		-i ml/backend/ggml/ggml/src/ggml.go ml/path.go || die

	# Each variant of ggml for a processor, with what it is compiled for
	if use amd64; then
		local variants=(
			"sse42 sse4_2"
			"sandybridge sse4_2 avx"
			"haswell sse4_2 avx f16c avx2 bmi2 fma3"
			"skylakex sse4_2 avx f16c avx2 bmi2 fma3 avx512f"
			"icelake sse4_2 avx f16c avx2 bmi2 fma3 avx512f avx512vbmi avx512_vnni"
			"alderlake sse4_2 avx f16c avx2 bmi2 fma3 avx_vnni"
		)
		local variant flag
		for variant in "${variants[@]}"; do
			for flag in ${variant#* }; do
				use "cpu_flags_x86_${flag}" && continue
				sed -e "/ggml_add_cpu_backend_variant(${variant%% *} /d" -i ml/backend/ggml/ggml/src/CMakeLists.txt || die
				break
			done
		done
	fi
}

src_configure() {
	if use rocm; then
		local -x HIP_PATH="${EPREFIX}/usr"
	fi

	local mycmakeargs=(
		-DCMAKE_DISABLE_FIND_PACKAGE_Vulkan=$(usex vulkan OFF ON)
		-DGGML_BACKEND_DL=ON
		-DGGML_BLAS=$(usex blas ON OFF)
		-DOLLAMA_INSTALL_RUNTIME_DEPS=OFF
		-DGGML_CCACHE=OFF
		-DGGML_BACKEND_DIR="${EPREFIX}/usr/$(get_libdir)/ollama"
	)

	if use rocm; then
		mycmakeargs+=(
			-DAMDGPU_TARGETS="$(get_amdgpu_flags)"
			-DCMAKE_HIP_ARCHITECTURES="$(get_amdgpu_flags)"
			-DCMAKE_HIP_PLATFORM=amd
		)
	fi

	if ! use cuda; then
		mycmakeargs+=(
			-DCMAKE_CUDA_COMPILER=NOTFOUND
		)
	fi

	if ! use rocm; then
		mycmakeargs+=(
			-DCMAKE_HIP_COMPILER=NOTFOUND
		)
	fi

	if use blas && use flexiblas; then
		mycmakeargs+=(
			-DGGML_BLAS_VENDOR=FlexiBLAS
		)
	fi

	if use blas && ! use flexiblas && use blis; then
		mycmakeargs+=(
			-DGGML_BLAS_VENDOR=FLAME
		)
	fi

	if use blas && ! use flexiblas && use mkl; then
		mycmakeargs+=(
			-DGGML_BLAS_VENDOR=Intel10_64lp
		)
	fi

	if use blas && ! use flexiblas && use openblas; then
		mycmakeargs+=(
			-DGGML_BLAS_VENDOR=OpenBLAS
		)
	fi

	if use blas && ! use flexiblas && ! use blis && ! use mkl && ! use openblas; then
		mycmakeargs+=(
			-DGGML_BLAS_VENDOR=Generic
		)
	fi

	cmake_src_configure
}

src_compile() {
	ego build

	cmake_src_compile
}

src_install() {
	dobin ollama

	cmake_src_install

	newinitd "${FILESDIR}/ollama.init" "${PN}"
	newconfd "${FILESDIR}/ollama.confd" "${PN}"
	systemd_dounit "${FILESDIR}/ollama.service"
}

pkg_preinst() {
	keepdir /var/log/ollama
	fperms 750 /var/log/ollama
	fowners ollama:ollama /var/log/ollama
}

pkg_postinst() {
	einfo "Start the service, or run: ollama serve"
	einfo "Then a model is fetched and run by: ollama run NAME"
}
