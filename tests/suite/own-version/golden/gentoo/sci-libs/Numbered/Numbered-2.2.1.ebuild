# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

inherit cmake

DESCRIPTION="Headers with a number of their own"
HOMEPAGE="https://example.org/numbered"
SRC_URI="https://github.com/ROCm/Numbered/archive/rocm-7.2.0.tar.gz -> Numbered-7.2.0.tar.gz"
S="${WORKDIR}/Numbered-rocm-7.2.0"

LICENSE="MIT"
SLOT="0"
KEYWORDS="~amd64"

RDEPEND="sci-libs/User:="
DEPEND="${RDEPEND}"
