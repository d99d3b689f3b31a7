# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

PYTHON_COMPAT=( python3_{10..14} )
LLVM_COMPAT=( 22 )
ROCM_SKIP_GLOBALS=1

inherit cmake flag-o-matic llvm-r2 multiprocessing python-any-r1 rocm

DESCRIPTION="Matrix products with fused epilogues for AMD GPUs"
HOMEPAGE="https://github.com/ROCm/rocm-libraries/tree/develop/projects/hipblaslt"
SRC_URI="
	https://github.com/ROCm/rocm-libraries/releases/download/rocm-${PV}/hipblaslt.tar.gz -> hipblaslt-${PV}.tar.gz
	https://github.com/ROCm/rocm-libraries/releases/download/rocm-${PV}/origami.tar.gz -> origami-${PV}.tar.gz
"
S="${WORKDIR}/hipblaslt"
ORIGAMI_S="${WORKDIR}/origami"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"

# The GPU targets that upstream has kernels for
SUPPORTED_TARGETS=( gfx908 gfx90a gfx942 gfx950 gfx1100 gfx1101 gfx1103 gfx1150 gfx1151 gfx1200 gfx1201 )
IUSE_TARGETS=( "${SUPPORTED_TARGETS[@]/#/amdgpu_targets_}" )
IUSE="${IUSE_TARGETS[*]/#/+} benchmark roctracer test"
# The tests are built with the benchmarks since 7.1
REQUIRED_USE="test? ( benchmark )"
RESTRICT="!test? ( test )"

RDEPEND="
	dev-util/hip:${SLOT}
	dev-util/rocm-smi:${SLOT}
	roctracer? ( dev-util/roctracer:${SLOT} )
	benchmark? ( sci-libs/flexiblas )
"
DEPEND="
	${RDEPEND}
	sci-libs/hipBLAS-common:${SLOT}
	dev-cpp/msgpack-cxx
	llvm-runtimes/openmp
"
BDEPEND="
	dev-build/rocm-cmake:${SLOT}
	${PYTHON_DEPS}
	$(python_gen_any_dep "
		dev-python/msgpack[\${PYTHON_USEDEP}]
		dev-python/pyyaml[\${PYTHON_USEDEP}]
		dev-python/joblib[\${PYTHON_USEDEP}]
		dev-python/nanobind[\${PYTHON_USEDEP}]
		dev-python/setuptools[\${PYTHON_USEDEP}]
	")
	dev-util/hipcc:${SLOT}
	$(llvm_gen_dep "llvm-core/clang:\${LLVM_SLOT}")
	test? (
		sci-libs/flexiblas
		dev-cpp/gtest
	)
"

QA_FLAGS_IGNORED="usr/lib.*/hipblaslt/library/.*"

PATCHES=(
	"${FILESDIR}/${PN}-7.1.0-no-git.patch"
	"${FILESDIR}/${PN}-7.1.0-rocisa-nanobind.patch"
)

python_check_deps() {
	python_has_version -b "dev-python/msgpack[${PYTHON_USEDEP}]" \
		"dev-python/pyyaml[${PYTHON_USEDEP}]" "dev-python/joblib[${PYTHON_USEDEP}]" \
		"dev-python/nanobind[${PYTHON_USEDEP}]" "dev-python/setuptools[${PYTHON_USEDEP}]"
}

pkg_pretend() {
	if [[ -z ${AMDGPU_TARGETS} ]]; then
		ewarn "${PN} has device code for these GPU targets alone:"
		ewarn "${SUPPORTED_TARGETS[*]}"
		ewarn "AMDGPU_TARGETS holds none of them, so the library will be built without device code:"
		ewarn "programs can link against it, and every call of it fails."
	fi
}

src_prepare() {
	# Scripts run with the Python that was chosen
	local scripts
	scripts="$(grep -rl "#!/usr/bin/env python3" tensilelite/Tensile)" || die
	python_fix_shebang -q ${scripts}
	rocm_use_clang
	sed -e "s|\$(ROCM_PATH)/bin/amdclang++|$(get_llvm_prefix)/bin/clang++|" \
		-i tensilelite/Makefile || die

	# Tensile accepts compilers of these names only
	sed -e "s|amdclang|$(basename "${CC}")|g" -i tensilelite/Tensile/Toolchain/Validators.py \
		tensilelite/Tensile/Tests/unit/test_MatrixInstructionConversion.py || die

	# The tests are not installed
	sed -e "s/COMPONENT tests/COMPONENT tests EXCLUDE_FROM_ALL/g" -i CMakeLists.txt || die
	sed -e 's:\.\./\.\./shared/origami:../origami:g' -i CMakeLists.txt || die

	cmake_src_prepare

	pushd "${ORIGAMI_S}" > /dev/null || die
	local PATCHES=()
	cmake_src_prepare
	popd > /dev/null || die
}

src_configure() {
	rocm_use_clang

	# Too many warnings in generated code
	append-cxxflags -Wno-explicit-specialization-storage-class

	# Tensile links by a compiler's name alone, and GNU ld can't link its objects: lld is asked for
	append-cxxflags -DCMAKE_CXX_FLAGS=-fuse-ld=lld

	# The list ends in a semicolon, after which an empty target is read
	local targets="$(get_amdgpu_flags)"
	local with_device=OFF
	if [[ -n ${AMDGPU_TARGETS} ]]; then
		with_device=ON
	fi

	local mycmakeargs=(
		-Wno-dev
		-DGPU_TARGETS="${targets%;}"
		-Dnanobind_DIR="$(python_get_sitedir)/nanobind/cmake"
		-DPython_EXECUTABLE="${PYTHON}"
		-DHIPBLASLT_ENABLE_CLIENT="$(usex benchmark ON "$(usex test ON OFF)")"
		-DHIPBLASLT_ENABLE_SAMPLES=OFF
		-DHIPBLASLT_BUILD_TESTING=$(usex test ON OFF)
		-DHIPBLASLT_ENABLE_DEVICE="${with_device}"
		-DHIPBLASLT_ENABLE_MARKER=$(usex roctracer ON OFF)
		-DHIPBLASLT_ENABLE_ROCROLLER=OFF
		# Nothing is fetched while building
		-DHIPBLASLT_ENABLE_FETCH=OFF
		-DHIPBLASLT_BUNDLE_PYTHON_DEPS=ON
		-DTENSILELITE_BUILD_PARALLEL_LEVEL="$(makeopts_jobs)"
		-DROCM_SYMLINK_LIBS=OFF
	)

	if use benchmark || use test; then
		mycmakeargs+=(
			-DBLA_PKGCONFIG_BLAS=ON
			-DBLA_VENDOR=FlexiBLAS
			-DHIPBLASLT_ENABLE_BLIS=OFF
		)
	fi

	cmake_src_configure
}

src_compile() {
	local -x ROCM_PATH="${EPREFIX}/usr"
	# The Tensile of this build, not an installed one
	local -x PYTHONPATH="${S}_build/virtualenv/lib/${EPYTHON}/site-packages"
	local -x TENSILE_ROCM_ASSEMBLER_PATH="$(get_llvm_prefix)/bin/clang++"
	# TensileCreateLibrary reads it from the environment
	local -x CMAKE_CXX_COMPILER="$(get_llvm_prefix)/bin/clang++"
	cmake_src_compile
}

src_test() {
	# MatrixTransformTest.MultipleDevices fails with an integrated GPU as the second
	check_amdgpu
	local -x HIP_VISIBLE_DEVICES=0

	cmake_src_test
}

src_install() {
	cmake_src_install

	# HIP can't load code objects whose .strtab is stripped
	dostrip -x "/usr/$(get_libdir)/hipblaslt/library/"
}
