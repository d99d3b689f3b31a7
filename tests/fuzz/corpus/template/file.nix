nix/file.nix.j2
{{ expression }}
