# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

PYTHON_COMPAT=( python3_{10..14} )
LLVM_COMPAT=( 22 )
ROCM_SKIP_GLOBALS=1

inherit cmake flag-o-matic llvm-r2 multiprocessing python-any-r1 rocm

DESCRIPTION="Matrix products with structured sparsity for AMD GPUs"
HOMEPAGE="https://github.com/ROCm/rocm-libraries/tree/develop/projects/hipsparselt"
SRC_URI="
	https://github.com/ROCm/rocm-libraries/releases/download/rocm-${PV}/hipsparselt.tar.gz -> ${P}.tar.gz
	https://github.com/ROCm/rocm-libraries/releases/download/rocm-${PV}/origami.tar.gz -> origami-${PV}.tar.gz
	https://github.com/ROCm/rocm-libraries/releases/download/rocm-${PV}/hipblaslt.tar.gz -> hipblaslt-${PV}.tar.gz
"
S="${WORKDIR}/hipsparselt"
HIPBLASLT_S="${WORKDIR}/hipblaslt"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"

# The GPU targets that upstream has kernels for
SUPPORTED_TARGETS=( gfx942 gfx950 )
IUSE_TARGETS=( "${SUPPORTED_TARGETS[@]/#/amdgpu_targets_}" )
IUSE="${IUSE_TARGETS[*]/#/+} benchmark roctracer test"
RESTRICT="!test? ( test )"

RDEPEND="
	dev-util/hip:${SLOT}
	roctracer? ( dev-util/roctracer:${SLOT} )
	benchmark? ( sci-libs/flexiblas )
"
DEPEND="
	${RDEPEND}
	sci-libs/hipSPARSE:${SLOT}
	dev-cpp/msgpack-cxx
	dev-libs/rocm-comgr:${SLOT}
	dev-libs/rocr-runtime:${SLOT}
	dev-util/rocm-smi:${SLOT}
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

QA_FLAGS_IGNORED="usr/lib.*/hipsparselt/library/.*"

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
	# Too many warnings in generated code
	append-cxxflags -Wno-explicit-specialization-storage-class
	rocm_use_clang

	# The tests are not installed
	sed -e 's/COMPONENT "tests"/COMPONENT "tests" EXCLUDE_FROM_ALL/g' -i CMakeLists.txt || die

	# The generator of kernels is built from the sources of hipBLASLt
	pushd "${HIPBLASLT_S}" > /dev/null || die
	eapply "${FILESDIR}/hipBLASLt-7.1.0-rocisa-nanobind.patch"
	sed -e 's:\.\./\.\./shared/origami:../origami:g' -i CMakeLists.txt || die

	# Scripts run with the Python that was chosen
	local scripts
	scripts="$(grep -rl "#!/usr/bin/env python3" tensilelite/Tensile)" || die
	python_fix_shebang -q ${scripts}

	# Tensile accepts compilers of these names only
	sed -e "s|amdclang|$(basename "${CC}")|g" -i tensilelite/Tensile/Toolchain/Validators.py || die
	sed -e "s|\$(ROCM_PATH)/bin/amdclang++|$(get_llvm_prefix)/bin/clang++|" \
		-i tensilelite/Makefile || die
	popd > /dev/null || die

	cmake_src_prepare
}

src_configure() {
	rocm_use_clang

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
		-DHIPSPARSELT_ENABLE_CLIENT="$(usex benchmark ON "$(usex test ON OFF)")"
		-DHIPSPARSELT_ENABLE_SAMPLES=OFF
		-DHIPSPARSELT_ENABLE_BENCHMARKS=$(usex benchmark ON OFF)
		-DHIPSPARSELT_BUILD_TESTING=$(usex test ON OFF)
		-DHIPSPARSELT_ENABLE_MARKER=$(usex roctracer ON OFF)
		-DHIPSPARSELT_ENABLE_DEVICE="${with_device}"
		-DROCM_SYMLINK_LIBS=OFF
	)

	if use benchmark || use test; then
		mycmakeargs+=(
			-DBLA_VENDOR=FlexiBLAS
		)
	fi

	if use amdgpu_targets_gfx942 || use amdgpu_targets_gfx950; then
		mycmakeargs+=(
			-DTENSILELITE_BUILD_PARALLEL_LEVEL="$(makeopts_jobs)"
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
	check_amdgpu
	local -x HIP_VISIBLE_DEVICES=0

	cmake_src_test
}

src_install() {
	cmake_src_install

	# HIP can't load code objects whose .strtab is stripped
	dostrip -x "/usr/$(get_libdir)/hipsparselt/library/"
}
