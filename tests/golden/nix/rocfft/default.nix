{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  rocm-cmake,
  clr,
  python3,
  sqlite,
  hiprand,
  boost,
  fftw,
  fftwFloat,
  gtest,
  openmp,
  rocrand,
  python3Packages,
  gpuTargets ? clr.localGpuTargets or clr.gpuTargets,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "rocfft${clr.gpuArchSuffix}";
  version = "7.2.3";

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocm-libraries";
    rev = "rocm-${finalAttrs.version}";
    sparseCheckout = [
      "projects/rocfft"
      "shared"
    ];
    hash = "sha256-RjWMzLX0nBA8ClweJ8YgRTn+Nzt/VUkOoSw3jMQ3IWg=";
  };
  sourceRoot = "${finalAttrs.src.name}/projects/rocfft";

  patches = [
    # A build without output for long is taken for dead
    ./log-every-n-aot-jobs.patch
  ];

  nativeBuildInputs = [
    cmake
    rocm-cmake
    clr
    python3
  ];

  buildInputs = [
    sqlite
    hiprand
  ];

  cmakeFlags = [
    # SQLite would be downloaded otherwise
    "-DSQLITE_USE_SYSTEM_PACKAGE=ON"
    "-DHIP_PLATFORM=amd"
    "-DBUILD_CLIENTS=OFF"
    "-DBUILD_SHARED_LIBS=ON"
    "-DUSE_HIPRAND=ON"
    "-DROCFFT_KERNEL_CACHE_ENABLE=ON"
    # Upstream joins these to the prefix, so they must be relative
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ]
  ++ lib.optionals (gpuTargets != [ ]) [
    "-DGPU_TARGETS=${lib.concatStringsSep ";" gpuTargets}"
  ];

  requiredSystemFeatures = [ "big-parallel" ];

  passthru = {
    test = stdenv.mkDerivation {
      pname = "${finalAttrs.pname}-test";
      inherit (finalAttrs) version src;
      sourceRoot = "${finalAttrs.sourceRoot or finalAttrs.src.name}/clients/tests";

      nativeBuildInputs = [
        cmake
        clr
        rocm-cmake
      ];

      buildInputs = [
        finalAttrs.finalPackage
        boost
        fftw
        fftwFloat
        gtest
        openmp
        rocrand
        hiprand
      ];

      postInstall = ''
        rm -r $out/lib/fftw
        rmdir $out/lib
      '';
    };
    benchmark = stdenv.mkDerivation {
      pname = "${finalAttrs.pname}-benchmark";
      inherit (finalAttrs) version src;
      sourceRoot = "${finalAttrs.sourceRoot or finalAttrs.src.name}/clients/rider";

      nativeBuildInputs = [
        cmake
        clr
        rocm-cmake
      ];

      buildInputs = [
        finalAttrs.finalPackage
        boost
        openmp
        python3Packages.pandas
        python3Packages.scipy
        rocrand
      ];

      postInstall = ''
        cp -r ../../../scripts/perf $out/bin
      '';
    };
    samples = stdenv.mkDerivation {
      pname = "${finalAttrs.pname}-samples";
      inherit (finalAttrs) version src;
      sourceRoot = "${finalAttrs.sourceRoot or finalAttrs.src.name}/clients/samples";

      nativeBuildInputs = [
        cmake
        clr
        rocm-cmake
      ];

      buildInputs = [
        finalAttrs.finalPackage
        boost
        openmp
        rocrand
      ];

      installPhase = ''
        runHook preInstall
        mkdir $out
        cp -r bin $out
        runHook postInstall
      '';
    };
    updateScript = rocmUpdateScript { inherit finalAttrs; };
  };

  meta = {
    description = "Fast Fourier transforms for AMD GPUs";
    homepage = "https://github.com/ROCm/rocm-libraries/tree/develop/projects/rocfft";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
