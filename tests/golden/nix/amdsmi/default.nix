{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  pkg-config,
  wrapPython,
  autoPatchelfHook,
  libdrm,
  python3,
}:

let
  # What else is wanted of the source of another repository
  esmi = fetchFromGitHub {
    owner = "amd";
    repo = "esmi_ib_library";
    rev = "esmi_pkg_ver-4.2";
    hash = "sha256-czF9ezkAO0PuDkXh8y639AcOZH+KVcWiXPX74H5W/nw=";
  };
in
stdenv.mkDerivation (finalAttrs: {
  pname = "amdsmi";
  version = "7.2.3";

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocm-systems";
    rev = "rocm-${finalAttrs.version}";
    sparseCheckout = [
      "projects/amdsmi"
      "shared"
    ];
    hash = "sha256-TFi+3txemvV6K827e8S3hZOd9jcj4Qzop6V9CdKrpLg=";
  };
  sourceRoot = "${finalAttrs.src.name}/projects/amdsmi";

  patches = [
    # Two definitions of one struct: https://github.com/ROCm/amdsmi/pull/165
    ./drm-struct-redefinition-fix.patch
  ];

  postPatch = ''
    # Link by CMake's target, not by a folder of an installed library
    substituteInPlace goamdsmi_shim/CMakeLists.txt \
      --replace-fail 'amd_smi)' "\''${AMD_SMI_TARGET})" \
      --replace-fail 'target_link_libraries(''${GOAMDSMI_SHIM_TARGET} -L' '#'

    # It would clone what is put there already
    substituteInPlace CMakeLists.txt \
      --replace-fail 'if(NOT latest_esmi_tag STREQUAL current_esmi_tag)' 'if(OFF)'
    cp -rf --no-preserve=mode ${esmi} ./esmi_ib_library
    mkdir -p esmi_ib_library/include/asm
    cp ./include/amd_smi/impl/amd_hsmp.h ./esmi_ib_library/include/asm/amd_hsmp.h
  '';

  nativeBuildInputs = [
    cmake
    pkg-config
    wrapPython
    autoPatchelfHook
  ];

  buildInputs = [ libdrm ];

  cmakeFlags = [
    # Upstream joins these to the prefix, so they must be relative
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ];

  postInstall = ''
    mkdir -p $out/${python3.sitePackages}
    ln -s $out/share/amd_smi/amdsmi $out/${python3.sitePackages}/amdsmi
    makeWrapperArgs=(--prefix LD_LIBRARY_PATH : ${lib.getLib libdrm}/lib)
    wrapPythonProgramsIn $out
    rm $out/bin/amd-smi
    ln -s $out/libexec/amdsmi_cli/amdsmi_cli.py $out/bin/amd-smi
  '';

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "Library and program that manage and watch AMD GPUs";
    homepage = "https://github.com/ROCm/amdsmi";
    license = lib.licenses.mit;
    mainProgram = "amd-smi";
    maintainers = [ lib.maintainers.lovesegfault ];
    teams = [ lib.teams.rocm ];
    platforms = [ "x86_64-linux" ];
  };
})
