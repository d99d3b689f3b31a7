# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

ROCM_VERSION=${PV}

inherit cmake rocm

DESCRIPTION="Measures how fast data move between GPUs and the host"
HOMEPAGE="https://github.com/ROCm/rocm_bandwidth_test"
SRC_URI="https://github.com/ROCm/rocm_bandwidth_test/archive/rocm-${PV}.tar.gz -> ${P}.tar.gz"
S="${WORKDIR}/rocm_bandwidth_test-rocm-${PV}"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
REQUIRED_USE="${ROCM_REQUIRED_USE}"

RDEPEND="
	dev-libs/rocr-runtime:${SLOT}
	dev-util/hip:${SLOT}
	dev-libs/boost:=[stacktrace]
	dev-libs/libfmt:=
	dev-libs/spdlog:=
	net-misc/curl
	sys-process/numactl
"
DEPEND="
	${RDEPEND}
	dev-cpp/nlohmann_json
	dev-cpp/cli11
	dev-cpp/catch
	dev-util/hipcc
"

PATCHES=(
	"${FILESDIR}/${PN}-7.1.0-nogit.patch"
)

rocm_bandwidth_test_plugin() {
	local CMAKE_USE_DIR="${S}/plugins/tb/transferbench"
	local BUILD_DIR="${S}/plugins/tb/transferbench/build"
	cd "${S}/plugins/tb/transferbench" || die
	"${@}"
}

src_prepare() {
	# Upstream's build sets folders, versions and the linker itself, and builds the plugin by a script that calls
	# CMake once more: https://github.com/ROCm/rocm_bandwidth_test/issues/131
	sed -e 's| ${FMT_PKG_MINIMUM_REQUIRED_VERSION}||' -i cmake/build_utils.cmake || die
	sed -e 's| ${SPDLOG_PKG_MINIMUM_REQUIRED_VERSION}||' -i cmake/build_utils.cmake || die
	sed -e 's| ${CATCH2_PKG_MINIMUM_REQUIRED_VERSION}||' -i cmake/build_utils.cmake || die

	# Packages by the names under which CMake finds them
	sed -e "/set(BOOST_PACKAGE_NAME/s|boost|Boost|" -i cmake/build_utils.cmake || die
	sed -e "/set(CATCH2_PACKAGE_NAME/s|catch2|Catch2|" -i cmake/build_utils.cmake || die

	# QUIT is no word of find_package
	sed -e "s/ QUIT)/)/g" -i main/cmdline/CMakeLists.txt || die
	sed -e "/set(AMD_ROCM_STAGING_INSTALL_PATH/s|/usr/local|${EPREFIX}/usr|" \
		-e "/set(AMD_STANDALONE_STAGING_INSTALL_\\(LIB\\|EXPORT\\)DIR/s|lib|$(get_libdir)|" \
		-i CMakeLists.txt || die
	sed -e "/set(AMD_ROCM_STAGING_INSTALL_\\(LIB\\|EXPORT\\)DIR/s|lib|$(get_libdir)|" \
		-e "s|DOCDIR}/\${CPACK_PACKAGE_NAME}|DOCDIR}/${PF}|" -i CMakeLists.txt || die
	sed -e "s|/usr/local/lib|${EPREFIX}/usr/$(get_libdir)|" \
		-e "s|lib/\${AMD_TARGET_NAME}|$(get_libdir)/\${AMD_TARGET_NAME}|g" \
		-i cmake/build_utils.cmake || die
	sed -e "/set(AMD_STANDALONE_TARGET_INSTALL_PATH/s|/usr/local|${EPREFIX}/usr|" \
		-e "/set(AMD_STANDALONE_TARGET_INSTALL_\\(LIB\\|EXPORT\\)DIR/s|lib|$(get_libdir)|" \
		-i cmake/modules/post_build_utils.cmake.in || die

	# Called by its name, from PATH
	sed -e 's|\./rocm_bandwidth_test|rocm_bandwidth_test|' -i bin/rbt_run_tb || die

	# Programs that happen to be installed would be used: bug #965916
	sed -e '/find_program(\(CCACHE\|LD_LLD\|LD_MOLD\)_PATH/d' -i cmake/build_utils.cmake || die

	# The script that builds the plugin has nothing left to do
	echo > plugins/tb/transferbench/build_libamd_tb.sh || die

	cmake_src_prepare
	local PATCHES=()
	rocm_bandwidth_test_plugin cmake_src_prepare
}

src_configure() {
	local mycmakeargs=(
		-Wno-dev
		-DROCM_PATH="${EPREFIX}/usr"
		-DUSE_LOCAL_FMT_LIB=ON
		-DUSE_LOCAL_NLOHMANN_JSON=ON
		-DUSE_LOCAL_SPDLOG=ON
		-DUSE_LOCAL_BOOST=ON
		-DUSE_LOCAL_CLI11=ON
		-DUSE_LOCAL_CATCH2=ON
		-DAMD_APP_BUILD_DOCS=OFF
		-DAMD_APP_BUILD_EXAMPLES=OFF
		-DAMD_APP_COMPILER_TRY_CLANG=OFF
		-DAMD_APP_STANDALONE_BUILD_PACKAGE=ON
		-DAMD_APP_TREAT_WARNINGS_AS_ERRORS=OFF
	)

	cmake_src_configure

	rocm_use_clang
	local internal
	internal="$(< VERSION)" || die

	local mycmakeargs=(
		-DGPU_TARGETS="$(get_amdgpu_flags)"
		-DROCM_PATH="${EPREFIX}/usr"
		-DBUILD_INTERNAL_BINARY_VERSION="${internal}"
		-DHSA_INCLUDE_DIR="${EPREFIX}/usr/include/hsa"
	)

	rocm_bandwidth_test_plugin cmake_src_configure
}

src_compile() {
	# The plugin first, as it is packed into what comes behind it
	rocm_bandwidth_test_plugin cmake_src_compile

	cp "${S}"/plugins/tb/transferbench/build/libamd_tb.* "${S}/plugins/tb/lib" || die

	cmake_src_compile
}

src_test() {
	cmake_src_test
}

src_install() {
	cmake_src_install
}
