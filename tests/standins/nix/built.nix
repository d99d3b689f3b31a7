# Packages of a scope, to be built: from a stand-in for upstream's source, by a builder that does what nixpkgs' does with CMake.
#
# question: as in facts.nix, with
#   sources: a folder with one folder for each package
#   narrowed: the name of the sub-scope
#   wanted: the attributes of the packages
{ question }:
let
  asked = builtins.fromJSON (builtins.readFile question);
  inherit
    (import ./world.nix {
      tree = /. + asked.tree;
      inherit (asked) externals pythonNames;
      allowBroken = true;
    })
    scope
    lib
    ;
  narrowed = scope.${asked.narrowed};
  # What is wanted is built before what needs it; all else is a name.
  input = value: built.${value.pname or ""} or (toString value);
  build =
    name:
    let
      package = narrowed.${name};
      given = package.attributes;
      hooks = lib.filterAttrs (key: value: builtins.isString value && builtins.match "(pre|post).*" key != null) given;
    in
    derivation (
      hooks
      // (given.env or { })
      // {
        inherit (package) outputs;
        inherit (package) name;
        system = builtins.currentSystem;
        builder = "/bin/bash";
        args = [ ./builder.bash ];
        src = builtins.path {
          path = /. + "${asked.sources}/${name}";
          name = "source";
        };
        sourceRoot = given.sourceRoot or "source";
        cmakeFlags = given.cmakeFlags or [ ];
        inputs = map input (lib.flatten ((given.nativeBuildInputs or [ ]) ++ (given.buildInputs or [ ])));
      }
    );
  built = lib.genAttrs asked.wanted build;
in
built
