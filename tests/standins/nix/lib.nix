# A small `lib`, for tests: the functions that package expressions call, written anew from their documented behaviour.
# `import ./lib.nix` is the whole of it; the sub-sets that people name (lib.strings and so on) are that same set.
let
  inherit (builtins)
    all
    any
    attrNames
    attrValues
    concatLists
    concatMap
    concatStringsSep
    elem
    elemAt
    filter
    foldl'
    functionArgs
    genList
    hasAttr
    head
    isAttrs
    isBool
    isFloat
    isInt
    isList
    isPath
    isString
    length
    listToAttrs
    map
    mapAttrs
    replaceStrings
    sort
    stringLength
    substring
    tail
    toJSON
    ;

  # --- functions
  id = x: x;
  const = x: _: x;
  flip =
    f: a: b:
    f b a;
  pipe = foldl' (value: f: f value);
  isFunction = f: builtins.isFunction f || (f ? __functor && isFunction (f.__functor f));
  argumentsOf =
    f: if f ? __functor then f.__functionArgs or (argumentsOf (f.__functor f)) else functionArgs f;
  setFunctionArgs = f: arguments: {
    __functor = _: f;
    __functionArgs = arguments;
  };
  max = a: b: if a > b then a else b;
  min = a: b: if a < b then a else b;
  mod = a: b: a - b * (a / b);
  boolToString = b: if b then "true" else "false";

  # --- fixed points
  fix =
    f:
    let
      x = f x;
    in
    x;
  extends =
    overlay: f: final:
    let
      prev = f final;
    in
    prev // overlay final prev;
  composeExtensions =
    first: second: final: prev:
    let
      changed = first final prev;
    in
    changed // second final (prev // changed);
  composeManyExtensions = foldr composeExtensions (_: _: { });
  makeExtensible = f: fix f // { extend = overlay: makeExtensible (extends overlay f); };

  # --- lists
  foldr =
    f: last: list:
    if list == [ ] then last else f (head list) (foldr f last (tail list));
  optional = condition: value: if condition then [ value ] else [ ];
  optionals = condition: list: if condition then list else [ ];
  toList = x: if isList x then x else [ x ];
  flatten = x: if isList x then concatMap flatten x else [ x ];
  intersectLists = wanted: filter (x: elem x wanted);
  subtractLists = unwanted: filter (x: !elem x unwanted);
  mutuallyExclusive = a: b: intersectLists a b == [ ];
  unique = foldl' (seen: x: if elem x seen then seen else seen ++ [ x ]) [ ];
  last = list: elemAt list (length list - 1);
  init = list: take (length list - 1) list;
  sublist =
    start: count: list:
    let
      available = max 0 (length list - start);
    in
    genList (n: elemAt list (start + n)) (min count available);
  take = sublist 0;
  drop = count: list: sublist count (length list) list;
  range = first: final: if first > final then [ ] else genList (n: first + n) (final - first + 1);
  imap0 = f: list: genList (n: f n (elemAt list n)) (length list);
  imap1 = f: list: genList (n: f (n + 1) (elemAt list n)) (length list);
  reverseList = list: genList (n: elemAt list (length list - 1 - n)) (length list);
  findFirst =
    test: fallback: list:
    let
      found = filter test list;
    in
    if found == [ ] then fallback else head found;
  count = test: list: length (filter test list);
  remove = unwanted: filter (x: x != unwanted);
  zipListsWith =
    f: a: b:
    genList (n: f (elemAt a n) (elemAt b n)) (min (length a) (length b));
  zipLists = zipListsWith (fst: snd: { inherit fst snd; });
  forEach = flip map;
  replicate = n: x: genList (_: x) n;

  # --- attribute sets
  nameValuePair = name: value: { inherit name value; };
  genAttrs = names: f: listToAttrs (map (name: nameValuePair name (f name)) names);
  mapAttrsToList = f: set: map (name: f name set.${name}) (attrNames set);
  mapAttrs' = f: set: listToAttrs (mapAttrsToList f set);
  concatMapAttrs = f: set: foldl' (done: more: done // more) { } (mapAttrsToList f set);
  filterAttrs = test: set: removeAttrs set (filter (name: !test name set.${name}) (attrNames set));
  optionalAttrs = condition: set: if condition then set else { };
  getAttrs = names: set: genAttrs names (name: set.${name});
  attrByPath =
    path: fallback: set:
    if path == [ ] then
      set
    else if isAttrs set && hasAttr (head path) set then
      attrByPath (tail path) fallback set.${head path}
    else
      fallback;
  hasAttrByPath =
    path: set:
    path == [ ]
    || (isAttrs set && hasAttr (head path) set && hasAttrByPath (tail path) set.${head path});
  setAttrByPath =
    path: value: if path == [ ] then value else { ${head path} = setAttrByPath (tail path) value; };
  recursiveUpdate =
    old: new:
    old
    // mapAttrs (
      name: value:
      if isAttrs value && isAttrs (old.${name} or null) then recursiveUpdate old.${name} value else value
    ) new;
  foldlAttrs =
    f: start: set:
    foldl' (value: name: f value name set.${name}) start (attrNames set);
  isDerivation = x: x.type or null == "derivation";
  recurseIntoAttrs = set: set // { recurseForDerivations = true; };
  dontRecurseIntoAttrs = set: set // { recurseForDerivations = false; };

  # --- strings
  optionalString = condition: text: if condition then text else "";
  concatMapStringsSep =
    separator: f: list:
    concatStringsSep separator (map f list);
  concatMapStrings = concatMapStringsSep "";
  concatStrings = concatStringsSep "";
  concatLines = concatMapStrings (line: line + "\n");
  concatImapStringsSep =
    separator: f: list:
    concatStringsSep separator (imap1 f list);
  concatMapAttrsStringSep =
    separator: f: set:
    concatStringsSep separator (mapAttrsToList f set);
  hasPrefix = prefix: text: substring 0 (stringLength prefix) text == prefix;
  hasSuffix =
    suffix: text:
    let
      rest = stringLength text - stringLength suffix;
    in
    rest >= 0 && substring rest (stringLength suffix) text == suffix;
  hasInfix = infix: text: builtins.length (splitString infix text) > 1;
  removePrefix =
    prefix: text:
    if hasPrefix prefix text then substring (stringLength prefix) (stringLength text) text else text;
  removeSuffix =
    suffix: text:
    if hasSuffix suffix text then substring 0 (stringLength text - stringLength suffix) text else text;
  escapeRegex = replaceStrings special (map (c: "\\" + c) special);
  special = [
    "\\"
    "^"
    "$"
    "."
    "|"
    "?"
    "*"
    "+"
    "("
    ")"
    "["
    "{"
    "}"
  ];
  splitString = separator: text: filter isString (builtins.split (escapeRegex separator) text);
  stringToCharacters = text: genList (n: substring n 1 text) (stringLength text);
  lowerChars = stringToCharacters "abcdefghijklmnopqrstuvwxyz";
  upperChars = stringToCharacters "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  toLower = replaceStrings upperChars lowerChars;
  toUpper = replaceStrings lowerChars upperChars;
  escapeShellArg =
    value:
    let
      text = toString value;
    in
    if builtins.match "[[:alnum:],._+:@%/-]+" text != null then
      text
    else
      "'${replaceStrings [ "'" ] [ "'\\''" ] text}'";
  escapeShellArgs = concatMapStringsSep " " escapeShellArg;
  toInt =
    text:
    let
      number = builtins.fromJSON text;
    in
    if isInt number then number else throw "toInt: ${text} is not a whole number";
  fixedWidthString =
    width: filler: text:
    if stringLength text >= width then text else fixedWidthString width filler (filler + text);
  fixedWidthNumber = width: number: fixedWidthString width "0" (toString number);
  trim =
    text:
    let
      match = builtins.match "[[:space:]]*(.*[^[:space:]])[[:space:]]*" text;
    in
    if match == null then "" else head match;

  # --- CMake and Meson arguments
  cmakeOptionType =
    type: name: value:
    assert isString type && isString name && isString value;
    "-D${name}:${toUpper type}=${value}";
  cmakeBool =
    name: value:
    assert isBool value;
    cmakeOptionType "bool" name (if value then "TRUE" else "FALSE");
  cmakeFeature = cmakeOptionType "string";
  mesonOption =
    name: value:
    assert isString name && isString value;
    "-D${name}=${value}";
  mesonBool =
    name: value:
    assert isBool value;
    mesonOption name (boolToString value);
  mesonEnable =
    name: value:
    assert isBool value;
    mesonOption name (if value then "enabled" else "disabled");

  # --- packages and their outputs
  getOutput =
    output: package:
    if package.outputSpecified or false then package else package.${output} or package.out or package;
  firstOutput =
    outputs: package:
    getOutput (findFirst (output: elem output (package.outputs or [ "out" ])) "out" outputs) package;
  getBin = getOutput "bin";
  getDev = firstOutput [ "dev" ];
  getInclude = firstOutput [
    "include"
    "dev"
  ];
  getLib = firstOutput [ "lib" ];
  getStatic = firstOutput [
    "static"
    "lib"
  ];
  getMan = getOutput "man";
  getExe' =
    package: name:
    assert isString name && !hasInfix "/" name;
    "${getBin package}/bin/${name}";
  getExe =
    package:
    getExe' package (
      package.meta.mainProgram or (throw "getExe: ${package.name} names no mainProgram")
    );
  getName = package: package.pname or (builtins.parseDrvName package.name).name;
  getVersion = package: package.version or (builtins.parseDrvName package.name).version;
  makeSearchPath =
    folder: packages:
    concatMapStringsSep ":" (package: "${package}/${folder}") (filter (p: p != null) packages);
  makeSearchPathOutput =
    output: folder: packages:
    makeSearchPath folder (map (getOutput output) packages);
  makeBinPath = makeSearchPathOutput "bin" "bin";
  makeLibraryPath = packages: makeSearchPath "lib" (map getLib packages);
  makeIncludePath = packages: makeSearchPath "include" (map getDev packages);

  # --- calling packages
  makeOverridable =
    f: arguments:
    let
      result = f arguments;
      change = new: arguments // (if isFunction new then new arguments else new);
      override = new: makeOverridable f (change new);
    in
    if isAttrs result then
      result
      // {
        inherit override;
      }
      // optionalAttrs (result ? overrideAttrs) {
        overrideAttrs = new: makeOverridable (a: (f a).overrideAttrs new) arguments;
      }
    else if isFunction result then
      setFunctionArgs result (argumentsOf result) // { inherit override; }
    else
      result;
  callPackageWith =
    scope: function: given:
    let
      f = if isFunction function then function else import function;
      wanted = argumentsOf f;
      arguments = builtins.intersectAttrs wanted scope // given;
      missing = filter (name: !wanted.${name} && !(arguments ? ${name})) (attrNames wanted);
      where = if isFunction function then "a function" else toString function;
    in
    if missing == [ ] then
      makeOverridable f arguments
    else
      abort "callPackage: ${where} wants ${concatStringsSep ", " missing}, which nothing provides";
  callPackagesWith =
    scope: function: given:
    let
      result = callPackageWith scope function given;
    in
    removeAttrs result [
      "override"
      "overrideDerivation"
    ];
  makeScope =
    newScope: f:
    let
      self = f self // {
        newScope = more: newScope (self // more);
        callPackage = self.newScope { };
        overrideScope = overlay: makeScope newScope (extends overlay f);
        packages = f;
      };
    in
    self;

  # --- versions
  versionOlder = a: b: builtins.compareVersions b a == 1;
  versionAtLeast = a: b: !versionOlder a b;
  versions = rec {
    splitVersion = builtins.splitVersion;
    major = v: elemAt (splitVersion v) 0;
    minor = v: elemAt (splitVersion v) 1;
    patch = v: elemAt (splitVersion v) 2;
    majorMinor = v: concatStringsSep "." (take 2 (splitVersion v));
    pad =
      n: v:
      let
        parts = splitVersion v;
      in
      concatStringsSep "." (take n parts ++ replicate (n - length parts) "0");
  };

  # --- messages
  warn = message: value: builtins.trace "warning: ${message}" value;
  warnOnInstantiate = warn;
  warnIf = condition: message: if condition then warn message else id;
  warnIfNot = condition: warnIf (!condition);
  throwIf =
    condition: message: value:
    if condition then throw message else value;
  throwIfNot = condition: throwIf (!condition);
  assertMsg = condition: message: condition || throw message;
  assertOneOf =
    name: value: known:
    assertMsg (elem value known) "${name} must be one of ${toJSON known}, and is ${toJSON value}";

  # --- what packages say of themselves
  license = spdxId: shortName: {
    inherit shortName spdxId;
    fullName = spdxId;
    free = true;
  };
  licenses = mapAttrs (shortName: spdxId: license spdxId shortName) {
    asl20 = "Apache-2.0";
    boost = "BSL-1.0";
    bsd2 = "BSD-2-Clause";
    bsd3 = "BSD-3-Clause";
    bsdOriginal = "BSD-4-Clause";
    gpl2Only = "GPL-2.0-only";
    gpl2Plus = "GPL-2.0-or-later";
    gpl3Only = "GPL-3.0-only";
    gpl3Plus = "GPL-3.0-or-later";
    isc = "ISC";
    lgpl21Only = "LGPL-2.1-only";
    lgpl21Plus = "LGPL-2.1-or-later";
    lgpl3Plus = "LGPL-3.0-or-later";
    llvm-exception = "LLVM-exception";
    cc-by-40 = "CC-BY-4.0";
    mit = "MIT";
    mpl20 = "MPL-2.0";
    ncsa = "NCSA";
    publicDomain = "LicenseRef-public-domain";
    unlicense = "Unlicense";
    x11 = "X11";
    zlib = "Zlib";
  };
  teams.rocm = {
    shortName = "ROCm";
    members = [ ];
    scope = "";
  };
  platforms = rec {
    linux = [
      "aarch64-linux"
      "i686-linux"
      "x86_64-linux"
    ];
    darwin = [
      "aarch64-darwin"
      "x86_64-darwin"
    ];
    unix = linux ++ darwin;
    x86_64 = [
      "x86_64-darwin"
      "x86_64-linux"
    ];
    aarch64 = [
      "aarch64-darwin"
      "aarch64-linux"
    ];
    all = unix;
    none = [ ];
  };
  sourceTypes =
    genAttrs
      [
        "binaryNativeCode"
        "fromSource"
      ]
      (shortName: {
        inherit shortName;
      });
  fakeHash = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
  importJSON = path: builtins.fromJSON (builtins.readFile path);

  functions = {
    inherit
      all
      any
      assertMsg
      assertOneOf
      attrByPath
      attrNames
      attrValues
      boolToString
      callPackagesWith
      callPackageWith
      cmakeBool
      cmakeFeature
      cmakeOptionType
      composeExtensions
      composeManyExtensions
      concatImapStringsSep
      concatLines
      concatLists
      concatMap
      concatMapAttrs
      concatMapAttrsStringSep
      concatMapStrings
      concatMapStringsSep
      concatStrings
      concatStringsSep
      const
      count
      dontRecurseIntoAttrs
      drop
      elem
      elemAt
      escapeRegex
      escapeShellArg
      escapeShellArgs
      extends
      fakeHash
      filter
      filterAttrs
      findFirst
      fix
      fixedWidthNumber
      fixedWidthString
      flatten
      flip
      foldl'
      foldlAttrs
      foldr
      forEach
      genAttrs
      genList
      getAttrs
      getBin
      getDev
      getExe
      getExe'
      getInclude
      getLib
      getMan
      getName
      getOutput
      getStatic
      getVersion
      hasAttr
      hasAttrByPath
      hasInfix
      hasPrefix
      hasSuffix
      head
      id
      imap0
      imap1
      importJSON
      init
      intersectLists
      isAttrs
      isBool
      isDerivation
      isFloat
      isFunction
      isInt
      isList
      isPath
      isString
      last
      length
      licenses
      listToAttrs
      makeBinPath
      makeExtensible
      makeIncludePath
      makeLibraryPath
      makeOverridable
      makeScope
      makeSearchPath
      makeSearchPathOutput
      map
      mapAttrs
      mapAttrs'
      mapAttrsToList
      max
      mesonBool
      mesonEnable
      mesonOption
      min
      mod
      mutuallyExclusive
      nameValuePair
      optional
      optionalAttrs
      optionals
      optionalString
      pipe
      platforms
      range
      recurseIntoAttrs
      recursiveUpdate
      remove
      removePrefix
      removeSuffix
      replaceStrings
      replicate
      reverseList
      setAttrByPath
      setFunctionArgs
      sort
      sourceTypes
      splitString
      stringLength
      stringToCharacters
      sublist
      substring
      subtractLists
      tail
      take
      teams
      throwIf
      throwIfNot
      toInt
      toList
      toLower
      toUpper
      trim
      unique
      versionAtLeast
      versionOlder
      versions
      warn
      warnIf
      warnIfNot
      warnOnInstantiate
      zipLists
      zipListsWith
      ;
    functionArgs = argumentsOf;
    maintainers = { };
    importTOML = path: builtins.fromTOML (builtins.readFile path);
  };
in
functions
// genAttrs [
  "asserts"
  "attrsets"
  "customisation"
  "derivations"
  "fixedPoints"
  "lists"
  "meta"
  "strings"
  "trivial"
] (_: functions)
