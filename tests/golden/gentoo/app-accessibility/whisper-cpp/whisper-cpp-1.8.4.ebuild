# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

inherit cmake

DESCRIPTION="Turns speech into text, on processors and GPUs"
HOMEPAGE="https://github.com/ggml-org/whisper.cpp"
SRC_URI="https://github.com/ggml-org/whisper.cpp/archive/v${PV}.tar.gz -> whisper.cpp-${PV}.tar.gz"
S="${WORKDIR}/whisper.cpp-${PV}"

LICENSE="MIT"
SLOT="0"
KEYWORDS="~amd64"
IUSE="blas cuda ffmpeg hip opencl sdl2 vulkan"

COMMON_DEPEND="
	blas? ( sci-libs/openblas )
	cuda? ( dev-util/nvidia-cuda-toolkit:= )
	ffmpeg? ( media-video/ffmpeg:= )
	hip? ( sci-libs/hipBLAS:= )
	opencl? ( sci-libs/clblast:= )
	sdl2? ( media-libs/libsdl2:= )
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

PATCHES=(
	"${FILESDIR}/remove-test-vad-full.patch"
)

src_configure() {
	local mycmakeargs=(
		-DGGML_BLAS=$(usex blas ON OFF)
		-DGGML_CLBLAST=$(usex opencl ON OFF)
		-DGGML_CUBLAS=$(usex cuda ON OFF)
		-DGGML_HIP=$(usex hip ON OFF)
		-DGGML_VULKAN=$(usex vulkan ON OFF)
		-DWHISPER_FFMPEG=$(usex ffmpeg ON OFF)
		-DWHISPER_SDL2=$(usex sdl2 ON OFF)
		-DWHISPER_BUILD_EXAMPLES=ON
	)

	cmake_src_configure
}

src_install() {
	cmake_src_install

	newinitd "${FILESDIR}/${PN}.init" "${PN}"
	newconfd "${FILESDIR}/${PN}.confd" "${PN}"
}
