# Part of rocpkg's tests, under its MIT licence. What both kinds of recipes are run with: no program is found, so nothing is
# run, and what goes to CMake is written down.
#
#   set<TAB>variable<TAB>value

shopt -s extglob
scratch=$(mktemp -d) || exit 1
trap '/bin/rm -rf "${scratch}"' EXIT
builtin cd "${scratch}" || exit 1
exec 3>&1 1>/dev/null
PATH=/nonexistent
command_not_found_handle() { return 0; }
cd() { :; }
pushd() { :; }
popd() { :; }

# record SET WORD...: each -DNAME=value, -D NAME=value or -DNAME:TYPE=value of a variable that is asked about, and each that is exported
record() {
	local set=$1 word name before=
	shift
	for name in ${VARIABLES}; do
		[[ ${!name@a} == *x* ]] && printf '%s\t%s\t%s\n' "${set}" "${name}" "${!name}" >&3
	done
	for word; do
		[[ ${before} == -D ]] && word=-D${word}
		before=${word}
		[[ ${word} == -D*=* ]] || continue
		name=${word#-D}
		name=${name%%=*}
		name=${name%%:*}
		[[ " ${VARIABLES} " == *" ${name} "* ]] && printf '%s\t%s\t%s\n' "${set}" "${name}" "${word#*=}" >&3
	done
	return 0
}
