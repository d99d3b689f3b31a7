# Part of rocpkg's tests, under its MIT licence. A stand-in: the metadata of the eclass, and little more.

# @ECLASS: cuda.eclass
# @MAINTAINER:
# rocpkg's tests
# @SUPPORTED_EAPIS: 8
# @BLURB: What NVIDIA's compiler needs

case ${EAPI} in
	8) ;;
	*) die "${ECLASS}: EAPI ${EAPI:-0} not supported" ;;
esac

if [[ ! ${_CUDA_ECLASS} ]]; then
_CUDA_ECLASS=1

# @FUNCTION: cuda_add_sandbox
# @USAGE: [-w]
# @DESCRIPTION:
# Lets a build see the devices.
cuda_add_sandbox() {
	local device
	for device in /dev/nvidia*; do
		[[ -e ${device} ]] || continue
		if [[ ${1} == -w ]]; then addwrite "${device}"; else addpredict "${device}"; fi
	done
}

# @FUNCTION: cuda_src_prepare
# @DESCRIPTION:
# Chooses flags for nvcc.
cuda_src_prepare() { :; }

fi

EXPORT_FUNCTIONS src_prepare
