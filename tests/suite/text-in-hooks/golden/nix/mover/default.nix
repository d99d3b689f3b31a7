{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  zstd,
  withExtra ? false,
}:

let
  own = "it's \"text\"; of ${lib.boolToString withExtra}";
  path = "${zstd}/lib";
  several = "three four";
in
stdenv.mkDerivation (finalAttrs: {
  pname = "mover";
  version = "7.2.0";

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocm-libraries";
    rev = "rocm-${finalAttrs.version}";
    hash = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
  };
  sourceRoot = "${finalAttrs.src.name}/projects/mover";

  nativeBuildInputs = [ cmake ];

  postInstall = ''
    echo \
      'a b '${lib.escapeShellArg own} \
      ${lib.escapeShellArg own} \
      "it's "${lib.escapeShellArg own} \
      ${path}/x \
      '${finalAttrs.pname} ${finalAttrs.version}'
    for x in first 'second thing' ${several}; do
      program "$x" "$x/*.so" 'a line
      and another # not a comment' "it's
    two"
      # it's a comment
      install 'a folder/*.so' "$x"-end
      ${lib.optionalString withExtra ''
        program
      ''}
    done
    for y in a; do
      ${lib.optionalString withExtra ''
        program
      ''}
      :
    done
    rm -r "$NIX_BUILD_TOP/$sourceRoot"/a "$NIX_BUILD_TOP/$sourceRoot b"
    printf '%s\n' \
      'a = '${lib.escapeShellArg own}''' \
      'b = '\'''${path}'\'''' \
      | install -Dm644 /dev/stdin $out/etc/conf
  '';

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "A small library";
    homepage = "https://example.org/mover";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
