# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

PYTHON_COMPAT=( python3_{12..14} )
ROCM_VERSION=${PV}

inherit check-reqs cmake edo flag-o-matic multiprocessing python-r1 rocm

DESCRIPTION="Fast Fourier transforms for AMD GPUs"
HOMEPAGE="https://github.com/ROCm/rocm-libraries/tree/develop/projects/rocfft"
SRC_URI="https://github.com/ROCm/rocm-libraries/releases/download/rocm-${PV}/rocfft.tar.gz -> rocfft-${PV}.tar.gz"
S="${WORKDIR}/rocfft"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
IUSE="benchmark perfscripts test"
REQUIRED_USE="
	${ROCM_REQUIRED_USE}
	${PYTHON_REQUIRED_USE}
	perfscripts? ( benchmark )
"
RESTRICT="!test? ( test )"

RDEPEND="
	dev-db/sqlite:3
	dev-util/hip:=
	perfscripts? (
		${PYTHON_DEPS}
		dev-python/numpy[${PYTHON_USEDEP}]
		dev-python/pandas[${PYTHON_USEDEP}]
		dev-python/scipy[${PYTHON_USEDEP}]
		dev-python/sympy[${PYTHON_USEDEP}]
		media-gfx/asymptote
		dev-tex/latexmk
		sys-apps/texinfo
		dev-texlive/texlive-latex
	)
"
DEPEND="
	${RDEPEND}
	dev-util/hip:${SLOT}
	${PYTHON_DEPS}
	benchmark? (
		dev-libs/boost
		sci-libs/hipRAND:${SLOT}
	)
	test? (
		dev-libs/boost
		sci-libs/hipRAND:${SLOT}
		dev-cpp/gtest
		sci-libs/fftw
		llvm-runtimes/openmp
	)
"
BDEPEND="
	dev-build/rocm-cmake
	dev-db/sqlite
"

CHECKREQS_DISK_BUILD="7G"

check_requirements() {
	if [[ ${MERGE_TYPE} != binary ]]; then
		local targets=( ${AMDGPU_TARGETS} )
		local jobs="$(makeopts_jobs)"
		local CHECKREQS_MEMORY="$(( 2200 + jobs * ${#targets[@]} * 25 ))M"
		if use test; then
			CHECKREQS_MEMORY=52G
		fi
		"check-reqs_${EBUILD_PHASE_FUNC}"
	fi
}

pkg_pretend() {
	# check-reqs would refuse here what it only warns of in pkg_setup
	:
}

pkg_setup() {
	check_requirements

	python_setup
}

src_prepare() {
	if use perfscripts; then
		pushd scripts/perf > /dev/null || die
		sed -e "/rocmversion/s|rocm_info\\.strip()|\"${PV}\"|" -i perflib/specs.py || die

		# Installed as a module and below share instead of beside the scripts
		sed -e "/^top/,+1d" -i rocfft-perf suites.py || die
		sed -e "s/perflib/${PN}_perflib/g" -i rocfft-perf suites.py perflib/*.py || die
		sed -e "/^top = /s|__file__).*\$|\"${EPREFIX}/usr/share/${PN}-perflib\")|" \
			-i perflib/pdf.py perflib/generators.py || die
		popd > /dev/null || die
	fi

	cmake_src_prepare
}

src_configure() {
	rocm_use_clang

	# LTO can't be mixed with -fgpu-rdc, bug #977921: https://github.com/ROCm/hip/issues/3879
	filter-lto

	local mycmakeargs=(
		-DCMAKE_SKIP_RPATH=ON
		-DGPU_TARGETS="$(get_amdgpu_flags)"
		-DBUILD_CLIENTS_TESTS=$(usex test ON OFF)
		-DBUILD_CLIENTS_BENCH=$(usex benchmark ON OFF)
		# SQLite would be downloaded otherwise
		-DSQLITE_USE_SYSTEM_PACKAGE=ON
		-DROCM_SYMLINK_LIBS=OFF
		-Wno-dev
	)

	cmake_src_configure
}

src_test() {
	check_amdgpu
	cd "${BUILD_DIR}/clients/staging" || die
	local -x LD_LIBRARY_PATH="${BUILD_DIR}/library/src/:${BUILD_DIR}/library/src/device"
	local -x HIP_VISIBLE_DEVICES=0

	edob ./rocfft-test
}

src_install() {
	cmake_src_install

	if use benchmark; then
		cd "${BUILD_DIR}/clients/staging" || die
		dobin dyna-rocfft-bench rocfft-bench

		# Their names up to 5.7
		dosym dyna-rocfft-bench /usr/bin/dyna-rocfft-rider
		dosym rocfft-bench /usr/bin/rocfft-rider

		# dev-util/perf has a program of that name
		if ! use perfscripts; then
			rm -rf "${ED}/usr/bin/perf" || die
		fi
	fi

	if use perfscripts; then
		cd "${S}/scripts/perf" || die
		python_foreach_impl python_doexe rocfft-perf
		python_moduleinto "${PN}_perflib"
		python_foreach_impl python_domodule perflib/*.py
		insinto "/usr/share/${PN}-perflib"
		doins *.asy suites.py
	fi
}
