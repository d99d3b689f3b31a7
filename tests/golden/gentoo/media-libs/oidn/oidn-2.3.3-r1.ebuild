# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

PYTHON_COMPAT=( python3_{11..13} )
ROCM_VERSION="6.4.3"

inherit cmake cuda python-any-r1 rocm

DESCRIPTION="Takes the noise out of ray-traced pictures, on processors and GPUs"
HOMEPAGE="https://www.openimagedenoise.org"
SRC_URI="https://github.com/RenderKit/oidn/releases/download/v${PV}/oidn-${PV}.src.tar.gz -> ${P}.tar.gz"
S="${WORKDIR}/oidn-${PV}"

LICENSE="Apache-2.0"
SLOT="0/${PV}"
KEYWORDS="~amd64 -arm ~arm64 -ppc ~ppc64 -x86"
IUSE="apps cuda hip openimageio test"
REQUIRED_USE="test? ( apps )"
RESTRICT="!test? ( test )"

RDEPEND="
	dev-cpp/tbb:=
	dev-lang/ispc
	cuda? (
		dev-util/nvidia-cuda-toolkit:=
		dev-libs/cutlass
	)
	hip? ( dev-util/hip:= )
	openimageio? ( media-libs/openimageio:= )
"
DEPEND="${RDEPEND}"
BDEPEND="${PYTHON_DEPS}"

PATCHES=(
	"${FILESDIR}/${PN}-2.3.3-amdgpu-targets.patch"
)

src_prepare() {
	if use cuda; then
		cuda_src_prepare
	fi

	# The compiler is told where HIP is: bug #930391
	if use hip; then
		sed -e "/-Wno-unused-result/s|)| --rocm-path=${EPREFIX}/usr)|" \
			-i devices/hip/CMakeLists.txt || die
	fi

	# How much code is hardened is the user's choice: bug #895018
	sed -e "s|-D_FORTIFY_SOURCE=2||g" -i cmake/oidn_platform.cmake \
		external/mkl-dnn/cmake/SDL.cmake || die

	# The copy of Composable Kernel stays: it is a small part of what takes hours, and the package of
	# its own does not build with it (bug #955869)
	rm -r external/cutlass external/mkl-dnn || die

	cmake_src_prepare
}

src_configure() {
	local mycmakeargs=(
		-DOIDN_APPS=$(usex apps ON OFF)
		-DOIDN_DEVICE_CUDA=$(usex cuda ON OFF)
		-DOIDN_DEVICE_HIP=$(usex hip ON OFF)
		-DOIDN_LIBRARY_VERSIONED=ON
		-DOIDN_DEVICE_CPU=ON
	)

	if use apps; then
		mycmakeargs+=(
			-DOIDN_APPS_OPENIMAGEIO=$(usex openimageio ON OFF)
		)
	fi

	if use hip; then
		mycmakeargs+=(
			-DROCM_PATH="${EPREFIX}/usr"
			-DOIDN_DEVICE_HIP_COMPILER="${ESYSROOT}/usr/bin/hipcc"
			-DAMDGPU_TARGETS="$(get_amdgpu_flags)"
		)
	fi

	cmake_src_configure
}

src_compile() {
	if use cuda; then
		addpredict /dev/char/
		cuda_add_sandbox || die
	fi

	cmake_src_compile
}

src_test() {
	if use cuda; then
		addpredict /dev/char/
		cuda_add_sandbox || die
	fi

	"${BUILD_DIR}/oidnTest" || die
}

src_install() {
	cmake_src_install

	# What projects within it left
	if use hip || use cuda; then
		rm -r "${ED}/var" || die
	fi
}
