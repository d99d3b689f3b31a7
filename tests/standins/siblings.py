"""What stands beside PKGBUILDs, read as its readers do: nvchecker takes tags and makes versions of them, REUSE asks for a licence of each file."""

import json
import pathlib
import re
import sys
import tomllib
from fnmatch import fnmatch

TAGS = ["rocm-7.2.4", "therock-10.0", "therock-10.0.0rc1", "hipblas/rocm-9.9", "v3.0"]
out = {}
for folder in sorted(path.parent for path in pathlib.Path(sys.argv[1]).glob("*/PKGBUILD")):
    watched = None
    if (folder / ".nvchecker.toml").exists():
        (conf,) = tomllib.loads((folder / ".nvchecker.toml").read_text()).items()
        assert conf[0] == folder.name and conf[1]["source"] == "git", conf
        tags = [tag for tag in TAGS if re.fullmatch(conf[1]["include_regex"], tag)]
        versions = [re.sub(conf[1]["from_pattern"], conf[1]["to_pattern"], tag) for tag in tags]
        watched = [conf[1]["git"], versions]
    reuse = tomllib.loads((folder / "REUSE.toml").read_text())
    licences = {}
    for path in folder.iterdir():
        found = [a for a in reuse["annotations"] if any(fnmatch(path.name, glob) for glob in a["path"])]
        licences[path.name] = [a["SPDX-License-Identifier"] for a in found]
    texts = sorted(path.name for path in (folder / "LICENSES").iterdir())
    out[folder.name] = {"watched": watched, "licences": licences, "texts": texts}
print(json.dumps(out))
