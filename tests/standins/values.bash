# Runs recipes with recorders in place of every program. Arguments: the recipes, each with a list of
# the names in it that may be variables beside it. File 3 takes what was seen, each string behind
# a letter and before a zero byte: N the name of a program, W one of its other words, V a value of a variable.

__seen() {
	builtin printf 'N%s\0' "${1}" >&3
	shift
	(( ${#} )) && builtin printf 'W%s\0' "${@}" >&3
	return 0
}

# The variables that the recipe's text assigns; no process is started for it.
__values() {
	local __name
	for __name in "${__names[@]}"; do
		[[ ${__known[${__name}]} || ${__name} == __* ]] && continue
		declare -n __value=${__name}
		[[ ${__value[*]} == *Q[0-9]*q* ]] && builtin printf 'V%s\0' "${__value[@]}" >&3
	done
	return 0
}

command_not_found_handle() {
	__seen "${@}"
	__values
}

# What of bash itself would do something; the keywords and assignments stay.
for __builtin in cd pushd popd echo printf test source . eval exec exit trap read mapfile readarray unset umask ulimit kill enable \
	hash alias unalias let bind complete compopt type wait suspend getopts shopt caller history fc; do
	builtin eval "${__builtin}() { __seen ${__builtin} \"\${@}\"; }"
done

use() { __seen use "${@}"; [[ ${ON} ]]; }
usex() { __seen usex "${@}"; if [[ ${ON} ]]; then builtin printf %s "${2-yes}"; else builtin printf %s "${3-no}"; fi; }
die() { __seen die "${@}"; }
inherit() { __seen inherit "${@}"; }

here=${PWD}
D=${here}/image ED=${D} S=${here}/source WORKDIR=${here}/work T=${here}/temporary BUILD_DIR=${here}/build
DISTDIR=${here}/distfiles FILESDIR=${here}/files EPREFIX= PV=7.2.0 PN=Probe P=Probe-7.2.0 PF=Probe-7.2.0 CHOST=x86_64-pc-linux-gnu
srcdir=${here}/work pkgdir=${here}/image startdir=${here} EAPI=8 ECLASS=rocm ROCM_VERSION=7.2.0 out=${here}/image doc=${here}/doc
NIX_BUILD_TOP=${here} sourceRoot=source NIX_BUILD_CORES=1
workdir=${here}/work sources=${here}/sources pkgfiles=${here}/files installdir=${here}/image package=probe version=7.2.0
__ours=" $(builtin compgen -A function | while IFS= builtin read -r f; do builtin printf '%s ' "${f}"; done) "

declare -A __known
for __name in $(builtin compgen -A variable); do
	case ${__name} in
		# What a recipe sets itself.
		D|ED|S|T|WORKDIR|BUILD_DIR|EPREFIX|out|doc) ;;
		*) __known[${__name}]=1 ;;
	esac
done

for __recipe; do
	for ON in "" 1; do
		(
			builtin mapfile -t __names <"${__recipe}.names"
			builtin source "${__recipe}"
			__values
			builtin compgen -A function | while IFS= builtin read -r __f; do
				[[ ${__ours} == *" ${__f} "* ]] && continue
				builtin printf 'F%s\0' "${__f}" >&3
				( "${__f}" )
			done
		)
	done
done
