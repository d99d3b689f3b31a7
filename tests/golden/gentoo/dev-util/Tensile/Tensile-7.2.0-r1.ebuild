# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

DISTUTILS_USE_PEP517="setuptools"
PYTHON_COMPAT=( python3_{12..14} )
LLVM_COMPAT=( 22 )
ROCM_VERSION=${PV}

inherit cmake distutils-r1 llvm-r2 prefix rocm

DESCRIPTION="Generator of matrix product kernels for rocBLAS"
HOMEPAGE="https://rocm.docs.amd.com/projects/Tensile/en/latest/src/index.html"
SRC_URI="https://github.com/ROCm/rocm-libraries/releases/download/rocm-${PV}/tensile.tar.gz -> ${P}.tar.gz"
S="${WORKDIR}/tensile"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
IUSE="client test"
REQUIRED_USE="client? ( ${ROCM_REQUIRED_USE} )"
# Tests can freeze the machine, depending on the GPU and the kernel
RESTRICT="test"

RDEPEND="
	${PYTHON_DEPS}
	dev-python/pyyaml[${PYTHON_USEDEP}]
	dev-python/msgpack[${PYTHON_USEDEP}]
	dev-python/joblib[${PYTHON_USEDEP}]
	>=dev-cpp/msgpack-cxx-6.0.0
	dev-util/hip:${SLOT}
	dev-util/rocm-smi:${SLOT}
	$(llvm_gen_dep "llvm-core/clang:\${LLVM_SLOT}")
	client? ( dev-libs/boost:= )
"
DEPEND="${RDEPEND}"
BDEPEND="
	test? (
		dev-python/joblib[${PYTHON_USEDEP}]
		dev-python/filelock[${PYTHON_USEDEP}]
	)
"

CMAKE_USE_DIR="${S}/${PN}/Source"

EPYTEST_PLUGINS=( pytest-forked pytest-xdist )
distutils_enable_tests pytest

PATCHES=(
	"${FILESDIR}/${PN}-5.4.2-fix-arch-parse.patch"
	"${FILESDIR}/${PN}-6.0.2-expand-isa-compatibility.patch"
	"${FILESDIR}/${PN}-7.0.1-fix-install.patch"
	"${FILESDIR}/${PN}-7.1.0-cmake.patch"
)

python_test() {
	export ROCM_PATH="${EPREFIX}/usr"
	epytest
}

python_install() {
	distutils-r1_python_install
	python_moduleinto Tensile

	pushd Tensile > /dev/null || die
	python_domodule Components
	python_domodule Utilities
	python_domodule TensileCreateLib
	popd > /dev/null || die
}

src_prepare() {
	distutils-r1_src_prepare

	# Paths of LLVM's slot, and those below the prefix
	local patch="${FILESDIR}/${PN}-5.7.1-gentoopath.patch"
	sed -e "s|@LLVM_PATH@|$(get_llvm_prefix)|g" "${patch}" > "${S}/gentoopath.patch" || die
	eapply $(prefixify_ro gentoopath.patch)

	pushd "${PN}" > /dev/null || die
	sed -e "/ROCM_SMI_ROOT/s|lib|$(get_libdir)|" -i Source/cmake/FindROCmSMI.cmake || die
	sed -e "/TENSILE_USE_LLVM/s|ON|OFF|" -i Source/CMakeLists.txt || die

	# Called by their names, from PATH
	sed -e 's:\${Tensile_ROOT}/bin/::g' -i cmake/TensileConfig.cmake || die

	# HIP's version and the folder of data are fixed here
	sed -e "/HipClangVersion/s|0\\.0\\.0|$(hipconfig -v)|" -i Common.py || die
	sed \
		-e "s:os\\.path\\.dirname(os\\.path\\.realpath(__file__)):\"${EPREFIX}/usr/share/${PN}\":g" \
		-i ReplacementKernels.py Common.py Tensile.py || die
	sed -e "s|os\\.path\\.dirname.*\$|\"${EPREFIX}/usr/share/Tensile/Source\", end='')|" \
		-i __init__.py || die

	# Operands that newer assemblers refuse: https://bugs.gentoo.org/949817
	sed -e 's/ op_sel:\[0,0\] op_sel_hi:\[1,1\]//g' -i Components/MAC_I8X4.py || die

	# Tensile accepts compilers of these names only
	rocm_use_clang
	sed -e "s|amdclang|$(basename "${CC}")|g" -i Utilities/Toolchain.py || die
	popd > /dev/null || die

	if use client; then
		# PATCHES are applied already
		local PATCHES=()
		cmake_src_prepare
	fi
}

src_configure() {
	rocm_use_clang

	distutils-r1_src_configure
	if use client; then
		# The list ends in a semicolon, after which an empty target is read
		local targets="$(get_amdgpu_flags)"

		local mycmakeargs=(
			-DCMAKE_SKIP_RPATH=ON
			-DTENSILE_USE_MSGPACK=ON
			-DTENSILE_USE_LLVM=ON
			-DTensile_LIBRARY_FORMAT=msgpack
			-DGPU_TARGETS="${targets%;}"
		)

		cmake_src_configure
	fi
}

src_compile() {
	distutils-r1_src_compile
	if use client; then
		cmake_src_compile
	fi
}

src_install() {
	distutils-r1_src_install

	pushd "${PN}" > /dev/null || die
	insinto "/usr/share/${PN}"
	doins -r Configs Perf Source CustomKernels
	insinto "/usr/$(get_libdir)/cmake/${PN}"
	doins cmake/*.cmake
	popd > /dev/null || die

	if use client; then
		pushd "${BUILD_DIR}" > /dev/null || die
		dobin client/tensile_client
		popd > /dev/null || die
	fi

	# A second copy of the CMake files
	rm -rf "${ED}/usr/cmake" || die
}
