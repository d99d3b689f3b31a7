# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

PYTHON_COMPAT=( python3_{11..14} )
ROCM_VERSION="6.4.3"

inherit cmake cuda flag-o-matic prefix python-single-r1 rocm toolchain-funcs

COMPOSABLE_KERNEL_COMMIT="7fe50dc3da2069d6645d9deb8c017a876472a977"

DESCRIPTION="Tensors and networks that learn, the native half of PyTorch"
HOMEPAGE="https://pytorch.org/"
SRC_URI="
	https://github.com/pytorch/pytorch/archive/v${PV}.tar.gz -> pytorch-${PV}.tar.gz
	rocm? (
		https://github.com/ROCm/composable_kernel/archive/${COMPOSABLE_KERNEL_COMMIT}.tar.gz
			-> composable_kernel-7fe50dc3.tar.gz
	)
	cuda? (
		flash? (
			https://github.com/Dao-AILab/flash-attention/archive/refs/tags/v2.7.4.tar.gz
				-> flash-attention-2.7.4.gh.tar.gz
		)
		memefficient? (
			https://github.com/Dao-AILab/flash-attention/archive/refs/tags/v2.7.4.tar.gz
				-> flash-attention-2.7.4.gh.tar.gz
		)
	)
"
S="${WORKDIR}/pytorch-${PV}"
COMPOSABLE_KERNEL_S="${WORKDIR}/composable_kernel-${COMPOSABLE_KERNEL_COMMIT}"

LICENSE="BSD"
SLOT="0"
KEYWORDS="~amd64 ~arm64"
IUSE="cuda cusparselt distributed fbgemm flash gloo memefficient mimalloc mkl mpi nccl nnpack +numpy onednn openblas opencl openmp qnnpack rocm xnnpack"
REQUIRED_USE="
	rocm? ( ${ROCM_REQUIRED_USE} )
	${PYTHON_REQUIRED_USE}
	mpi? ( distributed )
	gloo? ( distributed )
	?? ( cuda rocm )
	rocm? ( memefficient? ( flash ) )
	cusparselt? ( || ( cuda rocm ) )
	flash? ( || ( cuda rocm ) )
	memefficient? ( || ( cuda rocm ) )
	nccl? ( rocm )
"
# The tests take days
RESTRICT="test"

COMMON_DEPEND="
	${PYTHON_DEPS}
	dev-cpp/abseil-cpp:=
	dev-cpp/gflags:=
	>=dev-cpp/glog-0.5.0:=
	>=dev-libs/cpuinfo-2025.11.14
	dev-libs/libfmt:=
	dev-cpp/opentelemetry-cpp
	dev-libs/protobuf:=
	dev-libs/sleef
	>=sci-ml/kineto-0.4.0_p20260323
	sci-ml/onnx
	virtual/lapack
	fbgemm? ( sci-ml/FBGEMM )
	gloo? ( >=sci-ml/gloo-2025.06.04[cuda?,rocm?] )
	mimalloc? ( dev-libs/mimalloc )
	mpi? ( virtual/mpi )
	nnpack? (
		sci-ml/NNPACK
		dev-libs/pthreadpool
	)
	xnnpack? (
		dev-libs/pthreadpool
		>=sci-ml/XNNPACK-2024.11
	)
	numpy? ( $(python_gen_cond_dep "dev-python/numpy[\${PYTHON_USEDEP}]") )
	opencl? ( virtual/opencl )
	distributed? (
		!rocm? ( sci-ml/tensorpipe[cuda?] )
		dev-cpp/cpp-httplib:=
	)
	mkl? ( sci-libs/mkl )
	openblas? ( sci-libs/openblas )
"
RDEPEND="
	${COMMON_DEPEND}
	rocm? (
		>=dev-util/hip-6.3:=
		<dev-util/hip-7.3:=
		>=dev-util/roctracer-6.3:=
		<dev-util/roctracer-7.3:=
		>=sci-libs/hipBLAS-6.3:=
		<sci-libs/hipBLAS-7.3:=[rocsolver(+)]
		>=sci-libs/hipBLASLt-6.3:=
		<sci-libs/hipBLASLt-7.3:=
		>=sci-libs/hipFFT-6.3:=
		<sci-libs/hipFFT-7.3:=
		>=sci-libs/hipRAND-6.3:=
		<sci-libs/hipRAND-7.3:=
		>=sci-libs/hipSOLVER-6.3:=
		<sci-libs/hipSOLVER-7.3:=
		>=sci-libs/hipSPARSE-6.3:=
		<sci-libs/hipSPARSE-7.3:=
		>=sci-libs/miopen-6.3:=
		<sci-libs/miopen-7.3:=
		>=sci-libs/rocBLAS-6.3:=
		<sci-libs/rocBLAS-7.3:=
		>=sci-libs/rocRAND-6.3:=
		<sci-libs/rocRAND-7.3:=
		>=sci-libs/rocSOLVER-6.3:=
		<sci-libs/rocSOLVER-7.3:=
		nccl? (
			>=dev-libs/rccl-6.3:=
			<dev-libs/rccl-7.3:=
		)
		distributed? (
			>=dev-util/rocm-smi-6.3:=
			<dev-util/rocm-smi-7.3:=
		)
		cusparselt? (
			>=sci-libs/hipsparselt-6.3:=
			<sci-libs/hipsparselt-7.3:=
		)
		memefficient? ( =sci-libs/aotriton-bin-0.11*:= )
	)
	cuda? (
		dev-libs/cudnn
		>=sci-ml/cudnn-frontend-1.12.0:=
		>=dev-util/nvidia-cuda-toolkit-12.9:=[profiler]
		cusparselt? ( dev-libs/cusparselt )
	)
	qnnpack? (
		dev-libs/pthreadpool
		sci-ml/gemmlowp
		!sci-libs/QNNPACK
	)
	onednn? ( sci-ml/oneDNN )
"
DEPEND="
	${COMMON_DEPEND}
	dev-cpp/nlohmann_json
	dev-libs/flatbuffers
	dev-libs/FXdiv
	dev-libs/pocketfft
	dev-libs/psimd
	sci-ml/FP16
	$(python_gen_cond_dep "
		<dev-python/pybind11-3.0.2[\${PYTHON_USEDEP}]
		dev-python/pyyaml[\${PYTHON_USEDEP}]
		dev-python/typing-extensions[\${PYTHON_USEDEP}]
	")
	rocm? (
		>=dev-util/hip-6.3:=
		<dev-util/hip-7.3:=
		>=dev-util/roctracer-6.3:=
		<dev-util/roctracer-7.3:=
		>=sci-libs/hipBLAS-6.3:=
		<sci-libs/hipBLAS-7.3:=[rocsolver(+)]
		>=sci-libs/hipBLASLt-6.3:=
		<sci-libs/hipBLASLt-7.3:=
		>=sci-libs/hipFFT-6.3:=
		<sci-libs/hipFFT-7.3:=
		>=sci-libs/hipRAND-6.3:=
		<sci-libs/hipRAND-7.3:=
		>=sci-libs/hipSOLVER-6.3:=
		<sci-libs/hipSOLVER-7.3:=
		>=sci-libs/hipSPARSE-6.3:=
		<sci-libs/hipSPARSE-7.3:=
		>=sci-libs/miopen-6.3:=
		<sci-libs/miopen-7.3:=
		>=sci-libs/rocBLAS-6.3:=
		<sci-libs/rocBLAS-7.3:=
		>=sci-libs/rocRAND-6.3:=
		<sci-libs/rocRAND-7.3:=
		>=sci-libs/rocSOLVER-6.3:=
		<sci-libs/rocSOLVER-7.3:=
		>=sci-libs/hipCUB-6.3:=
		<sci-libs/hipCUB-7.3:=
		>=sci-libs/rocPRIM-6.3:=
		<sci-libs/rocPRIM-7.3:=
		>=sci-libs/rocThrust-6.3:=
		<sci-libs/rocThrust-7.3:=
		nccl? (
			>=dev-libs/rccl-6.3:=
			<dev-libs/rccl-7.3:=
		)
		distributed? (
			>=dev-util/rocm-smi-6.3:=
			<dev-util/rocm-smi-7.3:=
		)
		cusparselt? (
			>=sci-libs/hipsparselt-6.3:=
			<sci-libs/hipsparselt-7.3:=
		)
		memefficient? ( =sci-libs/aotriton-bin-0.11*:= )
	)
	cuda? (
		dev-libs/cudnn
		>=sci-ml/cudnn-frontend-1.12.0:=
		>=dev-util/nvidia-cuda-toolkit-12.9:=[profiler]
		>=dev-libs/cutlass-3.9.2[tools(+)]
		cusparselt? ( dev-libs/cusparselt )
	)
	qnnpack? (
		dev-libs/pthreadpool
		sci-ml/gemmlowp
		dev-libs/clog
	)
	onednn? (
		sci-ml/oneDNN
		sci-ml/ideep
	)
"

PATCHES=(
	"${FILESDIR}/${PN}-2.5.1-unbundle_fmt.patch"
	"${FILESDIR}/${PN}-2.5.1-unbundle_kineto.patch"
	"${FILESDIR}/${PN}-2.8.0-unbundle_pocketfft.patch"
	"${FILESDIR}/${PN}-2.5.1-cudnn_include_fix.patch"
	"${FILESDIR}/${PN}-2.4.0-cpp-httplib.patch"
	"${FILESDIR}/${PN}-2.5.1-glog-0.6.0.patch"
	"${FILESDIR}/${PN}-2.11.0-rocm-fix-std-cpp17.patch"
	"${FILESDIR}/${PN}-2.7.0-glog-0.7.1.patch"
	"${FILESDIR}/${PN}-2.7.1-aotriton-fixes.patch"
	"${FILESDIR}/${PN}-2.8.0-rocm-minus-flash.patch"
	"${FILESDIR}/${PN}-2.9.0-cmake.patch"
	"${FILESDIR}/${PN}-2.9.0-rocm-distributed-link.patch"
	"${FILESDIR}/${PN}-2.9.1-torch_cpu.patch"
	"${FILESDIR}/${PN}-2.10.0-gentoo.patch"
	"${FILESDIR}/${PN}-2.11.0-mimalloc.patch"
)

python_install() {
	python_domodule python/torch
	mkdir "${D}$(python_get_sitedir)/torch/bin" || die
	mkdir "${D}$(python_get_sitedir)/torch/lib" || die
	mkdir "${D}$(python_get_sitedir)/torch/include" || die

	# Bug #923269
	ln -s ../../../../../include/torch "${D}$(python_get_sitedir)/torch/include/torch" || die
	ln -s ../../../../../bin/torch_shm_manager \
		"${D}$(python_get_sitedir)/torch/bin/torch_shm_manager" || die
	ln -s "../../../../../$(get_libdir)/libtorch_global_deps.so" \
		"${D}$(python_get_sitedir)/torch/lib/libtorch_global_deps.so" || die
}

src_prepare() {
	# Can't be built with LTO, bug #862672
	filter-lto

	if use cuda && { use flash || use memefficient; }; then
		mv "${WORKDIR}"/flash-attention-2.7.4/* third_party/flash-attention/ || die
	fi

	# fmt is a package of its own
	sed -e "s/::fmt-header-only//g" -i c10/CMakeLists.txt cmake/Dependencies.cmake \
		torch/CMakeLists.txt || die

	# tensorpipe is a package of its own, and no target of this build
	sed -e "/target_compile_options_if_supported(tensorpipe/d" -i cmake/Dependencies.cmake || die
	sed -e "/add_subdirectory.*third_party/d" -i CMakeLists.txt cmake/Dependencies.cmake \
		cmake/ProtoBuf.cmake aten/src/ATen/CMakeLists.txt || die
	sed -e "/EXPORT/s|DESTINATION lib)|DESTINATION $(get_libdir))|" -i c10/cuda/CMakeLists.txt \
		c10/CMakeLists.txt c10/hip/CMakeLists.txt || die
	sed -e 's|}/lib|}/${CMAKE_INSTALL_LIBDIR}|g' \
		-e '/set(__AOTRITON_LIB/s|lib/|${CMAKE_INSTALL_LIBDIR}/|g' \
		-i cmake/External/aotriton.cmake || die

	# Too many warnings in a header that most files include
	sed -e "s/-Wextra-semi//g" -i cmake/public/utils.cmake || die

	cmake_src_prepare

	pushd torch/csrc/jit/serialization > /dev/null || die
	flatc --cpp --gen-mutable --scoped-enums mobile_bytecode.fbs || die
	popd > /dev/null || die

	hprefixify aten/CMakeLists.txt caffe2/CMakeLists.txt cmake/Metal.cmake \
		cmake/Modules/*.cmake cmake/Modules_CUDA_fix/FindCUDNN.cmake \
		cmake/Modules_CUDA_fix/upstream/FindCUDA/make2cmake.cmake \
		cmake/Modules_CUDA_fix/upstream/FindPackageHandleStandardArgs.cmake \
		cmake/public/LoadHIP.cmake cmake/public/cuda.cmake cmake/Dependencies.cmake \
		torch/CMakeLists.txt CMakeLists.txt

	if use rocm; then
		sed -e "s|/opt/rocm|/usr|" -e "s|lib/cmake|$(get_libdir)/cmake|g" \
			-i cmake/public/LoadHIP.cmake || die
		sed \
			-e "s:third_party/composable_kernel:../composable_kernel-7fe50dc3da2069d6645d9deb8c017a876472a977:g" \
			-i aten/src/ATen/CMakeLists.txt || die

		pushd "${COMPOSABLE_KERNEL_S}" > /dev/null || die

		# Adds gfx101x, bug #959808
		eapply "${FILESDIR}/composable-kernel-7fe50dc-expand-isa.patch"
		popd > /dev/null || die

		# GCC and hipcc agree on an ABI by this flag, and clang and hipcc without it:
		# https://github.com/llvm/llvm-project/issues/102443#issuecomment-2329726287
		if tc-is-clang; then
			sed -e "/-fclang-abi-compat=17/d" -i cmake/Dependencies.cmake || die
		fi

		# https://github.com/llvm/llvm-project/issues/100802
		sed -e "s/std::memcpy/memcpy/g" -i torch/headeronly/util/Half.h || die

		# Sources for CUDA become those for HIP
		FBCODE_BUILD_TOOL=buck "${EPYTHON}" tools/amd_build/build_amd.py || die
	fi
}

src_configure() {
	if use rocm; then
		export PYTORCH_ROCM_ARCH="$(get_amdgpu_flags)"
	fi
	if use rocm && use memefficient; then
		export AOTRITON_INSTALLED_PREFIX="${ESYSROOT}/usr"
	fi

	if use cuda; then
		# Bugs #867706 and #926116
		cuda_add_sandbox || die
		addpredict /dev/char/
	fi

	# Too many warnings in headers of ROCm
	if use rocm; then
		append-cxxflags -Wno-deprecated-declarations -Wno-unused-result -Wno-unused-value
	fi

	local mycmakeargs=(
		-DUSE_CUDA=$(usex cuda ON OFF)
		-DUSE_DISTRIBUTED=$(usex distributed ON OFF)
		-DUSE_FBGEMM=$(usex fbgemm ON OFF)
		-DUSE_FLASH_ATTENTION=$(usex flash ON OFF)
		-DUSE_GLOO=$(usex gloo ON OFF)
		-DUSE_MEM_EFF_ATTENTION=$(usex memefficient ON OFF)
		-DUSE_MIMALLOC=$(usex mimalloc ON OFF)
		-DUSE_MKLDNN=$(usex onednn ON OFF)
		-DUSE_MPI=$(usex mpi ON OFF)
		-DUSE_NNPACK=$(usex nnpack ON OFF)
		-DUSE_NUMPY=$(usex numpy ON OFF)
		-DUSE_OPENCL=$(usex opencl ON OFF)
		-DUSE_OPENMP=$(usex openmp ON OFF)
		-DUSE_PYTORCH_QNNPACK=$(usex qnnpack ON OFF)
		-DUSE_ROCM=$(usex rocm ON OFF)
		-DUSE_XNNPACK=$(usex xnnpack ON OFF)
		-DUSE_SYSTEM_XNNPACK=$(usex xnnpack ON OFF)
		-DUSE_TENSORPIPE="$(usex distributed "$(usex rocm OFF ON)" OFF)"
		-DUSE_SYSTEM_CPUINFO=ON
		-DUSE_SYSTEM_EIGEN_INSTALL=ON
		-DUSE_SYSTEM_FP16=ON
		-DUSE_SYSTEM_FXDIV=ON
		-DUSE_SYSTEM_GLOO=ON
		-DUSE_SYSTEM_NVTX=ON
		-DUSE_SYSTEM_ONNX=ON
		-DUSE_SYSTEM_PSIMD=ON
		-DUSE_SYSTEM_PTHREADPOOL=ON
		-DUSE_SYSTEM_PYBIND11=ON
		-DUSE_SYSTEM_SLEEF=ON
		-DUSE_NCCL=$(usex nccl ON OFF)
		-DBUILD_CUSTOM_PROTOBUF=OFF
		-DBUILD_TEST=OFF
		-DLIBSHM_INSTALL_LIB_SUBDIR="${EPREFIX}/usr/$(get_libdir)"
		-DPython_EXECUTABLE="${PYTHON}"
		-DTORCH_INSTALL_LIB_DIR="${EPREFIX}/usr/$(get_libdir)"
		-DUSE_CCACHE=OFF
		-DUSE_ITT=OFF
		-DUSE_KLEIDIAI=OFF
		-DUSE_MAGMA=OFF
		-DUSE_NUMA=OFF
		-DUSE_PYTORCH_METAL=OFF
		-DUSE_UCC=OFF
		-DUSE_VALGRIND=OFF
		-DUSE_XPU=OFF
		-DUSE_GFLAGS=ON
		-DUSE_GLOG=ON
		-DUSE_KINETO=ON
		-Wno-dev
	)

	if use mkl; then
		mycmakeargs+=(
			-DBLAS=MKL
		)
	fi

	if ! use mkl && use openblas; then
		mycmakeargs+=(
			-DBLAS=OpenBLAS
		)
	fi

	if ! use mkl && ! use openblas; then
		mycmakeargs+=(
			-DBLAS=Generic
			-DBLAS_LIBRARIES=
		)
	fi

	if use rocm; then
		mycmakeargs+=(
			-DUSE_SYSTEM_NCCL=ON
			-DCMAKE_REQUIRE_FIND_PACKAGE_HIP=ON
			# Used whenever it is found
			-DCMAKE_DISABLE_FIND_PACKAGE_hipsparselt=$(usex cusparselt OFF ON)
			# Needs a library that nobody packages, and serves three GPUs
			-DUSE_ROCM_CK_SDPA=OFF
		)
	elif use cuda; then
		mycmakeargs+=(
			-DUSE_CUDNN=ON
			-DUSE_CUSPARSELT=$(usex cusparselt ON OFF)
		)
	fi

	if use onednn; then
		mycmakeargs+=(
			-DMKLDNN_FOUND=ON
			-DMKLDNN_LIBRARIES=dnnl
			-DMKLDNN_INCLUDE_DIR="${ESYSROOT}/usr/include/oneapi/dnnl"
		)
	fi

	cmake_src_configure
}

src_compile() {
	local -x PYTORCH_BUILD_VERSION="${PV}"
	local -x PYTORCH_BUILD_NUMBER=0
	cmake_src_compile
}

src_install() {
	cmake_src_install

	# The package of PyTorch's Python half reads it
	insinto "/var/lib/${PN}"
	doins "${BUILD_DIR}/CMakeCache.txt"
	rm -rf python || die
	mkdir -p python/torch || die
	cp torch/version.py python/torch/ || die
	python_install
}
