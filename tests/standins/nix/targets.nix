# What each package of a scope, and of each of its sub-scopes, hands to its build that speaks of GPU targets.
#
# question: as for facts.nix, without `narrowed`; and
#   overrides: sets of `gpuTargets` that each package which takes them is given, by name
#
# The value: by scope (`default` is the whole one, `override NAME` the whole one with that override), by package
#   words: the strings that the derivation holds; `NAME=value` for attributes and the environment, elements of lists as they are
#   broken: its own meta says so
#   fails: it can't be asked for where nothing broken is allowed
{ question }:
let
  asked = builtins.fromJSON (builtins.readFile question);
  tree = /. + asked.tree;
  make =
    allowBroken:
    import ./world.nix {
      inherit tree allowBroken;
      inherit (asked) externals pythonNames;
    };
  world = make true;
  strict = make false;
  inherit (world) lib;

  named = lib.mapAttrsToList (name: value: lib.optional (builtins.isString value) "${name}=${value}");
  words =
    package:
    let
      a = removeAttrs package.attributes [
        "meta"
        "passthru"
        "env"
        "pname"
        "name"
      ];
      lists = lib.filter builtins.isList (lib.attrValues a);
    in
    lib.concatMap (lib.filter builtins.isString) lists
    ++ lib.concatLists (named a)
    ++ lib.concatLists (named (package.attributes.env or { }));

  fact = package: refused: {
    words = words package;
    broken = package.meta.broken or false;
    fails = !(builtins.tryEval refused.instantiates).success;
  };
  packages = world.kept world.scope world.isPackage;
  facts = scope: refused: lib.genAttrs packages (name: fact scope.${name} refused.${name});
  takes =
    name:
    let
      file = tree + "/${name}/default.nix";
    in
    builtins.pathExists file && world.argumentsOf file ? gpuTargets;
  overridden =
    targets:
    lib.genAttrs (lib.filter takes packages) (
      name:
      let
        change = scope: scope.${name}.override { gpuTargets = targets; };
      in
      fact (change world.scope) (change strict.scope)
    );
in
{
  default = facts world.scope strict.scope;
}
// lib.genAttrs (world.kept world.scope world.isScope) (
  name: facts world.scope.${name} strict.scope.${name}
)
// lib.mapAttrs' (name: targets: lib.nameValuePair "override ${name}" (overridden targets)) asked.overrides
