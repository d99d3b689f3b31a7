# Copyright 1999-2026 Gentoo Authors
# Distributed under the terms of the GNU General Public License v2

EAPI=8

inherit cmake

DESCRIPTION="A part of a project"
HOMEPAGE="https://example.org/deep"
SRC_URI="https://github.com/ROCm/Mono/releases/download/rocm-${PV}/whole.tar.gz -> whole-${PV}.tar.gz"
S="${WORKDIR}/whole/deep"

LICENSE="MIT"
SLOT="0/$(ver_cut 1-2)"
KEYWORDS="~amd64"
