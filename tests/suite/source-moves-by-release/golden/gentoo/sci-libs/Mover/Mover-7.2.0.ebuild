# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

inherit cmake

DESCRIPTION="A small library"
HOMEPAGE="https://example.org/mover"
SRC_URI="https://github.com/ROCm/rocm-libraries/releases/download/rocm-${PV}/mover.tar.gz -> mover-${PV}.tar.gz"
S="${WORKDIR}/mover"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
