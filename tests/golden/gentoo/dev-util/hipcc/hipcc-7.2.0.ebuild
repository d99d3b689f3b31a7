# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

LLVM_COMPAT=( 22 )

inherit cmake llvm-r2

DESCRIPTION="Compiler driver that turns HIP sources into programs"
HOMEPAGE="https://github.com/ROCm/llvm-project/tree/amd-staging/amd/hipcc"
SRC_URI="https://github.com/ROCm/llvm-project/archive/rocm-${PV}.tar.gz -> llvm-project-rocm-${PV}.tar.gz"
S="${WORKDIR}/llvm-project-rocm-${PV}/amd/hipcc"

LICENSE="Apache-2.0 MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
IUSE="debug"

RDEPEND="
	$(llvm_gen_dep "
		llvm-runtimes/compiler-rt:\${LLVM_SLOT}=
		llvm-core/clang:\${LLVM_SLOT}=
		llvm-core/llvm:\${LLVM_SLOT}=
	")
"
DEPEND="${RDEPEND}"

src_unpack() {
	# The rest of the archive is many times as large
	tar -x -z -o -f "${DISTDIR}/llvm-project-rocm-${PV}.tar.gz" \
		"llvm-project-rocm-${PV}/amd/hipcc" || die
}

src_prepare() {
	cmake_src_prepare

	# LLVM lives in a folder of its slot, everything else in /usr
	sed -e "s|lib/llvm/bin|lib/llvm/${LLVM_SLOT}/bin|" -e "s|/opt/rocm|/usr|g" \
		-i src/hipBin_base.h src/hipBin_amd.h || die
	sed -e "s:amdgcn/bitcode:lib/amdgcn/bitcode:g" -i src/hipBin_amd.h || die
}

src_install() {
	cmake_src_install

	# Batch files for Windows
	rm -rf "${ED}/usr/hip" || die
}
