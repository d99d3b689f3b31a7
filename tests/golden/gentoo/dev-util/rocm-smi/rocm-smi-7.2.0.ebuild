# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

PYTHON_COMPAT=( python3_{11..14} python3_13t )

inherit cmake linux-info optfeature python-r1

DESCRIPTION="Older library and program that watch AMD GPUs"
HOMEPAGE="https://github.com/ROCm/rocm-systems/tree/develop/projects/rocm-smi-lib"
SRC_URI="https://github.com/ROCm/rocm-systems/releases/download/rocm-${PV}/rocm-smi-lib.tar.gz -> ${P}.tar.gz"
S="${WORKDIR}/rocm-smi-lib"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
REQUIRED_USE="${PYTHON_REQUIRED_USE}"

RDEPEND="${PYTHON_DEPS}"
DEPEND="
	${RDEPEND}
	x11-libs/libdrm[video_cards_amdgpu]
	sys-kernel/linux-headers
"

CONFIG_CHECK="~HSA_AMD ~DRM_AMDGPU"

PATCHES=(
	"${FILESDIR}/${PN}-5.7.1-no-strip.patch"
	"${FILESDIR}/${PN}-5.7.1-remove-example.patch"
)

src_prepare() {
	cmake_src_prepare

	# The archive has no history that git could tell of
	sed -e "s/find_program (GIT NAMES git)//g" -i CMakeLists.txt || die
	sed -e "/^ *num_change_since_prev_pkg(/d" -i cmake_modules/utils.cmake || die

	# The program is installed apart from the library, which it looks for beside itself
	sed \
		-e "/path_librocm = .*__file__/s|= .*|= '${EPREFIX}/usr/$(get_libdir)/librocm_smi64.so.@VERSION_MAJOR@'|" \
		-i python_smi_tools/rsmiBindingsInit.py.in || die
}

src_configure() {
	local mycmakeargs=(
		-DCMAKE_INSTALL_PREFIX="${EPREFIX}/usr"
	)

	cmake_src_configure
}

src_install() {
	cmake_src_install

	python_foreach_impl python_newscript python_smi_tools/rocm_smi.py rocm-smi
	python_foreach_impl python_domodule python_smi_tools/rsmiBindings.py
	python_foreach_impl python_domodule python_smi_tools/rsmiBindingsInit.py
	mv "${ED}"/usr/share/doc/rocm-smi-lib/* "${ED}/usr/share/doc/${PF}" || die
	rm -r "${ED}/usr/share/doc/rocm-smi-lib" || die
}

pkg_postinst() {
	optfeature "names of vendors and devices instead of their numbers" sys-apps/hwdata
}
