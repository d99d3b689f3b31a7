# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

PYTHON_COMPAT=( python3_{10..14} )
ROCM_SKIP_GLOBALS=1

inherit cmake linux-info python-r1 rocm

DESCRIPTION="Library and program that manage and watch AMD GPUs"
HOMEPAGE="https://github.com/ROCm/amdsmi https://rocm.docs.amd.com/projects/amdsmi/en/latest/"
SRC_URI="
	https://github.com/ROCm/amdsmi/archive/refs/tags/rocm-${PV}.tar.gz -> ${P}.tar.gz
	https://github.com/amd/esmi_ib_library/archive/refs/tags/esmi_pkg_ver-4.2.tar.gz
"
S="${WORKDIR}/amdsmi-rocm-${PV}"
ESMI_S="${WORKDIR}/esmi_ib_library-esmi_pkg_ver-4.2"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
IUSE="test"
REQUIRED_USE="${PYTHON_REQUIRED_USE}"
RESTRICT="!test? ( test )"

RDEPEND="${PYTHON_DEPS}"
DEPEND="
	${RDEPEND}
	x11-libs/libdrm[video_cards_amdgpu]
	dev-libs/rocm-core:${SLOT}
	test? ( dev-cpp/gtest )
"

CONFIG_CHECK="~HSA_AMD ~DRM_AMDGPU"

PATCHES=(
	"${FILESDIR}/${PN}-7.0.2-no-git.patch"
	"${FILESDIR}/${PN}-7.1.1-libdrm-compat.patch"
)

src_prepare() {
	# CMake would clone it otherwise
	ln -s "${ESMI_S}" esmi_ib_library || die

	# CMake warns below 3.10
	sed -e '/cmake_minimum_required/s|3\.5\.0|3.10|' -i goamdsmi_shim/CMakeLists.txt \
		"${ESMI_S}/CMakeLists.txt" || die

	# Warnings are asked for by the user's flags
	sed -e "s| *-Wall -Wextra||" -i CMakeLists.txt "${ESMI_S}/CMakeLists.txt" \
		goamdsmi_shim/CMakeLists.txt || die

	# It sets upstream's folders of installation
	sed -e "/generic_add_rocm/d" -i CMakeLists.txt || die

	# /usr/lib is the folder of another ABI
	sed -e '/target_link_libraries.*\/lib/d' -i goamdsmi_shim/CMakeLists.txt || die
	sed -e "s:doc/\\\${CPACK_PACKAGE_NAME}:doc/${PF}:g" -i CMakeLists.txt || die

	# No documentation of the sanitizer's build, which is not made
	sed -e "s|COMPONENT asan|& EXCLUDE_FROM_ALL|" -i CMakeLists.txt || die

	cmake_src_prepare
}

src_configure() {
	python_setup

	local mycmakeargs=(
		-Wno-dev
		-DBUILD_TESTS=$(usex test ON OFF)
	)

	if use test; then
		mycmakeargs+=(
			-DCMAKE_REQUIRE_FIND_PACKAGE_GTest=ON
		)
	fi

	cmake_src_configure
}

src_test() {
	# TestSysInfoRead and TestIdInfoRead open the GPU
	addwrite /dev/dri/renderD128

	# These fail where the kernel has no such figures, as of the laptop ASUS GZ302E
	export GTEST_FILTER=-amdsmitstReadOnly.TempRead:amdsmitstReadOnly.TestFrequenciesRead
	"${BUILD_DIR}/tests/amd_smi_test/amdsmitst" || die
}

src_install() {
	cmake_src_install

	# Copies of what lies elsewhere
	rm "${ED}/usr/share/amd_smi/amdsmi/libamd_smi.so" "${ED}/usr/share/amd_smi/amdsmi/LICENSE" \
		"${ED}/usr/share/amd_smi/amdsmi/README.md" || die
	python_fix_shebang "${ED}/usr/libexec/amdsmi_cli"
	python_domodule "${ED}/usr/libexec/amdsmi_cli"
	python_domodule "${ED}/usr/share/amd_smi/amdsmi"
	fperms a+x "/usr/lib/${EPYTHON}/site-packages/amdsmi_cli/amdsmi_cli.py"
	dosym -r "/usr/lib/${EPYTHON}/site-packages/amdsmi_cli/amdsmi_cli.py" /usr/bin/amd-smi

	# Both are modules of Python now
	rm -rf "${ED}/usr/share/amd_smi" "${ED}/usr/libexec/amdsmi_cli" || die
}
