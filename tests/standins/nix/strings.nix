# Every text of a package scope, as its packages hand it to their builds: what was put between quotes must come back.
#
# question: as for facts.nix, without `narrowed`
#
# The value:
#   hooks: the scripts, which a shell reads
#   strings: all else, names of attributes too
{ question }:
let
  asked = builtins.fromJSON (builtins.readFile question);
  world = import ./world.nix {
    tree = /. + asked.tree;
    inherit (asked) externals pythonNames;
    allowBroken = true;
  };
  inherit (world) lib scope;

  isHook =
    name:
    lib.any (end: lib.hasSuffix end name) [
      "Phase"
      "Build"
      "Check"
      "Configure"
      "Fixup"
      "Install"
      "Patch"
      "Unpack"
    ];
  # Of what was fetched, what was asked for; of other packages nothing, as each is asked itself.
  texts =
    value:
    if builtins.isString value then
      [ value ]
    else if builtins.isPath value then
      [ (toString value) ]
    else if builtins.isList value then
      lib.concatMap texts value
    else if value ? arguments then
      texts value.arguments
    else if builtins.isAttrs value && !(lib.isDerivation value) && !(value ? __functor) then
      lib.attrNames value ++ lib.concatMap texts (lib.attrValues value)
    else
      [ ];
  # As it is, and with all of its switches on and off.
  variants =
    name:
    let
      package = scope.${name};
      file = asked.tree + "/${name}/default.nix";
      given = if builtins.pathExists file then world.argumentsOf file else { };
      isSwitch = name: hasDefault: hasDefault && (lib.hasPrefix "build" name || lib.hasPrefix "with" name);
      switches = lib.filterAttrs isSwitch given;
      all = on: package.override (lib.mapAttrs (_: _: on) switches);
    in
    [ package ]
    ++ lib.optionals (switches != { }) [
      (all true)
      (all false)
    ];
  # Names of licences, people and teams are looked up in sets of nixpkgs' own.
  attributes =
    package:
    package.attributes
    // {
      meta = removeAttrs (package.attributes.meta or { }) [
        "license"
        "maintainers"
        "teams"
      ];
    };
  packages = map attributes (lib.concatMap variants (world.kept scope world.isPackage));
  hooks =
    package:
    lib.filter builtins.isString (lib.attrValues (lib.filterAttrs (name: _: isHook name) package));
in
{
  hooks = lib.concatMap hooks packages;
  strings = lib.concatMap (
    package: texts (lib.filterAttrs (name: value: !(isHook name && builtins.isString value)) package)
  ) packages;
}
