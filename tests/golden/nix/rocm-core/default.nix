{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  writeText,
}:

let
  twoDigits = lib.fixedWidthString 2 "0";
in
stdenv.mkDerivation (finalAttrs: {
  pname = "rocm-core";
  version = "7.2.3";

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocm-systems";
    rev = "rocm-${finalAttrs.version}";
    sparseCheckout = [
      "projects/rocm-core"
      "shared"
    ];
    hash = "sha256-Y3WuDwruD5zKN2epwfUCZAGq5vgxCT27awJN8JxmOsY=";
  };
  sourceRoot = "${finalAttrs.src.name}/projects/rocm-core";

  patches = [
    # ROCM_PATH of the environment wins over the install prefix
    ./env-rocm-path.patch
  ];

  setupHook = writeText "setup-hook.sh" ''
    export ROCM_VERSION=${finalAttrs.version}
    export ROCM_LIBPATCH_VERSION=${finalAttrs.env.ROCM_LIBPATCH_VERSION}
    export ROCM_BUILD_ID=${finalAttrs.env.ROCM_BUILD_ID}
  '';
  doInstallCheck = true;

  nativeBuildInputs = [ cmake ];

  env = {
    # Two digits for each part but the first, as in 70203
    ROCM_LIBPATCH_VERSION =
      lib.versions.major finalAttrs.version
      + twoDigits (lib.versions.minor finalAttrs.version)
      + twoDigits (lib.versions.patch finalAttrs.version);
    BUILD_ID = "nixpkgs-${finalAttrs.env.ROCM_LIBPATCH_VERSION}";
    ROCM_BUILD_ID = finalAttrs.env.BUILD_ID;
  };

  cmakeFlags = [
    "-DROCM_VERSION=${finalAttrs.version}"
    "-DROCM_LIBPATCH_VERSION=${finalAttrs.env.ROCM_LIBPATCH_VERSION}"
    "-DBUILD_ID=${finalAttrs.env.BUILD_ID}"
    (lib.cmakeFeature "CMAKE_INSTALL_LIBEXECDIR" "libexec")
    # Upstream joins these to the prefix, so they must be relative
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ];

  preInstallCheck = ''
    # A project that finds the installed CMake package
    mkdir test_project
    pushd test_project
    printf '%s\n' \
      'cmake_minimum_required(VERSION 3.20)' \
      'project(test_rocm_core)' \
      'find_package(rocm-core REQUIRED CONFIG)' \
      'if(NOT ROCM_CORE_INCLUDE_DIR)' \
      '  message(FATAL_ERROR "no include folder")' \
      'endif()' \
      'message(STATUS "include folder: ''${ROCM_CORE_INCLUDE_DIR}")' \
      'message(STATUS "prefix: ''${ROCM_PATH}")' \
      | install -Dm644 /dev/stdin CMakeLists.txt
    CMAKE_PREFIX_PATH=$out cmake .
    popd

    # The variables that dependent builds see
    . $out/nix-support/setup-hook
    env | grep '^ROCM'
  '';

  passthru = {
    ROCM_LIBPATCH_VERSION = finalAttrs.env.ROCM_LIBPATCH_VERSION;
    updateScript = rocmUpdateScript { inherit finalAttrs; };
  };

  meta = {
    description = "Version header and version query library of a ROCm installation";
    homepage = "https://github.com/ROCm/rocm-systems/tree/develop/projects/rocm-core";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
