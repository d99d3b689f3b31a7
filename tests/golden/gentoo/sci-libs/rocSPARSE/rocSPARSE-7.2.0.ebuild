# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

PYTHON_COMPAT=( python3_{10..14} )
ROCM_VERSION=${PV}

inherit cmake edo flag-o-matic python-any-r1 rocm toolchain-funcs

DESCRIPTION="Sparse linear algebra for AMD GPUs"
HOMEPAGE="https://github.com/ROCm/rocm-libraries/tree/develop/projects/rocsparse"
SRC_URI="
	https://github.com/ROCm/rocm-libraries/releases/download/rocm-${PV}/rocsparse.tar.gz -> rocsparse-${PV}.tar.gz
	test? (
		http://sparse-files.engr.tamu.edu/MM/SNAP/amazon0312.tar.gz -> ${PN}_amazon0312.tar.gz
		http://sparse-files.engr.tamu.edu/MM/Muite/Chebyshev4.tar.gz -> ${PN}_Chebyshev4.tar.gz
		http://sparse-files.engr.tamu.edu/MM/FEMLAB/sme3Dc.tar.gz -> ${PN}_sme3Dc.tar.gz
		http://sparse-files.engr.tamu.edu/MM/Williams/webbase-1M.tar.gz -> ${PN}_webbase-1M.tar.gz
		http://sparse-files.engr.tamu.edu/MM/Bova/rma10.tar.gz -> ${PN}_rma10.tar.gz
		http://sparse-files.engr.tamu.edu/MM/JGD_BIBD/bibd_22_8.tar.gz -> ${PN}_bibd_22_8.tar.gz
		http://sparse-files.engr.tamu.edu/MM/Williams/mac_econ_fwd500.tar.gz -> ${PN}_mac_econ_fwd500.tar.gz
		http://sparse-files.engr.tamu.edu/MM/Williams/mc2depi.tar.gz -> ${PN}_mc2depi.tar.gz
		http://sparse-files.engr.tamu.edu/MM/Hamm/scircuit.tar.gz -> ${PN}_scircuit.tar.gz
		http://sparse-files.engr.tamu.edu/MM/Sandia/ASIC_320k.tar.gz -> ${PN}_ASIC_320k.tar.gz
		http://sparse-files.engr.tamu.edu/MM/GHS_psdef/bmwcra_1.tar.gz -> ${PN}_bmwcra_1.tar.gz
		http://sparse-files.engr.tamu.edu/MM/HB/nos1.tar.gz -> ${PN}_nos1.tar.gz
		http://sparse-files.engr.tamu.edu/MM/HB/nos2.tar.gz -> ${PN}_nos2.tar.gz
		http://sparse-files.engr.tamu.edu/MM/HB/nos3.tar.gz -> ${PN}_nos3.tar.gz
		http://sparse-files.engr.tamu.edu/MM/HB/nos4.tar.gz -> ${PN}_nos4.tar.gz
		http://sparse-files.engr.tamu.edu/MM/HB/nos5.tar.gz -> ${PN}_nos5.tar.gz
		http://sparse-files.engr.tamu.edu/MM/HB/nos6.tar.gz -> ${PN}_nos6.tar.gz
		http://sparse-files.engr.tamu.edu/MM/HB/nos7.tar.gz -> ${PN}_nos7.tar.gz
		http://sparse-files.engr.tamu.edu/MM/DNVS/shipsec1.tar.gz -> ${PN}_shipsec1.tar.gz
		http://sparse-files.engr.tamu.edu/MM/Cote/mplate.tar.gz -> ${PN}_mplate.tar.gz
		http://sparse-files.engr.tamu.edu/MM/Bai/qc2534.tar.gz -> ${PN}_qc2534.tar.gz
		http://sparse-files.engr.tamu.edu/MM/Chevron/Chevron2.tar.gz -> ${PN}_Chevron2.tar.gz
		http://sparse-files.engr.tamu.edu/MM/Chevron/Chevron3.tar.gz -> ${PN}_Chevron3.tar.gz
		http://sparse-files.engr.tamu.edu/MM/Chevron/Chevron4.tar.gz -> ${PN}_Chevron4.tar.gz
	)
"
S="${WORKDIR}/rocsparse"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
IUSE="benchmark test"
REQUIRED_USE="${ROCM_REQUIRED_USE}"
RESTRICT="!test? ( test )"

RDEPEND="
	dev-util/hip:${SLOT}
	sci-libs/rocPRIM:${SLOT}
	sci-libs/rocBLAS:${SLOT}
	dev-util/roctracer:${SLOT}
"
DEPEND="${RDEPEND}"
BDEPEND="
	test? (
		dev-cpp/gtest
		$(python_gen_any_dep "dev-python/pyyaml[\${PYTHON_USEDEP}]")
		>=dev-build/cmake-3.22
	)
"

python_check_deps() {
	if use test; then
		python_has_version -b "dev-python/pyyaml[${PYTHON_USEDEP}]"
	fi
}

src_prepare() {
	# rocBLAS is wanted, in any version: https://github.com/ROCm/rocm-libraries/issues/2074
	sed -e '/find_package(rocblas /s| 4\.1\.0 QUIET| REQUIRED|' -i CMakeLists.txt || die

	cmake_src_prepare

	if use test; then
		# The build would fetch the matrices and convert them; both is done here
		mkdir -p "${BUILD_DIR}/clients/matrices" || die

		# The converter writes wrong files when it is optimised
		edo $(tc-getCXX) deps/convert.cpp -o deps/convert

		# Archives hold vectors too, such as nos1_b.mtx, which the converter can't read: the matrix
		# is the file that bears its folder's name. All are of https://sparse-files.engr.tamu.edu
		local matrix name
		for matrix in "${WORKDIR}"/*/*.mtx; do
			name=${matrix##*/}
			[[ ${matrix} == */${name%.mtx}/${name} ]] || continue
			deps/convert "${matrix}" "${BUILD_DIR}/clients/matrices/${name%.mtx}.csr" || die
		done
	fi
}

src_configure() {
	rocm_use_clang

	# Too many warnings in the tests
	append-cxxflags -Wno-explicit-specialization-storage-class

	local mycmakeargs=(
		-DCMAKE_SKIP_RPATH=ON
		-DGPU_TARGETS="$(get_amdgpu_flags)"
		-DBUILD_CLIENTS_SAMPLES=OFF
		-DBUILD_CLIENTS_TESTS=$(usex test ON OFF)
		-DBUILD_CLIENTS_BENCHMARKS=$(usex benchmark ON OFF)
		-DBUILD_WITH_ROCBLAS=ON
	)

	if use test; then
		mycmakeargs+=(
			-DPython3_EXECUTABLE="${PYTHON}"
		)
	fi

	cmake_src_configure
}

src_test() {
	check_amdgpu
	cd "${BUILD_DIR}/clients/staging" || die
	local -x LD_LIBRARY_PATH="${BUILD_DIR}/library"

	edob ./rocsparse-test
}

src_install() {
	cmake_src_install

	if use benchmark; then
		cd "${BUILD_DIR}" || die
		dobin clients/staging/rocsparse-bench
	fi
}
