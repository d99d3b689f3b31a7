# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

DOCS_BUILDER="doxygen"
DOCS_DIR="docs/doxygen"
DOCS_DEPEND="media-gfx/graphviz"
LLVM_COMPAT=( 22 )
ROCM_VERSION=${PV}

inherit cmake docs edo flag-o-matic llvm-r2 multiprocessing rocm

DESCRIPTION="Dense linear algebra (BLAS) for AMD GPUs"
HOMEPAGE="https://github.com/ROCm/rocm-libraries/tree/develop/projects/rocblas"
SRC_URI="https://github.com/ROCm/rocm-libraries/releases/download/rocm-${PV}/rocblas.tar.gz -> rocblas-${PV}.tar.gz"
S="${WORKDIR}/rocblas"

LICENSE="MIT BSD"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
IUSE="benchmark hipblaslt roctracer test"
REQUIRED_USE="${ROCM_REQUIRED_USE}"
RESTRICT="!test? ( test )"

RDEPEND="
	dev-util/hip:${SLOT}
	hipblaslt? ( sci-libs/hipBLASLt:${SLOT} )
	roctracer? ( dev-util/roctracer:${SLOT} )
	benchmark? (
		dev-cpp/gtest:=
		dev-util/rocm-smi:${SLOT}
		llvm-runtimes/openmp
		sci-libs/flexiblas
	)
"
DEPEND="
	${RDEPEND}
	dev-util/Tensile:${SLOT}
	>=dev-cpp/msgpack-cxx-6.0.0
	test? (
		dev-cpp/gtest:=
		dev-util/rocm-smi:${SLOT}
		llvm-runtimes/openmp
		sci-libs/flexiblas
	)
"
BDEPEND="dev-build/rocm-cmake:${SLOT}"

QA_FLAGS_IGNORED="/usr/lib64/rocblas/library/.*"

PATCHES=(
	"${FILESDIR}/${PN}-5.4.2-add-missing-header.patch"
	"${FILESDIR}/${PN}-7.0.2-expand-isa-compatibility.patch"
	"${FILESDIR}/${PN}-7.1.0-no-git.patch"
)

src_prepare() {
	cmake_src_prepare

	# Clients would get an RPATH to the OpenMP of one ABI
	sed -e "/apply_omp_settings/a return()" -i clients/CMakeLists.txt || die

	# The tracer is linked against only when it is asked for
	sed -e "s/if(ROCTRACER_INCLUDE_DIR/if(ROCBLAS_ENABLE_MARKER AND ROCTRACER_INCLUDE_DIR/g" \
		-i library/CMakeLists.txt || die
}

src_configure() {
	llvm_prepend_path "${LLVM_SLOT}"

	rocm_use_clang

	# Too many warnings in generated code
	append-cxxflags -Wno-explicit-specialization-storage-class -Wno-unused-value

	local mycmakeargs=(
		-DCMAKE_SKIP_RPATH=ON
		-DAMDGPU_TARGETS="$(get_amdgpu_flags)"
		-Wno-dev
		-DBUILD_WITH_TENSILE=ON
		-DBUILD_CLIENTS_SAMPLES=OFF
		-DBUILD_CLIENTS_TESTS=$(usex test ON OFF)
		-DBUILD_CLIENTS_BENCHMARKS=$(usex benchmark ON OFF)
		# Nothing is fetched while building
		-DBUILD_WITH_PIP=OFF
		-DBUILD_WITH_HIPBLASLT=$(usex hipblaslt ON OFF)
		-DLINK_BLIS=OFF
		-DTensile_COMPILER="${CXX}"
		-DTensile_CPU_THREADS="$(makeopts_jobs)"
		-DROCM_SYMLINK_LIBS=OFF
		-DCMAKE_INSTALL_INCLUDEDIR=include/rocblas
		-DROCBLAS_ENABLE_MARKER=$(usex roctracer ON OFF)
		-DTensile_ROOT="${EPREFIX}/usr/share/Tensile"
	)

	if use benchmark || use test; then
		mycmakeargs+=(
			-DBLA_PKGCONFIG_BLAS=flexiblas
			-DBLA_VENDOR=FlexiBLAS
			-DBLA_PREFER_PKGCONFIG=ON
		)
	fi

	cmake_src_configure
}

src_compile() {
	docs_compile
	cmake_src_compile
}

src_test() {
	# The smoke tests, as others take more than an hour on a fast GPU
	check_amdgpu
	cd "${BUILD_DIR}/clients/staging" || die
	local -x ROCBLAS_TEST_TIMEOUT=3600
	local -x ROCBLAS_TENSILE_LIBPATH="${BUILD_DIR}/Tensile/library"
	local -x LD_LIBRARY_PATH="${BUILD_DIR}/clients:${BUILD_DIR}/library/src"

	edob ./rocblas-test --yaml rocblas_smoke.yaml
}

src_install() {
	cmake_src_install

	if use benchmark; then
		cd "${BUILD_DIR}" || die
		dolib.a clients/librocblas_fortran_client.a
		dobin clients/staging/rocblas-bench
	fi

	# HIP can't load code objects whose .strtab is stripped
	dostrip -x "/usr/$(get_libdir)/rocblas/library/"
}
