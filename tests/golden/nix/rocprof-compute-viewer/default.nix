{
  lib,
  stdenv,
  fetchFromGitHub,
  cmake,
  ninja,
  qt6,
  nix-update-script,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "rocprof-compute-viewer";
  version = "0.1.6";

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocprof-compute-viewer";
    tag = finalAttrs.version;
    hash = "sha256-hjwqU5TxV4p2EjGy5haQfQqItVtYMI7i/VIfrKZvqhE=";
  };

  __structuredAttrs = true;
  strictDeps = true;

  postPatch = ''
    # wrapQtAppsHook does this instead
    substituteInPlace CMakeLists.txt \
      --replace-fail 'install(SCRIPT ''${deploy_script})' ""
  '';

  nativeBuildInputs = [
    cmake
    ninja
    qt6.wrapQtAppsHook
  ];

  buildInputs = [ qt6.qtbase ];

  cmakeFlags = [
    "-DQT_VERSION_MAJOR=6"
    "-DRCV_DISABLE_OPENGL=ON"
  ];

  passthru.updateScript = nix-update-script { };

  meta = {
    description = "Shows what the profiler recorded about the threads of a GPU";
    homepage = "https://github.com/ROCm/rocprof-compute-viewer";
    changelog = "https://github.com/ROCm/rocprof-compute-viewer/releases/tag/${finalAttrs.src.tag}";
    license = lib.licenses.mit;
    mainProgram = "rocprof-compute-viewer";
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
