# Part of rocpkg's tests, under its MIT licence. A stand-in: the metadata of the eclass, and little more.

# @ECLASS: prefix.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @BLURB: Paths below an offset

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_PREFIX_ECLASS} ]]; then
_PREFIX_ECLASS=1

# @FUNCTION: hprefixify
# @USAGE: <file>...
# @DESCRIPTION:
# Puts EPREFIX before absolute paths in files.
hprefixify() {
	[[ -n ${EPREFIX} ]] || return 0
	sed -i -e "s|\(^\|[[:space:]\"']\)/\(usr\|etc\|opt\)/|\1${EPREFIX}/\2/|g" "$@" || die
}

# @FUNCTION: prefixify_ro
# @USAGE: <file>
# @DESCRIPTION:
# Prints the path of a changed copy of a file.
prefixify_ro() {
	cp "${1}" "${T}" || die
	hprefixify "${T}/${1##*/}"
	echo "${T}/${1##*/}"
}

fi
