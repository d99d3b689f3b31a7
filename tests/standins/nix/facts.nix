# Facts of a package scope, as a set that becomes JSON.
#
# question: a JSON file with
#   tree: a folder with default.nix, called as nixpkgs calls a set of packages
#   externals: the names of packages outside it, or null to stand in for whatever is asked for
#   pythonNames: Python packages that the text of the expressions names; only read when externals is null
#   narrowed: the name of a sub-scope, or null
{ question }:
let
  inherit (builtins.fromJSON (builtins.readFile question)) externals pythonNames narrowed;
  tree = /. + (builtins.fromJSON (builtins.readFile question)).tree;
  world = import ./world.nix {
    inherit tree externals pythonNames;
    allowBroken = true;
  };
  inherit (world) lib;
  whole = world.scope;
  scope =
    if narrowed == null then whole else whole.${narrowed} or (throw "the scope has no ${narrowed}");

  packages = world.kept scope world.isPackage;
  scopes = world.kept scope world.isScope;
  gone = lib.filter (name: !(builtins.tryEval scope.${name}).success) (lib.attrNames scope);

  # --- one package
  nameOf =
    value:
    if builtins.isAttrs value then
      value.name or "?"
      + lib.optionalString (
        value.outputSpecified or false && value.outputName != "out"
      ) ".${value.outputName}"
    else
      toString value;
  inputs =
    list:
    map nameOf (lib.flatten (if builtins.isList list then list else throw "inputs must be a list"));
  patch =
    value: if builtins.isPath value then baseNameOf value else value.arguments or (nameOf value);
  strings = list: if lib.all builtins.isString list then list else throw "cmakeFlags must be strings";
  hookNames = [
    "buildPhase"
    "checkPhase"
    "configurePhase"
    "installCheckPhase"
    "installPhase"
    "patchPhase"
    "unpackPhase"
  ]
  ++
    lib.concatMap
      (phase: [
        "pre${phase}"
        "post${phase}"
      ])
      [
        "Build"
        "Check"
        "Configure"
        "Fixup"
        "Install"
        "InstallCheck"
        "Patch"
        "Unpack"
      ];
  fact =
    package:
    let
      a = package.attributes;
      meta = package.meta;
    in
    {
      inherit (package) name outputs pname;
      version = a.version or null;
      stdenv = package.stdenv.cc.name or null;
      src = (a.src or { }).arguments or null;
      sourceRoot = a.sourceRoot or null;
      patches = map patch (a.patches or [ ]);
      nativeBuildInputs = inputs (a.nativeBuildInputs or [ ]);
      buildInputs = inputs (a.buildInputs or [ ]);
      propagatedBuildInputs = inputs (a.propagatedBuildInputs or [ ]);
      checkInputs = inputs (a.checkInputs or [ ] ++ a.nativeCheckInputs or [ ]);
      cmakeFlags = strings (a.cmakeFlags or [ ]);
      env = lib.mapAttrs (_: toString) (a.env or { });
      requiredSystemFeatures = a.requiredSystemFeatures or [ ];
      hooks = lib.filterAttrs (name: _: lib.elem name hookNames) a;
      passthru = lib.mapAttrs (
        _: value:
        let
          plain = builtins.tryEval (
            builtins.isBool value
            || builtins.isString value
            || (builtins.isList value && lib.all builtins.isString value)
          );
        in
        if plain.success && plain.value then value else null
      ) package.passthru;
      broken = meta.broken or false;
      meta = {
        description = meta.description or null;
        homepage = meta.homepage or null;
        license = map (l: l.spdxId) (lib.toList (meta.license or [ ]));
        teams = map (t: t.shortName) (meta.teams or [ ]);
        platforms = meta.platforms or [ ];
        mainProgram = meta.mainProgram or null;
        timeout = meta.timeout or null;
      };
      # only the name: the hash stands for the stand-ins too
      instantiates = lib.hasSuffix ".drv" package.instantiates;
    };
in
{
  inherit gone scopes;
  names = lib.attrNames scope;
  packages = lib.genAttrs packages (name: fact scope.${name});
}
