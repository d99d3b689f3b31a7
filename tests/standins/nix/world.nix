# A package scope with stand-ins for everything outside it.
#
# tree, externals, pythonNames: as in facts.nix
# allowBroken: whether what is broken may be asked for
{
  tree,
  externals,
  pythonNames,
  allowBroken,
}:
let
  lib = import ./lib.nix;

  # --- what the expressions ask for
  filesBelow =
    folder:
    lib.concatLists (
      lib.mapAttrsToList (
        name: kind:
        if kind == "directory" then
          filesBelow (folder + "/${name}")
        else
          lib.optional (lib.hasSuffix ".nix" name) (folder + "/${name}")
      ) (builtins.readDir folder)
    );
  argumentsOf =
    file:
    let
      value = import file;
    in
    if builtins.isFunction value then builtins.functionArgs value else { };
  asked = lib.foldl' (
    names: file: names // lib.filterAttrs (_: hasDefault: !hasDefault) (argumentsOf file)
  ) { } (filesBelow tree);
  bare = import ./pkgs.nix {
    inherit lib;
    externals = [ ];
    allowBroken = true;
  };
  guessed =
    lib.subtractLists (lib.attrNames bare) (lib.attrNames asked)
    ++ map (name: "python3Packages.${name}") pythonNames;

  pkgs = import ./pkgs.nix {
    inherit lib allowBroken;
    externals = if externals == null then guessed else externals;
  };
in
{
  inherit argumentsOf lib;
  scope = pkgs.callPackage (tree + "/default.nix") { };

  # --- what a scope holds; an alias may throw, and then it is no package
  kept =
    scope: test:
    lib.filter (
      name:
      let
        try = builtins.tryEval (test scope.${name});
      in
      try.success && try.value
    ) (lib.attrNames scope);
  isPackage = value: value ? attributes && value ? instantiates;
  isScope = value: builtins.isAttrs value && !(lib.isDerivation value) && value ? callPackage;
}
