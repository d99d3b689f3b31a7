# A small `pkgs`, for tests: nothing is built, and every package interpolates as a path that tells its name and output.
# externals: names of packages that the expressions under test ask for, `python3Packages.NAME` for Python's.
# allowBroken: whether a package that is broken may be asked for; as in nixpkgs, its meta can be read all the same.
{
  lib,
  externals,
  allowBroken,
}:
let
  inherit (builtins)
    attrNames
    filter
    isFunction
    isList
    isString
    map
    ;

  pathOf = name: output: "/store/${name}${lib.optionalString (output != "out") "-${output}"}";

  # The outputs of a package, each of which is a package too.
  withOutputs =
    name: outputs: package:
    let
      one =
        output:
        common
        // {
          outPath = checked (pathOf name output);
          outputName = output;
          outputSpecified = true;
        };
      common = package // lib.genAttrs outputs one;
      checked =
        path: if allowBroken || !(package.meta.broken or false) then path else throw "${name} is broken";
    in
    common
    // {
      outPath = checked (pathOf name (lib.head outputs));
      outputName = lib.head outputs;
    };

  # A package that is a name and nothing more.
  stub =
    name:
    let
      self = withOutputs name [ "out" "bin" "dev" "lib" "static" ] {
        inherit name;
        type = "derivation";
        pname = name;
        version = "1";
        outputs = [
          "out"
          "bin"
          "dev"
          "lib"
          "static"
        ];
        src = source "stub" { inherit name; };
        meta.mainProgram = name;
        passthru = { };
        override = _: self;
        overrideAttrs = _: self;
      };
    in
    self;

  # What a fetcher was asked for; `wants` are the attributes it can't do without, each a list of which one must be there.
  source =
    fetcher: arguments:
    {
      inherit fetcher arguments;
      type = "derivation";
      name = arguments.name or "source";
      outPath = "/store/source-${arguments.repo or (arguments.name or "file")}";
      outputs = [ "out" ];
      meta = { };
    }
    // removeAttrs arguments [
      "name"
      "meta"
    ];
  fetch =
    fetcher: wants: arguments:
    let
      given = names: filter (name: arguments ? ${name}) names;
      wrong = filter (names: lib.length (given names) != 1) wants;
    in
    if wrong == [ ] then
      source fetcher arguments
    else
      throw "${fetcher}: exactly one of ${lib.concatStringsSep ", " (lib.head wrong)} is wanted in ${builtins.toJSON (attrNames arguments)}";
  anyHash = [
    "hash"
    "sha256"
    "sha512"
  ];

  # stdenv.mkDerivation: `finalAttrs`, overrideAttrs, outputs, passthru. `instantiates` is Nix's own word on the attributes.
  mkDerivation =
    stdenv: given:
    let
      attributesOf = if isFunction given then given else _: given;
      attributes = attributesOf (attributes // { finalPackage = package; });
      name = attributes.pname or attributes.name or (throw "mkDerivation: neither pname nor name");
      outputs = attributes.outputs or [ "out" ];
      passed =
        removeAttrs attributes [
          "passthru"
          "meta"
          "env"
        ]
        // attributes.env or { };
      plain = lib.filterAttrs (_: value: value != null) passed;
      package = withOutputs name outputs (
        removeAttrs attributes [ "passthru" ]
        // attributes.passthru or { }
        // {
          inherit attributes outputs stdenv;
          type = "derivation";
          name = attributes.name or "${attributes.pname}-${attributes.version}";
          pname = name;
          meta = attributes.meta or { };
          passthru = attributes.passthru or { };
          overrideAttrs =
            change:
            mkDerivation stdenv (
              final:
              let
                prev = attributesOf final;
                once = if isFunction change then change prev else change;
              in
              prev // (if isFunction once then change final prev else once)
            );
          instantiates =
            # what is broken itself is refused before its attributes are looked at
            assert package.outPath != "";
            (derivation (
              plain
              // {
                name = package.name;
                system = "x86_64-linux";
                builder = "/bin/sh";
                outputs = outputs;
              }
            )).drvPath;
        }
      );
    in
    package;

  platform = {
    system = "x86_64-linux";
    config = "x86_64-unknown-linux-gnu";
    isLinux = true;
    isUnix = true;
    isDarwin = false;
    isx86_64 = true;
    isx86 = true;
    isAarch64 = false;
    is64bit = true;
    isMusl = false;
    isGnu = true;
    isStatic = false;
    canExecute = _: true;
    emulatorAvailable = _: true;
    extensions = {
      sharedLibrary = ".so";
      staticLibrary = ".a";
      executable = "";
      library = ".so";
    };
  };
  stdenvWith =
    name: cc:
    let
      stdenv = stub name // {
        inherit cc;
        inherit (platform) system isLinux isDarwin;
        hostPlatform = platform;
        buildPlatform = platform;
        targetPlatform = platform;
        mkDerivation = mkDerivation stdenv;
        override = _: stdenv;
      };
    in
    stdenv;
  compiler =
    name: clang:
    stub name
    // {
      isClang = clang;
      isGNU = !clang;
      cc = stub "${name}-unwrapped";
      libc = stub "libc";
    };

  # The LLVM of the stack, which is an input of the scope.
  llvm =
    lib.genAttrs [
      "bintools"
      "clang"
      "clang-tools"
      "clang-unwrapped"
      "compiler-rt"
      "flang"
      "libcxx"
      "libllvm"
      "libunwind"
      "lld"
      "lldb"
      "llvm"
      "mlir"
      "openmp"
      "rocm-merged-llvm"
      "rocm-toolchain"
      "rocmcxx"
    ] stub
    // {
      llvm = stub "llvm" // {
        version = "22.0.0-rocm";
        monorepoSrc = source "fetchFromGitHub" {
          owner = "ROCm";
          repo = "llvm-project";
        };
      };
      bintools = stub "bintools" // {
        bintools = stub "bintools-unwrapped";
      };
      rocmClangStdenv = stdenvWith "rocm-clang-stdenv" (compiler "rocm-clang" true);
      rocmClangStdenv' = stdenvWith "rocm-clang-stdenv" (compiler "rocm-clang" true);
      stdenv = stdenvWith "llvm-stdenv" (compiler "llvm-clang" true);
    };

  pythonNames = map (lib.removePrefix "python3Packages.") (
    filter (lib.hasPrefix "python3Packages.") externals
  );
  python3Packages =
    lib.genAttrs (
      pythonNames
      ++ [
        "python"
        "setuptools"
        "wheel"
      ]
    ) stub
    // {
      inherit python3Packages;
      python = python3;
      callPackage = lib.callPackageWith (pkgs // python3Packages);
      buildPythonPackage = mkDerivation pkgs.stdenv;
      buildPythonApplication = mkDerivation pkgs.stdenv;
      toPythonModule = package: package;
    };
  python3 = stub "python3" // {
    pkgs = python3Packages;
    interpreter = "/store/python3/bin/python3";
    executable = "python3";
    sitePackages = "lib/python3.13/site-packages";
    pythonVersion = "3.13";
    # the list is read, so that a name that is not there is an error
    withPackages =
      choose:
      stub "python3-with-${
        lib.concatMapStringsSep "-" (package: package.pname) (choose python3Packages)
      }";
  };

  named = name: _: stub name;
  pkgs = lib.genAttrs (filter (name: !lib.hasInfix "." name) externals) stub // {
    inherit
      lib
      llvm
      pkgs
      python3
      python3Packages
      ;
    llvmStandIn = llvm;
    qt6 = lib.genAttrs [
      "qtbase"
      "wrapQtAppsHook"
    ] stub;
    texliveSmall = stub "texlive" // {
      withPackages =
        choose:
        let
          known = lib.genAttrs [
            "adjustbox"
            "alphalph"
            "capt-of"
            "changepage"
            "collectbox"
            "courier"
            "enumitem"
            "epstopdf"
            "etoc"
            "fncychap"
            "framed"
            "hanging"
            "helvetic"
            "latexmk"
            "ltablex"
            "multirow"
            "needspace"
            "newunicodechar"
            "ninecolors"
            "sectsty"
            "stackengine"
            "tabularray"
            "tabulary"
            "tex-gyre"
            "titlesec"
            "tocloft"
            "varwidth"
            "wasy"
            "wasysym"
            "wrapfig"
            "xltabular"
          ] stub;
        in
        stub "texlive-with-${lib.concatMapStringsSep "-" (package: package.pname) (choose known)}";
    };
    config = {
      allowAliases = true;
      rocmSupport = true;
      cudaSupport = false;
    };
    system = "x86_64-linux";
    stdenv = stdenvWith "stdenv" (compiler "gcc" false);
    stdenvNoCC = stdenvWith "stdenv-no-cc" null;
    gcc = compiler "gcc" false;
    gfortran = compiler "gfortran" false;
    inherit (lib) makeOverridable recurseIntoAttrs;
    callPackage = lib.callPackageWith pkgs;
    newScope = more: lib.callPackageWith (pkgs // more);
    fetchFromGitHub = fetch "fetchFromGitHub" [
      [ "owner" ]
      [ "repo" ]
      [
        "tag"
        "rev"
      ]
      anyHash
    ];
    fetchFromGitLab = fetch "fetchFromGitLab" [
      [ "owner" ]
      [ "repo" ]
      [
        "tag"
        "rev"
      ]
      anyHash
    ];
    fetchgit = fetch "fetchgit" [
      [ "url" ]
      [
        "tag"
        "rev"
      ]
      anyHash
    ];
    fetchurl = fetch "fetchurl" [
      [
        "url"
        "urls"
      ]
      anyHash
    ];
    fetchzip = fetch "fetchzip" [
      [
        "url"
        "urls"
      ]
      anyHash
    ];
    fetchpatch = fetch "fetchpatch" [
      [ "url" ]
      anyHash
    ];
    fetchpatch2 = fetch "fetchpatch2" [
      [ "url" ]
      anyHash
    ];
    fetchPypi = fetch "fetchPypi" [
      [ "pname" ]
      [ "version" ]
      anyHash
    ];
    symlinkJoin = arguments: stub (arguments.name or arguments.pname);
    buildEnv = arguments: stub arguments.name;
    linkFarm = named;
    runCommand = name: _: named name;
    runCommandLocal = name: _: named name;
    writeScript = named;
    writeScriptBin = named;
    writeShellScript = named;
    writeShellScriptBin = named;
    writeText = named;
    writeShellApplication = arguments: stub arguments.name;
    makeSetupHook = arguments: named arguments.name;
    testers = lib.genAttrs [
      "hasCmakeConfigModules"
      "hasPkgConfigModules"
    ] (name: arguments: stub name // { inherit arguments; });
    applyPatches =
      arguments: stub (arguments.name or "patched") // { inherit (arguments) src patches; };
    replaceVars = path: _: stub (baseNameOf path);
    gitUpdater =
      arguments:
      assert builtins.isAttrs arguments;
      [ "git-updater" ];
    nix-update-script =
      arguments:
      assert builtins.isAttrs arguments;
      [ "nix-update" ];
  };
in
assert isList externals && lib.all isString externals;
pkgs
