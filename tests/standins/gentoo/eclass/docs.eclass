# Part of rocpkg's tests, under its MIT licence. A stand-in: the metadata of the eclass, and little more.

# @ECLASS: docs.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @BLURB: API documentation

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_DOCS_ECLASS} ]]; then
_DOCS_ECLASS=1

# @ECLASS_VARIABLE: DOCS_BUILDER
# @REQUIRED
# @PRE_INHERIT
# @DESCRIPTION:
# What builds the documentation.

# @ECLASS_VARIABLE: DOCS_DEPEND
# @DEFAULT_UNSET
# @PRE_INHERIT
# @DESCRIPTION:
# Packages that the builder needs besides itself.

# @ECLASS_VARIABLE: DOCS_DIR
# @DEFAULT_UNSET
# @DESCRIPTION:
# Where the sources of the documentation are.

# @ECLASS_VARIABLE: DOCS_CONFIG_NAME
# @DEFAULT_UNSET
# @DESCRIPTION:
# The builder's configuration file.

# @ECLASS_VARIABLE: DOCS_AUTODOC
# @PRE_INHERIT
# @DESCRIPTION:
# Whether modules are read for their documentation.
: "${DOCS_AUTODOC:=1}"

# @FUNCTION: docs_compile
# @DESCRIPTION:
# Builds the documentation when it is wanted.
docs_compile() {
	use doc || return 0
	pushd "${DOCS_DIR:-${S}}" >/dev/null || die
	doxygen "${DOCS_CONFIG_NAME:-Doxyfile}" || die "doxygen failed"
	popd >/dev/null || die
}

case ${DOCS_BUILDER} in
	doxygen) BDEPEND+=" doc? ( app-text/doxygen ${DOCS_DEPEND} )" ;;
	sphinx) BDEPEND+=" doc? ( dev-python/sphinx ${DOCS_DEPEND} )" ;;
	mkdocs) BDEPEND+=" doc? ( dev-python/mkdocs ${DOCS_DEPEND} )" ;;
	*) die "docs.eclass: unknown DOCS_BUILDER ${DOCS_BUILDER}" ;;
esac
IUSE+=" doc"

fi
