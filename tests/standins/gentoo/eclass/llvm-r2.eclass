# Part of rocpkg's tests, under its MIT licence. A stand-in: the metadata of the eclass, and little more.

# @ECLASS: llvm-r2.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @PROVIDES: llvm-utils
# @BLURB: A choice of LLVM by slot

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_LLVM_R2_ECLASS} ]]; then
_LLVM_R2_ECLASS=1

inherit llvm-utils

# @ECLASS_VARIABLE: LLVM_COMPAT
# @REQUIRED
# @PRE_INHERIT
# @DESCRIPTION:
# The slots of LLVM that the package can be built with.

# @ECLASS_VARIABLE: LLVM_OPTIONAL
# @DEFAULT_UNSET
# @PRE_INHERIT
# @DESCRIPTION:
# Set when LLVM is not always needed: IUSE alone is written then.

# @ECLASS_VARIABLE: LLVM_REQUIRED_USE
# @OUTPUT_VARIABLE
# @DESCRIPTION:
# Exactly one slot.

# @ECLASS_VARIABLE: LLVM_USEDEP
# @OUTPUT_VARIABLE
# @DESCRIPTION:
# Hands the slot on to a dependency.

# @ECLASS_VARIABLE: _LLVM_SLOTS_KNOWN
# @INTERNAL
# @DESCRIPTION:
# The slots that exist, newest first.
_LLVM_SLOTS_KNOWN=( 24 23 22 21 20 19 18 )

# @ECLASS_VARIABLE: _LLVM_DEFAULT
# @INTERNAL
# @DESCRIPTION:
# The slot that is on by default.
_LLVM_DEFAULT=22

_llvm_set_globals() {
	[[ ${#LLVM_COMPAT[@]} -gt 0 ]] || die "llvm-r2: LLVM_COMPAT is not set"
	local slot flags=() usedep=
	_LLVM_SLOTS=()
	for slot in "${_LLVM_SLOTS_KNOWN[@]}"; do
		has "${slot}" "${LLVM_COMPAT[@]}" && _LLVM_SLOTS+=( "${slot}" )
	done
	[[ ${#_LLVM_SLOTS[@]} -gt 0 ]] || die "llvm-r2: no known slot in LLVM_COMPAT"
	for slot in "${_LLVM_SLOTS[@]}"; do
		flags+=( "llvm_slot_${slot}" )
		usedep+="${usedep:+,}llvm_slot_${slot}(-)?"
		if [[ ${slot} == "${_LLVM_DEFAULT}" ]]; then
			IUSE+=" +llvm_slot_${slot}"
		else
			IUSE+=" llvm_slot_${slot}"
		fi
	done
	LLVM_REQUIRED_USE="^^ ( ${flags[*]} )"
	LLVM_USEDEP=${usedep}
	[[ ${LLVM_OPTIONAL} ]] || REQUIRED_USE+=" ${LLVM_REQUIRED_USE}"
}
_llvm_set_globals
unset -f _llvm_set_globals

# @FUNCTION: llvm_gen_dep
# @USAGE: <dependencies>
# @DESCRIPTION:
# Repeats dependencies for each slot, with the slot in place of ${LLVM_SLOT}.
llvm_gen_dep() {
	local slot
	for slot in "${_LLVM_SLOTS[@]}"; do
		echo "llvm_slot_${slot}? ( ${1//\$\{LLVM_SLOT\}/${slot}} )"
	done
}

# @FUNCTION: llvm-r2_pkg_setup
# @DESCRIPTION:
# Finds the slot and puts it on PATH.
llvm-r2_pkg_setup() {
	local slot
	for slot in "${_LLVM_SLOTS[@]}"; do
		if in_iuse "llvm_slot_${slot}" && use "llvm_slot_${slot}"; then
			export LLVM_SLOT=${slot}
			llvm_prepend_path "${slot}"
			return
		fi
	done
}

fi

[[ ${LLVM_OPTIONAL} ]] || EXPORT_FUNCTIONS pkg_setup
