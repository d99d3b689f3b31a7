# Part of rocpkg's tests, under its MIT licence. A stand-in: the metadata of the eclass, and little more.

# @ECLASS: cmake.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @PROVIDES: ninja-utils
# @BLURB: Builds with CMake

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_CMAKE_ECLASS} ]]; then
_CMAKE_ECLASS=1

inherit flag-o-matic multiprocessing ninja-utils toolchain-funcs xdg-utils

# @ECLASS_VARIABLE: CMAKE_USE_DIR
# @DESCRIPTION:
# Where CMakeLists.txt is.

# @ECLASS_VARIABLE: BUILD_DIR
# @DESCRIPTION:
# Where to build.

# @ECLASS_VARIABLE: CMAKE_BUILD_TYPE
# @DESCRIPTION:
# The build type.
: "${CMAKE_BUILD_TYPE:=RelWithDebInfo}"

# @ECLASS_VARIABLE: CMAKE_MAKEFILE_GENERATOR
# @PRE_INHERIT
# @DESCRIPTION:
# The generator: ninja, or emake.
: "${CMAKE_MAKEFILE_GENERATOR:=ninja}"

# @ECLASS_VARIABLE: CMAKE_QA_COMPAT_SKIP
# @DEFAULT_UNSET
# @DESCRIPTION:
# Set when an old cmake_minimum_required is known.

# @ECLASS_VARIABLE: mycmakeargs
# @DEFAULT_UNSET
# @DESCRIPTION:
# The ebuild's own arguments, an array.

BDEPEND+=" >=dev-build/cmake-3.28.5"
[[ ${CMAKE_MAKEFILE_GENERATOR} == ninja ]] && BDEPEND+=" ${NINJA_DEPEND}"

# @FUNCTION: cmake_use_find_package
# @USAGE: <flag> <package>
# @DESCRIPTION:
# Keeps CMake from finding a package when a flag is off.
cmake_use_find_package() { echo "-DCMAKE_DISABLE_FIND_PACKAGE_$2=$(usex "$1" OFF ON)"; }

# @FUNCTION: cmake_comment_add_subdirectory
# @USAGE: [-f <file>] <folder>...
# @DESCRIPTION:
# Takes subfolders out of a build.
cmake_comment_add_subdirectory() {
	local file=CMakeLists.txt folder
	[[ $1 == -f ]] && { file=$2; shift 2; }
	for folder; do
		sed -i -e "/add_subdirectory[[:space:]]*([[:space:]]*\"\?${folder//\//\\/}\"\?[[:space:])]/s/^/#/" "${file}" || die
	done
}

_cmake_folders() {
	: "${CMAKE_USE_DIR:=${S}}"
	: "${BUILD_DIR:=${WORKDIR}/${P}_build}"
}

# @FUNCTION: cmake_prepare
# @DESCRIPTION:
# Readies the sources.
cmake_prepare() {
	_cmake_folders
	[[ -e ${CMAKE_USE_DIR}/CMakeLists.txt ]] || die "no CMakeLists.txt in ${CMAKE_USE_DIR}"
}

# @FUNCTION: cmake_src_prepare
# @DESCRIPTION:
# Applies patches and readies the sources.
cmake_src_prepare() {
	default_src_prepare
	cmake_prepare
}

# @FUNCTION: cmake_src_configure
# @USAGE: [<argument>...]
# @DESCRIPTION:
# Runs cmake.
cmake_src_configure() {
	_cmake_folders
	local generator="Unix Makefiles" args=()
	[[ ${CMAKE_MAKEFILE_GENERATOR} == ninja ]] && generator=Ninja
	declare -p mycmakeargs &>/dev/null && args=( "${mycmakeargs[@]}" )
	set -- cmake -G "${generator}" -S "${CMAKE_USE_DIR}" -B "${BUILD_DIR}" \
		-DCMAKE_BUILD_TYPE="${CMAKE_BUILD_TYPE}" -DCMAKE_INSTALL_PREFIX="${EPREFIX}/usr" \
		-DCMAKE_INSTALL_LIBDIR="$(get_libdir)" "${args[@]}" "$@"
	echo "$@"
	"$@" || die "cmake failed"
}

# @FUNCTION: cmake_build
# @USAGE: [<target>...]
# @DESCRIPTION:
# Builds targets.
cmake_build() {
	_cmake_folders
	cmake --build "${BUILD_DIR}" ${1:+--target "$@"} || die -n "build failed"
}

# @FUNCTION: cmake_src_compile
# @USAGE: [<target>...]
# @DESCRIPTION:
# Builds.
cmake_src_compile() { cmake_build "$@"; }

# @FUNCTION: cmake_src_test
# @USAGE: [<argument>...]
# @DESCRIPTION:
# Runs ctest.
cmake_src_test() {
	_cmake_folders
	ctest --test-dir "${BUILD_DIR}" --output-on-failure "$@" || die -n "tests failed"
}

# @FUNCTION: cmake_src_install
# @USAGE: [<target>...]
# @DESCRIPTION:
# Installs into the image.
cmake_src_install() {
	_cmake_folders
	DESTDIR="${D}" cmake --install "${BUILD_DIR}" || die "install failed"
	einstalldocs
}

fi

EXPORT_FUNCTIONS src_prepare src_configure src_compile src_test src_install
