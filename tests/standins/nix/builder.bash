# Part of rocpkg's tests, under its MIT licence. What nixpkgs' builder does for a package with CMake, hooks before and after each phase.
set -eu
export PATH=/usr/bin:/bin
patchShebangs() { for file; do [[ ${file} == --* || -e ${file} ]] || return 1; done; }
hook() { eval "${!1-}"; }

cp -r "${src}" source
chmod -R u+w source
cd "${sourceRoot}"
hook prePatch
hook postPatch
hook preConfigure
mkdir build
cd build
read -ra flags <<<"${cmakeFlags}"
cmake .. -DCMAKE_INSTALL_PREFIX="${out}" "${flags[@]}"
hook postConfigure
hook preBuild
make
hook postBuild
hook preInstall
make install
for output in ${outputs}; do mkdir -p "${!output}"; done
hook postInstall
