# Part of rocpkg's tests, under its MIT licence. A stand-in: the metadata of the eclass, and little more.

# @ECLASS: git-r3.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @BLURB: Sources from Git

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_GIT_R3_ECLASS} ]]; then
_GIT_R3_ECLASS=1

# @ECLASS_VARIABLE: EGIT_REPO_URI
# @REQUIRED
# @DESCRIPTION:
# Where the repository is.

# @ECLASS_VARIABLE: EGIT_BRANCH
# @DEFAULT_UNSET
# @DESCRIPTION:
# The branch.

# @ECLASS_VARIABLE: EGIT_COMMIT
# @DEFAULT_UNSET
# @DESCRIPTION:
# The commit or tag.

# @ECLASS_VARIABLE: EGIT_SUBMODULES
# @DEFAULT_UNSET
# @DESCRIPTION:
# Which submodules to take.

# @ECLASS_VARIABLE: EGIT_CHECKOUT_DIR
# @DEFAULT_UNSET
# @DESCRIPTION:
# Where to check out.

PROPERTIES+=" live"
BDEPEND+=" >=dev-vcs/git-1.8.2.1[curl]"

# @FUNCTION: git-r3_fetch
# @DESCRIPTION:
# Fetches nothing: tests have no network.
git-r3_fetch() { die "git-r3: tests have no network"; }

# @FUNCTION: git-r3_checkout
# @DESCRIPTION:
# Checks out nothing.
git-r3_checkout() { git-r3_fetch; }

# @FUNCTION: git-r3_src_unpack
# @DESCRIPTION:
# Fetches and checks out.
git-r3_src_unpack() { git-r3_fetch; }

fi

EXPORT_FUNCTIONS src_unpack
